"""One message to a server that takes us in: to who invited us, else where it is seen."""

from __future__ import annotations

import logging
from typing import Final

import discord
from discord.ext import commands

from bot.chat.client import KibitzBot
from bot.chat.controls.welcome import welcome
from bot.storage.errors import StoreError

log = logging.getLogger(__name__)

MAX_ENTRIES: Final = 10
"""Bots added last among which we look for ourselves in the audit log."""


class Welcome(commands.Cog):
    """Says hello, once a server."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Say how we are used, unless the host wants none of that or it was said lately."""
        if not self.bot.settings.discord.welcome:
            return
        with self.bot.in_hand():
            places = await _places(guild)
            try:
                if not places or not await self.bot.store.claim_notice(f"welcome:{guild.id}"):
                    return
                mode = (await self.bot.preferences.server(guild.id)).mode
            except StoreError as error:
                # Whether it was said cannot be known, and twice is worse than never.
                log.warning("server %d is not greeted: %s", guild.id, error)
                return
            text, view = welcome(self.bot, guild, mode)
            for place in places:
                try:
                    await place.send(text, view=view)
                except discord.HTTPException as error:
                    log.info("server %d is not greeted in %r: %s", guild.id, place, error)
                else:
                    return


async def _places(guild: discord.Guild) -> list[discord.abc.Messageable]:
    """Return who invited us, if that can be known, and the channel for system messages, or the first we may write in."""
    channels = [*([guild.system_channel] if guild.system_channel else []), *guild.text_channels]
    first = next((channel for channel in channels if _may_write(channel)), None)
    return [place for place in (await _inviter(guild), first) if place is not None]


async def _inviter(guild: discord.Guild) -> discord.User | discord.Member | None:
    if not guild.me.guild_permissions.view_audit_log:
        return None
    try:
        async for entry in guild.audit_logs(action=discord.AuditLogAction.bot_add, limit=MAX_ENTRIES):
            if getattr(entry.target, "id", None) == guild.me.id:
                return entry.user
    except discord.HTTPException as error:
        log.info("who invited us to server %d cannot be read: %s", guild.id, error)
    return None


def _may_write(channel: discord.TextChannel) -> bool:
    permissions = channel.permissions_for(channel.guild.me)
    return permissions.view_channel and permissions.send_messages
