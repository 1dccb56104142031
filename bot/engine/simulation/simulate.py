"""Compares plays (the *candidates*) by simulating the next turns of the game many times after each candidate.

An *iteration* plays these turns once after one candidate, with random tiles. Each round gives iterations to the candidates that
are hardest to distinguish from the best (:mod:`bot.engine.simulation.candidates`), and then drops candidates that are worse than
the best. The simulation is decided when only the best play and equivalent plays are left. Without a confidence level, each round
gives iterations to all remaining candidates, and drops none.

The result depends on the seed and the number of rounds, but not on the number of threads. If time runs out or the caller
cancels, the unfinished round is discarded.
"""

from __future__ import annotations

import os
import queue
from collections.abc import Callable, Sequence
from dataclasses import replace

from bot.domain.crossword.position import Position
from bot.engine.analysis import AnalysisOptions, Deadline, MeteredThreadPool, Stop, plies_for_players
from bot.engine.kernels.board import Numbers
from bot.engine.lexicon.leaves import LeaveValues
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.plays.board_arrays import board_arrays, check_rack_size
from bot.engine.plays.values import RatedPlay
from bot.engine.simulation.arrays import MAX_PLIES, Workspace, create_plan, create_workspace
from bot.engine.simulation.candidates import (
    Candidate,
    Samples,
    choose_reference,
    create_candidate,
    drop_worse_plays,
    is_decided,
    plan_next_round,
    rank,
    roll_out,
    simulated_play,
)
from bot.engine.simulation.result import CandidateState, Ending, SimulationResult, SimulationState

MAX_CANDIDATES = 100
MAX_THREADS = 64
MAX_ITERATIONS = 50_000
"""Maximum number of iterations per candidate, even if the simulation is continued many times."""

_ITERATIONS_PER_TASK = 64
"""Number of iterations of one candidate per task of a thread. They take about 5 ms."""
_RESUME_RISK_FACTOR = 1e-3
"""When a simulation continues, a play stays dropped only if it is almost certainly worse than the best. The risk of error may be at
most this number or, with a confidence level, this number times (1 - confidence)."""


