"""The demo in its own process, as a visitor starts it."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

PROJECT = Path(__file__).parents[2]
MAX_START_SECONDS = 300.0
MAX_END_SECONDS = 60.0
ADDRESS = re.compile(rb"\s+#(\w+)\s+(http://127\.0\.0\.1:\d+/#\S+)")
LAST_LINE = b"Anyone with these addresses"


@dataclass(slots=True)
class RunningDemo:
    process: asyncio.subprocess.Process
    pages: dict[str, str]
    first_line: str

    @property
    def url(self) -> str:
        return next(iter(self.pages.values()))

    @property
    def port(self) -> int:
        return int(urlsplit(self.url).port or 0)

    async def end(self, stop_signal: signal.Signals = signal.SIGINT) -> tuple[int, str, str]:
        """Send a signal. Return the exit code, the standard output and the standard error."""
        self.process.send_signal(stop_signal)
        return await self.wait()

    async def wait(self) -> tuple[int, str, str]:
        async with asyncio.timeout(MAX_END_SECONDS):
            output, errors = await self.process.communicate()
        assert self.process.returncode is not None
        return self.process.returncode, output.decode(), errors.decode()


def visitor_environment(*, analysis: bool = False) -> dict[str, str]:
    """Return this process's environment without a screen, a token or settings. Without ``analysis``, nothing is compiled."""
    variables = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("KIBITZ_")
        and name not in {"DISCORD_TOKEN", "DATABASE_URL", "PORT", "DISPLAY", "WAYLAND_DISPLAY"}
    }
    return variables | {"PYTHONPATH": str(PROJECT), "KIBITZ_ANALYSIS__ENABLED": str(analysis).lower()}


async def start(
    *arguments: str, folder: Path, environment: Mapping[str, str] | None = None, analysis: bool = False
) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        *arguments,
        cwd=folder,
        env=visitor_environment(analysis=analysis) | dict(environment or {}),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


@asynccontextmanager
async def running_demo(
    *arguments: str, folder: Path, environment: Mapping[str, str] | None = None, analysis: bool = False
) -> AsyncIterator[RunningDemo]:
    process = await start(*arguments, folder=folder, environment=environment, analysis=analysis)
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        pages: dict[str, str] = {}
        line = first_line = b""
        async with asyncio.timeout(MAX_START_SECONDS):
            while not line.startswith(LAST_LINE):
                if not (line := await process.stdout.readline()):
                    raise RuntimeError(f"no demo: {(await process.stderr.read()).decode()}")
                first_line = first_line or line
                if address := ADDRESS.match(line):
                    pages[address[1].decode()] = address[2].decode()
        yield RunningDemo(process, pages, first_line.decode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
