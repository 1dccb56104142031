"""``/leaderboard`` and ``/stats``: how people do at dailies, and how oneself does at puzzles."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.app_commands import locale_str
from discord.ext import commands

from bot.chat.client import KibitzBot
from bot.chat.controls.daily import board_reply
from bot.chat.controls.puzzles import puzzles_of
from bot.chat.failures import answering
from bot.chat.sending.allowance import grant
from bot.chat.sending.interaction import Asking
from bot.chat.styling import style_of
from bot.features.puzzles.daily_service import Span
from bot.features.puzzles.wanted import Kind


class Boards(commands.Cog):
    """``/leaderboard`` and ``/stats``."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot

    @app_commands.command(
        name=locale_str("leaderboard"),
        description=locale_str("Who has most stars in the daily puzzles of this server"),
    )
    @app_commands.guild_only()
    @app_commands.rename(time=locale_str("time"), game=locale_str("game"), private=locale_str("private"))
    @app_commands.describe(
        time=locale_str("Since when; this week when left out"),
        game=locale_str("Crossword games or chess; both when left out"),
        private=locale_str("Whether only you see the answer"),
    )
    @app_commands.choices(
        time=[
            app_commands.Choice(name=locale_str("this week"), value=Span.WEEK.value),
            app_commands.Choice(name=locale_str("this month"), value=Span.MONTH.value),
            app_commands.Choice(name=locale_str("all time"), value=Span.ALL.value),
        ],
        game=[
            app_commands.Choice(name=locale_str("crossword games"), value=Kind.CROSSWORD.value),
            app_commands.Choice(name=locale_str("chess"), value=Kind.CHESS.value),
        ],
    )
    async def leaderboard(
        self,
        interaction: discord.Interaction[KibitzBot],
        time: str = Span.WEEK.value,
        game: str = "",
        private: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
    ) -> None:
        """Show the board of the server."""
        async with answering(interaction):
            await grant(interaction)
            style = await style_of(interaction, private=private)
            kind = Kind(game) if game else None
            work = board_reply(interaction, kind, Span(time), style, private=private)
            await Asking(interaction, private=private).answer(work)

    @app_commands.command(
        name=locale_str("stats"), description=locale_str("Your puzzle ratings, streaks and weak themes")
    )
    async def stats(self, interaction: discord.Interaction[KibitzBot]) -> None:
        """Show the asker how puzzles went."""
        async with answering(interaction):
            await grant(interaction)
            style = await style_of(interaction, private=True)
            standing = puzzles_of(self.bot, style.say).standings.tell(interaction.user.id, style)
            await Asking(interaction, private=True).answer(standing)
