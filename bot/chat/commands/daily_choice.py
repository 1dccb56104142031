"""``/settings daily``: what is chosen for the dailies of a server, and how that is said."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import discord
from discord import app_commands

from bot.chat.client import KibitzBot
from bot.chat.controls.daily import dailies_of
from bot.chat.controls.settings import daily_words
from bot.chat.markdown import escape
from bot.chat.reply import NoAnswerError
from bot.chat.styling import speaker_to
from bot.features.puzzles.daily_service import is_zone
from bot.features.puzzles.wanted import Level
from bot.storage.dailies.values import DailySettings
from bot.text import Speaker

Interaction: TypeAlias = "discord.Interaction[KibitzBot]"

_HOUR = 9
"""When a daily is posted where no hour was chosen."""
_TEXTS = (discord.ChannelType.text, discord.ChannelType.news)


@dataclass(frozen=True, slots=True)
class DailyWish:
    """What somebody asks for the dailies of a server; None for what shall stay."""

    channel: app_commands.AppCommandChannel | None = None
    hour: int | None = None
    zone: str | None = None
    games: str | None = None
    level: str | None = None
    role: discord.Role | None = None

    def applied(self, before: DailySettings | None, say: Speaker) -> DailySettings:
        """Return what is chosen then.

        Raises:
            NoAnswerError: it cannot be.

        """
        if self.channel is None and before is None:
            raise NoAnswerError.saying(say("Choose a channel for the daily puzzle with `channel`."))
        if self.channel is not None and self.channel.type not in _TEXTS:
            raise NoAnswerError.saying(say("The daily puzzle needs a channel for text."))
        if self.zone is not None and not is_zone(self.zone):
            raise NoAnswerError.saying(
                say("{zone} is no time zone that I know. Try Europe/Paris or UTC.", zone=escape(self.zone))
            )
        if self.role is not None and self.role.is_default():
            raise NoAnswerError.saying(say("Not everybody wants to be told: choose a role that people take."))
        chosen = before or DailySettings(0, _HOUR, "UTC", "crossword,chess", Level.USUAL.value)
        given = {
            "channel_id": None if self.channel is None else self.channel.id,
            "hour": self.hour,
            "zone": self.zone,
            "games": self.games,
            "level": self.level,
            "role_id": None if self.role is None else self.role.id,
        }
        return replace(chosen, **{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]  # each has its field's type


async def choose_daily(interaction: Interaction, wish: DailyWish, *, stop: bool) -> str:
    """Change what is chosen, and say what is.

    Raises:
        NoAnswerError: it cannot be.

    """
    say, guild = await speaker_to(interaction), interaction.guild_id
    dailies = dailies_of(interaction.client, say)
    assert guild is not None  # looked at before
    before = await dailies.settings(guild)
    if stop:
        await dailies.choose(guild, None)
        return daily_words(None, say)
    if wish == DailyWish():
        if before is not None:
            return daily_words(before, say)
        raise NoAnswerError.saying(
            say("There is no daily puzzle here yet. Choose a channel for it with `channel`.")
        )
    chosen = wish.applied(before, say)
    due = await dailies.choose(guild, chosen)
    lines = [daily_words(chosen, say)]
    if due is not None:
        lines.append(say("The next one comes {when}.", when=discord.utils.format_dt(due, "R")))
    place = interaction.client.get_channel(chosen.channel_id)
    if isinstance(place, discord.TextChannel):
        permissions = place.permissions_for(place.guild.me)
        if not (permissions.view_channel and permissions.send_messages):
            lines.append(say("⚠ I may not send messages in {channel} yet.", channel=place.mention))
    if chosen.role_id is not None:
        lines.append(say("Each one mentions {role}.", role=f"<@&{chosen.role_id}>"))
    return "\n".join(lines)
