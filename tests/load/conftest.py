"""Gateway and worker processes, with an empty PostgreSQL database and a local Discord."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import psycopg
import pytest

from bot.engine.warm_up import warm_up
from tests.storage.conftest import postgres_url
from tests.wire.conftest import serve
from tests.wire.kibitz import environment, program

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from tests.wire.conftest import Serve
    from tests.wire.kibitz import Program
    from tests.wire.server import WireServer

    Start = Callable[..., AbstractAsyncContextManager[Program]]

__all__ = ["postgres_url", "serve"]

MAX_START_SECONDS = 180.0


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    """Compile the engine first, because programs that have to compile it would time out."""
    warm_up()


@pytest.fixture
async def wire(serve: Serve) -> WireServer:
    return await serve(lifetime=900.0)


@pytest.fixture
def start(wire: WireServer, tmp_path: Path, postgres_url: str) -> Start:
    """Return a function that runs a gateway (``run``) or a worker (``worker``), and yields it when it is ready."""
    settings = {
        "DATABASE_URL": postgres_url,
        "KIBITZ_ANALYSIS__ENABLED": "true",
        "KIBITZ_ANALYSIS__JOBS": "0",
        "KIBITZ_ANALYSIS__SLOTS": "1",
    }

    @asynccontextmanager
    async def run(command: str = "worker", **variables: str) -> AsyncIterator[Program]:
        process_environment = environment(wire, tmp_path, **{**settings, **variables})
        async with program("-m", "bot", command, environment=process_environment, folder=tmp_path) as process:
            if command == "run":
                await wire.gateway.wait_until_ready(within=MAX_START_SECONDS)
            else:
                await process.until_printed("running up to ", within=MAX_START_SECONDS)
            yield process

    return run


@pytest.fixture
async def sql(postgres_url: str) -> AsyncIterator[Callable[..., object]]:
    async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as connection:

        async def query(statement: str) -> list[tuple[object, ...]]:
            return await (await connection.execute(statement)).fetchall()

        yield query
