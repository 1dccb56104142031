"""The demo's other channels in a browser: what stands there, and that its controls do what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.demo.script import CHANNELS
from tests.demo.browser import Page, open_page
from tests.demo.channel import (
    MESSAGES,
    SETTLED,
    choose,
    picture_of,
    press,
    press_until,
    react,
    read_messages,
    run_command,
)
from tests.demo.conftest import needs_browser
from tests.demo.process import running_demo
from tests.demo.shots import COMPILED_SECONDS, ready

# A press is lost now and then where the page is drawn anew at that moment, which happens since it is drawn while jobs run.
pytestmark = [needs_browser, pytest.mark.long]


async def test_games_and_chess_are_answered_in_channels_that_lead_to_each_other(tmp_path: Path):
    async with (
        running_demo("demo", "--no-browser", folder=tmp_path) as demo,
        open_page(demo.pages["games"]) as page,
    ):
        await ready(page, "games")
        messages = await read_messages(page)
        early, joined, game = (messages[number]["text"] for number in (5, 7, 9))
        assert "turn 3 did not come yet" in early
        assert "Turn 4 of 4" in joined
        assert "alice wins by 37" in game

        end = await picture_of(page, -2)
        await press(page, "◀", message=-2)
        back = await picture_of(page, -2, other_than=end)
        assert "Turn 22 of 23" in (await read_messages(page))[-2]["text"]
        await choose(page, "8. bob", message=-2)
        await picture_of(page, -2, other_than=back)
        assert "ZOOID" in (await read_messages(page))[-2]["text"], "the remark of turn 8"
        async with open_page(demo.pages["chess"]) as other:
            await chess_is_answered_and_the_channels_lead_to_each_other(other, demo.pages)
        code, _, errors = await demo.end()
    assert (code, errors) == (0, "")


async def chess_is_answered_and_the_channels_lead_to_each_other(page: Page, pages: dict[str, str]) -> None:
    await ready(page, "chess")
    messages = await read_messages(page)
    assert [len(message["pictures"]) for message in messages] == [0, 1, 0, 1, 0, 1, 0, 1, 0]
    links = await page.evaluate(
        f"[...{MESSAGES}.at(-1).querySelectorAll('a')].map(a => [a.textContent, a.href])"
    )
    assert dict(links) == {f"#{name}": url for name, url in pages.items() if name != "chess"}
    assert list(pages) == [channel.name for channel in CHANNELS]


async def a_simulation_is_seen_and_stopped(page: Page) -> None:
    """The bar is seen while it runs, and *Stop* ends it long before its time."""
    shown = len(await read_messages(page))
    await press(page, "Analyze", message=1)
    await page.wait_for(f"{MESSAGES}.length > {shown} && {SETTLED}", seconds=COMPILED_SECONDS)
    text = f"{MESSAGES}.at(-1).querySelector('.message-content')?.textContent"
    await press_until(page, "Simulate", f"{text}.includes('▱')", message=-1, seconds=60)
    await press_until(page, "Stop", f"{text}.includes('stopped early')", message=-1, seconds=60)


async def test_a_picture_comes_on_request_and_is_analyzed_and_alice_may_change_the_settings(tmp_path: Path):
    async with (
        running_demo("demo", "--no-browser", folder=tmp_path, analysis=True) as demo,
        open_page(demo.pages["study"]) as page,
    ):
        await ready(page, "study")
        assert {message["author"] for message in await read_messages(page)} == {"alice", "bob"}
        await run_command(page, "/settings server")
        assert "This server's settings" in (await read_messages(page))[-1]["text"]
        await react(page, message=0)
        board = await picture_of(page, -1)
        assert "Player 1 to move" in (await read_messages(page))[-1]["text"]
        analyzed = f"{MESSAGES}.length > {len(await read_messages(page))}"
        await press_until(page, "Analyze", analyzed, message=-1, seconds=60)
        await picture_of(page, -1, other_than=board, seconds=COMPILED_SECONDS)
        assert (await read_messages(page))[-1]["text"].startswith("Best: K3 P(O)WERINg +74")
        async with open_page(demo.pages["positions"]) as other:
            await ready(other, "positions")
            await a_simulation_is_seen_and_stopped(other)
        code, _, errors = await demo.end()
    assert (code, errors) == (0, "")
