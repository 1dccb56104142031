"""Values that reviews of both games share: depth, questions, accuracy, and the figures of players."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from bot.chat.card import Moment, Style
from bot.domain.reading.problems import DomainError


class Depth(StrEnum):
    """The thoroughness of a review."""

    QUICK = "quick"
    DEEP = "deep"


class ReviewError(DomainError):
    """The game cannot be reviewed."""


@dataclass(frozen=True, slots=True)
class ReviewQuestion:
    """Names a review of one game, and how its cards look."""

    moment: Moment
    """The game; its turn is the one the card shows, 0 for the whole game."""
    style: Style = field(default_factory=Style)
    lexicon: str = ""
    """The requested lexicon; empty for the game's own, or else a preferred one."""
    depth: Depth = Depth.QUICK
    poster: str = ""
    """The name of the person who posts the card to the channel; empty for an ordinary answer."""


@dataclass(frozen=True, slots=True)
class LookBack:
    """A request for the latest games that a person posted in a server."""

    user_id: int
    guild_id: int
    last: int
    """The maximum number of games."""
    style: Style
    lexicon: str = ""
    """The requested lexicon; empty for the lexicon of each game."""
    depth: Depth = Depth.QUICK


def accuracy(lost: float) -> float:
    """Return the accuracy, 0 to 100, of a move that loses ``lost`` percentage points of the chance to win.

    The formula and its constants are those of lichess; the last summand allows for inexact evaluations.
    """
    if lost <= 0:
        return 100.0
    return max(
        0.0, min(100.0, 103.1668100711649 * math.exp(-0.04354415386753951 * lost) - 3.166924740191411 + 1)
    )


MAX_LESSONS: Final = 12
"""Maximum number of turns of one player in a lesson."""


class ChessPhase(StrEnum):
    """The part of a chess game, by the pieces on the board."""

    OPENING = "opening"
    MIDDLEGAME = "middlegame"
    ENDGAME = "endgame"


@dataclass(frozen=True, slots=True)
class PlayerReview:
    """A player's figures in one game, or in several together. None for an unknown figure, or one the game lacks."""

    name: str
    won: float
    """1 for a win, ½ for a tie; summed over games."""
    accuracy: float | None
    """The mean of the turns; in chess lichess' game accuracy. None when too few turns are judged."""
    mistake_index: float | None = None
    """0.2 for a small, 0.5 for a medium, 1 for a large mistake; None when too few turns are judged."""
    bingos: int | None = None
    missed_bingos: int | None = None
    luck: float | None = None
    """Estimated points by which the drawn tiles were better than average; None when too few draws are known."""
    centipawns_lost: float | None = None
    """Mean of a move; every game counts alike. None when too few moves are judged."""
    blunders: int | None = None
    """The large mistakes of a chess player."""
    points: int | None = None
    """The final score of one crossword game."""
    games: int = 1
    games_judged: int = 0
    """Games of several with a known accuracy."""
    turns: int = 0
    """Plays, exchanges and passes, or moves. This and the following figures are of one game."""
    judged: int = 0
    mistakes: tuple[int, int, int] = (0, 0, 0)
    """Small, medium and large mistakes; in chess inaccuracies, mistakes and blunders."""
    points_lost: float = 0.0
    """The losses of all turns together."""
    elo: tuple[int, int] | None = None
    """The range of ratings that fits the play in this game; only in deep reviews of English games."""
    only_moves: int = 0
    """The number of only moves."""
    only_moves_found: int = 0
    phases: tuple[tuple[ChessPhase, int, float], ...] = ()
    """The number of judged moves and their accuracy, by part of a chess game."""


def together(games: Iterable[PlayerReview]) -> tuple[PlayerReview, ...]:
    """Return the players of games, those with most games first, then the most accurate.

    Names are compared without regard to case and spaces.
    """
    by_name: dict[str, list[PlayerReview]] = {}
    for game in games:
        by_name.setdefault(" ".join(game.name.split()).casefold(), []).append(game)
    players = map(total, by_name.values())
    return tuple(sorted(players, key=lambda player: (-player.games, -(player.accuracy or 0.0), player.name)))


def total(games: Sequence[PlayerReview]) -> PlayerReview:
    """Return the games of one player together: means and sums of what is known. There must be a game."""

    def known(name: str) -> list[float]:
        return [value for game in games if (value := getattr(game, name)) is not None]

    def mean(name: str) -> float | None:
        return sum(values) / len(values) if (values := known(name)) else None

    def count(name: str) -> int | None:
        return int(sum(values)) if (values := known(name)) else None

    return PlayerReview(
        games[0].name,
        sum(game.won for game in games),
        mean("accuracy"),
        mean("mistake_index"),
        count("bingos"),
        count("missed_bingos"),
        mean("luck"),
        mean("centipawns_lost"),
        count("blunders"),
        games=len(games),
        games_judged=len(known("accuracy")),
    )


_FIGURES: Final = (
    "name", "games", "games_judged", "won", "mistake_index", "accuracy", "bingos", "missed_bingos", "luck",
    "centipawns_lost", "blunders",
)  # fmt: skip


def players_csv(players: Sequence[PlayerReview]) -> str:
    """Write players as CSV."""
    head = ("player", "games", "judged", *_FIGURES[3:])
    return csv_text(head, ([getattr(player, name) for name in _FIGURES] for player in players))


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a table as CSV (RFC 4180) with a header line. Cells of None are empty."""
    written = io.StringIO()
    lines = csv.writer(written)
    lines.writerow(head)
    lines.writerows(map(_cell, row) for row in rows)
    return written.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        # A spreadsheet would evaluate a text that starts with one of these.
        return f"'{value}" if value[:1] in {"=", "+", "-", "@", "\t", "\r"} else value
    return f"{value:.4g}" if isinstance(value, float) else str(value)
