"""Learning from self-play: the values of leaves, and how often a lead wins.

Before every turn of a game, while the bag has tiles, some racks are drawn at random from the tiles that the board
does not show, and the best play of each is found. What a rack is worth is the equity of that play, compared with the
mean for as many tiles in the bag; what a leave is worth is the mean over the racks that have it. Equity needs values
of leaves, so it goes by generations: in the first, leaves are worth nothing, and each later one goes by the values
that the one before found. (The idea is Quackle's and MAGPIE's superleaves; they take the racks that come up in play.)
"""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bot.domain.crossword.rules import Rules
from bot.engine.kernels.self_play import count_leaves
from bot.engine.learning.self_play import GameState, Strategy, Table
from bot.engine.lexicon.builder import build_dawg
from bot.engine.lexicon.leaves.index import MAX_TILES, Amounts, LeaveIndex, estimate, leave_index
from bot.engine.lexicon.leaves.values import LeaveValues, leave_values
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.stop import Stop
from bot.engine.units import MILLIPOINTS

RACKS_PER_TURN = 3
MAX_SPREAD = 300
"""Leads above this many points count as this many."""
_FORMAT = 1
_MAX_TILES = 256
"""More than any bag in training games holds."""


class LearningError(Exception):
    """What was learnt so far cannot be gone on with; the message is one sentence."""


@dataclass(slots=True)
class Learnt:
    """What was learnt so far: everything that is kept between two runs."""

    seed: int
    plan: tuple[int, ...]
    """How many games each generation has."""
    digest: str
    """Names the words that the games are played with."""
    generation: int
    """The generation at work, from 0; as many as the plan has when all are done."""
    game: int
    """How many games of it are done."""
    values: Amounts
    """The points of each leave that the generation goes by."""
    sums: Amounts
    weights: Amounts
    by_bag: Amounts
    """Number, sum and sum of squares of what racks were worth, by the number of tiles in the bag."""
    outcomes: Amounts
    """Turns, and those that led to a win (a tie is half of one), by unseen tiles and lead + :data:`MAX_SPREAD`."""

    @property
    def done(self) -> bool:
        """Whether the plan is carried out."""
        return self.generation >= len(self.plan)

    @property
    def racks(self) -> int:
        """How many racks this generation has examined."""
        return int(self.by_bag[0].sum())


class Learner:
    """Plays the games of a plan, one after the other."""

    def __init__(
        self, rules: Rules, graph: WordGraph, *, longest: int = MAX_TILES, stop: Stop | None = None
    ) -> None:
        """Set up for a game, to learn of leaves of up to ``longest`` tiles.

        Raises:
            AnalysisError: the game is one that is not analyzed.
            LearningError: it has too many tiles.

        """
        if rules.distribution.total >= _MAX_TILES:
            raise LearningError(f"games of {rules.distribution.total} tiles are not learnt from")
        self.index: LeaveIndex = leave_index(rules.distribution, rules.rack_size, longest=longest)
        self._table = Table(rules, graph, stop=stop or Stop())
        self._nodes = build_dawg(self.index.leaves)
        self._rack_size = rules.rack_size

    def start(self, plan: Sequence[int], seed: int, digest: str) -> Learnt:
        """Return what is known before the first game."""
        leaves = len(self.index.leaves)
        return Learnt(
            seed,
            tuple(plan),
            digest,
            generation=0,
            game=0,
            values=np.zeros(leaves),
            sums=np.zeros(leaves),
            weights=np.zeros(leaves),
            by_bag=np.zeros((3, _MAX_TILES)),
            outcomes=np.zeros((2, _MAX_TILES, 2 * MAX_SPREAD + 1)),
        )

    def leaves(self, learnt: Learnt) -> LeaveValues:
        """Return the values that the generation at work goes by."""
        return leave_values(self._nodes, learnt.values)

    def play_generation_on(self, learnt: Learnt, games: int) -> None:
        """Play up to ``games`` more games of the generation at work, and end it when its plan is carried out.

        Raises:
            StoppedError: it was stopped; then ``learnt`` has a part of a game in it and is of no more use.

        """
        strategy = Strategy(self.leaves(learnt))
        for game in range(learnt.game, min(learnt.game + games, learnt.plan[learnt.generation])):
            watcher = _Watcher(learnt, strategy, f"{learnt.seed} {learnt.generation} {game}", self._rack_size)
            finished = self._table.play(
                (strategy, strategy), _seed(learnt.seed, learnt.generation, game), watcher=watcher
            )
            watcher.count(finished.scores)
            learnt.game = game + 1
        if learnt.game >= learnt.plan[learnt.generation]:
            self._end_generation(learnt)

    def estimated(self, learnt: Learnt) -> Amounts:
        """Return the points of each leave as the samples of the generation at work have it."""
        number, total, squares = learnt.by_bag
        seen = number > 0
        variance = float(np.sum(squares[seen] - total[seen] ** 2 / number[seen]) / max(1.0, number.sum()))
        return estimate(self.index, learnt.sums, learnt.weights, variance)

    def _end_generation(self, learnt: Learnt) -> None:
        learnt.values = np.round(self.estimated(learnt), 3)
        learnt.generation += 1
        learnt.game = 0
        if not learnt.done:
            for array in (learnt.sums, learnt.weights, learnt.by_bag, learnt.outcomes):
                array[:] = 0


