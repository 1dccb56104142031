"""``python -m training.leaves``: learns the values of leaves, and how often a lead wins, from self-play games.

Before every turn, until the bag is empty, some racks are drawn at random from the tiles that are not on the board, and the best
play for each rack is found. The worth of a rack is the equity of this play minus the mean equity for earlier racks drawn with
the same number of tiles in the bag. The value of a leave is the mean worth of the racks that contain it.

Equity depends on the values of leaves, so the values are learned in generations, starting with 0 for all leaves. (The
superleaves of Quackle and MAGPIE, in contrast, are learned from the racks that occur in the games.)
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
from bot.cli.parser import FAILURE, SUCCESS, Parser, whole_number
from bot.domain.crossword.rules import Rules
from bot.domain.reading.problems import DomainError
from bot.engine.analysis import MILLIPOINTS, Stop
from bot.engine.lexicon.builder import build_dawg
from bot.engine.lexicon.folder import write_files
from bot.engine.lexicon.leaves import (
    KLV1_SCALE,
    LeaveValues,
    LeaveValuesError,
    klv2_bytes,
    klv_header,
    leave_values_by_rank,
)
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.simulation.win_chances import MAX_LEAD
from training.games import GameRunner, GameState, Strategy
from training.kernels import add_to_leave_sums
from training.leave_index import MAX_LEAVE_SIZE, Doubles, LeaveIndex, estimate, leave_index
from training.self_play import REPORT_INTERVAL, add_game_options, read_game_count, rules_of
from training.win_chances import fit_win_chances, format_win_chances

RACKS_PER_TURN = 3
_FORMAT_VERSION = 1
_TILE_LIMIT = 256
"""A game must have fewer tiles than this."""


class LearningError(Exception):
    """A game is not supported, or training cannot resume from the saved progress."""


@dataclass(slots=True)
class Progress:
    """The state of the training, saved between runs."""

    seed: int
    game_counts: tuple[int, ...]
    """Number of games in each generation."""
    digest: str
    """Hash of the lexicon and the rules."""
    generation: int
    """The current generation, counting from 0. After the last generation, this is the number of generations."""
    games_played: int
    """Number of games played in this generation."""
    values: Doubles
    """The value of each leave, in points."""
    sums: Doubles
    sample_counts: Doubles
    """``sums`` and ``sample_counts`` are the sum and the number of each leave's samples in this generation."""
    rack_statistics: Doubles
    """The number of racks, the sum of their equities and the sum of the squared equities, by number of tiles in the bag, in this
    generation.
    """
    outcomes: Doubles
    """The number of turns in this generation, and the number of turns whose player won the game (a tie counts as half). Both are
    indexed by the number of unseen tiles and by the player's lead plus :data:`MAX_LEAD`.
    """

    @property
    def is_done(self) -> bool:
        return self.generation >= len(self.game_counts)

    @property
    def rack_count(self) -> int:
        return int(self.rack_statistics[0].sum())


class Learner:
    """Learns the values of leaves of up to ``max_leave_size`` tiles by self-play."""

    def __init__(
        self,
        rules: Rules,
        graph: WordGraph,
        *,
        max_leave_size: int = MAX_LEAVE_SIZE,
        stop: Stop | None = None,
    ) -> None:
        if rules.distribution.total >= _TILE_LIMIT:
            raise LearningError(f"games with {rules.distribution.total} tiles are not supported")
        self.index: LeaveIndex = leave_index(rules.distribution, rules.rack_size, max_size=max_leave_size)
        self._runner = GameRunner(rules, graph, stop=stop or Stop())
        self._nodes = build_dawg(self.index.leaves)
        self._rack_size = rules.rack_size

    def initial_progress(self, game_counts: Sequence[int], seed: int, digest: str) -> Progress:
        leave_count = len(self.index.leaves)
        return Progress(
            seed,
            tuple(game_counts),
            digest,
            generation=0,
            games_played=0,
            values=np.zeros(leave_count),
            sums=np.zeros(leave_count),
            sample_counts=np.zeros(leave_count),
            rack_statistics=np.zeros((3, _TILE_LIMIT)),
            outcomes=np.zeros((2, _TILE_LIMIT, 2 * MAX_LEAD + 1)),
        )

    def leaves(self, progress: Progress) -> LeaveValues:
        return leave_values_by_rank(self._nodes, progress.values)

    def continue_generation(self, progress: Progress, max_games: int) -> None:
        """Play up to ``max_games`` more games of the current generation. If all its games have been played, end the generation.

        Raises:
            StoppedError: a game was stopped. ``progress`` contains part of this game, and must be discarded.

        """
        strategy = Strategy(self.leaves(progress))
        for game in range(
            progress.games_played,
            min(progress.games_played + max_games, progress.game_counts[progress.generation]),
        ):
            watcher = _SampleCollector(
                progress, strategy, f"{progress.seed} {progress.generation} {game}", self._rack_size
            )
            finished_game = self._runner.play(
                (strategy, strategy),
                (progress.seed << 40) + (progress.generation << 32) + game,
                watcher=watcher,
            )
            watcher.count_leads(finished_game.scores)
            progress.games_played = game + 1
        if progress.games_played >= progress.game_counts[progress.generation]:
            self._end_generation(progress)

    def _end_generation(self, progress: Progress) -> None:
        counts, sums, square_sums = progress.rack_statistics
        is_filled = counts > 0
        variance = float(
            np.sum(square_sums[is_filled] - sums[is_filled] ** 2 / counts[is_filled]) / max(1.0, counts.sum())
        )
        values = estimate(self.index, progress.sums, progress.sample_counts, variance)
        progress.values = np.round(values, 3)
        progress.generation += 1
        progress.games_played = 0
        if not progress.is_done:
            for array in (progress.sums, progress.sample_counts, progress.rack_statistics, progress.outcomes):
                array[:] = 0


