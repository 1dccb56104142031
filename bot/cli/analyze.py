"""``analyze``: the best plays of the positions in files."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.cli.documents import (
    FOUND,
    INVALID,
    MAX_DOCUMENTS,
    NOTHING,
    FileError,
    further,
    local_service,
    read_bytes,
    refusals,
)
from bot.cli.ranking import analysis_json, analysis_lines
from bot.cli.words import add_config, needs_analysis
from bot.config import load_settings
from bot.domain.crossword.game import Game
from bot.domain.crossword.play import Play
from bot.domain.crossword.position import Position
from bot.domain.notations import is_chess
from bot.domain.reading.problems import DomainError, RuleError
from bot.engine.options import AnalysisOptions
from bot.jobs.analysis import MAX_SECONDS, AnalysisRequest, AnalysisResult, Method, perform
from bot.jobs.queue import Control
from bot.service import Attachment, Service, Source
from bot.service.subjects import turn_to_analyze

if TYPE_CHECKING:
    from bot.answers.findings import Found
    from bot.engine.lexicon.lexica import Lexica


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
        type=_seconds,
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
        type=_seconds,
        nargs="?",
        const=15.0,
        metavar="SECONDS",
        help="prove the best play when at most one tile is in the bag (default: for 15 seconds)",
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


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= MAX_SECONDS:
        raise argparse.ArgumentTypeError(f"seconds, over 0 and up to {MAX_SECONDS:g}")
    return seconds


def analyze(arguments: argparse.Namespace) -> int:
    """Analyze files; return the worst of their exit codes."""
    from bot.engine.lexicon.lexica import Lexica  # noqa: PLC0415 - needs the analysis

    settings = load_settings(arguments.config).analysis
    lexica = Lexica(settings.lexica, max_loaded=settings.lexica_loaded, aliases=settings.aliases)
    try:
        if arguments.lexicon:
            lexica.find(arguments.lexicon)
    except DomainError as error:
        print(error.message, file=sys.stderr)
        return INVALID
    worst = FOUND
    with local_service() as service:
        for name in arguments.files:
            worst = max(worst, _analyze_file(name, service, lexica, settings.lexicon, arguments))
    return worst


def _analyze_file(
    name: str, service: Service, lexica: Lexica, preferred: str, arguments: argparse.Namespace
) -> int:
    try:
        data = read_bytes(name)
    except FileError as error:
        print(error, file=sys.stderr)
        return INVALID
    source = Source("", (Attachment(name, data),), most=MAX_DOCUMENTS)
    findings = asyncio.run(service.find(source))
    for line in refusals(name, findings):
        print(line, file=sys.stderr)
    if findings.beyond:
        print(f"{name}: {further(findings.beyond)}", file=sys.stderr)
    code = INVALID if findings.refused else FOUND if findings.found else NOTHING
    if not findings.found and not findings.refused:
        print(f"{name}: no position", file=sys.stderr)
    for item in findings.found:
        if is_chess(item.document):
            print(f"{name}: this command analyzes crossword games, not chess", file=sys.stderr)
            code = INVALID
            continue
        options = AnalysisOptions(
            plays=arguments.plays, plies=arguments.plies, infer=arguments.infer, seed=arguments.seed
        )
        try:
            position, made = _asked(item, arguments.turn)
            request = AnalysisRequest(position, arguments.lexicon, (preferred,), options=options, made=made)
            result = _perform(request, lexica, arguments)
        except DomainError as error:
            print(f"{name}: {error.message}", file=sys.stderr)
            code = INVALID
            continue
        if result.missing:
            print(
                f"{name}: {result.missing} is not installed: {result.lexicon}, words may differ",
                file=sys.stderr,
            )
        if arguments.json:
            print(json.dumps(analysis_json(result), ensure_ascii=False))
        else:
            print("\n".join(analysis_lines(result)))
    return code


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


def _perform(request: AnalysisRequest, lexica: Lexica, arguments: argparse.Namespace) -> AnalysisResult:
    """Rank by equity, and by the slower methods that were requested."""
    wanted = [(Method.SIMULATION, arguments.simulate), (Method.SOLUTION, arguments.solve)]
    result = perform(request, lexica, Control(lambda _: None))
    for method, seconds in wanted:
        if seconds is not None:
            longer = replace(request, method=method).with_seconds(seconds)
            more = perform(longer, lexica, Control(lambda _: None))
            result = replace(
                result,
                simulation=more.simulation or result.simulation,
                endgame=more.endgame or result.endgame,
                pre_endgame=more.pre_endgame or result.pre_endgame,
                unsolved=more.unsolved or result.unsolved,
            )
    return result
