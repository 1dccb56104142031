"""Dailies: where and when, what was posted, who answered, streaks; and how ratings went."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Make the tables."""
    game = sa.String(16)
    time = sa.DateTime(timezone=True)
    op.add_column("user_settings", sa.Column("named", sa.Boolean))
    op.create_table(
        "rating_history",
        _key("user_id", sa.BigInteger),
        sa.Column("game", game, primary_key=True),
        _key("place", sa.Integer),
        sa.Column("rating", sa.SmallInteger, nullable=False),
    )
    op.create_table(
        "daily_settings",
        _key("guild_id", sa.BigInteger),
        sa.Column("channel_id", sa.BigInteger, nullable=False),
        sa.Column("hour", sa.SmallInteger, nullable=False),
        sa.Column("zone", sa.String(64), nullable=False),
        sa.Column("games", sa.String(32), nullable=False),
        sa.Column("level", sa.String(16), nullable=False),
        sa.Column("role_id", sa.BigInteger),
        sa.Column("due", time, nullable=False, index=True),
    )
    posts = op.create_table(
        "daily_posts",
        _key("guild_id", sa.BigInteger),
        _key("number", sa.Integer),
        sa.Column("game", game, primary_key=True),
        sa.Column("puzzle", sa.String(16), nullable=False),
        sa.Column("channel_id", sa.BigInteger, nullable=False),
        sa.Column("message_id", sa.BigInteger),
        sa.Column("held_until", time),
        sa.Column("tries", sa.SmallInteger, nullable=False),
        sa.Column("posted", time),
        sa.Column("closed", time),
        sa.Column("changes", sa.Integer, nullable=False),
        sa.Column("shown", sa.Integer, nullable=False),
        sa.Column("edited", time),
    )
    is_open, is_stale = posts.c.closed.is_(None), posts.c.changes != posts.c.shown
    for name, rows in (("ix_daily_posts_open", is_open), ("ix_daily_posts_stale", is_stale)):
        op.create_index(name, "daily_posts", ["guild_id"], sqlite_where=rows, postgresql_where=rows)
    op.create_table(
        "daily_answers",
        _key("user_id", sa.BigInteger),
        _key("number", sa.Integer),
        sa.Column("game", game, primary_key=True),
        _key("guild_id", sa.BigInteger),
        sa.Column("puzzle", sa.String(16), nullable=False),
        sa.Column("tries", sa.SmallInteger, nullable=False),
        sa.Column("hints", sa.SmallInteger, nullable=False),
        sa.Column("done", sa.SmallInteger, nullable=False),
        sa.Column("solved", sa.Boolean, nullable=False),
        sa.Column("given_up", sa.Boolean, nullable=False),
    )
    op.create_index("ix_daily_answers_guild", "daily_answers", ["guild_id", "game", "number"])
    op.create_table(
        "daily_streaks",
        _key("user_id", sa.BigInteger),
        sa.Column("game", game, primary_key=True),
        sa.Column("days", sa.Integer, nullable=False),
        sa.Column("best", sa.Integer, nullable=False),
        sa.Column("last", sa.Integer, nullable=False),
        sa.Column("frozen", sa.Integer, nullable=False),
    )


def _key(name: str, kind: type[sa.Integer]) -> sa.Column[int]:
    return sa.Column(name, kind, primary_key=True, autoincrement=False)
