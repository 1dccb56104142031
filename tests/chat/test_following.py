"""When a message is edited, its reply changes. When the message is deleted, so is the reply."""

from __future__ import annotations

import asyncio
import time

import pytest

from bot.features.showing import document_service
from tests.positions import EMPTY_BOARD, MAVEN

from .actions import press_copy, replies, text_of


async def test_an_edit_changes_the_reply_in_place(world):
    source = await world.alice.send(world.channel, f"hm {EMPTY_BOARD} ABC/ 1/2 0 lex X;")
    [before] = replies(world.channel)
    await world.alice.edit(source, f"I mean {MAVEN}")
    [after] = replies(world.channel)
    assert after.id == before.id
    assert "OSPD1" in text_of(after)
    [picture] = after.attachments
    assert "rack IKLMTZ" in picture.description
    assert MAVEN in (text_of(await press_copy(world.bob, after)))


async def test_a_position_added_by_an_edit_gets_a_reply(world):
    source = await world.alice.send(world.channel, "wait")
    assert replies(world.channel) == []
    await world.alice.edit(source, MAVEN)
    [reply] = replies(world.channel)
    assert reply.reference.message_id == source.id


async def test_the_reply_is_removed_and_restored_with_the_position(world):
    source = await world.alice.send(world.channel, MAVEN)
    await world.alice.edit(source, "never mind")
    assert replies(world.channel) == []
    await world.alice.edit(source, MAVEN)
    assert len(replies(world.channel)) == 1


async def test_a_reply_is_deleted_with_the_message(world):
    source = await world.alice.send(world.channel, MAVEN)
    await world.alice.delete(source)
    assert world.channel.history() == []
    assert await world.bot.store.reply(source.id) is None


async def test_spoiler_bars_added_by_an_edit_hide_the_picture(world):
    source = await world.alice.send(world.channel, MAVEN)
    await world.alice.edit(source, f"||{MAVEN}||")
    [reply] = replies(world.channel)
    assert reply.attachments[0].is_spoiler()


async def test_a_deleted_reply_is_not_sent_again(world):
    source = await world.alice.send(world.channel, MAVEN)
    [reply] = replies(world.channel)
    await reply.delete()
    await world.alice.edit(source, f"{MAVEN} ?")
    assert replies(world.channel) == []


async def test_edited_and_deleted_chat_gets_no_reply(world):
    source = await world.alice.send(world.channel, "hello")
    await world.alice.edit(source, "hello!")
    await world.alice.delete(source)
    assert world.channel.history() == []


@pytest.fixture
def started_scenes(monkeypatch):
    """Delay every picture. Return a list of the scenes whose drawing has started."""
    draw, started_scenes = document_service.draw_scene, []

    def draw_slowly(scene):
        started_scenes.append(scene)
        time.sleep(0.2)
        return draw(scene)

    monkeypatch.setattr(document_service, "draw_scene", draw_slowly)
    return started_scenes


async def wait_for_drawing(started_scenes):
    while not started_scenes:
        await asyncio.to_thread(time.sleep, 0.001)  # asyncio.sleep would follow the test's clock


async def test_an_edit_during_drawing_updates_the_reply(world, started_scenes):
    backend = world.env.backend
    source = backend.create_message(world.channel.id, world.alice.id, MAVEN)
    await wait_for_drawing(started_scenes)
    backend.edit_message(world.channel.id, source.id, {"content": f"{EMPTY_BOARD} ABC/ 1/2 0 lex NEW;"})
    await world.env.settle()
    [reply] = replies(world.channel)
    assert "NEW ·" in text_of(reply)


async def test_a_message_deleted_during_drawing_gets_no_reply(world, started_scenes):
    backend = world.env.backend
    source = backend.create_message(world.channel.id, world.alice.id, MAVEN)
    await wait_for_drawing(started_scenes)
    backend.delete_message(world.channel.id, source.id)
    await world.env.settle()
    assert replies(world.channel) == []
    assert await world.bot.store.reply(source.id) is None


async def test_a_reply_deleted_during_an_edit_stays_deleted(world, started_scenes, caplog):
    source = await world.alice.send(world.channel, MAVEN)
    started_scenes.clear()
    backend = world.env.backend
    backend.edit_message(world.channel.id, source.id, {"content": f"{EMPTY_BOARD} ABC/ 1/2 0 lex NEW;"})
    await wait_for_drawing(started_scenes)
    backend.delete_message(world.channel.id, replies(world.channel)[0].id)
    await world.env.settle()
    assert replies(world.channel) == []
    assert "fault " not in caplog.text
