"""Database connections, transactions, and statements that work with every table."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, nullcontext
from datetime import UTC, datetime, timedelta
from functools import partial, wraps
from operator import methodcaller
from typing import Any, Concatenate, Final, ParamSpec, TypeVar, cast

from sqlalchemy import (
    URL,
    AdaptedConnection,
    AsyncAdaptedQueuePool,
    Column,
    ColumnElement,
    Connection,
    Executable,
    PoolResetState,
    Table,
    delete,
    event,
    func,
    literal,
    select,
    tuple_,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from bot.storage.address import DatabaseAddress, PostgresServer, SqliteFile
from bot.storage.columns import Snowflake
from bot.storage.errors import StoreBusyError, StoreError, translate_driver_errors

P = ParamSpec("P")
T = TypeVar("T")
StoreT = TypeVar("StoreT", bound="BaseStore")

_WRITES_OPTION: Final = "kibitz_writes"

STATEMENT_TIMEOUT: Final = timedelta(seconds=5)
"""Maximum time that a statement waits for a lock or the database server."""
LONG_STATEMENT_TIMEOUT: Final = timedelta(minutes=1)
"""The corresponding maximum for migrations and backups, whose statements may wait for another process's migration."""

MAX_QUEUE_SECONDS: Final = 30.0
"""Maximum seconds that a task waits for a free connection, or for its turn to write."""


