"""The best equity of many racks on one board: what luck is measured by."""

from __future__ import annotations

from collections.abc import Sequence

from bot.domain.crossword.bag import unseen_tiles
from bot.domain.crossword.position import Position
from bot.engine.lexicon.leaves.values import LeaveValues
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.plays.board_arrays import board_arrays
from bot.engine.plays.generate import Buffers, Turn, prepare_rack, search


class RacksOnBoard:
    """A board on which racks are tried. One thread at a time."""

    def __init__(self, position: Position, graph: WordGraph, leaves: LeaveValues, *, bag: int) -> None:
        """Lay the board out; ``bag`` is how many tiles are in the bag, whichever rack is tried.

        Raises:
            AnalysisError: the game is one that is not analyzed.

        """
        self._rules = position.rules
        self._arrays = board_arrays(position, graph)
        self._buffers = Buffers()
        self._leaves = leaves
        self._bag = bag
        self._board = position.board.squares

    def best_equity(self, rack: Sequence[int]) -> int:
        """Return the equity of the best play of a rack, in millipoints."""
        bag, rules = self._bag, self._rules
        exchange = min(len(rack), rules.rack_size, bag) if bag >= rules.exchange_limit else 0
        turn = Turn(tuple(sorted(rack)), bag, 0 if bag else self._points_of_others(rack), exchange)
        prepare_rack(self._arrays, self._buffers, turn, self._leaves)
        search(self._arrays, self._buffers, turn, top=1)
        slot = int(self._buffers.heap[0])
        return int(self._buffers.keys[2 * slot])

    def _points_of_others(self, rack: Sequence[int]) -> int:
        distribution = self._rules.distribution
        counts = unseen_tiles(distribution, self._board, [rack]).counts
        return sum(
            max(0, count) * letter.points for count, letter in zip(counts, distribution.letters, strict=True)
        )
