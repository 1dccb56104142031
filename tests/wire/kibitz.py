"""Runs the bot for tests, in this process or as a program."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import sys
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bot.app.run import open_bot
from bot.config import load_settings
from bot.storage.dailies import DailySettings
from bot.storage.database import utc_now

from .forking import FORK_SERVER
from .journal import MAX_START_SECONDS
from .server import TOKEN

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from datetime import datetime

    from bot.chat.client import KibitzBot
    from bot.storage.store import Store

    from .forking import Fork
    from .server import WireServer
    from .world import Channel

ROOT = Path(__file__).parents[2]
#: Marks tests that wait for programs or for time to pass. A single pytest-xdist worker runs all of them, so that they share the process
#: from which programs are forked. Meanwhile, the other workers run tests that need the CPU.
uses_programs = pytest.mark.xdist_group("programs")
#: Seconds that a test waits for a process to exit after a request to stop.
MAX_STOP_SECONDS = 10.0
#: Time after which a process that is still running at the end of its test is killed.
KILL_SECONDS = 2.0


def position(word: str = "HELLO", *, rack: str = "ABCDEFG") -> str:
    """Return a position in CGP notation, with one word on the middle row."""
    rows = ["15"] * 15
    rows[7] = f"4{word}{11 - len(word)}"
    return f"{'/'.join(rows)} {rack}/ 26/0 0 lex CSW21;"


@asynccontextmanager
async def running(bot: KibitzBot) -> AsyncIterator[asyncio.Task[None]]:
    """Log a bot in, and close it on exit. Yield its connection task."""
    connection = asyncio.create_task(bot.start(TOKEN))
    try:
        yield connection
    finally:
        await bot.close()
        await asyncio.wait([connection], timeout=5.0)
        assert connection.done(), "the bot did not stop"
        if not connection.cancelled():
            connection.exception()


@asynccontextmanager
async def kibitz(wire: WireServer, clock: Callable[[], datetime] = utc_now) -> AsyncIterator[KibitzBot]:
    """Run the bot in this process with the settings from the environment. Yield it after login."""
    async with open_bot(load_settings(), clock=clock) as bot, running(bot) as connection:
        login = asyncio.create_task(wire.gateway.wait_until_ready())
        await asyncio.wait({login, connection}, return_when=asyncio.FIRST_COMPLETED)
        if connection.done():
            login.cancel()
            await connection
            raise AssertionError("the bot closed its connection by itself")
        await login
        yield bot


class Program:
    def __init__(self, process: asyncio.subprocess.Process | Fork) -> None:
        self.process = process
        self.lines: list[str] = []
        self._more = asyncio.Event()
        self._reader = asyncio.create_task(self._read())

    @property
    def output(self) -> str:
        return "\n".join(self.lines)

    @property
    def exception_lines(self) -> list[str]:
        """Return the lines that report an exception, in the log or elsewhere."""
        return [line for line in self.lines if "Traceback" in line or '"exception":' in line]

    @property
    def cpu_seconds(self) -> float:
        """Return the CPU time without child processes."""
        status = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii")
        ticks = sum(map(int, status.rpartition(")")[2].split()[11:13]))
        return ticks / os.sysconf("SC_CLK_TCK")

    @property
    def resident_kib(self) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        match = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert match is not None
        return int(match[1])

    async def _read(self) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            self.lines.append(line.decode(errors="replace").rstrip())
            self._more.set()

    async def until_printed(self, part: str, *, within: float = MAX_START_SECONDS) -> None:
        try:
            async with asyncio.timeout(within):
                while not any(part in line for line in self.lines):
                    self._more.clear()
                    await self._more.wait()
        except TimeoutError:
            raise AssertionError(f"the program never printed {part!r}:\n{self.output}") from None

    async def until_ended(self, *, within: float = MAX_STOP_SECONDS) -> int:
        try:
            async with asyncio.timeout(within):
                code = await self.process.wait()
                await self._reader
        except TimeoutError:
            message = f"the program was still running after {within:g} s:\n{self.output}"
            raise AssertionError(message) from None
        return code

    async def stop(
        self, stop_signal: signal.Signals = signal.SIGTERM, *, within: float = MAX_STOP_SECONDS
    ) -> None:
        """Stop the program. Assert that its exit code is 0, and that it reported no exception."""
        self.process.send_signal(stop_signal)
        assert await self.until_ended(within=within) == 0, self.output
        assert self.exception_lines == [], self.output

    async def kill(self) -> None:
        self.process.kill()
        await self.until_ended()

    async def end(self) -> None:
        """If the process is running, terminate it, or kill it if it doesn't end. Then kill its descendants."""
        if self.process.returncode is None:
            children = await descendants(self.process.pid)
            self.process.terminate()
            try:
                async with asyncio.timeout(KILL_SECONDS):
                    await self.process.wait()
            except TimeoutError:
                self.process.kill()
                await self.process.wait()
            for child in children:
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
        # A running child process would keep the pipe open.
        await asyncio.wait({self._reader}, timeout=KILL_SECONDS)
        self._reader.cancel()


