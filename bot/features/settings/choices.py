"""The settings of servers and users, their choices, and the labels of the choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final, TypeAlias

from bot.chat.card import Choice
from bot.domain.reading.problems import Phrase
from bot.storage.settings import ServerSettings, SettingsT, UserSettings
from bot.text import LANGUAGES, Translator
from render.theme import theme_names

DEFAULT: Final = "default"
"""The value that resets a setting to its default."""

LEXICA: Final = (
    "SCOWL95", "SCOWL80", "CROSSWD", "NWL23", "NWL20", "NWL18", "OTCWL16", "OSPD6", "CSW24", "CSW21", "CSW19", "ECWL", "ENABLE", "FRA24", "FRA20",
    "ODS9", "RD28", "Deutsch", "FISE2", "FILE2017", "DISC2", "OSPS50", "OSPS49", "NSF23", "DSW25", "SLV",
)  # fmt: skip
"""Suggested lexica. Users can also enter other names."""

StoredSettings: TypeAlias = ServerSettings | UserSettings


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting that has a few choices. ``name`` is its field in the stored settings."""

    name: str
    title: Phrase
    choices: tuple[Choice, ...]
    """Labels that are not a :class:`Phrase`, such as names of languages, are the same in every language."""
    default_effect: Phrase
    """The effect if nothing was chosen."""
    default_effect_in_server: Phrase | None = None
    """The effect if a server has chosen nothing. None if this is the same as ``default_effect``."""
    is_yes_or_no: bool = False


def _yes_or_no_setting(  # noqa: PLR0917 - the fields of a setting
    name: str, title: Phrase, yes: Phrase, no: Phrase, default_effect: Phrase, in_server: Phrase | None = None
) -> Setting:
    return Setting(
        name,
        title,
        (Choice("yes", yes), Choice("no", no)),
        default_effect,
        in_server,
        is_yes_or_no=True,
    )


MODE: Final = Setting(
    "mode",
    Phrase("Replies"),
    (
        Choice("auto", Phrase("Reply to every position")),
        Choice("pictures", Phrase("Reply to every position, including positions in pictures")),
        Choice("on_request", Phrase("Reply on request: press 🔍 to see the reply")),
        Choice("off", Phrase("Reply only to commands and mentions")),
    ),
    Phrase("Replies to every position"),
)
_THEMES: Final = {
    "light": Phrase("Light theme"),
    "dark": Phrase("Dark theme"),
    "contrast": Phrase("High-contrast theme"),
    "colourblind": Phrase("Colour-blind safe theme"),
}
THEME: Final = Setting(
    "theme",
    Phrase("Theme"),
    tuple(Choice(name, _THEMES.get(name, name)) for name in sorted(theme_names(), key=[*_THEMES].index)),
    Phrase("Theme: same as the server"),
    Phrase("Theme: default"),
)
LAYOUT: Final = Setting(
    "layout",
    Phrase("Layout"),
    (
        Choice("wide", Phrase("Panel beside the board")),
        Choice("tall", Phrase("Panel above and below, for phones")),
        Choice("board", Phrase("Board only")),
    ),
    Phrase("Layout: same as the server"),
    Phrase("Layout: default"),
)
COORDINATES: Final = _yes_or_no_setting(
    "coordinates",
    Phrase("Coordinates"),
    Phrase("With coordinates"),
    Phrase("Without coordinates"),
    Phrase("Coordinates: same as the server"),
    Phrase("Coordinates: default"),
)
LANGUAGE: Final = Setting(
    "language",
    Phrase("Language"),
    tuple(Choice(code, name) for code, name in LANGUAGES.items()),
    Phrase("Language: same as your Discord"),
    Phrase("Language: from the server's Discord settings"),
)
BROKEN_POSITIONS: Final = _yes_or_no_setting(
    "questions",
    Phrase("Broken positions"),
    Phrase("Broken positions get a ❓; press it to see the reason"),
    Phrase("Broken positions are ignored"),
    Phrase("Broken positions get a ❓; press it to see the reason"),
)
LIVE_GAMES: Final = Setting(
    "live",
    Phrase("Live games"),
    (
        Choice("channel", Phrase("Live games stay in the channel")),
        Choice("thread", Phrase("Each live game gets a thread")),
    ),
    Phrase("Live games stay in the channel"),
)
TURN_MENTIONS: Final = _yes_or_no_setting(
    "turns",
    Phrase("Mentions"),
    Phrase("Mention me when it is my turn in a live game"),
    Phrase("Never mention me"),
    Phrase("Never mention me"),
)
TURN_MENTIONS_IN_SERVER: Final = _yes_or_no_setting(
    "turns",
    Phrase("Mentions"),
    Phrase("Players who opted in are mentioned when it is their turn"),
    Phrase("No mentions"),
    Phrase("Players who opted in are mentioned when it is their turn"),
)

STORED_GAMES: Final = _yes_or_no_setting(
    "games",
    Phrase("Finished games"),
    Phrase("Store my finished games for `/review last`"),
    Phrase("Do not store my games"),
    Phrase("Do not store my games"),
)

WHOSE_APPEARANCE: Final = _yes_or_no_setting(
    "looks",
    Phrase("Whose appearance"),
    Phrase("Replies use the appearance that their recipient has chosen"),
    Phrase("Replies use the server's appearance"),
    Phrase("Replies use the server's appearance"),
)

SHOW_NAME: Final = _yes_or_no_setting(
    "named",
    Phrase("Name on leaderboards"),
    Phrase("Show my name on leaderboards and with daily solutions"),
    Phrase("Hide my name on leaderboards and with daily solutions"),
    Phrase("Hide my name on leaderboards and with daily solutions"),
)

SERVER_SETTINGS: Final = (
    MODE,
    BROKEN_POSITIONS,
    LIVE_GAMES,
    TURN_MENTIONS_IN_SERVER,
    WHOSE_APPEARANCE,
    THEME,
    LAYOUT,
    COORDINATES,
    LANGUAGE,
)
USER_SETTINGS: Final = (TURN_MENTIONS, SHOW_NAME, STORED_GAMES, THEME, LAYOUT, COORDINATES, LANGUAGE)
APPEARANCE_SETTINGS: Final = frozenset({"theme", "layout", "coordinates", "language"})
SETTINGS: Final = {setting.name: setting for setting in (*SERVER_SETTINGS, *USER_SETTINGS)}


def value_of(settings: StoredSettings, setting: Setting) -> str | None:
    """Return the chosen value, or None if nothing was chosen or this version has no such value."""
    value = getattr(settings, setting.name)
    if setting.is_yes_or_no and value is not None:
        value = "yes" if value else "no"
    return value if any(choice.value == value for choice in setting.choices) else None


def with_choices(settings: SettingsT, changes: Mapping[str, str]) -> SettingsT:
    """Return settings with some values changed. The value :data:`DEFAULT` resets a setting.

    Raises:
        ValueError: a value is not one of the setting's choices.

    """
    values = asdict(settings)
    for name, value in changes.items():
        setting = SETTINGS.get(name)
        if value == DEFAULT:
            values[name] = None
        elif setting is None:  # the lexicon or the aliases
            values[name] = value
        elif all(choice.value != value for choice in setting.choices):
            raise ValueError(f"{value!r} can't be chosen as {name}")
        else:
            values[name] = value == "yes" if setting.is_yes_or_no else value
    return type(settings)(**values)


def label_of(setting: Setting, value: str | None, translate: Translator, *, for_server: bool) -> str:
    for choice in setting.choices:
        if choice.value == value:
            return translate.name(choice.label)
    return translate((setting.default_effect_in_server if for_server else None) or setting.default_effect)
