"""Runs the jobs that review chess games."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress
from typing import Final

from bot.domain.chess.documents import ChessGame
from bot.domain.notations import CHESS
from bot.engine.analysis import measure_other_process
from bot.engine.uci import EngineError, analyze_each
from bot.features.analysis.chess import await_unless_stopped
from bot.features.review.cards import Reviewer
from bot.features.review.chess.cards import ChessCards
from bot.features.review.chess.review import (
    ChessReview,
    ChessReviewRequest,
    PositionEvaluation,
    check_chess_game,
    engine_evaluation,
    evaluations_in_comments,
    has_evaluations,
    review_chess,
)
from bot.features.review.values import Depth, ReviewQuery
from bot.features.showing.findings import FoundDocument
from bot.jobs.codec import Codec
from bot.jobs.kinds import JobKind
from bot.jobs.queue import JobControl, StoppedError


def _no_engine_error() -> EngineError:
    return EngineError(
        "review-engine",
        "too few moves have evaluations, and no chess engine is installed to evaluate the game",
    )


CHESS_REVIEW: Final = JobKind(
    "chess_review",
    Codec[ChessReviewRequest](ChessReviewRequest),
    Codec[ChessReview](ChessReview),
    Codec[ChessReview](ChessReview),
)


def review_game(
    command: tuple[str, ...] | None, request: ChessReviewRequest, control: JobControl[ChessReview]
) -> ChessReview:
    """Review a game. Call this on a worker thread.

    ``command`` starts the engine. A deep review uses the engine even if the game has evaluations. If stopped, return the review so
    far.

    Raises:
        ReviewError: the game has no moves, or is not over.
        EngineError: the game has too few evaluations and no engine is installed, or the engine fails.

    """
    game = request.game
    check_chess_game(game)
    if has_evaluations(game) and not (command and request.depth is Depth.DEEP):
        return review_chess(game, evaluations_in_comments(game))
    if command is None:
        raise _no_engine_error()
    with measure_other_process():
        return asyncio.run(_review_with_engine(game, command, control, request.nodes_per_move))


async def _review_with_engine(
    game: ChessGame, command: tuple[str, ...], control: JobControl[ChessReview], nodes: int
) -> ChessReview:
    positions = list(game.positions())
    evaluations = [PositionEvaluation() for _ in positions]
    source = ""
    async with aclosing(analyze_each(positions, command, nodes=nodes)) as analyses:
        with suppress(StoppedError):
            for number in range(len(positions)):
                analysis = await await_unless_stopped(anext(analyses), control)
                evaluations[number] = engine_evaluation(analysis)
                source = analysis.engine
                control.report(review_chess(game, evaluations, source=source))
    return review_chess(game, evaluations, source=source)


class ChessReviewer(Reviewer[ChessReviewRequest, ChessReview]):
    """Reviews chess games. Without an engine, lessons recognize only the best move and the move played."""

    name = CHESS.name
    codec = CHESS_REVIEW.result_codec

    def make_request(self, found: FoundDocument, query: ReviewQuery) -> ChessReviewRequest | None:
        game = found.document
        if not isinstance(game, ChessGame) or found.is_in_progress:
            return None
        check_chess_game(game)
        has_engine = self.lesson_jobs is not None
        if has_evaluations(game) and not (has_engine and query.depth is Depth.DEEP):
            return ChessReviewRequest(game)
        if not has_engine:
            raise _no_engine_error()
        return ChessReviewRequest(game, query.depth)

    def immediate_result(self, request: ChessReviewRequest) -> ChessReview | None:
        game = request.game
        uses_text = request.depth is Depth.QUICK and has_evaluations(game)
        return review_chess(game, evaluations_in_comments(game)) if uses_text else None

    def player_names(self, request: ChessReviewRequest) -> tuple[tuple[str, ...], ...]:
        return tuple((request.game.tag(colour),) for colour in ("White", "Black"))

    def key_parts(self, request: ChessReviewRequest) -> tuple[str, str]:
        return "", f"{request.depth.value}:{request.nodes_per_move}"

    def estimate_seconds(self, request: ChessReviewRequest) -> float:
        return (
            0.0
            if request.depth is Depth.QUICK and has_evaluations(request.game)
            else request.estimated_seconds
        )

    def cards(self, request: ChessReviewRequest, result: ChessReview, query: ReviewQuery) -> ChessCards:
        return ChessCards(request, result, query, self.lesson_jobs)
