"""The pre-endgame: which play wins most when one tile is in the bag.

Each unseen tile may be the one in the bag; the opponent has the others. After a placement the bag is empty, so what
follows is an endgame that can be solved: every play is tried with every tile, which gives how often it wins, ties and
loses. After a pass the bag is not empty yet; there both players are taken to know the tile in it, which favours
neither of them in general but is more than they know in fact. Exchanges, which most rules do not allow at this
stage, are not looked at.

Where each player has one more turn once the bag is empty (Crossplay), it is not solved. Three plays follow one another there: in a
usual position some 2,600 plays, 8 tiles that may be drawn and 1,000 answers, for each of which the best last play has to be found:
20 million searches of half a millisecond. A simulation of two turns plays these very turns to the end, the answer being the one that
scores most.
"""

from __future__ import annotations

import os
import queue
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from functools import partial

from bot.domain.crossword.course import without
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import EndCount
from bot.engine.endgame.arrays import Ending, others_tiles
from bot.engine.endgame.outcomes import Candidate, Cell, PreEndgamePlay, Table
from bot.engine.endgame.search import UNBOUNDED, Outcome, Searcher, Watch
from bot.engine.errors import AnalysisError, StoppedError
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.meter import MeteredThreads
from bot.engine.plays.board_arrays import BoardArrays, board_arrays

DEFAULT_SECONDS = 30.0
MAX_THREADS = 8

_GUESSED = 64
"""How many plays are searched at a time, those with the highest scores first."""
_FIRST_CANDIDATES = 4
_FIRST_DEPTH = 3
"""The first round decides as many plays as it can to this depth; each further one takes twice the plays, deeper."""
_DEEPER = 2
_EXACT = 5
"""Of how many plays the gains are proved, too, once it is known which wins most."""
_LOOK = 0.02
"""Seconds between two looks at ``cancelled``."""


@dataclass(frozen=True, slots=True)
class PreEndgameResult:
    """What is known of the plays."""

    plays: tuple[PreEndgamePlay, ...]
    """Those first that win most as far as it is known; of equal ones those that gain most. When time was short, plays
    that score little are missing."""
    draws: int
    """The weight of all draws together: how many unseen tiles may be in the bag."""
    complete: bool
    """Whether it is proved that no placement and no pass wins more draws than the first play."""
    nodes: int
    """How many positions were searched."""
    alone: bool = False
    """Whether it is proved that every other play wins less draws than the first."""


