"""What a channel shares: dailies and polls."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    SmallInteger,
    String,
    Table,
)

from bot.storage.tables.base import AnyText, UtcTime, metadata

daily_settings: Final = Table(
    "daily_settings",
    metadata,
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("channel_id", BigInteger, nullable=False),
    Column("hour", SmallInteger, nullable=False),
    Column("zone", String(64), nullable=False),
    Column("games", String(32), nullable=False),
    Column("level", String(16), nullable=False),
    Column("role_id", BigInteger),
    Column("due", UtcTime, nullable=False, index=True),
)


daily_posts: Final = Table(
    "daily_posts",
    metadata,
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("game", String(16), primary_key=True),
    Column("puzzle", String(16), nullable=False),
    Column("channel_id", BigInteger, nullable=False),
    Column("message_id", BigInteger),
    Column("held_until", UtcTime),
    Column("tries", SmallInteger, nullable=False),
    Column("posted", UtcTime),
    Column("closed", UtcTime),
    Column("changes", Integer, nullable=False),
    Column("shown", Integer, nullable=False),
    Column("edited", UtcTime),
)
"""The dailies of servers: claimed, posted, closed by their solution."""

# Few are open, and fewer have new counts to show; both are looked for every few seconds.
Index(
    "ix_daily_posts_open",
    daily_posts.c.guild_id,
    sqlite_where=daily_posts.c.closed.is_(None),
    postgresql_where=daily_posts.c.closed.is_(None),
)
Index(
    "ix_daily_posts_stale",
    daily_posts.c.guild_id,
    sqlite_where=daily_posts.c.changes != daily_posts.c.shown,
    postgresql_where=daily_posts.c.changes != daily_posts.c.shown,
)


daily_answers: Final = Table(
    "daily_answers",
    metadata,
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("game", String(16), primary_key=True),
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("puzzle", String(16), nullable=False),
    Column("tries", SmallInteger, nullable=False),
    Column("hints", SmallInteger, nullable=False),
    Column("done", SmallInteger, nullable=False),
    Column("solved", Boolean, nullable=False),
    Column("given_up", Boolean, nullable=False),
)

Index("ix_daily_answers_guild", daily_answers.c.guild_id, daily_answers.c.game, daily_answers.c.number)


daily_streaks: Final = Table(
    "daily_streaks",
    metadata,
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("game", String(16), primary_key=True),
    Column("days", Integer, nullable=False),
    Column("best", Integer, nullable=False),
    Column("last", Integer, nullable=False),
    Column("frozen", Integer, nullable=False),
)


polls: Final = Table(
    "polls",
    metadata,
    Column("message_id", BigInteger, primary_key=True, autoincrement=False),
    Column("channel_id", BigInteger, nullable=False),
    Column("guild_id", BigInteger, nullable=False, index=True),
    Column("asker_id", BigInteger, nullable=False, index=True),
    Column("digest", String(32), nullable=False, index=True),
    Column("turn", Integer, nullable=False),
    Column("side", SmallInteger),
    Column("spoiler", Boolean, nullable=False),
    Column("board", String(32), nullable=False, index=True),
    Column("ends", UtcTime, nullable=False, index=True),
    Column("claimed", UtcTime),
)


poll_plays: Final = Table(
    "poll_plays",
    metadata,
    Column("message_id", BigInteger, primary_key=True, autoincrement=False),
    Column("user_id", BigInteger, primary_key=True, autoincrement=False, index=True),
    Column("play", AnyText),
    Column("look", SmallInteger, nullable=False),
    Column("place", SmallInteger, nullable=False),
)
