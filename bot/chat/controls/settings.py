"""The panel that shows what is chosen, with menus that change it and the panel itself."""

from __future__ import annotations

from typing import Any, Self

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.choices import (
    BY_OPTION,
    BY_OPTION_FOR_PERSON,
    DEFAULT,
    FOR_PERSON,
    FOR_SERVER,
    MODE,
    Question,
    Settings,
    chosen_value,
    label_of,
    with_choices,
)
from bot.chat.controls.item import ControlItem
from bot.chat.ids.settings import ChooseId
from bot.chat.markdown import escape
from bot.chat.preferences import ServerChoices
from bot.chat.reply import NoAnswerError
from bot.chat.styling import speaker_to
from bot.storage.dailies.values import DailySettings
from bot.storage.settings import ServerSettings
from bot.text import Speaker

MAX_CHANNELS_NAMED = 25


class ChoiceMenu(ControlItem[discord.ui.Select[Any], ChooseId], of=ChooseId):
    """A menu of the panel. It stands in a private message, so whoever presses it opened it."""

    is_free = True

    @classmethod
    def of_question(cls, question: Question, settings: Settings, say: Speaker, *, server: bool) -> Self:
        """Make the menu for a question, showing what is chosen."""
        chosen = chosen_value(settings, question.name)
        values = [*(choice.value for choice in question.choices), DEFAULT]
        options = [
            discord.SelectOption(
                label=label_of(question, value, say, server=server)[:100],
                value=value,
                default=value == (chosen or DEFAULT),
            )
            for value in values
            if value != DEFAULT or question is not MODE
        ]
        if question is MODE and chosen is None:
            options[0].default = True
        state = ChooseId("server" if server else "me", question.name)
        return cls(state, discord.ui.Select(custom_id=state.write(), options=options))

    async def act(self, interaction: discord.Interaction[KibitzBot]) -> None:
        """Choose what was picked, and show the panel anew."""
        value = self.item.values[0]
        if self.state.whose == "server":
            await grant_change_of_server(interaction)
        await interaction.response.defer()  # the database may take longer than Discord waits for a sign
        if self.state.whose == "me":
            await choose_for_user(interaction, {self.state.name: value})
            text, view = await user_panel(interaction)
        else:
            await choose_for_server(interaction, {self.state.name: value})
            text, view = await server_panel(interaction)
        await interaction.edit_original_response(content=text, view=view)


async def grant_change_of_server(interaction: discord.Interaction[KibitzBot]) -> None:
    """Let somebody change the server's settings here.

    Raises:
        NoAnswerError: that person may not, or there is no server.

    """
    say = await speaker_to(interaction)
    if interaction.guild_id is None:
        problem = say("There is no server here. `/settings me` is for you alone, everywhere.")
    elif interaction.client.get_guild(interaction.guild_id) is None:
        problem = say("I am not a member of this server. `/settings me` is for you alone, everywhere.")
    elif not interaction.permissions.manage_guild:
        problem = say("Only who may manage this server can change its settings. Yours are in `/settings me`.")
    else:
        return
    raise NoAnswerError.saying(problem)


async def choose_for_user(interaction: discord.Interaction[KibitzBot], chosen: dict[str, str]) -> None:
    """Change what a person has chosen; names are those of the settings."""
    await interaction.client.preferences.choose_for_user(
        interaction.user.id, lambda settings: with_choices(settings, chosen)
    )


async def choose_for_server(interaction: discord.Interaction[KibitzBot], chosen: dict[str, str]) -> None:
    """Change what is chosen in the server; names are those of the settings."""
    assert interaction.guild_id is not None  # looked at before
    await interaction.client.preferences.choose_for_server(
        interaction.guild_id, lambda settings: with_choices(settings, chosen)
    )


async def user_panel(interaction: discord.Interaction[KibitzBot]) -> tuple[str, discord.ui.View]:
    """Return the panel of a person's settings: the menus show what is chosen, the text what they cannot show."""
    settings = await interaction.client.preferences.user(interaction.user.id)
    say = await speaker_to(interaction)
    lines = [
        say("**Your settings**, for what only you see and for direct messages:"),
        _lexicon(settings, say),
        *_by_option(BY_OPTION_FOR_PERSON, settings, say, server=False),
    ]
    return "\n".join(lines), _view(FOR_PERSON, settings, say, server=False)


async def server_panel(interaction: discord.Interaction[KibitzBot]) -> tuple[str, discord.ui.View]:
    """Return the panel of the server's settings, as :func:`user_panel`."""
    assert interaction.guild_id is not None  # looked at before
    choices = await interaction.client.preferences.server(interaction.guild_id)
    say = await speaker_to(interaction)
    lines = [
        say("**This server's settings**, for what everybody sees:"),
        _lexicon(choices.settings, say),
        *_aliases(choices.settings, say),
        *_by_option(BY_OPTION, choices.settings, say, server=True),
        *_channel_lines(choices, say),
        await _daily(interaction, say),
    ]
    return "\n".join(lines), _view(FOR_SERVER, choices.settings, say, server=True)


async def _daily(interaction: discord.Interaction[KibitzBot], say: Speaker) -> str:
    dailies, guild = interaction.client.service.dailies, interaction.guild_id
    chosen = await dailies.settings(guild) if dailies is not None and guild is not None else None
    command = interaction.client.mention("settings daily")
    return f"- {daily_words(chosen, say)} ({command})"


def daily_words(chosen: DailySettings | None, say: Speaker) -> str:
    """Say where and when a server gets its daily."""
    if chosen is None:
        return say("Daily puzzle: none")
    return say(
        "Daily puzzle: in {channel}, at {hour}, {zone}",
        channel=f"<#{chosen.channel_id}>",
        hour=f"{chosen.hour}:00",
        zone=escape(chosen.zone),
    )


def _lexicon(settings: Settings, say: Speaker) -> str:
    if settings.lexicon is None:
        return "- " + say("Lexicon: only what a position names (choose one with the option `lexicon`)")
    return "- " + say("Lexicon where a position names none: {lexicon}", lexicon=escape(settings.lexicon))


def _aliases(settings: ServerSettings, say: Speaker) -> list[str]:
    if settings.aliases is None:
        return []
    return ["- " + say("For lexica that are not here: {aliases}", aliases=escape(settings.aliases, 1_000))]


def _by_option(
    questions: tuple[Question, ...], settings: Settings, say: Speaker, *, server: bool
) -> list[str]:
    """Say what is chosen that has no menu."""
    return [
        "- "
        + label_of(question, chosen_value(settings, question.name), say, server=server)
        + f" (`{question.name}`)"
        for question in questions
    ]


def _channel_lines(choices: ServerChoices, say: Speaker) -> list[str]:
    """Name the channels with a mode of their own."""
    named = choices.modes[:MAX_CHANNELS_NAMED]
    lines = [f"- <#{channel_id}>: {label_of(MODE, mode, say, server=True)}" for channel_id, mode in named]
    if more := len(choices.modes) - len(named):
        lines.append("- " + say.count("{number} more channel", "{number} more channels", more))
    if not lines:
        return ["- " + say("Every channel alike (give the options `mode` and `channel` for one channel)")]
    return lines


def _view(
    questions: tuple[Question, ...], settings: Settings, say: Speaker, *, server: bool
) -> discord.ui.View:
    view = discord.ui.View(timeout=None)
    for question in questions:
        view.add_item(ChoiceMenu.of_question(question, settings, say, server=server))
    return view
