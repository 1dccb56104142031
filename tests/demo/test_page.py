"""The demo's page in a browser: what has been answered before the visitor comes, and what the visitor gets answered."""

import asyncio
import json
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from bot.demo.script import CHANNELS
from tests.demo.browser import open_page
from tests.demo.channel import (
    AT_THE_END,
    INPUT,
    LAST,
    MESSAGES,
    PICTURE_LOADED,
    SETTLED,
    answered,
    post,
    read_messages,
    shown,
)
from tests.demo.conftest import needs_browser
from tests.demo.process import running_demo

POSITIONS = CHANNELS[0]
EXAMPLES = POSITIONS.examples
POSITION = "15/15/15/15/15/15/15/4SADDLE5/15/15/15/15/15/15/15 AEINRST/ 0/28 0 lm 8E SADDLE;"
LINE = "What do you think of this one?"
PROMPT_SECONDS = 30.0
"""Longest time from Ctrl-C to the end with a page open; what is in the way would take a minute."""

pytestmark = needs_browser


async def test_the_examples_are_answered_before_the_visitor_comes(tmp_path: Path):
    async with (
        running_demo("demo", "--no-browser", folder=tmp_path) as demo,
        open_page(demo.url) as page,
    ):
        await shown(page, messages=2 * len(EXAMPLES) + 1)
        messages = await read_messages(page)
        assert await page.evaluate(AT_THE_END)
        started = time.monotonic()
        code, _, errors = await demo.end()
        assert time.monotonic() - started < PROMPT_SECONDS
    assert (code, errors) == (0, "")

    asked, answers, last = messages[:-1:2], messages[1::2], messages[-1]
    assert [message["author"] for message in asked] == [example.author for example in EXAMPLES]
    assert {message["author"] for message in answers} == {"Kibitz"}
    assert last["author"] == POSITIONS.invitation.author
    assert last["text"].startswith(POSITIONS.invitation.text)
    for example, answer in zip(EXAMPLES, answers, strict=True):
        [picture] = answer["pictures"]
        assert picture["width"] > 600
        assert picture["height"] > 400
        assert "rack" in picture["alt"]
        assert answer["covered"] == ("||" in example.text)
    age = datetime.now(UTC) - datetime.fromisoformat(last["time"])
    assert abs(age.total_seconds()) < 300


async def test_a_pasted_position_and_a_command_are_answered_a_line_is_not_and_the_page_ends_the_demo(
    tmp_path: Path,
):
    async with (
        running_demo("demo", "--no-browser", folder=tmp_path) as demo,
        open_page(demo.url) as page,
    ):
        await shown(page, messages=2 * len(EXAMPLES) + 1)
        await post(page, "What do you think of this one?")
        await post(page, POSITION)
        answer = await answered(page, POSITION)
        messages = await read_messages(page)
        assert [message["text"] for message in messages[-3:-1]] == [LINE, POSITION]
        assert answer["author"] == "Kibitz"
        [picture] = answer["pictures"]
        assert "AEINRST" in picture["alt"]
        assert "SADDLE" in picture["alt"]

        await page.type(INPUT, "/show")
        await page.wait_for(
            "[...document.querySelectorAll('[role=option]')].some(o => o.textContent.includes('/show'))"
        )
        await page.press_enter()
        await page.wait_for("document.querySelector('.command-context') !== null")
        await page.press_enter()  # chooses the first of the options offered
        await page.wait_for("document.activeElement.dataset.option === 'position'")
        await page.command("Input.insertText", text=POSITION)
        await page.wait_for(
            f"{SETTLED} && document.activeElement.value?.includes({json.dumps(POSITION[:40])})"
        )
        for _ in range(5):  # the key is lost where the page is drawn anew
            await page.press_enter()
            with suppress(TimeoutError):
                await page.wait_for(f"{MESSAGES}.length > {len(messages)}", seconds=10)
                break
        await page.wait_for(
            f"{MESSAGES}.length > {len(messages)} && {SETTLED} && "
            f"[...{LAST}.querySelectorAll('img.attachment-image')].some(img => {PICTURE_LOADED})"
        )
        [picture] = (await read_messages(page))[-1]["pictures"]
        assert "AEINRST" in picture["alt"]

        await page.evaluate("document.querySelector('#close').click()")
        async with asyncio.timeout(PROMPT_SECONDS):
            code, output, errors = await demo.wait()
    assert (code, errors) == (0, "")
    assert output.endswith("\nThe demo has ended.\n")
