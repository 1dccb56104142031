"""Open polls, and what people play in them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Make the tables."""
    time = sa.DateTime(timezone=True)
    op.create_table(
        "polls",
        sa.Column("message_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("channel_id", sa.BigInteger, nullable=False),
        sa.Column("guild_id", sa.BigInteger, nullable=False, index=True),
        sa.Column("asker_id", sa.BigInteger, nullable=False, index=True),
        sa.Column("digest", sa.String(32), nullable=False, index=True),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("side", sa.SmallInteger),
        sa.Column("spoiler", sa.Boolean, nullable=False),
        sa.Column("board", sa.String(32), nullable=False, index=True),
        sa.Column("ends", time, nullable=False, index=True),
        sa.Column("claimed", time),
    )
    op.create_table(
        "poll_plays",
        sa.Column("message_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False, index=True),
        sa.Column("play", sa.LargeBinary),
        sa.Column("look", sa.SmallInteger, nullable=False),
        sa.Column("place", sa.SmallInteger, nullable=False),
    )
