"""Running the endgame's search in short stretches, so that it ends when it should."""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import Enum

from bot.domain.crossword.play import Play
from bot.domain.crossword.position import Position
from bot.engine.endgame.arrays import (
    TILE_WORTH,
    Ending,
    board_of,
    check_size,
    fill_bag,
    fill_root,
    play_of,
    search_of,
    with_more_room,
)
from bot.engine.errors import AnalysisError
from bot.engine.kernels.endgame import nodes
from bot.engine.kernels.endgame import plays as records
from bot.engine.kernels.endgame.search import find_root_plays, give_up, search_on, start_iteration, start_play
from bot.engine.plays.board_arrays import BoardArrays

UNBOUNDED = nodes.INFINITE >> 1
"""Beyond all values: a window of -UNBOUNDED to UNBOUNDED holds every one."""

_STRETCH = 0.01
"""Seconds between two looks at the clock, about."""
_FIRST_NODES = 16
_MAX_NODES = 50_000
_TILE_WORTH_TO_PROVE = 40
"""With twice as much or half of it, pre-endgames that one player wins clearly take up to twice the nodes; with 6, ten times."""


class Outcome(Enum):
    """How a search ended."""

    DONE = "done"
    STOPPED = "stopped"
    """Time was up, or it was cancelled."""
    NO_ROOM = "no room"
    """There were more plays than there is room for."""
    TIRED = "tired"
    """It took more nodes than it was given."""


class Watch:
    """When a search ends: at a time, or on request. Any thread may check."""

    def __init__(self, seconds: float | None, cancelled: Callable[[], bool] | None) -> None:
        self._until = None if seconds is None else time.perf_counter() + seconds
        self._cancelled = cancelled
        self.is_cancelled = False

    def is_over(self) -> bool:
        """Return whether to end."""
        if self._cancelled is not None and self._cancelled():
            self.is_cancelled = True
        return self.is_cancelled or (self._until is not None and time.perf_counter() >= self._until)


