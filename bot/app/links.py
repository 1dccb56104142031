"""Setting up what asks the sites that links lead to."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot import __version__
from bot.config import Links
from bot.links.fetcher import Fetcher


@asynccontextmanager
async def fetching(settings: Links) -> AsyncIterator[Fetcher | None]:
    """Give who asks the sites while the context is open; None where links are not opened."""
    if not settings.enabled:
        yield None
        return
    context = ssl.create_default_context(cafile=settings.authority)
    agent = f"Kibitz/{__version__} (+{settings.contact})"
    fetcher = Fetcher(agent, bases=settings.bases, context=context)
    try:
        yield fetcher
    finally:
        await fetcher.close()
