"""The tables of the newest schema version. A change needs a new file in :mod:`bot.storage.migrations.versions`."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    true,
)

from bot.storage.columns import AnyText, Snowflake, UtcTime

metadata: Final = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)

meta: Final = Table(
    "meta",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("value", AnyText, nullable=False),
)

documents: Final = Table(
    "documents",
    metadata,
    Column("digest", String(32), primary_key=True),
    Column("format", String(32), nullable=False),
    Column("text", AnyText, nullable=False),
    Column("expires", UtcTime, nullable=False, index=True),
)

document_authors: Final = Table(
    "document_authors",
    metadata,
    Column("digest", String(32), ForeignKey("documents.digest", ondelete="CASCADE"), primary_key=True),
    Column("author_id", Snowflake, primary_key=True, autoincrement=False, index=True),
)

reviews: Final = Table(
    "reviews",
    metadata,
    Column("digest", String(32), ForeignKey("documents.digest", ondelete="CASCADE"), primary_key=True),
    Column("lexicon", String(64), primary_key=True),
    Column("depth", String(64), primary_key=True),
    Column("engine", String(64), nullable=False),
    Column("content", LargeBinary, nullable=False),
)

own_games: Final = Table(
    "own_games",
    metadata,
    Column("source_id", Snowflake, primary_key=True, autoincrement=False),
    Column(
        "digest", String(32), ForeignKey("documents.digest", ondelete="CASCADE"), primary_key=True, index=True
    ),
    Column("guild_id", Snowflake, nullable=False, index=True),
    Column("user_id", Snowflake, nullable=False, index=True),
)

own_names: Final = Table(
    "own_names",
    metadata,
    Column("guild_id", Snowflake, primary_key=True, autoincrement=False),
    Column("user_id", Snowflake, primary_key=True, autoincrement=False, index=True),
    Column("name", String(16), primary_key=True),
    Column("own", Boolean, nullable=False),
)

replies: Final = Table(
    "replies",
    metadata,
    Column("source_id", Snowflake, primary_key=True, autoincrement=False),
    Column("channel_id", Snowflake, nullable=False),
    Column("guild_id", Snowflake, index=True),
    Column("author_id", Snowflake, nullable=False, index=True),
    Column("claimed", UtcTime, nullable=False, index=True, key="claimed_at"),
    Column("recorded", UtcTime, key="recorded_at"),
    Column("held_until", UtcTime),
    Column("tries", SmallInteger, nullable=False, server_default="1"),
)

# A partial index, because few replies are unrecorded, and the bot queries them often.
Index(
    "ix_replies_held_until",
    replies.c.held_until,
    sqlite_where=replies.c.held_until.is_not(None),
    postgresql_where=replies.c.held_until.is_not(None),
)

reply_messages: Final = Table(
    "reply_messages",
    metadata,
    Column("source_id", Snowflake, ForeignKey("replies.source_id", ondelete="CASCADE"), primary_key=True),
    Column("place", SmallInteger, primary_key=True, autoincrement=False),
    Column("message_id", Snowflake, nullable=False, index=True),
)

notices: Final = Table(
    "notices",
    metadata,
    Column("key", String(100), primary_key=True),
    Column("told", UtcTime, nullable=False, index=True, key="claimed_at"),
)

unfinished: Final = Table(
    "unfinished",
    metadata,
    Column("interaction_id", Snowflake, primary_key=True, autoincrement=False),
    Column("instance", String(32), nullable=False, index=True),
    Column("channel_id", Snowflake, nullable=False),
    Column("guild_id", Snowflake, index=True),
    Column("user_id", Snowflake, nullable=False, index=True),
    Column("message_id", Snowflake),
    Column("locale", String(16), nullable=False),
    Column("again", String(100), nullable=False, key="restart_button_id"),
    Column("sealed_token", LargeBinary),
    Column("private", Boolean, nullable=False, server_default=true()),
    Column("begun", UtcTime, nullable=False, key="started_at"),
)

jobs: Final = Table(
    "jobs",
    metadata,
    # SQLite generates ids only in an INTEGER column, which has 64 bits in SQLite.
    Column("job_id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("digest", String(64), nullable=False, index=True),
    Column("request", AnyText, nullable=False),
    Column("guild_id", Snowflake, index=True),
    Column("lane", String(64), nullable=False),
    Column("state", String(8), nullable=False),
    Column("stopping", Boolean, nullable=False),
    Column("whole", Boolean, nullable=False),
    Column("attempt", SmallInteger, nullable=False),
    Column("changes", Integer, nullable=False),
    Column("task", BigInteger),
    Column("progress", AnyText),
    Column("result", AnyText),
    Column("seconds", Float, nullable=False),
    Column("queued", UtcTime, nullable=False),
    Column("begun", UtcTime),
    Column("ended", UtcTime),
    Column("expires", UtcTime, nullable=False, index=True),
)

Index(
    "ix_jobs_open",
    jobs.c.state,
    sqlite_where=jobs.c.ended.is_(None),
    postgresql_where=jobs.c.ended.is_(None),
)

job_askers: Final = Table(
    "job_askers",
    metadata,
    Column("user_id", Snowflake, primary_key=True, autoincrement=False),
    Column("kind", String(16), primary_key=True),
    Column("job_id", BigInteger, ForeignKey("jobs.job_id", ondelete="CASCADE"), nullable=False, index=True),
)
"""The users who are waiting for a job. A user can wait for only one job of each kind."""

job_allowances: Final = Table(
    "job_means",
    metadata,
    Column("kind", String(8), primary_key=True),
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("left", Float, nullable=False),
    Column("since", UtcTime, nullable=False, index=True),
)

server_settings: Final = Table(
    "server_settings",
    metadata,
    Column("guild_id", Snowflake, primary_key=True, autoincrement=False),
    Column("mode", String(64)),
    Column("theme", String(64)),
    Column("layout", String(64)),
    Column("coordinates", Boolean),
    Column("lexicon", String(64)),
    Column("language", String(64)),
    Column("aliases", String(1_500)),
    Column("questions", Boolean),
    Column("live", String(64)),
    Column("turns", Boolean),
    Column("looks", Boolean),
)

channel_modes: Final = Table(
    "channel_modes",
    metadata,
    Column("channel_id", Snowflake, primary_key=True, autoincrement=False),
    Column("guild_id", Snowflake, nullable=False, index=True),
    Column("mode", String(64), nullable=False),
)

user_settings: Final = Table(
    "user_settings",
    metadata,
    Column("user_id", Snowflake, primary_key=True, autoincrement=False),
    Column("theme", String(64)),
    Column("layout", String(64)),
    Column("coordinates", Boolean),
    Column("lexicon", String(64)),
    Column("language", String(64)),
    Column("turns", Boolean),
    Column("named", Boolean),
    Column("games", Boolean),
)

guilds: Final = Table(
    "guilds",
    metadata,
    Column("guild_id", Snowflake, primary_key=True, autoincrement=False),
)
"""Every server with stored data."""

left_guilds: Final = Table(
    "left_guilds",
    metadata,
    Column("guild_id", Snowflake, primary_key=True, autoincrement=False),
    Column("left", UtcTime, nullable=False, index=True),
)

live_games: Final = Table(
    "live_games",
    metadata,
    Column("channel_id", Snowflake, primary_key=True, autoincrement=False),
    Column("game_id", AnyText, primary_key=True),
    Column("guild_id", Snowflake, index=True),
    Column("owner_id", Snowflake, index=True),
    Column("updated", UtcTime, nullable=False, index=True),
    Column("version", BigInteger, nullable=False),
    Column("board_channel_id", Snowflake),
    Column("board_id", Snowflake),
)

live_texts: Final = Table(
    "live_texts",
    metadata,
    Column("channel_id", Snowflake, primary_key=True, autoincrement=False),
    Column("game_id", AnyText, primary_key=True),
    Column("place", SmallInteger, primary_key=True, autoincrement=False),
    Column("author_id", Snowflake, nullable=False, index=True),
    Column("text", AnyText, nullable=False),
    ForeignKeyConstraint(
        ["channel_id", "game_id"], ["live_games.channel_id", "live_games.game_id"], ondelete="CASCADE"
    ),
)

live_draws: Final = Table(
    "live_draws",
    metadata,
    Column("draws", BigInteger, primary_key=True, autoincrement=False, key="draws_id"),
    Column("channel_id", Snowflake),
    Column("game_id", AnyText),
    Column("guild_id", Snowflake, index=True),
    Column("bringer_id", Snowflake, index=True, key="first_poster_id"),
    Column("settled", Integer, nullable=False),
    Column("disputed", Integer, nullable=False),
    Column("opened", String(32)),
    Column("updated", UtcTime, nullable=False, index=True),
    Column("version", BigInteger, nullable=False),
)

live_seats: Final = Table(
    "live_seats",
    metadata,
    Column(
        "draws",
        BigInteger,
        ForeignKey("live_draws.draws_id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
        key="draws_id",
    ),
    Column("seat", SmallInteger, primary_key=True, autoincrement=False),
    Column("user_id", Snowflake, index=True),
    Column("held", Boolean, nullable=False),
)

puzzle_answers: Final = Table(
    "puzzle_answers",
    metadata,
    Column("user_id", Snowflake, primary_key=True, autoincrement=False),
    Column("game", String(16), primary_key=True),
    Column("puzzle", String(16), primary_key=True),
    Column("tries", SmallInteger, nullable=False, key="wrong_answers"),
    Column("hints", SmallInteger, nullable=False),
    Column("done", SmallInteger, nullable=False, key="progress_code"),
    Column("solved", Boolean, nullable=False),
    Column("given_up", Boolean, nullable=False),
)

puzzle_ratings: Final = Table(
    "puzzle_ratings",
    metadata,
    Column("user_id", Snowflake, primary_key=True, autoincrement=False),
    Column("game", String(16), primary_key=True),
    Column("rating", Float, nullable=False),
    Column("deviation", Float, nullable=False),
    Column("volatility", Float, nullable=False),
)

rating_history: Final = Table(
    "rating_history",
    metadata,
    Column("user_id", Snowflake, primary_key=True, autoincrement=False),
    Column("game", String(16), primary_key=True),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("rating", SmallInteger, nullable=False),
)

daily_settings: Final = Table(
    "daily_settings",
    metadata,
    Column("guild_id", Snowflake, primary_key=True, autoincrement=False),
    Column("channel_id", Snowflake, nullable=False),
    Column("hour", SmallInteger, nullable=False),
    Column("zone", String(64), nullable=False),
    Column("games", String(32), nullable=False),
    Column("level", String(16), nullable=False),
    Column("role_id", Snowflake),
    Column("due", UtcTime, nullable=False, index=True),
)

daily_posts: Final = Table(
    "daily_posts",
    metadata,
    Column("guild_id", Snowflake, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("game", String(16), primary_key=True),
    Column("puzzle", String(16), nullable=False),
    Column("channel_id", Snowflake, nullable=False),
    Column("message_id", Snowflake),
    Column("held_until", UtcTime),
    Column("tries", SmallInteger, nullable=False),
    Column("posted", UtcTime),
    Column("closed", UtcTime),
    Column("changes", Integer, nullable=False),
    Column("shown", Integer, nullable=False),
    Column("edited", UtcTime),
)
"""``changes`` is the number of changes to the puzzle's answer counts. ``shown`` is the value of ``changes`` at the last edit of
the puzzle's message."""

