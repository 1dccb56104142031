"""A running local Discord for each test, with discord.py pointed at it."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

import pytest

from tests.storage.migrated import put_database

from .prepared import PREPARED
from .redirect import redirect
from .server import WireServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
    from pathlib import Path

    Serve = Callable[..., Awaitable[WireServer]]


@pytest.fixture(scope="session", autouse=True)
def _prepared() -> Iterator[None]:
    """End what programs were forked from."""
    yield
    PREPARED.close()


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give bots a database of their own, which is up to date, and no settings of the machine's."""
    put_database(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/kibitz.sqlite3")
    for name in ("DISCORD_TOKEN", "PORT"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
async def serve(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Serve]:
    """Give a function that starts a server with options of the test's choice."""
    async with AsyncExitStack() as stack:

        async def start(**options: Any) -> WireServer:
            server = await stack.enter_async_context(WireServer(**options))
            redirect(server.api, monkeypatch.setattr)
            return server

        yield start


@pytest.fixture
async def wire(serve: Serve) -> WireServer:
    """Give a server of one shard that denies nothing."""
    return await serve()
