"""The pictures of the demo in the documentation, with the actions that come before each picture."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from bot.demo.script import CHANNELS
from tests.demo.browser import Page
from tests.demo.channel import (
    MESSAGES_JS,
    choose,
    post,
    press,
    react,
    run_command,
    text_expression,
    wait_for_messages,
    wait_for_picture,
    wait_for_reply,
)

POSITION: Final = (
    "95 ahead, and an H to play with: `11COBB/13L1/13A1/8FEAZING/13D1/8APE2E1/7ALANINS1/D2HOMEY5TO/O4ONE6C/JUMpeRS7R/"
    "O13E/14A/14T/14E/15 AHILNRY/ 297/202 0 lm 1L CO.B;`"
)
OTHER_SITE_POSITION: Final = (
    "From the other site, what now? `7L7/7A7/7T7/7I7/7GAPY4/5GOO1AEGIS1/4BAH8/3VELOCE5J/8XI4A/9FEEZED/14E/14D/15/15/15 "
    "LMNSTE?/ 116/155 0 lex NWL23; lm O8 JA.ED;`"
)
"""A position as another site writes it, with a lexicon that is not installed."""
PHONE_WIDTH: Final = 400
MAX_ANALYSIS_SECONDS: Final = 600.0
"""Maximum seconds to wait for an analysis. A machine's first analysis waits for the compiler."""


@dataclass(frozen=True, slots=True)
class Shot:
    name: str
    channel: str
    prepare: Callable[[Page], Awaitable[None]]
    message_count: int = 2
    skipped_count: int = 0
    """Number of later messages that the picture leaves out."""
    width: int | None = None
    """The page's width in CSS pixels, or None for the width on the command line."""


async def _do_nothing(page: Page) -> None:
    del page


async def _paste(page: Page) -> None:
    await post(page, POSITION)
    await wait_for_reply(page, POSITION)


async def _go_to_turn(page: Page) -> None:
    end = await wait_for_picture(page, -2)
    await press(page, "⏮", message=-2)
    first_picture = await wait_for_picture(page, -2, other_than=end)
    await choose(page, "8. bob", message=-2)
    await wait_for_picture(page, -2, other_than=first_picture)


async def _analyze(page: Page) -> None:
    await react(page, message=0)
    board = await wait_for_picture(page, -1)
    await press(page, "Analyze", message=-1)
    await wait_for_picture(page, -1, other_than=board, seconds=MAX_ANALYSIS_SECONDS)


async def _paste_from_other_site(page: Page) -> None:
    await post(page, OTHER_SITE_POSITION)
    await wait_for_reply(page, OTHER_SITE_POSITION)


async def _analyze_newest(page: Page) -> None:
    board = await wait_for_picture(page, -1)
    await press(page, "Analyze", message=-1)
    await wait_for_picture(page, -1, other_than=board, seconds=MAX_ANALYSIS_SECONDS)


async def _post_to_channel(page: Page) -> None:
    await press(page, "Post", message=-1)
    await page.wait_for(f"{text_expression(f'{MESSAGES_JS}.at(-1)')}.includes('asked Kibitz')")
    await wait_for_picture(page, -1)


async def _open_settings(page: Page) -> None:
    await run_command(page, "/settings server")


SHOTS: Final = (
    Shot("demo", "positions", _paste),
    Shot("game", "games", _do_nothing, message_count=1, skipped_count=1),
    # After "game", because this shot changes the same message.
    Shot("viewer", "games", _go_to_turn, skipped_count=1),
    Shot("live-game", "games", _do_nothing, skipped_count=3),
    Shot("chess", "chess", _do_nothing, skipped_count=1),
    Shot("settings", "study", _open_settings, message_count=1),
    Shot("analysis", "study", _analyze, message_count=1),
    Shot("phone-1-paste", "positions", _paste_from_other_site, width=PHONE_WIDTH),
    Shot("phone-2-analyze", "positions", _analyze_newest, message_count=1, width=PHONE_WIDTH),
    Shot("phone-3-channel", "positions", _post_to_channel, message_count=1, width=PHONE_WIDTH),
)


def initial_message_count(channel: str) -> int:
    [demo_channel] = [item for item in CHANNELS if item.name == channel]
    reply_count = len(demo_channel.examples) if demo_channel.mode == "auto" else 0
    return len(demo_channel.examples) + reply_count + 1


async def wait_until_ready(page: Page, channel: str) -> None:
    await wait_for_messages(page, count=initial_message_count(channel))
