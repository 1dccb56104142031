"""What a review says of each player, to be put beside other games."""

from __future__ import annotations

from bot.features.review.crossword.values import Review
from bot.features.review.together import PlayerGame


def player_games(review: Review) -> tuple[PlayerGame, ...]:
    """Return the players of a reviewed game, by seat."""
    best = max(review.scores)
    shared = review.scores.count(best)
    return tuple(
        PlayerGame(
            player.name,
            won=1 / shared if score == best else 0.0,
            accuracy=player.accuracy,
            mistake_index=player.mistake_index,
            bingos=player.bingos,
            missed_bingos=player.missed_bingos,
            luck=player.luck,
            points=score,
        )
        for player, score in zip(review.players, review.scores, strict=True)
    )
