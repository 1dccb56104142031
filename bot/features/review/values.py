"""What reviews of both games share: how closely to look, what is asked, accuracy, and the players of several games together."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, TypeVar

from bot.domain.reading.problems import DomainError


class Depth(StrEnum):
    """How thoroughly a game is reviewed."""

    QUICK = "quick"
    DEEP = "deep"


class ReviewError(DomainError):
    """A game that is not reviewed, with a sentence that says why."""


_HEIGHT = 103.1668100711649
_DECAY = 0.04354415386753951
_FOOT = -3.166924740191411
_DOUBT = 1.0
"""What is added because evaluations are not exact."""


def accuracy(lost: float) -> float:
    """Return the accuracy of a move that loses so many points of the 0 to 100 that winning is likely; 100 for none."""
    if lost <= 0:
        return 100.0
    return max(0.0, min(100.0, _HEIGHT * math.exp(-_DECAY * lost) + _FOOT + _DOUBT))


MAX_LESSONS = 12
"""Turns of one player."""

Turn = TypeVar("Turn")


def greatest(lost: Iterable[Turn], weight: Callable[[Turn], Any]) -> tuple[Turn, ...]:
    """Return the turns that weigh most, at most :data:`MAX_LESSONS`, in the order in which they were given."""
    turns = list(lost)
    most = sorted(range(len(turns)), key=lambda place: weight(turns[place]), reverse=True)[:MAX_LESSONS]
    return tuple(turns[place] for place in sorted(most))


@dataclass(frozen=True, slots=True)
class PlayerGame:
    """What a review says of one player of a game. None where it is not known, or where the game has no such thing."""

    player: str
    won: float
    """1 for a game won, ½ for one tied."""
    accuracy: float | None
    mistake_index: float | None = None
    bingos: int | None = None
    missed_bingos: int | None = None
    luck: float | None = None
    """Points that the tiles drawn were better than average, an estimate."""
    centipawns_lost: float | None = None
    """Mean of a move."""
    blunders: int | None = None
    points: int | None = None
    """The final score of a crossword game."""


@dataclass(frozen=True, slots=True)
class PlayerGames:
    """A player's games together: means of those in which a figure is known, and sums of what is counted."""

    player: str
    """As in the first game."""
    games: int
    judged: int
    """Of how many the accuracy is known."""
    won: float
    mistake_index: float | None
    accuracy: float | None
    bingos: int | None
    missed_bingos: int | None
    luck: float | None
    """Mean of a game."""
    centipawns_lost: float | None
    """Mean of a move, every game counting alike."""
    blunders: int | None


def together(games: Iterable[PlayerGame]) -> tuple[PlayerGames, ...]:
    """Return the players of games, whoever has most games first, then whoever plays best.

    A player is known by the name, in capitals or not.
    """
    by_name: dict[str, list[PlayerGame]] = {}
    for game in games:
        by_name.setdefault(" ".join(game.player.split()).casefold(), []).append(game)
    found = [total(own) for own in by_name.values()]
    return tuple(sorted(found, key=lambda one: (-one.games, -(one.accuracy or 0.0), one.player)))


def total(games: Sequence[PlayerGame]) -> PlayerGames:
    """Return games of one player together; at least one."""
    return PlayerGames(
        games[0].player,
        len(games),
        sum(game.accuracy is not None for game in games),
        sum(game.won for game in games),
        _mean(game.mistake_index for game in games),
        _mean(game.accuracy for game in games),
        _total(game.bingos for game in games),
        _total(game.missed_bingos for game in games),
        _mean(game.luck for game in games),
        _mean(game.centipawns_lost for game in games),
        _total(game.blunders for game in games),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _total(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def players_csv(players: Sequence[PlayerGames]) -> str:
    """Return players as CSV (RFC 4180) with a line of titles; what is not known is empty."""
    written = io.StringIO()
    lines = csv.writer(written)
    lines.writerow(field.name for field in fields(PlayerGames))
    for player in players:
        lines.writerow(cell(getattr(player, field.name)) for field in fields(PlayerGames))
    return written.getvalue()


def cell(value: object) -> str:
    """Return a value as a cell of a CSV file; None is empty."""
    if value is None:
        return ""
    if isinstance(value, str):
        # A spreadsheet would compute what begins so.
        return f"'{value}" if value[:1] in {"=", "+", "-", "@", "\t", "\r"} else value
    return f"{value:.4g}" if isinstance(value, float) else str(value)
