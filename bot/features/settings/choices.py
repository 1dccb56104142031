"""What can be chosen in the settings, and what each choice is called."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final, TypeAlias, TypeVar

from bot.domain.reading.problems import Phrase
from bot.storage.settings import ServerSettings, UserSettings
from bot.text import LANGUAGES, Speaker
from render.theme import theme_names

DEFAULT: Final = "default"
"""The value of the choice that takes a choice back."""

LEXICA: Final = (
    "SCOWL80", "CROSSWD", "NWL23", "NWL20", "NWL18", "OTCWL16", "OSPD6", "CSW24", "CSW21", "CSW19", "ECWL", "ENABLE", "FRA24", "FRA20", "ODS9",
    "RD28", "Deutsch", "FISE2", "FILE2017", "DISC2", "OSPS50", "OSPS49", "NSF23", "DSW25", "SLV",
)  # fmt: skip
"""Names of lexica in use, offered while somebody types; any other can be typed, too."""

Settings: TypeAlias = ServerSettings | UserSettings
Chosen = TypeVar("Chosen", ServerSettings, UserSettings)


@dataclass(frozen=True, slots=True)
class Choice:
    """One value and what it is called; a name that is no :class:`Phrase` is the same in every language."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Question:
    """Something to choose. ``name`` is the field in the settings."""

    name: str
    choices: tuple[Choice, ...]
    otherwise: Phrase
    """What a person gets who chose nothing."""
    otherwise_in_server: Phrase | None = None
    """What a server gets that chose nothing; None for the same."""
    is_yes_or_no: bool = False
    """Whether the field is a truth value."""

    def unset(self, *, server: bool) -> Phrase:
        """Return what applies when nothing is chosen."""
        return (self.otherwise_in_server if server else None) or self.otherwise


def _yes_or_no(
    name: str, yes: Phrase, no: Phrase, otherwise: Phrase, in_server: Phrase | None = None
) -> Question:
    """Make a question that is answered by yes or no."""
    choices = (Choice("yes", yes), Choice("no", no))
    return Question(name, choices, otherwise, in_server, is_yes_or_no=True)


MODE: Final = Question(
    "mode",
    (
        Choice("auto", Phrase("Answer every position")),
        Choice("pictures", Phrase("Answer every position, also on pictures")),
        Choice("on_request", Phrase("Answer on request: press 🔍 to see it")),
        Choice("off", Phrase("Stay silent unless called")),
    ),
    Phrase("Answering: every position"),
)
_THEMES: Final = {
    "light": Phrase("Light theme"),
    "dark": Phrase("Dark theme"),
    "contrast": Phrase("High-contrast theme"),
    "colourblind": Phrase("Colour-blind safe theme"),
}
THEME: Final = Question(
    "theme",
    tuple(Choice(name, _THEMES.get(name, name)) for name in sorted(theme_names(), key=[*_THEMES].index)),
    Phrase("Theme: as in the server"),
    Phrase("Theme: the usual one"),
)
LAYOUT: Final = Question(
    "layout",
    (
        Choice("wide", Phrase("Panel beside the board")),
        Choice("tall", Phrase("Panel above and below, for telephones")),
        Choice("board", Phrase("Board alone")),
    ),
    Phrase("Layout: as in the server"),
    Phrase("Layout: the usual one"),
)
COORDINATES: Final = _yes_or_no(
    "coordinates",
    Phrase("With coordinates"),
    Phrase("Without coordinates"),
    Phrase("Coordinates: as in the server"),
    Phrase("Coordinates: the usual way"),
)
LANGUAGE: Final = Question(
    "language",
    tuple(Choice(code, name) for code, name in LANGUAGES.items()),
    Phrase("Language: as in your Discord"),
    Phrase("Language: as in the server's Discord settings"),
)
BROKEN: Final = _yes_or_no(
    "questions",
    Phrase("Broken positions get a ❓, to be pressed for the reason"),
    Phrase("Broken positions are passed over"),
    Phrase("Broken positions get a ❓, to be pressed for the reason"),
)
LIVE: Final = Question(
    "live",
    (
        Choice("channel", Phrase("Live games stay in the channel")),
        Choice("thread", Phrase("Each live game gets a thread")),
    ),
    Phrase("Live games stay in the channel"),
)
TURNS: Final = _yes_or_no(
    "turns",
    Phrase("Mention me when it is my turn in a live game"),
    Phrase("Never mention me"),
    Phrase("Never mention me"),
)
TURNS_IN_SERVER: Final = _yes_or_no(
    "turns",
    Phrase("Players who want it are mentioned when it is their turn"),
    Phrase("Nobody is mentioned, whatever they want"),
    Phrase("Players who want it are mentioned when it is their turn"),
)

GAMES: Final = _yes_or_no(
    "games",
    Phrase("Keep my finished games for `/review last`"),
    Phrase("Keep no list of my games"),
    Phrase("Keep no list of my games"),
)

LOOKS: Final = _yes_or_no(
    "looks",
    Phrase("Each answer looks as the one I answer chose"),
    Phrase("All answers look as the server chose"),
    Phrase("All answers look as the server chose"),
)

NAMED: Final = _yes_or_no(
    "named",
    Phrase("I may be named on boards and among those who solved a daily"),
    Phrase("I am not named on boards or for dailies"),
    Phrase("I am not named on boards or for dailies"),
)

FOR_SERVER: Final = (MODE, THEME, LAYOUT, COORDINATES, LANGUAGE)
"""What the server's panel has menus for: as many as a message can have."""
BY_OPTION: Final = (BROKEN, LIVE, TURNS_IN_SERVER, LOOKS)
"""What a server chooses by the command's options alone."""
FOR_PERSON: Final = (THEME, LAYOUT, COORDINATES, LANGUAGE, TURNS)
BY_OPTION_FOR_PERSON: Final = (NAMED, GAMES)
"""What a person chooses by the command's options alone."""
QUESTIONS: Final = {question.name: question for question in (*FOR_SERVER, *BY_OPTION, *BY_OPTION_FOR_PERSON)}


def chosen_value(settings: Settings, name: str) -> str | None:
    """Return the value chosen for a question, None when nothing is, or nothing that is still known."""
    value = getattr(settings, name)
    if QUESTIONS[name].is_yes_or_no and value is not None:
        value = "yes" if value else "no"
    return value if any(choice.value == value for choice in QUESTIONS[name].choices) else None


def with_choice(settings: Chosen, name: str, value: str | None) -> Chosen:
    """Return settings with another choice; None or :data:`DEFAULT` takes it back.

    Raises:
        ValueError: the value cannot be chosen.

    """
    value = None if value == DEFAULT else value
    question = QUESTIONS.get(name)
    if (
        question is not None
        and value is not None
        and value not in {choice.value for choice in question.choices}
    ):
        raise ValueError(f"{value!r} cannot be chosen as {name}")
    kept = asdict(settings)
    is_truth = question is not None and question.is_yes_or_no and value is not None
    kept[name] = value == "yes" if is_truth else value
    return type(settings)(**kept)


def with_choices(settings: Chosen, chosen: dict[str, str]) -> Chosen:
    """Return settings with several other choices, by their names.

    Raises:
        ValueError: a value cannot be chosen.

    """
    for name, value in chosen.items():
        settings = with_choice(settings, name, value)
    return settings


def label_of(question: Question, value: str | None, say: Speaker, *, server: bool) -> str:
    """Say what is chosen."""
    for choice in question.choices:
        if choice.value == value:
            return say.name(choice.label)
    return say(question.unset(server=server))
