"""Types of columns, and what all tables belong to."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from sqlalchemy import (
    Column,
    DateTime,
    Dialect,
    LargeBinary,
    MetaData,
    String,
    Table,
    TypeDecorator,
)


class UtcTime(TypeDecorator[datetime]):
    """A moment. SQLite keeps no time zone, so times are converted to UTC when written and marked as UTC when read."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 the base class names it
        """Convert a time to UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a time zone cannot be kept")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 the base class names it
        """Mark a time as UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class AnyText(TypeDecorator[str]):
    """Text that comes from chat, kept as bytes.

    PostgreSQL's own text type refuses U+0000 and both databases refuse half a surrogate pair; a pasted file may
    hold either, and what is kept must come back as it was.
    """

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:  # noqa: ARG002 the base class names it
        """Encode."""
        return None if value is None else value.encode("utf-8", "surrogatepass")

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> str | None:  # noqa: ARG002 the base class names it
        """Decode."""
        return None if value is None else value.decode("utf-8", "surrogatepass")


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
