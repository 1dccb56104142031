"""Reviews as texts to be kept, and read again by the same version of Kibitz."""

from __future__ import annotations

from functools import cache

from pydantic import TypeAdapter

from bot.features.review.chess.values import ChessReview
from bot.features.review.crossword.values import Review


def write_review(review: Review) -> str:
    """Write a review of a crossword game."""
    return _crossword().dump_json(review).decode()


def read_review(text: str) -> Review:
    """Read a review of a crossword game.

    Raises:
        ValueError: it is none of this version.

    """
    return _crossword().validate_json(text)


def write_chess_review(review: ChessReview) -> str:
    """Write a review of a chess game."""
    return _chess().dump_json(review).decode()


def read_chess_review(text: str) -> ChessReview:
    """Read a review of a chess game.

    Raises:
        ValueError: it is none of this version.

    """
    return _chess().validate_json(text)


@cache
def _crossword() -> TypeAdapter[Review]:
    return TypeAdapter(Review)


@cache
def _chess() -> TypeAdapter[ChessReview]:
    return TypeAdapter(ChessReview)