class _SampleCollector:
    def __init__(self, progress: Progress, strategy: Strategy, seed: str, rack_size: int) -> None:
        self._progress = progress
        self._strategy = strategy
        self._rng = random.Random(seed)  # noqa: S311 - a game, not a secret
        self._rack_size = rack_size
        self._leads: list[tuple[int, int, int]] = []

    def __call__(self, runner: GameRunner, state: GameState) -> None:
        mover = state.on_turn
        unseen = len(state.bag) + len(state.racks[1 - mover])
        self._leads.append((mover, unseen, state.scores[mover] - state.scores[1 - mover]))
        if not state.bag:
            return
        tiles = state.bag + state.racks[0] + state.racks[1]
        for _ in range(RACKS_PER_TURN):
            self._evaluate_rack(runner, self._rng.sample(tiles, self._rack_size), len(state.bag))

    def _evaluate_rack(self, runner: GameRunner, tiles: list[int], bag_count: int) -> None:
        progress, buffers = self._progress, runner.buffers
        slot = runner.find_best(tiles, self._strategy, bag_count=bag_count)
        points = float(buffers.keys[2 * slot]) / MILLIPOINTS
        statistics = progress.rack_statistics[:, bag_count]
        mean = statistics[1] / statistics[0] if statistics[0] else points
        add_to_leave_sums(
            runner.arrays.game,
            buffers.rack,
            buffers.paths,
            self._strategy.leaves.nodes,
            progress.sums,
            progress.sample_counts,
            points - mean,
        )
        statistics += (1.0, points, points**2)

    def count_leads(self, scores: tuple[int, int]) -> None:
        for mover, unseen, lead in self._leads:
            final = scores[mover] - scores[1 - mover]
            column = max(-MAX_LEAD, min(MAX_LEAD, lead)) + MAX_LEAD
            self._progress.outcomes[0, unseen, column] += 1
            self._progress.outcomes[1, unseen, column] += 1.0 if final > 0 else 0.5 if final == 0 else 0.0


def klv1_bytes(leaves: LeaveValues) -> bytes:
    """Return the bytes of a ``.klv`` file, with values rounded to 256ths of a point.

    Raises:
        LeaveValuesError: a value is outside the range of the format (-128 to 128 points).

    """
    scaled_values = np.rint(leaves.values * (KLV1_SCALE / MILLIPOINTS))
    if bool(np.any(np.abs(scaled_values) > np.iinfo(np.int16).max)):
        raise LeaveValuesError("the .klv format can hold only values between -128 and 128 points")
    values: bytes = scaled_values.astype("<i2").tobytes()
    return klv_header(leaves) + values


def progress_bytes(progress: Progress) -> bytes:
    numbers = np.array(
        [_FORMAT_VERSION, progress.seed, progress.generation, progress.games_played, *progress.game_counts],
        dtype=np.int64,
    )
    file = io.BytesIO()
    np.savez(
        file,
        numbers=numbers,
        digest=np.frombuffer(progress.digest.encode(), dtype=np.uint8),
        values=progress.values,
        sums=progress.sums,
        weights=progress.sample_counts,
        by_bag=progress.rack_statistics,
        outcomes=progress.outcomes,
    )
    return file.getvalue()


