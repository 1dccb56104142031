"""Reviews of chess games: requested, saved and answered."""

from __future__ import annotations

from typing import Any, ClassVar

from bot.chat.markdown import escape
from bot.domain.chess.documents import ChessGame
from bot.domain.chess.moves import play_typed
from bot.domain.notations import CHESS
from bot.engine.uci import ChessAnalysis
from bot.features.analysis.chess import ChessRequest
from bot.features.review.cards import ReviewCards
from bot.features.review.chess.cards import ChessCards
from bot.features.review.chess.review import (
    ChessReviewRequest,
    check_chess_game,
    compared,
    has_evaluations,
    require_engine,
    review_chess,
    told_sights,
)
from bot.features.review.chess.values import BORDERS, ChessReview
from bot.features.review.kinds import Attempt, Judged, Lesson, Reviewing
from bot.features.review.values import Depth, ReviewQuestion
from bot.features.showing.findings import Found
from bot.jobs.queue import Jobs

ATTEMPT_SECONDS = 2.0
"""Seconds that an engine spends on an answer and the best move together."""


class ChessReviewing(Reviewing[ChessReviewRequest, ChessReview]):
    """Reviews chess games by the evaluations in their text, or by the host's engine.

    Without an engine, a lesson recognizes only the best and the made move.
    """

    name: ClassVar[str] = CHESS.name
    result: ClassVar[Any] = ChessReview

    def __init__(
        self,
        jobs: Jobs[ChessReviewRequest, ChessReview, ChessReview],
        engine: Jobs[ChessRequest, None, ChessAnalysis] | None,
    ) -> None:
        super().__init__(jobs, engine)

    def request(self, item: Found, question: ReviewQuestion) -> ChessReviewRequest | None:
        """Return the game; an engine judges a game with evaluations only in a deep review."""
        game = item.document
        if not isinstance(game, ChessGame) or item.going_on:
            return None
        check_chess_game(game)
        has_engine = self.attempts is not None
        if has_evaluations(game) and not (has_engine and question.depth is Depth.DEEP):
            return ChessReviewRequest(game)
        if not has_engine:
            require_engine(None)
        return ChessReviewRequest(game, question.depth)

    def at_once(self, request: ChessReviewRequest) -> ChessReview | None:
        """Return the review by the game's own evaluations."""
        game = request.game
        by_text = request.depth is Depth.QUICK and has_evaluations(game)
        return review_chess(game, told_sights(game)) if by_text else None

    def names(self, request: ChessReviewRequest) -> tuple[tuple[str, ...], ...]:
        """Return the names in the tags."""
        return tuple((request.game.tag(colour),) for colour in ("White", "Black"))

    def label(self, request: ChessReviewRequest) -> tuple[str, str]:
        """Return no lexicon, and the nodes of each move; the review itself names the engine."""
        return "", f"{request.depth.value}:{request.nodes}"

    def seconds(self, request: ChessReviewRequest) -> float:
        """Return the engine's time; 0 for a game with evaluations."""
        return 0.0 if request.depth is Depth.QUICK and has_evaluations(request.game) else request.seconds

    def cards(self, request: ChessReviewRequest, result: ChessReview, question: ReviewQuestion) -> ChessCards:
        """Return the cards of a review."""
        return ChessCards(request, result, question, has_engine=self.attempts is not None)

    def attempt(self, cards: ReviewCards[Any], lesson: Lesson, typed: str) -> Judged | Attempt:
        """Recognize the best and the made move; compare any other move with the best."""
        assert isinstance(cards, ChessCards)  # its own
        say, number = cards.say, lesson.question.moment.turn
        position = cards.game.position_at(number - 1)
        best, move = cards.best(cards.turns[number - 1]), play_typed(position, typed)[0]
        san = escape(move.san)
        if move.uci == best.uci:
            return Judged(say("✅ {move} is the best move.", move=san), right=True)
        if move.uci == cards.game.turns[number - 1].uci:
            return Judged(say("❌ {move} is the move that was played.", move=san))
        unjudged = Judged(say("⬜ {move}: no chess engine is installed to judge it.", move=san))
        if self.attempts is None:
            return unjudged

        def judge(found: ChessAnalysis) -> Judged:
            verdict = compared(found, best.uci, move.uci)
            if verdict is None:
                return unjudged
            lost, as_good = verdict
            percent = say.number(lost, ".1f")
            if as_good:
                words = say(
                    "✅ {move}: as good as the best ({percent} % less win chance).", move=san, percent=percent
                )
            elif lost < BORDERS[-1][0]:
                words = say(
                    "🟡 {move}: better than the move played, but {percent} % less win chance than the best.",
                    move=san,
                    percent=percent,
                )
            else:
                words = say(
                    "❌ {move}: {percent} % less win chance than the best.", move=san, percent=percent
                )
            return Judged(words, right=as_good)

        return Attempt(ChessRequest(position, ATTEMPT_SECONDS, lines=2, moves=(best.uci, move.uci)), judge)
