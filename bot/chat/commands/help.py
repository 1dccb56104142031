"""``/help``: what can be done, with examples to press."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.app_commands import locale_str
from discord.ext import commands

from bot.chat.client import KibitzBot
from bot.chat.controls.help import JOBS, help_page
from bot.chat.styling import speaker_to


class Help(commands.Cog):
    """``/help``."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot

    @app_commands.command(
        name=locale_str("help"), description=locale_str("What I can do, with examples to try")
    )
    async def help(self, interaction: discord.Interaction[KibitzBot]) -> None:
        """Say what can be done."""
        say, links = await speaker_to(interaction), self.bot.service.links.are_opened
        text, view = help_page(JOBS, self.bot.mention, say, links=links)
        await interaction.response.send_message(text, view=view, ephemeral=True)