class Database:
    """The connections to one database. Database errors are raised as :exc:`StoreError`.

    ``reading`` and ``writing`` yield a connection inside a transaction. ``run`` runs a transaction to its end, even if the
    caller is cancelled. Otherwise, no task would be left to end the transaction and release its locks.
    """

    def __init__(self, engine: AsyncEngine, *, has_one_writer: bool) -> None:
        self.engine = engine
        self._running: set[asyncio.Task[object]] = set()
        self._closed = False
        # SQLite allows one writer at a time, and makes the others poll with increasing delays. With this lock, they queue fairly.
        self._writer_turn: AbstractAsyncContextManager[object] = (
            asyncio.Lock() if has_one_writer else nullcontext()
        )

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        address: DatabaseAddress,
        *,
        statement_timeout: timedelta = STATEMENT_TIMEOUT,
        enforce_foreign_keys: bool = True,
    ) -> AsyncIterator[Database]:
        """Open the database at ``address``, and close its connections on exit.

        ``enforce_foreign_keys`` is False only during migrations. An SQLite migration copies a table and drops the original. If
        foreign keys were enforced, dropping the original would delete the rows that refer to it.
        """
        with translate_driver_errors():
            if isinstance(address, SqliteFile):
                await asyncio.to_thread(_prepare_file, address, statement_timeout)
                engine = _sqlite_engine(address, statement_timeout, enforce_foreign_keys=enforce_foreign_keys)
            else:
                engine = _postgres_engine(address, statement_timeout)
        database = cls(engine, has_one_writer=isinstance(address, SqliteFile))
        try:
            yield database
        finally:
            # Without this flag, the engine would open a connection for a late caller and never close it.
            database._closed = True
            await asyncio.gather(*database._running, return_exceptions=True)
            await engine.dispose()

    async def run(
        self,
        transaction: AbstractAsyncContextManager[AsyncConnection],
        work: Callable[Concatenate[AsyncConnection, P], Awaitable[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        if self._closed:
            raise StoreError("the database is closed")

        async def run() -> T:
            async with transaction as connection:
                return await work(connection, *args, **kwargs)

        task = asyncio.create_task(run())
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        with translate_driver_errors():
            async with self.engine.begin() as connection:
                yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        # The timeout covers only the wait for a turn, because interrupting a statement would leave its connection unusable.
        wait_timeout = asyncio.timeout(MAX_QUEUE_SECONDS)
        with translate_driver_errors():
            try:
                async with wait_timeout, self._writer_turn:
                    wait_timeout.reschedule(None)
                    async with self.engine.connect() as connection:
                        await connection.execution_options(**{_WRITES_OPTION: True})
                        async with connection.begin():
                            yield connection
            except TimeoutError as error:
                if not wait_timeout.expired():
                    raise
                raise StoreBusyError(
                    "the database can't be used: too many tasks are waiting for it"
                ) from error


utc_now: Final = partial(datetime.now, UTC)


class BaseStore:
    """The base class of the stores.

    Each method decorated with :func:`reads` or :func:`writes` is one transaction, and raises :exc:`StoreError` if the
    database cannot complete it.
    """

    def __init__(self, database: Database, clock: Callable[[], datetime] = utc_now) -> None:
        self._database = database
        self._clock = clock

    @property
    def connection_counts(self) -> tuple[int, int]:
        """The number of connections in use, and the maximum."""
        pool = self._database.engine.pool
        assert isinstance(pool, AsyncAdaptedQueuePool)  # both kinds of database use this pool
        return pool.checkedout(), pool.size()

    async def check(self) -> None:
        """Raise :exc:`StoreError` if the database does not respond in time."""
        with translate_driver_errors():
            async with asyncio.timeout(STATEMENT_TIMEOUT.total_seconds()):
                await self._database.run(self._database.reading(), AsyncConnection.execute, select(1))


def reads(
    method: Callable[Concatenate[StoreT, AsyncConnection, P], Awaitable[T]],
) -> Callable[Concatenate[StoreT, P], Coroutine[Any, Any, T]]:
    """Decorate a method to run in a read transaction, with the connection as the first argument."""

    @wraps(method)
    async def call(self: StoreT, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._database.run(self._database.reading(), partial(method, self), *args, **kwargs)

    return call


def writes(
    method: Callable[Concatenate[StoreT, AsyncConnection, P], Awaitable[T]],
) -> Callable[Concatenate[StoreT, P], Coroutine[Any, Any, T]]:
    """Decorate a method to run in a write transaction, with the connection as the first argument."""

    @wraps(method)
    async def call(self: StoreT, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._database.run(self._database.writing(), partial(method, self), *args, **kwargs)

    return call


def insert(connection: AsyncConnection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """Return an INSERT that supports ON CONFLICT, which SQLAlchemy's generic INSERT does not."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)


async def insert_missing(connection: AsyncConnection, table: Table, **values: object) -> None:
    """Insert a row, unless a row with the same key exists."""
    await connection.execute(insert(connection, table).values(values).on_conflict_do_nothing())


async def upsert(connection: AsyncConnection, table: Table, values: Mapping[str, object]) -> None:
    new = insert(connection, table).values(values)
    new_values = {name: new.excluded[name] for name in values if not table.c[name].primary_key}
    await connection.execute(
        new.on_conflict_do_update(index_elements=list(table.primary_key), set_=new_values)
    )


def columns_of(table: Table, row_class: type[object]) -> list[Column[Any]]:
    """Return the columns that hold the fields of a dataclass."""
    return [table.c[name] for name in row_class.__dataclass_fields__]  # type: ignore[attr-defined]  # a dataclass


async def find(
    connection: AsyncConnection,
    table: Table,
    row_class: type[T],
    *conditions: ColumnElement[bool],
    lock: bool = False,
) -> T | None:
    """Return the first selected row as a dataclass, or None. If ``lock`` is set, lock the row."""
    query = select(*columns_of(table, row_class)).where(*conditions)
    row = (await connection.execute(query.with_for_update() if lock else query)).first()
    return None if row is None else row_class(*row)


async def lock_id(connection: AsyncConnection, id_: int) -> None:
    """Lock a user or a Discord server, even one without rows, until the end of the transaction."""
    if connection.dialect.name == "postgresql":  # SQLite allows one writer at a time
        await connection.execute(select(func.pg_advisory_xact_lock(literal(id_, Snowflake))))


def is_expired(column: Column[Any], now: datetime, max_remaining: timedelta) -> ColumnElement[bool]:
    """Return the condition that the time in a column has passed.

    A time more than ``max_remaining`` in the future also counts as passed, because the clock must have been set back.
    """
    return (column <= now) | (column > now + max_remaining)


async def has_rows(connection: AsyncConnection, statement: Executable) -> bool:
    return (await connection.execute(statement)).first() is not None


async def count(connection: AsyncConnection, condition: ColumnElement[bool]) -> int:
    return await connection.scalar(select(func.count()).where(condition)) or 0


async def delete_some(
    connection: AsyncConnection, table: Table, condition: ColumnElement[bool], limit: int
) -> int:
    """Delete at most ``limit`` selected rows. Return the number of deleted rows."""
    chosen_keys = select(*table.primary_key).where(condition).limit(limit)
    statement = delete(table).where(tuple_(*table.primary_key).in_(chosen_keys))
    return (await connection.execute(statement)).rowcount


def _prepare_file(file: SqliteFile, statement_timeout: timedelta) -> None:
    """Create the file if it is missing, and switch the database to WAL mode permanently."""
    # Only the bot's user may read a new file. SQLite gives its journals the same permissions.
    try:
        file.path.touch(mode=0o600)
    except OSError as error:
        raise StoreError(f"the database file {file.path} can't be used: {error.strerror}") from error
    deadline = time.monotonic() + statement_timeout.total_seconds()
    with closing(
        sqlite3.connect(file.path, timeout=statement_timeout.total_seconds(), isolation_level=None)
    ) as connection:
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                # SQLite does not always wait for the lock that changing the mode requires.
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
            else:
                return


def _sqlite_engine(
    file: SqliteFile, statement_timeout: timedelta, *, enforce_foreign_keys: bool
) -> AsyncEngine:
    engine = create_async_engine(
        URL.create("sqlite+aiosqlite", database=str(file.path)),
        connect_args={"timeout": statement_timeout.total_seconds()},
        hide_parameters=True,
        pool_reset_on_return=None,  # ``reset`` below does this
        **_pool_options(3),
    )

    @event.listens_for(engine.sync_engine, "connect")
    def prepare(connection: Any, _record: object) -> None:  # noqa: ANN401 the driver's own connection type
        # With None, the sqlite3 module begins no transactions by itself; ``begin`` below does.
        connection.isolation_level = None
        cursor = connection.cursor()
        # In WAL mode, NORMAL preserves every transaction if the process dies. A power cut may undo the last transactions, but
        # never damages the file.
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.execute(f"PRAGMA foreign_keys = {int(enforce_foreign_keys)}")
        # Overwrite deleted data. By default, SQLite only marks it as free.
        cursor.execute("PRAGMA secure_delete = ON")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Connection) -> None:
        # SQLite may reject a write if another transaction has written since this transaction began to read. With BEGIN
        # IMMEDIATE, the transaction waits for its turn at the start instead.
        statement = "BEGIN IMMEDIATE" if _WRITES_OPTION in connection.get_execution_options() else "BEGIN"
        # Each driver call waits for the driver's thread. Opening and closing a cursor would be two more calls.
        adapted_connection = cast("AdaptedConnection", connection.connection.dbapi_connection)
        adapted_connection.run_async(methodcaller("execute", statement))

    @event.listens_for(engine.sync_engine, "reset")
    def reset(connection: AdaptedConnection, _record: object, state: PoolResetState) -> None:
        # A transaction whose COMMIT failed is still open when its connection returns to the pool.
        if not state.terminate_only and connection.driver_connection.in_transaction:
            connection.run_async(methodcaller("rollback"))

    return engine


def _postgres_engine(server: PostgresServer, statement_timeout: timedelta) -> AsyncEngine:
    try:
        from bot.storage.postgres import connector  # noqa: PLC0415 - an SQLite database needs no driver

        return create_async_engine(
            # libpq parses the address, so SQLAlchemy never sees the password.
            "postgresql+psycopg://",
            connect_args={"async_creator_fn": connector(server, statement_timeout)},
            hide_parameters=True,
            pool_pre_ping=True,
            **_pool_options(5),
        )
    except ModuleNotFoundError:
        raise StoreError(
            "a PostgreSQL database needs the psycopg package: pip install 'kibitz[hosting]'"
        ) from None


def _pool_options(size: int) -> dict[str, Any]:
    # By default, some versions of SQLAlchemy use a pool that reopens an SQLite file for every transaction.
    return {
        "poolclass": AsyncAdaptedQueuePool,
        "pool_size": size,
        "max_overflow": 0,
        "pool_timeout": MAX_QUEUE_SECONDS,
    }
