"""Jobs that other processes do, who waits for them, and what an unfinished message was asked for."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the tables and the column."""
    op.add_column("unfinished", sa.Column("resume", sa.String(100)))
    time = sa.DateTime(timezone=True)
    op.create_table(
        "jobs",
        # SQLite counts up only what it calls INTEGER, which has 64 bits there.
        sa.Column("job_id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("request", sa.LargeBinary, nullable=False),
        sa.Column("guild_id", sa.BigInteger),
        sa.Column("lane", sa.String(64), nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("stopping", sa.Boolean, nullable=False),
        sa.Column("whole", sa.Boolean, nullable=False),
        sa.Column("attempt", sa.SmallInteger, nullable=False),
        sa.Column("changes", sa.Integer, nullable=False),
        sa.Column("task", sa.BigInteger),
        sa.Column("progress", sa.LargeBinary),
        sa.Column("result", sa.LargeBinary),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("queued", time, nullable=False),
        sa.Column("begun", time),
        sa.Column("ended", time),
        sa.Column("expires", time, nullable=False),
        sa.PrimaryKeyConstraint("job_id", name="pk_jobs"),
    )
    op.create_index("ix_jobs_digest", "jobs", ["digest"])
    op.create_index("ix_jobs_guild_id", "jobs", ["guild_id"])
    op.create_index("ix_jobs_expires", "jobs", ["expires"])
    still_open = sa.text("ended IS NULL")
    op.create_index("ix_jobs_open", "jobs", ["state"], sqlite_where=still_open, postgresql_where=still_open)
    op.create_table(
        "job_askers",
        sa.Column("user_id", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("job_id", sa.BigInteger, nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.job_id"], name="fk_job_askers_job_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", "kind", name="pk_job_askers"),
    )
    op.create_index("ix_job_askers_job_id", "job_askers", ["job_id"])
