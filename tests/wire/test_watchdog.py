"""If the event loop hangs, the process exits, so that its supervisor restarts it. A suspended process continues."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import pytest

from bot.observe.process import MAX_EXIT_SECONDS, STALLED_EXIT_CODE, watch_loop

from .journal import MAX_WAIT_SECONDS
from .kibitz import MAX_STOP_SECONDS, environment, forked_program, position, until_logged_in, uses_programs

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from .kibitz import Program
    from .server import WireServer

pytestmark = uses_programs

#: Seconds for which the event loop may hang before the process exits.
STALL_SECONDS = 2.0


@asynccontextmanager
async def hangable_program(
    wire: WireServer, folder: Path, seconds: float = STALL_SECONDS, **overrides: str
) -> AsyncIterator[Program]:
    variables = environment(wire, folder, KIBITZ_PROCESS__STALL_SECONDS=str(seconds), **overrides)
    async with forked_program("tests.wire.hanging", environment=variables, folder=folder) as program:
        await until_logged_in(wire, program)
        yield program


@pytest.mark.parametrize(
    ("blocking_signal", "code", "where"),
    [
        (signal.SIGUSR1, STALLED_EXIT_CODE, "in wait_forever"),
        (signal.SIGUSR2, -signal.SIGPROF, "in hold_the_lock"),
    ],
    ids=["in a call", "with the interpreter's lock"],
)
async def test_a_blocked_loop_dumps_its_stack_and_exits(
    wire: WireServer, tmp_path: Path, blocking_signal: signal.Signals, code: int, where: str
) -> None:
    async with hangable_program(wire, tmp_path) as program:
        await wire.wait_for_reply(await wire.post(position()))
        program.process.send_signal(blocking_signal)
        assert await program.until_ended(within=MAX_WAIT_SECONDS) == code, program.output
    assert where in program.output
    assert wire.token not in program.output


async def test_a_suspended_process_continues(wire: WireServer, tmp_path: Path) -> None:
    async with hangable_program(wire, tmp_path) as program:
        for _ in range(2):
            program.process.send_signal(signal.SIGSTOP)
            await asyncio.sleep(STALL_SECONDS + 0.5)
            program.process.send_signal(signal.SIGCONT)
            await wire.wait_for_reply(await wire.post(position()))
        assert program.process.returncode is None, program.output


async def test_stopping_works_with_a_blocked_loop(wire: WireServer, tmp_path: Path) -> None:
    assert MAX_EXIT_SECONDS < MAX_STOP_SECONDS
    constants = '{"bot.observe.process.MAX_EXIT_SECONDS": 2.0}'
    async with hangable_program(wire, tmp_path, seconds=0, WIRE_CONSTANTS=constants) as program:
        program.process.send_signal(signal.SIGUSR2)
        # Before the next signal, wait until the handler hangs.
        await asyncio.sleep(0.5)
        program.process.send_signal(signal.SIGTERM)
        assert await program.until_ended(within=MAX_STOP_SECONDS) == 1, program.output
    assert "in hold_the_lock" in program.output


async def test_the_loop_is_not_watched_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(signal, "setitimer")
    async with watch_loop(STALL_SECONDS):
        assert "kibitz-watchdog" not in {thread.name for thread in threading.enumerate()}


async def test_only_a_running_loop_notifies_systemd(wire: WireServer, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.setblocking(False)
        loop = asyncio.get_running_loop()
        systemd_variables = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "400000"}
        async with hangable_program(wire, tmp_path, seconds=3600, **systemd_variables) as program:
            missing_notifications = {b"READY=1", b"WATCHDOG=1"}
            async with asyncio.timeout(MAX_WAIT_SECONDS):
                while missing_notifications:
                    missing_notifications.discard(await loop.sock_recv(systemd, 100))
            program.process.send_signal(signal.SIGUSR1)
            with suppress(TimeoutError):
                while True:
                    await asyncio.wait_for(loop.sock_recv(systemd, 100), 2)
            # If notifications are missing, systemd sends this signal.
            os.kill(program.process.pid, signal.SIGABRT)
            assert await program.until_ended(within=MAX_WAIT_SECONDS) == -signal.SIGABRT
    assert "in wait_forever" in program.output
