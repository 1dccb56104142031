"""The composition root: opens everything the bot needs, in order, and closes it again."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager

import discord

from bot.chat.client import KibitzBot
from bot.config import ConfigError, Settings
from bot.service import Service
from bot.storage.errors import StoreError
from bot.storage.store import Store
from bot.web.health import health_application, serving

log = logging.getLogger(__name__)

INTENT_HELP = (
    "Discord does not grant this bot the message-content intent: switch it on in the developer portal"
    " (Bot, Privileged Gateway Intents), or set message_content = false in [discord] to answer mentions,"
    " direct messages, slash commands and menus only"
)


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
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with assembled(settings) as bot, AsyncExitStack() as stack:
        if settings.port is not None:
            try:
                await stack.enter_async_context(serving(health_application(bot.is_ready), settings.port))
            except OSError:
                raise ConfigError(f"port {settings.port} (PORT) cannot be used") from None
        await _connected_until(stop, bot, settings.discord_token.get_secret_value())


async def _connected_until(stop: asyncio.Event, bot: KibitzBot, token: str) -> None:
    connection = asyncio.create_task(bot.start(token))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({connection, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if stop.is_set():
            log.info("stopping")
            await bot.close()
        await connection
    except discord.LoginFailure:
        raise ConfigError("Discord refuses the token in DISCORD_TOKEN") from None
    except discord.PrivilegedIntentsRequired:
        raise ConfigError(INTENT_HELP) from None
    finally:
        stopping.cancel()
