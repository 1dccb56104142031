"""The program an operator runs: what it says when it cannot start, and how it stops."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .faults import CREATE_MESSAGE, ME, Endpoint
from .kibitz import ROOT, START, bot_process, descendants, environment, logged_in, position, program, programs
from .world import Intent

if TYPE_CHECKING:
    from .conftest import Serve
    from .kibitz import Program
    from .server import WireServer

pytestmark = programs

CONNECT = Endpoint("GET", "/gateway")
#: A pace that makes every back-off of the client longer than any test.
FOR_EVER = "10000"
stopping = pytest.mark.parametrize(
    "number",
    [
        pytest.param(signal.SIGTERM, id="SIGTERM"),
        pytest.param(signal.SIGINT, id="SIGINT", marks=pytest.mark.long),
    ],
)


def one_sentence(ended: Program) -> str:
    """Give the only line printed at error level; there must be no traceback."""
    assert ended.faults == [], ended.output
    (line,) = [line for line in ended.lines if line.startswith("kibitz: ")]
    return line


# What it says when it cannot start


async def test_a_wrong_token_ends_with_one_sentence(wire: WireServer, tmp_path: Path) -> None:
    async with bot_process(
        wire, tmp_path, ready=False, new_process=True, DISCORD_TOKEN="not-the-token"
    ) as started:
        code = await started.ended(within=START)
    assert code == 2, started.output
    assert "DISCORD_TOKEN" in one_sentence(started)
    assert "not-the-token" not in started.output


async def test_a_token_refused_by_the_gateway_ends_with_one_sentence(
    wire: WireServer, tmp_path: Path
) -> None:
    wire.gateway.token = "reset-meanwhile"
    async with bot_process(wire, tmp_path, ready=False) as started:
        code = await started.ended(within=START)
    assert code == 2, started.output
    assert "DISCORD_TOKEN" in one_sentence(started)


async def test_a_denied_intent_ends_with_the_way_out(serve: Serve, tmp_path: Path) -> None:
    wire = await serve(denied=Intent.MESSAGE_CONTENT)
    async with bot_process(wire, tmp_path, ready=False) as started:
        code = await started.ended(within=START)
    assert code == 2, started.output
    assert "message_content = false" in one_sentence(started)
    assert wire.gateway.connections[0].server_code == 4014

    # And the way out works: mentions are answered, other messages are not readable.
    (tmp_path / "config.toml").write_text("[discord]\nmessage_content = false\n")
    async with bot_process(wire, tmp_path) as started:
        unread = await wire.say(position("UNREAD"))
        mention = f"<@{wire.world.bot.id}> {position('MENTION')}"
        answer = await wire.reply(await wire.say(mention, mentions=(wire.world.bot,)))
        started.process.send_signal(signal.SIGTERM)
        assert await started.ended() == 0, started.output
    assert "....MENTION" in (answer.files[0].description or "")
    assert wire.world.replies_to(unread) == []


async def test_discord_out_of_order_at_login_ends_with_one_sentence(wire: WireServer, tmp_path: Path) -> None:
    wire.faults.fail(ME, times=5)
    async with bot_process(wire, tmp_path, ready=False) as started:
        code = await started.ended(within=START)
    assert code != 0
    assert started.faults == [], started.output
    assert wire.token not in started.output


# How it stops


@stopping
async def test_a_stop_signal_closes_the_session_and_child_processes(
    wire: WireServer, tmp_path: Path, number: signal.Signals
) -> None:
    # As most hosts run it. Any process that compiles the analysis beside it must end with it.
    async with bot_process(wire, tmp_path, new_process=True, KIBITZ_ANALYSIS__ENABLED="true") as started:
        await wire.reply(await wire.say(position()))
        children = await descendants(started.process.pid)
        started.process.send_signal(number)
        assert await started.ended() == 0, started.output
    assert not set(children) & set(await descendants(1)), "what it had started has ended, too"
    (connection,) = wire.gateway.connections
    await wire.journal.until(lambda: connection.closed, "the connection to close")
    assert connection.client_code == 1000
    assert started.faults == [], started.output
    assert wire.token not in started.output


@stopping
async def test_stopping_finishes_pending_answers(
    wire: WireServer, tmp_path: Path, number: signal.Signals
) -> None:
    hold = wire.faults.hold(CREATE_MESSAGE)
    async with bot_process(wire, tmp_path) as started:
        message = await wire.say(position())
        await asyncio.wait_for(hold.reached.wait(), 10)
        started.process.send_signal(number)
        await started.printed("stopping")
        ignored = await wire.say(position("TOOLATE"))
        hold.release()
        await wire.reply(message)
        assert not wire.gateway.connections[0].closed
        assert await started.ended() == 0, started.output
    assert wire.gateway.connections[0].client_code == 1000
    assert wire.world.replies_to(ignored) == []
    assert started.faults == [], started.output

    # The bot stored its finished work, and answers the messages when it is back and receives them.
    async with bot_process(wire, tmp_path):
        await wire.gateway.message_created(message)
        await wire.gateway.message_created(ignored)
        await wire.reply(ignored)
    assert len(wire.world.replies_to(message)) == 1


@pytest.mark.long
async def test_stopping_kills_a_long_read(wire: WireServer, tmp_path: Path) -> None:
    puzzles = "".join(
        f"[D]{number}\n{'8/' * 7}{number % 4 + 1}k{4 - number % 4}K1 w - - 0 {number + 1}\n"
        for number in range(9_000)
    )
    files = {f"{number}.txt": f"{puzzles}// {number}\n".encode() for number in range(10)}
    async with bot_process(wire, tmp_path) as started:
        message = await wire.say("many", files=files)
        await asyncio.sleep(3)  # until it reads, and not until it has read
        started.process.send_signal(signal.SIGTERM)
        assert await started.ended() == 0, started.output
    assert started.faults == [], started.output
    assert wire.world.replies_to(message) == []


async def test_a_stop_signal_during_the_login_ends_the_process(wire: WireServer, tmp_path: Path) -> None:
    hold = wire.faults.hold(ME)
    async with bot_process(wire, tmp_path, ready=False) as started:
        await asyncio.wait_for(hold.reached.wait(), 30)
        started.process.send_signal(signal.SIGTERM)
        assert await started.ended() == 0, started.output
        hold.release()
    assert started.faults == [], started.output
    assert wire.gateway.connections == []


async def test_stopping_works_while_the_gateway_refuses(wire: WireServer, tmp_path: Path) -> None:
    wire.faults.fail(CONNECT, status=503, times=100)
    async with bot_process(wire, tmp_path, ready=False, WIRE_DISCORD_PACE=FOR_EVER) as started:
        await started.printed("Failed to connect")
        started.process.send_signal(signal.SIGTERM)
        assert await started.ended() == 0, started.output


async def test_a_stop_signal_during_an_outage_ends_the_process(wire: WireServer, tmp_path: Path) -> None:
    async with bot_process(wire, tmp_path, WIRE_DISCORD_PACE=FOR_EVER) as started:
        fault = wire.faults.fail(CONNECT, status=503, times=100)
        await wire.gateway.drop()
        await wire.journal.until(lambda: fault.hits, "an attempt to reconnect")
        await started.printed("Attempting a reconnect")
        started.process.send_signal(signal.SIGTERM)
        assert await started.ended() == 0, started.output


async def test_a_restart_answers_no_message_twice(wire: WireServer, tmp_path: Path) -> None:
    async with bot_process(wire, tmp_path) as started:
        message = await wire.say(position())
        await wire.reply(message)
        started.process.kill()
        await started.ended()
    # discord.py's session was not closed: Discord keeps it for a while, and this one is another.
    async with bot_process(wire, tmp_path):
        await wire.gateway.message_created(message)
        await wire.reply(await wire.say(position("LASTLY")))
    assert len(wire.world.replies_to(message)) == 1


# The Procfile


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def test_health_is_local_and_a_lost_database_is_warned_of(wire: WireServer, tmp_path: Path) -> None:
    port = free_port()
    async with bot_process(wire, tmp_path, KIBITZ_WEB__PORT=str(port), DYNO="web.1") as started:
        assert "THE DATABASE WILL BE LOST: Heroku" in started.output
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()
        # Another address of this machine, which a process that listens on every one answers.
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.2", port)
        assert started.faults == [], started.output


async def test_the_procfile_runs_under_a_process_manager(wire: WireServer, tmp_path: Path) -> None:
    (tmp_path / "kibitz.sqlite3").unlink()
    # In a folder of its own, so that no settings file beside the sources is read.
    shutil.copy(ROOT / "Procfile", tmp_path)
    variables = environment(wire, tmp_path)
    variables["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), variables["PATH"]])
    honcho = ("-m", "honcho", "start", "--no-colour", "-p", str(free_port()))
    # Hosts run the release process to its end before they start the others.
    async with program(*honcho, "release", environment=variables, folder=tmp_path) as release:
        assert await release.ended(within=START) == 0, release.output
    assert "migrated from nothing to version" in release.output
    async with program(*honcho, "web", environment=variables, folder=tmp_path) as manager:
        await logged_in(wire, manager)
        await wire.reply(await wire.say(position()))
        manager.process.send_signal(signal.SIGTERM)
        await manager.ended()
    (connection,) = wire.gateway.connections
    await wire.journal.until(lambda: connection.closed, "the connection to close")
    assert connection.client_code == 1000, manager.output
    assert manager.faults == [], manager.output
