"""Processes that run, and the shards they hold."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    Integer,
    String,
    Table,
    Text,
)

from bot.storage.tables.base import UtcTime, metadata

instances: Final = Table(
    "instances",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("application_id", BigInteger, nullable=False),
    Column("shard_count", Integer, nullable=False),
    Column("shard_ids", Text, nullable=False),
    Column("beats", BigInteger, nullable=False),
)


gateways: Final = Table(
    "gateways",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("application_id", BigInteger, nullable=False),
    Column("shard_count", Integer, nullable=False),
    Column("until", UtcTime, nullable=False),
)
"""Processes that divide the shards among themselves; see :mod:`bot.storage.shards`."""


shard_leases: Final = Table(
    "shard_leases",
    metadata,
    Column("application_id", BigInteger, primary_key=True, autoincrement=False),
    Column("shard_id", Integer, primary_key=True, autoincrement=False),
    Column("holder", String(32), nullable=False, index=True),
    Column("until", UtcTime, nullable=False),
)
