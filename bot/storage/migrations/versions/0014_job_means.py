"""The allowances of people and channels for jobs of other processes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "job_means",
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("id", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("left", sa.Float, nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("kind", "id", name="pk_job_means"),
    )
    op.create_index("ix_job_means_since", "job_means", ["since"])
