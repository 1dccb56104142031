"""Answers to puzzles, and ratings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "puzzle_answers",
        sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("game", sa.String(16), primary_key=True),
        sa.Column("puzzle", sa.String(16), primary_key=True),
        sa.Column("tries", sa.SmallInteger, nullable=False),
        sa.Column("hints", sa.SmallInteger, nullable=False),
        sa.Column("done", sa.SmallInteger, nullable=False),
        sa.Column("solved", sa.Boolean, nullable=False),
        sa.Column("given_up", sa.Boolean, nullable=False),
    )
    op.create_table(
        "puzzle_ratings",
        sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("game", sa.String(16), primary_key=True),
        sa.Column("rating", sa.Float, nullable=False),
        sa.Column("deviation", sa.Float, nullable=False),
        sa.Column("volatility", sa.Float, nullable=False),
    )
