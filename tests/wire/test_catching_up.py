"""After errors, lost sessions and kills, the bot replies exactly once to each message that it missed or failed to reply to."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from bot.chat import delivery
from bot.features.showing.listening import catch_up
from bot.storage import database
from bot.storage.store import Store
from tests.waiting import until

from .faults import CONNECT, CREATE_MESSAGE, DELETE_MESSAGE, DOWNLOAD, EDIT_MESSAGE, Endpoint
from .kibitz import bot_process, kibitz, position, until_log_contains, uses_programs
from .world import StoredMessage, timestamp

if TYPE_CHECKING:
    from pathlib import Path

    from bot.chat.client import KibitzBot

    from .server import WireServer

pytestmark = uses_programs

HISTORY = Endpoint("GET", r"/channels/\d+/messages")


@pytest.fixture
def immediate_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivery, "RETRY_PAUSES", (0.0,))


def retry_often(bot: KibitzBot) -> None:
    cog = bot.get_cog("CatchUp")
    assert isinstance(cog, catch_up.CatchUp)
    cog._retry_task.cancel()
    cog._retry_task.seconds = 0.05
    cog._retry_task.start()


async def until_recorded(bot: KibitzBot, message: StoredMessage) -> tuple[int, ...]:
    """Wait until the reply to a message is recorded, and return the ids of the reply's messages."""
    async with asyncio.timeout(20):
        while True:
            record = await bot.store.reply(message.id)
            if record is not None and record.recorded_at is not None:
                return record.reply_ids
            await asyncio.sleep(0.02)


# Repeated errors


@pytest.mark.parametrize(("status", "times"), [(500, 10), (502, 5), (503, 3)])
async def test_a_failed_reply_is_retried_until_it_is_sent(
    wire: WireServer, immediate_retries: None, caplog: pytest.LogCaptureFixture, status: int, times: int
) -> None:
    fault = wire.faults.fail(CREATE_MESSAGE, status=status, times=times)
    async with kibitz(wire) as bot:
        retry_often(bot)
        message = await wire.post(position("LATER"))
        reply = await wire.wait_for_reply(message)
        assert await until_recorded(bot, message) == (reply.id,)
        await wire.wait_for_reply(await wire.post(position("AFTER")))
    assert fault.hits == times
    assert len(wire.world.replies_to(message)) == 1
    assert "will be retried" in caplog.text
    assert "fault " not in caplog.text


async def test_an_unacknowledged_reply_is_not_sent_again(wire: WireServer, immediate_retries: None) -> None:
    wire.faults.drop_response(CREATE_MESSAGE)
    async with kibitz(wire) as bot:
        retry_often(bot)
        message = await wire.post(position("HEARD"))
        reply = await wire.wait_for_reply(message)
        assert await until_recorded(bot, message) == (reply.id,)
        assert wire.request_count("POST", "/messages") == 1
        await wire.change(message, position("EDITED"))
        await wire.journal.until(lambda: reply.edit_count, "the edit of the reply")


async def test_a_failed_edit_and_a_failed_deletion_are_retried(
    wire: WireServer, immediate_retries: None
) -> None:
    async with kibitz(wire) as bot:
        retry_often(bot)
        message = await wire.post(position("BEFORE"))
        reply = await wire.wait_for_reply(message)
        wire.faults.fail(EDIT_MESSAGE, times=5)
        await wire.change(message, position("AFTER"))
        await wire.journal.until(lambda: reply.edit_count, "the edit")
        assert "AFTER" in (reply.files[0].description or "")
        wire.faults.fail(DELETE_MESSAGE, times=5)
        await wire.remove(message)
        await wire.journal.until(lambda: reply.deleted, "the deletion")


