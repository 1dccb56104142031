"""``/about``: who is speaking."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.app_commands import locale_str
from discord.ext import commands

from bot import __version__
from bot.chat.client import KibitzBot
from bot.chat.invitation import invitation
from bot.chat.styling import speaker_to
from bot.text import Speaker


class About(commands.Cog):
    """``/about``."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot

    @app_commands.command(
        name=locale_str("about"), description=locale_str("Who I am, with my licence and source code")
    )
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
                "Messages are not kept. Positions under an answer's buttons are, for {days} days: see {privacy}.",
                days=30,
                privacy=self.bot.mention("privacy show"),
            ),
        ]
        await interaction.response.send_message("\n".join(lines), view=self._links(say), ephemeral=True)

    def _links(self, say: Speaker) -> discord.ui.View:
        """Return the links: how to invite us, and what the host has an address for."""
        host = self.bot.settings.discord
        assert self.bot.application_id is not None  # we are logged in
        links = {
            say("Invite me"): invitation(self.bot.application_id),
            say("Source code"): host.source,
            say("Privacy"): host.privacy,
        }
        view = discord.ui.View(timeout=None)
        for label, address in links.items():
            if address:
                view.add_item(discord.ui.Button(label=label, url=address))
        return view
