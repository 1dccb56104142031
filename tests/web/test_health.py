"""What a host asks over HTTP."""

from __future__ import annotations

import aiohttp
import pytest

from bot.web.health import health_application, serving


async def test_health_and_readiness():
    ready = False
    async with serving(health_application(lambda: ready), 0) as port, aiohttp.ClientSession() as session:
        for path, status in (("/healthz", 200), ("/readyz", 503), ("/other", 404)):
            async with session.get(f"http://127.0.0.1:{port}{path}") as response:
                assert response.status == status
        ready = True
        async with session.get(f"http://127.0.0.1:{port}/readyz") as response:
            assert (response.status, await response.text()) == (200, "ready\n")


async def test_a_taken_port_is_an_os_error():
    async with serving(health_application(lambda: True), 0) as port:
        with pytest.raises(OSError):  # noqa: PT011 - the number differs between systems
            async with serving(health_application(lambda: True), port):
                pass
