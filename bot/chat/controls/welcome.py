"""The first word to a server: what to paste, where to find more, and a button that makes us quieter."""

from __future__ import annotations

from typing import Any, Self

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.choices import with_choice
from bot.chat.controls.item import ControlItem
from bot.chat.ids.settings import MeetId
from bot.chat.markdown import escape
from bot.chat.preferences import Mode
from bot.chat.reply import NoAnswerError
from bot.chat.styling import speaker_to
from bot.text import Speaker, speaker


class MeetButton(ControlItem[discord.ui.Button[Any], MeetId], of=MeetId):
    """Chooses how positions are met in the server; it may stand in a direct message."""

    is_free = True

    @classmethod
    def to_change(cls, guild_id: int, mode: Mode, say: Speaker) -> Self:
        """Make the button that changes from a mode to the other."""
        other = Mode.ON_REQUEST if mode is Mode.AUTO else Mode.AUTO
        label = say("Only on request (🔍)") if other is Mode.ON_REQUEST else say("Answer every position")
        state = MeetId(guild_id, other.value)
        return cls(state, discord.ui.Button(label=label, custom_id=state.write()))

    async def act(self, interaction: discord.Interaction[KibitzBot]) -> None:
        """Choose the mode, and say so in the message."""
        bot, guild_id, mode = interaction.client, self.state.guild, Mode(self.state.mode)
        guild = bot.get_guild(guild_id)
        await interaction.response.defer()
        if guild is None or not await _may_manage(guild, interaction):
            say = await speaker_to(interaction)
            raise NoAnswerError.saying(
                say("Only who may manage this server can change its settings. Yours are in `/settings me`.")
            )
        await bot.preferences.choose_for_server(
            guild_id, lambda settings: with_choice(settings, "mode", mode.value)
        )
        text, view = welcome(bot, guild, mode)
        await interaction.edit_original_response(content=text, view=view)


async def _may_manage(guild: discord.Guild, interaction: discord.Interaction[KibitzBot]) -> bool:
    """Tell whether the presser may manage a server, also by a press in a direct message."""
    if interaction.guild_id == guild.id:
        return interaction.permissions.manage_guild
    try:
        member = await guild.fetch_member(interaction.user.id)
    except discord.HTTPException:
        return False
    return member.guild_permissions.manage_guild


def welcome(bot: KibitzBot, guild: discord.Guild, mode: Mode) -> tuple[str, discord.ui.View]:
    """Return the first word to a server, and its button."""
    say = speaker(guild.preferred_locale.value)
    heard = (
        say(
            "In **{server}**, paste a position or a game as text or as a file, and I answer with the board.",
            server=escape(guild.name, 100),
        )
        if bot.settings.discord.message_content
        else say(
            "In **{server}**, mention me with a position or a game, as text or as a file, and I answer with the board.",
            server=escape(guild.name, 100),
        )
    )
    where = (
        say(
            "I answer in every channel where I may write; {settings} changes that, for one channel, too.",
            settings=bot.mention("settings server"),
        )
        if mode is Mode.AUTO
        else say(
            "I put a 🔍 under positions and answer when it is pressed; {settings} changes that, for one channel, too.",
            settings=bot.mention("settings server"),
        )
    )
    lines = [
        say(
            "Hello, I am Kibitz: I show positions and games of crossword games and chess, and find the best plays."
        ),
        "- " + heard + " " + say("I read CGP, GCG, Turn URLs, FEN, PGN and more."),
        "- " + say("{help} has examples to press, and tells what else I can do.", help=bot.mention("help")),
        "- " + where,
    ]
    view = discord.ui.View(timeout=None)
    view.add_item(MeetButton.to_change(guild.id, mode, say))
    return "\n".join(lines), view
