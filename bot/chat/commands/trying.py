"""``/try``: what a play would come to."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.app_commands import locale_str
from discord.ext import commands

from bot.chat.client import KibitzBot
from bot.chat.failures import answering
from bot.chat.messages.inbound import source_given
from bot.chat.messages.tried_play import moment_shown
from bot.chat.moment import Moment
from bot.chat.press import asker_of
from bot.chat.reply import NoAnswerError
from bot.chat.sending.allowance import grant
from bot.chat.sending.interaction import Asking
from bot.chat.style import Style
from bot.chat.styling import style_of
from bot.domain.crossword.typed_play import MAX_TYPED

MAX_LOOKED_AT = 25
"""Messages of a channel among which the newest board is looked for."""


class Trying(commands.Cog):
    """``/try``."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot

    @app_commands.command(
        name=locale_str("try"), description=locale_str("See what a play would come to: what if?")
    )
    @app_commands.rename(
        move=locale_str("move"),
        position=locale_str("position"),
        lexicon=locale_str("lexicon"),
        private=locale_str("private"),
    )
    @app_commands.describe(
        move=locale_str("The play: 8H QUIZ, H8 Q.IZ, -ABC, pass; in chess Nf3 or e2e4"),
        position=locale_str("The position, in any notation; otherwise my newest board in this channel"),
        lexicon=locale_str("The lexicon; otherwise the position's own, yours, or the server's"),
        private=locale_str("Whether only you see the answer"),
    )
    async def try_play(
        self,
        interaction: discord.Interaction[KibitzBot],
        move: app_commands.Range[str, 1, MAX_TYPED],
        position: app_commands.Range[str, 1, 6000] = "",
        lexicon: app_commands.Range[str, 1, 32] = "",
        private: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
    ) -> None:
        """Show a play on a board."""
        async with answering(interaction):
            await grant(interaction)
            asking = Asking(interaction, private=private)
            style = await style_of(interaction, private=private)
            trials = self.bot.service.trials
            moment = await asking.read(self._moment(interaction, position, style))
            live = await trials.is_live(moment, style.say)
            if live:
                # What helps one player in a game that is going on is not for the channel.
                asking = asking.in_private()
            work = trials.try_play(moment, move, style, asker_of(interaction), lexicon=lexicon)
            await asking.answer(work)

    async def _moment(
        self, interaction: discord.Interaction[KibitzBot], position: str, style: Style
    ) -> Moment:
        """Return the moment to try a play in: that of a text, else of our newest board in the channel.

        Raises:
            NoAnswerError: there is none.

        """
        if position:
            source = await source_given(interaction, position, None, private=True)
            return await self.bot.service.to_try(source, style)
        channel = interaction.channel
        readable = interaction.app_permissions.read_message_history or interaction.guild_id is None
        if isinstance(channel, discord.abc.Messageable) and readable:
            try:
                async for message in channel.history(limit=MAX_LOOKED_AT):
                    if moment := moment_shown(self.bot, message):
                        return moment
            except discord.Forbidden:
                pass  # as where there is none
        raise NoAnswerError.saying(
            style.say(
                "There is no board of mine here that I can see. Give a position, or reply to one and mention me."
            )
        )
