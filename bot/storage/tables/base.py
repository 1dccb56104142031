"""Types of columns, and the tables of documents, replies, unfinished answers and jobs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    TypeDecorator,
    true,
)


class UtcTime(TypeDecorator[datetime]):
    """A moment. SQLite keeps no time zone, so times are converted to UTC when written and marked as UTC when read."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert a time to UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a time zone cannot be kept")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Mark a time as UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class AnyText(TypeDecorator[str]):
    """Text that comes from chat, kept as bytes.

    PostgreSQL's own text type refuses U+0000 and both databases refuse half a surrogate pair; a pasted file may
    hold either, and what is kept must come back as it was.
    """

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:
        """Encode."""
        return None if value is None else value.encode("utf-8", "surrogatepass")

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> str | None:
        """Decode."""
        return None if value is None else value.decode("utf-8", "surrogatepass")


metadata: Final = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)


meta: Final = Table(
    "meta",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("value", AnyText, nullable=False),
)


documents: Final = Table(
    "documents",
    metadata,
    Column("digest", String(32), primary_key=True),
    Column("format", String(32), nullable=False),
    Column("text", AnyText, nullable=False),
    Column("expires", UtcTime, nullable=False, index=True),
)


document_authors: Final = Table(
    "document_authors",
    metadata,
    Column("digest", String(32), ForeignKey("documents.digest", ondelete="CASCADE"), primary_key=True),
    Column("author_id", BigInteger, primary_key=True, autoincrement=False, index=True),
)


reviews: Final = Table(
    "reviews",
    metadata,
    Column("digest", String(32), ForeignKey("documents.digest", ondelete="CASCADE"), primary_key=True),
    Column("lexicon", String(64), primary_key=True),
    Column("depth", String(64), primary_key=True),
    Column("engine", String(64), nullable=False),
    Column("content", LargeBinary, nullable=False),
)


own_games: Final = Table(
    "own_games",
    metadata,
    Column("source_id", BigInteger, primary_key=True, autoincrement=False),
    Column(
        "digest", String(32), ForeignKey("documents.digest", ondelete="CASCADE"), primary_key=True, index=True
    ),
    Column("guild_id", BigInteger, nullable=False, index=True),
    Column("user_id", BigInteger, nullable=False, index=True),
)


own_names: Final = Table(
    "own_names",
    metadata,
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("user_id", BigInteger, primary_key=True, autoincrement=False, index=True),
    Column("name", String(16), primary_key=True),
    Column("own", Boolean, nullable=False),
)


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


jobs: Final = Table(
    "jobs",
    metadata,
    # SQLite counts up only what it calls INTEGER, which has 64 bits there.
    Column("job_id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("digest", String(64), nullable=False, index=True),
    Column("request", AnyText, nullable=False),
    Column("guild_id", BigInteger, index=True),
    Column("lane", String(64), nullable=False),
    Column("state", String(8), nullable=False),
    Column("stopping", Boolean, nullable=False),
    Column("whole", Boolean, nullable=False),
    Column("attempt", SmallInteger, nullable=False),
    Column("changes", Integer, nullable=False),
    Column("task", BigInteger),
    Column("progress", AnyText),
    Column("result", AnyText),
    Column("seconds", Float, nullable=False),
    Column("queued", UtcTime, nullable=False),
    Column("begun", UtcTime),
    Column("ended", UtcTime),
    Column("expires", UtcTime, nullable=False, index=True),
)
"""Work that processes hand to others, and what came of it; see :mod:`bot.storage.jobs`."""

Index(
    "ix_jobs_open",
    jobs.c.state,
    sqlite_where=jobs.c.ended.is_(None),
    postgresql_where=jobs.c.ended.is_(None),
)


job_askers: Final = Table(
    "job_askers",
    metadata,
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", String(16), primary_key=True),
    Column("job_id", BigInteger, ForeignKey("jobs.job_id", ondelete="CASCADE"), nullable=False, index=True),
)
"""Who waits for which job: of each kind a person has one."""


job_means: Final = Table(
    "job_means",
    metadata,
    Column("kind", String(8), primary_key=True),
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("left", Float, nullable=False),
    Column("since", UtcTime, nullable=False, index=True),
)
"""What people and channels have left for jobs; see :mod:`bot.storage.jobs.means`."""
