"""Messages that show how far a long job is, while it is under way."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass, field
from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import insert, reads, writes
from bot.storage.ids import check_ids
from bot.storage.part import StorePart
from bot.storage.tables import unfinished


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A message that shows how far a job is."""

    interaction_id: int
    instance: str
    """The process that works on it: the application's id, a colon and a name; just that with nobody working on it."""
    channel_id: int
    guild_id: int | None
    user_id: int
    """Who asked."""
    message_id: int | None
    """None until the message is there, and where only the asker sees it."""
    private: bool
    """Whether only the asker sees the message."""
    locale: str
    again: str
    """The ``custom_id`` of the button that asks once more; empty when there is none."""
    sealed_token: bytes | None = field(repr=False)
    """The interaction's token, encrypted; None where no key was at hand."""
    begun: datetime


class UnfinishedStore(StorePart):
    """Messages that show how far a long job is."""

    @writes
    async def keep_unfinished(self, connection: AsyncConnection, record: Unfinished) -> None:
        """Keep a message in place of what was known of it."""
        check_ids(record.interaction_id, record.channel_id, record.user_id)
        new = insert(connection, unfinished).values(asdict(record))
        await connection.execute(
            new.on_conflict_do_update(index_elements=[unfinished.c.interaction_id], set_=dict(new.excluded))
        )

    @reads
    async def unfinished_of_others(
        self,
        connection: AsyncConnection,
        application_id: int,
        living: Collection[str],
        before: datetime,
        limit: int,
    ) -> tuple[Unfinished, ...]:
        """Return at most ``limit`` messages begun before a time by processes that do not live, the oldest first.

        Processes of earlier versions did not write the application's id.
        """
        c = unfinished.c
        found = (
            select(unfinished)
            .where(c.instance.startswith(f"{application_id}:") | ~c.instance.contains(":"))
            .where(c.instance.not_in(living), c.begun < before)
            .order_by(c.begun)
            .limit(limit)
        )
        return tuple(Unfinished(**row) for row in (await connection.execute(found)).mappings())

    @writes
    async def adopt_unfinished(
        self, connection: AsyncConnection, interaction_id: int, holder: str, heir: str
    ) -> bool:
        """Let another process work on a message; False when it is no longer its holder's."""
        adopted = await connection.execute(
            update(unfinished)
            .where(unfinished.c.interaction_id == interaction_id, unfinished.c.instance == holder)
            .values(instance=heir)
        )
        return adopted.rowcount == 1

    @writes
    async def forget_unfinished(self, connection: AsyncConnection, interaction_id: int) -> None:
        """Forget a message that shows its result."""
        await connection.execute(delete(unfinished).where(unfinished.c.interaction_id == interaction_id))


async def forget_user(connection: AsyncConnection, user_id: int) -> None:
    """Forget the messages that a user asked for."""
    await connection.execute(delete(unfinished).where(unfinished.c.user_id == user_id))


async def forget_guild(connection: AsyncConnection, guild_id: int) -> None:
    """Forget the messages in a guild."""
    await connection.execute(delete(unfinished).where(unfinished.c.guild_id == guild_id))
