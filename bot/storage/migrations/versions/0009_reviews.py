"""Finished reviews."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "reviews",
        sa.Column("digest", sa.String(32), nullable=False),
        sa.Column("lexicon", sa.String(64), nullable=False),
        sa.Column("depth", sa.String(64), nullable=False),
        sa.Column("engine", sa.String(64), nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("digest", "lexicon", "depth", name="pk_reviews"),
        sa.ForeignKeyConstraint(
            ["digest"], ["documents.digest"], name="fk_reviews_digest", ondelete="CASCADE"
        ),
    )
