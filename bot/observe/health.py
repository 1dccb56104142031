"""Liveness, readiness and metrics of the process, for supervisors, load balancers and Prometheus."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Final

from aiohttp import web
from prometheus_client import CollectorRegistry
from prometheus_client.aiohttp import make_aiohttp_handler

log = logging.getLogger(__name__)

Check = Callable[[], Awaitable[str | None]]
"""Returns in a few words why a part cannot be used, None when it can. The words are public."""

CHECK_SECONDS: Final = 3.0
"""How long a check may take; a part that does not answer in time counts as unusable."""


def health_application(checks: Mapping[str, Check], registry: CollectorRegistry) -> web.Application:
    """Return an application with three pages.

    ``/healthz`` answers 200 while the process lives. ``/readyz`` answers 200 when every part can be used, else 503,
    with a line for each part in any case. ``/metrics`` shows the metrics of ``registry``.
    """

    async def healthz(request: web.Request) -> web.Response:
        del request
        return web.Response(text="ok\n")

    async def readyz(request: web.Request) -> web.Response:
        del request
        troubles = await asyncio.gather(*(_trouble(check) for check in checks.values()))
        lines = [f"{name}: {trouble or 'ok'}\n" for name, trouble in zip(checks, troubles, strict=True)]
        return web.Response(text="".join(lines), status=503 if any(troubles) else 200)

    application = web.Application()
    application.add_routes(
        [
            web.get("/healthz", healthz),
            web.get("/readyz", readyz),
            web.get("/metrics", make_aiohttp_handler(registry)),
        ]
    )
    return application


async def _trouble(check: Check) -> str | None:
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            return await check()
    except TimeoutError:
        return "no answer in time"


@asynccontextmanager
async def serving(application: web.Application, host: str | None, port: int) -> AsyncIterator[int]:
    """Serve an application on an address (None: all of them) while inside; yield the port (for 0, a free one).

    Raises:
        OSError: the port is taken, or the address is not one of this machine.

    """
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        await site.start()
        # Of port 0, IPv4 and IPv6 get different ones; IPv4's address has fewer parts.
        bound = int(min(runner.addresses, key=len)[1])
        log.info("health is answered on %s, port %d", host or "every address", bound)
        yield bound
    finally:
        await runner.cleanup()
