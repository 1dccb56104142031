"""Checks of the bot's account on Discord: its token, its intents, and its permissions in servers."""

from __future__ import annotations

from collections.abc import AsyncIterator

import discord

from bot.features.settings.about import PERMISSIONS, invitation

MAX_GUILDS = 200
"""Servers whose permissions are checked."""


async def check_account(token: str, *, message_content: bool) -> AsyncIterator[tuple[bool, str]]:
    """Yield whether each part of the account is as the bot needs it, and a sentence about it.

    ``message_content`` is whether the settings ask for the message-content intent. The sentences never contain the token.
    """
    async with discord.Client(intents=discord.Intents.none()) as client:
        try:
            await client.login(token)
        except discord.LoginFailure:
            yield (
                False,
                "Discord refuses the token. Copy it again from the developer portal (Bot → Reset Token).",
            )
            return
        except (discord.HTTPException, OSError) as error:
            yield False, f"Discord cannot be reached: {error}. Check the network, and try again."
            return
        application = await client.application_info()
        yield True, f"The token belongs to {application.name}."
        flags = application.flags
        granted = flags.gateway_message_content or flags.gateway_message_content_limited
        if message_content and not granted:
            yield (
                False,
                "The message-content intent is off. Turn it on in the portal, or set message_content = false.",
            )
        elif message_content:
            yield True, "The message-content intent is on."
        guilds = await client.http.get_guilds(MAX_GUILDS, with_counts=False)
        if not guilds:
            yield False, f"The bot is in no server. Invite it: {invitation(application.id)}"
        for guild in guilds:
            # Discord's partial guild has the permissions of the account that asks.
            allowed = discord.Permissions(int(guild["permissions"]))
            missing = [
                name.replace("_", " ")
                for name, wanted in PERMISSIONS
                if wanted and not (getattr(allowed, name) or allowed.administrator)
            ]
            if missing:
                yield (
                    False,
                    f"In {guild['name']!r} the bot lacks: {', '.join(missing)}. Grant them to its role.",
                )
        if guilds:
            yield True, f"Permissions are checked in {len(guilds)} server(s)."
