"""What is forgotten of jobs with whoever asked for them."""

from __future__ import annotations

from sqlalchemy import delete, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.jobs import means
from bot.storage.tables import job_askers, jobs


async def forget_user(connection: AsyncConnection, user_id: int) -> None:
    """Forget which jobs a user waits for, and what they took."""
    await connection.execute(delete(job_askers).where(job_askers.c.user_id == user_id))
    await means.forget_user(connection, user_id)


async def forget_guild(connection: AsyncConnection, guild_id: int) -> None:
    """Forget for which guild jobs were."""
    await connection.execute(update(jobs).where(jobs.c.guild_id == guild_id).values(guild_id=None))
