"""How chess games are reviewed."""

from __future__ import annotations

from dataclasses import replace

from bot.chat.card import Card
from bot.chat.control import Control
from bot.domain.chess.documents import ChessGame
from bot.features.review.chess.cards import (
    answer_chess_review,
    answer_chess_review_progress,
    answer_chess_squares,
    chess_controls_of,
    judged_move_words,
)
from bot.features.review.chess.review import (
    ChessReviewRequest,
    check_chess_game,
    chess_player_games,
    has_evaluations,
    require_engine,
    review_chess,
    told_sights,
)
from bot.features.review.chess.values import ChessReview
from bot.features.review.kept import read_chess_review, write_chess_review
from bot.features.review.kinds import Reviewing
from bot.features.review.question import ReviewQuestion
from bot.features.review.values import Depth, PlayerGame
from bot.features.showing.findings import Found
from bot.jobs.queue import Jobs
from bot.text import Speaker


class ChessReviewing(Reviewing[ChessReviewRequest, ChessReview]):
    """Reviews by the evaluations in a game's text, else by the host's engine."""

    def __init__(self, jobs: Jobs[ChessReviewRequest, ChessReview, ChessReview], *, engine: bool) -> None:
        super().__init__(jobs)
        self._has_engine = engine

    def request(self, item: Found, question: ReviewQuestion) -> ChessReviewRequest | None:
        """Return what is to be reviewed; only a deep review asks an engine about a game with evaluations of its own."""
        game = item.document
        if not isinstance(game, ChessGame) or item.going_on:
            return None
        check_chess_game(game)
        if has_evaluations(game) and not (self._has_engine and question.depth is Depth.DEEP):
            return ChessReviewRequest(game)
        if not self._has_engine:
            require_engine(None)
        return ChessReviewRequest(game, question.depth)

    def at_once(self, request: ChessReviewRequest) -> ChessReview | None:
        """Review by the game's own evaluations where it has them."""
        game = request.game
        told = request.depth is Depth.QUICK and has_evaluations(game)
        return review_chess(game, told_sights(game)) if told else None

    def label(self, request: ChessReviewRequest) -> tuple[str, str]:
        """Return no lexicon, and how many positions an engine looks at. Which engine it was stands in the review."""
        return "", f"{request.depth.value}:{request.nodes}"

    def players(self, result: ChessReview, request: ChessReviewRequest) -> tuple[PlayerGame, ...]:
        """Return White and Black."""
        return chess_player_games(result, request.game)

    def seconds(self, request: ChessReviewRequest) -> float:
        """Return what the engine takes; nothing where the game has evaluations of its own."""
        return 0.0 if request.depth is Depth.QUICK and has_evaluations(request.game) else request.seconds

    def write(self, result: ChessReview) -> str:
        """Write a review as JSON."""
        white, black = (replace(player, name="") for player in result.players)
        return write_chess_review(replace(result, players=(white, black)))

    def read(self, text: str, request: ChessReviewRequest) -> ChessReview:
        """Read a review."""
        review = read_chess_review(text)
        white, black = (
            replace(player, name=request.game.tag(colour))
            for player, colour in zip(review.players, ("White", "Black"), strict=True)
        )
        return replace(review, players=(white, black))

    def share(self, progress: ChessReview, request: ChessReviewRequest) -> float:
        """Return how many of the moves are judged."""
        del request
        moves = progress.moves
        return sum(move.judged for move in moves) / len(moves)

    def progress(self, progress: ChessReview, say: Speaker) -> str:
        """Say how many moves are judged."""
        return answer_chess_review_progress(progress, say)

    def answer(
        self,
        result: ChessReview,
        request: ChessReviewRequest,
        question: ReviewQuestion,
        around: int | None = None,
    ) -> Card:
        """Tell it in one message."""
        reply = answer_chess_review(
            result,
            request.game,
            question.moment,
            question.style,
            depth=request.depth,
            deeper=self._has_engine,
        )
        return replace(reply, controls=(*self.controls(result, request, question, around), *reply.controls))

    def controls(
        self,
        result: ChessReview,
        request: ChessReviewRequest,
        question: ReviewQuestion,
        around: int | None = None,
    ) -> tuple[Control, ...]:
        """Return the controls of a card, or of a move."""
        return chess_controls_of(
            result, request.game, question.moment, question.style.say, depth=request.depth, around=around
        )

    def verdict(self, result: ChessReview, request: ChessReviewRequest, question: ReviewQuestion) -> str:
        """Say what a move lost, and what was best."""
        return judged_move_words(result, request.game, question.moment.turn, question.style.say)

    def squares(self, result: ChessReview, request: ChessReviewRequest, question: ReviewQuestion) -> Card:
        """Show a square for each move."""
        return answer_chess_squares(
            result, request.game, question.moment, question.style, depth=request.depth
        )

    def names(self, request: ChessReviewRequest) -> tuple[tuple[str, ...], ...]:
        """Return the names in the tags."""
        return tuple((request.game.tag(colour),) for colour in ("White", "Black"))
