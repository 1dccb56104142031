from datetime import UTC, datetime

from bot.storage.tables import left_guilds


async def forget_guild(store, guild_id):
    """Record that the bot left a guild long ago, and sweep, so that the guild's data is deleted."""
    left_at = datetime(2000, 1, 1, tzinfo=UTC)
    async with store._database.writing() as connection:
        await connection.execute(left_guilds.insert().values(guild_id=guild_id, left=left_at))
    await store.sweep()
