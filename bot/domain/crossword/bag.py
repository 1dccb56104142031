"""Counting tiles: which of the distribution's tiles nobody has shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from bot.domain.crossword.board import EMPTY
from bot.domain.crossword.distributions import BLANK, LetterDistribution


@dataclass(frozen=True, slots=True)
class UnseenTiles:
    """The tiles that are neither on the board nor on a rack that is shown, by machine letter (the blank first).

    A count below zero says that more of this tile are in play than the distribution has.
    """

    counts: tuple[int, ...]

    @property
    def total(self) -> int:
        """How many tiles are unseen; tiles that are too many do not lower the count."""
        return sum(count for count in self.counts if count > 0)

    @property
    def excess(self) -> int:
        """How many tiles in play are more than the distribution has."""
        return -sum(count for count in self.counts if count < 0)

    @property
    def overdrawn(self) -> tuple[int, ...]:
        """The machine letters of which too many are in play."""
        return tuple(letter for letter, count in enumerate(self.counts) if count < 0)


def unseen_tiles(
    distribution: LetterDistribution, board: Iterable[int], racks: Iterable[Iterable[int]]
) -> UnseenTiles:
    """Take the tiles on the board and on the racks out of a full bag."""
    counts = list(distribution.counts)
    for machine_letter, count in Counter(board).items():
        if machine_letter != EMPTY:
            counts[max(machine_letter, BLANK)] -= count
    for rack in racks:
        for machine_letter in rack:
            counts[machine_letter] -= 1
    return UnseenTiles(tuple(counts))
