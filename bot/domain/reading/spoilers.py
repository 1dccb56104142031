"""What of a message stands behind spoiler bars (``||``)."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

MAX_MESSAGE: Final = 10_000
"""Characters up to which a text may be a message; a longer one is a file, in which nothing is hidden by bars."""

_PAIR = re.compile(r"\|\|(?=[^|])(?:[^|]|\|(?!\|))+\|\|")
_BARS = re.compile(r"\|{2,}")
# What Discord may read before bars, or end at the end of a line, so that other bars than the next belong together.
_UNCLEAR = re.compile(r"[`\\*_~\[<>#]|://|\|{3}|^ *(?:[-+]|\d+[.)]) ", re.MULTILINE)
_LEGIBLE = re.compile(r"[^\n]")


def spoilers(text: str) -> tuple[tuple[int, int], ...]:
    """Return the parts of a text, by start and end, that somebody may have meant to hide, in order.

    Where it takes Discord's whole Markdown to tell which bars belong together, everything from the first to the last is one
    part: nobody is harmed by what is hidden too much.
    """
    if "||" not in text:
        return ()
    bars = [found.span() for found in _BARS.finditer(text)]
    if len(bars) > 1 and len(text) <= MAX_MESSAGE and (len(bars) % 2 or _UNCLEAR.search(text)):
        return ((bars[0][0], bars[-1][1]),)
    return tuple(found.span() for found in _PAIR.finditer(text))


def veiled(text: str) -> str:
    """Return a text of the same length with everything behind bars made illegible, line breaks kept."""
    places = [0, *(place for part in spoilers(text) for place in part), len(text)]
    parts = [text[start:end] for start, end in pairwise(places)]
    return "".join(_LEGIBLE.sub("▒", part) if number % 2 else part for number, part in enumerate(parts))
