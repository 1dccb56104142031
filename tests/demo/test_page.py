"""The demo in a browser: Kibitz replies to the examples, and to a visitor's messages, button presses and commands."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from bot.demo.script import CHANNELS
from tests.demo.browser import Page, open_page
from tests.demo.channel import (
    INPUT_SELECTOR,
    IS_AT_END_JS,
    IS_PICTURE_LOADED_JS,
    IS_SETTLED_JS,
    LAST_MESSAGE_JS,
    MESSAGES_JS,
    PICTURE_SELECTOR,
    choose,
    post,
    press,
    press_across_redraw,
    react,
    read_messages,
    run_command,
    wait_for_picture,
    wait_for_reply,
    wait_for_text,
)
from tests.demo.conftest import needs_browser
from tests.demo.process import RunningDemo
from tests.demo.shots import MAX_ANALYSIS_SECONDS, wait_until_ready
from tests.wire.kibitz import uses_programs

POSITIONS = CHANNELS[0]
EXAMPLES = POSITIONS.examples
POSITION = "15/15/15/15/15/15/15/4SADDLE5/15/15/15/15/15/15/15 AEINRST/ 0/28 0 lm 8E SADDLE;"
PRE_ENDGAME = (
    "NEUMAtIC3WINY/7A1QUINOA/1IBEX2R3L3/1FOLIATED2C3/7E2SO3/7n2H4/7E2R4/6FRIGID2Z/6U3E1P1E/6R1DIKTATS/6YA2S1V1T/7NO2BA2/"
    "7OW2UN2/7AE2M3/3JOLTS3P3 EGIORRV/ 348/372 0 lex SCOWL80;"
)
"""A position that is not solved in 30 seconds of CPU time: four tiles are in the bag, and many plays often win."""
CHAT_MESSAGE = "What do you think of this one?"

# These tests run in one process, because they share a demo. Each test uses a different channel.
pytestmark = [needs_browser, uses_programs]


async def test_the_demo_replies_to_positions(demo: RunningDemo):
    async with open_page(demo.url) as page:
        await wait_until_ready(page, "positions")
        await each_example_gets_a_reply(page)
        await a_position_gets_a_reply_and_chat_does_not(page)
        await a_command_gets_a_reply(page)
        await solving_is_stopped(page)


async def each_example_gets_a_reply(page: Page) -> None:
    messages = await read_messages(page)
    assert await page.evaluate(IS_AT_END_JS)
    posts, replies, last = messages[:-1:2], messages[1::2], messages[-1]
    assert [message["author"] for message in posts] == [example.author for example in EXAMPLES]
    assert {message["author"] for message in replies} == {"Kibitz"}
    assert last["author"] == POSITIONS.closing_prompt.author
    assert last["text"].startswith(POSITIONS.closing_prompt.text)
    for example, reply in zip(EXAMPLES, replies, strict=True):
        [picture] = reply["pictures"]
        assert picture["width"] > 600
        assert picture["height"] > 400
        assert "rack" in picture["alt"]
        assert reply["covered"] == ("||" in example.text)
    age = datetime.now(UTC) - datetime.fromisoformat(last["time"])
    assert abs(age.total_seconds()) < 300


async def a_position_gets_a_reply_and_chat_does_not(page: Page) -> None:
    await post(page, CHAT_MESSAGE)
    await post(page, POSITION)
    reply = await wait_for_reply(page, POSITION)
    messages = await read_messages(page)
    assert [message["text"] for message in messages[-3:-1]] == [CHAT_MESSAGE, POSITION]
    assert reply["author"] == "Kibitz"
    [picture] = reply["pictures"]
    assert "AEINRST" in picture["alt"]
    assert "SADDLE" in picture["alt"]


async def a_command_gets_a_reply(page: Page) -> None:
    earlier_count = len(await read_messages(page))
    await page.type(INPUT_SELECTOR, "/show")
    await page.wait_for(
        "[...document.querySelectorAll('[role=option]')].some(o => o.textContent.includes('/show'))"
    )
    await page.press_enter()
    await page.wait_for("document.querySelector('.command-context') !== null")
    await page.press_enter()  # chooses the first option
    await page.wait_for("document.activeElement.dataset.option === 'position'")
    await page.command("Input.insertText", text=POSITION)
    await page.wait_for(
        f"{IS_SETTLED_JS} && document.activeElement.value?.includes({json.dumps(POSITION[:40])})"
    )
    await page.press_enter()
    await page.wait_for(
        f"{MESSAGES_JS}.length > {earlier_count} && {IS_SETTLED_JS} && "
        f"[...{LAST_MESSAGE_JS}.querySelectorAll('{PICTURE_SELECTOR}')].some(img => {IS_PICTURE_LOADED_JS})"
    )
    [picture] = (await read_messages(page))[-1]["pictures"]
    assert "AEINRST" in picture["alt"]


async def solving_is_stopped(page: Page) -> None:
    """The progress bar moves, and *Stop* ends the work early, although the bar redraws the button."""
    await post(page, PRE_ENDGAME)
    await wait_for_reply(page, PRE_ENDGAME)
    await press(page, "Analyze", message=-1)
    await wait_for_text(page, -1, "best of ", seconds=MAX_ANALYSIS_SECONDS)
    await press(page, "Solve", message=-1)
    await wait_for_text(page, -1, "▰▱", seconds=MAX_ANALYSIS_SECONDS)
    await press_across_redraw(page, "Stop", message=-1)
    await wait_for_text(page, -1, "Not proved yet")


async def test_a_visitor_steps_through_a_game(demo: RunningDemo):
    async with open_page(demo.pages["games"]) as page:
        await wait_until_ready(page, "games")
        messages = await read_messages(page)
        early_text, complete_text, game = (messages[number]["text"] for number in (5, 7, 9))
        assert "is waiting for turn 3" in early_text
        assert "Turn 4 of 4" in complete_text
        assert "alice wins by 37" in game

        await press(page, "◀", message=-2)
        await press(page, "◀", message=-2)  # before the response to the first press
        await wait_for_text(page, -2, "Turn 21 of 23")
        await choose(page, "8. bob", message=-2)
        await wait_for_text(page, -2, "ZOOID")  # a word in the remark of turn 8
        await wait_for_picture(page, -2)


async def test_chess_gets_replies_and_channels_link_to_each_other(demo: RunningDemo):
    async with open_page(demo.pages["chess"]) as page:
        await wait_until_ready(page, "chess")
        messages = await read_messages(page)
        assert [len(message["pictures"]) for message in messages] == [0, 1, 0, 1, 0, 1, 0, 1, 0]
        links = await page.evaluate(
            f"[...{MESSAGES_JS}.at(-1).querySelectorAll('a')].map(a => [a.textContent, a.href])"
        )
        assert dict(links) == {f"#{name}": url for name, url in demo.pages.items() if name != "chess"}
        assert list(demo.pages) == [channel.name for channel in CHANNELS]


async def test_the_page_shows_settings_and_an_analysis(demo: RunningDemo):
    async with open_page(demo.pages["study"]) as page:
        await wait_until_ready(page, "study")
        assert {message["author"] for message in await read_messages(page)} == {"alice", "bob"}
        await run_command(page, "/settings server")
        await wait_for_text(page, -1, "Settings for this server")
        await react(page, message=0)
        await wait_for_picture(page, -1)
        await wait_for_text(page, -1, "Player 1 to move")
        await press(page, "Analyze", message=-1)
        await wait_for_text(page, -1, "K3 P(O)WERINg", seconds=MAX_ANALYSIS_SECONDS)
