"""Chess analyses as jobs: each starts an engine and ends it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from bot.domain.chess.position import ChessPosition
from bot.engine.analysis import count_seconds
from bot.engine.uci import ChessAnalysis, analyse
from bot.jobs.queue import Control, StoppedError

_LOOK_SECONDS = 0.05

Value = TypeVar("Value")


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
        return asyncio.run(_analysis(command, request, control))
    finally:
        # An engine has one thread.
        count_seconds(time.monotonic() - begun)


async def _analysis(command: tuple[str, ...], request: ChessRequest, control: Control[None]) -> ChessAnalysis:
    work = analyse(
        request.position, command, seconds=request.seconds, lines=request.lines, moves=request.moves
    )
    return await until_stopped(work, control)


async def until_stopped(awaited: Awaitable[Value], control: Control[Any]) -> Value:
    """Await something, and give it up within 50 ms once a job is to stop.

    Raises:
        StoppedError: it was given up.

    """
    work = asyncio.ensure_future(awaited)
    while not work.done():
        if control.is_stopped:
            work.cancel()
            with suppress(asyncio.CancelledError):
                await work
            raise StoppedError
        await asyncio.wait({work}, timeout=_LOOK_SECONDS)
    return work.result()
