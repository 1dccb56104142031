"""The cards, controls and forms of settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Final

from bot.chat.card import MAX_CHOICES, Card, Choice, RefusalError
from bot.chat.control import Button, Control, Field, Form, IdPart, control
from bot.chat.markdown import escape
from bot.chat.preferences import ServerChoices
from bot.chat.sending import SEND_PERMISSIONS, bot_has_permissions_in
from bot.engine.lexicon.installed import MAX_NAME_LENGTH, NAME
from bot.features.puzzles.controls import DAILIES
from bot.features.puzzles.daily import find_zone
from bot.features.puzzles.selection import PuzzleKind, PuzzleLevel
from bot.features.settings.choices import (
    APPEARANCE_SETTINGS,
    DEFAULT,
    MODE,
    SERVER_SETTINGS,
    USER_SETTINGS,
    Setting,
    StoredSettings,
    label_of,
    value_of,
    with_choices,
)
from bot.storage.dailies import DailySettings
from bot.storage.settings import ServerSettings

if TYPE_CHECKING:
    from bot.chat.press import Press
    from bot.text import Translator

MAX_LISTED_CHANNELS: Final = 25
_DEFAULT_DAILY: Final = DailySettings(0, 9, "UTC", ",".join(PuzzleKind), PuzzleLevel.NORMAL)
"""The defaults of ``/settings daily``. The channel has no default."""


@control("choose:{whose}:{name}")
class OldSettingMenu(Control):
    """The menu for one setting, in messages from earlier versions of Kibitz."""

    is_unlimited = True

    whose: Annotated[str, IdPart("server|me")]
    name: Annotated[str, IdPart("mode|theme|layout|coordinates|language|turns")]

    async def act(self, press: Press) -> None:
        await _submit_changes(press, self.whose, {self.name: press.value})


@control("set:{whose}:{page}")
class SettingsForm(Control):
    """Opens a form with settings of the user or of the server."""

    is_unlimited = True

    whose: Annotated[str, IdPart("server|me")]
    page: Annotated[str, IdPart("answers|looks|daily")]

    def face(self, translate: Translator, *, private: bool) -> Button:
        labels = {
            "answers": translate("Mentions and games") if self.whose == "me" else translate("Replies"),
            "looks": translate("Appearance"),
            "daily": translate("Daily puzzle"),
        }
        return Button(labels[self.page])

    async def act(self, press: Press) -> None:
        guild_id = await require_manager(press) if self.whose == "server" else None
        if self.page == "daily":
            await press.open_form(await _make_daily_form(press))
            return
        translate, for_server = await press.translator(), guild_id is not None
        page_settings = tuple(
            setting
            for setting in (SERVER_SETTINGS if for_server else USER_SETTINGS)
            if (setting.name in APPEARANCE_SETTINGS) == (self.page == "looks")
        )
        settings = await _load_settings(press, guild_id)
        fields = tuple(
            _radio_field(setting, settings, translate, for_server=for_server) for setting in page_settings
        )
        if self.page == "looks":
            fields += (
                Field(
                    "lexicon",
                    translate("Lexicon"),
                    settings.lexicon or "",
                    placeholder="NWL23",
                    max_length=MAX_NAME_LENGTH,
                    required=False,
                ),
            )

        async def submit(press: Press, values: Mapping[str, str]) -> None:
            changes = {name: value.strip() or DEFAULT for name, value in values.items()}
            if not NAME.fullmatch(changes.get("lexicon", DEFAULT)):
                raise RefusalError.with_text(lexicon_rule(await press.translator()))
            await _submit_changes(press, self.whose, changes)

        await press.open_form(Form(self.face(translate, private=True).label, fields, submit))


async def _load_settings(press: Press, guild_id: int | None) -> StoredSettings:
    if guild_id is None:
        return await press.bot.preferences.users.get(press.user_id)
    return (await press.bot.preferences.servers.get(guild_id)).settings


def _radio_field(
    setting: Setting, settings: StoredSettings, translate: Translator, *, for_server: bool
) -> Field:
    values = [choice.value for choice in setting.choices]
    if setting is not MODE:
        values.append(DEFAULT)
    choices = tuple(
        Choice(value, label_of(setting, value, translate, for_server=for_server)) for value in values
    )
    value = value_of(settings, setting) or (values[0] if setting is MODE else DEFAULT)
    return Field(setting.name, translate(setting.title), value, "radio", choices)


async def _submit_changes(press: Press, whose: str, changes: Mapping[str, str]) -> None:
    guild_id = await require_manager(press) if whose == "server" else None
    await press.defer()  # the database may take longer than Discord waits for an acknowledgement
    await press.edit(await change_settings(press, guild_id, changes))


async def require_manager(press: Press) -> int:
    """Check that the user may change the server's settings, and return the server's id.

    Raises:
        RefusalError: the user may not change the settings, or Kibitz is not a member of the server.

    """
    translate = await press.translator()
    if press.guild_id is None:
        problem = translate(
            "This works only in a server. Use `/settings me` to choose how private replies and direct messages to you look."
        )
    elif press.bot.get_guild(press.guild_id) is None:
        problem = translate(
            "Kibitz isn't a member of this server. Use `/settings me` to choose how private replies and direct messages to you look."
        )
    elif not press.interaction.permissions.manage_guild:
        problem = translate(
            "Changing a server's settings requires the Manage Server permission. Your own settings are in "
            "`/settings me`."
        )
    else:
        return press.guild_id
    raise RefusalError.with_text(problem)


async def change_settings(press: Press, guild_id: int | None, changes: Mapping[str, str]) -> Card:
    """Apply changes, and return the card with all settings of a server or, if ``guild_id`` is None, of the user.

    Raises:
        ValueError: a value is not one of the setting's choices.

    """
    preferences, for_server = press.bot.preferences, guild_id is not None
    if changes and guild_id is not None:
        await preferences.change_server_settings(guild_id, lambda settings: with_choices(settings, changes))
    elif changes:
        await preferences.change_user_settings(
            press.user_id, lambda settings: with_choices(settings, changes)
        )
    settings, translate = await _load_settings(press, guild_id), await press.translator()
    heading = (
        translate("**Settings for this server**, for public replies")
        if for_server
        else translate("**Your settings**, for private replies and direct messages")
    )
    lines = [
        *(
            label_of(setting, value_of(settings, setting), translate, for_server=for_server)
            for setting in (SERVER_SETTINGS if for_server else USER_SETTINGS)
        ),
        *_lexicon_lines(settings, translate),
    ]
    pages = ["answers", "looks"]
    if guild_id is not None:
        lines += _channel_lines(await preferences.servers.get(guild_id), translate)
        if (dailies := press.bot.services.find(DAILIES)) is not None:
            lines.append(daily_settings_line(await dailies.store.daily_settings(guild_id), translate))
            pages.append("daily")
    return Card(
        "\n".join((heading, *(f"- {line}" for line in lines))),
        controls=tuple(SettingsForm("server" if for_server else "me", page) for page in pages),
        accent="settings",
    )


def _lexicon_lines(settings: StoredSettings, translate: Translator) -> list[str]:
    lines = [translate("Lexicon: the one named in the position")]
    if settings.lexicon is not None:
        lexicon = escape(settings.lexicon)
        lines = [translate("Lexicon for positions that don't name one: {lexicon}", lexicon=lexicon)]
    if isinstance(settings, ServerSettings) and settings.aliases is not None:
        lines.append(
            translate(
                "Replacements for lexica that aren't installed: {aliases}",
                aliases=escape(settings.aliases, 1_000),
            )
        )
    return lines


def _channel_lines(choices: ServerChoices, translate: Translator) -> list[str]:
    first_modes = list(choices.channel_modes.items())[:MAX_LISTED_CHANNELS]
    lines = [
        f"<#{channel_id}>: {label_of(MODE, mode, translate, for_server=True)}"
        for channel_id, mode in first_modes
    ]
    if more_count := len(choices.channel_modes) - len(first_modes):
        lines.append(translate.plural("{number} more channel", "{number} more channels", more_count))
    return lines or [
        translate(
            "The same mode in all channels (for a single channel, use the options `mode` and `channel`)"
        )
    ]


def lexicon_rule(translate: Translator) -> str:
    return translate("A lexicon's name can have up to 32 letters and digits, for example NWL23 or CSW24.")


# The daily puzzle


def daily_settings_line(settings: DailySettings | None, translate: Translator) -> str:
    if settings is None:
        return translate("Daily puzzle: none")
    return translate(
        "Daily puzzle: in {channel}, at {hour}, {zone}",
        channel=f"<#{settings.channel_id}>",
        hour=f"{settings.hour}:00",
        zone=escape(settings.zone),
    )


async def _make_daily_form(press: Press) -> Form:
    translate, guild = await press.translator(), press.interaction.guild
    assert guild is not None  # because ``require_manager`` succeeded
    dailies = await press.require_service(DAILIES)
    settings = await dailies.store.daily_settings(guild.id) or replace(
        _DEFAULT_DAILY, channel_id=press.channel_id
    )
    channels = sorted(
        guild.text_channels, key=lambda channel: (channel.id != settings.channel_id, channel.position)
    )
    games = (
        Choice(PuzzleKind.CROSSWORD, translate("crossword games")),
        Choice(PuzzleKind.CHESS, translate("chess")),
    )
    levels = (
        Choice(PuzzleLevel.NORMAL, translate("All puzzles")),
        Choice(PuzzleLevel.EASY, translate("The easier half")),
        Choice(PuzzleLevel.HARD, translate("The harder half")),
    )
    fields = (
        Field(
            "channel_id",
            translate("Channel"),
            str(settings.channel_id),
            "menu",
            tuple(Choice(str(channel.id), channel.name[:100]) for channel in channels[:MAX_CHOICES]),
            required=False,
            hint=translate("Without a channel there is no daily puzzle."),
        ),
        Field("hour", translate("Hour, from 0 to 23"), str(settings.hour), max_length=2),
        Field("zone", translate("Time zone"), settings.zone, placeholder="Europe/Paris", max_length=64),
        Field("games", translate("Games"), settings.games.replace(",", " "), "boxes", games),
        Field("level", translate("Level"), settings.level, "radio", levels),
    )
    return Form(translate("Daily puzzle"), fields, _submit_daily)


async def _submit_daily(press: Press, values: Mapping[str, str]) -> None:
    guild_id = await require_manager(press)
    await press.defer()  # the database may take longer than Discord waits for an acknowledgement
    translate, hour = await press.translator(), values["hour"].strip()
    if not values["channel_id"]:
        card = await stop_daily(press, guild_id)
    elif not (hour.isascii() and hour.isdecimal() and int(hour) < 24):
        raise RefusalError.with_text(translate("The hour must be a number from 0 to 23."))
    else:
        card = await set_daily(
            press,
            {
                **values,
                "channel_id": int(values["channel_id"]),
                "hour": int(hour),
                "zone": values["zone"].strip(),
                "games": values["games"].replace(" ", ","),
            },
        )
    await press.edit(card)


async def stop_daily(press: Press, guild_id: int) -> Card:
    await (await press.require_service(DAILIES)).stop(guild_id)
    return _daily_card([daily_settings_line(None, await press.translator())])


async def set_daily(press: Press, options: Mapping[str, Any]) -> Card:
    """Apply ``options`` to the server's daily puzzle, and show its settings.

    Raises:
        RefusalError: no channel has been chosen, or a value is invalid.

    """
    translate, guild = await press.translator(), press.interaction.guild
    assert guild is not None  # because ``require_manager`` succeeded
    dailies = await press.require_service(DAILIES)
    if not options and (current_settings := await dailies.store.daily_settings(guild.id)) is not None:
        return _daily_card([daily_settings_line(current_settings, translate)])
    if find_zone(options.get("zone", "UTC")) is None:
        raise RefusalError.with_text(
            translate("There is no time zone {zone}. Try Europe/Paris or UTC.", zone=escape(options["zone"]))
        )
    if options.get("role_id") == guild.id:  # the id of the role @everyone
        raise RefusalError.with_text(
            translate("A daily can't mention @everyone. Choose a role that members can give themselves.")
        )

    def change(current_settings: DailySettings | None) -> DailySettings:
        if current_settings is None and "channel_id" not in options:
            raise RefusalError.with_text(
                translate("Use the `channel` option to choose a channel for the daily puzzle.")
            )
        return replace(current_settings or _DEFAULT_DAILY, **options)

    settings, due = await dailies.configure(guild.id, change)
    lines = [
        daily_settings_line(settings, translate),
        translate("Next daily: {when}.", when=f"<t:{int(due.timestamp())}:R>"),
    ]
    channel = guild.get_channel(settings.channel_id)
    if channel is not None and not bot_has_permissions_in(channel, *SEND_PERMISSIONS):
        lines.append(translate("⚠ Kibitz can't send messages in {channel} yet.", channel=channel.mention))
    if settings.role_id is not None:
        lines.append(translate("Each post mentions {role}.", role=f"<@&{settings.role_id}>"))
    return _daily_card(lines)


def _daily_card(lines: list[str]) -> Card:
    return Card("\n".join(lines), controls=(SettingsForm("server", "daily"),), accent="settings")
