"""Hearing when somebody presses a mark of ours under a message."""

from __future__ import annotations

import discord
from discord.ext import commands

from bot.chat.client import KibitzBot
from bot.chat.messages.listener import Listener
from bot.chat.messages.marks import MARKS, QUESTION, pressed_message
from bot.chat.outbox import Pending
from bot.chat.style import places_of
from bot.service.preferences import Mode


class Presses(commands.Cog):
    """Has marked messages answered."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot

    @commands.Cog.listener()
    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        """Answer a marked message when somebody presses the mark."""
        if str(payload.emoji) not in MARKS or payload.guild_id is None or self.bot.user is None:
            return
        if payload.user_id == self.bot.user.id:
            self.bot.marked.add(payload.message_id)  # perhaps by another process
            return
        if not self.bot.marked.may_hold(payload.message_id):
            return
        if payload.member is not None and payload.member.bot:
            return
        if not self.bot.turns.is_full(payload.channel_id):
            listener = self.bot.get_cog(Listener.__name__)
            assert isinstance(listener, Listener)  # there are no messages without it
            pending = Pending(payload.message_id, payload.channel_id, payload.guild_id, payload.user_id)
            await listener.do_in_turn(
                pending, "answering on request", lambda: self._answer(listener, payload)
            )

    async def _answer(self, listener: Listener, payload: discord.RawReactionActionEvent) -> None:
        assert payload.guild_id is not None  # looked at before
        mode = await self.bot.preferences.mode(
            payload.guild_id, places_of(self.bot.get_channel(payload.channel_id))
        )
        explain = str(payload.emoji) == QUESTION
        if explain:
            is_offered = mode is not Mode.OFF and await self.bot.preferences.asks(payload.guild_id)
        else:
            is_offered = mode is Mode.ON_REQUEST
        if is_offered and (message := await pressed_message(self.bot, payload)):
            await listener.answer_pressed(message, payload.user_id, explain=explain)
