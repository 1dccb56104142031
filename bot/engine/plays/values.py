"""Plays with their equity, as plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import product
from math import comb
from typing import NamedTuple

from bot.domain.crossword.play import THROUGH, Placement, Play
from bot.domain.crossword.rules import BLANK


class By(Enum):
    """The order of plays."""

    EQUITY = "equity"
    SCORE = "score"


class RatedPlay(NamedTuple):
    """A play and its equity."""

    play: Play
    """A placement lists the whole word, with ``THROUGH`` for tiles on the board."""
    score: int
    leave: tuple[int, ...]
    """The tiles that stay on the rack, in ascending order, the blank first."""
    equity: int
    """The equity in millipoints: score, leave value and other adjustments."""


@dataclass(frozen=True, slots=True)
class PlayCount:
    """The number of plays of a position, without the pass."""

    placements: int
    exchanges: int
    """Number of distinct sets of tiles that may be exchanged."""


def letters_of(play: Play) -> Play:
    """Return the letters of a play, which are the same for all plays that differ only in which tile is the blank."""
    return Placement(play.start, tuple(map(abs, play.tiles))) if isinstance(play, Placement) else play


def distinct(plays: Iterable[RatedPlay]) -> tuple[RatedPlay, ...]:
    """Return the first of each group of plays with the same letters, in order."""
    found: dict[Play, RatedPlay] = {}
    for rated in plays:
        found.setdefault(letters_of(rated.play), rated)
    return tuple(found.values())


def ways_to_lay(play: Play, rack: Sequence[int]) -> int:
    """Return the number of plays of a rack that have the letters of a play, and differ in which tiles are blanks."""
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
