"""The ids of puzzles, dailies and polls."""

from __future__ import annotations

from typing import Annotated, Final

from bot.chat.control import Control, Part, control
from bot.chat.parts import DIGEST, TURN, number_part
from bot.features.puzzles.wanted import Kind, Level, Wanted

_PUZZLE: Final = Part(rf"[A-Za-z0-9]{{0,16}}|{DIGEST.looks}\.{TURN.looks}")
"""The id of a puzzle, or where it stands in a posted file; empty where only the next one is offered."""

_THEME: Final = Part(
    "(?::[A-Za-z][A-Za-z0-9-]{1,23})?", lambda text: text[1:], lambda theme: theme and f":{theme}"
)
"""What a puzzle was asked to be about: at least two characters, so that none is a level."""

_LEVELS: Final = {"": Level.USUAL, ":e": Level.EASY, ":h": Level.HARD}
_LEVEL: Final = Part(
    "(?::[eh])?", _LEVELS.__getitem__, {level: text for text, level in _LEVELS.items()}.__getitem__
)


def _file_of(name: str) -> str | None:
    digest, dot, _ = name.partition(".")
    return digest if dot else None


@control("puzzle:{game}:{name}:{what}{level}{theme}")
class PuzzleId(Control):
    """Answers a puzzle, by a form or by menus, takes a hint, asks for the solution or for the next one."""

    game: Annotated[str, Part("crossword|chess")]
    name: Annotated[str, _PUZZLE]
    what: Annotated[str, Part("[ahsnm]")]
    level: Annotated[Level, _LEVEL] = Level.USUAL
    theme: Annotated[str, _THEME] = ""

    @property
    def wanted(self) -> Wanted:
        """The puzzle, as it was asked for."""
        return Wanted(Kind(self.game), self.name, self.theme, self.level)

    @property
    def document(self) -> str | None:
        """The digest of the file, where the puzzle is one of a posted file."""
        return _file_of(self.name)


@control("pick:{name}:{start}:{place}{level}{theme}")
class PickId(Control):
    """A menu of the moves of a chess puzzle: of the pieces, from place 5 on of what the chosen one can do."""

    name: Annotated[str, _PUZZLE]
    start: Annotated[str, Part("(?:[a-h][1-8]|[A-Z]@)?")]
    place: Annotated[int, number_part(1)]
    level: Annotated[Level, _LEVEL] = Level.USUAL
    theme: Annotated[str, _THEME] = ""

    @property
    def wanted(self) -> Wanted:
        """The puzzle, as it was asked for."""
        return Wanted(Kind.CHESS, self.name, self.theme, self.level)

    @property
    def document(self) -> str | None:
        """The digest of the file, where the puzzle is one of a posted file."""
        return _file_of(self.name)


@control("daily:{game}:{number}:{what}")
class DailyId(Control):
    """Shows the board of dailies, tells everybody how one did, or lets one be named."""

    game: Annotated[str, Part("crossword|chess")]
    number: Annotated[int, number_part(5)]
    what: Annotated[str, Part("[bsm]")]
