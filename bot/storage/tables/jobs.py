"""Jobs, who waits for them, and how long they took."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    SmallInteger,
    String,
    Table,
)

from bot.storage.tables.base import AnyText, UtcTime, metadata

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
