"""The HTTP endpoints for health, readiness and metrics."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest

from bot.observe import health
from bot.observe.health import PrometheusMetrics, health_application, serve

HOST = "127.0.0.1"


async def healthy():
    return None


async def get(port, path, **options):
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{port}{path}", **options) as response,
    ):
        return response.status, response.headers["Content-Type"], await response.text()


async def status(port, path):
    return (await get(port, path))[0]


async def test_the_readiness_page_has_a_line_for_each_part():
    problem = "not connected yet"

    async def gateway():
        return problem

    application = health_application({"gateway": gateway, "store": healthy}, PrometheusMetrics().registry)
    async with serve(application, HOST, 0) as port:
        assert await status(port, "/healthz") == 200
        assert await status(port, "/other") == 404
        assert await get(port, "/readyz") == (
            503,
            "text/plain; charset=utf-8",
            "gateway: not connected yet\nstore: ok\n",
        )
        problem = None
        assert (await get(port, "/readyz"))[::2] == (200, "gateway: ok\nstore: ok\n")


async def test_a_part_that_does_not_answer_in_time_is_not_ready(monkeypatch):
    monkeypatch.setattr(health, "MAX_CHECK_SECONDS", 0.05)

    async def hang():
        await asyncio.Event().wait()

    application = health_application({"gateway": healthy, "store": hang}, PrometheusMetrics().registry)
    async with serve(application, HOST, 0) as port:
        assert (await get(port, "/readyz"))[::2] == (503, "gateway: ok\nstore: no answer in time\n")


async def test_metrics_are_served_in_prometheus_and_openmetrics_formats():
    metrics = PrometheusMetrics()
    metrics.count("messages_seen")
    async with serve(health_application({}, metrics.registry), HOST, 0) as port:
        code, content_type, text = await get(port, "/metrics")
        assert (code, content_type.split(";")[0]) == (200, "text/plain")
        assert "kibitz_messages_seen_total 1.0\n" in text
        _, content_type, text = await get(
            port, "/metrics", headers={"Accept": "application/openmetrics-text"}
        )
        assert content_type.split(";")[0] == "application/openmetrics-text"
        assert text.endswith("# EOF\n")


async def test_a_port_in_use_raises_os_error():
    application = health_application({}, PrometheusMetrics().registry)
    async with serve(application, HOST, 0) as port:
        with pytest.raises(OSError):  # noqa: PT011 - the number differs between systems
            async with serve(health_application({}, PrometheusMetrics().registry), HOST, port):
                pass


@pytest.mark.parametrize(("host", "is_open"), [("127.0.0.1", False), (None, True)])
async def test_the_server_listens_on_one_address_or_on_all(host, is_open):
    async with serve(health_application({}, PrometheusMetrics().registry), host, 0) as port:
        assert await status(port, "/healthz") == 200
        try:
            _, writer = await asyncio.open_connection("127.0.0.2", port)
            writer.close()
        except ConnectionRefusedError:
            assert not is_open
        else:
            assert is_open
