"""The commands ``/settings me``, ``/settings server`` and ``/settings daily``."""

from __future__ import annotations

import asyncio
from typing import TypeAlias

import discord
from discord import app_commands
from discord.app_commands import locale_str
from discord.ext import commands

from bot.chat.card import MAX_CHOICES, RefusalError
from bot.chat.client import KibitzBot
from bot.chat.failures import replying
from bot.chat.preferences import Mode
from bot.chat.press import Press
from bot.chat.reply_context import private_translator
from bot.engine.lexicon.installed import MAX_ALIASES, NAME, aliases_text, read_aliases
from bot.features.puzzles.daily import zones
from bot.features.puzzles.selection import PuzzleLevel
from bot.features.settings.about import About, Privacy
from bot.features.settings.choices import (
    BROKEN_POSITIONS,
    COORDINATES,
    DEFAULT,
    LANGUAGE,
    LAYOUT,
    LEXICA,
    LIVE_GAMES,
    MODE,
    SHOW_NAME,
    STORED_GAMES,
    THEME,
    TURN_MENTIONS,
    TURN_MENTIONS_IN_SERVER,
    WHOSE_APPEARANCE,
    Setting,
)
from bot.features.settings.controls import (
    change_settings,
    lexicon_rule,
    require_manager,
    set_daily,
    stop_daily,
)
from bot.features.showing.feature import Feature

Interaction: TypeAlias = "discord.Interaction[KibitzBot]"

_NO_ALIASES = "-"


def command_choices(setting: Setting) -> list[app_commands.Choice[str]]:
    return [
        *(
            app_commands.Choice(name=locale_str(choice.label), value=choice.value)
            for choice in setting.choices
        ),
        app_commands.Choice(name=locale_str("Default"), value=DEFAULT),
    ]


_APPEARANCE_CHOICES = {
    "theme": command_choices(THEME),
    "layout": command_choices(LAYOUT),
    "coordinates": command_choices(COORDINATES),
    "language": command_choices(LANGUAGE),
}
_OPTION_NAMES = {
    "theme": locale_str("theme"),
    "layout": locale_str("layout"),
    "coordinates": locale_str("coordinates"),
    "lexicon": locale_str("lexicon"),
    "language": locale_str("language"),
}
_OPTION_DESCRIPTIONS = {
    "theme": locale_str("The colours of the pictures"),
    "layout": locale_str("Where scores and racks are drawn"),
    "coordinates": locale_str("Whether rows and columns are labelled"),
    "lexicon": locale_str("The lexicon for positions that don't name one"),
    "language": locale_str("The language of the replies"),
}


