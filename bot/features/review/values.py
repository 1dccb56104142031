"""Depths, questions, accuracy and player statistics, for both kinds of games."""

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
    """A request for the review of a game, or of one of its turns."""

    moment: Moment
    """The game, and the turn on the card or 0 for the whole game."""
    style: Style = field(default_factory=Style)
    lexicon: str = ""
    """The requested lexicon, or empty for the game's lexicon or a preferred one."""
    depth: Depth = Depth.QUICK
    poster: str = ""
    """The name of the user who posts the card to the channel, if any."""


@dataclass(frozen=True, slots=True)
class OwnGamesRequest:
    """A request to review the latest games that a user posted in a server."""

    user_id: int
    guild_id: int
    last: int
    """The maximum number of games."""
    style: Style
    lexicon: str = ""
    """Empty for each game's lexicon."""
    depth: Depth = Depth.QUICK


def accuracy(loss: float) -> float:
    """Return the accuracy, from 0 to 100, of a move that lowers the win chance by ``loss`` percentage points.

    The formula is lichess'. The 1 at its end allows for inexact evaluations.
    """
    return max(
        0.0, min(100.0, 103.1668100711649 * math.exp(-0.04354415386753951 * loss) - 3.166924740191411 + 1)
    )


MAX_LESSONS: Final = 12
"""Maximum number of turns in a lesson."""


class ChessPhase(StrEnum):
    """The phase of a chess game."""

    OPENING = "opening"
    MIDDLEGAME = "middlegame"
    ENDGAME = "endgame"


@dataclass(frozen=True, slots=True)
class PlayerReview:
    """A player's statistics over one or several games. Values that are unknown or that the kind of game lacks are None."""

    name: str
    won: float
    """The sum over the games: 1 for a win, ½ for a tie."""
    accuracy: float | None
    """The mean over the turns; in chess, lichess' game accuracy. None if too few turns are judged."""
    mistake_index: float | None = None
    """Mistakes per game: small mistakes count 0.2, medium mistakes 0.5, large mistakes 1. None if too few turns are judged."""
    bingos: int | None = None
    missed_bingos: int | None = None
    luck: float | None = None
    """Estimated points per game by which the draws were better than average, or None if too few draws are known."""
    centipawns_lost: float | None = None
    """The mean loss per move, or None if too few moves are judged. Over several games, each game has the same weight."""
    blunders: int | None = None
    """The number of large mistakes in chess."""
    points: int | None = None
    """The final score of one crossword game."""
    games: int = 1
    games_judged: int = 0
    """The number of games with a known accuracy, in statistics over several games."""
    turns: int = 0
    """The number of plays, exchanges and passes, or of moves. This field and all following fields are set only for one game."""
    judged: int = 0
    """The number of judged turns."""
    mistakes: tuple[int, int, int] = (0, 0, 0)
    """The numbers of small, medium and large mistakes; in chess, of inaccuracies, mistakes and blunders."""
    points_lost: float = 0.0
    elo: tuple[int, int] | None = None
    """The range of ratings that the play suggests, in deep reviews of English games."""
    only_moves: int = 0
    """The number of positions with only one good move."""
    only_moves_found: int = 0
    phases: tuple[tuple[ChessPhase, int, float], ...] = ()
    """Each phase of a chess game, with its number of judged moves and their accuracy."""


def merge_players(games: Iterable[PlayerReview]) -> tuple[PlayerReview, ...]:
    """Merge the statistics of each player's games. Sort the players by number of games, then by accuracy, highest first.

    Names may differ in case and spaces.
    """
    by_name: dict[str, list[PlayerReview]] = {}
    for game in games:
        by_name.setdefault(" ".join(game.name.split()).casefold(), []).append(game)
    players = map(merge_games, by_name.values())
    return tuple(sorted(players, key=lambda player: (-player.games, -(player.accuracy or 0.0), player.name)))


def merge_games(games: Sequence[PlayerReview]) -> PlayerReview:
    """Merge a player's games into means and sums of the known values."""

    def known_values(name: str) -> list[float]:
        return [value for game in games if (value := getattr(game, name)) is not None]

    def mean(name: str) -> float | None:
        return sum(values) / len(values) if (values := known_values(name)) else None

    def count(name: str) -> int | None:
        return int(sum(values)) if (values := known_values(name)) else None

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
        games_judged=len(known_values("accuracy")),
    )


STATISTICS: Final = (
    "mistake_index", "accuracy", "bingos", "missed_bingos", "luck", "centipawns_lost", "blunders",
)  # fmt: skip
"""The statistics of a player that are columns in CSV files."""


def players_csv(players: Sequence[PlayerReview]) -> str:
    """Write player statistics as CSV."""
    names = ("name", "games", "games_judged", "won", *STATISTICS)
    rows = ([getattr(player, name) for name in names] for player in players)
    return csv_text(("player", "games", "judged", "won", *STATISTICS), rows)


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a table as CSV (RFC 4180). None becomes an empty cell."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(header)
    writer.writerows(map(_cell, row) for row in rows)
    return buffer.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        # A spreadsheet would run a string with one of these characters at its start as a formula.
        return f"'{value}" if value[:1] in {"=", "+", "-", "@", "\t", "\r"} else value
    return f"{value:.4g}" if isinstance(value, float) else str(value)
