"""How one learns from chess games."""

from __future__ import annotations

from bot.chat.reply import Reply
from bot.chat.style import Style
from bot.domain.chess.game import ChessMove
from bot.domain.chess.moves import play_typed
from bot.engine.uci import ChessAnalysis
from bot.features.analysis.chess.job import ChessRequest
from bot.features.review.chess.attempt import compared
from bot.features.review.chess.job import ChessReviewRequest
from bot.features.review.chess.lesson_card import (
    answer_chess_lesson,
    best_move,
    found_move_words,
    move_attempt_words,
    played_move_words,
)
from bot.features.review.chess.review import lessons
from bot.features.review.chess.values import ChessReview
from bot.features.review.lesson_card import Lesson
from bot.features.review.teaching import Attempt, Judged, Teaching
from bot.features.showing.chess.words import player_name
from bot.text import Speaker

SECONDS = 2.0
"""How long an engine looks at a move and the best one."""


class ChessTeaching(Teaching[ChessReviewRequest, ChessReview, ChessAnalysis]):
    """Compares moves by the host's engine; without one only the best move and the one that was made are known."""

    def turns(self, result: ChessReview, request: ChessReviewRequest, seat: int) -> tuple[int, ...]:
        """Return the moves that lost most, as far as a better one is known."""
        del request
        return lessons(result, white=not seat)

    def player(self, request: ChessReviewRequest, seat: int, say: Speaker) -> str:
        """Return a player's name."""
        return player_name(request.game, say, white=not seat)

    def answer(self, result: ChessReview, request: ChessReviewRequest, lesson: Lesson, style: Style) -> Reply:
        """Show a turn."""
        return answer_chess_lesson(result, request.game, lesson, style)

    def attempt(
        self, result: ChessReview, request: ChessReviewRequest, lesson: Lesson, typed: str, style: Style
    ) -> Judged | Attempt:
        """Tell at once whether it is the best move, or the one that was made."""
        say, number = style.say, lesson.moment.turn
        turn, position = result.moves[number - 1], request.game.position_at(number - 1)
        best, move = best_move(position, turn), play_typed(position, typed)[0]
        if move.uci == best.uci:
            return Judged(found_move_words(move.san, say), right=True)
        if move.uci == request.game.turns[number - 1].uci:
            return Judged(played_move_words(move.san, say))
        if self.jobs is None:
            return Judged(move_attempt_words(None, move.san, say))
        work = ChessRequest(position, SECONDS, lines=2, moves=(best.uci, move.uci))
        return Attempt(work, (best, move))

    def judged(
        self,
        result: ChessReview,
        request: ChessReviewRequest,
        lesson: Lesson,
        attempt: Attempt,
        found: ChessAnalysis,
        *,
        say: Speaker,
    ) -> Judged:
        """Tell how much a move is worse than the best."""
        del result, request, lesson
        best, move = attempt.about
        assert isinstance(best, ChessMove) and isinstance(move, ChessMove)  # noqa: PT018
        verdict = compared(found, best.uci, move.uci)
        words = move_attempt_words(verdict, move.san, say)
        return Judged(words, right=verdict is not None and verdict.as_good)
