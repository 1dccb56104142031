"""The store's errors, and the translation of drivers' errors into them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import exc


class StoreError(Exception):
    """A database operation failed. A failed transaction changes no data.

    The message is a sentence for the host's log, without passwords, statements or data.
    """


class StoreBusyError(StoreError):
    """Too many tasks are waiting for the database."""


class AddressError(StoreError, ValueError):
    """A string is not a valid database address."""


_SQLITE_REASONS: Final = {
    sqlite3.SQLITE_BUSY: "another process has locked it",
    sqlite3.SQLITE_LOCKED: "another process has locked it",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk can't be read or written",
    sqlite3.SQLITE_READONLY: "the file can't be written",
    sqlite3.SQLITE_CANTOPEN: "the file can't be opened",
    sqlite3.SQLITE_PERM: "this account is not allowed to open the file",
    sqlite3.SQLITE_CORRUPT: "the file is damaged",
    sqlite3.SQLITE_NOTADB: "the file is not an SQLite database",
    sqlite3.SQLITE_TOOBIG: "the text is too long for it",
}
"""Reasons by primary result code: https://www.sqlite.org/rescode.html"""

_POSTGRES_REASONS: Final = {
    "08": "the connection to the server was lost",
    "25006": "the server is read-only",
    "28": "the server rejects the user name or password",
    "3D000": "the server has no database with this name",
    "40": "another process is changing the same rows",
    "42501": "this user doesn't have permission to do that",
    "53100": "the server's disk is full",
    "53200": "the server is out of memory",
    "53300": "the server has no connections left",
    "55P03": "another process has locked it",
    "57014": "the server didn't answer in time",
    "57P05": "the server ended an idle connection",
    "57P": "the server is starting or stopping",
}
"""Reasons by SQLSTATE prefix. The first match counts, so 57P05 comes before 57P. See https://www.postgresql.org/docs/current/errcodes-appendix.html"""

_CONNECTION_REASONS: Final = {
    "startup parameter": "the address points to a connection pooler; set DATABASE_DIRECT_URL to the server itself",
    "invalid": "its address contains an option with an invalid value",
    "password": "the server rejects the user name or password",
    "authentication failed": "the server rejects the user name or password",
    "pg_hba.conf": "the server rejects the user name or password",
    "too many": "the server has no connections left",
    "connection slots": "the server has no connections left",
    "starting up": "the server is starting or stopping",
    "shutting down": "the server is starting or stopping",
    "recovery": "the server is starting or stopping",
    "role": "the server rejects the user name or password",
    "database": "the server has no database with this name",
    "SSL": "the server and this program don't agree on encryption",
    "failed: FATAL": "the server rejects the connection",
    "timeout": "it didn't answer in time",
}
"""Reasons by words in the message of a failed connection, for which libpq reports no SQLSTATE. The first match counts."""


@contextmanager
def translate_driver_errors() -> Iterator[None]:
    """Turn any error from SQLAlchemy, a driver or the network into a :exc:`StoreError`.

    The original error becomes the cause, which is safe to log. There is no cause if the original message might quote part of
    the address, such as a password.
    """
    try:
        yield
    except Exception as error:
        # psycopg is not imported here, because SQLite does not need it.
        if not (
            isinstance(error, exc.SQLAlchemyError | sqlite3.Error | OSError)
            or type(error).__module__.startswith("psycopg")
        ):
            raise
        # exc.TimeoutError comes from SQLAlchemy's pool. The drivers' timeouts have other classes.
        error_class = StoreBusyError if isinstance(error, exc.TimeoutError) else StoreError
        driver_error = error.orig if isinstance(error, exc.DBAPIError) else error
        # libpq quotes the invalid part of an address, which may be secret.
        quotes_address = _is_connection_error(driver_error) and "invalid" in str(driver_error)
        raise error_class(f"the database can't be used: {_find_reason(driver_error)}") from (
            None if quotes_address else error
        )


def _find_reason(cause: BaseException | None) -> str:
    if isinstance(cause, exc.TimeoutError):
        return "too many tasks are waiting for it"
    if isinstance(cause, TimeoutError):
        return "it didn't answer in time"
    if isinstance(cause, OSError):
        return f"it can't be reached ({cause.strerror or type(cause).__name__})"
    if isinstance(cause, sqlite3.Error):
        # An error that the sqlite3 module itself raises has no code.
        code = getattr(cause, "sqlite_errorcode", 0)
        reason = _SQLITE_REASONS.get(code & 0xFF)
    elif _is_connection_error(cause):
        message = str(cause)
        return next(
            (reason for words, reason in _CONNECTION_REASONS.items() if words in message),
            "it can't be reached",
        )
    else:
        code = getattr(cause, "sqlstate", None) or ""
        reason = next((text for prefix, text in _POSTGRES_REASONS.items() if code.startswith(prefix)), None)
    return reason or f"it reports {type(cause).__name__}{f' {code}' if code else ''}"


def _is_connection_error(cause: BaseException | None) -> bool:
    return type(cause).__name__ == "OperationalError" and getattr(cause, "sqlstate", "") is None
