"""``learn-leaves`` and ``self-play``: what the engine learns by playing against itself."""

from __future__ import annotations

import argparse
import hashlib
import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.documents import FOUND, INVALID
from bot.cli.words import add_config, lexicon_of, needs_analysis
from bot.domain.crossword.layouts import layout_names, load_layout
from bot.domain.crossword.rules import Rules, set_of_layout, usual_rules
from bot.domain.reading.problems import DomainError

if TYPE_CHECKING:
    from bot.engine.learning.learn import Learner, Learnt
    from bot.engine.learning.self_play import Strategy
    from bot.engine.lexicon.leaves.values import LeaveValues
    from bot.engine.lexicon.lexica import Lexicon

SAVE_EVERY = 20.0
"""Seconds between two reports of progress; what was learnt is saved as often."""
MAX_GAMES = 10_000_000
MAX_TILES = 6
SIMULATED = 10
"""Plays that a player who simulates compares."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands."""
    learn = commands.add_parser(
        "learn-leaves",
        help="learn the values of leaves, and how often a lead wins, from games against itself",
    )
    learn.add_argument(
        "-o", "--output", metavar="FILE", type=Path, required=True, help="a .klv2 or .klv file for the values"
    )
    learn.add_argument(
        "--games",
        metavar="N,N,…",
        type=_plan,
        default=(3000, 6000, 14000),
        help="games of each generation (default: 3000,6000,14000)",
    )
    learn.add_argument(
        "--longest",
        metavar="N",
        type=_tiles,
        default=MAX_TILES,
        help=f"tiles of the longest leave that gets a value (default: {MAX_TILES})",
    )
    learn.add_argument("--win-chances", metavar="FILE", type=Path, help="also write how often a lead wins")
    learn.set_defaults(work=needs_analysis(learn_leaves))

    play = commands.add_parser(
        "self-play", help="play games against itself, to see what leave values are worth"
    )
    play.add_argument(
        "--pairs", metavar="N", type=_games, default=1000, help="pairs of games, seats exchanged (1000)"
    )
    play.add_argument(
        "--leaves", metavar="FILE", type=Path, help="leave values of the player (default: the lexicon's)"
    )
    play.add_argument(
        "--against",
        metavar="score|none|static|FILE",
        default="score",
        help="the other player: goes by score alone (default), by equity without leave values, with the same, or a file's",
    )
    play.add_argument(
        "--simulate",
        metavar="N",
        type=_games,
        help=f"the player simulates its {SIMULATED} best plays: so many iterations of each at most",
    )
    play.set_defaults(work=needs_analysis(self_play))

    for command in (learn, play):
        command.add_argument("--lexicon", metavar="NAME", help="the lexicon (default: as set)")
        command.add_argument(
            "--board", choices=layout_names(), help="the board (default: the usual one of the distribution)"
        )
        command.add_argument(
            "--seed", metavar="N", type=_seed, default=1, help="another seed, other games (1)"
        )
        add_config(command)


def _number(text: str, least: int, most: int) -> int:
    if text.isascii() and text.isdigit() and len(text) < 10 and least <= int(text) <= most:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least:,} to {most:,}")


def _games(text: str) -> int:
    return _number(text, 1, MAX_GAMES)


def _seed(text: str) -> int:
    return _number(text, 0, 1_000_000)


def _tiles(text: str) -> int:
    return _number(text, 1, MAX_TILES)


def _plan(text: str) -> tuple[int, ...]:
    return tuple(_number(part.strip(), 1, MAX_GAMES) for part in text.split(","))


def _rules(arguments: argparse.Namespace, lexicon: Lexicon) -> Rules:
    from bot.engine.lexicon.lookup import letters_of  # noqa: PLC0415 - needs the analysis

    large = lexicon.distribution.name.endswith("_super")
    board = arguments.board or ("SuperCrosswordGame" if large else "CrosswordGame")
    layout = load_layout(board)
    made_for = set_of_layout(layout)
    # A board with tiles of its own is played with them, where the lexicon has their letters.
    own = made_for is not None and letters_of(made_for) == letters_of(lexicon.distribution)
    return usual_rules(made_for if made_for is not None and own else lexicon.distribution, layout)


def _digest(lexicon: Lexicon, rules: Rules) -> str:
    digest = hashlib.sha256(lexicon.graph.nodes.tobytes())
    digest.update(repr(rules).encode())
    return digest.hexdigest()


