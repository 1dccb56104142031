"""Processes that divide the shards among themselves, and which has which."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add the tables."""
    time = sa.DateTime(timezone=True)
    op.create_table(
        "gateways",
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("application_id", sa.BigInteger, nullable=False),
        sa.Column("shard_count", sa.Integer, nullable=False),
        sa.Column("until", time, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_gateways"),
    )
    op.create_table(
        "shard_leases",
        sa.Column("application_id", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("shard_id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("holder", sa.String(32), nullable=False),
        sa.Column("until", time, nullable=False),
        sa.PrimaryKeyConstraint("application_id", "shard_id", name="pk_shard_leases"),
    )
    op.create_index("ix_shard_leases_holder", "shard_leases", ["holder"])
