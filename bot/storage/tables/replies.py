"""What was answered, what is still to be, and who was told what."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    LargeBinary,
    SmallInteger,
    String,
    Table,
    true,
)

from bot.storage.tables.base import UtcTime, metadata

replies: Final = Table(
    "replies",
    metadata,
    Column("source_id", BigInteger, primary_key=True, autoincrement=False),
    Column("channel_id", BigInteger, nullable=False),
    Column("guild_id", BigInteger, index=True),
    Column("author_id", BigInteger, nullable=False, index=True),
    Column("claimed", UtcTime, nullable=False, index=True),
    Column("recorded", UtcTime),
    Column("held_until", UtcTime),
    Column("tries", SmallInteger, nullable=False, server_default="1"),
)

# Few answers are not out yet, and they are looked for every few seconds.
Index(
    "ix_replies_held_until",
    replies.c.held_until,
    sqlite_where=replies.c.held_until.is_not(None),
    postgresql_where=replies.c.held_until.is_not(None),
)


reply_messages: Final = Table(
    "reply_messages",
    metadata,
    Column("source_id", BigInteger, ForeignKey("replies.source_id", ondelete="CASCADE"), primary_key=True),
    Column("place", SmallInteger, primary_key=True, autoincrement=False),
    Column("message_id", BigInteger, nullable=False, index=True),
)


notices: Final = Table(
    "notices",
    metadata,
    Column("key", String(100), primary_key=True),
    Column("told", UtcTime, nullable=False, index=True),
)


unfinished: Final = Table(
    "unfinished",
    metadata,
    Column("interaction_id", BigInteger, primary_key=True, autoincrement=False),
    Column("instance", String(32), nullable=False, index=True),
    Column("channel_id", BigInteger, nullable=False),
    Column("guild_id", BigInteger, index=True),
    Column("user_id", BigInteger, nullable=False, index=True),
    Column("message_id", BigInteger),
    Column("locale", String(16), nullable=False),
    Column("again", String(100), nullable=False),
    Column("sealed_token", LargeBinary),
    Column("private", Boolean, nullable=False, server_default=true()),
    Column("begun", UtcTime, nullable=False),
)
