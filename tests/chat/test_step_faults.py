"""Presses of a step button that overlap, come late or fail."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import discord

from bot.chat.card import Moment
from bot.chat.control import control_from_id
from bot.chat.press import Press
from bot.features.showing.controls import PRESENTER, StepButton, TurnMenu

from .actions import (
    TURN_TEXTS,
    choose_view,
    click,
    control,
    controls_of,
    only_reply,
    press,
    press_copy,
    replies,
    reply_of,
    text_of,
)


async def test_each_press_is_acknowledged_before_the_picture_is_drawn(world, game_reply, monkeypatch):
    is_observed = asyncio.Event()
    show_moment = world.bot.services[PRESENTER].show_moment

    async def observe(*arguments, **named):
        assert [request for request in world.env.http_requests if request.path.endswith("/callback")]
        is_observed.set()
        return await show_moment(*arguments, **named)

    monkeypatch.setattr(world.bot.services[PRESENTER], "show_moment", observe)
    await press(world.bob, game_reply, "first")
    assert is_observed.is_set()


class FakeInteraction:
    """Imitates discord.py's interaction for a press. An edit takes ``delay`` seconds and is recorded in ``edits``."""

    def __init__(self, world, message, delay, edits) -> None:
        self.id, self.client, self.guild_id = 1, world.bot, world.guild.id
        self.type = discord.InteractionType.component
        self.user, self.locale = SimpleNamespace(id=1), discord.Locale.american_english
        self.message = SimpleNamespace(id=message.id, components=[], flags=message.flags)
        self.app_permissions = discord.Permissions.all()
        self.response = SimpleNamespace(defer=self.defer)
        self._delay, self._edits = delay, edits

    async def defer(self):
        await asyncio.sleep(0)

    async def edit_original_response(self, *, attachments, view, **_ignored):
        await asyncio.sleep(self._delay)
        [picture] = attachments
        states = (control_from_id(item["custom_id"]) for item in controls_of(view))
        turns = {state.moment.turn for state in states if isinstance(state, TurnMenu)}
        self._edits.append((text_of(view), picture.description, turns))


async def test_the_last_of_concurrent_presses_wins(world, game_reply):
    digest = control(game_reply, "turns")["custom_id"].split(":")[2]
    edits = []
    async with asyncio.TaskGroup() as presses:
        for turn in (0, 2, 1):
            moment = Moment(digest, turn)
            # The edit of the first press takes longest, and must not come after the others.
            interaction: Any = FakeInteraction(world, game_reply, 0.02 * (2 - turn), edits)
            presses.create_task(StepButton(moment, "n").act(Press(interaction)))
            await asyncio.sleep(0)
    assert 1 <= len(edits) <= 2, "a press got a reply although a later press was waiting"
    assert TURN_TEXTS[1] in edits[-1][0]
    for content, description, turns in edits:
        [turn] = turns
        assert TURN_TEXTS[turn] in content
        assert description.startswith(f"Turn {turn} of 3.")


async def test_a_stale_button_shows_the_turn_in_its_id(world, game_reply):
    stale_id = control(game_reply, "view", "previous")["custom_id"]
    await press(world.bob, game_reply, "first")
    await press(world.bob, only_reply(world), "last")
    await click(world.alice, only_reply(world), custom_id=stale_id)
    assert TURN_TEXTS[2] in text_of(only_reply(world))


async def test_an_expired_game_is_reported_privately(world, game_reply):
    world.clock.ahead = timedelta(days=31)
    result = await press(world.bob, game_reply, "first")
    assert "has expired" in text_of(reply_of(result))
    assert reply_of(result).ephemeral
    assert text_of(only_reply(world)) == text_of(game_reply)
    assert only_reply(world).attachments
    for value in ("replay", "chart", "private"):
        result = await choose_view(world.bob, game_reply, value)
        assert "has expired" in text_of(reply_of(result))
    assert "has expired" in (text_of(await press_copy(world.bob, game_reply)))


async def test_a_press_on_a_deleted_message_gets_a_reply_without_a_fault(world, game_reply, caplog):
    world.env.inject_error("PATCH", "/webhooks/*", status=404, code=10008, times=1)
    result = await press(world.bob, game_reply, "first")
    assert result.acknowledged
    assert "fault" not in caplog.text
    assert "is gone" in text_of(reply_of(result))


async def test_a_message_deleted_during_drawing_is_reported(world, game_reply, monkeypatch, caplog):
    show_moment = world.bot.services[PRESENTER].show_moment

    async def delete_and_show(*arguments, **named):
        await game_reply.delete()
        return await show_moment(*arguments, **named)

    monkeypatch.setattr(world.bot.services[PRESENTER], "show_moment", delete_and_show)
    result = await press(world.bob, game_reply, "first")
    assert "fault" not in caplog.text
    assert replies(world.channel) == []
    assert [text_of(reply) for reply in result.followups] == ["This message is gone."]


async def test_a_press_acknowledged_too_late_causes_no_fault(world, game_reply, caplog):
    world.env.inject_error("POST", "/interactions/*/callback", status=404, code=10062, times=1)
    await press(world.bob, game_reply, "first")
    assert "fault" not in caplog.text
    assert text_of(only_reply(world)) == text_of(game_reply)
    await press(world.bob, only_reply(world), "first")
    assert TURN_TEXTS[0] in text_of(only_reply(world))


async def test_an_error_while_stepping_gets_an_apology(world, game_reply, monkeypatch, caplog):
    failing_show_moment = AsyncMock(side_effect=RuntimeError("secret inner detail"))
    monkeypatch.setattr(world.bot.services[PRESENTER], "show_moment", failing_show_moment)
    result = await press(world.bob, game_reply, "first")
    text = text_of(reply_of(result))
    assert "Something went wrong in Kibitz" in text
    assert "secret" not in text
    assert "secret inner detail" in caplog.text
    assert text_of(only_reply(world)) == text_of(game_reply)


async def test_a_refused_edit_is_reported(world, game_reply):
    # Discord rejects the card with its picture, then the card without files.
    world.env.inject_error("PATCH", "/webhooks/*", status=403, code=50013, times=2)
    result = await press(world.bob, game_reply, "first")
    assert "Kibitz can't do that here: it lacks a permission on Discord." in text_of(reply_of(result))
    await press(world.bob, only_reply(world), "first")
    assert TURN_TEXTS[0] in text_of(only_reply(world))
