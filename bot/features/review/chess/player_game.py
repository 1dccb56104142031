"""What a review says of White and Black, to be put beside other games."""

from __future__ import annotations

from bot.domain.chess.game import ChessGame
from bot.domain.chess.position import Ending
from bot.features.review.chess.values import ChessReview
from bot.features.review.together import PlayerGame

_WON = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5)}


def chess_player_games(review: ChessReview, game: ChessGame) -> tuple[PlayerGame, ...]:
    """Return White and Black of a reviewed game."""
    last = game.position_at(len(game.turns))
    result = game.result
    if result not in _WON and last.ending is not None:
        mated = last.ending is Ending.CHECKMATE
        result = "1/2-1/2" if not mated else "0-1" if last.white_to_move else "1-0"
    return tuple(
        PlayerGame(
            player.name or colour,
            won=won,
            accuracy=player.accuracy,
            centipawns_lost=player.acpl,
            blunders=player.blunders,
        )
        for player, colour, won in zip(
            review.players, ("White", "Black"), _WON.get(result, (0.0, 0.0)), strict=True
        )
    )
