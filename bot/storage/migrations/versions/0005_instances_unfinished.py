"""Processes that share the database, and messages that show the progress of a long job."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "instances",
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("application_id", sa.BigInteger, nullable=False),
        sa.Column("shard_count", sa.Integer, nullable=False),
        sa.Column("shard_ids", sa.Text, nullable=False),
        sa.Column("beats", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_instances"),
    )
    op.create_table(
        "unfinished",
        sa.Column("interaction_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("instance", sa.String(32), nullable=False),
        sa.Column("channel_id", sa.BigInteger, nullable=False),
        sa.Column("guild_id", sa.BigInteger),
        sa.Column("user_id", sa.BigInteger, nullable=False),
        sa.Column("message_id", sa.BigInteger),
        sa.Column("locale", sa.String(16), nullable=False),
        sa.Column("again", sa.String(100), nullable=False),
        sa.Column("sealed_token", sa.LargeBinary),
        sa.Column("begun", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("interaction_id", name="pk_unfinished"),
    )
    op.create_index("ix_unfinished_instance", "unfinished", ["instance"])
    op.create_index("ix_unfinished_user_id", "unfinished", ["user_id"])
    op.create_index("ix_unfinished_guild_id", "unfinished", ["guild_id"])