async def test_waiting_for_the_database_loses_no_messages(
    wire: WireServer,
    immediate_retries: None,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with kibitz(wire) as bot:
        retry_often(bot)
        await until_recorded(bot, await wire.post(position("QUIET")))
        monkeypatch.setattr(database, "MAX_QUEUE_SECONDS", 0.05)
        async with bot.store._database.writing():
            posted = [await wire.post(position(word)) for word in ("FIRST", "SECOND", "THIRD")]
            await until_log_contains(caplog, "too many tasks are waiting")
        monkeypatch.setattr(database, "MAX_QUEUE_SECONDS", 30.0)
        for message in posted:
            await wire.wait_for_reply(message)
    assert "fault " not in caplog.text
    for message in posted:
        assert len(wire.world.replies_to(message)) == 1


# Lost sessions


async def test_messages_missed_by_a_lost_session_get_one_reply(wire: WireServer) -> None:
    async with kibitz(wire):
        first = await wire.post(position("FIRST"))
        await wire.wait_for_reply(first)
        deleted = await wire.post(position("GONE"))
        reply_to_deleted = await wire.wait_for_reply(deleted)
        ordinary = await wire.post("nothing to see")
        hold = wire.faults.hold(CONNECT)
        await wire.gateway.drop(resumable=False)
        await asyncio.wait_for(hold.reached.wait(), 10)
        first.content, first.edited_at = position("CHANGED"), wire.world.replies_to(first)[0].created_at
        missed = [await wire.post(position(word)) for word in ("MISSEDA", "MISSEDB")]
        chatter = await wire.post("is anybody there?")
        await wire.remove(deleted)
        hold.release()
        for message in missed:
            await wire.wait_for_reply(message)
        await wire.wait_for_reply(await wire.post(position("LASTLY")))
        await wire.journal.until(
            lambda: reply_to_deleted.deleted, "the deletion of the reply to a deleted message"
        )
    for message in (first, *missed):
        assert len(wire.world.replies_to(message)) == 1
    for message in (ordinary, chatter):
        assert wire.world.replies_to(message) == []
    assert wire.request_count("GET", "/messages") == 1


async def test_channels_without_replies_are_not_searched(
    wire: WireServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    async with kibitz(wire) as bot:
        await bot.wait_until_ready()
        seen = asyncio.create_task(bot.wait_for("message"))
        await wire.post("hello")
        await asyncio.wait_for(seen, 10)
        await wire.gateway.drop(resumable=False)
        await wire.gateway.wait_until_ready()
        await until_log_contains(caplog, "searched 0 messages in 0 channels")
    assert wire.request_count("GET", "/messages") == 0


# Kills


def expire_claims(folder: Path) -> None:
    """Make the claims of a killed process expire."""
    with closing(sqlite3.connect(folder / "kibitz.sqlite3")) as connection, connection:
        connection.execute("UPDATE replies SET held_until = '2026-01-01 00:00:00' WHERE recorded IS NULL")


async def test_a_kill_at_any_step_leaves_each_message_with_one_reply(
    wire: WireServer, tmp_path: Path
) -> None:
    # The first process is stopped after it has stored the id of the last message. Later processes search for messages after it.
    async with bot_process(wire, tmp_path) as program:
        before = await wire.post(position("BEFORE"))
        await wire.wait_for_reply(before)
        await program.stop()
    missed = await wire.post(position("AWAY"))
    # The second process is killed while it reads a file, after it has claimed another message.
    fault = wire.faults.fail(CREATE_MESSAGE, times=1)
    reading = wire.faults.hold(DOWNLOAD)
    async with bot_process(wire, tmp_path, WIRE_DISCORD_DELAY_FACTOR="10000") as program:
        await wire.journal.until(lambda: fault.hits, "the reply to the missed message")
        claimed = await wire.post("look", files={"a.txt": position("READING").encode()})
        await asyncio.wait_for(reading.reached.wait(), 10)
        await program.kill()
    reading.release()
    assert wire.world.replies_to(missed) == []
    expire_claims(tmp_path)
    # The third process is killed after Discord has accepted a reply, and before the process has recorded the reply.
    hold = wire.faults.hold(CREATE_MESSAGE, process_first=True)
    async with bot_process(wire, tmp_path) as program:
        await asyncio.wait_for(hold.reached.wait(), 20)
        await program.kill()
    hold.release()
    assert any(wire.world.replies_to(message) for message in (missed, claimed)), (
        "the unrecorded reply is missing"
    )
    expire_claims(tmp_path)
    async with bot_process(wire, tmp_path) as program:
        for message in (missed, claimed):
            await wire.wait_for_reply(message)
        last = await wire.post(position("LASTLY"))
        await wire.wait_for_reply(last)
        await program.stop()
    for message in (before, missed, claimed, last):
        assert len(wire.world.replies_to(message)) == 1, message.content
    async with Store.open(f"sqlite:///{tmp_path}/kibitz.sqlite3") as store:
        assert await store.unrecorded_replies() == ()
        for message in (before, missed, claimed, last):
            record = await store.reply(message.id)
            assert record is not None
            assert record.reply_ids == (wire.world.replies_to(message)[0].id,)


async def test_a_restart_after_an_early_kill_misses_no_message(wire: WireServer, tmp_path: Path) -> None:
    async with bot_process(wire, tmp_path) as program:
        message = await wire.post(position("BEFORE"))
        reply = await wire.wait_for_reply(message)
        async with Store.open(f"sqlite:///{tmp_path}/kibitz.sqlite3") as store:

            async def is_recorded() -> bool:
                record = await store.reply(message.id)
                return record is not None and record.recorded_at is not None

            await until(is_recorded)
        await program.kill()
    message.content, message.edited_at = position("AFTER"), timestamp()
    missed = await wire.post(position("MISSED"))
    async with bot_process(wire, tmp_path):
        await wire.wait_for_reply(missed)
        await wire.journal.until(lambda: reply.edit_count, "the edit")
    assert "AFTER" in (reply.files[0].description or "")
    assert [len(wire.world.replies_to(posted)) for posted in (message, missed)] == [1, 1]


async def test_a_search_for_missed_messages_is_repeated_if_it_was_stopped(
    wire: WireServer, tmp_path: Path
) -> None:
    async with bot_process(wire, tmp_path) as program:
        await wire.wait_for_reply(await wire.post(position("BEFORE")))
        await program.stop()
    # Pretend that the process stopped ten minutes ago, and missed a message five minutes ago.
    minute = 60_000 << 22  # in message ids
    key = f"heard:{wire.world.bot.id}:0.1"
    async with Store.open(f"sqlite:///{tmp_path}/kibitz.sqlite3") as store:
        await store.set_meta(key, str(int(await store.meta(key) or 0) - 10 * minute))
    world = wire.world
    created = (datetime.now(UTC) - timedelta(minutes=5)).isoformat()
    missed = StoredMessage(
        world.ids.next() - 5 * minute, world.general, world.alice, position("MISSED"), created_at=created
    )
    world.messages[missed.id] = missed
    hold = wire.faults.hold(HISTORY)
    async with bot_process(wire, tmp_path) as program:
        await asyncio.wait_for(hold.reached.wait(), 20)
        await wire.wait_for_reply(await wire.post(position("LATER")))
        await program.stop()
    hold.release()
    assert world.replies_to(missed) == []
    async with bot_process(wire, tmp_path):
        await wire.wait_for_reply(missed)


async def test_a_message_claimed_by_a_killed_process_gets_a_reply_when_edited(
    wire: WireServer, tmp_path: Path
) -> None:
    fault = wire.faults.fail(CREATE_MESSAGE, times=1)
    async with bot_process(wire, tmp_path, WIRE_DISCORD_DELAY_FACTOR="10000") as program:
        message = await wire.post(position("CLAIMED"))
        await wire.journal.until(lambda: fault.hits, "the claim")
        await program.kill()
    with closing(sqlite3.connect(tmp_path / "kibitz.sqlite3")) as connection, connection:
        # The bot does not look for messages whose claims are this old.
        connection.execute(
            "UPDATE replies SET held_until = '2026-01-01 00:00:00', claimed = datetime('now', '-1 day')"
        )
    async with kibitz(wire):
        await wire.change(message, position("EDITED"))
        reply = await wire.wait_for_reply(message)
    assert "EDITED" in (reply.files[0].description or "")
    assert len(wire.world.replies_to(message)) == 1
