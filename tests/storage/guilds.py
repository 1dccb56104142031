"""Guilds that a store forgets."""

from datetime import UTC, datetime


async def forget_guild(store, guild_id):
    """Sweep after the bot left a guild long ago."""
    await store.mark_guild_left(guild_id, datetime(2000, 1, 1, tzinfo=UTC))
    await store.sweep()
