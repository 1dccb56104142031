"""The finished games that people want to look back at, what they are called, and whether they want it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Add the tables and the column."""
    op.add_column("user_settings", sa.Column("games", sa.Boolean))
    op.create_table(
        "own_games",
        sa.Column("source_id", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("digest", sa.String(32), nullable=False),
        sa.Column("guild_id", sa.BigInteger, nullable=False),
        sa.Column("user_id", sa.BigInteger, nullable=False),
        sa.ForeignKeyConstraint(
            ["digest"], ["documents.digest"], name="fk_own_games_digest", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("source_id", "digest", name="pk_own_games"),
    )
    for name in ("digest", "guild_id", "user_id"):
        op.create_index(f"ix_own_games_{name}", "own_games", [name])
    op.create_table(
        "own_names",
        sa.Column("guild_id", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("user_id", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("name", sa.String(16), nullable=False),
        sa.Column("own", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("guild_id", "user_id", "name", name="pk_own_names"),
    )
    op.create_index("ix_own_names_user_id", "own_names", ["user_id"])
