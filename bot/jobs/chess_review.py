"""The review of a chess game as a job: from its own evaluations at once, else by an engine."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing

from bot.domain.chess.game import ChessGame
from bot.engine.meter import count_seconds
from bot.engine.uci import EngineError, analyse_each
from bot.jobs.queue import Control
from bot.review.chess.review import (
    Sight,
    check_chess_game,
    engine_sight,
    has_evaluations,
    review_chess,
    told_sights,
)
from bot.review.chess.values import ChessReview

QUICK_NODES = 100_000
"""Positions an engine looks at for each move: some 0.15 seconds."""
DEEP_NODES = 1_000_000


def review_chess_game(
    game: ChessGame,
    command: tuple[str, ...] | None,
    control: Control[ChessReview],
    *,
    nodes: int = QUICK_NODES,
) -> ChessReview:
    """Review a game on a thread that has no event loop, by the evaluations in its text if it has them.

    ``command`` is an engine's, None where there is none. Progress is the review so far. A job that is stopped returns
    what it has.

    Raises:
        ReviewError: the game has no moves, or it is not over.
        EngineError: there is no engine and the text has no evaluations, or the engine fails.

    """
    check_chess_game(game)
    if has_evaluations(game):
        return review_chess(game, told_sights(game))
    if command is None:
        raise EngineError(
            "review-engine",
            "the moves have no evaluations, and there is no chess engine that could judge them",
        )
    begun = time.monotonic()
    try:
        return asyncio.run(_asked(game, command, control, nodes))
    finally:
        # An engine has one thread.
        count_seconds(time.monotonic() - begun)


async def _asked(
    game: ChessGame, command: tuple[str, ...], control: Control[ChessReview], nodes: int
) -> ChessReview:
    positions = list(game.positions())
    sights = [Sight() for _ in positions]
    source = ""
    async with aclosing(analyse_each(positions, command, nodes=nodes)) as analyses:
        number = 0
        async for analysis in analyses:
            sights[number] = engine_sight(analysis)
            source = analysis.engine
            number += 1
            if control.is_stopped:
                break
            control.report(review_chess(game, sights, source=source))
    return review_chess(game, sights, source=source)
