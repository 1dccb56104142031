"""Finds the games to review, and returns the ways to review and to teach that are installed."""

from __future__ import annotations

from typing import Any

from bot.chat.card import NoAnswerError
from bot.chat.moment import Moment
from bot.chat.style import Style
from bot.domain.chess.documents import ChessGame
from bot.domain.crossword.game import Game
from bot.domain.notations import CHESS, CROSSWORD
from bot.features.analysis.controls import MEANS
from bot.features.review.chess.cards import ChessTeaching
from bot.features.review.chess.service import ChessReviewing
from bot.features.review.crossword.lessons import CrosswordTeaching
from bot.features.review.crossword.service import CrosswordReviewing
from bot.features.review.kinds import Reviewing
from bot.features.review.lessons import Teaching
from bot.features.showing.feature import Host
from bot.features.showing.findings import distinct
from bot.features.showing.reading import Source
from bot.features.showing.service import Showing, why_nothing


def reviewing(host: Host) -> dict[str, Reviewing[Any, Any]]:
    """Return how games are reviewed, by the names of their kinds."""
    kinds: dict[str, Reviewing[Any, Any]] = {}
    jobs, chess_jobs, means = host.jobs.get("review"), host.jobs.get("chess_review"), host.services.of(MEANS)
    if jobs is not None and means is not None:
        kinds[CROSSWORD.name] = CrosswordReviewing(jobs, means)
    if chess_jobs is not None:
        kinds[CHESS.name] = ChessReviewing(chess_jobs, engine="chess" in host.jobs)
    return kinds


def teaching(host: Host) -> dict[str, Teaching[Any, Any, Any]]:
    """Return how one learns from reviews, by the names of the kinds of games."""
    kinds: dict[str, Teaching[Any, Any, Any]] = {CHESS.name: ChessTeaching(host.jobs.get("chess"))}
    jobs, means = host.jobs.get("attempt"), host.services.of(MEANS)
    if jobs is not None and means is not None:
        kinds[CROSSWORD.name] = CrosswordTeaching(jobs, means)
    return kinds


async def games_to_review(showing: Showing, source: Source, style: Style) -> tuple[tuple[Moment, ...], int]:
    """Keep the games of a source; return them, and how many further documents the source has.

    Raises:
        NoAnswerError: there is no game, or the first is unfinished.

    """
    findings = await showing.find_in_private(source)
    if not findings.found:
        raise NoAnswerError(why_nothing(source, findings, style.say))
    games = tuple(item for item in findings.found if isinstance(item.document, Game | ChessGame))
    if not games or games[0].going_on:
        raise NoAnswerError.saying(style.say("Only finished games are reviewed here."))
    kept = distinct(games)
    await showing.keep(source, kept)
    return tuple(Moment(item.digest, 0, spoiler=item.spoiler) for item in kept), findings.unread