class Searcher:
    """The arrays of a search and what was found. One thread at a time."""

    def __init__(self, position: Position, arrays: BoardArrays, ending: Ending) -> None:
        """Make room for the search of a position.

        Raises:
            AnalysisError: the search has no room for so many tiles, blanks or plays.

        """
        check_size(ending)
        rules = position.rules
        # Whether two passes in a row end the game or more makes no difference to what a position is worth, as long as
        # a placement starts the count again: a player who gains nothing by passing first gains nothing by passing
        # again, with the same board and racks. So two are enough to search; three at the root, where it also matters
        # what the pass itself is worth.
        self._passes = min(2, rules.scoreless_limit)
        self._left = min(3, rules.scoreless_limit - position.scoreless_turns)
        self._rows, self._columns = position.board.rows, position.board.columns
        self._board = board_of(arrays, ending.tiles)
        self._search = search_of(self._board.game, ending, self._passes)
        self._racks: tuple[tuple[int, ...], tuple[int, ...]] | None = None
        self.set_root(ending)

    def set_root(self, ending: Ending) -> None:
        """Begin with racks, which have the same tiles altogether as those that it was made with.

        Raises:
            AnalysisError: there are too many plays.

        """
        racks = ending.own, ending.other
        if racks == self._racks:  # and so are the plays
            fill_bag(self._search, ending.bag)
            return
        self._racks = None
        while not (
            fill_root(self._board, self._search, ending, self._left)
            and find_root_plays(self._board, self._search)
        ):
            if not self._grow():
                raise AnalysisError(
                    "too-many-plays",
                    "the endgame has over {limit} plays",
                    limit=int(self._state(nodes.S_ROOM)),
                )
        self._racks = racks

    def _grow(self) -> bool:
        """Make room for more plays; return whether that can be."""
        search = with_more_room(self._search)
        if search is not None:
            self._search = search
        return search is not None

    def _state(self, number: int) -> int:
        return int(self._search.state[number])

    @property
    def nodes(self) -> int:
        """How many nodes were searched."""
        return self._state(nodes.S_NODES)

    @property
    def deepest(self) -> int:
        """How many plies the longest line has."""
        return self._state(nodes.S_PLIES) - nodes.ROOT - 2

    @property
    def value(self) -> int:
        """The value of what was searched last."""
        return self._state(nodes.S_VALUE)

    @property
    def is_final(self) -> bool:
        """Whether that value, or that it lies beyond the window, is proved."""
        return bool(self._state(nodes.S_FINAL))

    @property
    def lower(self) -> int | None:
        """What the player on turn is proved to have at least."""
        lower = self._state(nodes.S_LOWER)
        return None if lower == -nodes.INFINITE else lower

    def search_root(self, depth: int, low: int, high: int, watch: Watch) -> Outcome:
        """Search to a depth for a value between ``low`` and ``high``; :attr:`value` may also lie beyond."""
        while True:
            start_iteration(self._search, depth, low, high)
            outcome = self._run(watch)
            if outcome is not Outcome.NO_ROOM or not self._grow():
                return outcome

    def search_play(self, slot: int, depth: int, low: int, high: int, watch: Watch) -> Outcome:
        """Search what a play of the root is worth, as :meth:`search_root` does."""
        return self._search_play(slot, depth, (low, high), watch)

    def ask(self, slot: int, least: int, watch: Watch, most: int) -> Outcome:
        """Search, with up to ``most`` nodes or so, whether a play of the root is worth at least so much.

        The search goes straight to the end of the game: that proves an answer with a third of the nodes that going
        deeper and deeper takes. Plays that lay many tiles are tried first then, since they leave less to be proved.
        """
        self._search.state[nodes.S_TILE_WORTH] = _TILE_WORTH_TO_PROVE
        try:
            return self._search_play(slot, self.deepest, (least - 1, least), watch, most)
        finally:
            self._search.state[nodes.S_TILE_WORTH] = TILE_WORTH

    def _search_play(
        self, slot: int, depth: int, window: tuple[int, int], watch: Watch, most: int | None = None
    ) -> Outcome:
        while True:
            start_play(self._board, self._search, slot, depth, *window)
            outcome = self._run(watch, None if most is None else self.nodes + most)
            if outcome is not Outcome.NO_ROOM or not self._grow():
                return outcome

    def _run(self, watch: Watch, last: int | None = None) -> Outcome:
        state = self._search.state
        # Each search begins with a short stretch: how long a node takes, the one before does not tell.
        stretch = _FIRST_NODES
        while state[nodes.S_STATUS] == nodes.RUNNING:
            begun = time.perf_counter()
            search_on(self._board, self._search, stretch if last is None else min(stretch, last - self.nodes))
            taken = max(time.perf_counter() - begun, 1e-6)
            stretch = max(1, min(_MAX_NODES, int(stretch * min(2.0, _STRETCH / taken))))
            if state[nodes.S_STATUS] != nodes.RUNNING:
                break
            if watch.is_over():
                give_up(self._board)
                return Outcome.STOPPED
            if last is not None and self.nodes >= last:
                give_up(self._board)
                return Outcome.TIRED
        if state[nodes.S_STATUS] == nodes.DONE:
            return Outcome.DONE
        give_up(self._board)
        return Outcome.NO_ROOM

    def plays(self) -> list[tuple[int, Play, int]]:
        """Return the plays of the root: slot, play and score; the pass last."""
        root = nodes.ROOT * nodes.N_LENGTH
        first = int(self._search.frames[root + nodes.N_LIST])
        count = int(self._search.frames[root + nodes.N_COUNT])
        slots = sorted(self._search.lists[first : first + count].tolist())
        found = [(slot, *self._play(slot)) for slot in slots if slot != nodes.NO_PLAY]
        return [*found, (nodes.NO_PLAY, *self._play(nodes.NO_PLAY))]

    def _play(self, slot: int) -> tuple[Play, int]:
        record = [0] * records.E_LENGTH
        if slot != nodes.NO_PLAY:
            at = slot * records.E_LENGTH
            record = self._search.pool[at : at + records.E_LENGTH].tolist()
        return play_of(record, self._rows, self._columns), record[records.E_SCORE]

    def best_line(self) -> tuple[tuple[Play, int], ...]:
        """Return the best line of the root and the scores of its plays; nothing when there was none yet."""
        return self._line(nodes.ROOT)

    def best_reply(self) -> tuple[tuple[Play, int], ...]:
        """Return the best line after the play of the root that was searched."""
        return self._line(nodes.ROOT + 1)

    def _line(self, ply: int) -> tuple[tuple[Play, int], ...]:
        lines = self._search.lines
        at = ply * self._state(nodes.S_PLIES) * records.E_LENGTH
        length = int(lines[at])
        fields = lines[at + 1 : at + 1 + length * records.E_LENGTH].reshape(length, records.E_LENGTH).tolist()
        return tuple(
            (play_of(record, self._rows, self._columns), record[records.E_SCORE]) for record in fields
        )

    def best_so_far(self) -> int:
        """Return the best value of an unfinished iteration; of use when there is a :meth:`best_line`."""
        return int(self._search.frames[nodes.ROOT * nodes.N_LENGTH + nodes.N_BEST])
