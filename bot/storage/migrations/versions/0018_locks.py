"""Drop the tables and columns of processes and shards, which PostgreSQL locks have replaced."""

from __future__ import annotations

from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    for table in ("instances", "gateways", "shard_leases"):
        op.drop_table(table)
    with op.batch_alter_table("unfinished") as batch:
        batch.drop_column("resume")
        batch.drop_column("sealed_typed")
