"""``python -m training.self_play``: compares two strategies in pairs of games.

Both games of a pair start with the same bag. The players swap seats for the second game.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev

from bot.cli.documents import lexicon_of
from bot.cli.parser import CONFIG, FAILURE, SUCCESS, Parser, whole_number
from bot.domain.crossword.rules import (
    SUPER_SUFFIX,
    Rules,
    default_rules,
    distribution_of_layout,
    layout_names,
    load_layout,
)
from bot.domain.reading.problems import DomainError
from bot.engine.analysis import AnalysisOptions
from bot.engine.lexicon.folder import read_leaves
from bot.engine.lexicon.leaves import NO_LEAVES
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.lexicon.spelling import letters_of
from bot.engine.plays.values import SortKey
from training.games import GameRunner, Strategy

REPORT_INTERVAL = 20.0
"""Seconds between reports. ``training.leaves`` saves progress at each report."""
MAX_GAMES = 10_000_000
SIMULATED_PLAY_COUNT = 10
Z_95 = 1.959964
"""Half the width of a 95% confidence interval, in standard errors."""


@dataclass(frozen=True, slots=True)
class PairResult:
    """The totals of a pair of games."""

    wins: float
    """Number of games that the first player won, from 0 to 2. A tie counts as half a win."""
    spread: int
    """The first player's points minus the second player's."""
    scores: tuple[int, int]
    """Points of the first and the second player."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, and half the width of its 95% confidence interval."""

    mean: float
    margin: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The first player's results against the second, per game."""

    pair_count: int
    win_rate: Estimate
    """Share of wins, from 0 to 1. A tie counts as half a win."""
    spread: Estimate
    scores: tuple[float, float]
    """Mean scores of the first and the second player."""


def play_pair(runner: GameRunner, first: Strategy, second: Strategy, seed: int) -> PairResult:
    """Play two games with the same seed. Each player starts one game.

    Raises:
        StoppedError: a game was stopped.

    """
    own_score, other_score = runner.play((first, second), seed).scores
    other_second_score, own_second_score = runner.play((second, first), seed).scores
    wins = _wins(own_score, other_score) + _wins(own_second_score, other_second_score)
    scores = own_score + own_second_score, other_score + other_second_score
    return PairResult(wins, scores[0] - scores[1], scores)


def _wins(own_score: int, other_score: int) -> float:
    return 1.0 if own_score > other_score else 0.5 if own_score == other_score else 0.0


def compare(pairs: Sequence[PairResult]) -> Comparison:
    """Average the results of pairs. A pair counts as one sample, because both games have the same seed."""
    games = 2 * len(pairs)
    scores = sum(pair.scores[0] for pair in pairs) / games, sum(pair.scores[1] for pair in pairs) / games
    return Comparison(
        len(pairs),
        _estimate([pair.wins / 2 for pair in pairs]),
        _estimate([pair.spread / 2 for pair in pairs]),
        scores,
    )


def _estimate(values: Sequence[float]) -> Estimate:
    error = stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.inf
    return Estimate(fmean(values), Z_95 * error)


def add_game_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lexicon", metavar="NAME", help="lexicon (default: from the settings)")
    parser.add_argument(
        "--board", choices=layout_names(), help="board (default: the usual board for the letter distribution)"
    )
    parser.add_argument(
        "--seed", metavar="N", type=whole_number(0), default=1, help="random seed (default: 1)"
    )
    parser.add_argument(*CONFIG[0], **CONFIG[1])


read_game_count = whole_number(1, MAX_GAMES)


def rules_of(board: str | None, lexicon: Lexicon) -> Rules:
    """Return the rules for a board. The default is the usual board for the lexicon's letter distribution."""
    has_super_tiles = lexicon.distribution.name.endswith(SUPER_SUFFIX)
    board = board or ("SuperCrosswordGame" if has_super_tiles else "CrosswordGame")
    layout = load_layout(board)
    layout_distribution = distribution_of_layout(layout)
    # A game's own set of tiles is used only if the lexicon has the same letters.
    if layout_distribution is not None and letters_of(layout_distribution) == letters_of(
        lexicon.distribution
    ):
        return default_rules(layout_distribution, layout)
    return default_rules(lexicon.distribution, layout)


def main(argv: Sequence[str] | None = None) -> int:
    parser = Parser(
        prog="python -m training.self_play",
        description="Let two strategies play against each other, for example with and without leave values.",
    )
    parser.add_argument(
        "--pairs",
        metavar="N",
        type=read_game_count,
        default=1000,
        help="number of pairs of games (default: 1000)",
    )
    parser.add_argument(
        "--leaves",
        metavar="FILE",
        type=Path,
        help="leave values of the first player (default: the lexicon's)",
    )
    parser.add_argument(
        "--against",
        metavar="score|none|static|FILE",
        default="score",
        help="the second player: score makes the play with the highest score (default), none uses no leave values, static uses "
        "the first player's leave values without simulation, and FILE is a file of other leave values",
    )
    parser.add_argument(
        "--simulate",
        metavar="N",
        type=read_game_count,
        help=f"the first player simulates its {SIMULATED_PLAY_COUNT} best plays, with at most N iterations each",
    )
    add_game_options(parser)
    return self_play(parser.parse(sys.argv[1:] if argv is None else argv))


def self_play(arguments: argparse.Namespace) -> int:
    try:
        lexicon, _ = lexicon_of(arguments)
        first, second = _strategies(arguments, lexicon)
        runner = GameRunner(rules_of(arguments.board, lexicon), lexicon.graph)
    except DomainError as error:
        print(error, file=sys.stderr)
        return FAILURE
    pairs = []
    start = last_report = time.monotonic()
    try:
        for number in range(arguments.pairs):
            pairs.append(play_pair(runner, first, second, arguments.seed * MAX_GAMES + number))
            if time.monotonic() - last_report >= REPORT_INTERVAL:
                last_report = time.monotonic()
                wins = 100 * compare(pairs).win_rate.mean
                print(f"{len(pairs):,} of {arguments.pairs:,} pairs, {wins:.1f}% won", file=sys.stderr)
    except KeyboardInterrupt:
        if not pairs:
            return FAILURE
    seconds = time.monotonic() - start
    comparison = compare(pairs)
    print(
        f"pairs of games: {comparison.pair_count:,} in {lexicon.name}, {2 * len(pairs) / seconds:.1f} games per second"
    )
    win_rate, spread = comparison.win_rate, comparison.spread
    print(f"wins: {100 * win_rate.mean:.2f}% ± {100 * win_rate.margin:.2f} (95%)")
    print(f"spread per game: {spread.mean:+.2f} ± {spread.margin:.2f} points (95%)")
    print(f"mean scores: {comparison.scores[0]:.1f} to {comparison.scores[1]:.1f}")
    return SUCCESS


def _strategies(arguments: argparse.Namespace, lexicon: Lexicon) -> tuple[Strategy, Strategy]:
    own_leaves = lexicon.leaves if arguments.leaves is None else read_leaves(arguments.leaves)
    options = None
    if arguments.simulate is not None:
        options = AnalysisOptions(plays=SIMULATED_PLAY_COUNT, seconds=math.inf, iterations=arguments.simulate)
    player = Strategy(own_leaves, simulation=options)
    if arguments.against == "score":
        return player, Strategy(NO_LEAVES, SortKey.SCORE)
    if arguments.against == "none":
        return player, Strategy(NO_LEAVES)
    return player, Strategy(
        own_leaves if arguments.against == "static" else read_leaves(Path(arguments.against))
    )


if __name__ == "__main__":
    sys.exit(main())
