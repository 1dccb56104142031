"""Plays with their equity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Self

from msgspec import Struct

from bot.domain.crossword.play import THROUGH, Coordinate, Exchange, Pass, Placement, Play
from bot.domain.crossword.position import Board
from bot.domain.crossword.rules import BLANK, Rules
from bot.domain.crossword.scoring import ScoredWord, score_placement

if TYPE_CHECKING:
    from bot.engine.lexicon.word_graph import WordGraph


class SortKey(Enum):
    """The primary sort key of a list of plays."""

    EQUITY = "equity"
    SCORE = "score"


class RatedPlay(Struct, frozen=True, gc=False):
    """A play and its equity. It has no ``Play`` object, so that long lists are created faster."""

    start: Coordinate | None
    """None for an exchange or a pass."""
    tiles: tuple[int, ...]
    """The whole word of a placement, with ``THROUGH`` for tiles on the board; or the exchanged tiles. Empty for a pass."""
    score: int
    leave: tuple[int, ...]
    """In ascending order. The blank, tile 0, comes first."""
    equity: int
    """In millipoints."""

    @classmethod
    def of(cls, play: Play, score: int, leave: tuple[int, ...], equity: int) -> Self:
        """Create a rated play. The tiles of an exchange must be known."""
        if isinstance(play, Placement):
            return cls(play.start, play.tiles, score, leave, equity)
        return cls(None, play.tiles if isinstance(play, Exchange) else (), score, leave, equity)

    @property
    def play(self) -> Play:
        if self.start is not None:
            return Placement(self.start, self.tiles)
        return Exchange(self.tiles) if self.tiles else Pass()

    @property
    def letters_key(self) -> tuple[Coordinate | None, tuple[int, ...]]:
        """A key shared by plays that differ only in which tiles are blanks."""
        return self.start, tuple(map(abs, self.tiles))


@dataclass(frozen=True, slots=True)
class PlayCount:
    """The number of plays in a position, without the pass."""

    placements: int
    exchanges: int
    """Number of distinct sets of tiles."""


def replace_blanks(play: Play) -> Play:
    """Replace a play's blanks with their letters, so that plays that differ only in their blanks are equal."""
    return Placement(play.start, tuple(map(abs, play.tiles))) if isinstance(play, Placement) else play


def deduplicate(plays: Iterable[RatedPlay]) -> tuple[RatedPlay, ...]:
    """Of plays that differ only in their blanks, keep only the first."""
    by_letters: dict[object, RatedPlay] = {}
    for rated in plays:
        by_letters.setdefault(rated.letters_key, rated)
    return tuple(by_letters.values())


def formed_words(
    board: Board, play: Play, rules: Rules, graph: WordGraph
) -> tuple[tuple[ScoredWord, bool], ...]:
    """Return the words that a play forms, and whether each is valid. Words with a gap are left out.

    Raises:
        RuleError: the play runs off the board.

    """
    if not isinstance(play, Placement):
        return ()
    words = (word for word in score_placement(board, play, rules).words if all(word.tiles))
    return tuple((word, graph.accepts(bytes(map(abs, word.tiles)))) for word in words)


def can_move_blanks(placement: Placement, rack: Sequence[int]) -> bool:
    """Return whether a rack can lay the same letters with blanks on other squares."""
    rack_counts = Counter(rack)
    laid_counts = Counter(abs(tile) for tile in placement.tiles if tile != THROUGH)
    spare_blanks = rack_counts[BLANK] - (laid_counts - rack_counts).total()
    return any(
        rack_counts[letter] and (spare_blanks or rack_counts[letter] < count)
        for letter, count in laid_counts.items()
    )