def _seed(seed: int, generation: int, game: int) -> int:
    return (seed << 40) + (generation << 32) + game


class _Watcher:
    """Looks at racks before each turn of a game, and counts them when the game is finished."""

    def __init__(self, learnt: Learnt, strategy: Strategy, seed: str, rack_size: int) -> None:
        self._learnt = learnt
        self._strategy = strategy
        self._source = random.Random(seed)  # noqa: S311 - a game, not a secret
        self._rack_size = rack_size
        self._leads: list[tuple[int, int, int]] = []

    def __call__(self, table: Table, state: GameState) -> None:
        mover = state.on_turn
        unseen = len(state.bag) + len(state.racks[1 - mover])
        self._leads.append((mover, unseen, state.scores[mover] - state.scores[1 - mover]))
        if not state.bag:
            return
        tiles = state.bag + state.racks[0] + state.racks[1]
        for _ in range(RACKS_PER_TURN):
            self._look_at(table, self._source.sample(tiles, self._rack_size), len(state.bag))

    def _look_at(self, table: Table, tiles: list[int], bag: int) -> None:
        learnt, buffers = self._learnt, table.buffers
        slot = table.best(tiles, self._strategy, bag=bag)
        points = float(buffers.keys[2 * slot]) / MILLIPOINTS
        seen = learnt.by_bag[:, bag]
        mean = seen[1] / seen[0] if seen[0] else points
        count_leaves(
            table.arrays.game,
            buffers.rack,
            buffers.paths,
            self._strategy.leaves.nodes,
            learnt.sums,
            learnt.weights,
            points - mean,
        )
        seen += (1.0, points, points**2)

    def count(self, scores: tuple[int, int]) -> None:
        """Count which leads won."""
        for mover, unseen, lead in self._leads:
            final = scores[mover] - scores[1 - mover]
            column = max(-MAX_SPREAD, min(MAX_SPREAD, lead)) + MAX_SPREAD
            self._learnt.outcomes[0, unseen, column] += 1
            self._learnt.outcomes[1, unseen, column] += 1.0 if final > 0 else 0.5 if final == 0 else 0.0


def write_learnt(learnt: Learnt) -> bytes:
    """Return the bytes of a file to go on from."""
    numbers = np.array([_FORMAT, learnt.seed, learnt.generation, learnt.game, *learnt.plan], dtype=np.int64)
    file = io.BytesIO()
    np.savez(
        file,
        numbers=numbers,
        digest=np.frombuffer(learnt.digest.encode(), dtype=np.uint8),
        values=learnt.values,
        sums=learnt.sums,
        weights=learnt.weights,
        by_bag=learnt.by_bag,
        outcomes=learnt.outcomes,
    )
    return file.getvalue()


def read_learnt(data: bytes, blank: Learnt) -> Learnt:
    """Read what was learnt before; ``blank`` is what would be begun with.

    Raises:
        LearningError: it is no such file, or one for another game, other words or another plan.

    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        numbers = arrays["numbers"].tolist()
        digest = arrays["digest"].tobytes().decode()
        kept = {name: arrays[name] for name in ("values", "sums", "weights", "by_bag", "outcomes")}
        version, seed, generation, game, *plan = map(int, numbers)
    except (KeyError, ValueError, OSError, EOFError, TypeError, zipfile.BadZipFile):
        raise LearningError("the file is none that learning can go on from") from None
    if (version, seed, tuple(plan), digest) != (_FORMAT, blank.seed, blank.plan, blank.digest):
        raise LearningError("the file is from another plan, another seed or other words")
    for name, array in kept.items():
        expected = getattr(blank, name)
        if array.shape != expected.shape or array.dtype != expected.dtype:
            raise LearningError("the file is from another game")
    return Learnt(seed, tuple(plan), digest, generation, game, **kept)