class SettingsCommands(
    commands.GroupCog,
    name=locale_str("settings"),
    description=locale_str("Choose how Kibitz replies"),
):
    """The commands that change settings or, without options, show them."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot

    @app_commands.command(
        name=locale_str("me"), description=locale_str("How private replies and direct messages to you look")
    )
    @app_commands.rename(
        turns=locale_str("turns"), named=locale_str("named"), games=locale_str("games"), **_OPTION_NAMES
    )
    @app_commands.describe(
        turns=locale_str("Whether you are mentioned when it is your turn in a live game"),
        named=locale_str("Whether leaderboards and daily solutions show your name"),
        games=locale_str("Whether finished games that you post are stored for /review last"),
        **_OPTION_DESCRIPTIONS,
    )
    @app_commands.choices(
        turns=command_choices(TURN_MENTIONS),
        named=command_choices(SHOW_NAME),
        games=command_choices(STORED_GAMES),
        **_APPEARANCE_CHOICES,
    )
    async def me(
        self,
        interaction: Interaction,
        *,
        theme: str | None = None,
        layout: str | None = None,
        coordinates: str | None = None,
        lexicon: str | None = None,
        language: str | None = None,
        turns: str | None = None,
        named: str | None = None,
        games: str | None = None,
    ) -> None:
        async with replying(interaction):
            changes = _without_none(
                theme=theme,
                layout=layout,
                coordinates=coordinates,
                lexicon=lexicon,
                language=language,
                turns=turns,
                named=named,
                games=games,
            )
            await _require_valid_names(interaction, lexicon)
            # The database may take longer than Discord waits for an acknowledgement.
            await interaction.response.defer(ephemeral=True, thinking=True)
            press = Press(interaction)
            await press.send(await change_settings(press, None, changes))

    @app_commands.command(
        name=locale_str("server"),
        description=locale_str("How Kibitz replies in this server (needs Manage Server)"),
    )
    @app_commands.rename(
        mode=locale_str("mode"),
        channel=locale_str("channel"),
        aliases=locale_str("aliases"),
        questions=locale_str("questions"),
        live=locale_str("live"),
        turns=locale_str("turns"),
        looks=locale_str("looks"),
        **_OPTION_NAMES,
    )
    @app_commands.describe(
        mode=locale_str("What Kibitz does with posted positions"),
        channel=locale_str("The channel for the mode (default: the whole server)"),
        aliases=locale_str(
            "Replacements for lexica that aren't installed: NWL18=NWL23, CSW22=CSW24, or - for none"
        ),
        questions=locale_str("Whether a position that can't be read gets a ❓"),
        live=locale_str("Where live games are shown"),
        turns=locale_str("Whether players who opted in are mentioned when it is their turn"),
        looks=locale_str("Whose theme and layout are used in public replies"),
        **_OPTION_DESCRIPTIONS,
    )
    @app_commands.choices(
        mode=command_choices(MODE),
        questions=command_choices(BROKEN_POSITIONS),
        live=command_choices(LIVE_GAMES),
        turns=command_choices(TURN_MENTIONS_IN_SERVER),
        looks=command_choices(WHOSE_APPEARANCE),
        **_APPEARANCE_CHOICES,
    )
    async def server(
        self,
        interaction: Interaction,
        *,
        mode: str | None = None,
        channel: app_commands.AppCommandChannel | app_commands.AppCommandThread | None = None,
        theme: str | None = None,
        layout: str | None = None,
        coordinates: str | None = None,
        lexicon: str | None = None,
        aliases: app_commands.Range[str, 1, 1000] | None = None,
        language: str | None = None,
        questions: str | None = None,
        live: str | None = None,
        turns: str | None = None,
        looks: str | None = None,
    ) -> None:
        async with replying(interaction):
            press = Press(interaction)
            guild_id = await require_manager(press)
            await _require_valid_names(interaction, lexicon, aliases)
            await interaction.response.defer(ephemeral=True, thinking=True)
            changes = _without_none(
                theme=theme,
                layout=layout,
                coordinates=coordinates,
                lexicon=lexicon,
                language=language,
                questions=questions,
                live=live,
                turns=turns,
                looks=looks,
            )
            if aliases is not None:
                changes["aliases"] = (
                    DEFAULT if aliases == _NO_ALIASES else aliases_text(read_aliases(aliases))
                )
            if channel is None:
                changes |= _without_none(mode=mode)
            else:
                await self._set_channel_mode(interaction, channel, mode)
            await press.send(await change_settings(press, guild_id, changes))

    @app_commands.command(
        name=locale_str("daily"),
        description=locale_str("The daily puzzle of this server (needs Manage Server)"),
    )
    @app_commands.rename(
        channel=locale_str("channel"),
        hour=locale_str("hour"),
        zone=locale_str("zone"),
        games=locale_str("games"),
        level=locale_str("level"),
        role=locale_str("role"),
        stop=locale_str("stop"),
    )
    @app_commands.describe(
        channel=locale_str("The channel where it is posted"),
        hour=locale_str("The hour when it is posted, from 0 to 23"),
        zone=locale_str("The time zone for that hour, such as Europe/Paris"),
        games=locale_str("Crossword games, chess or both"),
        level=locale_str("All puzzles, or the easier or harder half"),
        role=locale_str("A role to mention with each daily"),
        stop=locale_str("Stop the daily puzzle"),
    )
    @app_commands.choices(
        games=[
            app_commands.Choice(name=locale_str("crossword games and chess"), value="crossword,chess"),
            app_commands.Choice(name=locale_str("crossword games"), value="crossword"),
            app_commands.Choice(name=locale_str("chess"), value="chess"),
        ],
        level=[
            app_commands.Choice(name=locale_str("normal"), value=PuzzleLevel.NORMAL.value),
            app_commands.Choice(name=locale_str("easy"), value=PuzzleLevel.EASY.value),
            app_commands.Choice(name=locale_str("hard"), value=PuzzleLevel.HARD.value),
        ],
    )
    async def daily(
        self,
        interaction: Interaction,
        *,
        channel: discord.TextChannel | None = None,
        hour: app_commands.Range[int, 0, 23] | None = None,
        zone: app_commands.Range[str, 1, 64] | None = None,
        games: str | None = None,
        level: str | None = None,
        role: discord.Role | None = None,
        stop: bool = False,
    ) -> None:
        async with replying(interaction):
            press = Press(interaction)
            guild_id = await require_manager(press)
            await interaction.response.defer(ephemeral=True, thinking=True)
            options = {
                "channel_id": channel.id if channel is not None else None,
                "hour": hour,
                "zone": zone,
                "games": games,
                "level": level,
                "role_id": role.id if role is not None else None,
            }
            changes = {name: value for name, value in options.items() if value is not None}
            await press.send(await (stop_daily(press, guild_id) if stop else set_daily(press, changes)))

    @daily.autocomplete("zone")
    async def _complete_zone(self, interaction: Interaction, text: str) -> list[app_commands.Choice[str]]:
        query = text.strip().lower().replace(" ", "_")
        all_zones = await asyncio.to_thread(zones)
        suggestions = [name for name in all_zones if query in name.lower()][:MAX_CHOICES]
        return [app_commands.Choice(name=name, value=name) for name in suggestions]

    async def _set_channel_mode(
        self,
        interaction: Interaction,
        channel: app_commands.AppCommandChannel | app_commands.AppCommandThread,
        mode: str | None,
    ) -> None:
        translate = await private_translator(interaction)
        assert interaction.guild_id is not None  # because ``require_manager`` succeeded
        if mode is None:
            raise RefusalError.with_text(
                translate("Also choose a mode for {channel}.", channel=channel.mention)
            )
        try:
            chosen_mode = None if mode == DEFAULT else Mode(mode)
            await self.bot.preferences.set_channel_mode(interaction.guild_id, channel.id, chosen_mode)
        except ValueError:
            raise RefusalError.with_text(
                translate("Too many channels in this server have their own mode.")
            ) from None

    @me.autocomplete("lexicon")
    @server.autocomplete("lexicon")
    async def _complete_lexicon(self, interaction: Interaction, text: str) -> list[app_commands.Choice[str]]:
        suggestions = [name for name in LEXICA if text.strip().lower() in name.lower()][: MAX_CHOICES - 1]
        return [
            *(app_commands.Choice(name=name, value=name) for name in suggestions),
            app_commands.Choice(name=locale_str("No lexicon"), value=DEFAULT),
        ]


def _without_none(**options: str | None) -> dict[str, str]:
    return {name: value for name, value in options.items() if value is not None}


async def _require_valid_names(
    interaction: Interaction, lexicon: str | None, aliases: str | None = None
) -> None:
    translate = await private_translator(interaction)
    if lexicon is not None and not NAME.fullmatch(lexicon):
        raise RefusalError.with_text(lexicon_rule(translate))
    if aliases is not None and not _are_valid_aliases(aliases):
        raise RefusalError.with_text(
            translate(
                "Write up to {limit} pairs such as NWL18=NWL23, separated by commas. Each alias can appear only once.",
                limit=MAX_ALIASES,
            )
        )


def _are_valid_aliases(text: str) -> bool:
    try:
        return text == _NO_ALIASES or bool(read_aliases(text))
    except ValueError:
        return False


# The bot's preferences store all settings, so the feature needs no service.
FEATURE = Feature("settings", lambda _: None, (SettingsCommands, About, Privacy))