def read_progress(data: bytes, initial: Progress) -> Progress:
    """Read the progress of an earlier run. ``initial`` is the progress before the first game.

    Raises:
        LearningError: the file does not contain progress, or was written by another version or with other options.

    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        numbers = arrays["numbers"].tolist()
        digest = arrays["digest"].tobytes().decode()
        stored_arrays = {name: arrays[name] for name in ("values", "sums", "outcomes")}
        stored_arrays["sample_counts"] = arrays["weights"]
        stored_arrays["rack_statistics"] = arrays["by_bag"]
        version, seed, generation, games_played, *game_counts = map(int, numbers)
    except (KeyError, ValueError, OSError, EOFError, TypeError, zipfile.BadZipFile):
        raise LearningError("training can't resume from this file") from None
    if (version, seed, tuple(game_counts), digest) != (
        _FORMAT_VERSION,
        initial.seed,
        initial.game_counts,
        initial.digest,
    ):
        raise LearningError(
            "the file was written by another version of this program, or with a different --lexicon, --board, --games or --seed"
        )
    for name, array in stored_arrays.items():
        expected_array = getattr(initial, name)
        if array.shape != expected_array.shape or array.dtype != expected_array.dtype:
            raise LearningError("the file was written with a different --longest")
    return Progress(seed, tuple(game_counts), digest, generation, games_played, **stored_arrays)


def main(argv: Sequence[str] | None = None) -> int:
    parser = Parser(
        prog="python -m training.leaves",
        description="Learn the values of leaves, and how often a lead wins, from self-play games.",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=Path, required=True, help="output file: .klv2 or .klv"
    )
    parser.add_argument(
        "--games",
        metavar="N,N,…",
        type=_read_game_counts,
        default=(3000, 6000, 14000),
        help="number of games in each generation (default: 3000,6000,14000)",
    )
    parser.add_argument(
        "--longest",
        metavar="N",
        type=whole_number(1, MAX_LEAVE_SIZE),
        default=MAX_LEAVE_SIZE,
        help=f"maximum number of tiles in a leave that gets a value (default: {MAX_LEAVE_SIZE})",
    )
    parser.add_argument("--win-chances", metavar="FILE", type=Path, help="also write how often a lead wins")
    add_game_options(parser)
    return learn_leaves(parser.parse(sys.argv[1:] if argv is None else argv))


def _read_game_counts(text: str) -> tuple[int, ...]:
    return tuple(read_game_count(part.strip()) for part in text.split(","))


def learn_leaves(arguments: argparse.Namespace) -> int:
    """Learn leave values, and write them. Progress is saved beside the output, so that a stopped run can be continued."""
    output: Path = arguments.output
    if output.suffix not in (".klv2", ".klv"):
        print(f"{output}: leave values are written to a .klv2 or .klv file", file=sys.stderr)
        return FAILURE
    progress_file = output.with_suffix(".learning.npz")
    try:
        lexicon, _ = lexicon_of(arguments)
        rules = rules_of(arguments.board, lexicon)
        learner = Learner(rules, lexicon.graph, max_leave_size=arguments.longest)
        words_and_rules = lexicon.graph.nodes.tobytes() + repr(rules).encode()
        digest = hashlib.sha256(words_and_rules).hexdigest()
        progress = learner.initial_progress(arguments.games, arguments.seed, digest)
        if progress_file.exists():
            progress = read_progress(progress_file.read_bytes(), progress)
            print(f"continuing from {progress_file}", file=sys.stderr)
        _learn(learner, progress, progress_file)
        _write_results(arguments, learner, progress)
    except (DomainError, LearningError) as error:
        print(f"{error}{f' ({progress_file})' if isinstance(error, LearningError) else ''}", file=sys.stderr)
        return FAILURE
    except OSError as error:
        print(f"{error.filename or output} can't be used: {error.strerror}", file=sys.stderr)
        return FAILURE
    except KeyboardInterrupt:
        if progress_file.exists():
            print(f"\nstopped; the same command continues from {progress_file}", file=sys.stderr)
        else:
            print("\nstopped before any progress was saved", file=sys.stderr)
        return FAILURE
    progress_file.unlink(missing_ok=True)
    print(f"{output}: {len(learner.index.leaves):,} leaves")
    return SUCCESS


def _learn(learner: Learner, progress: Progress, progress_file: Path) -> None:
    played_count, batch_size = 0, 1
    start = last_report = time.monotonic()
    while not progress.is_done:
        generation, games_before = progress.generation, progress.games_played
        learner.continue_generation(progress, batch_size)
        played_count += (
            progress.game_counts[generation] if progress.generation != generation else progress.games_played
        ) - games_before
        now = time.monotonic()
        # A batch takes about a second. Ctrl-C loses all games since the last report.
        batch_size = max(1, int(played_count / max(now - start, 0.001)))
        if now - last_report >= REPORT_INTERVAL or progress.generation != generation:
            last_report = now
            write_files(progress_file.parent, {progress_file.name: progress_bytes(progress)})
            print(
                f"generation {min(progress.generation + 1, len(progress.game_counts))} of {len(progress.game_counts)}, "
                f"game {progress.games_played:,}, {progress.rack_count:,} racks, {played_count / (now - start):.1f} games per second",
                file=sys.stderr,
            )


def _write_results(arguments: argparse.Namespace, learner: Learner, progress: Progress) -> None:
    output: Path = arguments.output
    leaves: LeaveValues = learner.leaves(progress)
    data = klv1_bytes(leaves) if output.suffix == ".klv" else klv2_bytes(leaves)
    write_files(output.parent, {output.name: data})
    if arguments.win_chances is not None:
        chances = format_win_chances(fit_win_chances(progress.outcomes))
        write_files(arguments.win_chances.parent, {arguments.win_chances.name: chances.encode()})


if __name__ == "__main__":
    sys.exit(main())
