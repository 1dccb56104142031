"""``python -m training.self_play``: two ways of playing compared by pairs of games, the same bag twice with the seats exchanged."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.cli.documents import lexicon_of
from bot.cli.parser import CONFIG, FOUND, INVALID, Parser
from bot.domain.crossword.rules import Rules, default_rules, layout_names, load_layout, set_of_layout
from bot.domain.reading.problems import DomainError
from bot.engine.analysis import AnalysisOptions
from bot.engine.lexicon.folder import read_leaves
from bot.engine.lexicon.leaves import NO_LEAVES
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.lexicon.spelling import letters_of
from bot.engine.plays.values import By
from training.games import Strategy, Table

SAVE_EVERY = 20.0
"""Seconds between two reports of progress; what was learnt is saved as often."""
MAX_GAMES = 10_000_000
SIMULATED_PLAYS = 10
"""Plays that a player who simulates compares."""
Z_95 = 1.959964
"""Standard errors on either side of a mean that hold the truth 95 times in 100."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The first player's total over the two games of a pair."""

    wins: float
    """0 to 2; a tie is half a win."""
    spread: int
    """Points by which the first player led."""
    scores: tuple[int, int]
    """Points of the first and of the second player."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and half the width of its 95 % interval."""

    mean: float
    margin: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The first player's results against the second, per game."""

    pairs: int
    win_rate: Estimate
    """Share of wins, from 0 to 1."""
    spread: Estimate
    """Points."""
    scores: tuple[float, float]
    """Mean points of the first and of the second player."""


def play_pair(table: Table, first: Strategy, second: Strategy, seed: int) -> Pair:
    """Play a game twice, each player beginning once. Draws depend on ``seed`` and the plays.

    Raises:
        StoppedError: it was stopped.

    """
    own, other = table.play((first, second), seed).scores
    other_again, own_again = table.play((second, first), seed).scores
    wins = _wins(own, other) + _wins(own_again, other_again)
    scores = own + own_again, other + other_again
    return Pair(wins, scores[0] - scores[1], scores)


def _wins(own: int, other: int) -> float:
    return 1.0 if own > other else 0.5 if own == other else 0.0


def compare(pairs: Sequence[Pair]) -> Comparison:
    """Sum pairs up; the two games of a pair have luck in common, so the errors are those of pairs."""
    games = 2 * len(pairs)
    scores = sum(pair.scores[0] for pair in pairs) / games, sum(pair.scores[1] for pair in pairs) / games
    return Comparison(
        len(pairs),
        _estimate([pair.wins / 2 for pair in pairs]),
        _estimate([pair.spread / 2 for pair in pairs]),
        scores,
    )


def _estimate(values: Sequence[float]) -> Estimate:
    mean = sum(values) / len(values)
    if len(values) < 2:
        return Estimate(mean, math.inf)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return Estimate(mean, Z_95 * math.sqrt(variance / len(values)))


def add_game_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the lexicon, the board and the seed."""
    parser.add_argument("--lexicon", metavar="NAME", help="the lexicon (default: as set)")
    parser.add_argument(
        "--board", choices=layout_names(), help="the board (default: the usual one of the distribution)"
    )
    parser.add_argument("--seed", metavar="N", type=_seed, default=1, help="another seed, other games (1)")
    parser.add_argument(*CONFIG[0], **CONFIG[1])


def whole_number(text: str, minimum: int, maximum: int) -> int:
    """Read a whole number of the command line."""
    if text.isascii() and text.isdigit() and len(text) < 10 and minimum <= int(text) <= maximum:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {minimum:,} to {maximum:,}")


def games(text: str) -> int:
    """Read a number of games."""
    return whole_number(text, 1, MAX_GAMES)


def _seed(text: str) -> int:
    return whole_number(text, 0, 1_000_000)


def rules_of(board: str | None, lexicon: Lexicon) -> Rules:
    """Return the rules of a board, by default the usual one of the lexicon's distribution."""
    large = lexicon.distribution.name.endswith("_super")
    board = board or ("SuperCrosswordGame" if large else "CrosswordGame")
    layout = load_layout(board)
    made_for = set_of_layout(layout)
    # A board with tiles of its own is played with them, where the lexicon has their letters.
    own = made_for is not None and letters_of(made_for) == letters_of(lexicon.distribution)
    return default_rules(made_for if made_for is not None and own else lexicon.distribution, layout)


