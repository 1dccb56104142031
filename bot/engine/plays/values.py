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
    """The tiles that stay on the rack, in ascending order. The blank is tile 0, so it comes first."""
    equity: int
    """The equity in millipoints: the score, the leave value, and the adjustments of :mod:`bot.engine.plays.equity`."""


@dataclass(frozen=True, slots=True)
class PlayCount:
    """The number of plays of a position, without the pass."""

    placements: int
    exchanges: int
    """Number of distinct sets of tiles that may be exchanged."""


def replace_blanks(play: Play) -> Play:
    """Return a play with its blanks replaced by the letters they stand for.

    Plays that differ only in which of their tiles are blanks have the same result.
    """
    return Placement(play.start, tuple(map(abs, play.tiles))) if isinstance(play, Placement) else play


def distinct(plays: Iterable[RatedPlay]) -> tuple[RatedPlay, ...]:
    """Return the plays in the same order, leaving out a play if an earlier one has the same letters."""
    by_letters: dict[Play, RatedPlay] = {}
    for rated in plays:
        by_letters.setdefault(replace_blanks(rated.play), rated)
    return tuple(by_letters.values())


def ways_to_lay(play: Play, rack: Sequence[int]) -> int:
    """Return the number of plays that lay the letters of a play from a rack, each with its own choice of blanks."""
    if not isinstance(play, Placement):
        return 1
    on_rack = Counter(rack)
    laid = Counter(abs(tile) for tile in play.tiles if tile != THROUGH)
    # The number of ways for the letters so far, by the number of blanks that they use.
    totals = Counter({0: 1})
    for letter, count in laid.items():
        letter_ways = [
            (blanks, comb(count, blanks)) for blanks in range(max(0, count - on_rack[letter]), count + 1)
        ]
        new_totals: Counter[int] = Counter()
        for (used, ways), (blanks, ways_for_letter) in product(totals.items(), letter_ways):
            if used + blanks <= on_rack[BLANK]:
                new_totals[used + blanks] += ways * ways_for_letter
        totals = new_totals
    return totals.total()
