"""What each kind of game brings along, as far as it is offered: reviews, and lessons from them."""

from __future__ import annotations

from typing import Any

from bot.domain.notations import CHESS, CROSSWORD
from bot.features.analysis.offers import Offers
from bot.features.review.chess.cards import ChessTeaching
from bot.features.review.chess.service import ChessReviewing
from bot.features.review.crossword.lessons import CrosswordTeaching
from bot.features.review.crossword.service import CrosswordReviewing
from bot.features.review.kinds import Reviewing
from bot.features.review.lessons import Teaching


def reviewing(offers: Offers) -> dict[str, Reviewing[Any, Any]]:
    """Return how games are reviewed, by the names of their kinds."""
    kinds: dict[str, Reviewing[Any, Any]] = {}
    if offers.reviews is not None and offers.analysis is not None:
        kinds[CROSSWORD.name] = CrosswordReviewing(offers.reviews, offers.analysis)
    if offers.chess_reviews is not None:
        kinds[CHESS.name] = ChessReviewing(offers.chess_reviews, engine=offers.engine is not None)
    return kinds


def teaching(offers: Offers) -> dict[str, Teaching[Any, Any, Any]]:
    """Return how one learns from reviews, by the names of the kinds of games."""
    kinds: dict[str, Teaching[Any, Any, Any]] = {CHESS.name: ChessTeaching(offers.engine)}
    if offers.attempts is not None and offers.analysis is not None:
        kinds[CROSSWORD.name] = CrosswordTeaching(offers.attempts, offers.analysis)
    return kinds
