"""What all answers about chess share: the side below, a list with a window on it, blocks of text that fit."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.answers.plain import behind_bars, code_block
from bot.answers.reply import TEXT_LIMIT, Moment
from bot.chess.position import ChessPosition, Ending
from bot.scenes import View
from bot.text import Speaker

MAX_CHOICES = 25
"""Entries of one list."""

MAX_LABEL = 100
"""Characters of an entry's label."""

MAX_TURN = 9_999
"""The last turn that a control can name."""

WHITE, BLACK = 0, 1
"""The sides of a moment: who sits below."""

_WINDOW = MAX_CHOICES - 2


@dataclass(frozen=True, slots=True)
class Telling:
    """How a document is told: at which moment, in which look and language, and what is said beside."""

    moment: Moment
    view: View
    say: Speaker
    remarks: tuple[str, ...] = ()
    """Said below the line about it, as far as there is room."""
    around: int = 0
    """The turn or puzzle around which others are listed."""


def is_white_below(moment: Moment, *, otherwise: bool = True) -> bool:
    """Tell whether White sits below; ``otherwise`` counts when nobody chose."""
    return otherwise if moment.side is None else moment.side != BLACK


def turned(moment: Moment, *, white_below: bool) -> Moment:
    """Return a moment from the other side."""
    return replace(moment, side=BLACK if white_below else WHITE)


def is_going_on(position: ChessPosition) -> bool:
    """Tell whether there is a move left to play."""
    return position.ending not in (Ending.CHECKMATE, Ending.STALEMATE)


def told(blocks: list[str], copy: str | None, moment: Moment) -> str:
    """Join blocks of text as far as they fit, and a text to copy, hidden where the document is; the first always fits."""
    hide = behind_bars if moment.spoiler else str
    shown = [hide(block) for block in blocks]
    if copy is not None:
        shown.append(hide(code_block(copy)))
    text = shown[0]
    for block in shown[1:]:
        if len(text) + 1 + len(block) <= TEXT_LIMIT:
            text += "\n" + block
    return text


def clipped(text: str, most: int) -> str:
    """Return a text in at most so many characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def window(count: int, around: int) -> tuple[range, int | None, int | None]:
    """Return the entries of a list that are shown, and around which to list earlier and later ones, if there are any."""
    if count <= MAX_CHOICES:
        return range(count), None, None
    start = max(0, min(around - _WINDOW // 2, count - _WINDOW))
    stop = start + _WINDOW
    earlier = start - _WINDOW // 2 - 1 if start else None
    return (
        range(start, stop),
        None if earlier is None else max(0, earlier),
        stop + _WINDOW // 2 if stop < count else None,
    )
