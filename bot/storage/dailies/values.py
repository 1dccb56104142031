"""Dailies as plain values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias


@dataclass(frozen=True, slots=True)
class DailySettings:
    """Where and when a server gets which dailies; values are words of the program, as in ``ServerSettings``."""

    channel_id: int
    hour: int
    zone: str
    games: str
    """The games, with commas between them."""
    level: str
    role_id: int | None = None
    """Who is told of each."""


@dataclass(frozen=True, slots=True)
class DailyDue:
    """A server whose next daily is due."""

    guild_id: int
    settings: DailySettings
    due: datetime


ELSEWHERE: Final = 0
"""Stands for a server in the key of a daily that is answered where that server is not known, as in private messages."""


@dataclass(frozen=True, slots=True)
class DailyKey:
    """The daily of a number and a game in a server."""

    guild_id: int
    """The server, or :data:`ELSEWHERE`."""
    number: int
    game: str


@dataclass(frozen=True, slots=True)
class DailyPost:
    """A daily that was posted."""

    key: DailyKey
    puzzle: str
    channel_id: int
    message_id: int
    changes: int
    """How often what its counts tell has changed."""


@dataclass(frozen=True, slots=True)
class DailyCounts:
    """How a daily goes in a server."""

    tried: int
    solved: int
    first: int
    """Solved by the first answer."""


@dataclass(frozen=True, slots=True)
class KeptStreak:
    """Somebody's streak, as :class:`bot.features.puzzles.daily.Streak` has it."""

    days: int = 0
    best: int = 0
    last: int = 0
    frozen: int = 0


@dataclass(frozen=True, slots=True)
class Leader:
    """Somebody on a board, and what dailies were worth."""

    user_id: int
    named: bool
    """Whether the person wants to be named."""
    stars: int
    solved: int


@dataclass(frozen=True, slots=True)
class Solver:
    """Somebody who solved a daily and wants to be named."""

    user_id: int
    streak: int
    """Days; as it was told last."""


Streaking: TypeAlias = Callable[[KeptStreak, Sequence[int]], KeptStreak]
"""Returns a streak after a daily was solved; the numbers are those missed since the last one."""
