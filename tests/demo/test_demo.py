"""The demo as a process: it starts without anything, keeps to itself, ends cleanly, and says why it cannot start."""

import asyncio
import os
import signal
import socket
import sqlite3
import stat
import sys
from contextlib import closing
from pathlib import Path

import aiohttp
import pytest

from bot.demo.script import CHANNELS
from bot.domain.notations import convert, offered
from bot.domain.reading.problems import ConversionError
from bot.reading import Attachment, Source, read_source
from tests.demo.process import running_demo, start


@pytest.mark.parametrize("number", [pytest.param(signal.SIGINT, marks=pytest.mark.long), signal.SIGTERM])
async def test_a_signal_ends_it_cleanly_and_leaves_nothing_behind(tmp_path: Path, number: signal.Signals):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    async with running_demo(
        "demo", "--no-browser", folder=tmp_path, environment={"TMPDIR": str(scratch)}
    ) as demo:
        assert names(scratch), "the demo's database is expected in the folder for temporary files"
        code, output, errors = await demo.end(number)
    assert code == 0
    assert output.endswith("\nThe demo has ended.\n")
    assert errors == ""
    assert names(scratch) == []


async def test_it_serves_this_machine_only_at_the_port_chosen_and_nothing_without_the_key(tmp_path: Path):
    database = tmp_path / "real.sqlite3"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE untouched (number)")
    before = database.read_bytes()
    with closing(socket.create_server(("127.0.0.1", 0))) as probe:
        port = probe.getsockname()[1]
    environment = {"DATABASE_URL": f"sqlite:///{database}", "DISCORD_TOKEN": "not-a-token", "PORT": "1"}
    async with (
        running_demo(
            "demo", "--no-browser", "--port", str(port), folder=tmp_path, environment=environment
        ) as demo,
        aiohttp.ClientSession() as session,
    ):
        assert demo.port == port
        async with session.post(f"http://127.0.0.1:{demo.port}/api/pages", json={}) as answer:
            assert answer.status == 401
        for host in own_addresses():
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection((host, demo.port), timeout=2).close()
        code, _, errors = await demo.end()
    assert (code, errors) == (0, "")
    assert database.read_bytes() == before, "the real database is not touched"
    assert names(tmp_path) == ["real.sqlite3"]


def own_addresses() -> set[str]:
    """Return this machine's addresses that others can reach."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            probe.connect(
                ("192.0.2.1", 9)
            )  # reserved for documentation; a datagram socket sends nothing here
        except OSError:
            return set()
        address = str(probe.getsockname()[0])
    return set() if address.startswith("127.") else {address}


def names(folder: Path) -> list[str]:
    """Return what is in a folder."""
    return [path.name for path in folder.iterdir()]


async def test_without_a_command_and_a_token_it_says_so_and_starts(tmp_path: Path):
    process = await start(folder=tmp_path)
    try:
        assert process.stdout is not None
        async with asyncio.timeout(60):
            lines = [await process.stdout.readline() for _ in range(3)]
        assert b"DISCORD_TOKEN is not set" in lines[0]
        assert b"#positions  http://127.0.0.1:" in lines[2]
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(20):
            await process.communicate()
        assert process.returncode == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_a_port_in_use_is_named(tmp_path: Path):
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        code, output, errors = await failed("demo", "--no-browser", "--port", str(port), folder=tmp_path)
    assert (code, output) == (2, "")
    assert (
        errors
        == f"Port {port} is in use: choose another with --port, or let the demo choose by leaving it out.\n"
    )


@pytest.mark.parametrize(
    "port",
    [pytest.param("-1", marks=pytest.mark.long), pytest.param("65536", marks=pytest.mark.long), "http"],
)
async def test_an_impossible_port_is_refused_in_a_sentence(tmp_path: Path, port: str):
    code, output, errors = await failed("demo", "--no-browser", f"--port={port}", folder=tmp_path)
    assert (code, output) == (2, "")
    assert "port" in errors
    assert "Traceback" not in errors


async def test_without_simcord_it_says_what_to_install(tmp_path: Path):
    # What the interpreter runs at its start makes the import fail as if SimCord were not there.
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['simcord'] = None\n")
    code, output, errors = await failed(
        "demo", "--no-browser", folder=tmp_path, environment={"PYTHONPATH": paths(tmp_path)}
    )
    assert (code, output) == (2, "")
    assert errors == "The demo needs SimCord, which is not installed: pip install '.[demo]'\n"


def paths(folder: Path) -> str:
    """Return a PYTHONPATH with a folder before the project."""
    return os.pathsep.join([str(folder), str(Path(__file__).parents[2])])


async def failed(
    *arguments: str, folder: Path, environment: dict[str, str] | None = None
) -> tuple[int, str, str]:
    """Return code, output and errors of a command that is expected to end by itself."""
    process = await start(*arguments, folder=folder, environment=environment)
    async with asyncio.timeout(60):
        output, errors = await process.communicate()
    assert process.returncode is not None
    return process.returncode, output.decode(), errors.decode()


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="there is always a screen")
@pytest.mark.parametrize(
    ("arguments", "screen", "opened"),
    [
        ((), {"DISPLAY": ":99"}, True),
        pytest.param((), {"WAYLAND_DISPLAY": "wayland-9"}, True, marks=pytest.mark.long),
        pytest.param((), {}, False, marks=pytest.mark.long),
        pytest.param(("--no-browser",), {"DISPLAY": ":99"}, False, marks=pytest.mark.long),
    ],
    ids=["X", "Wayland", "no screen", "not wanted"],
)
async def test_a_browser_is_opened_where_there_is_a_screen(
    tmp_path: Path, arguments: tuple[str, ...], screen: dict[str, str], opened: bool
):
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > "{seen}.new"\nmv "{seen}.new" "{seen}"\n')
    browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
    environment = screen | {"BROWSER": f"{browser} %s"}
    async with running_demo("demo", *arguments, folder=tmp_path, environment=environment) as demo:
        if opened:
            async with asyncio.timeout(20):
                while not seen.exists():  # noqa: ASYNC110 - another process makes it
                    await asyncio.sleep(0.02)
            assert seen.read_text() == demo.url
        await demo.end()
    assert seen.exists() == opened


def test_nothing_that_is_offered_for_what_stands_in_the_demo_is_refused():
    """Of a position no game is offered, of a book no position: a menu that says no is none."""
    refused = []
    for example in (example for channel in CHANNELS for example in channel.examples):
        files = tuple(Attachment(name, data) for name, data in example.attachments)
        findings = read_source(Source(example.text, files))
        assert findings.broken == ()
        for document in (item.document for item in findings.found):
            for name in offered(document):
                try:
                    convert(document, name)
                except ConversionError as error:
                    refused.append((type(document).__name__, name, error.code))
    # Whether the draws of a game came from a seed is not known before it is tried.
    assert refused == [("Game", "turn-url", "no-seed")]
