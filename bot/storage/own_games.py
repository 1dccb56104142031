"""The finished games that people want to look back at: which they posted in which server, and what they are called there."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, delete, func, literal, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import insert
from bot.storage.ids import check_ids
from bot.storage.tables import documents, own_games, own_names

MAX_GAMES: Final = 20
"""Games of a person in a server; the oldest ones go."""

MAX_NAMES: Final = 100
"""Names that a person has said something of in a server."""

_NAME: Final = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class OwnGame:
    """A finished game that somebody posted."""

    source_id: int
    """The message with it."""
    digest: str
    """The document."""


async def keep(
    connection: AsyncConnection,
    source_id: int,
    guild_id: int,
    user_id: int,
    digests: Collection[str],
    *,
    now: datetime,
    expires: datetime,
    let_go: datetime,
) -> None:
    """Keep the games of a message in place of those it had before; none of them takes it out.

    Their documents, which have to be kept already, are kept until ``expires``; those of games that are not among the
    person's any more until ``let_go``.
    """
    check_ids(source_id, guild_id, user_id)
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
    theirs = _theirs(guild_id, user_id)
    kept = [game.digest for game in await find(connection, guild_id, user_id, now, MAX_GAMES)]
    await _remove(connection, theirs & own_games.c.digest.not_in(kept), let_go)


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


async def keep_names(
    connection: AsyncConnection, guild_id: int, user_id: int, said: Mapping[str, bool]
) -> None:
    """Keep what somebody says of names in a server, each written as 16 hexadecimal digits that stand for it.

    When they are too many, what was said before is forgotten, and asked again where it matters.
    """
    check_ids(guild_id, user_id)
    if len(said) > MAX_NAMES or not all(map(_NAME.fullmatch, said)):
        raise ValueError(f"at most {MAX_NAMES} names can be kept, each as 16 hexadecimal digits")
    before = await names(connection, guild_id, user_id)
    theirs = (own_names.c.guild_id == guild_id) & (own_names.c.user_id == user_id)
    outdated = theirs if len({*before, *said}) > MAX_NAMES else theirs & own_names.c.name.in_(said)
    await connection.execute(delete(own_names).where(outdated))
    if said:
        rows = [
            {"guild_id": guild_id, "user_id": user_id, "name": name, "own": own} for name, own in said.items()
        ]
        await connection.execute(own_names.insert(), rows)


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
