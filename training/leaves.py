"""``python -m training.leaves``: learn the values of leaves, and how often a lead wins, from games against itself.

Before every turn of a game, while the bag has tiles, some racks are drawn at random from the tiles that the board
does not show, and the best play of each is found. A rack is worth the equity of that play, compared with the
mean for the same number of tiles in the bag; a leave is worth the mean over the racks that have it. Equity needs values
of leaves, so the values are learnt in generations: in the first, leaves are worth nothing, and each later generation uses the values
of the previous generation. (The idea is Quackle's and MAGPIE's superleaves; they take the racks that come up in play.)
"""

from __future__ import annotations

import argparse
import hashlib
import io
import random
import sys
import time
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bot.cli.documents import lexicon_of
from bot.cli.parser import FOUND, INVALID, Parser
from bot.domain.crossword.rules import Rules
from bot.domain.reading.problems import DomainError
from bot.engine.analysis import MILLIPOINTS, Stop
from bot.engine.lexicon.builder import build_dawg
from bot.engine.lexicon.folder import write_files
from bot.engine.lexicon.leaves import (
    KLV1_SCALE,
    LeaveValues,
    LeaveValuesError,
    klv_header,
    leave_values,
    write_klv2,
)
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.lexicon.word_graph import WordGraph
from training.games import GameState, Strategy, Table
from training.kernels import count_leaves
from training.leave_index import MAX_TILES, Amounts, LeaveIndex, estimate, leave_index
from training.self_play import SAVE_EVERY, add_game_options, games, rules_of, whole_number
from training.win_chances import fit_win_chances, write_win_chances

RACKS_PER_TURN = 3
MAX_SPREAD = 300
"""Leads above this number of points count as this number."""
_FORMAT = 1
_MAX_TILES = 256
"""More tiles than the bag of any training game holds."""


class LearningError(Exception):
    """Saved progress cannot be continued; the message is one sentence."""


@dataclass(slots=True)
class Learnt:
    """The progress saved between two runs."""

    seed: int
    plan: tuple[int, ...]
    """Games of each generation."""
    digest: str
    """Names the words that the games are played with."""
    generation: int
    """The generation at work, from 0; the length of the plan when all are done."""
    game: int
    """Games finished in this generation."""
    values: Amounts
    """The points of each leave that the generation uses."""
    sums: Amounts
    weights: Amounts
    by_bag: Amounts
    """Number, sum and sum of squares of what racks were worth, by the number of tiles in the bag."""
    outcomes: Amounts
    """Turns, and turns that led to a win (a tie counts half), by unseen tiles and lead + :data:`MAX_SPREAD`."""

    @property
    def done(self) -> bool:
        """Whether the plan is carried out."""
        return self.generation >= len(self.plan)

    @property
    def racks(self) -> int:
        """Racks examined in this generation."""
        return int(self.by_bag[0].sum())


class Learner:
    """Plays the games of a plan, one after the other."""

    def __init__(
        self, rules: Rules, graph: WordGraph, *, longest: int = MAX_TILES, stop: Stop | None = None
    ) -> None:
        """Set up for a game, to learn of leaves of up to ``longest`` tiles.

        Raises:
            AnalysisError: games of this kind are not analyzed.
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
        """Return the values that the generation at work uses."""
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


def write_klv1(leaves: LeaveValues) -> bytes:
    """Return the bytes of a ``.klv`` file, with the values rounded to 256ths of a point.

    Raises:
        LeaveValuesError: a value does not fit, which is so from 128 points on.

    """
    scaled = np.rint(leaves.values * (KLV1_SCALE / MILLIPOINTS))
    if bool(np.any(np.abs(scaled) > np.iinfo(np.int16).max)):
        raise LeaveValuesError("the older leave format holds values below 128 points only")
    values: bytes = scaled.astype("<i2").tobytes()
    return klv_header(leaves) + values


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
    """Read the state of an earlier training; ``blank`` is the initial state of this training.

    Raises:
        LearningError: the file is not such a state, or belongs to another game, other words or another plan.

    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        numbers = arrays["numbers"].tolist()
        digest = arrays["digest"].tobytes().decode()
        selected = {name: arrays[name] for name in ("values", "sums", "weights", "by_bag", "outcomes")}
        version, seed, generation, game, *plan = map(int, numbers)
    except (KeyError, ValueError, OSError, EOFError, TypeError, zipfile.BadZipFile):
        raise LearningError("the file is none that learning can go on from") from None
    if (version, seed, tuple(plan), digest) != (_FORMAT, blank.seed, blank.plan, blank.digest):
        raise LearningError("the file is from another plan, another seed or other words")
    for name, array in selected.items():
        expected = getattr(blank, name)
        if array.shape != expected.shape or array.dtype != expected.dtype:
            raise LearningError("the file is from another game")
    return Learnt(seed, tuple(plan), digest, generation, game, **selected)


