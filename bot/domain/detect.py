"""Finding notations in what people write: where each starts and ends, and whether it is behind a spoiler bar.

Detection is cheap and generous: it finds what *looks* like a notation. Only reading it tells whether it is one;
a listener drops what cannot be read, a command says why.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from bot.domain.formats import (
    board_text_span,
    cgp_ascii_span,
    cgp_span,
    gcg_span,
    json_span,
    turn_url_span,
)

MAX_LENGTH = 1_000_000
"""Longest text that is searched, in characters."""


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text, ``text[start:end]``."""

    start: int
    end: int


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
    """Whether it stands between ``||`` bars."""


# Between bars on any number of lines; code spans inside do not matter to what a reader sees.
_SPOILER = re.compile(r"\|\|(?=[^|])(?:[^|]|\|(?!\|))+\|\|")

Finder = Callable[[str], Iterable[tuple[int, int]]]

FINDERS: tuple[tuple[str, Finder], ...] = (
    ("json", json_span.find),
    ("gcg", gcg_span.find),
    ("turn-url", turn_url_span.find),
    ("text", board_text_span.find),
    ("cgp", cgp_span.find),
    ("cgp-ascii", cgp_ascii_span.find),
)
"""How each notation is found, in order of precedence where two overlap."""


def detect(text: str) -> tuple[Detection, ...]:
    """Return what looks like a notation in a text, in the order it stands there; overlaps go to the earlier finder."""
    if len(text) > MAX_LENGTH:
        return ()
    taken: list[Detection] = []
    spoilers: list[Span] | None = None
    for name, find in FINDERS:
        for start, end in find(text):
            if any(start < other.end and other.start < end for other in taken):
                continue
            if spoilers is None:
                spoilers = list(_spoilers(text))
            hidden = any(span.start <= start and end <= span.end for span in spoilers)
            taken.append(Detection(name, start, end, text[start:end], spoiler=hidden))
    return tuple(sorted(taken, key=lambda detection: detection.start)) if len(taken) > 1 else tuple(taken)


def whole_text(text: str) -> Detection | None:
    """Return the text as one detection when it is meant as a notation, though it is not recognized as one.

    For somebody who asked: the reader then tells what is wrong, or reads what is too unusual to be looked for in
    chat (a board of three rows).
    """
    if len(text) > MAX_LENGTH:
        return None
    for name, is_meant in _MEANT:
        if is_meant(text):
            return Detection(name, 0, len(text), text)
    return None


_MEANT: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("json", json_span.is_meant),
    ("gcg", gcg_span.is_meant),
    ("turn-url", turn_url_span.is_meant),
    ("cgp", cgp_span.is_meant),
)


def _spoilers(text: str) -> Iterator[Span]:
    if "||" in text:
        for match in _SPOILER.finditer(text):
            yield Span(match.start(), match.end())
