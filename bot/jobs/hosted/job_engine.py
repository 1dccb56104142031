"""Connects gateways and workers to Procrastinate."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from procrastinate import App, PsycopgConnector, RetryStrategy
from procrastinate.exceptions import ProcrastinateException

from bot import __version__
from bot.jobs.codec import ENCODING_VERSION
from bot.storage.address import PostgresServer
from bot.storage.errors import StoreError
from bot.storage.jobs.job_engine_schema import SCHEMA, conninfo

TASK_NAME: Final = "kibitz.work"
"""The name of Kibitz's only kind of Procrastinate task, which runs a job."""
QUEUE_NAME: Final = f"kibitz-{__version__}-{ENCODING_VERSION}"
"""Each version of the program has its own queue, because versions may encode jobs differently."""

HEARTBEAT_SECONDS: Final = 2.0
STALLED_SECONDS: Final = 6.0
"""Seconds without a heartbeat after which a worker counts as dead, and its jobs are restarted."""
FETCH_SECONDS: Final = 0.5
"""Seconds between queries for new jobs if no notification arrives."""

_MAX_CONNECTIONS: Final = 4

logging.getLogger("procrastinate").setLevel(logging.WARNING)


class HandedBackError(Exception):
    """A job returns to the queue unfinished, because its worker is shutting down or the database is unavailable."""


RETRY: Final = RetryStrategy(retry_exceptions=(HandedBackError,))
"""Retries only jobs that were handed back. If a job fails in another way, its users get an error."""


@asynccontextmanager
async def open_app(server: PostgresServer) -> AsyncIterator[App]:
    app = App(
        connector=PsycopgConnector(
            conninfo=conninfo(server), min_size=1, max_size=_MAX_CONNECTIONS, timeout=5.0
        )
    )
    async with app.open_async():
        yield app


async def enqueue(app: App, connection: Any, job_id: int, lane: str, priority: int) -> int:  # noqa: ANN401 - the driver's type
    """Submit a job in a connection's transaction, and return the id of its task. The jobs in a ``lane`` run one after another.

    Raises:
        StoreError: the database cannot store the task.

    """
    await connection.execute(
        f"SELECT set_config('search_path', current_setting('search_path') || ', {SCHEMA}', true)"
    )
    task = app.configure_task(
        TASK_NAME, queue=QUEUE_NAME, lock=lane, priority=priority, connection=connection
    )
    try:
        return await task.defer_async(job_id=job_id)
    except ProcrastinateException as error:
        raise StoreError(f"the job engine can't accept a job: {error}") from error
