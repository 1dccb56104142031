"""Plays with their worth, as plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import product
from math import comb

from bot.domain.crossword.play import THROUGH, Placement, Play
from bot.domain.crossword.rules import BLANK


class By(Enum):
    """The order of plays."""

    EQUITY = "equity"
    SCORE = "score"


@dataclass(frozen=True, slots=True)
class RatedPlay:
    """A play and its worth."""

    play: Play
    """A placement lists the whole word, with ``THROUGH`` for tiles on the board."""
    score: int
    leave: tuple[int, ...]
    """The tiles that stay on the rack, in ascending order, the blank first."""
    equity: int
    """Score, leave and what else counts, in millipoints."""


@dataclass(frozen=True, slots=True)
class PlayCount:
    """Number of plays of a position, without the pass."""

    placements: int
    exchanges: int
    """Distinct sets of tiles that may be exchanged."""


def letters_of(play: Play) -> Play:
    """Return the letters of a play: the same for all plays that differ only in which tile is the blank."""
    return Placement(play.start, tuple(map(abs, play.tiles))) if isinstance(play, Placement) else play


def distinct(plays: Iterable[RatedPlay]) -> tuple[RatedPlay, ...]:
    """Return the first of the plays of the same letters, in their order."""
    found: dict[Play, RatedPlay] = {}
    for rated in plays:
        found.setdefault(letters_of(rated.play), rated)
    return tuple(found.values())


def ways_to_lay(play: Play, rack: Sequence[int]) -> int:
    """Return how many plays of a rack have the letters of a play, by which of its tiles are blanks."""
    if not isinstance(play, Placement):
        return 1
    on_rack = Counter(rack)
    laid = Counter(abs(tile) for tile in play.tiles if tile != THROUGH)
    choices = [
        [(blanks, comb(count, blanks)) for blanks in range(max(0, count - on_rack[letter]), count + 1)]
        for letter, count in laid.items()
    ]
    totals = Counter({0: 1})
    for choice in choices:
        further: Counter[int] = Counter()
        for (used, ways), (blanks, more) in product(totals.items(), choice):
            if used + blanks <= on_rack[BLANK]:
                further[used + blanks] += ways * more
        totals = further
    return totals.total()
