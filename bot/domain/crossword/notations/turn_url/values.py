"""What a Turn URL says: the settings of a game and a run of its turns, or a few of them alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from bot.domain.crossword.play import Direction, PlayerName

# The players' names in Turn URLs: ``p1n``, ``p2n`` and so on.

MAX_NAME = 50
"""Longest name of a player, in characters, as in sharewords."""

_PARAM = re.compile(r"p([1-9][0-9]{0,2})n")


def seat_of_param(param: str) -> int | None:
    """Return which player, from 0, a param names; None when it is no such param."""
    match = _PARAM.fullmatch(param)
    return int(match[1]) - 1 if match else None


def is_name(param: str) -> bool:
    """Tell whether this param names a player."""
    return seat_of_param(param) is not None


def param_of_seat(seat: int) -> str:
    """Return the param that names a player, from 0."""
    return f"p{seat + 1}n"


def default_name(seat: int) -> str:
    """Return what a player without a name is called; seats count from 0."""
    return f"Player {seat + 1}"


def shorten(name: str) -> str:
    """Return a name, at most :data:`MAX_NAME` characters of it."""
    return name[:MAX_NAME]


def with_nicks(names: Iterable[str]) -> tuple[PlayerName, ...]:
    """Give each name a nickname of its own, without spaces: ``Ann Lee`` is ``Ann_Lee``."""
    made: list[PlayerName] = []
    taken: set[str] = set()
    for seat, name in enumerate(names):
        nick = base = "_".join(name.split()) or default_name(seat).replace(" ", "_")
        number = 2
        while nick in taken:
            nick = f"{base}_{number}"
            number += 1
        taken.add(nick)
        made.append(PlayerName(nick, name))
    return tuple(made)


VERSION = "1"
SETTING_PARAMS = ("v", "board", "bingo", "bag", "racksize", "seed", "dt", "ds")
"""The Game Params besides the players' names, in the order they are written."""

DEFAULT_BINGO_BONUS = 42
DEFAULT_RACK_SIZE = 7
DEFAULT_PLAYERS = 2

Place: TypeAlias = tuple[int, int]
"""Line and column of a text, both from 1."""

Changes: TypeAlias = tuple[tuple[str, str], ...]
"""Params, as names and values, that set something while the game goes on: ``p1n`` renames the first player."""


@dataclass(frozen=True, slots=True)
class WordTurn:
    """A Word Played, with the letters that lay on the board already."""

    row: int
    """Of the first letter, from 0; so is ``column``."""
    column: int
    direction: Direction
    word: str
    """As written; dots stand between its tiles when one of them has several letters."""
    blanks: tuple[int, ...] = ()
    """Places in the word, from 0 and by tiles, of blanks laid in this turn."""
    changes: Changes = ()
    place: Place = field(default=(1, 1), compare=False)


@dataclass(frozen=True, slots=True)
class ExchangeTurn:
    """An exchange of the tiles at these places of the rack, from 0 in the order drawn; without any, a pass."""

    positions: tuple[int, ...] = ()
    changes: Changes = ()
    place: Place = field(default=(1, 1), compare=False)


UrlTurn: TypeAlias = WordTurn | ExchangeTurn


@dataclass(frozen=True, slots=True)
class Settings:
    """What is fixed before the first turn. None and the empty tuple stand for the format's default."""

    names: tuple[str, ...] = ()
    """In order of play; two players called ``Player 1`` and ``Player 2`` when empty."""
    board: str | None = None
    bingo_bonus: int | None = None
    bag: str | None = None
    rack_size: int | None = None
    seed: str | None = None
    """What the draws follow from; the game's id when None."""
    dictionary_type: str | None = None
    dictionary: str | None = None
    places: tuple[tuple[str, Place], ...] = field(default=(), compare=False, repr=False)
    """Where the value of a param stands in the text."""

    @property
    def player_names(self) -> tuple[str, ...]:
        """The players' names in order of play, ``Player 1`` and so on for those without."""
        given = self.names or ("",) * DEFAULT_PLAYERS
        return tuple(name or default_name(seat) for seat, name in enumerate(given))

    def place(self, param: str) -> Place:
        """Return where a param's value stands in the text; the start when it does not stand there."""
        return dict(self.places).get(param, (1, 1))


@dataclass(frozen=True, slots=True)
class TurnUrl:
    """A Turn URL: the history of a game from its first turn on, or a delta, some turns within it."""

    game_id: str
    turn_number: int = 1
    """The number of the first turn in ``turns``."""
    turns: tuple[UrlTurn, ...] = ()
    settings: Settings = Settings()
    """Of a history. What a delta sets is in its ``changes``."""
    changes: Changes = ()
    """Set before the first of ``turns``."""
    player_id: int | None = None
    """Whose copy of the game this is, from 1."""
    base: str = ""
    """The URL up to the ``#``; empty for a bare fragment."""
    extra: tuple[tuple[str, str], ...] = ()
    """Unknown params before the turns, kept to be written back."""

    @property
    def is_history(self) -> bool:
        """Whether it holds the game from the start."""
        return self.turn_number == 1

    @property
    def next_turn(self) -> int:
        """The number of the turn after the last one it holds."""
        return self.turn_number + len(self.turns)

    @property
    def seed(self) -> str:
        """What the draws follow from."""
        return self.game_id if self.settings.seed is None else self.settings.seed
