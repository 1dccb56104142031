"""Answers to puzzles, and ratings."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Integer,
    SmallInteger,
    String,
    Table,
)

from bot.storage.tables.base import metadata

puzzle_answers: Final = Table(
    "puzzle_answers",
    metadata,
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("game", String(16), primary_key=True),
    Column("puzzle", String(16), primary_key=True),
    Column("tries", SmallInteger, nullable=False),
    Column("hints", SmallInteger, nullable=False),
    Column("done", SmallInteger, nullable=False),
    Column("solved", Boolean, nullable=False),
    Column("given_up", Boolean, nullable=False),
)


puzzle_ratings: Final = Table(
    "puzzle_ratings",
    metadata,
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("game", String(16), primary_key=True),
    Column("rating", Float, nullable=False),
    Column("deviation", Float, nullable=False),
    Column("volatility", Float, nullable=False),
)


rating_history: Final = Table(
    "rating_history",
    metadata,
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("game", String(16), primary_key=True),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("rating", SmallInteger, nullable=False),
)