def main(typed: Sequence[str] | None = None) -> int:
    """Learn as the command line says."""
    parser = Parser(
        prog="python -m training.leaves",
        description="Learn the values of leaves, and how often a lead wins, from games against itself.",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=Path, required=True, help="a .klv2 or .klv file for the values"
    )
    parser.add_argument(
        "--games",
        metavar="N,N,…",
        type=_plan,
        default=(3000, 6000, 14000),
        help="games of each generation (default: 3000,6000,14000)",
    )
    parser.add_argument(
        "--longest",
        metavar="N",
        type=_tiles,
        default=MAX_TILES,
        help=f"tiles of the longest leave that gets a value (default: {MAX_TILES})",
    )
    parser.add_argument("--win-chances", metavar="FILE", type=Path, help="also write how often a lead wins")
    add_game_options(parser)
    return learn_leaves(parser.parse(sys.argv[1:] if typed is None else typed))


def _tiles(text: str) -> int:
    return whole_number(text, 1, MAX_TILES)


def _plan(text: str) -> tuple[int, ...]:
    return tuple(games(part.strip()) for part in text.split(","))


def _digest(lexicon: Lexicon, rules: Rules) -> str:
    digest = hashlib.sha256(lexicon.graph.nodes.tobytes())
    digest.update(repr(rules).encode())
    return digest.hexdigest()


def learn_leaves(arguments: argparse.Namespace) -> int:
    """Learn; what was learnt is saved beside the output again and again, and the next run continues from there."""
    output: Path = arguments.output
    if output.suffix not in (".klv2", ".klv"):
        print(f"{output}: values of leaves go to a .klv2 or .klv file", file=sys.stderr)
        return INVALID
    saved = output.with_suffix(".learning.npz")
    try:
        lexicon = lexicon_of(arguments)
        rules = rules_of(arguments.board, lexicon)
        learner = Learner(rules, lexicon.graph, longest=arguments.longest)
        learnt = learner.start(arguments.games, arguments.seed, _digest(lexicon, rules))
        if saved.exists():
            learnt = read_learnt(saved.read_bytes(), learnt)
            print(f"continuing from {saved}", file=sys.stderr)
        _learn(learner, learnt, saved)
        _write_learnt(arguments, learner, learnt)
    except (DomainError, LearningError) as error:
        print(f"{error}{f' ({saved})' if isinstance(error, LearningError) else ''}", file=sys.stderr)
        return INVALID
    except OSError as error:
        print(f"{error.filename or output} cannot be used: {error.strerror}", file=sys.stderr)
        return INVALID
    except KeyboardInterrupt:
        print(f"\nstopped; the same command continues from {saved}", file=sys.stderr)
        return INVALID
    saved.unlink(missing_ok=True)
    print(f"{output}: {len(learner.index.leaves):,} leaves")
    return FOUND


def _learn(learner: Learner, learnt: Learnt, saved: Path) -> None:
    """Carry out the plan, saving now and then."""
    played, batch = 0, 1
    start = reported = time.monotonic()
    while not learnt.done:
        generation, before = learnt.generation, learnt.game
        learner.play_generation_on(learnt, batch)
        played += (learnt.plan[generation] if learnt.generation != generation else learnt.game) - before
        now = time.monotonic()
        # Batches of about a second, which is the work a Ctrl-C loses.
        batch = max(1, int(played / max(now - start, 0.001)))
        if now - reported >= SAVE_EVERY or learnt.generation != generation:
            reported = now
            _save(learnt, saved)
            print(
                f"generation {min(learnt.generation + 1, len(learnt.plan))} of {len(learnt.plan)}, "
                f"game {learnt.game:,}, {learnt.racks:,} racks, {played / (now - start):.1f} games a second",
                file=sys.stderr,
            )


def _save(learnt: Learnt, saved: Path) -> None:
    write_files(saved.parent, {saved.name: write_learnt(learnt)})


def _write_learnt(arguments: argparse.Namespace, learner: Learner, learnt: Learnt) -> None:
    output: Path = arguments.output
    leaves: LeaveValues = learner.leaves(learnt)
    data = write_klv1(leaves) if output.suffix == ".klv" else write_klv2(leaves)
    write_files(output.parent, {output.name: data})
    if arguments.win_chances is not None:
        chances = write_win_chances(fit_win_chances(learnt.outcomes))
        write_files(arguments.win_chances.parent, {arguments.win_chances.name: chances.encode()})


if __name__ == "__main__":
    sys.exit(main())
