"""Documents, what was found out about them, and whose games they are."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    LargeBinary,
    String,
    Table,
)

from bot.storage.tables.base import AnyText, UtcTime, metadata

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
    Column("author_id", BigInteger, primary_key=True, autoincrement=False, index=True),
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
    Column("source_id", BigInteger, primary_key=True, autoincrement=False),
    Column(
        "digest", String(32), ForeignKey("documents.digest", ondelete="CASCADE"), primary_key=True, index=True
    ),
    Column("guild_id", BigInteger, nullable=False, index=True),
    Column("user_id", BigInteger, nullable=False, index=True),
)


own_names: Final = Table(
    "own_names",
    metadata,
    Column("guild_id", BigInteger, primary_key=True, autoincrement=False),
    Column("user_id", BigInteger, primary_key=True, autoincrement=False, index=True),
    Column("name", String(16), primary_key=True),
    Column("own", Boolean, nullable=False),
)
