"""The button that reviews put under a finished game."""

from __future__ import annotations

from bot.chat.control import Control
from bot.chat.moment import Moment
from bot.domain.chess.documents import UNKNOWN_RESULT, ChessGame
from bot.domain.crossword.game import Game
from bot.features.review.chess.review import has_evaluations
from bot.features.review.controls import ReviewGame
from bot.features.review.crossword.values import is_reviewed
from bot.features.showing.chess.page import MAX_TURN
from bot.features.showing.findings import Found


def offers(
    item: Found, moment: Moment, number: int | None = None, *, analysis: bool, engine: bool
) -> tuple[Control, ...]:
    """Offer to review a game that is over: with the analysis, an engine, or the evaluations in a chess game."""
    game = item.document
    if number is not None:
        return ()
    if isinstance(game, Game):
        can_be = analysis and not item.going_on and bool(game.turns) and moment.side is None
        is_offered = can_be and is_reviewed(game)
    else:
        can_be = isinstance(game, ChessGame) and ((engine and not item.going_on) or has_evaluations(game))
        is_offered = can_be and isinstance(game, ChessGame) and _is_over(game)
    return (ReviewGame(Moment(moment.digest, 0, spoiler=moment.spoiler)),) if is_offered else ()


def _is_over(game: ChessGame) -> bool:
    last = len(game.turns)
    if game.result != UNKNOWN_RESULT:
        return last > 0
    return 0 < last <= MAX_TURN and game.position_at(last).ending is not None
