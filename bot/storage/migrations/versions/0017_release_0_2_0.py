"""The tables of release 0.2.0, which itself upgrades earlier databases to this version."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = None

_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the tables."""
    _create_documents()
    _create_replies()
    _create_processes()
    _create_jobs()
    _create_settings()
    _create_live_games()
    _create_puzzles()
    _create_dailies()
    _create_polls()


def _key(name: str, kind: type[sa.Integer] = sa.BigInteger, *, index: bool = False) -> sa.Column[int]:
    """Return a numeric column of a primary key that the database does not count up."""
    return sa.Column(name, kind, primary_key=True, autoincrement=False, index=index)


def _digest(*, index: bool = False) -> sa.Column[str]:
    """Return a column of a primary key that refers to a document."""
    document = sa.ForeignKey("documents.digest", ondelete="CASCADE")
    return sa.Column("digest", sa.String(32), document, primary_key=True, index=index)


def _create_documents() -> None:
    op.create_table(
        "documents",
        sa.Column("digest", sa.String(32), primary_key=True),
        sa.Column("format", sa.String(32), nullable=False),
        sa.Column("text", sa.LargeBinary, nullable=False),
        sa.Column("expires", _TIME, nullable=False, index=True),
    )
    op.create_table("document_authors", _digest(), _key("author_id", index=True))
    op.create_table(
        "reviews",
        _digest(),
        sa.Column("lexicon", sa.String(64), primary_key=True),
        sa.Column("depth", sa.String(64), primary_key=True),
        sa.Column("engine", sa.String(64), nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "own_games",
        _key("source_id"),
        _digest(index=True),
        sa.Column("guild_id", sa.BigInteger, nullable=False, index=True),
        sa.Column("user_id", sa.BigInteger, nullable=False, index=True),
    )
    op.create_table(
        "own_names",
        _key("guild_id"),
        _key("user_id", index=True),
        sa.Column("name", sa.String(16), primary_key=True),
        sa.Column("own", sa.Boolean, nullable=False),
    )


def _create_replies() -> None:
    replies = op.create_table(
        "replies",
        _key("source_id"),
        sa.Column("channel_id", sa.BigInteger, nullable=False),
        sa.Column("guild_id", sa.BigInteger, index=True),
        sa.Column("author_id", sa.BigInteger, nullable=False, index=True),
        sa.Column("claimed", _TIME, nullable=False, index=True),
        sa.Column("recorded", _TIME),
        sa.Column("held_until", _TIME),
        sa.Column("tries", sa.SmallInteger, nullable=False, server_default="1"),
    )
    unsent = replies.c.held_until.is_not(None)
    op.create_index(
        "ix_replies_held_until", "replies", ["held_until"], sqlite_where=unsent, postgresql_where=unsent
    )
    op.create_table(
        "reply_messages",
        sa.Column(
            "source_id",
            sa.BigInteger,
            sa.ForeignKey("replies.source_id", ondelete="CASCADE"),
            primary_key=True,
        ),
        _key("place", sa.SmallInteger),
        sa.Column("message_id", sa.BigInteger, nullable=False, index=True),
    )
    op.create_table(
        "notices",
        sa.Column("key", sa.String(100), primary_key=True),
        sa.Column("told", _TIME, nullable=False, index=True),
    )
    op.create_table(
        "meta",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("value", sa.LargeBinary, nullable=False),
    )


def _create_processes() -> None:
    op.create_table(
        "instances",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("application_id", sa.BigInteger, nullable=False),
        sa.Column("shard_count", sa.Integer, nullable=False),
        sa.Column("shard_ids", sa.Text, nullable=False),
        sa.Column("beats", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "gateways",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("application_id", sa.BigInteger, nullable=False),
        sa.Column("shard_count", sa.Integer, nullable=False),
        sa.Column("until", _TIME, nullable=False),
    )
    op.create_table(
        "shard_leases",
        _key("application_id"),
        _key("shard_id", sa.Integer),
        sa.Column("holder", sa.String(32), nullable=False, index=True),
        sa.Column("until", _TIME, nullable=False),
    )
    op.create_table(
        "unfinished",
        _key("interaction_id"),
        sa.Column("instance", sa.String(32), nullable=False, index=True),
        sa.Column("channel_id", sa.BigInteger, nullable=False),
        sa.Column("guild_id", sa.BigInteger, index=True),
        sa.Column("user_id", sa.BigInteger, nullable=False, index=True),
        sa.Column("message_id", sa.BigInteger),
        sa.Column("locale", sa.String(16), nullable=False),
        sa.Column("again", sa.String(100), nullable=False),
        sa.Column("sealed_token", sa.LargeBinary),
        sa.Column("begun", _TIME, nullable=False),
        sa.Column("resume", sa.String(100)),
        sa.Column("sealed_typed", sa.LargeBinary),
        sa.Column("private", sa.Boolean, nullable=False, server_default=sa.true()),
    )


def _create_jobs() -> None:
    jobs = op.create_table(
        "jobs",
        # SQLite increments only an INTEGER, which has 64 bits there.
        sa.Column("job_id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False, index=True),
        sa.Column("request", sa.LargeBinary, nullable=False),
        sa.Column("guild_id", sa.BigInteger, index=True),
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
        sa.Column("queued", _TIME, nullable=False),
        sa.Column("begun", _TIME),
        sa.Column("ended", _TIME),
        sa.Column("expires", _TIME, nullable=False, index=True),
    )
    is_open = jobs.c.ended.is_(None)
    op.create_index("ix_jobs_open", "jobs", ["state"], sqlite_where=is_open, postgresql_where=is_open)
    job = sa.ForeignKey("jobs.job_id", ondelete="CASCADE")
    op.create_table(
        "job_askers",
        _key("user_id"),
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("job_id", sa.BigInteger, job, nullable=False, index=True),
    )
    op.create_table(
        "job_means",
        sa.Column("kind", sa.String(8), primary_key=True),
        _key("id"),
        sa.Column("left", sa.Float, nullable=False),
        sa.Column("since", _TIME, nullable=False, index=True),
    )


def _create_settings() -> None:
    op.create_table(
        "server_settings",
        _key("guild_id"),
        sa.Column("mode", sa.String(64)),
        sa.Column("theme", sa.String(64)),
        sa.Column("layout", sa.String(64)),
        sa.Column("coordinates", sa.Boolean),
        sa.Column("lexicon", sa.String(64)),
        sa.Column("language", sa.String(64)),
        sa.Column("aliases", sa.String(1_500)),
        sa.Column("questions", sa.Boolean),
        sa.Column("live", sa.String(64)),
        sa.Column("turns", sa.Boolean),
        sa.Column("looks", sa.Boolean),
    )
    op.create_table(
        "channel_modes",
        _key("channel_id"),
        sa.Column("guild_id", sa.BigInteger, nullable=False, index=True),
        sa.Column("mode", sa.String(64), nullable=False),
    )
    op.create_table(
        "user_settings",
        _key("user_id"),
        sa.Column("theme", sa.String(64)),
        sa.Column("layout", sa.String(64)),
        sa.Column("coordinates", sa.Boolean),
        sa.Column("lexicon", sa.String(64)),
        sa.Column("language", sa.String(64)),
        sa.Column("turns", sa.Boolean),
        sa.Column("named", sa.Boolean),
        sa.Column("games", sa.Boolean),
    )
    op.create_table("guilds", _key("guild_id"))
    op.create_table("left_guilds", _key("guild_id"), sa.Column("left", _TIME, nullable=False, index=True))


def _create_live_games() -> None:
    op.create_table(
        "live_games",
        _key("channel_id"),
        sa.Column("game_id", sa.LargeBinary, primary_key=True),
        sa.Column("guild_id", sa.BigInteger, index=True),
        sa.Column("owner_id", sa.BigInteger, index=True),
        sa.Column("updated", _TIME, nullable=False, index=True),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("board_channel_id", sa.BigInteger),
        sa.Column("board_id", sa.BigInteger),
    )
    op.create_table(
        "live_texts",
        _key("channel_id"),
        sa.Column("game_id", sa.LargeBinary, primary_key=True),
        _key("place", sa.SmallInteger),
        sa.Column("author_id", sa.BigInteger, nullable=False, index=True),
        sa.Column("text", sa.LargeBinary, nullable=False),
        sa.ForeignKeyConstraint(
            ["channel_id", "game_id"], ["live_games.channel_id", "live_games.game_id"], ondelete="CASCADE"
        ),
    )
    op.create_table(
        "live_draws",
        _key("draws"),
        sa.Column("channel_id", sa.BigInteger),
        sa.Column("game_id", sa.LargeBinary),
        sa.Column("guild_id", sa.BigInteger, index=True),
        sa.Column("bringer_id", sa.BigInteger, index=True),
        sa.Column("settled", sa.Integer, nullable=False),
        sa.Column("disputed", sa.Integer, nullable=False),
        sa.Column("opened", sa.String(32)),
        sa.Column("updated", _TIME, nullable=False, index=True),
        sa.Column("version", sa.BigInteger, nullable=False),
    )
    draws = sa.ForeignKey("live_draws.draws", ondelete="CASCADE")
    op.create_table(
        "live_seats",
        sa.Column("draws", sa.BigInteger, draws, primary_key=True, autoincrement=False),
        _key("seat", sa.SmallInteger),
        sa.Column("user_id", sa.BigInteger, index=True),
        sa.Column("held", sa.Boolean, nullable=False),
    )


def _create_puzzles() -> None:
    op.create_table(
        "puzzle_answers",
        _key("user_id"),
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
        _key("user_id"),
        sa.Column("game", sa.String(16), primary_key=True),
        sa.Column("rating", sa.Float, nullable=False),
        sa.Column("deviation", sa.Float, nullable=False),
        sa.Column("volatility", sa.Float, nullable=False),
    )
    op.create_table(
        "rating_history",
        _key("user_id"),
        sa.Column("game", sa.String(16), primary_key=True),
        _key("place", sa.Integer),
        sa.Column("rating", sa.SmallInteger, nullable=False),
    )


def _create_dailies() -> None:
    op.create_table(
        "daily_settings",
        _key("guild_id"),
        sa.Column("channel_id", sa.BigInteger, nullable=False),
        sa.Column("hour", sa.SmallInteger, nullable=False),
        sa.Column("zone", sa.String(64), nullable=False),
        sa.Column("games", sa.String(32), nullable=False),
        sa.Column("level", sa.String(16), nullable=False),
        sa.Column("role_id", sa.BigInteger),
        sa.Column("due", _TIME, nullable=False, index=True),
    )
    posts = op.create_table(
        "daily_posts",
        _key("guild_id"),
        _key("number", sa.Integer),
        sa.Column("game", sa.String(16), primary_key=True),
        sa.Column("puzzle", sa.String(16), nullable=False),
        sa.Column("channel_id", sa.BigInteger, nullable=False),
        sa.Column("message_id", sa.BigInteger),
        sa.Column("held_until", _TIME),
        sa.Column("tries", sa.SmallInteger, nullable=False),
        sa.Column("posted", _TIME),
        sa.Column("closed", _TIME),
        sa.Column("changes", sa.Integer, nullable=False),
        sa.Column("shown", sa.Integer, nullable=False),
        sa.Column("edited", _TIME),
    )
    is_open, is_stale = posts.c.closed.is_(None), posts.c.changes != posts.c.shown
    for name, rows in (("ix_daily_posts_open", is_open), ("ix_daily_posts_stale", is_stale)):
        op.create_index(name, "daily_posts", ["guild_id"], sqlite_where=rows, postgresql_where=rows)
    op.create_table(
        "daily_answers",
        _key("user_id"),
        _key("number", sa.Integer),
        sa.Column("game", sa.String(16), primary_key=True),
        _key("guild_id"),
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
        _key("user_id"),
        sa.Column("game", sa.String(16), primary_key=True),
        sa.Column("days", sa.Integer, nullable=False),
        sa.Column("best", sa.Integer, nullable=False),
        sa.Column("last", sa.Integer, nullable=False),
        sa.Column("frozen", sa.Integer, nullable=False),
    )


def _create_polls() -> None:
    op.create_table(
        "polls",
        _key("message_id"),
        sa.Column("channel_id", sa.BigInteger, nullable=False),
        sa.Column("guild_id", sa.BigInteger, nullable=False, index=True),
        sa.Column("asker_id", sa.BigInteger, nullable=False, index=True),
        sa.Column("digest", sa.String(32), nullable=False, index=True),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("side", sa.SmallInteger),
        sa.Column("spoiler", sa.Boolean, nullable=False),
        sa.Column("board", sa.String(32), nullable=False, index=True),
        sa.Column("ends", _TIME, nullable=False, index=True),
        sa.Column("claimed", _TIME),
    )
    op.create_table(
        "poll_plays",
        _key("message_id"),
        _key("user_id", index=True),
        sa.Column("play", sa.LargeBinary),
        sa.Column("look", sa.SmallInteger, nullable=False),
        sa.Column("place", sa.SmallInteger, nullable=False),
    )
