"""Solves pre-endgames: finds the play that wins most often when one to four tiles are in the bag.

Each play is searched with each possible draw, and its wins, ties and losses are counted. If tiles remain in the bag, both players
are assumed to know these tiles and their order, which generally favours neither player. Exchanges are examined only as the
first play.

In games where each player gets one more turn after the bag is empty (Crossplay), pre-endgames are not solved, because a two-ply
simulation plays exactly these turns.
"""

from __future__ import annotations

import math
import os
import queue
import time
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain, combinations, islice
from typing import TypeAlias

from bot.domain.crossword.game import remove_tiles
from bot.domain.crossword.play import Exchange, tiles_laid
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import EndScoring
from bot.engine.analysis import AnalysisError, Deadline, MeteredThreadPool, Stop, StoppedError
from bot.engine.endgame.draws import MAX_BAG_COUNT, Draws
from bot.engine.endgame.outcomes import Candidate, Table
from bot.engine.endgame.result import EndgameTurn, PreEndgameResult
from bot.engine.endgame.rounds import CellKey, Rounds, Task
from bot.engine.endgame.search import Root, Searcher, SearchStatus, checked_unseen_tiles
from bot.engine.kernels.endgame.nodes import NO_PLAY
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.plays.board_arrays import board_arrays

MAX_THREADS = 8

_CELLS_PER_BATCH = 4_096
_REPORT_SECONDS = 1.0


