"""Discord does not do its part: late acknowledgements, failed edits and deletions, a gateway that is away. And how one sees it."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import TYPE_CHECKING

import aiohttp
import pytest

from bot.storage.store import Store

from .faults import DELETE_MESSAGE, EDIT_MESSAGE, FOLLOWUP, Endpoint
from .kibitz import bot_process, kibitz, position, programs
from .posting import every_component

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Serve
    from .interactions import Interaction
    from .kibitz import Program
    from .server import WireServer

pytestmark = programs

CONNECT = Endpoint("GET", "/gateway")
FILL_IN = Endpoint("PATCH", r"/webhooks/\d+/[^/]+/messages/@original")


async def logged(caplog: pytest.LogCaptureFixture, part: str) -> None:
    """Wait until the log holds `part`."""
    for _ in range(1000):
        if part in caplog.text:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"{part!r} was never logged")


async def show(wire: WireServer, word: str) -> Interaction:
    """Ask for a position by command."""
    option = {"name": "position", "type": 3, "value": position(word)}
    return await wire.interactions.command("show", option, channel=wire.world.direct)


# Interactions that are over


async def test_a_late_acknowledgement_is_no_error(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    wire = await serve(interaction_deadline=0.0)
    async with kibitz(wire):
        interaction = await show(wire, "LATE")
        await logged(caplog, f"interaction {interaction.id} expired before it was answered")
        wire.interactions.deadline = 10.0
        await wire.interactions.answered(await show(wire, "SOON"))
    assert "fault " not in caplog.text
    assert interaction.original is None
    assert interaction.followups == []


async def test_an_answer_after_the_token_has_expired_is_no_fault(
    wire: WireServer, caplog: pytest.LogCaptureFixture
) -> None:
    unknown = {"message": "Unknown Webhook", "code": 10015}
    wire.faults.fail(FOLLOWUP, status=404, body=unknown)
    async with kibitz(wire):
        interaction = await show(wire, "LATE")
        await logged(caplog, f"interaction {interaction.id} expired before it was answered")
        await wire.interactions.answered(await show(wire, "SOON"))
    assert "fault " not in caplog.text
    assert interaction.original is None


# Edits and deletions


@pytest.mark.parametrize("status", [500, 502])
async def test_an_edit_that_fails_is_tried_again(wire: WireServer, status: int) -> None:
    async with kibitz(wire):
        message = await wire.say(position("BEFORE"))
        answer = await wire.reply(message)
        wire.faults.fail(EDIT_MESSAGE, status=status, times=2)
        await wire.change(message, position("AFTER"))
        await wire.journal.until(lambda: answer.edits, "the edit")
    assert "AFTER" in (answer.files[0].description or "")
    assert len(wire.world.replies_to(message)) == 1


async def test_a_failed_edit_leaves_the_answer_intact(
    wire: WireServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with kibitz(wire):
        message = await wire.say(position("BEFORE"))
        answer = await wire.reply(message)
        wire.faults.fail(EDIT_MESSAGE, status=500, times=5)
        await wire.change(message, position("MEANTIME"))
        await logged(caplog, f"following the edit of message {message.id} failed")
        assert "BEFORE" in (answer.files[0].description or "")
        await wire.change(message, position("AFTER"))
        await wire.journal.until(lambda: answer.edits, "the edit")
    assert "AFTER" in (answer.files[0].description or "")
    assert len(wire.world.replies_to(message)) == 1


async def test_a_deletion_that_fails_is_tried_again(wire: WireServer, tmp_path: Path) -> None:
    async with kibitz(wire):
        message = await wire.say(position("GOING"))
        answer = await wire.reply(message)
        wire.faults.fail(DELETE_MESSAGE, status=502, times=2)
        await wire.remove(message)
        await wire.journal.until(lambda: answer.deleted, "the deletion")
    # Closing has waited for what was in hand.
    async with Store.open(f"sqlite:///{tmp_path}/kibitz.sqlite3") as store:
        assert await store.reply(message.id) is None


async def test_a_deletion_that_fails_for_good_is_not_forgotten(
    wire: WireServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with kibitz(wire) as bot:
        message = await wire.say(position("STAYING"))
        answer = await wire.reply(message)
        wire.faults.fail(DELETE_MESSAGE, status=500, times=5)
        await wire.remove(message)
        await logged(caplog, f"following the deletion of message {message.id} failed")
        record = await bot.store.reply(message.id)
        assert record is not None
        assert record.reply_ids == (answer.id,)


# How an operator sees it


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def asked_of(port: int, path: str) -> tuple[int, str]:
    """Ask the process for a page and give status and text."""
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{port}{path}") as response,
    ):
        return response.status, await response.text()


async def until_ready_is(port: int, wanted: int) -> str:
    """Wait until `/readyz` answers with a status, and give its text."""
    async with asyncio.timeout(20):
        while True:
            status, text = await asked_of(port, "/readyz")
            if status == wanted:
                return text
            await asyncio.sleep(0.02)


def log_of(started: Program) -> list[dict[str, object]]:
    """Read the process's log; every line must be one JSON object."""
    return [json.loads(line) for line in started.lines]


