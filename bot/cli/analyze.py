"""``analyze``: the best plays of the positions in files."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.cli.documents import FOUND, INVALID, found_in_files, local_reader
from bot.cli.parser import seconds_up_to
from bot.cli.ranking import analysis_json, analysis_lines
from bot.cli.words import add_config, lexica_of, needs_analysis, substitution
from bot.config import load_settings
from bot.domain.crossword.game import Game
from bot.domain.crossword.play import Play
from bot.domain.crossword.position import Position
from bot.domain.notations import is_chess
from bot.domain.reading.problems import DomainError, RuleError
from bot.engine.analysis import AnalysisOptions
from bot.features.showing.subjects import turn_to_analyze
from bot.jobs.analysis import MAX_SECONDS, AnalysisRequest, AnalysisResult, Method, perform
from bot.jobs.queue import Control

if TYPE_CHECKING:
    from bot.config import Analysis
    from bot.engine.lexicon.lexica import Lexica
    from bot.features.showing.findings import Found


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("analyze", help="find the best plays of the positions in files")
    parser.add_argument("files", nargs="+", metavar="FILE", help="a file, or - for standard input")
    parser.add_argument(
        "--turn",
        type=_turn,
        metavar="N",
        help="of a game, which turn to judge: what should have been played, and what the play made is worth "
        "(default: the last in which a rack is known)",
    )
    parser.add_argument(
        "--lexicon", default="", metavar="NAME", help="the lexicon (default: the position's own)"
    )
    parser.add_argument(
        "--plays", type=_plays, default=15, metavar="N", help="how many plays to list, or all (default: 15)"
    )
    parser.add_argument(
        "--simulate",
        type=seconds_up_to(MAX_SECONDS),
        metavar="SECONDS",
        help="also play the best on for so long, and rank by wins",
    )
    parser.add_argument(
        "--plies", type=int, choices=range(1, 11), default=2, metavar="N", help="how far (default: 2)"
    )
    parser.add_argument(
        "--infer",
        action="store_true",
        help="have the simulation guess the opponent's tiles from the last play",
    )
    parser.add_argument(
        "--solve",
        type=seconds_up_to(MAX_SECONDS),
        nargs="?",
        const=15.0,
        metavar="SECONDS",
        help="prove the best play when the bag is empty, or with how many draws each wins when one to four tiles are "
        "in it (default: for 15 seconds)",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="what the random numbers begin with")
    parser.add_argument(
        "--json", action="store_true", help="one JSON object for each position, on a line of its own"
    )
    add_config(parser)
    parser.set_defaults(work=needs_analysis(analyze))


def _turn(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= 1_000_000:
        raise argparse.ArgumentTypeError("a whole number from 1 on")
    return int(text[:9])


def _plays(text: str) -> int | None:
    if text == "all":
        return None
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= 1_000_000:
        raise argparse.ArgumentTypeError("a whole number from 1 on, or all")
    return int(text[:9])


def analyze(arguments: argparse.Namespace) -> int:
    """Analyze files; return the worst of their exit codes."""
    lexica = lexica_of(arguments)
    try:
        if arguments.lexicon:
            lexica.find(arguments.lexicon)
    except DomainError as error:
        print(error.message, file=sys.stderr)
        return INVALID
    settings = load_settings(arguments.config).analysis
    worst = FOUND
    with local_reader(arguments.config) as reader:
        for file in found_in_files(arguments.files, reader, nothing="no position"):
            codes = [_analyze(item, file.name, lexica, settings, arguments) for item in file.found]
            worst = max(worst, file.code, *codes)
    return worst


def _analyze(
    item: Found, name: str, lexica: Lexica, settings: Analysis, arguments: argparse.Namespace
) -> int:
    if is_chess(item.document):
        print(f"{name}: this command analyzes crossword games, not chess", file=sys.stderr)
        return INVALID
    options = AnalysisOptions(
        plays=arguments.plays, plies=arguments.plies, infer=arguments.infer, seed=arguments.seed
    )
    try:
        position, made = _asked(item, arguments.turn)
        request = AnalysisRequest(
            position, arguments.lexicon, (settings.lexicon,), options=options, made=made
        )
        result = _perform(request, lexica, settings, arguments)
    except DomainError as error:
        print(f"{name}: {error.message}", file=sys.stderr)
        return INVALID
    if result.missing:
        print(substitution(name, result.missing, result.lexicon), file=sys.stderr)
    if arguments.json:
        print(json.dumps(analysis_json(result), ensure_ascii=False))
    else:
        print("\n".join(analysis_lines(result)))
    return FOUND


def _asked(item: Found, turn: int | None) -> tuple[Position, Play | None]:
    """Return the position to analyze, and the play that was made in it.

    Raises:
        RuleError: the game has no such turn.

    """
    game = item.document
    if not isinstance(game, Game):
        return item.position, None
    # People count turns from 1; a moment is before a turn, the last after all of them.
    moment = turn_to_analyze(item) if turn is None else turn - 1
    if moment > len(game.turns):
        raise RuleError("no-turn", "the game has {turns} turns, not {turn}", turns=len(game.turns), turn=turn)
    position = game.position_at(moment)
    coming = game.turns[moment] if moment < len(game.turns) else None
    return position, coming.play if coming is not None and coming.player == position.on_turn else None


def _perform(
    request: AnalysisRequest, lexica: Lexica, settings: Analysis, arguments: argparse.Namespace
) -> AnalysisResult:
    """Rank by equity, and by the slower methods that were requested."""
    from bot.engine.ucgi import find_command  # noqa: PLC0415 - needs the analysis

    engine = find_command(settings.engine)
    wanted = [(Method.SIMULATION, arguments.simulate), (Method.SOLUTION, arguments.solve)]
    result = perform(request, lexica, Control(lambda _: None))
    for method, seconds in wanted:
        if seconds is not None:
            longer = replace(request, method=method).with_seconds(seconds)
            more = perform(longer, lexica, Control(lambda _: None), engine)
            result = replace(
                result,
                simulation=more.simulation or result.simulation,
                endgame=more.endgame or result.endgame,
                pre_endgame=more.pre_endgame or result.pre_endgame,
                unsolved=more.unsolved or result.unsolved,
                opinion=more.opinion or result.opinion,
                unheard=more.unheard or result.unheard,
            )
    return result
