"""Tests that failed and missed messages are answered later and once: kills, errors in a row, lost sessions."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from bot.chat import outbox
from bot.features.showing.listening import catch_up
from bot.storage import database
from bot.storage.store import Store

from .faults import CREATE_MESSAGE, DOWNLOAD, Endpoint
from .kibitz import bot_process, kibitz, position, programs
from .test_outages import logged
from .world import StoredMessage, timestamp

if TYPE_CHECKING:
    from pathlib import Path

    from bot.chat.client import KibitzBot

    from .kibitz import Program
    from .server import WireServer

pytestmark = programs

CONNECT = Endpoint("GET", "/gateway")
HISTORY = Endpoint("GET", r"/channels/\d+/messages")


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retry what failed at once."""
    monkeypatch.setattr(outbox, "PAUSES", (0.0,))


def retry_often(bot: KibitzBot) -> None:
    cog = bot.get_cog("CatchUp")
    assert isinstance(cog, catch_up.CatchUp)
    cog._retry_task.cancel()
    cog._retry_task.seconds = 0.05
    cog._retry_task.start()


async def recorded(bot: KibitzBot, message: StoredMessage) -> tuple[int, ...]:
    """Wait until the answer to a message is recorded, and give its ids."""
    async with asyncio.timeout(20):
        while True:
            record = await bot.store.reply(message.id)
            if record is not None and record.recorded is not None:
                return record.reply_ids
            await asyncio.sleep(0.02)


# Errors in a row


@pytest.mark.parametrize(("status", "times"), [(500, 10), (502, 5), (503, 3)])
async def test_a_failed_answer_is_retried_once(
    wire: WireServer, eager: None, caplog: pytest.LogCaptureFixture, status: int, times: int
) -> None:
    fault = wire.faults.fail(CREATE_MESSAGE, status=status, times=times)
    async with kibitz(wire) as bot:
        retry_often(bot)
        message = await wire.say(position("LATER"))
        answer = await wire.reply(message, within=20)
        assert await recorded(bot, message) == (answer.id,)
        await wire.reply(await wire.say(position("AFTER")))
    assert fault.hits == times
    assert len(wire.world.replies_to(message)) == 1
    assert "will be retried" in caplog.text
    assert "fault " not in caplog.text.replace("fault: ", "")


async def test_a_sent_answer_without_acknowledgement_is_not_sent_again(wire: WireServer, eager: None) -> None:
    wire.faults.swallow(CREATE_MESSAGE)
    async with kibitz(wire) as bot:
        retry_often(bot)
        message = await wire.say(position("HEARD"))
        answer = await wire.reply(message)
        assert await recorded(bot, message) == (answer.id,)
        assert wire.count("POST", "/messages") == 1
        await wire.change(message, position("EDITED"))
        await wire.journal.until(lambda: answer.edits, "the answer to follow its message")


async def test_an_edit_and_a_deletion_that_failed_are_made_up_for(wire: WireServer, eager: None) -> None:
    answers = (
        Endpoint("PATCH", r"/channels/\d+/messages/\d+"),
        Endpoint("DELETE", r"/channels/\d+/messages/\d+"),
    )
    async with kibitz(wire) as bot:
        retry_often(bot)
        message = await wire.say(position("BEFORE"))
        answer = await wire.reply(message)
        wire.faults.fail(answers[0], times=5)
        await wire.change(message, position("AFTER"))
        await wire.journal.until(lambda: answer.edits, "the edit")
        assert "AFTER" in (answer.files[0].description or "")
        wire.faults.fail(answers[1], times=5)
        await wire.remove(message)
        await wire.journal.until(lambda: answer.deleted, "the deletion")