def simulate(
    position: Position,
    plays: Sequence[RatedPlay],
    graph: WordGraph,
    leaves: LeaveValues,
    options: AnalysisOptions,
    *,
    opponent_leaves: Sequence[tuple[int, ...]] = (),
    earlier: SimulationState | None = None,
    threads: int | None = None,
    progress: Callable[[SimulationResult], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> SimulationResult:
    """Simulate plays of the player to move, in a game of two to four players.

    Args:
        position: The racks that it shows are used, except opponents' racks if ``ignore_opponent_racks`` is set.
        plays: The candidates, which must be legal; their words need not be in the lexicon.
        graph: The lexicon of all players.
        leaves: The leave values of all players.
        options: :func:`bot.engine.analysis.plies_for_players` may increase the plies.
        opponent_leaves: In a two-player game, leaves that the opponent may have kept. Each iteration adds a random leave to the
            opponent's known tiles. If empty, all unseen tiles are equally likely.
        earlier: The state of a simulation to continue. Its plays, plies, seed and ``opponent_leaves`` replace the arguments, and
            ``options.iterations`` more iterations are run.
        threads: Number of threads; None for one per processor.
        progress: Called on the caller's thread after each round except the last.
        cancelled: Called about every 20 ms. When it returns true, the simulation ends.

    Raises:
        AnalysisError: the position cannot be simulated.
        RuleError: the rules do not allow a candidate.
        ValueError: a number is out of range.

    """
    if earlier is not None:
        plays, opponent_leaves = [candidate.play for candidate in earlier.candidates], earlier.opponent_leaves
        options = replace(options, plies=earlier.plies, seed=earlier.seed)
    _check(plays, options)
    thread_count = min(MAX_THREADS, max(1, threads if threads is not None else os.cpu_count() or 1))
    simulation = _Simulation(
        position,
        plays,
        graph,
        leaves,
        options,
        opponent_leaves=tuple(opponent_leaves),
        threads=thread_count,
    )
    if earlier is not None:
        simulation.resume(earlier)
    deadline = Deadline(options.seconds, cancelled)
    with MeteredThreadPool(thread_count, thread_name_prefix="kibitz-simulation") as executor:
        while (ending := simulation.run_round(executor, deadline)) is None:
            if progress is not None:
                progress(simulation.result(None))
    return replace(simulation.result(ending), state=simulation.state())


def _check(plays: Sequence[RatedPlay], options: AnalysisOptions) -> None:
    if not 1 <= len(plays) <= MAX_CANDIDATES:
        raise ValueError(f"a simulation has 1 to {MAX_CANDIDATES} candidates, not {len(plays)}")
    if not 1 <= options.plies <= MAX_PLIES:
        raise ValueError(f"a simulation goes 1 to {MAX_PLIES} plies deep, not {options.plies}")
    if options.iterations < 1:
        raise ValueError("a simulation has at least one iteration")
    if options.confidence is not None and not 0 < options.confidence < 1:
        raise ValueError("confidence must be between 0 and 1")


class _Simulation:
    """The candidates of a simulation, and everything that the threads need."""

    def __init__(
        self,
        position: Position,
        plays: Sequence[RatedPlay],
        graph: WordGraph,
        leaves: LeaveValues,
        options: AnalysisOptions,
        *,
        opponent_leaves: tuple[tuple[int, ...], ...],
        threads: int,
    ) -> None:
        options = replace(options, plies=plies_for_players(len(position.players), options.plies))
        self._plan = create_plan(
            position, plies=options.plies, seed=options.seed, opponent_leaves=opponent_leaves
        )
        self._candidates = [create_candidate(position, play, leaves, self._plan) for play in plays]
        self._ranked_candidates = self._candidates
        self._leaves = leaves
        self._opponent_leaves = opponent_leaves
        self._options = options
        self._max_iterations = options.iterations
        self._is_continued = False
        self._stop = Stop()
        self._free_workspaces: queue.SimpleQueue[Workspace] = queue.SimpleQueue()
        leave_size = max(map(len, opponent_leaves), default=0)
        rack_size = max(
            position.rules.rack_size, *(len(player.rack) + leave_size for player in position.players)
        )
        check_rack_size(rack_size)
        arrays = board_arrays(position, graph)
        for _ in range(threads):
            self._free_workspaces.put(
                create_workspace(
                    arrays,
                    rack_size=rack_size,
                    tile_count=self._plan.max_tiles,
                    ply_count=self._plan.plies,
                    stop=self._stop,
                    player_count=len(position.players),
                )
            )

    def resume(self, earlier: SimulationState) -> None:
        """Continue from a state. Dropped candidates return if they may still be the best."""
        self._is_continued = True
        for candidate, state in zip(self._candidates, earlier.candidates, strict=True):
            candidate.sample_arrays, candidate.iterations = [state.samples], len(state.samples)
            candidate.ply_sums, candidate.dropped = state.ply_sums.copy(), state.dropped
        if self._options.confidence is None:
            self._drop_worse_plays(_RESUME_RISK_FACTOR, keep_count=1)
            for candidate, state in zip(self._candidates, earlier.candidates, strict=True):
                candidate.dropped = candidate.dropped and state.dropped
        self._drop_by_confidence()
        iterations = max(candidate.iterations for candidate in self._candidates if not candidate.dropped)
        self._max_iterations = min(MAX_ITERATIONS, iterations + self._options.iterations)

    def _drop_worse_plays(self, risk: float, *, keep_count: int = 0) -> None:
        self._ranked_candidates = drop_worse_plays(self._candidates, risk, keep_count=keep_count)

    def _drop_by_confidence(self) -> None:
        confidence = self._options.confidence
        if confidence is None:
            return
        if self._is_continued:
            # One other candidate stays, to be compared with the best.
            self._drop_worse_plays(_RESUME_RISK_FACTOR * (1 - confidence), keep_count=1)
        else:
            self._drop_worse_plays(1 - confidence)

    def run_round(self, executor: MeteredThreadPool, deadline: Deadline) -> Ending | None:
        """Run a round of iterations. Return why the simulation ends, or None if it continues."""
        tasks = self._tasks()
        outcomes = executor.run_each(self._roll_out, tasks, deadline, self._stop)
        if outcomes is None:
            return self._final_ending(Ending.CANCELLED if deadline.is_cancelled else Ending.TIME)
        for (candidate, _), (samples, ply_sums) in zip(tasks, outcomes, strict=True):
            candidate.add(samples, ply_sums)
        self._drop_by_confidence()
        if (
            not self._is_continued
            and self._options.confidence is not None
            and is_decided(self._ranked_candidates)
        ):
            return Ending.DECIDED
        return None if self._tasks() else self._final_ending(Ending.ITERATIONS)

    def _tasks(self) -> list[tuple[Candidate, range]]:
        targets = plan_next_round(
            self._ranked_candidates, self._max_iterations, evenly=self._options.confidence is None
        )
        return [
            (candidate, range(first, min(first + _ITERATIONS_PER_TASK, target)))
            for candidate, target in targets
            for first in range(candidate.iterations, target, _ITERATIONS_PER_TASK)
        ]

    def _final_ending(self, ending: Ending) -> Ending:
        """Return ``DECIDED`` if the added iterations decided a continued simulation; otherwise ``ending``."""
        if not self._is_continued or self._options.confidence is None:
            return ending
        self._drop_worse_plays(1 - self._options.confidence)
        return Ending.DECIDED if is_decided(self._ranked_candidates) else ending

    def _roll_out(self, task: tuple[Candidate, range]) -> tuple[Samples, Numbers]:
        candidate, iterations = task
        workspace = self._free_workspaces.get()
        try:
            return roll_out(candidate, workspace, self._leaves, self._plan, iterations)
        finally:
            self._free_workspaces.put(workspace)

    def result(self, ending: Ending | None) -> SimulationResult:
        reference = choose_reference(self._candidates)
        return SimulationResult(
            tuple(simulated_play(candidate, reference) for candidate in rank(self._candidates, reference)),
            self._options.plies,
            sum(candidate.iterations for candidate in self._candidates),
            ending,
        )

    def state(self) -> SimulationState:
        return SimulationState(
            tuple(
                CandidateState(
                    candidate.play, candidate.all_samples(), candidate.ply_sums.copy(), candidate.dropped
                )
                for candidate in self._candidates
            ),
            self._options.plies,
            self._options.seed,
            self._opponent_leaves,
        )
