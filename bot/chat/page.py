"""Texts of cards within their limits, and windows of long lists."""

from __future__ import annotations

from bot.chat.card import MAX_TEXT
from bot.chat.markdown import behind_bars
from bot.chat.moment import Moment

MAX_CHOICES = 25
"""Entries of one list."""

MAX_LABEL = 100
"""Characters of an entry's label."""

MAX_ALT = 1024
"""Characters that Discord takes of the description of a picture."""

_WINDOW = MAX_CHOICES - 2


def told(blocks: list[str], moment: Moment, *, lead: str = "") -> str:
    """Join blocks of text while they fit, behind bars if the document is hidden; the first always fits.

    ``lead`` is a line before them that gives nothing away.
    """
    hide = behind_bars if moment.spoiler else str
    shown = [hide(block) for block in blocks]
    text = f"{lead}\n{shown[0]}" if lead else shown[0]
    for block in shown[1:]:
        if len(text) + 1 + len(block) <= MAX_TEXT:
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


def fitting(blocks: list[str]) -> str:
    """Join as many blocks as fit into a message, each whole: half of one could lose its spoiler bars."""
    text = ""
    for block in blocks:
        if len(text) + 1 + len(block) > MAX_TEXT:
            break
        text += "\n" + block if text else block
    return text
