"""The product under test: as an object in this process, or as the program it is."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bot.app.run import open_bot
from bot.config import load_settings

from .prepared import PREPARED
from .throwaway import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.chat.client import KibitzBot

    from .prepared import Fork
    from .server import WireServer

ROOT = Path(__file__).parents[2]
#: Tests that wait for programs or clocks: in one process, while others compute, and with one Python to fork from.
programs = pytest.mark.xdist_group("programs")
#: Seconds a process may take to start, or to do what a test waits for in its output.
START = 120.0
#: Seconds in which a process must have stopped after a request.
STOP = 10.0
#: Seconds a process still running at the end of its test is given before it is killed.
GRACE = 2.0


def position(word: str = "HELLO", *, rack: str = "ABCDEFG") -> str:
    """Give a CGP with one word on the middle row."""
    rows = ["15"] * 15
    rows[7] = f"4{word}{11 - len(word)}"
    return f"{'/'.join(rows)} {rack}/ 26/0 0 lex CSW21;"


@asynccontextmanager
async def kibitz(wire: WireServer) -> AsyncIterator[KibitzBot]:
    """Run the bot in this process with the settings of the environment, logged in and ready."""
    async with open_bot(load_settings()) as bot, running(bot, wire.token) as connection:
        login = asyncio.create_task(wire.gateway.ready())
        await asyncio.wait({login, connection}, return_when=asyncio.FIRST_COMPLETED)
        if connection.done():
            login.cancel()
            await connection
            raise AssertionError("the bot closed its connection by itself")
        await login
        yield bot


class Program:
    """A running subprocess and what it has printed."""

    def __init__(self, process: asyncio.subprocess.Process | Fork) -> None:
        self.process = process
        self.lines: list[str] = []
        self._more = asyncio.Event()
        self._reader = asyncio.create_task(self._read())

    @property
    def output(self) -> str:
        """Give everything printed so far, to either stream."""
        return "\n".join(self.lines)

    @property
    def faults(self) -> list[str]:
        """Give the lines that tell of an exception, in the log or past it."""
        return [line for line in self.lines if "Traceback" in line or '"exception":' in line]

    @property
    def processor_seconds(self) -> float:
        """Give what it has used of a processor so far, without the processes that it started."""
        status = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii")
        ticks = sum(map(int, status.rpartition(")")[2].split()[11:13]))
        return ticks / os.sysconf("SC_CLK_TCK")

    async def _read(self) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            self.lines.append(line.decode(errors="replace").rstrip())
            self._more.set()

    async def printed(self, part: str, *, within: float = START) -> None:
        """Wait for a line that holds `part`."""
        try:
            async with asyncio.timeout(within):
                while not any(part in line for line in self.lines):
                    self._more.clear()
                    await self._more.wait()
        except TimeoutError:
            raise AssertionError(f"the program never printed {part!r}:\n{self.output}") from None

    async def ended(self, *, within: float = STOP) -> int:
        """Wait for the end and give the exit code."""
        try:
            async with asyncio.timeout(within):
                code = await self.process.wait()
                await self._reader
        except TimeoutError:
            message = f"the program was still running after {within:g} s:\n{self.output}"
            raise AssertionError(message) from None
        return code

    async def end(self) -> None:
        """End it and everything it started, asking first; harmless when it has ended."""
        if self.process.returncode is None:
            children = await descendants(self.process.pid)
            self.process.terminate()
            try:
                async with asyncio.timeout(GRACE):
                    await self.process.wait()
            except TimeoutError:
                self.process.kill()
                await self.process.wait()
            for child in children:
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
        # A child that outlives all this would hold the pipe open forever.
        await asyncio.wait({self._reader}, timeout=GRACE)
        self._reader.cancel()


async def descendants(pid: int) -> list[int]:
    """List the processes started by a process and by those it started."""
    listing = await asyncio.create_subprocess_exec(
        "ps", "-A", "-o", "pid=,ppid=", stdout=asyncio.subprocess.PIPE
    )
    output, _ = await listing.communicate()
    pairs = [(int(child), int(parent)) for child, parent in map(str.split, output.decode().splitlines())]
    found: list[int] = []
    parents = {pid}
    while parents:
        parents = {child for child, parent in pairs if parent in parents}
        found += parents
    return found


@asynccontextmanager
async def program(*arguments: str, environment: dict[str, str], folder: Path) -> AsyncIterator[Program]:
    """Start a Python program in `folder`; it is ended on leaving."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        cwd=folder,
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    started = Program(process)
    try:
        yield started
    finally:
        await started.end()


@asynccontextmanager
async def prepared(
    module: str, *arguments: str, environment: dict[str, str], folder: Path
) -> AsyncIterator[Program]:
    """Do what ``python -m`` does with a module, in a Python that has imported the bot; it is ended on leaving."""
    started = Program(await PREPARED.start(module, *arguments, environment=environment, folder=folder))
    try:
        yield started
    finally:
        await started.end()


def environment(wire: WireServer, folder: Path, **more: str) -> dict[str, str]:
    """Give the environment of a bot that talks to `wire` and keeps its database in `folder`.

    It does without the analysis, which would be compiled in another process, unless `more` wants it.
    """
    own = {
        "DISCORD_TOKEN": wire.token,
        "DATABASE_URL": f"sqlite:///{folder}/kibitz.sqlite3",
        "KIBITZ_ANALYSIS__ENABLED": "false",
        "KIBITZ_CHESS__ENGINE": "",
        "PYTHONUNBUFFERED": "1",
    }
    base = wire.environment(**{**own, **more})
    base["PYTHONPATH"] = os.pathsep.join([base["PYTHONPATH"], str(ROOT)])
    for name in list(base):
        if name.startswith("KIBITZ_") and name not in {*own, *more}:
            del base[name]
    if "PORT" not in more:
        base.pop("PORT", None)
    return base


@asynccontextmanager
async def bot_process(
    wire: WireServer, folder: Path, *, ready: bool = True, new_process: bool = False, **more: str
) -> AsyncIterator[Program]:
    """Run `python -m bot run`, and wait until it is on the gateway if `ready`.

    With `new_process` it starts as it does for an operator; otherwise it is forked from a Python that has imported it.
    """
    variables = environment(wire, folder, **more)
    async with (
        program("-m", "bot", "run", environment=variables, folder=folder)
        if new_process
        else prepared("bot", "run", environment=variables, folder=folder)
    ) as started:
        if ready:
            await logged_in(wire, started)
        yield started


async def logged_in(wire: WireServer, started: Program) -> None:
    """Wait for the login, or fail at once with the output of a program that ended instead."""
    login = asyncio.create_task(wire.gateway.ready(within=START))
    end = asyncio.create_task(started.process.wait())
    await asyncio.wait({login, end}, return_when=asyncio.FIRST_COMPLETED)
    if end.done():
        login.cancel()
        await started.ended()
        raise AssertionError(f"the program ended instead of logging in:\n{started.output}")
    end.cancel()
    await login
