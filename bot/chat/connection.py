"""The connection to Discord, from login to logout."""

from __future__ import annotations

import asyncio
import logging

import aiohttp
import discord

from bot.chat.client import SHUTDOWN_GRACE_SECONDS, KibitzBot
from bot.config import ConfigError
from bot.storage.errors import StoreError

log = logging.getLogger(__name__)

AUTHENTICATION_FAILED = 4004
"""The gateway's close code for an unknown token."""

CLOSE_SECONDS = SHUTDOWN_GRACE_SECONDS + 0.5
"""Maximum time for logging out before the connection is cut."""

INTENT_HELP = (
    "Discord doesn't grant this bot the message-content intent: switch it on in the developer portal"
    " (Bot, Privileged Gateway Intents), or set message_content = false in [discord] to reply only to mentions,"
    " direct messages, slash commands and menus"
)


async def find_gateway_problem(bot: KibitzBot) -> str | None:
    """Return why some shards are not connected. Return None if all are connected, or if other processes hold all shards.

    discord.py stays ready while it reconnects, so the connection of each shard is checked.
    """
    if bot.identify_limiter.wait_reason is not None:
        return bot.identify_limiter.wait_reason
    if bot.sharding is not None and bot.sharding.shard_count and not bot.sharding.own_shards:
        return None  # other processes hold all shards, and this one stands by
    if not bot.is_ready():
        return "not connected yet"
    closed_count = sum(shard.is_closed() for shard in bot.shards.values())
    return f"{closed_count} of {len(bot.shards)} shards not connected" if closed_count else None


async def stay_connected(stop: asyncio.Event, bot: KibitzBot, token: str) -> None:
    """Log in, stay connected until ``stop`` is set, then finish current work and log out.

    Raises:
        ConfigError: Discord rejected the bot or cannot be reached, or the database or the shards cannot be used.

    """
    connection_task = asyncio.create_task(bot.start(token))
    stop_task = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({connection_task, stop_task}, return_when=asyncio.FIRST_COMPLETED)
        if stop.is_set():
            log.info("stopping")
            await _disconnect(bot, connection_task)
        else:
            await connection_task
        if bot.sharding is not None and bot.sharding.error is not None:
            raise bot.sharding.error
    except StoreError as error:
        raise ConfigError(str(error).rstrip(".")) from None
    except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
        raise ConfigError(_explain(error)) from None
    finally:
        stop_task.cancel()


async def _disconnect(bot: KibitzBot, connection_task: asyncio.Task[None]) -> None:
    """Close the bot, even if it is still logging in or waiting to reconnect."""
    await asyncio.wait({asyncio.create_task(bot.close())}, timeout=CLOSE_SECONDS)
    connection_task.cancel()
    await asyncio.wait({connection_task}, timeout=1)
    if connection_task.done() and not connection_task.cancelled() and (error := connection_task.exception()):
        log.info("the connection ended with %r", error)


def _explain(error: Exception) -> str:
    if isinstance(error, discord.LoginFailure) or (
        isinstance(error, discord.ConnectionClosed) and error.code == AUTHENTICATION_FAILED
    ):
        return "Discord rejects the token in DISCORD_TOKEN"
    if isinstance(error, discord.PrivilegedIntentsRequired):
        return INTENT_HELP
    if isinstance(error, discord.ConnectionClosed):
        return f"Discord closed the connection for good (code {error.code})"
    if isinstance(error, discord.HTTPException):
        return f"Discord is unavailable: the login failed with status {error.status}"
    return f"Discord can't be reached: {error}"
