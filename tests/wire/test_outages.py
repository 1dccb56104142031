"""Outages of Discord, such as failed edits and a lost gateway, and what health checks and the log report about them."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import aiohttp
import pytest

from bot.storage.store import Store
from tests.waiting import until

from .faults import CONNECT, DELETE_MESSAGE, EDIT_MESSAGE, FOLLOWUP
from .kibitz import bot_process, free_port, kibitz, position, until_log_contains, uses_programs
from .message_bodies import control_id

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Serve
    from .interactions import Interaction
    from .kibitz import Program
    from .server import WireServer

pytestmark = uses_programs


async def show(wire: WireServer, word: str) -> Interaction:
    return await wire.interactions.command("show", position=position(word), channel=wire.world.direct)


# Expired interactions


async def test_a_late_acknowledgement_causes_no_error(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    wire = await serve(interaction_deadline=0.0)
    async with kibitz(wire):
        interaction = await show(wire, "LATE")
        await until_log_contains(caplog, f"interaction {interaction.id} expired before the reply")
        wire.interactions.deadline = 10.0
        await wire.interactions.until_replied(await show(wire, "SOON"))
    assert "fault " not in caplog.text
    assert interaction.original is None
    assert interaction.followups == []


async def test_a_reply_after_the_token_has_expired_causes_no_error(
    wire: WireServer, caplog: pytest.LogCaptureFixture
) -> None:
    unknown = {"message": "Unknown Webhook", "code": 10015}
    wire.faults.fail(FOLLOWUP, status=404, body=unknown)
    async with kibitz(wire):
        interaction = await show(wire, "LATE")
        await until_log_contains(caplog, f"interaction {interaction.id} expired before the reply")
        await wire.interactions.until_replied(await show(wire, "SOON"))
    assert "fault " not in caplog.text
    assert interaction.original is None


# Edits and deletions


@pytest.mark.parametrize("status", [500, 502])
async def test_a_failed_edit_is_retried(wire: WireServer, status: int) -> None:
    async with kibitz(wire):
        message = await wire.post(position("BEFORE"))
        reply = await wire.wait_for_reply(message)
        wire.faults.fail(EDIT_MESSAGE, status=status, times=2)
        await wire.change(message, position("AFTER"))
        await wire.journal.until(lambda: reply.edit_count, "the edit")
    assert "AFTER" in (reply.files[0].description or "")
    assert len(wire.world.replies_to(message)) == 1


async def test_a_failed_edit_leaves_the_reply_intact(
    wire: WireServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with kibitz(wire):
        message = await wire.post(position("BEFORE"))
        reply = await wire.wait_for_reply(message)
        wire.faults.fail(EDIT_MESSAGE, status=500, times=5)
        await wire.change(message, position("MEANTIME"))
        await until_log_contains(caplog, f"handling the edit of message {message.id} failed")
        assert "BEFORE" in (reply.files[0].description or "")
        await wire.change(message, position("AFTER"))
        await wire.journal.until(lambda: reply.edit_count, "the edit")
    assert "AFTER" in (reply.files[0].description or "")
    assert len(wire.world.replies_to(message)) == 1


async def test_a_failed_deletion_is_retried(wire: WireServer, tmp_path: Path) -> None:
    async with kibitz(wire):
        message = await wire.post(position("GOING"))
        reply = await wire.wait_for_reply(message)
        wire.faults.fail(DELETE_MESSAGE, status=502, times=2)
        await wire.remove(message)
        await wire.journal.until(lambda: reply.deleted, "the deletion")
    # The bot finished the deletion before it closed.
    async with Store.open(f"sqlite:///{tmp_path}/kibitz.sqlite3") as store:
        assert await store.reply(message.id) is None


async def test_a_reply_out_of_reach_is_forgotten_with_its_message(
    wire: WireServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    async with kibitz(wire):
        message = await wire.post(position("HIDDEN"))
        await wire.wait_for_reply(message)
        wire.faults.fail(DELETE_MESSAGE, status=403)
        await wire.remove(message)
        await until_log_contains(caplog, f"the reply to message {message.id} is gone or out of reach")
    async with Store.open(f"sqlite:///{tmp_path}/kibitz.sqlite3") as store:
        assert await store.reply(message.id) is None


async def test_a_deletion_that_fails_for_good_keeps_the_record_of_the_reply(
    wire: WireServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with kibitz(wire) as bot:
        message = await wire.post(position("STAYING"))
        reply = await wire.wait_for_reply(message)
        wire.faults.fail(DELETE_MESSAGE, status=500, times=5)
        await wire.remove(message)
        await until_log_contains(caplog, f"handling the deletion of message {message.id} failed")
        record = await bot.store.reply(message.id)
        assert record is not None
        assert record.reply_ids == (reply.id,)


# What a host sees


async def fetch(port: int, path: str) -> tuple[int, str]:
    """Request a page from the bot's web server. Return the status and the text."""
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{port}{path}") as response,
    ):
        return response.status, await response.text()


