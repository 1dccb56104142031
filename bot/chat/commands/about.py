"""``/about``: who is speaking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
from discord import app_commands
from discord.app_commands import locale_str
from discord.ext import commands

from bot import __version__
from bot.chat.style import speaker_to

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot


class About(commands.Cog):
    """``/about``."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot

    @app_commands.command(name=locale_str("about"), description=locale_str("Who I am, and on what terms"))
    async def about(self, interaction: discord.Interaction[KibitzBot]) -> None:
        """Say who is speaking."""
        say = await speaker_to(interaction)
        servers = say.count("in {number} server", "in {number} servers", len(self.bot.guilds))
        lines = [
            say(
                "**Kibitz {version}** shows, converts and analyzes positions of crossword games and chess.",
                version=__version__,
            ),
            say(
                "Started {when}, at work {servers}.",
                when=discord.utils.format_dt(self.bot.awake_since, "R"),
                servers=servers,
            ),
            say(
                "Free software under the GNU General Public License, version 3 or later, without any warranty."
            ),
            say(
                "Messages are not kept. Positions under an answer's buttons are, for {days} days: see `/privacy`.",
                days=30,
            ),
        ]
        await interaction.response.send_message("\n".join(lines), ephemeral=True)
