"""``analyze``: the best plays of the positions in files."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.answers.crossword.rankings import board_after
from bot.cli.documents import (
    FOUND,
    INVALID,
    MAX_DOCUMENTS,
    NOTHING,
    FileError,
    further,
    local_service,
    read_bytes,
)
from bot.cli.words import add_config, needs_analysis
from bot.config import load_settings
from bot.domain.crossword.notation_text import rack_text, spelled_play_text
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.position import Position
from bot.domain.notations import is_chess
from bot.domain.reading.problems import ConversionError, DomainError
from bot.engine.options import AnalysisOptions
from bot.engine.units import MILLIPOINTS
from bot.jobs.analysis import MAX_SECONDS, AnalysisRequest, AnalysisResult, Method, perform
from bot.jobs.queue import Control
from bot.service import Attachment, Service, Source

if TYPE_CHECKING:
    from bot.engine.endgame.solve import EndgameResult
    from bot.engine.lexicon.lexica import Lexica
    from bot.engine.plays.values import RatedPlay
    from bot.engine.simulation.result import SimulationResult


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("analyze", help="find the best plays of the positions in files")
    parser.add_argument("files", nargs="+", metavar="FILE", help="a file, or - for standard input")
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
    for refused in findings.refused:
        print(f"{name}: {refused.error.message} (line {refused.error.line})", file=sys.stderr)
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
        request = AnalysisRequest(
            item.position,
            arguments.lexicon,
            (preferred,),
            options=AnalysisOptions(
                plays=arguments.plays, plies=arguments.plies, infer=arguments.infer, seed=arguments.seed
            ),
        )
        try:
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
            print("\n".join(_lines(result)))
    return code


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


def _play(result: AnalysisResult, play: RatedPlay) -> str:
    position = result.request.position
    return spelled_play_text(play.play, position.board, position.rules.distribution)


def _leave(result: AnalysisResult, play: RatedPlay) -> str:
    return rack_text(play.leave, result.request.position.rules.distribution)


def analysis_json(result: AnalysisResult) -> dict[str, object]:
    """Return a result as JSON values; equities are in points."""
    values: dict[str, object] = {
        "cgp": _cgp(result.request.position),
        "lexicon": result.lexicon,
        "count": result.placements,
        "exchanges": result.exchanges,
        "plays": [
            {
                "play": _play(result, play),
                "score": play.score,
                "leave": _leave(result, play),
                "equity": play.equity / MILLIPOINTS,
            }
            for play in result.plays
        ],
    }
    if result.unsolved is not None:
        values["unsolved"] = result.unsolved.message
    if result.simulation is not None:
        values["simulation"] = _simulation_json(result, result.simulation)
    if result.endgame is not None:
        values["endgame"] = {
            "value": result.endgame.value,
            "exact": result.endgame.exact,
            "bound": result.endgame.bound,
            "line": _line(result, result.endgame),
            "plays": [
                {
                    "play": spelled_play_text(
                        ranked.play, result.request.position.board, result.request.position.rules.distribution
                    ),
                    "value": ranked.value,
                    "exact": ranked.exact,
                }
                for ranked in result.endgame.ranking
            ],
        }
    if result.pre_endgame is not None:
        values["pre_endgame"] = {
            "complete": result.pre_endgame.complete,
            "draws": result.pre_endgame.draws,
            "plays": [
                {
                    "play": spelled_play_text(
                        play.play, result.request.position.board, result.request.position.rules.distribution
                    ),
                    "wins": play.wins,
                    "ties": play.ties,
                    "losses": play.losses,
                    "undecided": play.undecided,
                    "least_wins": play.sure[0],
                    "most_wins": play.sure[0] + play.undecided,
                    "gain": round(play.gain, 3),
                }
                for play in result.pre_endgame.plays
            ],
        }
    return values


def _line(result: AnalysisResult, endgame: EndgameResult) -> list[str]:
    """Return the plays of a line as text, each on the board of its turn."""
    position = result.request.position
    board = position.board
    plays = []
    for turn in endgame.line:
        plays.append(spelled_play_text(turn.play, board, position.rules.distribution))
        board = board_after(board, turn.play)
    return plays


def _simulation_json(result: AnalysisResult, simulation: SimulationResult) -> dict[str, object]:
    return {
        "plies": simulation.plies,
        "rollouts": simulation.rollouts,
        "ended": simulation.ending.value if simulation.ending else None,
        "plays": [
            {
                "play": _play(result, played.play),
                "iterations": played.iterations,
                "win": round(played.win, 6),
                "win_error": round(played.win_error, 6),
                "equity": round(played.equity, 3),
                "equity_error": round(played.equity_error, 3),
                "dropped": played.dropped,
                "plies": [
                    {"score": round(ply.score, 3), "bingos": round(ply.bingos, 4)} for ply in played.plies
                ],
            }
            for played in simulation.plays
        ],
    }


def _cgp(position: Position) -> str | None:
    try:
        return cgp.write(position)
    except ConversionError:
        return None


def _lines(result: AnalysisResult) -> Iterator[str]:
    if text := _cgp(result.request.position):
        yield text
    yield f"{result.lexicon}: {result.placements} placements, {result.exchanges} exchanges"
    if result.unsolved is not None:
        yield f"not solved: {result.unsolved.message}"
    if result.endgame is not None:
        proved = "proved" if result.endgame.exact else "not proved"
        yield f"endgame: {result.endgame.value:+d}, {proved}: {', '.join(_line(result, result.endgame))}"
    if result.pre_endgame is not None:
        proved = "proved" if result.pre_endgame.complete else "not proved"
        yield f"one tile in the bag, any of {result.pre_endgame.draws}; {proved}"
        yield from _pre_endgame_table(result)
    elif result.simulation is None:
        yield from _table(
            ("play", "score", "leave", "equity"),
            [
                (
                    _play(result, play),
                    str(play.score),
                    _leave(result, play),
                    f"{play.equity / MILLIPOINTS:.3f}",
                )
                for play in result.plays
            ],
        )
    if result.simulation is None:
        return
    yield f"{result.simulation.rollouts} rollouts of {result.simulation.plies} plies"
    yield from _table(
        ("play", "score", "wins", "equity", "±", "iterations"),
        [
            (
                _play(result, played.play),
                str(played.play.score),
                f"{100 * played.win:.2f} %",
                f"{played.equity:.2f}",
                f"{played.equity_error:.2f}",
                str(played.iterations),
            )
            for played in result.simulation.plays
        ],
    )


def _pre_endgame_table(result: AnalysisResult) -> Iterator[str]:
    assert result.pre_endgame is not None
    position = result.request.position
    return _table(
        ("play", "score", "won", "tied", "lost", "open", "gain"),
        [
            (
                spelled_play_text(play.play, position.board, position.rules.distribution),
                str(play.score),
                *map(str, (*play.sure, play.undecided)),
                f"{play.gain:+.1f}",
            )
            for play in result.pre_endgame.plays[: result.request.options.plays]
        ],
    )


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    """Lay out rows in columns: words to the left, numbers to the right."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    for row in (head, *rows):
        cells = [
            cell.ljust(width) if title in ("play", "leave") else cell.rjust(width)
            for title, cell, width in zip(head, row, widths, strict=True)
        ]
        yield "  ".join(cells).rstrip()
