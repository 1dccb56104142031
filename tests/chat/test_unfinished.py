"""Unfinished answers are remembered."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import discord

from bot.chat import unfinished
from bot.chat.unfinished import UnfinishedAnswers

from .conftest import make_settings


async def test_nobody_waits_long_for_a_database_that_does_not_answer(tmp_path, monkeypatch):
    asked = []

    async def stuck(record):
        asked.append(record)
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
    assert [record.interaction_id for record in asked] == [1]
