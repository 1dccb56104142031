"""Reads database URLs, and detects files that a hosting provider deletes on every deploy."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from bot.storage.errors import AddressError


@dataclass(frozen=True, slots=True)
class SqliteFile:
    """An SQLite database file."""

    path: Path

    def __str__(self) -> str:
        return f"sqlite:///{self.path}"


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """A database on a PostgreSQL server."""

    dsn: str = field(repr=False)
    """Complete URL for ``psycopg.connect``, with the password. Secret."""
    redacted: str
    """The URL without the password and options, for logs."""

    def __str__(self) -> str:
        return self.redacted


DatabaseAddress = SqliteFile | PostgresServer

_HOST: Final = r"(?:[A-Za-z0-9._%-]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?"
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}")
_PORTS: Final = re.compile(r":([0-9]++)(?=,|$)")
_PORT: Final = re.compile(r"[0-9]{1,5}")
_HOSTS: Final = re.compile(rf"{_HOST}(?:,{_HOST})*")


def read_address(url: str) -> DatabaseAddress:
    """Read a database URL.

    ``sqlite:///relative/path`` and ``sqlite:////absolute/path`` name a file. ``postgres://`` and ``postgresql://`` name a
    server, with libpq's options after ``?``. The scheme may also name a driver, as in ``postgresql+psycopg://``.

    Raises:
        AddressError: the URL is invalid. The message repeats only the scheme, because the URL may contain a password.

    """
    scheme, separator, rest = url.strip().partition("://")
    if not separator:
        raise AddressError(
            "the database address must be a URL such as sqlite:///kibitz.sqlite3 or postgresql://user:password@host/name"
        )
    match scheme.lower():
        case "sqlite" | "sqlite+aiosqlite":
            return _read_sqlite(rest)
        case "postgres" | "postgresql" | "postgresql+psycopg" | "postgresql+asyncpg":
            return _read_postgres(rest)
        case _ if _SCHEME.fullmatch(scheme):
            raise AddressError(
                f"the database address begins with {scheme!r}; only sqlite and postgresql are supported"
            )
        case _:
            raise AddressError("the database address must begin with sqlite:// or postgresql://")


def _read_sqlite(rest: str) -> SqliteFile:
    if not rest.startswith("/"):
        raise AddressError("an SQLite address has three slashes before its path: sqlite:///kibitz.sqlite3")
    path = rest[1:]
    if path in {"", ":memory:"}:
        raise AddressError("an SQLite address must name a file, such as sqlite:///kibitz.sqlite3")
    if "?" in path or "\0" in path:
        raise AddressError("an SQLite address takes a path and no options")
    return SqliteFile(Path(path))


def _read_postgres(rest: str) -> PostgresServer:
    try:
        parts = urlsplit(f"postgresql://{rest}")
        options = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:
        raise AddressError(_UNREADABLE) from None
    # An @ in the password may be unescaped, so the password ends at the last @.
    login, _, hosts = parts.netloc.rpartition("@")
    ports = _PORTS.findall(hosts)
    ports += [port for name, value in options if name == "port" for port in value.split(",")]
    # An unescaped # in the password begins a fragment. An unescaped / or ? begins the path or the query, which then contains the @.
    password_is_unescaped = parts.fragment or "@" in parts.path or "@" in parts.query
    has_valid_ports = all(_PORT.fullmatch(port) and 0 < int(port) < 1 << 16 for port in ports)
    if password_is_unescaped or not _HOSTS.fullmatch(hosts) or not has_valid_ports:
        raise AddressError(_UNREADABLE)
    user, _, password = login.partition(":")
    redacted_login = f"{user}:***@" if password else f"{user}@" if user else ""
    login = f"{quote(unquote(user), safe='')}:{quote(unquote(password), safe='')}@" if login else ""
    query = urlencode(options)
    dsn = f"postgresql://{login}{hosts}{parts.path}" + (f"?{query}" if query else "")
    return PostgresServer(dsn, f"postgresql://{redacted_login}{hosts}{parts.path}")


_UNREADABLE: Final = (
    "the PostgreSQL address can't be read: it must be postgresql://user:password@host:port/name, "
    "with characters such as / ? # in the password percent-encoded"
)


_EPHEMERAL_PROVIDERS = {"DYNO": "Heroku", "RAILWAY_": "Railway", "RENDER": "Render", "FLY_": "Fly.io"}
"""Hosting providers by a prefix of the environment variables that they set."""


def ephemeral_provider(url: str) -> str | None:
    """Return the hosting provider whose next deploy deletes the database at ``url``, or None.

    A file in a mounted folder outside ``/tmp`` survives, because these providers mount only permanent folders there.

    Raises:
        AddressError: the URL is invalid.

    """
    address = read_address(url)
    if not isinstance(address, SqliteFile):
        return None
    folders = address.path.absolute().parents
    if any(folder.is_mount() for folder in folders if folder not in {Path("/"), Path("/tmp")}):  # noqa: S108 - not permanent, even if mounted
        return None
    return next(
        (
            provider
            for prefix, provider in _EPHEMERAL_PROVIDERS.items()
            if any(name.startswith(prefix) for name in os.environ)
        ),
        None,
    )
