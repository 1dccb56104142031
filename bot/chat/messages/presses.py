"""Hearing when somebody presses a mark of ours under a message, or asks with the same sign what is on a picture."""

from __future__ import annotations

import discord
from discord.ext import commands

from bot.chat.client import KibitzBot
from bot.chat.limits import Verdict
from bot.chat.messages.inbound import is_from_a_machine, shows_pictures
from bot.chat.messages.listener import Listener
from bot.chat.messages.marks import MARKS, QUESTION, SHOW, marks_under, reacted_message
from bot.chat.outbox import Pending
from bot.chat.preferences import Mode
from bot.chat.styling import places_of


class Presses(commands.Cog):
    """Has marked messages answered, and pictures under which somebody puts a 🔍."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot

    @commands.Cog.listener()
    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        """Answer a marked message when somebody presses the mark; a picture without it, too."""
        if str(payload.emoji) not in MARKS or payload.guild_id is None or self.bot.user is None:
            return
        if payload.user_id == self.bot.user.id:
            self.bot.marked.add(payload.message_id)  # perhaps by another process
            return
        if payload.member is not None and payload.member.bot:
            return
        if not self.bot.marked.may_hold(payload.message_id) and not self._may_ask(payload):
            return
        if not self.bot.turns.is_full(payload.channel_id):
            listener = self.bot.get_cog(Listener.__name__)
            assert isinstance(listener, Listener)  # there are no messages without it
            pending = Pending(payload.message_id, payload.channel_id, payload.guild_id, payload.user_id)
            await listener.do_in_turn(
                pending, "answering on request", lambda: self._answer(listener, payload)
            )

    def _may_ask(self, payload: discord.RawReactionActionEvent) -> bool:
        """Count a 🔍 where there is no mark of ours: whether there is a picture, only fetching the message tells."""
        asks = str(payload.emoji) == SHOW
        return asks and self.bot.by_presser.take(payload.user_id) is Verdict.GRANTED

    async def _answer(self, listener: Listener, payload: discord.RawReactionActionEvent) -> None:
        assert payload.guild_id is not None  # looked at before
        message = await reacted_message(self.bot, payload)
        if message is None:
            return
        sign = str(payload.emoji)
        is_marked = sign in marks_under(message)
        pictures = sign == SHOW and not is_from_a_machine(message)
        pictures = pictures and shows_pictures(message, self.bot.settings.limits)
        if not (is_marked or pictures):
            return
        mode = await self.bot.preferences.mode(payload.guild_id, places_of(message.channel))
        explain = sign == QUESTION
        if explain:
            is_offered = mode is not Mode.OFF and await self.bot.preferences.asks(payload.guild_id)
        else:
            is_offered = mode is Mode.ON_REQUEST or (pictures and mode is not Mode.OFF)
        if is_offered:
            await listener.answer_pressed(message, payload.user_id, explain=explain)
