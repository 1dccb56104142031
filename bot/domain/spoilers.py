"""What of a message stands behind spoiler bars (``||``), as Discord reads it."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

MAX_READ: Final = 10_000
"""Characters of a text in which code is told from bars; a longer one is a file, in which nothing is hidden by Discord."""

# Between bars on any number of lines; code spans inside do not matter to what a reader sees.
_BARS = re.compile(r"\|\|(?=[^|])(?:[^|]|\|(?!\|))+\|\|")
_TOKEN = re.compile(r"\\[^0-9A-Za-z\s]|`+|\|\|")
_TICKS = re.compile(r"`+")
_LEGIBLE = re.compile(r"[^\n]")
_FENCE = 3


def spoilers(text: str) -> tuple[tuple[int, int], ...]:
    """Return the parts of a text, by start and end, that somebody may have meant to hide, in order.

    Hidden is what Discord hides, which leaves bars in code and escaped bars alone, and also what stands between two bars
    in any case: what one client shows another may hide, and nobody is harmed by what is hidden too much.
    """
    if "||" not in text:
        return ()
    found = [match.span() for match in _BARS.finditer(text)]
    if len(text) <= MAX_READ:
        found += _as_discord_reads(text)
    merged: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def veiled(text: str) -> str:
    """Return a text of the same length with everything behind bars made illegible, line breaks kept."""
    places = [0, *(place for part in spoilers(text) for place in part), len(text)]
    parts = [text[start:end] for start, end in pairwise(places)]
    return "".join(_LEGIBLE.sub("▒", part) if number % 2 else part for number, part in enumerate(parts))


def _as_discord_reads(text: str) -> list[tuple[int, int]]:
    """Return what stands between bars that are neither escaped nor in code; code begins before bars or hides none."""
    found = []
    place = 0
    unclosed: set[int] = set()
    while token := _TOKEN.search(text, place):
        place = token.end()
        sign = token[0]
        if sign == "||":
            # At least one character is hidden, also if it is a bar.
            end = text.find("||", place + 1)
            if end >= 0:
                found.append((token.start(), end + 2))
                place = end + 2
        elif sign[0] == "`" and len(sign) not in unclosed:
            end_of_code = _end_of_code(text, place, len(sign))
            if end_of_code is None:
                unclosed.add(len(sign))
            else:
                place = end_of_code
    return found


def _end_of_code(text: str, place: int, length: int) -> int | None:
    """Return where code ends whose so many backticks end at a place; None when nothing ends it."""
    if length >= _FENCE:
        # A block ends at the first three, whatever stands around them, and holds at least one character.
        end = text.find("```", place - length + _FENCE + 1)
        if end >= 0:
            return end + _FENCE
    runs = _TICKS.finditer(text, place)
    return next((run.end() for run in runs if run.end() - run.start() == length), None)
