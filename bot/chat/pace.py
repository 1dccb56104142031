"""Requests to Discord per second, limited to the share of this process.

Discord counts requests by token. A bot over the limit is refused for a while, and banned after ten thousand refusals.
discord.py counts only its own process. So each process keeps to its share: the limit divided by the number of running
processes. A share may be partly unused while another process waits, but requests do not need coordination. Discord
does not count answers to interactions.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from types import SimpleNamespace
from typing import Final

import aiohttp

from bot.observe.metrics import Metrics, RequestResult

_API: Final = "/api/"
_UNLIMITED_PATHS: Final = ("/interactions/", "/webhooks/")
_TOO_MANY: Final = 429


class Pace:
    """Lets a maximum number of requests through per second, in order."""

    def __init__(self, limit: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._whole = limit
        self._clock = clock
        self.limit = limit
        """Requests per second."""
        self._turns: deque[float] = deque(maxlen=limit)

    def divide(self, processes: int) -> None:
        """Limit this process to its share among ``processes``, at least one request per second."""
        self.limit = max(1, self._whole // max(1, processes))

    def turn(self) -> float:
        """Reserve the next turn, and return the seconds until then."""
        now = self._clock()
        turn = now
        if len(self._turns) >= self.limit:
            turn = max(now, self._turns[-self.limit] + 1.0)
        self._turns.append(turn)
        return turn - now


def pacing_trace(pace: Pace, metrics: Metrics) -> aiohttp.TraceConfig:
    """Return an aiohttp trace configuration that keeps the library's requests to a pace and counts them."""
    trace = aiohttp.TraceConfig()

    async def wait(
        _session: aiohttp.ClientSession, _: SimpleNamespace, sent: aiohttp.TraceRequestStartParams
    ) -> None:
        if _counts(sent.url.path):
            seconds = pace.turn()
            metrics.count("discord_request_wait_seconds", by=seconds)
            if seconds:
                await asyncio.sleep(seconds)

    async def count(
        _session: aiohttp.ClientSession, _: SimpleNamespace, got: aiohttp.TraceRequestEndParams
    ) -> None:
        if _API in got.url.path:
            metrics.count("discord_requests", _result(got.response.status))

    async def fail(
        _session: aiohttp.ClientSession, _: SimpleNamespace, failed: aiohttp.TraceRequestExceptionParams
    ) -> None:
        if _API in failed.url.path:
            metrics.count("discord_requests", "failed")

    trace.on_request_start.append(wait)
    trace.on_request_end.append(count)
    trace.on_request_exception.append(fail)
    return trace


def _counts(path: str) -> bool:
    return _API in path and not any(part in path for part in _UNLIMITED_PATHS)


def _result(status: int) -> RequestResult:
    if status == _TOO_MANY:
        return "limited"
    if status >= 500:
        return "failed"
    return "refused" if status >= 400 else "ok"
