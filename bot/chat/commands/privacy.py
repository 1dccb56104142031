"""``/privacy``: what is kept of somebody, and having it deleted."""

from __future__ import annotations

from dataclasses import fields

import discord
from discord import app_commands
from discord.app_commands import locale_str
from discord.ext import commands

from bot.chat.client import KibitzBot
from bot.chat.controls.forget import ForgetButton
from bot.chat.failures import answering
from bot.chat.styling import speaker_to
from bot.storage.sums import UserData
from bot.text import Speaker


class Privacy(
    commands.GroupCog,
    name=locale_str("privacy"),
    description=locale_str("What I keep of you"),
):
    """``/privacy show`` and ``/privacy delete``."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot

    @app_commands.command(name=locale_str("show"), description=locale_str("See what I keep of you"))
    async def show(self, interaction: discord.Interaction[KibitzBot]) -> None:
        """Say how much is kept of the asker."""
        async with answering(interaction):
            # The database may take longer than Discord waits for a sign.
            await interaction.response.defer(ephemeral=True, thinking=True)
            data = await self.bot.store.user_data(interaction.user.id)
            say = await speaker_to(interaction)
            text = kept_text(data, say)
            if self.bot.service.links.are_opened:
                fetched = say(
                    "Of a link to a game I ask its site for that game. The site does not learn whose link it was;"
                    " the game is kept like one that you paste."
                )
                text = f"{text}\n\n{fetched}"
            await interaction.followup.send(text, ephemeral=True)

    @app_commands.command(
        name=locale_str("delete"), description=locale_str("Have everything deleted that I keep of you")
    )
    async def delete(self, interaction: discord.Interaction[KibitzBot]) -> None:
        """Ask whether everything of the asker shall go."""
        async with answering(interaction):
            await interaction.response.defer(ephemeral=True, thinking=True)
            data = await self.bot.store.user_data(interaction.user.id)
            say = await speaker_to(interaction)
            view = discord.ui.View(timeout=None)
            view.add_item(ForgetButton.of_user(interaction.user.id, say("Delete everything")))
            text = kept_text(data, say)
            warning = say(
                "Deleting cannot be undone. My answers stay where they are, but their buttons and menus stop working,"
                " and they no longer follow your messages."
            )
            await interaction.followup.send(f"{text}\n\n{warning}", view=view, ephemeral=True)


def kept_text(data: UserData, say: Speaker) -> str:
    """Say how much is kept of somebody."""
    chosen = sum(getattr(data.settings, field.name) is not None for field in fields(data.settings))
    return "\n".join(
        [
            say("I keep of you:"),
            "- "
            + say.count(
                "{number} message of yours that I answered: its number, not its text",
                "{number} messages of yours that I answered: their numbers, not their text",
                data.replies,
            ),
            "- "
            + say.count(
                "{number} position or game that you brought, for the controls under it",
                "{number} positions or games that you brought, for the controls under them",
                data.documents,
            ),
            "- "
            + say.count(
                "{number} link of a live game that you posted",
                "{number} links of live games that you posted",
                data.live_texts,
            ),
            "- "
            + say.count(
                "{number} seat of yours in live games",
                "{number} seats of yours in live games",
                data.live_seats,
            ),
            "- "
            + say.count(
                "{number} puzzle that you saw, with your answers, and your rating",
                "{number} puzzles that you saw, with your answers, and your ratings",
                data.puzzles,
            ),
            "- "
            + say.count(
                "{number} daily puzzle that you answered, with your streaks",
                "{number} daily puzzles that you answered, with your streaks",
                data.dailies,
            ),
            "- "
            + say.count(
                "{number} question of yours what to play, or answer to one, until it is revealed",
                "{number} questions of yours what to play, or answers to such, until they are revealed",
                data.polls,
            ),
            *_own_games(data, say),
            "- " + say.count("{number} setting of yours", "{number} settings of yours", chosen),
        ]
    )


def _own_games(data: UserData, say: Speaker) -> list[str]:
    """Say what is kept of who wants to look back at games."""
    if not (data.own_games or data.own_names or data.settings.games):
        return []
    return [
        "- "
        + say.count(
            "{number} finished game of yours for `/review last`",
            "{number} finished games of yours for `/review last`",
            data.own_games,
        ),
        "- "
        + say.count(
            "{number} name of a player that you said is you or is not: a figure that stands for it",
            "{number} names of players that you said are you or are not: figures that stand for them",
            data.own_names,
        ),
    ]
