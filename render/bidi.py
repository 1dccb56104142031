"""The order in which the characters of a line are seen, for lines with Hebrew or Arabic in them."""

from __future__ import annotations

from functools import lru_cache

from bidi.algorithm import get_display

_FIRST_RIGHT_TO_LEFT = "\u0590"


@lru_cache(maxsize=1024)
def visual(text: str) -> str:
    """Return a line's characters from left to right as they are seen (Unicode Standard Annex #9).

    The first letter with a direction decides where the line begins. Of the library's two implementations this is
    the one that mirrors brackets in runs from right to left.
    """
    if not text or max(text) < _FIRST_RIGHT_TO_LEFT:
        return text
    return str(get_display(text))
