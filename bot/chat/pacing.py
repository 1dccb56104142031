"""Limits this process to its share of the bot's requests to Discord.

Discord counts requests per token, refuses requests above the limit, and bans an address for a time after ten thousand refusals in ten minutes. discord.py
counts only the requests of its own process, so Kibitz gives all processes equal shares of the limit.
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

_API_PATH: Final = "/api/"
"""Appears in the paths of API requests, but not in those of downloads."""
_UNLIMITED_PATHS: Final = ("/interactions/", "/webhooks/")
"""Parts of the paths of requests that do not count towards the limit."""


class RequestPacer:
    """Delays requests, so that at most ``max_per_second`` start each second."""

    def __init__(self, max_per_second: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._total_max_per_second = max_per_second
        self._clock = clock
        self.max_per_second = max_per_second
        self._request_times: deque[float] = deque(maxlen=max_per_second)

    def set_process_count(self, process_count: int) -> None:
        self.max_per_second = max(1, self._total_max_per_second // max(1, process_count))

    def reserve(self) -> float:
        """Reserve a time for the next request, and return the seconds until then."""
        now = self._clock()
        start = now
        if len(self._request_times) >= self.max_per_second:
            start = max(now, self._request_times[-self.max_per_second] + 1.0)
        self._request_times.append(start)
        return start - now


def pacing_trace(pacer: RequestPacer, metrics: Metrics) -> aiohttp.TraceConfig:
    trace = aiohttp.TraceConfig()

    async def wait(
        _session: aiohttp.ClientSession, _: SimpleNamespace, request: aiohttp.TraceRequestStartParams
    ) -> None:
        path = request.url.path
        if _API_PATH in path and not any(part in path for part in _UNLIMITED_PATHS):
            seconds = pacer.reserve()
            metrics.count("discord_request_wait_seconds", by=seconds)
            if seconds:
                await asyncio.sleep(seconds)

    async def count_result(
        _session: aiohttp.ClientSession, _: SimpleNamespace, response: aiohttp.TraceRequestEndParams
    ) -> None:
        if _API_PATH in response.url.path:
            metrics.count("discord_requests", _result_of(response.response.status))

    async def count_failure(
        _session: aiohttp.ClientSession, _: SimpleNamespace, failure: aiohttp.TraceRequestExceptionParams
    ) -> None:
        if _API_PATH in failure.url.path:
            metrics.count("discord_requests", "failed")

    trace.on_request_start.append(wait)
    trace.on_request_end.append(count_result)
    trace.on_request_exception.append(count_failure)
    return trace


def _result_of(status: int) -> RequestResult:
    if status == 429:
        return "limited"
    if status >= 500:
        return "failed"
    return "refused" if status >= 400 else "ok"
