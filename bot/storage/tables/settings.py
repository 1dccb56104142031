"""Settings of servers, channels and people, and the servers themselves."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    String,
    Table,
)

from bot.storage.tables.base import UtcTime, metadata

server_settings: Final = Table(
    "server_settings",
    metadata,
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
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
    Column("channel_id", BigInteger, primary_key=True, autoincrement=False),
    Column("guild_id", BigInteger, nullable=False, index=True),
    Column("mode", String(64), nullable=False),
)


user_settings: Final = Table(
    "user_settings",
    metadata,
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
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
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
)
"""Every guild of which something is kept."""


left_guilds: Final = Table(
    "left_guilds",
    metadata,
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("left", UtcTime, nullable=False, index=True),
)
