"""Simulation: compares plays by playing the rest of the game many times after each of them.

Iteration k deals the same tiles to every candidate. Each round gives iterations to the candidates that are hardest to
distinguish from the best (:mod:`bot.engine.simulation.candidates`). If no confidence level is set, all get the same
number. The simulation is decided when only the best play and its equivalents are left. The result depends on the seed
and the number of rounds, but not on the number of threads: sums of whole numbers do not depend on their order. If
time runs out or the caller cancels, the unfinished round is discarded.

A simulation can be continued from its state. It then resumes the plays that may still be the best, gives dropped
plays the iterations that they missed, and uses the whole time limit.
"""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, wait
from dataclasses import replace

from bot.domain.crossword.position import Position
from bot.engine.analysis import AnalysisOptions, MeteredThreads, Stop, plies_among
from bot.engine.kernels.board import Numbers
from bot.engine.kernels.turn import LeaveArrays
from bot.engine.lexicon.leaves import LeaveValues
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.plays.board_arrays import board_arrays, check_rack
from bot.engine.plays.values import RatedPlay
from bot.engine.simulation.arrays import MAX_PLIES, Plan, Workspace, leave_arrays, plan_of, workspace
from bot.engine.simulation.candidates import (
    Candidate,
    Samples,
    candidate_of,
    is_decided,
    judge,
    ranked,
    reference_of,
    roll_out,
    shares,
    simulated_play,
)
from bot.engine.simulation.result import CandidateState, Ending, SimulationResult, SimulationState
from bot.engine.simulation.win_chances import WinTable, learnt_win_table

MAX_CANDIDATES = 100
MAX_THREADS = 64
MAX_ITERATIONS = 50_000
"""Maximum number of iterations of a candidate, however often a simulation is continued."""

_ITERATIONS_PER_TASK = 64
"""Number of iterations of one candidate in a task of a thread, which takes about 5 ms."""
_RESUME_RISK_FACTOR = 1e-3
"""A dropped play is resumed unless the test rejects it even at a risk that is smaller by this factor."""
_POLL_SECONDS = 0.02
"""Seconds between two checks of the clock and of ``cancelled``."""


