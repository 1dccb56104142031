"""The pace of requests to Discord: in any second, a process sends no more requests than its share of the bot's limit."""

from __future__ import annotations

import itertools

import aiohttp
import pytest
from aiohttp import web
from hypothesis import given, strategies as st
from yarl import URL

from bot.chat.pacing import RequestPacer, pacing_trace
from bot.observe.health import PrometheusMetrics


@given(
    limit=st.integers(1, 20),
    starts=st.lists(st.floats(0, 3), min_size=1, max_size=80).map(sorted),
)
def test_requests_are_limited_per_second_and_stay_in_order(limit, starts):
    times = iter(starts)
    pacer = RequestPacer(limit, clock=lambda: next(times))
    request_times = [start + pacer.reserve() for start in starts]
    assert request_times == sorted(request_times)
    for first, last in zip(request_times, request_times[limit:], strict=False):
        assert last - first > 0.999999
    assert request_times[:limit] == starts[:limit]


def test_processes_share_the_request_limit():
    now = 100.0
    pacer = RequestPacer(50, clock=lambda: now)
    for process_count, limit in ((1, 50), (2, 25), (4, 12), (60, 1), (0, 50)):
        pacer.set_process_count(process_count)
        assert pacer.max_per_second == limit
    pacer.set_process_count(25)
    waits = [pacer.reserve() for _ in range(6)]
    assert waits == [0, 0, 1, 1, 2, 2]
    pacer.set_process_count(1)
    assert pacer.reserve() == 0, "a request waited, although a single process may use the whole limit"


async def test_all_api_requests_except_interaction_replies_are_paced():
    metrics = PrometheusMetrics()
    pacer = RequestPacer(1000)
    statuses = itertools.chain([200, 404, 429, 500], itertools.repeat(200))

    async def serve(_request):
        return web.Response(status=next(statuses))

    application = web.Application()
    application.router.add_route("*", "/{path:.*}", serve)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    base = URL(f"http://127.0.0.1:{runner.addresses[0][1]}")
    async with aiohttp.ClientSession(trace_configs=[pacing_trace(pacer, metrics)]) as session:
        for path in (
            "/api/v10/channels/1/messages",
            "/api/v10/users/@me",
            "/api/v10/gateway",
            "/api/v10/a",
            "/api/v10/interactions/1/token/callback",
            "/api/v10/webhooks/1/token",
            "/attachments/1/2/board.png",
        ):
            await (await session.get(base / path.lstrip("/"))).read()
        await runner.cleanup()
        with pytest.raises(aiohttp.ClientError):
            await session.get(base / "api/v10/users/@me")
    assert len(pacer._request_times) == 5

    def count_requests(result):
        return metrics.registry.get_sample_value("kibitz_discord_requests_total", {"result": result})

    assert [count_requests(result) for result in ("ok", "refused", "limited", "failed")] == [3, 1, 1, 2]
