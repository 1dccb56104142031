"""The program that a host runs: its errors at startup, its shutdown, and the Procfile."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .faults import CONNECT, CREATE_MESSAGE, ME
from .journal import MAX_START_SECONDS
from .kibitz import (
    ROOT,
    bot_process,
    descendants,
    environment,
    free_port,
    position,
    program,
    until_logged_in,
    uses_programs,
)
from .world import Intent

if TYPE_CHECKING:
    from .conftest import Serve
    from .kibitz import Program
    from .server import WireServer

pytestmark = uses_programs

#: A delay factor that makes each of discord.py's back-offs longer than any test.
ENDLESS_BACK_OFF = "10000"
with_each_stop_signal = pytest.mark.parametrize(
    "stop_signal",
    [
        pytest.param(signal.SIGTERM, id="SIGTERM"),
        pytest.param(signal.SIGINT, id="SIGINT", marks=pytest.mark.long),
    ],
)


async def fail_to_start(wire: WireServer, folder: Path, **options: Any) -> Program:
    """Run a bot that cannot start. Assert that it prints one error and no traceback."""
    async with bot_process(wire, folder, wait_until_ready=False, **options) as process:
        code = await process.until_ended(within=MAX_START_SECONDS)
    assert code == 2, process.output
    assert process.exception_lines == [], process.output
    assert len([line for line in process.lines if line.startswith("kibitz: ")]) == 1, process.output
    assert wire.token not in process.output
    return process


# Failed starts


async def test_a_wrong_token_is_reported_on_one_line(wire: WireServer, tmp_path: Path) -> None:
    process = await fail_to_start(wire, tmp_path, new_process=True, DISCORD_TOKEN="not-the-token")
    assert "DISCORD_TOKEN" in process.output
    assert "not-the-token" not in process.output


async def test_an_invalid_direct_database_address_is_reported_on_one_line(
    wire: WireServer, tmp_path: Path
) -> None:
    address = "postgress://user:secret@host/kibitz"
    process = await fail_to_start(wire, tmp_path, KIBITZ_SHARDS="auto", DATABASE_DIRECT_URL=address)
    assert "begins with 'postgress'" in process.output
    assert "secret" not in process.output


async def test_a_token_refused_by_the_gateway_is_reported_on_one_line(
    wire: WireServer, tmp_path: Path
) -> None:
    wire.gateway.token = "reset-meanwhile"
    assert "DISCORD_TOKEN" in (await fail_to_start(wire, tmp_path)).output


async def test_the_error_for_a_denied_intent_names_the_setting(serve: Serve, tmp_path: Path) -> None:
    wire = await serve(denied=Intent.MESSAGE_CONTENT)
    assert "message_content = false" in (await fail_to_start(wire, tmp_path)).output
    assert wire.gateway.connections[0].server_close_code == 4014

    # With the setting, the bot starts. It replies to mentions, and cannot read other messages.
    (tmp_path / "config.toml").write_text("[discord]\nmessage_content = false\n")
    async with bot_process(wire, tmp_path) as process:
        unread = await wire.post(position("UNREAD"))
        mention = f"<@{wire.world.bot.id}> {position('MENTION')}"
        reply = await wire.wait_for_reply(await wire.post(mention, mentions=(wire.world.bot,)))
        await process.stop()
    assert "....MENTION" in (reply.files[0].description or "")
    assert wire.world.replies_to(unread) == []


async def test_a_server_error_at_login_is_reported_without_a_traceback(
    wire: WireServer, tmp_path: Path
) -> None:
    wire.faults.fail(ME, times=5)
    process = await fail_to_start(wire, tmp_path)
    assert "DISCORD_TOKEN" not in process.output, "the error was reported as a wrong token"


# Stopping


@with_each_stop_signal
async def test_a_stop_signal_closes_the_session_and_child_processes(
    wire: WireServer, tmp_path: Path, stop_signal: signal.Signals
) -> None:
    # With analysis on, a child process may be compiling the engine. The child process must also end.
    async with bot_process(wire, tmp_path, new_process=True, KIBITZ_ANALYSIS__ENABLED="true") as process:
        await wire.wait_for_reply(await wire.post(position()))
        children = await descendants(process.process.pid)
        await process.stop(stop_signal)
    assert not set(children) & set(await descendants(1)), "a child process is still running"
    (connection,) = wire.gateway.connections
    await wire.journal.until(lambda: connection.closed, "the connection to close")
    assert connection.client_close_code == 1000
    assert wire.token not in process.output


@with_each_stop_signal
async def test_stopping_finishes_pending_replies(
    wire: WireServer, tmp_path: Path, stop_signal: signal.Signals
) -> None:
    hold = wire.faults.hold(CREATE_MESSAGE)
    async with bot_process(wire, tmp_path) as process:
        message = await wire.post(position())
        await asyncio.wait_for(hold.reached.wait(), 10)
        process.process.send_signal(stop_signal)
        await process.until_printed("stopping")
        ignored = await wire.post(position("TOOLATE"))
        hold.release()
        await wire.wait_for_reply(message)
        assert not wire.gateway.connections[0].closed
        assert await process.until_ended() == 0, process.output
    assert process.exception_lines == [], process.output
    assert wire.gateway.connections[0].client_close_code == 1000
    assert wire.world.replies_to(ignored) == []

    # The bot has recorded one reply. After a restart, it replies to the other message.
    async with bot_process(wire, tmp_path):
        await wire.gateway.message_created(message)
        await wire.gateway.message_created(ignored)
        await wire.wait_for_reply(ignored)
    assert len(wire.world.replies_to(message)) == 1


@pytest.mark.long
async def test_stopping_kills_a_long_read(wire: WireServer, tmp_path: Path) -> None:
    puzzles = "".join(
        f"[D]{number}\n{'8/' * 7}{number % 4 + 1}k{4 - number % 4}K1 w - - 0 {number + 1}\n"
        for number in range(9_000)
    )
    files = {f"{number}.txt": f"{puzzles}// {number}\n".encode() for number in range(10)}
    async with bot_process(wire, tmp_path) as process:
        message = await wire.post("many", files=files)
        await asyncio.sleep(3)  # by then, the bot is reading, but has not finished
        await process.stop()
    assert wire.world.replies_to(message) == []


async def test_a_stop_signal_during_the_login_ends_the_process(wire: WireServer, tmp_path: Path) -> None:
    hold = wire.faults.hold(ME)
    async with bot_process(wire, tmp_path, wait_until_ready=False) as process:
        await asyncio.wait_for(hold.reached.wait(), 30)
        await process.stop()
        hold.release()
    assert wire.gateway.connections == []


async def test_stopping_works_while_the_gateway_refuses_connections(wire: WireServer, tmp_path: Path) -> None:
    wire.faults.fail(CONNECT, status=503, times=100)
    async with bot_process(
        wire, tmp_path, wait_until_ready=False, WIRE_DISCORD_DELAY_FACTOR=ENDLESS_BACK_OFF
    ) as process:
        await process.until_printed("Failed to connect")
        process.process.terminate()
        assert await process.until_ended() == 0, process.output


async def test_a_stop_signal_during_an_outage_ends_the_process(wire: WireServer, tmp_path: Path) -> None:
    async with bot_process(wire, tmp_path, WIRE_DISCORD_DELAY_FACTOR=ENDLESS_BACK_OFF) as process:
        fault = wire.faults.fail(CONNECT, status=503, times=100)
        await wire.gateway.drop()
        await wire.journal.until(lambda: fault.hits, "an attempt to reconnect")
        await process.until_printed("Attempting a reconnect")
        process.process.terminate()
        assert await process.until_ended() == 0, process.output


async def test_no_message_gets_two_replies_after_a_restart(wire: WireServer, tmp_path: Path) -> None:
    async with bot_process(wire, tmp_path) as process:
        message = await wire.post(position())
        await wire.wait_for_reply(message)
        await process.kill()
    # Discord keeps the session of the killed process for a while. The next process has a new session.
    async with bot_process(wire, tmp_path):
        await wire.gateway.message_created(message)
        await wire.wait_for_reply(await wire.post(position("LASTLY")))
    assert len(wire.world.replies_to(message)) == 1


# Hosting


async def test_health_checks_are_local_and_a_volatile_database_gets_a_warning(
    wire: WireServer, tmp_path: Path
) -> None:
    port = free_port()
    async with bot_process(wire, tmp_path, KIBITZ_WEB__PORT=str(port), DYNO="web.1") as process:
        assert "THE DATABASE WILL BE LOST: Heroku" in process.output
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()
        # A process that listens on all addresses of the machine would also listen on this address.
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.2", port)
        assert process.exception_lines == [], process.output


async def test_the_procfile_runs_under_a_process_manager(wire: WireServer, tmp_path: Path) -> None:
    (tmp_path / "kibitz.sqlite3").unlink()
    # The Procfile runs in an empty folder, where it finds no settings file.
    shutil.copy(ROOT / "Procfile", tmp_path)
    variables = environment(wire, tmp_path)
    variables["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), variables["PATH"]])
    honcho = ("-m", "honcho", "start", "--no-colour", "-p", str(free_port()))
    # Hosting platforms run the release process before they start the others.
    async with program(*honcho, "release", environment=variables, folder=tmp_path) as release:
        assert await release.until_ended(within=MAX_START_SECONDS) == 0, release.output
    assert "tables created (version" in release.output
    async with program(*honcho, "web", environment=variables, folder=tmp_path) as manager:
        await until_logged_in(wire, manager)
        await wire.wait_for_reply(await wire.post(position()))
        manager.process.send_signal(signal.SIGTERM)
        await manager.until_ended()
    (connection,) = wire.gateway.connections
    await wire.journal.until(lambda: connection.closed, "the connection to close")
    assert connection.client_close_code == 1000, manager.output
    assert manager.exception_lines == [], manager.output
