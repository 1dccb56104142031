"""A process that imports the bot once, and then forks itself to start programs within milliseconds.

Each forked program has its own environment, folder and output. It runs a module as ``python -m`` does, but doesn't have to import
the bot again.

The environment variable ``WIRE_CONSTANTS`` contains a JSON object that maps the dotted names of constants to the values that
they get in the program.
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
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

#: Maximum size of a request, in bytes.
MAX_REQUEST_BYTES = 1 << 17
ROOT = Path(__file__).parents[2]


class Fork:
    """A forked program, with the methods of ``asyncio.subprocess.Process`` that tests use."""

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
        return await asyncio.shield(self._end)

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class ForkServer:
    """Controls the process that forks. That process starts at the first request, and ends at :meth:`close`."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    async def start(self, module: str, *arguments: str, environment: dict[str, str], folder: Path) -> Fork:
        loop = asyncio.get_running_loop()
        reports, reporter = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        output, output_writer = os.pipe()
        request = {
            "module": module,
            "arguments": arguments,
            "environment": environment,
            "folder": str(folder),
        }
        try:
            fds = [output_writer, reporter.fileno()]
            socket.send_fds(self._connection(), [json.dumps(request).encode()], fds)
        finally:
            reporter.close()
            os.close(output_writer)
        reports.setblocking(False)
        stdout = asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stdout), os.fdopen(output, "rb"))
        return Fork(reports, int(await loop.sock_recv(reports, 100)), stdout)

    def _connection(self) -> socket.socket:
        if self._requests is None:
            self._requests, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with other:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "tests.wire.forking", str(other.fileno())],
                    cwd=ROOT,
                    env={**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(ROOT)},
                    stdin=subprocess.DEVNULL,
                    pass_fds=[other.fileno()],
                )
        return self._requests

    def close(self) -> None:
        """End the process. The forked programs continue."""
        if self._requests is not None and self._process is not None:
            self._requests.close()
            self._process.wait(60)


FORK_SERVER = ForkServer()


def _serve(requests: socket.socket) -> dict[str, Any]:
    """Fork twice for each request. In the second fork, which becomes the program, return the request."""
    while True:
        data, fds, _, _ = socket.recv_fds(requests, MAX_REQUEST_BYTES, 2)
        if not data:
            sys.exit(0)
        output, reporter = fds
        if not os.fork():
            requests.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            if not (program := os.fork()):
                os.close(reporter)
                for stream in (1, 2):
                    os.dup2(output, stream)
                os.close(output)
                # The old stream objects would buffer their output, because they were opened for other files.
                sys.stdout, sys.stderr = (
                    io.TextIOWrapper(io.FileIO(stream, "w"), write_through=True) for stream in (1, 2)
                )
                request: dict[str, Any] = json.loads(data)
                return request
            _report(program, output, reporter)
        os.close(output)
        os.close(reporter)


def _report(program: int, output: int, reporter: int) -> NoReturn:
    """Report a program's process id and, when it ends, its exit status. Then exit."""
    os.close(output)
    os.write(reporter, str(program).encode())
    os.write(reporter, str(os.waitpid(program, 0)[1]).encode())
    os._exit(0)


def _main() -> None:
    import bot.__main__  # noqa: PLC0415 - every program imports it
    import bot.app.run  # noqa: PLC0415

    from . import redirect  # noqa: PLC0415

    del sys.modules[bot.__main__.__name__]  # runpy imports it again
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    request = _serve(socket.socket(fileno=int(sys.argv[1])))
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    if api := os.environ.get("WIRE_DISCORD_API"):
        redirect.redirect(
            api,
            delay_factor=float(os.environ.get("WIRE_DISCORD_DELAY_FACTOR", redirect.DEFAULT_DELAY_FACTOR)),
        )
    for name, value in json.loads(os.environ.get("WIRE_CONSTANTS", "{}")).items():
        module, _, attribute = name.rpartition(".")
        setattr(import_module(module), attribute, value)
    sys.argv = [request["module"], *request["arguments"]]
    runpy.run_module(request["module"], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _main()