def learn_leaves(arguments: argparse.Namespace) -> int:
    """Learn; what was learnt is saved beside the output again and again, and the next run continues from there."""
    from bot.engine.learning.learn import Learner, LearningError, read_learnt  # noqa: PLC0415 - needs the analysis

    output: Path = arguments.output
    if output.suffix not in (".klv2", ".klv"):
        print(f"{output}: values of leaves go to a .klv2 or .klv file", file=sys.stderr)
        return INVALID
    saved = output.with_suffix(".learning.npz")
    try:
        lexicon = lexicon_of(arguments)
        rules = _rules(arguments, lexicon)
        learner = Learner(rules, lexicon.graph, longest=arguments.longest)
        learnt = learner.start(arguments.games, arguments.seed, _digest(lexicon, rules))
        if saved.exists():
            learnt = read_learnt(saved.read_bytes(), learnt)
            print(f"going on from {saved}", file=sys.stderr)
        _learn(learner, learnt, saved)
        _write_learnt(arguments, learner, learnt)
    except (DomainError, LearningError) as error:
        print(f"{error}{f' ({saved})' if isinstance(error, LearningError) else ''}", file=sys.stderr)
        return INVALID
    except OSError as error:
        print(f"{error.filename or output} cannot be used: {error.strerror}", file=sys.stderr)
        return INVALID
    except KeyboardInterrupt:
        print(f"\nstopped; the same command goes on from {saved}", file=sys.stderr)
        return INVALID
    saved.unlink(missing_ok=True)
    print(f"{output}: {len(learner.index.leaves):,} leaves")
    return FOUND


def _learn(learner: Learner, learnt: Learnt, saved: Path) -> None:
    """Carry out the plan, saving now and then."""
    games, batch = 0, 1
    start = reported = time.monotonic()
    while not learnt.done:
        generation, before = learnt.generation, learnt.game
        learner.play_generation_on(learnt, batch)
        games += (learnt.plan[generation] if learnt.generation != generation else learnt.game) - before
        now = time.monotonic()
        # Batches of about a second: what a Ctrl-C costs is what was not saved.
        batch = max(1, int(games / max(now - start, 0.001)))
        if now - reported >= SAVE_EVERY or learnt.generation != generation:
            reported = now
            _save(learnt, saved)
            print(
                f"generation {min(learnt.generation + 1, len(learnt.plan))} of {len(learnt.plan)}, "
                f"game {learnt.game:,}, {learnt.racks:,} racks, {games / (now - start):.1f} games a second",
                file=sys.stderr,
            )


def _save(learnt: Learnt, saved: Path) -> None:
    from bot.engine.learning.learn import write_learnt  # noqa: PLC0415 - needs the analysis
    from bot.engine.lexicon.folder import write_files  # noqa: PLC0415

    write_files(saved.parent, {saved.name: write_learnt(learnt)})


def _write_learnt(arguments: argparse.Namespace, learner: Learner, learnt: Learnt) -> None:
    from bot.engine.lexicon.folder import write_files  # noqa: PLC0415
    from bot.engine.lexicon.leaves.file import write_klv1, write_klv2  # noqa: PLC0415 - needs the analysis
    from bot.engine.simulation.win_chances import fit_win_chances, write_win_chances  # noqa: PLC0415

    output: Path = arguments.output
    leaves: LeaveValues = learner.leaves(learnt)
    data = write_klv1(leaves) if output.suffix == ".klv" else write_klv2(leaves)
    write_files(output.parent, {output.name: data})
    if arguments.win_chances is not None:
        chances = write_win_chances(fit_win_chances(learnt.outcomes))
        write_files(arguments.win_chances.parent, {arguments.win_chances.name: chances.encode()})


def self_play(arguments: argparse.Namespace) -> int:
    """Let two players play pairs of games and print the results of the first."""
    from bot.engine.learning.comparison import compare, play_pair  # noqa: PLC0415 - needs the analysis
    from bot.engine.learning.self_play import Table  # noqa: PLC0415

    try:
        lexicon = lexicon_of(arguments)
        first, second = _players(arguments, lexicon)
        table = Table(_rules(arguments, lexicon), lexicon.graph)
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
    from bot.engine.learning.self_play import Strategy  # noqa: PLC0415
    from bot.engine.lexicon.leaves.values import NO_LEAVES  # noqa: PLC0415 - needs the analysis
    from bot.engine.lexicon.lexica import read_leaves  # noqa: PLC0415
    from bot.engine.options import AnalysisOptions  # noqa: PLC0415
    from bot.engine.plays.values import By  # noqa: PLC0415

    own = lexicon.leaves if arguments.leaves is None else read_leaves(arguments.leaves)
    options = None
    if arguments.simulate is not None:
        options = AnalysisOptions(plays=SIMULATED, seconds=math.inf, iterations=arguments.simulate)
    player = Strategy(own, simulation=options)
    if arguments.against == "score":
        return player, Strategy(NO_LEAVES, By.SCORE)
    if arguments.against == "none":
        return player, Strategy(NO_LEAVES)
    return player, Strategy(own if arguments.against == "static" else read_leaves(Path(arguments.against)))
