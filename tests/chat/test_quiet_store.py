"""Messages without a position cause no database query."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from sqlalchemy import event

from bot.chat import interrupted
from bot.chat.known_messages import KnownMessages
from bot.chat.preferences import Mode
from bot.features.showing.listening import catch_up
from tests.positions import MAVEN

from .actions import replies, replies_with_files


@pytest.fixture(autouse=True)
def disable_background_queries(monkeypatch):
    monkeypatch.setattr(catch_up, "REFRESH_SECONDS", 3600.0)
    monkeypatch.setattr(interrupted, "CHECK_SECONDS", 3600.0)


@pytest.fixture
def world(world):
    """Let the bot know that it hasn't added any reaction.

    Otherwise, it would look in the store, because SimCord's clock is behind and messages look older than the session.
    """
    world.bot.messages_with_reaction = KnownMessages(0)
    return world


@contextmanager
def recording_queries(bot):
    """Yield a list that collects the statements and transactions that reach the database."""
    engine = bot.store._database.engine.sync_engine
    queries = []

    def record_statement(connection, cursor, text, *_):
        queries.append(text)

    def record_transaction(connection):
        queries.append("a transaction")

    event.listen(engine, "before_cursor_execute", record_statement)
    event.listen(engine, "begin", record_transaction)
    try:
        yield queries
    finally:
        event.remove(engine, "before_cursor_execute", record_statement)
        event.remove(engine, "begin", record_transaction)


async def test_chat_needs_no_query(world):
    with recording_queries(world.bot) as queries:
        for number in range(5):
            chat = await world.alice.send(world.channel, f"see you at {number}/7, row 8?")
            await world.bob.react(chat, "👍")
            await world.bob.react(chat, "🔍")
            await world.alice.edit(chat, f"see you at {number}/8")
            await world.alice.edit(chat, f"see you at {number}/8!")
            await world.alice.delete(chat)
        picture = await world.alice.send(world.channel, "look", attachments=[("cat.png", b"\x89PNG\r\n")])
        await world.alice.delete(picture)
        await world.alice.send_dm("hello")
    assert queries == []
    # Check that queries are recorded.
    with recording_queries(world.bot) as queries:
        await world.alice.send(world.channel, MAVEN)
    assert queries


async def test_a_second_position_queries_no_settings(world):
    source = await world.alice.send(world.channel, MAVEN)
    [reply] = replies(world.channel)
    with recording_queries(world.bot) as queries:
        await world.alice.send(world.channel, MAVEN.replace("0/0 0", "1/0 0"))
    assert not [text for text in queries if "settings" in text or "channel_modes" in text]
    await world.alice.edit(source, MAVEN.replace("0/0 0", "2/0 0"))
    await world.alice.delete(source)
    assert reply.id not in {message.id for message in world.channel.history()}


async def test_the_ids_of_all_messages_with_a_reply_are_loaded(world, monkeypatch):
    """The replies may be from before a restart, or from other processes."""
    monkeypatch.setattr(catch_up, "REPLIES_PER_PAGE", 2)
    monkeypatch.setattr(catch_up, "PAGE_PAUSE", 0.0)
    store, known_messages = world.bot.store, world.bot.messages_with_reply
    old_ids = [1_000 + number for number in range(7)]
    for source_id in old_ids:
        await store.claim_reply(source_id, channel_id=1, guild_id=None, author_id=1)
    assert not known_messages.may_contain(old_ids[0]), (
        "the replies of other processes were known before they were loaded"
    )
    cog = world.bot.get_cog("MessagesWithReply")
    await cog.refresh()
    assert [known_messages.may_contain(source_id) for source_id in old_ids[-2:]] == [True, True]
    new_cog = catch_up.MessagesWithReply(world.bot)
    world.bot.messages_with_reply = type(known_messages)()
    assert world.bot.messages_with_reply.may_contain(5), (
        "a new set ruled out a message before any ids were loaded"
    )
    assert await new_cog._read_page()
    assert world.bot.messages_with_reply.complete_from_id == old_ids[-2]
    await new_cog._read_all()
    assert all(world.bot.messages_with_reply.may_contain(source_id) for source_id in old_ids)
    assert len(world.bot.messages_with_reply) == len(old_ids)
    assert not world.bot.messages_with_reply.may_contain(999)


async def test_a_magnifying_glass_on_chat_needs_no_query(world):
    await world.bot.preferences.set_channel_mode(world.guild.id, world.channel.id, Mode.ON_REQUEST)
    source = await world.alice.send(world.channel, MAVEN)
    chat = await world.alice.send(world.channel, "hello")
    with recording_queries(world.bot) as queries:
        await world.bob.react(chat, "🔍")
    assert queries == []
    await world.bob.react(source, "🔍")
    assert replies_with_files(world.channel)
