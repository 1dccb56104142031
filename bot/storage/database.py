"""One database, open: its connections, and transactions that either happen whole or not at all."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, nullcontext
from datetime import timedelta
from functools import partial, wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar, cast

from sqlalchemy import URL, AdaptedConnection, AsyncAdaptedQueuePool, Connection, PoolResetState, Table, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from bot.storage.address import DatabaseAddress, PostgresServer, SqliteFile
from bot.storage.errors import StoreBusyError, StoreError, driver_errors_translated

P = ParamSpec("P")
T = TypeVar("T")
StoredT = TypeVar("StoredT", bound="Stored")

_WRITES: Final = "kibitz_writes"

QUEUE_SECONDS: Final = 30.0
"""How long a task waits for its turn among the tasks of this process."""


class Database:
    """The connections to one database.

    ``reading`` and ``writing`` yield a connection inside a transaction. Leaving the block commits it; an error rolls
    all of it back. Errors of the database come out as :exc:`StoreError`. ``read`` and ``write`` run one function in such a
    block, to its end: when the caller is cancelled in between, a driver's thread or the server would go on with
    the statement all the same, holding its locks, with nobody left to end the transaction.
    """

    def __init__(self, engine: AsyncEngine, *, one_writer: bool) -> None:
        self._engine = engine
        self._running: set[asyncio.Task[object]] = set()
        self._closed = False
        # SQLite has one writer at a time, and who waits for it polls with growing pauses. Tasks of this process
        # wait in a fair queue instead, and only other processes are waited for in SQLite itself.
        self._turn: AbstractAsyncContextManager[object] = asyncio.Lock() if one_writer else nullcontext()

    @classmethod
    @asynccontextmanager
    async def opened(
        cls, address: DatabaseAddress, *, patience: timedelta, foreign_keys: bool = True
    ) -> AsyncIterator[Database]:
        """Open the database at ``address``, and close its connections in the end.

        ``patience`` is how long one statement waits for a lock or the server before it gives up; for their turn the
        tasks of this process wait for :data:`QUEUE_SECONDS`.
        ``foreign_keys`` is off only for changing an SQLite schema: there a table is changed by dropping it, which
        would take along every row that refers to it.
        """
        with driver_errors_translated():
            if isinstance(address, SqliteFile):
                await asyncio.to_thread(_prepare_file, address, patience)
                engine = _sqlite_engine(address, patience, foreign_keys=foreign_keys)
            else:
                engine = _postgres_engine(address, patience)
        database = cls(engine, one_writer=isinstance(address, SqliteFile))
        try:
            yield database
        finally:
            # The engine would make a new connection for whoever comes later, and nobody would close it.
            database._closed = True
            await asyncio.gather(*database._running, return_exceptions=True)
            await engine.dispose()

    @property
    def connections(self) -> tuple[int, int]:
        """How many connections are in use, and how many there may be."""
        pool = self._engine.pool
        assert isinstance(pool, AsyncAdaptedQueuePool)  # both kinds of databases have it
        return pool.checkedout(), pool.size()

    async def read(
        self, work: Callable[Concatenate[AsyncConnection, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Return what ``work`` makes of a connection for reading and the arguments."""

        async def transaction() -> T:
            async with self.reading() as connection:
                return await work(connection, *args, **kwargs)

        return await self._to_its_end(transaction())

    async def write(
        self, work: Callable[Concatenate[AsyncConnection, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Return what ``work`` makes of a connection for writing and the arguments, once it is committed."""

        async def transaction() -> T:
            async with self.writing() as connection:
                return await work(connection, *args, **kwargs)

        return await self._to_its_end(transaction())

    async def _to_its_end(self, transaction: Coroutine[None, None, T]) -> T:
        if self._closed:
            transaction.close()
            raise StoreError("the database is closed")
        task = asyncio.create_task(transaction)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Yield a connection for statements that change nothing."""
        with driver_errors_translated():
            async with self._engine.begin() as connection:
                yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """Yield a connection for statements that change something; on SQLite nobody else writes meanwhile."""
        with driver_errors_translated():
            async with self._my_turn(), self._engine.connect() as connection:
                await connection.execution_options(**{_WRITES: True})
                async with connection.begin():
                    yield connection

    @asynccontextmanager
    async def _my_turn(self) -> AsyncIterator[None]:
        # Only the waiting is timed: interrupting a statement would leave its connection in the middle of it.
        waiting = asyncio.timeout(QUEUE_SECONDS)
        try:
            async with waiting, self._turn:
                waiting.reschedule(None)
                yield
        except TimeoutError as error:
            if not waiting.expired():
                raise
            raise StoreBusyError("the database cannot be used: too many tasks are waiting for it") from error


class Stored:
    """What is kept in a database: each method in the style of :func:`reads` or :func:`writes` is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def connections(self) -> tuple[int, int]:
        """How many connections to the database are in use, and how many there may be."""
        return self._database.connections


def reads(
    method: Callable[Concatenate[StoredT, AsyncConnection, P], Awaitable[T]],
) -> Callable[Concatenate[StoredT, P], Coroutine[Any, Any, T]]:
    """Call a method with a connection for reading before its other arguments."""

    @wraps(method)
    async def call(self: StoredT, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._database.read(partial(method, self), *args, **kwargs)

    return call


def writes(
    method: Callable[Concatenate[StoredT, AsyncConnection, P], Awaitable[T]],
) -> Callable[Concatenate[StoredT, P], Coroutine[Any, Any, T]]:
    """Call a method with a connection for writing before its other arguments; what it wrote is committed, or undone."""

    @wraps(method)
    async def call(self: StoredT, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._database.write(partial(method, self), *args, **kwargs)

    return call


def insert(connection: AsyncConnection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """Make an INSERT that knows ON CONFLICT; both databases have it, SQLAlchemy's common one has not."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)


def _prepare_file(file: SqliteFile, patience: timedelta) -> None:
    """Make the file if it is not there, see that it is a database, and put it into WAL mode, which it keeps."""
    # Readable by the bot's user alone: the journals beside it inherit that. And the operating system explains better
    # than SQLite why a file cannot be made.
    try:
        file.path.touch(mode=0o600)
    except OSError as error:
        raise StoreError(f"the database file {file.path} cannot be used: {error.strerror}") from error
    deadline = time.monotonic() + patience.total_seconds()
    with closing(
        sqlite3.connect(file.path, timeout=patience.total_seconds(), isolation_level=None)
    ) as connection:
        while True:
            try:
                # WAL lets readers read while one writes.
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                # For this one lock SQLite does not wait, when another process does the same.
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
            else:
                return


def _sqlite_engine(file: SqliteFile, patience: timedelta, *, foreign_keys: bool) -> AsyncEngine:
    engine = create_async_engine(
        URL.create("sqlite+aiosqlite", database=str(file.path)),
        connect_args={"timeout": patience.total_seconds()},
        hide_parameters=True,
        pool_reset_on_return=None,  # as ``reset`` below does
        **_pool(3),
    )

    @event.listens_for(engine.sync_engine, "connect")
    def prepare(connection: Any, _record: object) -> None:  # noqa: ANN401 the driver's own connection type
        # None: the sqlite3 module begins no transactions of its own accord, ``begin`` below does.
        connection.isolation_level = None
        cursor = connection.cursor()
        # In WAL mode NORMAL keeps every transaction whatever happens to the process; a power cut may undo the last
        # ones, never damage the file.
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.execute(f"PRAGMA foreign_keys = {int(foreign_keys)}")
        # What somebody wants forgotten is overwritten, not only marked as free.
        cursor.execute("PRAGMA secure_delete = ON")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Connection) -> None:
        # A transaction that reads first and writes later can be refused at once when another wrote in between;
        # one that says from the start that it will write waits for its turn.
        writes = connection.get_execution_options().get(_WRITES, False)
        statement = "BEGIN IMMEDIATE" if writes else "BEGIN"
        # Every call of the driver waits for its thread: a cursor to run this on, and its end, would be two more.
        adapted = cast("AdaptedConnection", connection.connection.dbapi_connection)
        adapted.run_async(lambda driver: driver.execute(statement))

    @event.listens_for(engine.sync_engine, "reset")
    def reset(connection: AdaptedConnection, _record: object, state: PoolResetState) -> None:
        # Nearly every transaction has ended when its connection comes back; one whose COMMIT failed has not.
        if not state.terminate_only and connection.driver_connection.in_transaction:
            connection.run_async(lambda driver: driver.rollback())

    return engine


def _postgres_engine(server: PostgresServer, patience: timedelta) -> AsyncEngine:
    try:
        from bot.storage.postgres import connector  # noqa: PLC0415 - an SQLite database needs no driver

        return create_async_engine(
            # libpq reads the address itself: it knows its options, and SQLAlchemy never sees the password.
            "postgresql+psycopg://",
            connect_args={"async_creator_fn": connector(server, patience)},
            hide_parameters=True,
            # A server restart or an idle connection cut by a firewall costs one more try, not an error.
            pool_pre_ping=True,
            **_pool(5),
        )
    except ModuleNotFoundError:
        raise StoreError(
            "a PostgreSQL database needs the package psycopg: pip install 'kibitz[hosting]'"
        ) from None


def _pool(size: int) -> dict[str, Any]:
    # Named, for some versions of SQLAlchemy open an SQLite file anew for every transaction.
    return {
        "poolclass": AsyncAdaptedQueuePool,
        "pool_size": size,
        "max_overflow": 0,
        "pool_timeout": QUEUE_SECONDS,
    }
