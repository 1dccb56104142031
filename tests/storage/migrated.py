"""A database that is up to date: to bring one from nothing to there takes longer than most tests."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.storage.migrate import migrate
from bot.storage.store import Store

NAME = "kibitz.sqlite3"


def put_database(folder: Path, *, swept: bool = False) -> None:
    """Put an empty SQLite database into a folder, unless it has one; with ``swept``, the first sweep is not due yet."""
    file = folder / NAME
    if not file.exists():
        file.write_bytes(_content(swept=swept))


@cache
def _content(*, swept: bool) -> bytes:
    # On a thread of its own: the caller's may have a loop that runs.
    with TemporaryDirectory() as folder, ThreadPoolExecutor(1) as executor:
        file = Path(folder) / NAME
        executor.submit(asyncio.run, _make(f"sqlite:///{file}", swept=swept)).result()
        return file.read_bytes()


async def _make(url: str, *, swept: bool) -> None:
    await migrate(url)
    if swept:
        async with Store.open(url) as store:
            assert await store.claim_sweep()
