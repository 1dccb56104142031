"""``analyze``: finds the best plays for positions in files, and prints a table or JSON."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bot.chat.markdown import strip_markdown
from bot.cli.documents import (
    compile_parts,
    find_in_files,
    lexica_of,
    local_reader,
    print_error,
    substitution_text,
)
from bot.cli.parser import (
    CONFIG,
    FAILURE,
    SUCCESS,
    argument,
    command,
    seconds_up_to,
    table_lines,
    whole_number,
)
from bot.config import Analysis, load_settings
from bot.domain.crossword.game import Game, board_after
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import Play
from bot.domain.crossword.play_text import engine_play_text, rack_text
from bot.domain.crossword.position import Position
from bot.domain.notations import is_chess
from bot.domain.reading.problems import DomainError, RuleError
from bot.engine.analysis import MILLIPOINTS, AnalysisOptions
from bot.engine.installed import find_command
from bot.features.analysis.crossword.analyze import analyze_position
from bot.features.analysis.crossword.challenge import describe_challenge_and_bluff
from bot.features.analysis.crossword.rankings import (
    Ranking,
    Row,
    are_same_except_blanks,
    rank_plays,
)
from bot.features.analysis.crossword.request import (
    MAX_SECONDS,
    AnalysisRequest,
    AnalysisResult,
    Bluff,
    Challenge,
    Method,
)
from bot.features.showing.subjects import turn_to_analyze
from bot.jobs.queue import JobControl
from bot.text import translator

if TYPE_CHECKING:
    from bot.engine.endgame.result import EndgameResult, PreEndgameResult
    from bot.engine.lexicon.lexica import Lexica
    from bot.engine.simulation.result import SimulatedPlay, SimulationResult
    from bot.engine.ucgi import Opinion
    from bot.features.showing.findings import FoundDocument


def _parse_plays_limit(text: str) -> int | None:
    try:
        return None if text == "all" else whole_number(1)(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error} or 'all'") from None


@command(
    "analyze",
    argument(
        "files", nargs="+", metavar="FILE", help="a file, a folder, a ZIP archive, or - for standard input"
    ),
    argument(
        "--turn",
        type=whole_number(1),
        metavar="N",
        help="number of the turn to analyze (default: the last turn with a known rack)",
    ),
    argument("--lexicon", default="", metavar="NAME", help="lexicon (default: the lexicon of the position)"),
    argument(
        "--plays",
        type=_parse_plays_limit,
        default=15,
        metavar="N",
        help="number of plays to list, or 'all' (default: 15)",
    ),
    argument(
        "--simulate",
        type=seconds_up_to(MAX_SECONDS),
        metavar="SECONDS",
        help="also simulate the best plays for this many seconds, and rank them by win chance",
    ),
    argument(
        "--plies",
        type=int,
        choices=range(1, 11),
        default=2,
        metavar="N",
        help="number of plies to simulate (default: 2)",
    ),
    argument(
        "--infer",
        action="store_true",
        help="let the simulation infer the opponent's tiles from the last play",
    ),
    argument(
        "--solve",
        type=seconds_up_to(MAX_SECONDS),
        nargs="?",
        const=15.0,
        metavar="SECONDS",
        help="solve an endgame, or a pre-endgame with one to four tiles in the bag, in at most this many seconds (default: 15)",
    ),
    argument("--seed", type=int, default=0, metavar="N", help="random seed (default: 0)"),
    argument("--json", action="store_true", help="print a line of JSON for each position"),
    CONFIG,
)
def analyze(arguments: argparse.Namespace) -> int:
    """Analyze files, and return the worst exit code."""
    lexica = lexica_of(arguments)
    if arguments.lexicon:
        lexica.find(arguments.lexicon)  # fails if it is not installed
    settings = load_settings(arguments.config).analysis
    exit_code = SUCCESS
    with local_reader(arguments.config) as reader:
        for name, documents, code in find_in_files(arguments.files, reader, if_empty="no position"):
            exit_code = max(exit_code, code)
            for found in documents:
                try:
                    _analyze(found, name, lexica, settings, arguments)
                except DomainError as error:
                    print_error(f"{name}: {error.message}")
                    exit_code = FAILURE
    return exit_code


def _analyze(
    found: FoundDocument, name: str, lexica: Lexica, settings: Analysis, arguments: argparse.Namespace
) -> None:
    if is_chess(found.document):
        raise DomainError("chess", "this command analyzes crossword games, not chess")
    position, made_play = _position_to_analyze(found, arguments.turn)
    request = AnalysisRequest(
        position,
        arguments.lexicon,
        (settings.lexicon,),
        options=AnalysisOptions(
            plays=arguments.plays, plies=arguments.plies, infer=arguments.infer, seed=arguments.seed
        ),
        made_play=made_play,
    )
    slow_methods = {
        part: (method, seconds)
        for part, method, seconds in (
            ("simulation", Method.SIMULATION, arguments.simulate),
            ("endgame", Method.SOLUTION, arguments.solve),
        )
        if seconds
    }
    compile_parts("plays", *slow_methods, *(("inference",) if arguments.infer and arguments.simulate else ()))
    result = analyze_position(request, lexica, JobControl())
    for method, seconds in slow_methods.values():
        slow_request = replace(request, method=method).with_seconds(seconds)
        slow_result = analyze_position(slow_request, lexica, JobControl(), find_command(settings.engine))
        fields = ("simulation", "endgame", "pre_endgame", "unsolved_reason", "opinion", "no_opinion_reason")
        outcomes = ((field, getattr(slow_result, field)) for field in fields)
        result = replace(result, **{field: outcome for field, outcome in outcomes if outcome})
    if result.missing_lexicon:
        print_error(substitution_text(name, result.missing_lexicon, result.lexicon))
    if arguments.json:
        print(json.dumps(analysis_json(result), ensure_ascii=False))
    else:
        print("\n".join(analysis_lines(result)))


def _position_to_analyze(found: FoundDocument, turn: int | None) -> tuple[Position, Play | None]:
    """Return the position to analyze, and the play made there, if known."""
    game = found.document
    if not isinstance(game, Game):
        return found.position, None
    # Users count turns from 1. Moment 0 is before the first turn, and the last moment is after all turns.
    moment = turn_to_analyze(found) if turn is None else turn - 1
    if moment > len(game.turns):
        raise RuleError(
            "no-turn", "there is no turn {turn}; the last turn is {turns}", turns=len(game.turns), turn=turn
        )
    position = game.position_at(moment)
    next_turn = game.turns[moment] if moment < len(game.turns) else None
    return (
        position,
        next_turn.play if next_turn is not None and next_turn.seat == position.on_turn else None,
    )


def _play_text(result: AnalysisResult, play: Play) -> str:
    position = result.request.position
    return engine_play_text(play, position.board, position.rules.distribution)


def analysis_json(result: AnalysisResult) -> dict[str, object]:
    """Return a result as JSON values. Equities are in points."""
    values: dict[str, object] = {
        "cgp": cgp.write_or_none(result.request.position),
        "lexicon": result.lexicon,
        "count": result.placement_count,
        "exchanges": result.exchange_count,
        "plays": [
            {
                "play": _play_text(result, play.play),
                "score": play.score,
                "leave": rack_text(play.leave, result.request.position.rules.distribution),
                "equity": play.equity / MILLIPOINTS,
            }
            for play in result.plays
        ],
    }
    json_writers: Mapping[str, Callable[[AnalysisResult, Any], object]] = {
        "challenge": _challenge_json,
        "bluff": _bluff_json,
        "opinion": _opinion_json,
        "simulation": _simulation_json,
        "endgame": _endgame_json,
        "pre_endgame": _pre_endgame_json,
    }
    if result.unsolved_reason is not None:
        values["unsolved"] = result.unsolved_reason.message
    named_parts = ((name, to_json, getattr(result, name)) for name, to_json in json_writers.items())
    return values | {name: to_json(result, part) for name, to_json, part in named_parts if part is not None}


def _outcome_json(outcome: SimulatedPlay) -> dict[str, object]:
    return {
        "win": round(outcome.win, 6),
        "win_error": round(outcome.win_error, 6),
        "points": round(outcome.equity, 3),
        "points_error": round(outcome.equity_error, 3),
    }


def _challenge_json(result: AnalysisResult, challenge: Challenge) -> dict[str, object]:
    distribution = result.request.position.rules.distribution
    return {
        "words": list(challenge.words),
        "off": {
            **_outcome_json(challenge.best_if_off),
            "play": engine_play_text(challenge.best_if_off.play.play, challenge.board, distribution),
        },
        "stays": {
            **_outcome_json(challenge.best_if_stays),
            "play": _play_text(result, challenge.best_if_stays.play.play),
        },
        "pays_from": dict(challenge.rules),
    }


def _bluff_json(result: AnalysisResult, bluff: Bluff) -> dict[str, object]:
    return {
        "stands": _outcome_json(bluff.if_unchallenged),
        "off": _outcome_json(bluff.if_challenged_off),
        "best": {**_outcome_json(bluff.best), "play": _play_text(result, bluff.best.play.play)},
        "pays_from": bluff.min_chance,
    }


def _opinion_json(result: AnalysisResult, opinion: Opinion) -> dict[str, object]:
    return {
        "engine": opinion.engine,
        "play": _play_text(result, opinion.play),
        "score": opinion.score,
        "win": opinion.win,
        "equity": opinion.equity,
    }


def _endgame_json(result: AnalysisResult, endgame: EndgameResult) -> dict[str, object]:
    board, distribution = result.request.position.board, result.request.position.rules.distribution
    line = []
    for turn in endgame.line:
        line.append(engine_play_text(turn.play, board, distribution))
        board = board_after(board, turn.play)
    return {
        "value": endgame.value,
        "exact": endgame.exact,
        "bound": endgame.lower_bound,
        "line": line,
        "plays": [
            {
                "play": _play_text(result, ranked_play.play),
                "value": ranked_play.value,
                "exact": ranked_play.exact,
            }
            for ranked_play in endgame.ranking
        ],
    }


def _pre_endgame_json(result: AnalysisResult, pre_endgame: PreEndgameResult) -> dict[str, object]:
    return {
        "in_bag": pre_endgame.bag_count,
        "complete": pre_endgame.is_best_proved,
        "complete_of_emptying": pre_endgame.is_best_emptying_play,
        "draws": pre_endgame.total_weight,
        "plays": [
            {
                "play": _play_text(result, play.play),
                "leaves_in_bag": play.left_in_bag,
                "wins": play.wins,
                "ties": play.ties,
                "losses": play.losses,
                "undecided": play.undecided_weight,
                "least_wins": play.proved_weights[0],
                "most_wins": play.proved_weights[0] + play.undecided_weight,
                "sampled": play.sampled_bounds and [round(bound, 4) for bound in play.sampled_bounds],
                "gain": round(play.gain, 3),
                "exact": play.exact,
            }
            for play in pre_endgame.plays
        ],
    }


def _simulation_json(result: AnalysisResult, simulation: SimulationResult) -> dict[str, object]:
    return {
        "plies": simulation.plies,
        "rollouts": simulation.rollouts,
        "ended": simulation.ending.value if simulation.ending else None,
        "plays": [
            {
                "play": _play_text(result, simulated.play.play),
                "iterations": simulated.iterations,
                "win": round(simulated.win, 6),
                "win_error": round(simulated.win_error, 6),
                "equity": round(simulated.equity, 3),
                "equity_error": round(simulated.equity_error, 3),
                "dropped": simulated.dropped,
                "plies": [
                    {"score": round(ply.score, 3), "bingos": round(ply.bingo_share, 4)}
                    for ply in simulated.plies
                ],
            }
            for simulated in simulation.plays
        ],
    }


def analysis_lines(result: AnalysisResult) -> Iterator[str]:
    """Yield a result as lines of text: a table of the ranked plays, and the same remarks as in chat."""
    translate = translator("en")
    ranking = rank_plays(result, translate)
    if text := cgp.write_or_none(result.request.position):
        yield text
    yield f"{result.lexicon}: {result.placement_count} placements, {result.exchange_count} exchanges"
    if result.challenge or result.bluff:
        for paragraph in describe_challenge_and_bluff(result, translate):
            yield from map(strip_markdown, paragraph.splitlines())
    titles, cells_by_play = _columns(result, ranking)
    table = [("", "play", "pts", *titles)]
    ranked_rows: list[tuple[int | None, Row]] = list(
        enumerate(ranking.rows[: result.request.options.plays], start=1)
    )
    played_row = ranking.played_row
    if played_row is not None and not any(
        are_same_except_blanks(row.play, played_row.play) for _, row in ranked_rows
    ):
        ranked_rows.append((ranking.played_rank, played_row))
    for rank, row in ranked_rows:
        mark = "→" if played_row is not None and are_same_except_blanks(row.play, played_row.play) else ""
        row_cells = cells_by_play.get(row.play, ("",) * len(titles))
        table.append((f"{mark}{rank or ''}", row.text, str(row.score), *row_cells))
    yield from table_lines(table, ("play", "leave"))
    if played_row is not None:
        rank_text = "" if ranking.played_rank is None else f", no. {ranking.played_rank}"
        loss = f", {strip_markdown(ranking.loss)}" if ranking.loss else ""
        yield f"Played: {played_row.text} {played_row.score:+d}{rank_text}{loss}."
    yield from map(strip_markdown, ranking.remarks)


def _columns(result: AnalysisResult, ranking: Ranking) -> tuple[tuple[str, ...], dict[Play, tuple[str, ...]]]:
    """Return the titles of the columns to the right of "pts", and each play's cells in these columns."""
    rules = result.request.position.rules
    if result.pre_endgame is not None and result.pre_endgame.bag_count == 1:
        return ("won", "tied", "lost", "open", "gain"), {
            play.play: (*map(str, (*play.proved_weights, play.undecided_weight)), f"{play.gain:+.1f}")
            for play in result.pre_endgame.plays
        }
    if ranking.method is Method.SOLUTION:
        return tuple(column.heading for column in ranking.columns), {
            row.play: row.cells() for row in ranking.rows
        }
    if ranking.method is Method.SIMULATION and result.simulation is not None:
        return ("win %", "±", "equity", "±", "leave"), {
            simulated.play.play: (
                f"{100 * simulated.win:.1f}",
                f"{100 * simulated.win_error:.1f}",
                f"{simulated.equity:.1f}",
                f"{simulated.equity_error:.1f}",
                rack_text(simulated.play.leave, rules.distribution),
            )
            for simulated in result.simulation.plays
        }
    rated_plays = {
        rated.play: rated for rated in (*result.plays, *([result.made_play] if result.made_play else ()))
    }
    leave_texts = {play: rack_text(rated.leave, rules.distribution) for play, rated in rated_plays.items()}
    if not rules.distribution.has_known_bag:
        return ("leave",), {play: (leave,) for play, leave in leave_texts.items()}
    return ("equity", "leave"), {
        play: (f"{rated_plays[play].equity / MILLIPOINTS:.1f}", leave) for play, leave in leave_texts.items()
    }
