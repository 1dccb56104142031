"""While the database is locked or full, the bot sends what it can, and sends no reply twice. Afterwards, it recovers."""

from __future__ import annotations

import asyncio
import itertools
import logging
import sqlite3
from contextlib import AsyncExitStack, closing, contextmanager
from datetime import timedelta
from types import SimpleNamespace
from typing import Any
from unittest.mock import DEFAULT, AsyncMock

import pytest

from bot.chat import delivery
from bot.features.showing.listening import catch_up
from bot.storage import replies as reply_store
from bot.storage.database import Database
from bot.storage.errors import StoreError
from tests.positions import EMPTY_BOARD, MAVEN

from .actions import click, control, controls_of, make_old_message, replies, reply_of, text_of

SHORT_LOCK_TIMEOUT = timedelta(milliseconds=100)


@pytest.fixture(autouse=True)
def shorten_lock_timeouts(monkeypatch):
    open_database = Database.open
    monkeypatch.setattr(
        Database,
        "open",
        lambda address, statement_timeout, **options: open_database(
            address, statement_timeout=SHORT_LOCK_TIMEOUT, **options
        ),
    )
    monkeypatch.setattr(delivery, "RECORD_PAUSES", (0.01, 0.01))


@pytest.fixture
def lock_database(tmp_path):
    """Return a context manager that keeps the database locked, as another process would."""

    @contextmanager
    def lock():
        with closing(sqlite3.connect(tmp_path / "kibitz.sqlite3", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            yield
            other.execute("ROLLBACK")

    return lock


async def test_an_edit_retries_a_reply_that_a_locked_database_prevented(world, lock_database, caplog):
    with lock_database():
        source = await world.alice.send(world.channel, MAVEN)
        assert replies(world.channel) == []
    assert "another process has locked it" in caplog.text
    assert "fault " in caplog.text
    await world.alice.edit(source, f"{MAVEN} ?")
    [reply] = replies(world.channel)
    assert reply.attachments
    assert (await world.bot.store.reply(source.id)).reply_ids == (reply.id,)


@pytest.mark.parametrize("error", [asyncio.CancelledError, LookupError])
async def test_a_claim_that_cannot_be_released_does_not_hide_the_error(error):
    fail = AsyncMock(side_effect=StoreError("the disk is full"))
    bot: Any = SimpleNamespace(store=SimpleNamespace(set_reply_claim_duration=fail, release_reply_claim=fail))
    with pytest.raises(error):
        async with delivery.holding_claim(bot, 5, 1):
            raise error
    fail.assert_awaited_once()


@pytest.mark.parametrize("step", ["claim_reply", "record_reply"])
async def test_a_failed_database_step_is_retried(world, lock_database, monkeypatch, step):
    monkeypatch.setattr(delivery, "RETRY_PAUSES", (0.0,))
    monkeypatch.setattr(reply_store, "CLAIM_DURATION", timedelta(0))
    method = getattr(world.bot.store, step)

    async def run_while_locked(*arguments, **named):
        with lock_database():
            return await method(*arguments, **named)

    monkeypatch.setattr(world.bot.store, step, run_while_locked)
    source = await world.alice.send(world.channel, MAVEN)
    monkeypatch.setattr(world.bot.store, step, method)
    reply_count = len(replies(world.channel))
    assert reply_count == (step == "record_reply")
    for _ in range(2):  # the second round must not send another reply
        await world.bot.get_cog("CatchUp")._retry()
    [reply] = replies(world.channel)
    assert (await world.bot.store.reply(source.id)).reply_ids == (reply.id,)
    await world.alice.delete(source)
    assert replies(world.channel) == []


async def test_an_unstored_document_gets_a_reply_with_only_a_delete_button(
    world, lock_database, monkeypatch, caplog
):
    save_document = world.bot.store.save_document

    async def save_while_locked(*arguments, **named):
        with lock_database():
            await save_document(*arguments, **named)

    monkeypatch.setattr(world.bot.store, "save_document", save_while_locked)
    source = await world.alice.send(world.channel, MAVEN)
    [reply] = replies(world.channel)
    assert reply.attachments
    assert [component["custom_id"].split(":")[1] for component in controls_of(reply)] == ["delete"]
    assert (await world.bot.store.reply(source.id)).reply_ids == (reply.id,)
    assert "replying without controls" in caplog.text
    monkeypatch.undo()
    await world.alice.edit(source, f"{MAVEN} ?")
    [reply] = replies(world.channel)
    assert control(reply, "copy")


async def test_a_sent_reply_is_recorded_after_the_lock_is_released(world, lock_database, monkeypatch):
    record_reply, tries = world.bot.store.record_reply, []

    async def record_while_locked_once(*arguments):
        tries.append(arguments)
        if len(tries) == 1:
            with lock_database():
                await record_reply(*arguments)
        await record_reply(*arguments)

    monkeypatch.setattr(world.bot.store, "record_reply", record_while_locked_once)
    source = await world.alice.send(world.channel, MAVEN)
    [reply] = replies(world.channel)
    assert len(tries) == 2
    await world.alice.delete(source)
    assert reply.id not in {message.id for message in world.channel.history()}


async def test_a_reply_that_could_not_be_recorded_is_not_sent_twice(world, monkeypatch, caplog):
    disk_full = StoreError("the database can't be used: the disk is full")
    monkeypatch.setattr(world.bot.store, "record_reply", AsyncMock(side_effect=disk_full))
    source = await world.alice.send(world.channel, MAVEN)
    assert caplog.text.count("is not recorded yet") == len(delivery.RECORD_PAUSES)
    assert "fault " in caplog.text
    monkeypatch.undo()
    await world.alice.edit(source, f"{EMPTY_BOARD} ABC/ 1/2 0 lex X;")
    assert len(replies(world.channel)) == 1


@pytest.mark.parametrize("error_type", [LookupError, asyncio.CancelledError])
async def test_a_claim_that_cannot_be_given_up_does_not_hide_the_error(world, monkeypatch, error_type):
    disk_full = StoreError("the database can't be used: the disk is full")
    methods = [AsyncMock(side_effect=disk_full), AsyncMock(side_effect=disk_full)]
    for name, method in zip(("release_reply_claim", "set_reply_claim_duration"), methods, strict=True):
        monkeypatch.setattr(world.bot.store, name, method)
    with pytest.raises(error_type):
        async with delivery.holding_claim(world.bot, 1, 1):
            raise error_type
    assert sum(method.await_count for method in methods) == 1


@pytest.fixture
def fail_once(world, monkeypatch):
    """Return a function that makes the next call of one of the store's methods fail."""

    def fail_next_call(name):
        locked = StoreError("the database can't be used: another process has locked it")
        method = AsyncMock(
            side_effect=itertools.chain([locked], itertools.repeat(DEFAULT)),
            wraps=getattr(world.bot.store, name),
        )
        monkeypatch.setattr(world.bot.store, name, method)
        return method

    return fail_next_call


async def test_the_search_for_missed_messages_waits_for_the_store(world, monkeypatch, fail_once, caplog):
    cog, store = world.bot.get_cog("CatchUp"), world.bot.store
    source = await world.alice.send(world.channel, MAVEN)
    channels_with_recent_claims = fail_once("channels_with_recent_claims")
    monkeypatch.setattr(catch_up, "RETRY_SECONDS", 0.01)
    cog._unsearched_shards.add(0)
    world.bot.latest_message_ids[0] = source.id
    await cog._save_last_seen_ids()
    assert await store.meta(cog._meta_key(0)) != str(source.id)
    await cog._search_missed(0, source.id)
    assert "can't read channels with recent replies" in caplog.text
    assert channels_with_recent_claims.await_count == 2
    await cog._save_last_seen_ids()
    assert await store.meta(cog._meta_key(0)) == str(source.id)


async def test_a_failed_read_of_the_last_message_seen_is_retried(world, monkeypatch, fail_once, caplog):
    cog, store = world.bot.get_cog("CatchUp"), world.bot.store
    await store.set_meta(cog._meta_key(0), "123456")
    world.bot.latest_message_ids.pop(0, None)
    fail_once("meta")
    monkeypatch.setattr(catch_up, "RETRY_SECONDS", 0.01)
    assert await cog._find_last_seen_id(0) == 123456
    assert "can't read the last messages seen" in caplog.text
    assert await store.meta(cog._meta_key(0)) == "123456"


async def test_a_command_gets_a_reply_while_the_database_is_locked(world, lock_database, caplog):
    with lock_database(), caplog.at_level(logging.WARNING):
        result = await world.alice.slash(world.channel, "show", position=MAVEN)
    assert reply_of(result).attachments
    assert "replying without controls" in caplog.text


async def test_a_full_disk_removes_controls_until_space_is_free(world, caplog):
    database = world.bot.store._database

    async def limit_size(pages):
        # At this limit, SQLite raises the same error at the same point as on a full disk.
        async with AsyncExitStack() as stack:
            for _ in range(database.engine.pool.size()):
                connection = await stack.enter_async_context(database.reading())
                await connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")

    await limit_size(1)
    long_game = "\n".join(
        ["#player1 a Alice", "#player2 b Bob", *["#note " + "x" * 900] * 50, ">a: AEINRST 8D NASTIER +66 66"]
    )
    source = await world.alice.send(world.channel, "", attachments=[("game.gcg", long_game.encode())])
    assert "the disk is full" in caplog.text
    [reply] = replies(world.channel)
    assert [item for item in controls_of(reply) if "options" in item] == []
    await limit_size(100_000)
    await world.alice.edit(source, "with a word")
    [reply] = replies(world.channel)
    assert [item for item in controls_of(reply) if "options" in item]


@pytest.mark.parametrize(
    ("command", "options", "query"),
    [
        ("settings me", {"theme": "dark"}, "change_user_settings"),
        ("privacy show", {}, "count_user_data"),
        ("privacy delete", {}, "count_user_data"),
    ],
)
async def test_interactions_are_acknowledged_before_queries(world, monkeypatch, command, options, query):
    run_query, acknowledged = getattr(world.bot.store, query), []

    async def observe(*arguments):
        acknowledged.append(any(request.path.endswith("/callback") for request in world.env.http_requests))
        return await run_query(*arguments)

    monkeypatch.setattr(world.bot.store, query, observe)
    assert text_of((await world.alice.slash(world.channel, command, **options)).response)
    assert acknowledged == [True]


async def test_failed_writes_and_deletions_are_reported(world, lock_database):
    panel = (await world.alice.slash(world.channel, "settings me", layout="tall")).response
    make_old_message(world, panel, ("kibitz:choose:me:theme", "dark"))
    confirmation = (await world.alice.slash(world.channel, "privacy delete")).response
    with lock_database():
        command_result = await world.alice.slash(world.channel, "settings me", theme="dark")
        menu_result = await world.alice.select(panel, ["dark"], custom_id="kibitz:choose:me:theme")
        button_result = await click(world.alice, confirmation, label="Delete everything")
    for result in (command_result, menu_result, button_result):
        reply = reply_of(result)
        assert "Something went wrong in Kibitz" in text_of(reply)
        assert reply.ephemeral
    assert world.env.errors == []
    stored_settings = await world.bot.store.user_settings(world.alice.id)
    assert (stored_settings.theme, stored_settings.layout) == (None, "tall"), (
        "a failed change was partly stored"
    )
    await world.alice.select(panel, ["dark"], custom_id="kibitz:choose:me:theme")
    assert (await world.bot.store.user_settings(world.alice.id)).theme == "dark"
    await click(world.alice, confirmation, label="Delete everything")
    assert (await world.bot.store.user_settings(world.alice.id)).theme is None