def main(typed: Sequence[str] | None = None) -> int:
    """Play pairs of games and print the first player's results."""
    parser = Parser(
        prog="python -m training.self_play",
        description="Play games against itself, to see what leave values are worth.",
    )
    parser.add_argument(
        "--pairs", metavar="N", type=games, default=1000, help="pairs of games, seats exchanged (1000)"
    )
    parser.add_argument(
        "--leaves", metavar="FILE", type=Path, help="leave values of the player (default: the lexicon's)"
    )
    parser.add_argument(
        "--against",
        metavar="score|none|static|FILE",
        default="score",
        help="the other player: goes by score alone (default), by equity without leave values, with the same, or a file's",
    )
    parser.add_argument(
        "--simulate",
        metavar="N",
        type=games,
        help=f"the player simulates its {SIMULATED_PLAYS} best plays: at most this number of iterations of each",
    )
    add_game_options(parser)
    return self_play(parser.parse(sys.argv[1:] if typed is None else typed))


def self_play(arguments: argparse.Namespace) -> int:
    """Let two players play pairs of games and print the results of the first."""
    try:
        lexicon = lexicon_of(arguments)
        first, second = _players(arguments, lexicon)
        table = Table(rules_of(arguments.board, lexicon), lexicon.graph)
    except DomainError as error:
        print(error, file=sys.stderr)
        return INVALID
    pairs = []
    start = reported = time.monotonic()
    try:
        for number in range(arguments.pairs):
            pairs.append(play_pair(table, first, second, arguments.seed * MAX_GAMES + number))
            if time.monotonic() - reported >= SAVE_EVERY:
                reported = time.monotonic()
                wins = 100 * compare(pairs).win_rate.mean
                print(f"{len(pairs):,} of {arguments.pairs:,} pairs, {wins:.1f} % won", file=sys.stderr)
    except KeyboardInterrupt:
        if not pairs:
            return INVALID
    seconds = time.monotonic() - start
    result = compare(pairs)
    print(f"{result.pairs:,} pairs of games in {lexicon.name}, {2 * len(pairs) / seconds:.1f} games a second")
    win_rate, spread = result.win_rate, result.spread
    print(f"wins: {100 * win_rate.mean:.2f} % ± {100 * win_rate.margin:.2f} (95 %)")
    print(f"spread a game: {spread.mean:+.2f} ± {spread.margin:.2f} points (95 %)")
    print(f"mean scores: {result.scores[0]:.1f} to {result.scores[1]:.1f}")
    return FOUND


def _players(arguments: argparse.Namespace, lexicon: Lexicon) -> tuple[Strategy, Strategy]:
    """Return the two players.

    Raises:
        DomainError: a file of leave values cannot be read.

    """
    own = lexicon.leaves if arguments.leaves is None else read_leaves(arguments.leaves)
    options = None
    if arguments.simulate is not None:
        options = AnalysisOptions(plays=SIMULATED_PLAYS, seconds=math.inf, iterations=arguments.simulate)
    player = Strategy(own, simulation=options)
    if arguments.against == "score":
        return player, Strategy(NO_LEAVES, By.SCORE)
    if arguments.against == "none":
        return player, Strategy(NO_LEAVES)
    return player, Strategy(own if arguments.against == "static" else read_leaves(Path(arguments.against)))


if __name__ == "__main__":
    sys.exit(main())
