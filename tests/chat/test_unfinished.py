"""The bot stores slow interactions until the reply is sent, so that another process can report an interruption."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import discord
from discord.ext import commands

from bot.chat import client, unfinished
from bot.chat.press import Press
from bot.chat.unfinished import UnfinishedReplies
from bot.features.analysis.controls import ANALYSES
from bot.features.showing.controls import PRESENTER
from bot.storage.database import utc_now
from tests.positions import OPENING
from tests.waiting import until

from .actions import (
    GAME,
    choose_view,
    click,
    id_of,
    last_reply,
    post,
    post_and_get_reply,
    press,
    reply_of,
    text_of,
)
from .conftest import make_settings


async def test_a_hanging_database_delays_replies_only_briefly(tmp_path, monkeypatch):
    records = []

    async def hang(record):
        records.append(record)
        await asyncio.Event().wait()

    monkeypatch.setattr(unfinished, "STORE_TIMEOUT_SECONDS", 0.01)
    store: Any = SimpleNamespace(save_unfinished=hang)
    interaction: Any = SimpleNamespace(
        id=1,
        channel_id=2,
        guild_id=3,
        user=SimpleNamespace(id=4),
        message=None,
        locale=discord.Locale.british_english,
        token="token",
        extras={},
    )
    async with asyncio.timeout(60):
        await UnfinishedReplies(store, make_settings(tmp_path), lambda: "1:first").save(interaction)
    assert [record.interaction_id for record in records] == [1]


async def test_a_command_is_stored_before_it_is_acknowledged(world, monkeypatch):
    save_unfinished, acknowledged = world.bot.store.save_unfinished, []

    async def observe(record):
        acknowledged.append(any(request.path.endswith("/callback") for request in world.env.http_requests))
        await save_unfinished(record)

    monkeypatch.setattr(world.bot.store, "save_unfinished", observe)
    await world.alice.slash(world.channel, "analyze", position=OPENING)
    assert acknowledged == [False]
    assert await unfinished_interactions(world) == ()


async def test_a_press_with_a_slow_reply_is_stored(world, monkeypatch):
    [board] = await post(world, OPENING)
    stored_interactions = []
    make_ranking_card = world.bot.services[ANALYSES].make_ranking_card

    async def rank_slowly(query):
        stored_interactions.extend(await until(lambda: unfinished_interactions(world)))
        return await make_ranking_card(query)

    monkeypatch.setattr("bot.chat.press.STORE_AFTER_SECONDS", 0.01)
    monkeypatch.setattr(world.bot.services[ANALYSES], "make_ranking_card", rank_slowly)
    await click(world.bob, board, custom_id=id_of(board, "analyze:"))
    assert [(item.user_id, item.private) for item in stored_interactions] == [(world.bob.id, True)]
    assert await unfinished_interactions(world) == ()


async def test_a_slow_public_reply_is_stored_as_public(world, monkeypatch):
    [reply] = await post(world, GAME)
    private_reply = reply_of(await choose_view(world.bob, reply, "private"))
    stored_interactions = []
    presenter = world.bot.services[PRESENTER]
    show_moment = presenter.show_moment

    async def show_slowly(*args, **kwargs):
        stored_interactions.extend(await until(lambda: unfinished_interactions(world)))
        return await show_moment(*args, **kwargs)

    monkeypatch.setattr("bot.chat.press.STORE_AFTER_SECONDS", 0.01)
    monkeypatch.setattr(presenter, "show_moment", show_slowly)
    await click(world.bob, private_reply, label="Show to everyone")
    assert [(item.user_id, item.private) for item in stored_interactions] == [(world.bob.id, False)]
    assert await unfinished_interactions(world) == ()


def unfinished_interactions(world):
    """Return the stored interactions without a response, as another process reads them."""
    return world.bot.store.abandoned_interactions(world.bot.application_id, ["nobody"], utc_now(), 9)


async def test_a_press_during_shutdown_gets_a_reply(world, monkeypatch):
    game = await post_and_get_reply(world, GAME)
    has_begun, may_finish, is_pressed, texts = asyncio.Event(), asyncio.Event(), asyncio.Event(), []

    async def close_library(_bot):
        texts.append(text_of(last_reply(world)))

    async def delay_closing():
        with world.bot.delay_closing():
            has_begun.set()
            await may_finish.wait()

    replace_card = Press.replace_card

    async def replace_after_delay(self, make_card):
        is_pressed.set()
        await delay
        await replace_card(self, make_card)

    monkeypatch.setattr(commands.AutoShardedBot, "close", close_library)
    monkeypatch.setattr(client, "STOP_READING_SECONDS", 60.0)
    monkeypatch.setattr(Press, "replace_card", replace_after_delay)
    delay = asyncio.create_task(delay_closing())
    await has_begun.wait()
    close_task = asyncio.create_task(world.bot.close())
    while not world.bot.is_closing:  # noqa: ASYNC110 - the next step of another task
        await asyncio.sleep(0)
    press_task = asyncio.create_task(press(world.bob, game, "previous"))
    await is_pressed.wait()
    may_finish.set()
    await asyncio.gather(close_task, press_task)
    assert "Turn 2 of 3" in texts[0], "discord.py was closed before the reply to the press"
