"""The finished games that people want to look back at: which they posted in which server, and what they are called there."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, delete, func, literal, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import insert, reads, writes
from bot.storage.ids import check_ids
from bot.storage.part import StorePart, note_guild
from bot.storage.tables import documents, own_games, own_names

MAX_GAMES: Final = 20
"""Games of a person in a server; the oldest ones go."""

MAX_NAMES: Final = 100
"""Names that a person has said something of in a server."""

OWN_GAME_LIFE: Final = timedelta(days=365)
"""How long a game is stored after it was posted."""

LET_GO_LIFE: Final = timedelta(days=30)
"""How long the document of a game that nobody looks back at is stored, for the controls under answers."""

_NAME: Final = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class OwnGame:
    """A finished game that somebody posted."""

    source_id: int
    """The message with it."""
    digest: str
    """The document."""


class OwnGameStore(StorePart):
    """The finished games that people look back at, and their names in them."""

    @writes
    async def keep_own_games(
        self,
        connection: AsyncConnection,
        source_id: int,
        guild_id: int,
        user_id: int,
        digests: Collection[str],
    ) -> None:
        """Store the games of a message as its author's, in place of its earlier ones; documents that are gone are left out.

        Their documents stay for :data:`OWN_GAME_LIFE`. Documents of games beyond :data:`MAX_GAMES` stay for :data:`LET_GO_LIFE`.
        """
        check_ids(source_id, guild_id, user_id)
        await note_guild(connection, guild_id)
        now = self._clock()
        expires, let_go = now + OWN_GAME_LIFE, now + LET_GO_LIFE
        await forget_message(connection, source_id, let_go)
        if digests:
            known = documents.c.digest.in_(digests) & (documents.c.expires > now)
            row = select(
                literal(source_id, own_games.c.source_id.type),
                documents.c.digest,
                literal(guild_id, own_games.c.guild_id.type),
                literal(user_id, own_games.c.user_id.type),
            ).where(known)
            names = ["source_id", "digest", "guild_id", "user_id"]
            await connection.execute(insert(connection, own_games).from_select(names, row))
            await connection.execute(
                update(documents).where(known, documents.c.expires < expires).values(expires=expires)
            )
        latest = [game.digest for game in await find(connection, guild_id, user_id, now, MAX_GAMES)]
        theirs = _theirs(guild_id, user_id)
        await _remove(connection, theirs & own_games.c.digest.not_in(latest), let_go)

    @reads
    async def own_games(
        self, connection: AsyncConnection, guild_id: int, user_id: int, limit: int = MAX_GAMES
    ) -> tuple[OwnGame, ...]:
        """Return at most ``limit`` games that a user posted in a server, the latest first."""
        return await find(connection, guild_id, user_id, self._clock(), limit)

    @reads
    async def own_names(self, connection: AsyncConnection, guild_id: int, user_id: int) -> dict[str, bool]:
        """Return which names in a server a user called their own or not, by the hash of the name."""
        return await names(connection, guild_id, user_id)

    @writes
    async def keep_own_names(
        self, connection: AsyncConnection, guild_id: int, user_id: int, said: Mapping[str, bool]
    ) -> None:
        """Keep what somebody says of names in a server, each as 16 hexadecimal digits that stand for it."""
        await note_guild(connection, guild_id)
        check_ids(guild_id, user_id)
        if len(said) > MAX_NAMES or not all(map(_NAME.fullmatch, said)):
            raise ValueError(f"at most {MAX_NAMES} names can be kept, each as 16 hexadecimal digits")
        before = await names(connection, guild_id, user_id)
        theirs = (own_names.c.guild_id == guild_id) & (own_names.c.user_id == user_id)
        outdated = theirs if len({*before, *said}) > MAX_NAMES else theirs & own_names.c.name.in_(said)
        await connection.execute(delete(own_names).where(outdated))
        if said:
            rows = [
                {"guild_id": guild_id, "user_id": user_id, "name": name, "own": own}
                for name, own in said.items()
            ]
            await connection.execute(own_names.insert(), rows)


async def find(
    connection: AsyncConnection, guild_id: int, user_id: int, now: datetime, limit: int
) -> tuple[OwnGame, ...]:
    """Return at most ``limit`` games that somebody posted in a server, the latest first; one posted twice once."""
    check_ids(guild_id, user_id)
    latest = func.max(own_games.c.source_id)
    query = (
        select(latest, own_games.c.digest)
        .join(documents, documents.c.digest == own_games.c.digest)
        .where(_theirs(guild_id, user_id), documents.c.expires > now)
        .group_by(own_games.c.digest)
        .order_by(latest.desc(), own_games.c.digest)
        .limit(limit)
    )
    return tuple(OwnGame(*row) for row in await connection.execute(query))


async def names(connection: AsyncConnection, guild_id: int, user_id: int) -> dict[str, bool]:
    """Return what somebody said of names in a server, by what stands for them: whether it is they."""
    check_ids(guild_id, user_id)
    query = select(own_names.c.name, own_names.c.own).where(
        own_names.c.guild_id == guild_id, own_names.c.user_id == user_id
    )
    return {row.name: row.own for row in await connection.execute(query)}


async def count(connection: AsyncConnection, user_id: int) -> int:
    """Count the games of a user, in all servers."""
    check_ids(user_id)
    return await connection.scalar(select(func.count()).where(own_games.c.user_id == user_id)) or 0


async def count_names(connection: AsyncConnection, user_id: int) -> int:
    """Count the names that a user has said something of, in all servers."""
    check_ids(user_id)
    return await connection.scalar(select(func.count()).where(own_names.c.user_id == user_id)) or 0


async def forget_message(connection: AsyncConnection, source_id: int, let_go: datetime) -> None:
    """Take out the games of a message; their documents are kept until ``let_go`` at most."""
    check_ids(source_id)
    await _remove(connection, own_games.c.source_id == source_id, let_go)


async def forget_user(connection: AsyncConnection, user_id: int, let_go: datetime) -> None:
    """Forget the games and names of a user; the documents are kept until ``let_go`` at most."""
    check_ids(user_id)
    await _remove(connection, own_games.c.user_id == user_id, let_go)
    await connection.execute(delete(own_names).where(own_names.c.user_id == user_id))


async def forget_guild(connection: AsyncConnection, guild_id: int, let_go: datetime) -> None:
    """Forget the games and names of a guild; the documents are kept until ``let_go`` at most."""
    check_ids(guild_id)
    await _remove(connection, own_games.c.guild_id == guild_id, let_go)
    await connection.execute(delete(own_names).where(own_names.c.guild_id == guild_id))


def _theirs(guild_id: int, user_id: int) -> ColumnElement[bool]:
    return (own_games.c.guild_id == guild_id) & (own_games.c.user_id == user_id)


async def _remove(connection: AsyncConnection, which: ColumnElement[bool], let_go: datetime) -> None:
    """Take games out, and let documents expire that are no game of anybody any more."""
    gone = set(
        (await connection.execute(delete(own_games).where(which).returning(own_games.c.digest))).scalars()
    )
    if gone:
        await connection.execute(
            update(documents)
            .where(
                documents.c.digest.in_(gone),
                documents.c.digest.not_in(select(own_games.c.digest)),
                documents.c.expires > let_go,
            )
            .values(expires=let_go)
        )
