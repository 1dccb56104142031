"""Tests that unrelated messages cause no query, counted at the database's engine."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from sqlalchemy import event

from bot.chat import interrupted
from bot.chat.known_messages import KnownMessages
from bot.chat.preferences import Mode
from bot.features.showing.listening import catch_up
from tests.positions import MAVEN

from .viewer import replies


@pytest.fixture(autouse=True)
def nothing_in_the_background(monkeypatch):
    """Keep queries of the background out of the counted ones."""
    monkeypatch.setattr(catch_up, "REFRESH_SECONDS", 3600.0)
    monkeypatch.setattr(interrupted, "CHECK_SECONDS", 3600.0)


@pytest.fixture
def world(world):
    """Let the session have begun before the messages did: SimCord's clock is behind."""
    world.bot.marked_messages = KnownMessages(0)
    return world


@contextmanager
def counted(bot):
    """Count the statements and the transactions that reach the database."""
    engine = bot.store._database._engine.sync_engine
    seen = []

    def statement(connection, cursor, text, *_):
        seen.append(text)

    def begun(connection):
        seen.append("a transaction")

    event.listen(engine, "before_cursor_execute", statement)
    event.listen(engine, "begin", begun)
    try:
        yield seen
    finally:
        event.remove(engine, "before_cursor_execute", statement)
        event.remove(engine, "begin", begun)


async def test_talk_needs_no_query(world):
    with counted(world.bot) as seen:
        for number in range(5):
            talk = await world.alice.send(world.channel, f"see you at {number}/7, row 8?")
            await world.bob.react(talk, "👍")
            await world.bob.react(talk, "🔍")
            await world.alice.edit(talk, f"see you at {number}/8")
            await world.alice.edit(talk, f"see you at {number}/8!")
            await world.alice.delete(talk)
        picture = await world.alice.send(world.channel, "look", attachments=[("cat.png", b"\x89PNG\r\n")])
        await world.alice.delete(picture)
        await world.alice.send_dm("hello")
    assert seen == []
    # And what is counted is what the store is asked.
    with counted(world.bot) as seen:
        await world.alice.send(world.channel, MAVEN)
    assert seen


async def test_a_position_queries_the_settings_once(world):
    source = await world.alice.send(world.channel, MAVEN)
    [reply] = replies(world.channel)
    with counted(world.bot) as seen:
        await world.alice.send(world.channel, MAVEN.replace("0/0 0", "1/0 0"))
    assert not [text for text in seen if "settings" in text or "channel_modes" in text]
    await world.alice.edit(source, MAVEN.replace("0/0 0", "2/0 0"))
    await world.alice.delete(source)
    assert reply.id not in {message.id for message in world.channel.history()}


async def test_answers_of_an_earlier_start_and_of_other_processes_are_known(world, monkeypatch):
    monkeypatch.setattr(catch_up, "ANSWERS_PER_PAGE", 2)
    monkeypatch.setattr(catch_up, "PAGE_PAUSE", 0.0)
    store, answered = world.bot.store, world.bot.answered_messages
    old = [1_000 + number for number in range(7)]
    for source_id in old:
        await store.claim_reply(source_id, channel_id=1, guild_id=None, author_id=1)
    assert not answered.may_hold(old[0]), "nobody has told yet"
    cog = world.bot.get_cog("AnsweredMessages")
    await cog.refresh()
    assert [answered.may_hold(source_id) for source_id in old[-2:]] == [True, True]
    fresh = catch_up.AnsweredMessages(world.bot)
    world.bot.answered_messages = type(answered)()
    assert world.bot.answered_messages.may_hold(5), "nothing is known for certain"
    assert await fresh._read_page()
    assert world.bot.answered_messages.complete_from == old[-2]
    await fresh._read_all()
    assert all(world.bot.answered_messages.may_hold(source_id) for source_id in old)
    assert len(world.bot.answered_messages) == len(old)
    assert not world.bot.answered_messages.may_hold(999)


async def test_marks_of_the_bot_need_no_query(world):
    await world.bot.preferences.choose_mode(world.guild.id, world.channel.id, Mode.ON_REQUEST)
    source = await world.alice.send(world.channel, MAVEN)
    talk = await world.alice.send(world.channel, "hello")
    with counted(world.bot) as seen:
        await world.bob.react(talk, "🔍")
    assert seen == []
    await world.bob.react(source, "🔍")
    assert [message for message in world.channel.history() if message.attachments]