# Partial indexes, because few dailies are open or have new counts to show, and the bot queries both often.
Index(
    "ix_daily_posts_open",
    daily_posts.c.guild_id,
    sqlite_where=daily_posts.c.closed.is_(None),
    postgresql_where=daily_posts.c.closed.is_(None),
)
Index(
    "ix_daily_posts_stale",
    daily_posts.c.guild_id,
    sqlite_where=daily_posts.c.changes != daily_posts.c.shown,
    postgresql_where=daily_posts.c.changes != daily_posts.c.shown,
)

daily_answers: Final = Table(
    "daily_answers",
    metadata,
    Column("user_id", Snowflake, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("game", String(16), primary_key=True),
    Column("guild_id", Snowflake, primary_key=True, autoincrement=False),
    Column("puzzle", String(16), nullable=False),
    Column("tries", SmallInteger, nullable=False, key="wrong_answers"),
    Column("hints", SmallInteger, nullable=False),
    Column("done", SmallInteger, nullable=False, key="progress_code"),
    Column("solved", Boolean, nullable=False),
    Column("given_up", Boolean, nullable=False),
)

Index("ix_daily_answers_guild", daily_answers.c.guild_id, daily_answers.c.game, daily_answers.c.number)

daily_streaks: Final = Table(
    "daily_streaks",
    metadata,
    Column("user_id", Snowflake, primary_key=True, autoincrement=False),
    Column("game", String(16), primary_key=True),
    Column("days", Integer, nullable=False),
    Column("best", Integer, nullable=False),
    Column("last", Integer, nullable=False),
    Column("frozen", Integer, nullable=False, key="forgiven_month"),
)

polls: Final = Table(
    "polls",
    metadata,
    Column("message_id", Snowflake, primary_key=True, autoincrement=False),
    Column("channel_id", Snowflake, nullable=False),
    Column("guild_id", Snowflake, nullable=False, index=True),
    Column("asker_id", Snowflake, nullable=False, index=True, key="author_id"),
    Column("digest", String(32), nullable=False, index=True),
    Column("turn", Integer, nullable=False),
    Column("side", SmallInteger, key="seat"),
    Column("spoiler", Boolean, nullable=False),
    Column("board", String(32), nullable=False, index=True, key="board_digest"),
    Column("ends", UtcTime, nullable=False, index=True),
    Column("claimed", UtcTime, key="claimed_until"),
)

poll_plays: Final = Table(
    "poll_plays",
    metadata,
    Column("message_id", Snowflake, primary_key=True, autoincrement=False),
    Column("user_id", Snowflake, primary_key=True, autoincrement=False, index=True),
    Column("play", AnyText),
    Column("look", SmallInteger, nullable=False, key="view"),
    Column("place", SmallInteger, nullable=False),
)
