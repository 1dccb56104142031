"""A local Discord server for each test, with discord.py redirected to it."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

import pytest

from bot.chat import sharding
from tests.storage.migrated import put_database

from .forking import FORK_SERVER
from .redirect import redirect
from .server import WireServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
    from pathlib import Path

    Serve = Callable[..., Awaitable[WireServer]]


@pytest.fixture(scope="session", autouse=True)
def _end_fork_server() -> Iterator[None]:
    yield
    FORK_SERVER.close()


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the bot its own migrated database, and hide the machine's settings from it."""
    put_database(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/kibitz.sqlite3")
    for name in ("DISCORD_TOKEN", "PORT"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def _short_login_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharding, "BUCKET_SECONDS", 0.1)


@pytest.fixture
async def serve(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Serve]:
    async with AsyncExitStack() as stack:

        async def start(**options: Any) -> WireServer:
            server = await stack.enter_async_context(WireServer(**options))
            redirect(server.api, monkeypatch.setattr)
            return server

        yield start


@pytest.fixture
async def wire(serve: Serve) -> WireServer:
    """Return a server that has one shard and denies no intents."""
    return await serve()