def solve_pre_endgame(
    position: Position,
    graph: WordGraph,
    *,
    seconds: float | None = DEFAULT_SECONDS,
    threads: int | None = None,
    progress: Callable[[PreEndgameResult], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> PreEndgameResult:
    """Find the play that wins most when one tile is in the bag.

    Args:
        position: The position; the rack of the player on turn is known. The opponent's counts as known as far as it
            is shown, unless the position says otherwise.
        graph: The words both players know.
        seconds: How long it may take; None for as long as it takes.
        threads: How many threads compute; None for one on each processor.
        progress: Takes the result so far after each round, on the calling thread.
        cancelled: Is asked every 20 ms; once true, what there is is returned.

    Raises:
        AnalysisError: there is not one tile in the bag, the game is over, or the position cannot be analyzed.
        StoppedError: it was cancelled, or time was up, before any play was looked at with all draws.

    """
    if cancelled is not None and cancelled():
        raise StoppedError
    if position.rules.end_count is EndCount.EQUAL_TURNS:
        raise AnalysisError(
            "equal-turns",
            "with a tile in the bag and one more turn for each player it is not solved, but simulated",
        )
    runners = min(MAX_THREADS, max(1, threads if threads is not None else os.cpu_count() or 1))
    search = _Search(position, board_arrays(position, graph), _endings_of(position), runners)
    watch = Watch(seconds, lambda: search.is_stopped)
    with MeteredThreads(runners, thread_name_prefix="kibitz-pre-endgame") as executor:
        return search.run(executor, watch, progress, cancelled)


def _endings_of(position: Position) -> tuple[tuple[Ending, int], ...]:
    """Return what follows from each tile that may be in the bag, with how many such tiles there are."""
    others = others_tiles(position)
    own = position.players[position.on_turn].rack
    shown = () if position.opponent_rack_unknown else position.players[1 - position.on_turn].rack
    size = position.rules.rack_size
    bag = len(others) - max(size, len(shown))
    if bag != 1 or len(own) < size:
        raise AnalysisError(
            "not-one-in-bag", "a pre-endgame is solved with one tile in the bag and full racks only"
        )
    hidden = Counter(others) - Counter(shown)
    if hidden.total() != len(others) - len(shown):
        raise AnalysisError("too-many-tiles", "the position shows more tiles than the set has")
    return tuple(
        (Ending(own, without(others, [tile]), tile), weight) for tile, weight in sorted(hidden.items())
    )


class _Search:
    """The table and the threads that fill it. Each cell is written to by one thread at a time."""

    def __init__(
        self,
        position: Position,
        arrays: BoardArrays,
        endings: Sequence[tuple[Ending, int]],
        threads: int,
    ) -> None:
        self._endings = [ending for ending, _ in endings]
        self._searchers = [Searcher(position, arrays, self._endings[0]) for _ in range(threads)]
        self._free: queue.SimpleQueue[Searcher] = queue.SimpleQueue()
        for searcher in self._searchers:
            self._free.put(searcher)
        own, other = position.players[position.on_turn], position.players[1 - position.on_turn]
        self._table = Table(
            [
                Candidate(slot, play, score, [Cell() for _ in endings])
                for slot, play, score in sorted(self._searchers[0].plays(), key=lambda one: -one[2])
            ],
            tuple((ending.bag, weight) for ending, weight in endings),
            own.score - other.score,
        )
        self._sure = 0
        self.is_stopped = False

    def run(
        self,
        executor: MeteredThreads,
        watch: Watch,
        progress: Callable[[PreEndgameResult], None] | None,
        cancelled: Callable[[], bool] | None,
    ) -> PreEndgameResult:
        """Search every play once, then decide more and more of them, then prove the gains of the best.

        Raises:
            StoppedError: it was stopped before any play was searched with all draws.

        """
        table = self._table

        def fill(task: Callable[[Searcher, Candidate, int], Outcome], plays: list[Candidate]) -> bool:
            """Do a task for plays with all draws; return whether there is time left."""
            futures = [
                executor.submit(self._fill, draw, task, plays, watch) for draw in range(len(self._endings))
            ]
            self._wait(futures, cancelled)
            going_on = not watch.is_over()
            if progress is not None and going_on:
                progress(self.result())
            return going_on

        guess = partial(self._guess, watch=watch)
        for first in range(0, len(table.candidates), _GUESSED):
            if not fill(guess, table.candidates[first : first + _GUESSED]):
                if not table.ranked():
                    raise StoppedError
                return self.result()
        count, depth = _FIRST_CANDIDATES, _FIRST_DEPTH
        while not table.is_complete():
            last = count >= len(table.candidates) and depth >= self._searchers[0].deepest
            if not fill(partial(self._decide, watch=watch, depth=depth), table.ranked()[:count]):
                return self.result()
            if last:
                break
            count, depth = 2 * count, depth + _DEEPER
        fill(partial(self._measure, watch=watch), table.ranked()[:_EXACT])
        return self.result()

    def _wait(self, futures: list[Future[None]], cancelled: Callable[[], bool] | None) -> None:
        pending = set(futures)
        try:
            while pending:
                if cancelled is not None and cancelled():
                    return
                finished, pending = wait(pending, timeout=_LOOK)
                for future in finished:
                    future.result()
        finally:
            if pending:
                self.is_stopped = True
                wait(pending)

    def _fill(
        self,
        draw: int,
        task: Callable[[Searcher, Candidate, int], Outcome],
        candidates: list[Candidate],
        watch: Watch,
    ) -> None:
        """Do a task for plays with one draw, on a thread."""
        if watch.is_over():
            return
        searcher = self._free.get()
        try:
            searcher.set_root(self._endings[draw])
            for candidate in candidates:
                if watch.is_over() or task(searcher, candidate, draw) is Outcome.STOPPED:
                    return
        finally:
            self._free.put(searcher)

    def _guess(self, searcher: Searcher, candidate: Candidate, draw: int, *, watch: Watch) -> Outcome:
        """Follow the most promising plays after a play to the end of the game."""
        cell = candidate.cells[draw]
        outcome = searcher.search_play(candidate.slot, 0, -UNBOUNDED, UNBOUNDED, watch)
        if outcome is Outcome.DONE:
            cell.learn(searcher.value, -UNBOUNDED, UNBOUNDED, final=searcher.is_final)
        if outcome is not Outcome.STOPPED:
            cell.depth = 0
        return outcome

    def _decide(
        self, searcher: Searcher, candidate: Candidate, draw: int, *, watch: Watch, depth: int
    ) -> Outcome:
        """Search for the winner, down to a depth, unless the play can no longer be the best."""
        spread = self._table.spread
        low, high = -spread - 1, -spread + 1
        cell = candidate.cells[draw]
        while not cell.is_decided(spread) and cell.depth < min(depth, searcher.deepest) and not cell.no_room:
            if self._table.bounds(candidate)[1] <= self._sure:
                break
            outcome = searcher.search_play(candidate.slot, cell.depth + 1, low, high, watch)
            if outcome is Outcome.STOPPED:
                return outcome
            cell.no_room = outcome is Outcome.NO_ROOM
            cell.depth += 1
            if outcome is Outcome.DONE:
                cell.learn(searcher.value, low, high, final=searcher.is_final)
                self._sure = max(self._sure, self._table.bounds(candidate)[0])
        return Outcome.DONE

    def _measure(self, searcher: Searcher, candidate: Candidate, draw: int, *, watch: Watch) -> Outcome:
        """Search by how much a play gains until it is proved."""
        cell = candidate.cells[draw]
        depth = 1
        while not cell.is_exact and depth <= searcher.deepest and not cell.no_room:
            outcome = searcher.search_play(candidate.slot, depth, -UNBOUNDED, UNBOUNDED, watch)
            if outcome is Outcome.STOPPED:
                return outcome
            cell.no_room = outcome is Outcome.NO_ROOM
            depth += 1
            if outcome is Outcome.DONE:
                cell.learn(searcher.value, -UNBOUNDED, UNBOUNDED, final=searcher.is_final)
        return Outcome.DONE

    def result(self) -> PreEndgameResult:
        """Return the result so far."""
        return PreEndgameResult(
            tuple(self._table.play(candidate) for candidate in self._table.ranked()),
            sum(weight for _, weight in self._table.draws),
            self._table.is_complete(),
            sum(searcher.nodes for searcher in self._searchers),
            self._table.is_alone(),
        )
