"""The review of a chess game as a job: from its own evaluations at once, else by an engine."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing, suppress
from dataclasses import dataclass

from bot.domain.chess.game import ChessGame
from bot.engine.analysis import count_seconds
from bot.engine.uci import EngineError, analyse_each
from bot.features.analysis.chess.job import until_stopped
from bot.features.review.chess.review import (
    Sight,
    check_chess_game,
    engine_sight,
    has_evaluations,
    review_chess,
    told_sights,
)
from bot.features.review.chess.values import ChessReview
from bot.features.review.depth import Depth
from bot.jobs.queue import Control, StoppedError

QUICK_NODES = 100_000
"""Positions an engine looks at for each move: some 0.15 seconds."""
DEEP_NODES = 1_000_000
MAX_MOVES = 200
"""Half-moves that get as many; those of longer games share what so many would get."""
_NODES_A_SECOND = 700_000


@dataclass(frozen=True, slots=True)
class ChessReviewRequest:
    """A finished game, and how thoroughly an engine is to look at it. Everything in it is a plain value."""

    game: ChessGame
    depth: Depth = Depth.QUICK

    @property
    def nodes(self) -> int:
        """How many positions an engine looks at for each move."""
        nodes = QUICK_NODES if self.depth is Depth.QUICK else DEEP_NODES
        return nodes * MAX_MOVES // max(MAX_MOVES, len(self.game.turns))

    @property
    def seconds(self) -> float:
        """Seconds of a processor that an engine takes, some."""
        return self.nodes * (len(self.game.turns) + 1) / _NODES_A_SECOND


def perform(
    command: tuple[str, ...] | None, request: ChessReviewRequest, control: Control[ChessReview]
) -> ChessReview:
    """Do a job; the rest is as for :func:`review_chess_game`."""
    anew = request.depth is Depth.DEEP
    return review_chess_game(request.game, command, control, nodes=request.nodes, anew=anew)


def require_engine(command: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return an engine's command, which a game without evaluations needs.

    Raises:
        EngineError: there is none.

    """
    if command is None:
        raise EngineError(
            "review-engine",
            "the moves have no evaluations, and there is no chess engine that could judge them",
        )
    return command


def review_chess_game(
    game: ChessGame,
    command: tuple[str, ...] | None,
    control: Control[ChessReview],
    *,
    nodes: int = QUICK_NODES,
    anew: bool = False,
) -> ChessReview:
    """Review a game on a thread that has no event loop, by the evaluations in its text if it has them.

    ``command`` is an engine's, None where there is none; with ``anew`` it is asked in any case. Progress is the review so far. A job that is stopped returns
    what it has.

    Raises:
        ReviewError: the game has no moves, or it is not over.
        EngineError: there is no engine and the text has no evaluations, or the engine fails.

    """
    check_chess_game(game)
    if has_evaluations(game) and not (anew and command):
        return review_chess(game, told_sights(game))
    engine = require_engine(command)
    begun = time.monotonic()
    try:
        return asyncio.run(_asked(game, engine, control, nodes))
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
        with suppress(StoppedError):
            for number in range(len(positions)):
                analysis = await until_stopped(anext(analyses), control)
                sights[number] = engine_sight(analysis)
                source = analysis.engine
                control.report(review_chess(game, sights, source=source))
    return review_chess(game, sights, source=source)