async def test_waiting_for_the_database_loses_no_message(
    wire: WireServer, eager: None, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with kibitz(wire) as bot:
        retry_often(bot)
        await wire.reply(await wire.say(position("QUIET")))
        monkeypatch.setattr(database, "QUEUE_SECONDS", 0.05)
        async with bot.store._database.writing():
            posted = [await wire.say(position(word)) for word in ("FIRST", "SECOND", "THIRD")]
            await logged(caplog, "too many tasks are waiting")
        monkeypatch.setattr(database, "QUEUE_SECONDS", 30.0)
        for message in posted:
            await wire.reply(message)
    assert "fault " not in caplog.text
    for message in posted:
        assert len(wire.world.replies_to(message)) == 1


# A session that is lost


async def test_messages_missed_by_a_lost_session_are_answered_once(wire: WireServer) -> None:
    async with kibitz(wire):
        first = await wire.say(position("FIRST"))
        answer = await wire.reply(first)
        posted = await wire.say(position("GONE"))
        left = await wire.reply(posted)
        talk = await wire.say("nothing to see")
        hold = wire.faults.hold(CONNECT)
        await wire.gateway.drop(resumable=False)
        await asyncio.wait_for(hold.reached.wait(), 10)
        first.content, first.edited = position("CHANGED"), wire.world.replies_to(first)[0].created
        missed = [await wire.say(position(word)) for word in ("MISSEDA", "MISSEDB")]
        chatter = await wire.say("is anybody there?")
        await wire.remove(posted)
        hold.release()
        for message in missed:
            await wire.reply(message, within=20)
        await wire.reply(await wire.say(position("LASTLY")))
        await wire.journal.until(lambda: left.deleted, "the answer to a message that is gone to go, too")
    for message in (first, *missed):
        assert len(wire.world.replies_to(message)) == 1
    for message in (talk, chatter):
        assert wire.world.replies_to(message) == []
    assert (
        len(
            [
                request
                for request in wire.requests
                if request.method == "GET" and request.path.endswith("/messages")
            ]
        )
        == 1
    )
    del answer


async def test_only_channels_with_answers_are_searched(
    wire: WireServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    async with kibitz(wire):
        await wire.say("hello")
        await wire.gateway.drop(resumable=False)
        await wire.gateway.ready()
        await logged(caplog, "looked back at 0 messages in 0 channels")
    assert not [
        request for request in wire.requests if request.method == "GET" and request.path.endswith("/messages")
    ]


# Kills


def let_time_pass(folder: Path) -> None:
    """End what the killed process held, as a minute would."""
    with closing(sqlite3.connect(folder / "kibitz.sqlite3")) as connection, connection:
        connection.execute("UPDATE replies SET held_until = '2026-01-01 00:00:00' WHERE recorded IS NULL")


async def killed(started: Program) -> None:
    started.process.kill()
    await started.ended()


async def test_killed_at_any_step_each_message_is_answered_once(wire: WireServer, tmp_path: Path) -> None:
    # Asked to stop: what was heard last is kept, and what is posted then is made up for.
    async with bot_process(wire, tmp_path) as started:
        before = await wire.say(position("BEFORE"))
        await wire.reply(before)
        started.process.terminate()
        assert await started.ended() == 0, started.output
    away = await wire.say(position("AWAY"))
    # Killed between claim and sending, and while it reads: Discord takes nothing.
    fault = wire.faults.fail(CREATE_MESSAGE, times=1)
    reading = wire.faults.hold(DOWNLOAD)
    async with bot_process(wire, tmp_path, WIRE_DISCORD_PACE="10000") as started:
        await wire.journal.until(lambda: fault.hits, "the answer to what was missed")
        file = await wire.say("look", files={"a.txt": position("READING").encode()})
        await asyncio.wait_for(reading.reached.wait(), 10)
        await killed(started)
    reading.release()
    assert wire.world.replies_to(away) == []
    let_time_pass(tmp_path)
    # Killed between sending and recording: Discord took it, and the response was lost.
    hold = wire.faults.hold(CREATE_MESSAGE, processed=True)
    async with bot_process(wire, tmp_path) as started:
        await asyncio.wait_for(hold.reached.wait(), 20)
        await killed(started)
    hold.release()
    assert any(wire.world.replies_to(item) for item in (away, file)), "the answer that nobody heard of"
    let_time_pass(tmp_path)
    async with bot_process(wire, tmp_path) as started:
        for message in (away, file):
            await wire.reply(message, within=20)
        last = await wire.say(position("LASTLY"))
        await wire.reply(last)
        started.process.terminate()
        assert await started.ended() == 0, started.output
        assert started.faults == [], started.output
    for message in (before, away, file, last):
        assert len(wire.world.replies_to(message)) == 1, message.content
    async with Store.open(f"sqlite:///{tmp_path}/kibitz.sqlite3") as store:
        assert await store.unsent_replies() == ()
        for message in (before, away, file, last):
            record = await store.reply(message.id)
            assert record is not None
            assert record.reply_ids == (wire.world.replies_to(message)[0].id,)


async def test_a_process_killed_early_misses_no_message(wire: WireServer, tmp_path: Path) -> None:
    async with bot_process(wire, tmp_path) as started:
        message = await wire.say(position("BEFORE"))
        answer = await wire.reply(message)
        async with Store.open(f"sqlite:///{tmp_path}/kibitz.sqlite3") as store, asyncio.timeout(20):
            while (record := await store.reply(message.id)) is None or record.recorded is None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        await killed(started)
    message.content, message.edited = position("AFTER"), timestamp()
    missed = await wire.say(position("MISSED"))
    async with bot_process(wire, tmp_path):
        await wire.reply(missed, within=20)
        await wire.journal.until(lambda: answer.edits, "the edit", within=20)
    assert "AFTER" in (answer.files[0].description or "")
    assert [len(wire.world.replies_to(item)) for item in (message, missed)] == [1, 1]


async def test_the_next_process_looks_back_if_the_last_was_stopped(wire: WireServer, tmp_path: Path) -> None:
    async with bot_process(wire, tmp_path) as started:
        await wire.reply(await wire.say(position("BEFORE")))
        started.process.terminate()
        await started.ended()
    # Ten minutes ago that process stopped, and five minutes ago a message was missed.
    minute = 60_000 << 22
    key = f"heard:{wire.world.bot.id}:0.1"
    async with Store.open(f"sqlite:///{tmp_path}/kibitz.sqlite3") as store:
        await store.set_meta(key, str(int(await store.meta(key) or 0) - 10 * minute))
    world = wire.world
    created = (datetime.now(UTC) - timedelta(minutes=5)).isoformat()
    missed = StoredMessage(
        world.ids.next() - 5 * minute, world.general, world.alice, position("MISSED"), created=created
    )
    world.messages[missed.id] = missed
    hold = wire.faults.hold(HISTORY)
    async with bot_process(wire, tmp_path) as started:
        await asyncio.wait_for(hold.reached.wait(), 20)
        await wire.reply(await wire.say(position("LATER")))
        started.process.terminate()
        await started.ended()
    hold.release()
    assert world.replies_to(missed) == []
    async with bot_process(wire, tmp_path):
        await wire.reply(missed, within=20)


async def test_a_claim_of_a_killed_process_is_answered_at_the_next_edit(
    wire: WireServer, tmp_path: Path
) -> None:
    fault = wire.faults.fail(CREATE_MESSAGE, times=1)
    async with bot_process(wire, tmp_path, WIRE_DISCORD_PACE="10000") as started:
        message = await wire.say(position("CLAIMED"))
        await wire.journal.until(lambda: fault.hits, "the claim")
        await killed(started)
    with closing(sqlite3.connect(tmp_path / "kibitz.sqlite3")) as connection, connection:
        # Too old to be looked for.
        connection.execute(
            "UPDATE replies SET held_until = '2026-01-01 00:00:00', claimed = '2026-11-01 00:00:00'"
        )
    async with kibitz(wire):
        await wire.change(message, position("EDITED"))
        answer = await wire.reply(message)
    assert "EDITED" in (answer.files[0].description or "")
    assert len(wire.world.replies_to(message)) == 1
