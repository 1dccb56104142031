"""Whether the process lives and whether it is of use: for load balancers and supervisors."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from aiohttp import web

log = logging.getLogger(__name__)


def health_application(is_ready: Callable[[], bool]) -> web.Application:
    """Return an application with ``/healthz`` (the process lives) and ``/readyz`` (Discord is connected)."""

    async def healthz(request: web.Request) -> web.Response:
        del request
        return web.Response(text="ok\n")

    async def readyz(request: web.Request) -> web.Response:
        del request
        return web.Response(text="ready\n") if is_ready() else web.Response(text="not ready\n", status=503)

    application = web.Application()
    application.add_routes([web.get("/healthz", healthz), web.get("/readyz", readyz)])
    return application


@asynccontextmanager
async def serving(application: web.Application, port: int) -> AsyncIterator[int]:
    """Serve an application on all addresses while inside; gives the port (of 0, a free one).

    Raises:
        OSError: the port is taken.

    """
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, port=port)
        await site.start()
        # Of port 0, IPv4 and IPv6 get different ones; IPv4's address has fewer parts.
        bound = int(min(runner.addresses, key=len)[1])
        log.info("health is answered on port %d", bound)
        yield bound
    finally:
        await runner.cleanup()
