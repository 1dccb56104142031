"""``/help``: what can be done, with examples to press."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
from discord import app_commands
from discord.app_commands import locale_str
from discord.ext import commands

from bot.chat.controls.example import ExampleButton
from bot.chat.style import speaker_to
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot


class Help(commands.Cog):
    """``/help``."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot

    @app_commands.command(
        name=locale_str("help"), description=locale_str("What I can do, with examples to try")
    )
    async def help(self, interaction: discord.Interaction[KibitzBot]) -> None:
        """Say what can be done."""
        say = await speaker_to(interaction)
        view = discord.ui.View(timeout=None)
        for button in ExampleButton.all(say):
            view.add_item(button)
        await interaction.response.send_message(help_text(say), view=view, ephemeral=True)


def help_text(say: Speaker) -> str:
    """Say what can be done, shortly."""
    return "\n".join(
        [
            "## " + say("Paste a position, see the board"),
            say(
                "Post a position or a game as text or as a file, in any notation: I answer with the board."
                " Edit or delete your message, and my answer follows."
            ),
            "- " + say("Behind `||spoiler bars||` the picture is hidden, too."),
            "- "
            + say(
                "Somebody else's position: reply to it and mention me; with the word *analyze*, I tell the best plays."
            ),
            "- "
            + say(
                "In every server and conversation, also without me in it: the message menu **Apps** has"
                " **Show position**, **Convert position**, **Open game** and **Analyze position**."
            ),
            "- "
            + say("`/show` a position, or `/convert` it to another notation: from text, a file or a form."),
            "- " + say("`/game` opens a game for you alone, and tells of the live games of a channel."),
            "- "
            + say("`/analyze` finds the best plays; `/check`, `/hooks` and `/anagram` know about words."),
            "- " + say("`/book` looks chess openings up."),
            "- " + say("`/settings me` for your own look and language, `/settings server` for everybody's."),
            "- " + say("`/privacy` for what I keep of you, and to have it deleted; `/about` for the rest."),
            "\n" + say("**Try one:**"),
        ]
    )