async def test_the_process_reports_health_and_metrics(wire: WireServer, tmp_path: Path) -> None:
    port = free_port()
    async with bot_process(wire, tmp_path, PORT=str(port)) as started:
        assert await until_ready_is(port, 200) == "gateway: ok\nstore: ok\n"
        answer = await wire.reply(await wire.say(f"look at {position('COUNTED')}"))
        await wire.reply(await wire.say(f"again {position('COUNTED')}"))
        (copy,) = [
            part
            for part in every_component(answer.components)
            if part.get("custom_id", "").startswith("kibitz:copy:")
        ]
        pressed = await wire.interactions.press(answer, copy["custom_id"])
        await wire.interactions.answered(pressed)
        _, metrics = await asked_of(port, "/metrics")

        hold = wire.faults.hold(CONNECT)
        await wire.gateway.drop()
        assert await until_ready_is(port, 503) == "gateway: 1 of 1 shards not connected\nstore: ok\n"
        assert await asked_of(port, "/healthz") == (200, "ok\n")
        hold.release()
        await until_ready_is(port, 200)
        started.process.terminate()
        assert await started.ended() == 0, started.output

    for line in (
        "kibitz_messages_seen_total 4.0",  # its own answers are also announced
        'kibitz_detections_total{format="cgp",readable="true"} 2.0',
        'kibitz_replies_total{kind="message"} 2.0',
        'kibitz_replies_total{kind="control"} 1.0',
        'kibitz_pictures_total{result="hit"} 1.0',
        'kibitz_stage_seconds_count{stage="send"} 3.0',
        "kibitz_guilds 1.0",
        'kibitz_waiting{for="worker"} 0.0',
    ):
        assert f"\n{line}\n" in metrics, metrics
    lines = log_of(started)
    assert {"time", "level", "logger", "message"} <= set.intersection(*(set(line) for line in lines))
    assert "stopping" in [line["message"] for line in lines]
    assert {str(line["logger"]).split(".")[0] for line in lines} >= {"bot", "discord"}
    for secret in ("COUNTED", "look at", wire.token, pressed.token):
        assert secret not in started.output


async def test_an_error_is_one_log_line_without_user_text(wire: WireServer, tmp_path: Path) -> None:
    async with bot_process(wire, tmp_path) as started:
        await wire.reply(await wire.say(position("FIRST")))
        # Another process has put something else in the place of a table.
        broken = await asyncio.create_subprocess_exec(
            "python3",
            "-c",
            "import sqlite3; c = sqlite3.connect('kibitz.sqlite3');"
            " c.execute('DROP TABLE reply_messages'); c.execute('DROP TABLE replies'); c.commit()",
            cwd=tmp_path,
        )
        assert await broken.wait() == 0
        message = await wire.say(position("SECOND"))
        await started.printed("fault ")
        started.process.terminate()
        await started.ended()
    (line,) = [line for line in log_of(started) if line["level"] == "error"]
    assert str(line["reference"]) in str(line["message"])
    assert line["message_id"] == message.id
    assert line["exception"][0]["type"] == "bot.storage.errors.StoreError"  # type: ignore[index]
    assert "SECOND" not in started.output
