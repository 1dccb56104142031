"""Reviews as a feature of the bot."""

from __future__ import annotations

from functools import partial
from typing import Any

from bot.chat.card import Moment
from bot.chat.control import Control
from bot.domain.chess.documents import ChessGame
from bot.domain.crossword.game import Game
from bot.features.analysis.controls import FAIRNESS, MEANS, UNDER_WAY
from bot.features.review.cards import Reviewing
from bot.features.review.chess.cards import ChessReviewing
from bot.features.review.chess.review import check_chess_game, has_evaluations
from bot.features.review.commands import ReviewCommands, collect_own
from bot.features.review.controls import LESSONS, OWN_GAMES, REVIEWS, ReviewGame
from bot.features.review.crossword.service import CrosswordReviewing
from bot.features.review.crossword.values import check_game
from bot.features.review.lessons import Lessons
from bot.features.review.own_games import OwnGames
from bot.features.review.service import Reviews
from bot.features.review.values import ReviewError
from bot.features.showing.controls import SHOWING
from bot.features.showing.feature import Feature, Host
from bot.features.showing.findings import Found


def _open(host: Host) -> None:
    services, showing = host.services, host.services[SHOWING]
    reviews = Reviews(
        host.desk,
        _kinds(host),
        showing.viewing,
        showing.links,
        services[FAIRNESS],
        under_way=services[UNDER_WAY],
    )
    services.add(REVIEWS, reviews)
    services.add(LESSONS, Lessons(reviews))
    services.add(OWN_GAMES, OwnGames(reviews, host.store))
    services.after_answer.append(collect_own)
    showing.offered.append(
        partial(offers, analysis=services.of(MEANS) is not None, engine="chess" in host.jobs)
    )


def _kinds(host: Host) -> dict[str, Reviewing[Any, Any]]:
    """Return how this host reviews games, by the names of their kinds."""
    kinds: list[Reviewing[Any, Any]] = []
    jobs, chess_jobs, means = host.jobs.get("review"), host.jobs.get("chess_review"), host.services.of(MEANS)
    if jobs is not None and means is not None:
        kinds.append(CrosswordReviewing(jobs, host.jobs.get("attempt"), means))
    if chess_jobs is not None:
        kinds.append(ChessReviewing(chess_jobs, host.jobs.get("chess")))
    return {kind.name: kind for kind in kinds}


def offers(
    item: Found, moment: Moment, number: int | None = None, *, analysis: bool, engine: bool
) -> tuple[Control, ...]:
    """Return the button that reviews a finished game.

    A crossword game needs ``analysis``; a chess game needs an ``engine``, or evaluations in its text.
    """
    game = item.document
    if number is not None:
        return ()
    try:
        if isinstance(game, Game) and analysis and not item.going_on and moment.side is None:
            check_game(game)
        elif isinstance(game, ChessGame) and ((engine and not item.going_on) or has_evaluations(game)):
            check_chess_game(game)
        else:
            return ()
    except ReviewError:
        return ()
    return (ReviewGame(Moment(moment.digest, 0, spoiler=moment.spoiler)),)


FEATURE = Feature("review", _open, (ReviewCommands,))
