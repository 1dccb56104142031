"""Live games."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    SmallInteger,
    String,
    Table,
)

from bot.storage.tables.base import AnyText, UtcTime, metadata

live_games: Final = Table(
    "live_games",
    metadata,
    Column("channel_id", BigInteger, primary_key=True, autoincrement=False),
    Column("game_id", AnyText, primary_key=True),
    Column("guild_id", BigInteger, index=True),
    Column("owner_id", BigInteger, index=True),
    Column("updated", UtcTime, nullable=False, index=True),
    Column("version", BigInteger, nullable=False),
    Column("board_channel_id", BigInteger),
    Column("board_id", BigInteger),
)


live_texts: Final = Table(
    "live_texts",
    metadata,
    Column("channel_id", BigInteger, primary_key=True, autoincrement=False),
    Column("game_id", AnyText, primary_key=True),
    Column("place", SmallInteger, primary_key=True, autoincrement=False),
    Column("author_id", BigInteger, nullable=False, index=True),
    Column("text", AnyText, nullable=False),
    ForeignKeyConstraint(
        ["channel_id", "game_id"], ["live_games.channel_id", "live_games.game_id"], ondelete="CASCADE"
    ),
)


live_draws: Final = Table(
    "live_draws",
    metadata,
    Column("draws", BigInteger, primary_key=True, autoincrement=False),
    Column("channel_id", BigInteger),
    Column("game_id", AnyText),
    Column("guild_id", BigInteger, index=True),
    Column("bringer_id", BigInteger, index=True),
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
        ForeignKey("live_draws.draws", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("seat", SmallInteger, primary_key=True, autoincrement=False),
    Column("user_id", BigInteger, index=True),
    Column("held", Boolean, nullable=False),
)
