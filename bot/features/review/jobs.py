"""Reviews as kinds of jobs."""

from __future__ import annotations

from typing import Final

from bot.features.analysis.crossword.request import SPECIAL
from bot.features.review.chess.review import ChessReviewRequest
from bot.features.review.chess.values import ChessReview
from bot.features.review.crossword.values import AttemptRequest, Review, ReviewRequest, TurnReview
from bot.jobs.codec import Codec
from bot.jobs.kinds import JobKind

_CHESS: Final = Codec[ChessReview](ChessReview)
_CROSSWORD: Final = Codec[Review](Review, special=SPECIAL)

CHESS_REVIEW: Final = JobKind("chess_review", Codec[ChessReviewRequest](ChessReviewRequest), _CHESS, _CHESS)
REVIEW: Final = JobKind(
    "review", Codec[ReviewRequest](ReviewRequest, special=SPECIAL), _CROSSWORD, _CROSSWORD
)
ATTEMPT: Final = JobKind(
    "attempt",
    Codec[AttemptRequest](AttemptRequest, special=SPECIAL),
    Codec[float](float),
    Codec[TurnReview](TurnReview, special=SPECIAL),
)
