"""Chess analyses as jobs: each starts an engine and ends it."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass

from bot.domain.chess.position import ChessPosition
from bot.engine.meter import count_seconds
from bot.engine.uci import ChessAnalysis, analyse
from bot.jobs.queue import Control, StoppedError

_LOOK_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class ChessRequest:
    """A position for an engine, and the seconds it may think."""

    position: ChessPosition
    seconds: float
    lines: int = 3
    moves: tuple[str, ...] = ()
    """The moves it looks at, in UCI; none for all."""


def perform(command: tuple[str, ...], request: ChessRequest, control: Control[None]) -> ChessAnalysis:
    """Analyze a position with an engine, on a thread that has no event loop.

    Raises:
        EngineError: the engine fails or takes far too long.
        StoppedError: the job was stopped.

    """
    begun = time.monotonic()
    try:
        return asyncio.run(_until_stopped(command, request, control))
    finally:
        # An engine has one thread.
        count_seconds(time.monotonic() - begun)


async def _until_stopped(
    command: tuple[str, ...], request: ChessRequest, control: Control[None]
) -> ChessAnalysis:
    work = asyncio.ensure_future(
        analyse(request.position, command, seconds=request.seconds, lines=request.lines, moves=request.moves)
    )
    while not work.done():
        if control.is_stopped:
            work.cancel()
            with suppress(asyncio.CancelledError):
                await work
            raise StoppedError
        await asyncio.wait({work}, timeout=_LOOK_SECONDS)
    return work.result()
