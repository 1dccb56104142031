"""The finished games of each user in each server, and whether the player names in them are the user's own."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, Table, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.bookkeeping import record_guild
from bot.storage.database import BaseStore, count, lock_id, reads, writes
from bot.storage.documents import lock_documents
from bot.storage.tables import documents, own_games, own_names

MAX_USER_GAMES: Final = 20
"""Maximum number of games stored per user and server."""
MAX_NAMES: Final = 100
"""Maximum number of names stored per user and server."""
USER_GAME_LIFETIME: Final = timedelta(days=365)
DETACHED_LIFETIME: Final = timedelta(days=30)
"""Lifetime of a document that is no longer a user's game. During this time, the buttons under replies keep working."""

_NAME_HASH: Final = re.compile(r"[0-9a-f]{16}")


class UserGameStore(BaseStore):
    """Stores finished games and player names."""

    @writes
    async def save_user_games(
        self,
        connection: AsyncConnection,
        source_id: int,
        guild_id: int,
        user_id: int,
        digests: Collection[str],
    ) -> None:
        """Store a message's games, replacing the message's earlier games. Skip missing documents.

        Then remove all but the user's :data:`MAX_USER_GAMES` latest games in the server.
        """
        await lock_id(connection, user_id)
        await record_guild(connection, guild_id)
        now = self._clock()
        expires, detached_expiry = now + USER_GAME_LIFETIME, now + DETACHED_LIFETIME
        await remove_games(connection, own_games.c.source_id == source_id, detached_expiry)
        is_current = documents.c.digest.in_(digests) & (documents.c.expires > now)
        if stored_digests := await lock_documents(connection, is_current):
            await connection.execute(
                own_games.insert(),
                [
                    {"source_id": source_id, "digest": digest, "guild_id": guild_id, "user_id": user_id}
                    for digest in stored_digests
                ],
            )
            await connection.execute(
                update(documents)
                .where(documents.c.digest.in_(stored_digests), documents.c.expires < expires)
                .values(expires=expires)
            )
        latest_digests = [
            digest for _, digest in await _find_latest(connection, guild_id, user_id, now, MAX_USER_GAMES)
        ]
        await remove_games(
            connection,
            _belongs_to_user(guild_id, user_id) & own_games.c.digest.not_in(latest_digests),
            detached_expiry,
        )

    @reads
    async def user_games(
        self, connection: AsyncConnection, guild_id: int, user_id: int, limit: int = MAX_USER_GAMES
    ) -> tuple[tuple[int, str], ...]:
        """Return (message id, digest) pairs of a user's latest games, latest first."""
        return await _find_latest(connection, guild_id, user_id, self._clock(), limit)

    @reads
    async def player_names(self, connection: AsyncConnection, guild_id: int, user_id: int) -> dict[str, bool]:
        """Map the hash of each stored name to whether the name is the user's own."""
        query = select(own_names.c.name, own_names.c.own).where(
            _belongs_to_user(guild_id, user_id, own_names)
        )
        return {row.name: row.own for row in await connection.execute(query)}

    @writes
    async def save_player_names(
        self, connection: AsyncConnection, guild_id: int, user_id: int, is_own_by_hash: Mapping[str, bool]
    ) -> None:
        """Store whether names are the user's own. The keys of ``is_own_by_hash`` are hashes with 16 hexadecimal digits.

        If more than :data:`MAX_NAMES` names would be stored, all earlier names are deleted.

        Raises:
            ValueError: ``is_own_by_hash`` has more than :data:`MAX_NAMES` names, or a key is not a hash.

        """
        if len(is_own_by_hash) > MAX_NAMES or not all(map(_NAME_HASH.fullmatch, is_own_by_hash)):
            raise ValueError(f"at most {MAX_NAMES} names can be stored, each as 16 hexadecimal digits")
        await lock_id(connection, user_id)
        await record_guild(connection, guild_id)
        belongs_to_user = _belongs_to_user(guild_id, user_id, own_names)
        is_replaced = own_names.c.name.in_(is_own_by_hash)
        kept_count = await count(connection, belongs_to_user & ~is_replaced)
        has_room = kept_count + len(is_own_by_hash) <= MAX_NAMES
        await connection.execute(
            delete(own_names).where(belongs_to_user & is_replaced if has_room else belongs_to_user)
        )
        if is_own_by_hash:
            await connection.execute(
                own_names.insert(),
                [
                    {"guild_id": guild_id, "user_id": user_id, "name": name, "own": is_own}
                    for name, is_own in is_own_by_hash.items()
                ],
            )


async def _find_latest(
    connection: AsyncConnection, guild_id: int, user_id: int, now: datetime, limit: int
) -> tuple[tuple[int, str], ...]:
    latest_source_id = func.max(own_games.c.source_id)
    query = (
        select(latest_source_id, own_games.c.digest)
        .join(documents, documents.c.digest == own_games.c.digest)
        .where(_belongs_to_user(guild_id, user_id), documents.c.expires > now)
        .group_by(own_games.c.digest)
        .order_by(latest_source_id.desc(), own_games.c.digest)
        .limit(limit)
    )
    return tuple((source_id, digest) for source_id, digest in await connection.execute(query))


def _belongs_to_user(guild_id: int, user_id: int, table: Table = own_games) -> ColumnElement[bool]:
    return (table.c.guild_id == guild_id) & (table.c.user_id == user_id)


async def remove_games(
    connection: AsyncConnection, condition: ColumnElement[bool], detached_expiry: datetime
) -> None:
    """Remove the selected games. A document that is no longer any user's game expires at ``detached_expiry`` or earlier."""
    result = await connection.execute(delete(own_games).where(condition).returning(own_games.c.digest))
    if digests := set(result.scalars()):
        await connection.execute(
            update(documents)
            .where(
                documents.c.digest.in_(digests),
                documents.c.digest.not_in(select(own_games.c.digest)),
                documents.c.expires > detached_expiry,
            )
            .values(expires=detached_expiry)
        )
