"""The composition root: opens everything the bot needs, in order, and closes it again."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager

from bot.chat.client import KibitzBot
from bot.chat.connection import connected_until
from bot.config import ConfigError, Settings
from bot.logs import log_loop_fault
from bot.service import Service
from bot.storage.errors import StoreError
from bot.storage.store import Store
from bot.web.health import health_application, serving


@asynccontextmanager
async def assembled(settings: Settings) -> AsyncIterator[KibitzBot]:
    """Give a bot with everything open but not logged in.

    Raises:
        ConfigError: the database cannot be opened.

    """
    async with AsyncExitStack() as stack:
        executor = stack.enter_context(
            ThreadPoolExecutor(settings.limits.workers, thread_name_prefix="kibitz-worker")
        )
        try:
            store = await stack.enter_async_context(Store.open(settings.database_url.get_secret_value()))
        except StoreError as error:
            raise ConfigError(str(error)) from None
        service = Service(executor, store, cache_bytes=settings.limits.cache_bytes)
        bot = KibitzBot(settings, service, store)
        stack.push_async_callback(bot.close)
        yield bot


async def run(settings: Settings) -> None:
    """Run the bot until it is told to stop by SIGTERM or SIGINT.

    Raises:
        ConfigError: what is configured does not let it run.

    """
    if settings.discord_token is None:
        raise ConfigError("no token: set DISCORD_TOKEN to the bot's token from the Discord developer portal")
    token = settings.discord_token.get_secret_value().strip()
    if not token.isascii() or not token.isprintable() or " " in token:
        raise ConfigError("DISCORD_TOKEN holds characters that no token has")
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(log_loop_fault)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with assembled(settings) as bot, AsyncExitStack() as stack:
        if settings.port is not None:
            try:
                await stack.enter_async_context(serving(health_application(bot.is_ready), settings.port))
            except OSError:
                raise ConfigError(f"port {settings.port} (PORT) cannot be used") from None
        await connected_until(stop, bot, token)