async def descendants(pid: int) -> list[int]:
    listing = await asyncio.create_subprocess_exec(
        "ps", "-A", "-o", "pid=,ppid=", stdout=asyncio.subprocess.PIPE
    )
    output, _ = await listing.communicate()
    pairs = [(int(child), int(parent)) for child, parent in map(str.split, output.decode().splitlines())]
    ids: list[int] = []
    parents = {pid}
    while parents:
        parents = {child for child, parent in pairs if parent in parents}
        ids += parents
    return ids


@asynccontextmanager
async def program(*arguments: str, environment: dict[str, str], folder: Path) -> AsyncIterator[Program]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        cwd=folder,
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    program = Program(process)
    try:
        yield program
    finally:
        await program.end()


@asynccontextmanager
async def forked_program(
    module: str, *arguments: str, environment: dict[str, str], folder: Path
) -> AsyncIterator[Program]:
    """Run a module in a fork of a process that has imported the bot. End the fork on exit."""
    process = await FORK_SERVER.start(module, *arguments, environment=environment, folder=folder)
    program = Program(process)
    try:
        yield program
    finally:
        await program.end()


def environment(wire: WireServer, folder: Path, **overrides: str) -> dict[str, str]:
    """Return the environment of a bot that connects to `wire` and has its database in `folder`.

    Analysis is off unless `overrides` turn it on, because each process would have to compile the engine.
    """
    defaults = {
        "DISCORD_TOKEN": wire.token,
        "DATABASE_URL": f"sqlite:///{folder}/kibitz.sqlite3",
        "KIBITZ_ANALYSIS__ENABLED": "false",
        "KIBITZ_CHESS__ENGINE": "",
        "PYTHONUNBUFFERED": "1",
    }
    base = wire.environment(**{**defaults, **overrides})
    base["PYTHONPATH"] = os.pathsep.join([base["PYTHONPATH"], str(ROOT)])
    for name in list(base):
        if name.startswith("KIBITZ_") and name not in {*defaults, *overrides}:
            del base[name]
    if "PORT" not in overrides:
        base.pop("PORT", None)
    return base


@asynccontextmanager
async def bot_process(
    wire: WireServer,
    folder: Path,
    *,
    wait_until_ready: bool = True,
    new_process: bool = False,
    **overrides: str,
) -> AsyncIterator[Program]:
    """Run `python -m bot run`. If `wait_until_ready`, wait until it is connected to the gateway.

    With `new_process`, the program starts in a new Python process, as in production. Otherwise, it is forked.
    """
    variables = environment(wire, folder, **overrides)
    async with (
        program("-m", "bot", "run", environment=variables, folder=folder)
        if new_process
        else forked_program("bot", "run", environment=variables, folder=folder)
    ) as process:
        if wait_until_ready:
            await until_logged_in(wire, process)
        yield process


async def until_logged_in(wire: WireServer, process: Program) -> None:
    """Wait until a program has logged in. If it ends instead, fail with its output."""
    login = asyncio.create_task(wire.gateway.wait_until_ready())
    end = asyncio.create_task(process.process.wait())
    await asyncio.wait({login, end}, return_when=asyncio.FIRST_COMPLETED)
    if end.done():
        login.cancel()
        await process.until_ended()
        raise AssertionError(f"the program ended instead of logging in:\n{process.output}")
    end.cancel()
    await login


async def until_log_contains(caplog: pytest.LogCaptureFixture, part: str) -> None:
    for _ in range(round(100 * MAX_START_SECONDS)):
        if part in caplog.text:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"{part!r} was never logged")


async def start_dailies(store: Store, channel: Channel, games: str, now: datetime, due: datetime) -> None:
    """Start the daily puzzles of a channel's server. The first ones are due at ``due``."""
    settings = DailySettings(channel.id, now.hour, "UTC", games, "usual")
    await store.change_daily_settings(channel.guild_id or 0, lambda _: (settings, due))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