def simulate(
    position: Position,
    plays: Sequence[RatedPlay],
    graph: WordGraph,
    leaves: LeaveValues,
    options: AnalysisOptions,
    *,
    opponent_leaves: Sequence[tuple[int, ...]] = (),
    table: WinTable | None = None,
    earlier: SimulationState | None = None,
    threads: int | None = None,
    progress: Callable[[SimulationResult], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> SimulationResult:
    """Simulate plays of the player to move, in a game of two to four.

    Args:
        position: The position. Racks that it shows count as known, unless it says otherwise.
        plays: The candidates, which must be legal; their words need not be in the lexicon.
        graph: The lexicon of all players.
        leaves: The leave values of all players.
        options: Plies (see :func:`bot.engine.analysis.plies_among`), iterations, seconds, confidence and seed.
        opponent_leaves: In a game of two, possible leaves of the opponent, who gets a random one with the known tiles,
            such as those from :func:`bot.engine.simulation.inference.infer`. Empty for any tiles.
        table: Win probabilities at the end of a rollout; None for :func:`learnt_win_table`.
        earlier: The state of an earlier simulation of this position to continue; its plays, plies, seed and leaves are
            used, and ``options.iterations`` are added to those already run.
        threads: Number of threads; None for one on each processor.
        progress: Called on the calling thread with the result so far, after each round.
        cancelled: Called every 20 ms. If it returns true, the result so far is returned.

    Raises:
        AnalysisError: the position cannot be simulated.
        RuleError: the rules do not allow a candidate.
        ValueError: a number is out of range.

    """
    if earlier is not None:
        plays, opponent_leaves = [candidate.play for candidate in earlier.candidates], earlier.opponent_leaves
        options = replace(options, plies=earlier.plies, seed=earlier.seed)
    _check(plays, options)
    options = replace(options, plies=plies_among(len(position.players), options.plies))
    plan = plan_of(position, plies=options.plies, seed=options.seed, opponent_leaves=opponent_leaves)
    runners = min(MAX_THREADS, max(1, threads if threads is not None else os.cpu_count() or 1))
    simulation = _Simulation(
        [candidate_of(position, play, leaves, plan) for play in plays],
        plan,
        leave_arrays(leaves),
        learnt_win_table() if table is None else table,
        options,
    )
    simulation.open(position, graph, opponent_leaves, runners)
    if earlier is not None:
        simulation.resume(earlier)
    deadline = time.perf_counter() + options.seconds
    with MeteredThreads(runners, thread_name_prefix="kibitz-simulation") as executor:
        while (ending := simulation.run_round(executor, deadline, cancelled)) is None:
            if progress is not None:
                progress(simulation.result(None))
    return replace(simulation.result(ending), state=simulation.state(tuple(opponent_leaves)))


def _check(plays: Sequence[RatedPlay], options: AnalysisOptions) -> None:
    if not 1 <= len(plays) <= MAX_CANDIDATES:
        raise ValueError(f"a simulation has 1 to {MAX_CANDIDATES} candidates, not {len(plays)}")
    if not 1 <= options.plies <= MAX_PLIES:
        raise ValueError(f"a simulation goes 1 to {MAX_PLIES} plies deep, not {options.plies}")
    if options.iterations < 1:
        raise ValueError("a simulation has at least one iteration")
    if options.confidence is not None and not 0 < options.confidence < 1:
        raise ValueError("confidence lies between 0 and 1")


class _Simulation:
    """The candidates, and the threads that simulate them."""

    def __init__(
        self,
        candidates: list[Candidate],
        plan: Plan,
        leaves: LeaveArrays,
        table: WinTable,
        options: AnalysisOptions,
    ) -> None:
        self._candidates = candidates
        self._in_order = candidates
        self._plan = plan
        self._leaves = leaves
        self._table = table
        self._options = options
        self._most = options.iterations
        self._resumed = False
        self._stop = Stop()
        self._spaces: queue.SimpleQueue[Workspace] = queue.SimpleQueue()

    def open(
        self,
        position: Position,
        graph: WordGraph,
        opponent_leaves: Sequence[tuple[int, ...]],
        threads: int,
    ) -> None:
        """Create a workspace for each thread."""
        known = max(len(player.rack) for player in position.players)
        longest = known + max((len(leave) for leave in opponent_leaves), default=0)
        rack_size = max(longest, position.rules.rack_size)
        check_rack(rack_size)
        arrays = board_arrays(position, graph)
        for _ in range(threads):
            self._spaces.put(
                workspace(
                    arrays,
                    rack_size=rack_size,
                    tiles=self._plan.tiles,
                    plies=self._plan.plies,
                    stop=self._stop,
                    players=len(position.players),
                )
            )

    def resume(self, earlier: SimulationState) -> None:
        """Continue from an earlier state. Dropped plays are resumed if they may still be the best."""
        self._resumed = True
        for candidate, known in zip(self._candidates, earlier.candidates, strict=True):
            candidate.samples, candidate.iterations = [known.samples], len(known.samples)
            candidate.plies, candidate.dropped = known.plies.copy(), known.dropped
        if self._options.confidence is None:
            self._judge(_RESUME_RISK_FACTOR, keep=1)
            for candidate, known in zip(self._candidates, earlier.candidates, strict=True):
                candidate.dropped = candidate.dropped and known.dropped
        self._tell_apart()
        had = max(candidate.iterations for candidate in self._candidates if not candidate.dropped)
        self._most = min(MAX_ITERATIONS, had + self._options.iterations)

    def _judge(self, risk: float, *, keep: int = 0) -> None:
        """Drop plays that are worse than the best."""
        self._in_order = judge(self._candidates, risk, keep=keep)

    def _tell_apart(self) -> None:
        """Drop plays that do not need further iterations."""
        confidence = self._options.confidence
        if confidence is None:
            return
        if self._resumed:
            # At least one play is kept to compare the best with.
            self._judge(_RESUME_RISK_FACTOR * (1 - confidence), keep=1)
        else:
            self._judge(1 - confidence)

    def run_round(
        self, executor: MeteredThreads, deadline: float, cancelled: Callable[[], bool] | None
    ) -> Ending | None:
        """Run more iterations of the remaining candidates and drop the worse ones; return the reason if the simulation ends.

        If time is up or the caller cancels, all iterations of the round are discarded.
        """
        tasks = self._tasks()
        futures = [executor.submit(self._roll_out, *task) for task in tasks]
        ending = self._watch(futures, deadline, cancelled)
        if ending is not None:
            return self._ended(ending)
        outcomes = [future.result() for future in futures]
        for (candidate, _, _), (samples, plies) in zip(tasks, outcomes, strict=True):
            candidate.add(samples, plies)
        self._tell_apart()
        if not self._resumed and self._options.confidence is not None and is_decided(self._in_order):
            return Ending.DECIDED
        return None if self._tasks() else self._ended(Ending.ITERATIONS)

    def _tasks(self) -> list[tuple[Candidate, int, int]]:
        """Return the tasks of a round: each has a candidate, its first iteration and the number of iterations."""
        evenly = self._options.confidence is None
        return [
            (candidate, first, min(_ITERATIONS_PER_TASK, upto - first))
            for candidate, upto in shares(self._in_order, self._most, evenly=evenly)
            for first in range(candidate.iterations, upto, _ITERATIONS_PER_TASK)
        ]

    def _ended(self, ending: Ending) -> Ending:
        """Return why the simulation ended. The extra iterations of a continued simulation may also have decided it."""
        if not self._resumed or self._options.confidence is None:
            return ending
        self._judge(1 - self._options.confidence)
        return Ending.DECIDED if is_decided(self._in_order) else ending

    def _watch(
        self,
        futures: list[Future[tuple[Samples, Numbers]]],
        deadline: float,
        cancelled: Callable[[], bool] | None,
    ) -> Ending | None:
        """Wait for the threads. If time is up or the caller cancels, stop them and return the reason."""
        pending = set(futures)
        try:
            while pending:
                if cancelled is not None and cancelled():
                    return Ending.CANCELLED
                left = min(_POLL_SECONDS, deadline - time.perf_counter())
                if left <= 0:
                    return Ending.TIME
                finished, pending = wait(pending, timeout=left, return_when=FIRST_EXCEPTION)
                if any(future.exception() for future in finished):
                    break
        finally:
            if pending:
                self._stop.set()
                for future in pending:
                    future.cancel()
                wait([future for future in pending if not future.cancelled()])
        return None

    def _roll_out(self, candidate: Candidate, first: int, count: int) -> tuple[Samples, Numbers]:
        """Compute some iterations of a candidate; runs on a thread."""
        space = self._spaces.get()
        try:
            return roll_out(
                candidate,
                space,
                self._leaves,
                self._plan,
                table=self._table,
                iterations=range(first, first + count),
            )
        finally:
            self._spaces.put(space)

    def result(self, ending: Ending | None) -> SimulationResult:
        """Return the result so far."""
        reference = reference_of(self._candidates)
        return SimulationResult(
            tuple(simulated_play(candidate, reference) for candidate in ranked(self._candidates, reference)),
            self._options.plies,
            sum(candidate.iterations for candidate in self._candidates),
            ending,
        )

    def state(self, opponent_leaves: tuple[tuple[int, ...], ...]) -> SimulationState:
        """Return the state from which the simulation can continue."""
        return SimulationState(
            tuple(
                CandidateState(
                    candidate.play, candidate.all_samples(), candidate.plies.copy(), candidate.dropped
                )
                for candidate in self._candidates
            ),
            self._options.plies,
            self._options.seed,
            opponent_leaves,
        )
