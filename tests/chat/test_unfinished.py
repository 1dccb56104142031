"""Unfinished answers are remembered."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import discord
from discord.ext import commands

from bot.chat import client, unfinished
from bot.chat.press import Press
from bot.chat.unfinished import UnfinishedAnswers
from bot.features.analysis.controls import ANALYSES
from bot.features.showing.controls import SHOWING
from bot.storage.store import utc_now
from tests.positions import OPENING

from .conftest import make_settings
from .test_viewer import GAME
from .viewer import answer_of, choose_view, click, control, press, replies, text_of


async def test_a_hanging_database_delays_answers_briefly(tmp_path, monkeypatch):
    records = []

    async def stuck(record):
        records.append(record)
        await asyncio.Event().wait()

    monkeypatch.setattr(unfinished, "KEEP_SECONDS", 0.01)
    store: Any = SimpleNamespace(keep_unfinished=stuck)
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
        await UnfinishedAnswers(store, make_settings(tmp_path), lambda: "1:first").keep(interaction)
    assert [record.interaction_id for record in records] == [1]


async def test_a_command_is_stored_before_it_is_acknowledged(world, monkeypatch):
    keep, before = world.bot.store.keep_unfinished, []

    async def noted(record):
        before.append(
            not any(http_request.path.endswith("/callback") for http_request in world.env.http_requests)
        )
        await keep(record)

    monkeypatch.setattr(world.bot.store, "keep_unfinished", noted)
    await world.alice.slash(world.channel, "analyze", position=OPENING)
    assert before == [True]
    assert await unfinished_of(world) == ()


async def test_a_press_with_a_slow_answer_is_stored(world, monkeypatch):
    await world.alice.send(world.channel, OPENING)
    [board] = replies(world.channel)
    stored = []
    rank_plays = world.bot.service[ANALYSES].rank_plays

    async def slow(question):
        while not (found := await unfinished_of(world)):  # noqa: ASYNC110 - the store sends no events
            await asyncio.sleep(0.01)
        stored.extend(found)
        return await rank_plays(question)

    monkeypatch.setattr("bot.chat.press.QUICK_SECONDS", 0.01)
    monkeypatch.setattr(world.bot.service[ANALYSES], "rank_plays", slow)
    await click(world.bob, board, custom_id=control(board, "analyze")["custom_id"])
    assert [(item.user_id, item.private) for item in stored] == [(world.bob.id, True)]
    assert await unfinished_of(world) == ()


async def test_a_slow_answer_to_everyone_is_stored_as_public(world, monkeypatch):
    await world.alice.send(world.channel, GAME)
    [reply] = replies(world.channel)
    answer = answer_of(await choose_view(world.bob, reply, "private"))
    stored = []
    showing = world.bot.service[SHOWING]
    view = showing.view

    async def slow(*args, **kwargs):
        while not (found := await unfinished_of(world)):  # noqa: ASYNC110 - the store sends no events
            await asyncio.sleep(0.01)
        stored.extend(found)
        return await view(*args, **kwargs)

    monkeypatch.setattr("bot.chat.press.QUICK_SECONDS", 0.01)
    monkeypatch.setattr(showing, "view", slow)
    await click(world.bob, answer, label="Show to everyone")
    assert [(item.user_id, item.private) for item in stored] == [(world.bob.id, False)]
    assert await unfinished_of(world) == ()


def unfinished_of(world):
    return world.bot.store.unfinished_of_others(world.bot.application_id, ["nobody"], utc_now(), 9)


async def test_a_press_during_shutdown_is_answered(world, monkeypatch):
    await world.alice.send(world.channel, GAME)
    game = replies(world.channel)[-1]
    begun, finished, pressed, visible = asyncio.Event(), asyncio.Event(), asyncio.Event(), []

    async def left(_bot):
        visible.append(text_of(replies(world.channel)[-1]))

    async def other_answer():
        with world.bot.delay_closing():
            begun.set()
            await finished.wait()

    change = Press.change

    async def slow_change(self, answer):
        pressed.set()
        await other
        await change(self, answer)

    monkeypatch.setattr(commands.AutoShardedBot, "close", left)
    monkeypatch.setattr(client, "READ_SECONDS", 60.0)
    monkeypatch.setattr(Press, "change", slow_change)
    other = asyncio.create_task(other_answer())
    await begun.wait()
    closing = asyncio.create_task(world.bot.close())
    while not world.bot.is_closing:  # noqa: ASYNC110 - the next step of another task
        await asyncio.sleep(0)
    pressing = asyncio.create_task(press(world.bob, game, "previous"))
    await pressed.wait()
    finished.set()
    await asyncio.gather(closing, pressing)
    assert "Turn 2 of 3" in visible[0]
