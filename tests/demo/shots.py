"""The actions on the demo's page for each picture of the documentation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from bot.demo.script import CHANNELS
from tests.demo.browser import Page
from tests.demo.channel import (
    MESSAGES,
    answered,
    choose,
    picture_of,
    post,
    press,
    react,
    run_command,
    wait_for_messages,
    words,
)

POSITION: Final = (
    "95 ahead, and an H to play with: `11COBB/13L1/13A1/8FEAZING/13D1/8APE2E1/7ALANINS1/D2HOMEY5TO/O4ONE6C/JUMpeRS7R/"
    "O13E/14A/14T/14E/15 AHILNRY/ 297/202 0 lm 1L CO.B;`"
)
ELSEWHERE: Final = (
    "From the other site, what now? `7L7/7A7/7T7/7I7/7GAPY4/5GOO1AEGIS1/4BAH8/3VELOCE5J/8XI4A/9FEEZED/14E/14D/15/15/15 "
    "LMNSTE?/ 116/155 0 lex NWL23; lm O8 JA.ED;`"
)
"""A position of a list that is not installed, as another site writes it."""
PHONE: Final = 400
"""The width of a telephone in CSS pixels."""
COMPILED_SECONDS: Final = 600.0
"""Maximum time of the first analysis on a machine, which waits for the compiler."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture of the last messages of a channel."""

    name: str
    channel: str
    prepare: Callable[[Page], Awaitable[None]]
    messages: int = 2
    """Number of messages in the picture, from the last one up."""
    skipped: int = 0
    """Number of messages below them that the picture leaves out."""
    width: int | None = None
    """The width of the window in CSS pixels; None for that of the other pictures."""


async def _nothing(page: Page) -> None:
    del page


async def _paste(page: Page) -> None:
    await post(page, POSITION)
    await answered(page, POSITION)


async def _go_to_turn(page: Page) -> None:
    """Show bob's turn with a remark, from the start of the game."""
    end = await picture_of(page, -2)
    await press(page, "⏮", message=-2)
    before = await picture_of(page, -2, other_than=end)
    await choose(page, "8. bob", message=-2)
    await picture_of(page, -2, other_than=before)


async def _analyze(page: Page) -> None:
    await react(page, message=0)
    board = await picture_of(page, -1)
    await press(page, "Analyze", message=-1)
    await picture_of(page, -1, other_than=board, seconds=COMPILED_SECONDS)


async def _paste_from_elsewhere(page: Page) -> None:
    await post(page, ELSEWHERE)
    await answered(page, ELSEWHERE)


async def _analyze_newest(page: Page) -> None:
    """Ask about the board at the end, which another picture has posted."""
    board = await picture_of(page, -1)
    await press(page, "Analyze", message=-1)
    await picture_of(page, -1, other_than=board, seconds=COMPILED_SECONDS)


async def _post_to_channel(page: Page) -> None:
    """Show everybody the analysis at the end, which another picture has asked for."""
    await press(page, "Post", message=-1)
    await page.wait_for(f"{words(f'{MESSAGES}.at(-1)')}.includes('asked me')")
    await picture_of(page, -1)


async def _settings(page: Page) -> None:
    await run_command(page, "/settings server")


SHOTS: Final = (
    Shot("demo", "positions", _paste),
    Shot("game", "games", _nothing, messages=1, skipped=1),
    # Later, the same message shows the turn that was chosen.
    Shot("viewer", "games", _go_to_turn, skipped=1),
    Shot("live-game", "games", _nothing, skipped=3),
    Shot("chess", "chess", _nothing, skipped=1),
    Shot("settings", "study", _settings, messages=1),
    Shot("analysis", "study", _analyze, messages=1),
    Shot("phone-1-paste", "positions", _paste_from_elsewhere, width=PHONE),
    Shot("phone-2-analyze", "positions", _analyze_newest, messages=1, width=PHONE),
    Shot("phone-3-channel", "positions", _post_to_channel, messages=1, width=PHONE),
)


def messages_at_first(channel: str) -> int:
    """Return how many messages a channel has when the visitor comes."""
    [found] = [item for item in CHANNELS if item.name == channel]
    answers = len(found.examples) if found.mode == "auto" else 0
    return len(found.examples) + answers + 1


async def ready(page: Page, channel: str) -> None:
    """Wait until a channel's page shows the messages that precede the visitor's."""
    await wait_for_messages(page, messages=messages_at_first(channel))
