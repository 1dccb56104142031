"""Column types for Discord ids, times, and text from chat."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import BigInteger, DateTime, Dialect, LargeBinary, TypeDecorator
from sqlalchemy.exc import DontWrapMixin


class IdError(ValueError, DontWrapMixin):
    """A number that cannot be a Discord id."""


def check_ids(*ids: int | None) -> None:
    """Raise :exc:`IdError` unless each id is None or in the range of Discord ids.

    Ids have 64 bits, and the highest bit is never set: https://discord.com/developers/docs/reference#snowflakes
    """
    for id_ in ids:
        if id_ is not None and not 0 <= id_ < 1 << 63:
            raise IdError(f"{id_} can't be a Discord id")


class Snowflake(TypeDecorator[int]):
    """A Discord id, checked in every statement."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: int | None, dialect: Dialect) -> int | None:
        check_ids(value)
        return value


class UtcTime(TypeDecorator[datetime]):
    """A time, stored in UTC and marked as UTC when it is read, because SQLite stores no time zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a time zone can't be stored")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class AnyText(TypeDecorator[str]):
    """Text from chat, stored as bytes.

    PostgreSQL's text type rejects U+0000, and both databases reject lone surrogates. A pasted file may contain either.
    """

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:
        return None if value is None else value.encode("utf-8", "surrogatepass")

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> str | None:
        return None if value is None else value.decode("utf-8", "surrogatepass")
