"""A process that hangs ends, so that its host starts it again; a process that only slept does not."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import pytest

from bot.observe.process import STALLED_EXIT_CODE

from .kibitz import STOP, environment, logged_in, position, prepared, programs

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from .kibitz import Program
    from .server import WireServer

pytestmark = programs

SECONDS = 2.0
#: Seconds in which a hanging process must have ended, on a machine that has much else to do.
PATIENCE = 60.0


@asynccontextmanager
async def hanging(
    wire: WireServer, folder: Path, seconds: float = SECONDS, **more: str
) -> AsyncIterator[Program]:
    """Run the bot so that a signal makes it hang."""
    variables = environment(wire, folder, KIBITZ_PROCESS__STALL_SECONDS=str(seconds), **more)
    async with prepared("tests.wire.hanging", environment=variables, folder=folder) as started:
        await logged_in(wire, started)
        yield started


@pytest.mark.parametrize(
    ("number", "code", "where"),
    [
        (signal.SIGUSR1, STALLED_EXIT_CODE, "in wait_for_ever"),
        (signal.SIGUSR2, -signal.SIGPROF, "in keep_the_lock"),
    ],
    ids=["in a call", "with the interpreter's lock"],
)
async def test_a_blocked_loop_dumps_its_stack_and_exits(
    wire: WireServer, tmp_path: Path, number: signal.Signals, code: int, where: str
) -> None:
    async with hanging(wire, tmp_path) as started:
        await wire.reply(await wire.say(position()))
        started.process.send_signal(number)
        assert await started.ended(within=PATIENCE) == code, started.output
    assert where in started.output
    assert wire.token not in started.output


async def test_a_suspended_process_continues(wire: WireServer, tmp_path: Path) -> None:
    async with hanging(wire, tmp_path, seconds=0.5) as started:
        for _ in range(2):
            started.process.send_signal(signal.SIGSTOP)
            await asyncio.sleep(1.5)
            started.process.send_signal(signal.SIGCONT)
            await wire.reply(await wire.say(position()))
        assert started.process.returncode is None, started.output


async def test_stopping_works_with_a_blocked_loop(wire: WireServer, tmp_path: Path) -> None:
    async with hanging(wire, tmp_path, seconds=0) as started:
        started.process.send_signal(signal.SIGUSR2)
        # The handler that hangs is begun before the next signal comes.
        await asyncio.sleep(0.5)
        started.process.send_signal(signal.SIGTERM)
        assert await started.ended(within=STOP) == 1, started.output
    assert "in keep_the_lock" in started.output


async def test_only_a_running_loop_notifies_systemd(wire: WireServer, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.setblocking(False)
        loop = asyncio.get_running_loop()
        watched = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "400000"}
        async with hanging(wire, tmp_path, seconds=3600, **watched) as started:
            missing = {b"READY=1", b"WATCHDOG=1"}
            async with asyncio.timeout(PATIENCE):
                while missing:
                    missing.discard(await loop.sock_recv(systemd, 100))
            started.process.send_signal(signal.SIGUSR1)
            with suppress(TimeoutError):
                while True:
                    await asyncio.wait_for(loop.sock_recv(systemd, 100), 2)
            # The reaction of systemd.
            os.kill(started.process.pid, signal.SIGABRT)
            assert await started.ended(within=PATIENCE) == -signal.SIGABRT
    assert "in wait_for_ever" in started.output
