"""A ranking of plays as the command line gives it: in columns for people, and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bot.chat.markdown import plain
from bot.cli.columns import columns
from bot.domain.crossword.notation_text import rack_text, spelled_play_text
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import Play
from bot.domain.crossword.position import Position
from bot.domain.reading.problems import ConversionError
from bot.engine.analysis import MILLIPOINTS
from bot.features.analysis.crossword.challenge import challenge_words
from bot.features.analysis.crossword.rankings import (
    RankedPlays,
    Row,
    alike,
    board_after,
    rank_plays,
    row_words,
)
from bot.jobs.analysis import AnalysisResult, Bluff, Challenge, Method, Outcome
from bot.text import speaker

if TYPE_CHECKING:
    from bot.engine.endgame.pre_endgame import PreEndgameResult
    from bot.engine.endgame.result import EndgameResult
    from bot.engine.plays.values import RatedPlay
    from bot.engine.simulation.result import SimulationResult
    from bot.engine.ucgi import Opinion

_LEFT = ("play", "leave")
"""Titles of the columns of words; numbers stand to the right."""


def _play(result: AnalysisResult, play: Play) -> str:
    position = result.request.position
    return spelled_play_text(play, position.board, position.rules.distribution)


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
                "play": _play(result, play.play),
                "score": play.score,
                "leave": _leave(result, play),
                "equity": play.equity / MILLIPOINTS,
            }
            for play in result.plays
        ],
    }
    if result.challenge is not None:
        values["challenge"] = _challenge_json(result, result.challenge)
    if result.bluff is not None:
        values["bluff"] = _bluff_json(result, result.bluff)
    if result.unsolved is not None:
        values["unsolved"] = result.unsolved.message
    if result.opinion is not None:
        values["opinion"] = _opinion_json(result, result.opinion)
    if result.simulation is not None:
        values["simulation"] = _simulation_json(result, result.simulation)
    if result.endgame is not None:
        values["endgame"] = _endgame_json(result, result.endgame)
    if result.pre_endgame is not None:
        values["pre_endgame"] = _pre_endgame_json(result, result.pre_endgame)
    return values


def _outcome_json(outcome: Outcome) -> dict[str, object]:
    return {
        "win": round(outcome.win, 6),
        "win_error": round(outcome.win_error, 6),
        "points": round(outcome.points, 3),
        "points_error": round(outcome.points_error, 3),
    }


def _challenge_json(result: AnalysisResult, challenge: Challenge) -> dict[str, object]:
    without = challenge.without
    off = spelled_play_text(challenge.play_off.play, without.board, without.rules.distribution)
    return {
        "words": list(challenge.words),
        "off": {**_outcome_json(challenge.off), "play": off},
        "stays": {**_outcome_json(challenge.stays), "play": _play(result, challenge.reply.play)},
        "pays_from": {rule.rule: rule.least for rule in challenge.rules},
    }


def _bluff_json(result: AnalysisResult, bluff: Bluff) -> dict[str, object]:
    return {
        "stands": _outcome_json(bluff.stands),
        "off": _outcome_json(bluff.off),
        "best": {**_outcome_json(bluff.best), "play": _play(result, bluff.best_play.play)},
        "pays_from": bluff.least,
    }


def _opinion_json(result: AnalysisResult, opinion: Opinion) -> dict[str, object]:
    return {
        "engine": opinion.engine,
        "play": _play(result, opinion.play),
        "score": opinion.score,
        "win": opinion.win,
        "equity": opinion.equity,
    }


def _endgame_json(result: AnalysisResult, endgame: EndgameResult) -> dict[str, object]:
    return {
        "value": endgame.value,
        "exact": endgame.exact,
        "bound": endgame.bound,
        "line": _line(result, endgame),
        "plays": [
            {"play": _play(result, ranked.play), "value": ranked.value, "exact": ranked.exact}
            for ranked in endgame.ranking
        ],
    }


def _pre_endgame_json(result: AnalysisResult, pre_endgame: PreEndgameResult) -> dict[str, object]:
    return {
        "in_bag": pre_endgame.in_bag,
        "complete": pre_endgame.complete,
        "complete_of_emptying": pre_endgame.emptied,
        "draws": pre_endgame.draws,
        "plays": [
            {
                "play": _play(result, play.play),
                "leaves_in_bag": play.left,
                "wins": play.wins,
                "ties": play.ties,
                "losses": play.losses,
                "undecided": play.undecided,
                "least_wins": play.sure[0],
                "most_wins": play.sure[0] + play.undecided,
                "sampled": play.sampled and [round(bound, 4) for bound in play.sampled],
                "gain": round(play.gain, 3),
                "exact": play.exact,
            }
            for play in pre_endgame.plays
        ],
    }


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
                "play": _play(result, played.play.play),
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


def analysis_lines(result: AnalysisResult) -> Iterator[str]:
    """Yield what people read of a result: the plays as the chat ranks and writes them, and what is to be known beside."""
    say = speaker("en")
    ranked = rank_plays(result, say)
    if text := _cgp(result.request.position):
        yield text
    yield f"{result.lexicon}: {result.placements} placements, {result.exchanges} exchanges"
    for words in challenge_words(result, say):
        yield from map(plain, words.splitlines())
    heads, cells = _columns(result, ranked)
    table = [("", "play", "pts", *heads)]
    listed: list[tuple[int | None, Row]] = list(
        enumerate(ranked.rows[: result.request.options.plays], start=1)
    )
    made = ranked.made
    if made is not None and not any(alike(row.play, made.play) for _, row in listed):
        listed.append((ranked.made_rank, made))
    for rank, row in listed:
        mark = "→" if made is not None and alike(row.play, made.play) else ""
        words = row_words(row, result.request.position, say)
        table.append((f"{mark}{rank or ''}", words, str(row.score), *cells.get(row.play, ("",) * len(heads))))
    yield from columns(table, _LEFT)
    if made is not None:
        place = "" if ranked.made_rank is None else f", no. {ranked.made_rank}"
        loss = f", {plain(ranked.loss)}" if ranked.loss else ""
        yield f"Played: {row_words(made, result.request.position, say)} {made.score:+d}{place}{loss}."
    yield from map(plain, ranked.remarks)


def _columns(
    result: AnalysisResult, ranked: RankedPlays
) -> tuple[tuple[str, ...], dict[Play, tuple[str, ...]]]:
    """Return the titles of the columns beside play and points, and what stands there for each play."""
    if result.endgame is not None:
        return ("gain",), {
            row.play: (f"{row.value:+.0f}{row.cells[1]}",) for row in ranked.rows if row.value is not None
        }
    if result.pre_endgame is not None and result.pre_endgame.in_bag > 1:
        return ("win %", "range", "gain"), {row.play: row.cells for row in ranked.rows}
    if result.pre_endgame is not None:
        return ("won", "tied", "lost", "open", "gain"), {
            play.play: (*map(str, (*play.sure, play.undecided)), f"{play.gain:+.1f}")
            for play in result.pre_endgame.plays
        }
    if ranked.method is Method.SIMULATION and result.simulation is not None:
        return ("win %", "±", "equity", "±", "leave"), {
            played.play.play: (
                f"{100 * played.win:.1f}",
                f"{100 * played.win_error:.1f}",
                f"{played.equity:.1f}",
                f"{played.equity_error:.1f}",
                _leave(result, played.play),
            )
            for played in result.simulation.plays
        }
    rated = (*result.plays, *([result.made] if result.made else ()))
    if not result.request.position.rules.has_known_bag:
        return ("leave",), {play.play: (_leave(result, play),) for play in rated}
    return ("equity", "leave"), {
        play.play: (f"{play.equity / MILLIPOINTS:.1f}", _leave(result, play)) for play in rated
    }
