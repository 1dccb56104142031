"""One turn of a game, and what goes with it: notes, comments, racks that were shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from bot.domain.crossword.play import Exchange, Pass, Placement, Play


class TurnKind(Enum):
    """What happened, in the terms of GCG's event lines."""

    PLAY = "play"
    EXCHANGE = "exchange"
    PASS = "pass"  # noqa: S105 - a turn, not a password
    PHONY_WITHDRAWN = "phony-withdrawn"
    """The player's placement right before was challenged off; its tiles went back to the rack."""
    CHALLENGE_BONUS = "challenge-bonus"
    """The player's placement right before was challenged and stood."""
    END_RACK_POINTS = "end-rack-points"
    """The player won points for the tiles left on other racks."""
    END_RACK_PENALTY = "end-rack-penalty"
    """The player lost points for the tiles left on the own rack."""
    TIME_PENALTY = "time-penalty"
    """The player lost points for overtime."""


_PLAY_TYPE: dict[TurnKind, type[Placement] | type[Exchange] | type[Pass]] = {
    TurnKind.PLAY: Placement,
    TurnKind.EXCHANGE: Exchange,
    TurnKind.PASS: Pass,
}

ORDINARY = frozenset(_PLAY_TYPE)
"""The kinds of turn after which the next player moves; the others are outcomes of challenges or of the game."""


@dataclass(frozen=True, slots=True)
class PlayerName:
    """A player: a short name without spaces, and the full name."""

    nick: str
    name: str


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with its author and date, as GCG's ``#comment`` gives them; each may be empty."""

    text: str
    author: str = ""
    date: str = ""
    """As written; ISO by the format."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One event of a game. ``player`` is a seat, from 0."""

    player: int
    kind: TurnKind
    rack: tuple[int, ...] = ()
    """The known tiles on the player's rack before the play; after it for a challenge bonus. Empty when not shown."""
    rack_unknown: int = 0
    """How many more tiles were on the rack than ``rack`` shows, as far as they were counted."""
    play: Play | None = None
    """What was done, for the ordinary kinds; None for the others."""
    tiles: tuple[int, ...] = ()
    """The tiles counted, for the two end-of-game kinds."""
    score: int = 0
    """Points won, below zero when lost, as stated."""
    cumulative: int = 0
    """The player's score after the turn, as stated."""
    note: str = ""
    """Remarks on the turn; several are on lines of their own."""
    comments: tuple[Comment, ...] = ()
    line: int = field(default=0, compare=False)
    """Line of the text that holds the turn, from 1; 0 when there is none."""

    def __post_init__(self) -> None:
        expected = _PLAY_TYPE.get(self.kind, type(None))
        if not isinstance(self.play, expected):
            raise TypeError(f"a turn of kind {self.kind.value} has no {type(self.play).__name__}")


@dataclass(frozen=True, slots=True)
class ShownRack:
    """A rack that was shown at a moment: GCG's ``#rack1``, ``#rack2`` and so on."""

    after: int
    """How many turns had been taken."""
    player: int
    tiles: tuple[int, ...]
    unknown: int = 0
    """How many more tiles there were that nobody named."""