async def until_readyz(port: int, wanted: int) -> str:
    """Wait until `/readyz` has the status `wanted`. Return its text."""
    async with asyncio.timeout(20):
        while True:
            status, text = await fetch(port, "/readyz")
            if status == wanted:
                return text
            await asyncio.sleep(0.02)


def log_entries(program: Program) -> list[dict[str, object]]:
    """Return the entries of a program's log. Each line must be a JSON object."""
    return [json.loads(line) for line in program.lines]


async def test_the_process_reports_health_and_metrics(wire: WireServer, tmp_path: Path) -> None:
    port = free_port()
    async with bot_process(wire, tmp_path, PORT=str(port)) as program:
        assert await until_readyz(port, 200) == "gateway: ok\nstore: ok\n"
        reply = await wire.wait_for_reply(await wire.post(f"look at {position('COUNTED')}"))
        await wire.wait_for_reply(await wire.post(f"again {position('COUNTED')}"))
        pressed = await wire.interactions.press(reply, control_id(reply, "copy:"))
        await wire.interactions.until_replied(pressed)
        _, metrics = await fetch(port, "/metrics")

        hold = wire.faults.hold(CONNECT)
        await wire.gateway.drop()
        assert await until_readyz(port, 503) == "gateway: 1 of 1 shards not connected\nstore: ok\n"
        assert await fetch(port, "/healthz") == (200, "ok\n")
        hold.release()
        await until_readyz(port, 200)
        await program.stop()

    for line in (
        "kibitz_messages_seen_total 4.0",  # two messages, and the bot's two replies
        'kibitz_detections_total{format="cgp",readable="true"} 2.0',
        'kibitz_replies_total{kind="message"} 2.0',
        'kibitz_replies_total{kind="control"} 1.0',
        'kibitz_pictures_total{result="hit"} 1.0',
        'kibitz_stage_seconds_count{stage="send"} 3.0',
        "kibitz_guilds 1.0",
        'kibitz_waiting{for="worker"} 0.0',
    ):
        assert f"\n{line}\n" in metrics, metrics
    entries = log_entries(program)
    assert {"time", "level", "logger", "message"} <= set.intersection(*(set(entry) for entry in entries))
    assert "stopping" in [entry["message"] for entry in entries]
    assert {str(entry["logger"]).split(".")[0] for entry in entries} >= {"bot", "discord"}
    for secret in ("COUNTED", "look at", wire.token, pressed.token):
        assert secret not in program.output


async def test_an_error_is_logged_on_one_line_without_user_text(wire: WireServer, tmp_path: Path) -> None:
    async with bot_process(wire, tmp_path) as program:
        await wire.wait_for_reply(await wire.post(position("FIRST")))

        def is_recorded() -> bool:
            with closing(sqlite3.connect(tmp_path / "kibitz.sqlite3")) as database:
                return bool(database.execute("SELECT * FROM replies WHERE recorded IS NOT NULL").fetchall())

        await until(is_recorded)
        # Another process deletes two tables.
        other_process = await asyncio.create_subprocess_exec(
            "python3",
            "-c",
            "import sqlite3; c = sqlite3.connect('kibitz.sqlite3');"
            " c.execute('DROP TABLE reply_messages'); c.execute('DROP TABLE replies'); c.commit()",
            cwd=tmp_path,
        )
        assert await other_process.wait() == 0
        message = await wire.post(position("SECOND"))
        await program.until_printed("fault ")
        program.process.terminate()
        await program.until_ended()
    (entry,) = [entry for entry in log_entries(program) if entry["level"] == "error"]
    assert str(entry["reference"]) in str(entry["message"])
    assert entry["message_id"] == message.id
    assert entry["exception"][0]["type"] == "bot.storage.errors.StoreError"  # type: ignore[index]
    assert "SECOND" not in program.output