def solve_pre_endgame(
    position: Position,
    graph: WordGraph,
    *,
    seconds: float = 30.0,
    threads: int | None = None,
    progress: Callable[[PreEndgameResult], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> PreEndgameResult:
    """Find the play that wins most often when one to four tiles are in the bag.

    The opponent's tiles are known if the position shows them, unless it sets ``ignore_opponent_racks``. By default,
    there is one thread per processor, but at most :data:`MAX_THREADS`. ``progress`` is called on the caller's thread, after
    each step of the search, and about every second during a step. ``cancelled`` is called about every 20 ms. When it returns true,
    the search ends with the result so far.

    Raises:
        AnalysisError: the bag does not hold one to four tiles, the game is over, or the position cannot be analyzed.
        StoppedError: the search was cancelled, or ran out of time, before any play was estimated.

    """
    if cancelled():
        raise StoppedError
    if position.rules.end_scoring is EndScoring.EQUAL_TURNS:
        raise AnalysisError(
            "equal-turns",
            "a position with tiles in the bag is simulated, not solved, if each player gets one more turn after the bag is empty",
        )
    thread_count = min(MAX_THREADS, max(1, threads if threads is not None else os.cpu_count() or 1))
    search = _Search(position, graph, thread_count)
    with MeteredThreadPool(thread_count, thread_name_prefix="kibitz-pre-endgame") as executor:
        return search.run(executor, Deadline(seconds, cancelled), progress)


def _hidden_tiles_and_bag_count(position: Position, unseen: tuple[int, ...]) -> tuple[Counter[int], int]:
    rack = position.players[position.on_turn].rack
    known_tiles = () if position.ignore_opponent_racks else position.players[1 - position.on_turn].rack
    size = position.rules.rack_size
    bag_count = len(unseen) - max(size, len(known_tiles))
    if not 1 <= bag_count <= MAX_BAG_COUNT or len(rack) < size:
        raise AnalysisError(
            "not-near-the-end",
            "a pre-endgame can be solved only if the bag holds one to {limit} tiles and the racks are full",
            limit=MAX_BAG_COUNT,
        )
    hidden_tiles = Counter(unseen) - Counter(known_tiles)
    if hidden_tiles.total() != len(unseen) - len(known_tiles):
        raise AnalysisError("too-many-tiles", "the position shows more tiles than the set has")
    return hidden_tiles, bag_count


RootCells: TypeAlias = "tuple[Root, list[CellKey]]"


class _Search:
    """A table of results, and the searchers that fill it. Only one thread at a time writes to a cell."""

    def __init__(self, position: Position, graph: WordGraph, threads: int) -> None:
        rules = position.rules
        self._unseen = checked_unseen_tiles(position)
        hidden_tiles, bag_count = _hidden_tiles_and_bag_count(position, self._unseen)
        self._rack = position.players[position.on_turn].rack
        has_exchanges = bag_count >= rules.min_bag_for_exchange
        self._draws = Draws(hidden_tiles, bag_count, has_exchanges=has_exchanges)
        first_draw = self._draws.draws_for_play(bag_count)[0]
        root = Root(self._rack, remove_tiles(self._unseen, first_draw.drawn_tiles), first_draw.drawn_tiles)
        arrays = board_arrays(position, graph, with_index=False)
        self._searchers = [Searcher(position, arrays, root) for _ in range(threads)]
        self._free_searchers: queue.SimpleQueue[Searcher] = queue.SimpleQueue()
        for searcher in self._searchers:
            self._free_searchers.put(searcher)
        plays = sorted(self._searchers[0].plays(), key=lambda slot_and_turn: -slot_and_turn[1].score)
        if has_exchanges:
            exchanges = {
                tiles
                for count in range(1, min(bag_count, rules.rack_size) + 1)
                for tiles in combinations(sorted(self._rack), count)
            }
            plays += [(NO_PLAY, EndgameTurn(Exchange(tiles), 0)) for tiles in sorted(exchanges)]
        player, opponent = position.players[position.on_turn], position.players[1 - position.on_turn]
        self._table = Table(
            [
                Candidate(
                    slot,
                    turn.play,
                    turn.score,
                    len(tiles_laid(turn.play)),
                    max(0, bag_count - len(tiles_laid(turn.play))),
                )
                for slot, turn in plays
            ],
            self._draws.total_weight,
            player.score - opponent.score,
        )
        self._next_report = math.inf
        self._has_new_results = False
        self._stop = Stop()
        self._thread_deadline = Deadline(math.inf, lambda: self._stop.is_set)

    def run(
        self,
        executor: MeteredThreadPool,
        deadline: Deadline,
        progress: Callable[[PreEndgameResult], None] | None,
    ) -> PreEndgameResult:
        table = self._table
        if progress is not None:
            self._next_report = time.perf_counter() + _REPORT_SECONDS

        def run_task(task: Task, cell_keys: Iterable[CellKey], *, report: bool = True) -> bool:
            waiting_cells = iter(cell_keys)
            remaining_cells: list[CellKey] = []
            while (
                batch := [*remaining_cells, *islice(waiting_cells, _CELLS_PER_BATCH - len(remaining_cells))]
            ) and not deadline.has_passed():
                unfinished_cells = executor.run_each(
                    lambda root_cells: self._run_root_cells(task, root_cells),
                    self._cells_by_root(batch),
                    deadline,
                    self._stop,
                )
                remaining_cells = [*chain.from_iterable(unfinished_cells or ())]
                if progress is not None and self._is_report_due() and not deadline.has_passed():
                    report_to(progress)
            has_time = not deadline.has_passed()
            if report or not has_time:
                if progress is not None and has_time:
                    report_to(progress)
                else:
                    table.rank()
            return has_time

        def report_to(progress: Callable[[PreEndgameResult], None]) -> None:
            table.rank()
            progress(self.result())
            self._next_report = time.perf_counter() + _REPORT_SECONDS
            self._has_new_results = False

        Rounds(table, self._draws, self._thread_deadline, run_task).run()
        if not table.ranked:
            raise StoppedError
        return self.result()

    def _cells_by_root(self, cell_keys: Iterable[CellKey]) -> list[RootCells]:
        by_root: dict[tuple[tuple[int, ...], ...], list[CellKey]] = {}
        for candidate, index in cell_keys:
            draw = candidate.draws[index]
            exchanged_tiles = candidate.play.tiles if isinstance(candidate.play, Exchange) else ()
            by_root.setdefault((draw.drawn_tiles, draw.bag, exchanged_tiles), []).append((candidate, index))
        return [
            (self._create_root(*tiles), cell_keys_of_root) for tiles, cell_keys_of_root in by_root.items()
        ]

    def _create_root(
        self, drawn_tiles: tuple[int, ...], bag: tuple[int, ...], exchanged_tiles: tuple[int, ...]
    ) -> Root:
        """Create the root for a draw.

        For a placement, the root's bag begins with the tiles that will be drawn. For an exchange, the root is the position after the
        exchange, and the search begins with a pass.
        """
        opponent_rack = remove_tiles(self._unseen, (*drawn_tiles, *remove_tiles(bag, exchanged_tiles)))
        if exchanged_tiles:
            return Root(
                tuple(sorted((*remove_tiles(self._rack, exchanged_tiles), *drawn_tiles))), opponent_rack, bag
            )
        return Root(self._rack, opponent_rack, (*drawn_tiles, *bag))

    def _is_report_due(self) -> bool:
        return self._has_new_results and time.perf_counter() >= self._next_report

    def _run_root_cells(self, task: Task, root_cells: RootCells) -> list[CellKey]:
        """Run a task on cells. When a report is due, stop and return the remaining cells."""
        root, cell_keys = root_cells
        if self._thread_deadline.has_passed():
            return []
        if self._is_report_due():
            return cell_keys
        searcher = self._free_searchers.get()
        try:
            searcher.set_root(root)
            for number, (candidate, index) in enumerate(cell_keys, 1):
                if (
                    self._thread_deadline.has_passed()
                    or task(searcher, candidate, index) is SearchStatus.STOPPED
                ):
                    return []
                self._has_new_results = True
                if self._is_report_due():
                    return cell_keys[number:]
            return []
        finally:
            self._free_searchers.put(searcher)

    def result(self) -> PreEndgameResult:
        return PreEndgameResult(
            self._table.plays(),
            self._table.total_weight,
            self._table.is_best_proved(),
            sum(searcher.node_count for searcher in self._searchers),
            self._table.is_best_proved(must_empty_bag=True),
            self._table.has_only_one_best(),
            self._draws.bag_count,
        )
