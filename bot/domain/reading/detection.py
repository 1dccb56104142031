"""Finding notations in what people write: where each starts and ends, and whether it is behind a spoiler bar.

Detection is cheap and generous: it finds what *looks* like a notation. Only reading it tells whether it is one;
a listener drops what cannot be read, a command says why.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bot.domain.reading.spoilers import spoilers

MAX_LENGTH = 1_000_000
"""Longest text that is searched, in characters: a bound on detections, too, of which each takes 13 or more."""


@dataclass(frozen=True, slots=True)
class Detection:
    """Something in a text that looks like a notation."""

    format: str
    """The notation's name in the registry, such as ``cgp``."""
    start: int
    end: int
    text: str
    """The part of the text, as it stands there."""
    spoiler: bool = False
    """Whether it or a part of it stands between ``||`` bars."""

    @property
    def ends_search(self) -> bool:
        """Whether it is no notation: an empty part, where the search for the notation was given up."""
        return self.start == self.end


_QUOTE = re.compile(r"^>(?: |$)", re.MULTILINE)

Span = tuple[int, int, str]
"""Start, end and the notation's name."""

Find = Callable[[str], Iterable[Span]]
"""Returns each part of a text that looks like a notation, from left to right. An empty part, always the last, marks where
the search was given up before the end of the text."""

Finder = tuple[str, Find]
"""A string without which a text holds nothing to find, and the function that finds it. Most messages hold none of these
strings, so that detection costs them no more than looking for each."""

Meant = Callable[[str], bool]
"""Tells whether a whole text is meant as a notation, though it may not be recognized as one."""


def detect(text: str, finders: Iterable[Finder]) -> tuple[Detection, ...]:
    """Return all that looks like a notation in a text, in the order it stands there; overlaps go to the earlier finder.

    Behind them, a detection says where a search was given up (:attr:`Detection.ends_search`).
    """
    if len(text) > MAX_LENGTH:
        return ()
    taken: list[Span] = []
    ended: list[Span] = []
    for sign, find in finders:
        if sign in text and (found := list(find(text))):
            if found[-1][0] == found[-1][1]:
                ended.append(found.pop())
            taken = _with_free(taken, found)
    if not taken and not ended:
        return ()
    hidden = _Spoilers(text)
    return tuple(
        Detection(name, start, end, _unquoted(text, start, end), spoiler=hidden.touch(start, end))
        for start, end, name in (*taken, *ended)
    )


def _with_free(taken: list[Span], found: Iterable[Span]) -> list[Span]:
    """Return what is taken with what else was found and overlaps none of it; all of it goes from left to right."""
    merged: list[Span] = []
    following = 0
    for start, end, name in found:
        while following < len(taken) and taken[following][1] <= start:
            merged.append(taken[following])
            following += 1
        free_after = following == len(taken) or taken[following][0] >= end
        if free_after and (not merged or merged[-1][1] <= start):
            merged.append((start, end, name))
    return merged + taken[following:]


def _unquoted(text: str, start: int, end: int) -> str:
    """Return a part of a text; of one in quoted lines, what is quoted."""
    part = text[start:end]
    before = text[max(0, start - 4) : start]
    # Of a block quote (>>>) only the first line has a mark.
    quoted = part.startswith("> ") or (before.endswith("> ") and before != ">>> ")
    return _QUOTE.sub("", part) if quoted and "\n" in part else part


def whole_text(text: str, meant: Iterable[tuple[str, Meant]]) -> Detection | None:
    """Return the text as one detection when it is meant as a notation, though it is not recognized as one.

    For somebody who asked: the reader then tells what is wrong, or reads what is too unusual to be looked for in
    chat (a board of three rows).
    """
    if len(text) > MAX_LENGTH:
        return None
    for name, is_meant in meant:
        if is_meant(text):
            return Detection(name, 0, len(text), text, spoiler=bool(spoilers(text)))
    return None


class _Spoilers:
    """The parts of a text between spoiler bars."""

    def __init__(self, text: str) -> None:
        parts = spoilers(text)
        self._starts = [start for start, _ in parts]
        self._ends = [end for _, end in parts]

    def touch(self, start: int, end: int) -> bool:
        """Tell whether anything of a part of the text is hidden: a picture of the part would show it."""
        index = bisect(self._ends, start)
        return index < len(self._starts) and self._starts[index] < end
