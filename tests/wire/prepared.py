"""A Python that has imported the bot: each program that it is asked for is a fork of it, there in milliseconds.

To import the bot takes longer than most of what a test does with it. Such a program has a clean environment, folder and
output of its own, and begins where ``python -m`` begins when it has imported what it needs.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

MAX_REQUEST = 1 << 17
ROOT = Path(__file__).parents[2]


class Fork:
    """A program that was forked: what tests use of asyncio's processes."""

    def __init__(self, reports: socket.socket, pid: int, stdout: asyncio.StreamReader) -> None:
        self._reports = reports
        self.pid = pid
        self.stdout = stdout
        self.returncode: int | None = None
        self._end = asyncio.create_task(self._wait())

    async def _wait(self) -> int:
        code = await asyncio.get_running_loop().sock_recv(self._reports, 100)
        self._reports.close()
        self.returncode = os.waitstatus_to_exitcode(int(code))
        return self.returncode

    async def wait(self) -> int:
        """Wait for its end and return the exit code."""
        return await asyncio.shield(self._end)

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it is known to have ended."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)


class Prepared:
    """The Python that forks; it starts with the first request, and ends with this process at the latest."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._asking: socket.socket | None = None

    async def start(self, module: str, *arguments: str, environment: dict[str, str], folder: Path) -> Fork:
        """Do what ``python -m module arguments`` does in a folder."""
        loop = asyncio.get_running_loop()
        reports, telling = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        output, written = os.pipe()
        request = {
            "module": module,
            "arguments": arguments,
            "environment": environment,
            "folder": str(folder),
        }
        try:
            fds = [written, telling.fileno()]
            socket.send_fds(self._opened(), [json.dumps(request).encode()], fds)
        finally:
            telling.close()
            os.close(written)
        reports.setblocking(False)
        stdout = asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stdout), os.fdopen(output, "rb"))
        return Fork(reports, int(await loop.sock_recv(reports, 100)), stdout)

    def _opened(self) -> socket.socket:
        if self._asking is None:
            self._asking, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with other:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "tests.wire.prepared", str(other.fileno())],
                    cwd=ROOT,
                    env={**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(ROOT)},
                    stdin=subprocess.DEVNULL,
                    pass_fds=[other.fileno()],
                )
        return self._asking

    def close(self) -> None:
        """End it; forked processes continue."""
        if self._asking is not None and self._process is not None:
            self._asking.close()
            self._process.wait(60)


PREPARED = Prepared()


def _serve(requests: socket.socket) -> dict[str, Any]:
    """Fork for each request; in the program that was asked for, return the request."""
    while True:
        data, fds, _, _ = socket.recv_fds(requests, MAX_REQUEST, 2)
        if not data:
            sys.exit(0)
        written, telling = fds
        if not os.fork():
            requests.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            if not (program := os.fork()):
                os.close(telling)
                for stream in (1, 2):
                    os.dup2(written, stream)
                os.close(written)
                # The existing ones believe that they write to a file.
                sys.stdout, sys.stderr = (
                    io.TextIOWrapper(io.FileIO(stream, "w"), write_through=True) for stream in (1, 2)
                )
                request: dict[str, Any] = json.loads(data)
                return request
            _tell_of(program, written, telling)
        os.close(written)
        os.close(telling)


def _tell_of(program: int, written: int, telling: int) -> NoReturn:
    """Report the id of a program and, when it has ended, its exit code; then end."""
    os.close(written)
    os.write(telling, str(program).encode())
    os.write(telling, str(os.waitpid(program, 0)[1]).encode())
    os._exit(0)


def _main() -> None:
    import bot.__main__  # noqa: PLC0415 - what each program needs
    import bot.app.run  # noqa: PLC0415

    from . import redirect  # noqa: PLC0415

    del sys.modules[bot.__main__.__name__]  # it is run
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    request = _serve(socket.socket(fileno=int(sys.argv[1])))
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    if api := os.environ.get("WIRE_DISCORD_API"):
        redirect.redirect(api, pace=float(os.environ.get("WIRE_DISCORD_PACE", redirect.SHRINK)))
    sys.argv = [request["module"], *request["arguments"]]
    runpy.run_module(request["module"], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _main()
