"""Being connected to Discord, from logging in until told to stop."""

from __future__ import annotations

import asyncio
import logging

import aiohttp
import discord

from bot.chat.client import KibitzBot
from bot.config import ConfigError

log = logging.getLogger(__name__)

INTENT_HELP = (
    "Discord does not grant this bot the message-content intent: switch it on in the developer portal"
    " (Bot, Privileged Gateway Intents), or set message_content = false in [discord] to answer mentions,"
    " direct messages, slash commands and menus only"
)


async def connected_until(stop: asyncio.Event, bot: KibitzBot, token: str) -> None:
    """Log in, stay connected until ``stop`` is set, then finish what is in hand and leave.

    Raises:
        ConfigError: Discord refuses the token or an intent.

    """
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
    except aiohttp.ClientConnectionError as error:
        # Only logging in ends here; once connected, the library tries again by itself.
        raise ConfigError(f"Discord cannot be reached: {error}") from None
    finally:
        stopping.cancel()
