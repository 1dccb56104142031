"""A database that is up to date: to bring one from nothing to there takes longer than most tests."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.storage.migrate import migrate

NAME = "kibitz.sqlite3"


def put_database(folder: Path) -> None:
    """Put an empty SQLite database into a folder, unless it has one."""
    file = folder / NAME
    if not file.exists():
        file.write_bytes(_content())


@cache
def _content() -> bytes:
    # On a thread of its own: the caller's may have a loop that runs.
    with TemporaryDirectory() as folder, ThreadPoolExecutor(1) as executor:
        file = Path(folder) / NAME
        executor.submit(asyncio.run, migrate(f"sqlite:///{file}")).result()
        return file.read_bytes()
