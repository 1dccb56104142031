"""Types for review requests, and players' accuracy and statistics."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from operator import attrgetter
from typing import Final

from bot.chat.card import Moment, ReplyContext
from bot.domain.reading.problems import DomainError


class Depth(StrEnum):
    """The thoroughness of a review."""

    QUICK = "quick"
    DEEP = "deep"


class ReviewError(DomainError):
    """The game cannot be reviewed."""


@dataclass(frozen=True, slots=True)
class ReviewQuery:
    """A user's request to see the review of a game, or of one of its turns."""

    moment: Moment
    """The game and turn to review. At turn 0, the query is about the whole game."""
    context: ReplyContext = field(default_factory=ReplyContext)
    lexicon: str = ""
    """If empty, the game's lexicon or a preferred lexicon is used."""
    depth: Depth = Depth.QUICK
    poster: str = ""
    """The name of the user who posts the card to the channel, or empty."""


@dataclass(frozen=True, slots=True)
class UserGamesRequest:
    """A request to review the latest games that a user posted in a server."""

    user_id: int
    guild_id: int
    max_games: int
    context: ReplyContext
    lexicon: str = ""
    """If empty, each game's lexicon or a preferred lexicon is used."""
    depth: Depth = Depth.QUICK


def accuracy(loss: float) -> float:
    """Return the accuracy, from 0 to 100, of a move that loses ``loss`` percentage points of win chance.

    This is lichess' formula. The final 1 allows for inexact evaluations.
    """
    return max(
        0.0, min(100.0, 103.1668100711649 * math.exp(-0.04354415386753951 * loss) - 3.166924740191411 + 1)
    )


MAX_LESSON_TURNS: Final = 12

MAX_KEY_TURNS: Final = 4
"""Maximum number of key turns in a review. A card shows at most ``MAX_SHOWN_KEY_TURNS`` of them."""

MIN_JUDGED_SHARE: Final = 0.8
"""Minimum share of turns with a known value, for statistics such as a player's accuracy or luck.

A chess game in which this share of the turns has evaluations needs no engine.
"""


class ChessPhase(StrEnum):
    """The phase of a chess game."""

    OPENING = "opening"
    MIDDLEGAME = "middlegame"
    ENDGAME = "endgame"


@dataclass(frozen=True, slots=True)
class PlayerReview:
    """A player's statistics over one or more games.

    A value is None if this kind of game lacks it, or if too few turns are judged or known.
    """

    name: str
    wins: float
    """Number of wins. A tie counts as half a win."""
    accuracy: float | None
    """Lichess' game accuracy if every position of a chess game is evaluated, otherwise the mean accuracy of the judged turns."""
    mistake_index: float | None = None
    """Mistakes per game, weighted 0.2 (small), 0.5 (medium) or 1 (large)."""
    bingos: int | None = None
    missed_bingos: int | None = None
    luck: float | None = None
    """Estimated points per game by which the drawn tiles beat the average."""
    centipawns_lost: float | None = None
    """Mean loss per move, with the same weight for each game."""
    blunders: int | None = None
    """Large mistakes in chess."""
    points: int | None = None
    """The final score of one crossword game."""
    game_count: int = 1
    judged_game_count: int = 0
    """Number of games with a known accuracy, in merged statistics."""
    turn_count: int = 0
    """Placements, exchanges and passes or, in chess, moves. This and all later fields are set only for a single game."""
    judged_turn_count: int = 0
    mistakes: tuple[int, int, int] = (0, 0, 0)
    """Small, medium and large mistakes or, in chess, inaccuracies, mistakes and blunders."""
    points_lost: float = 0.0
    elo: tuple[int, int] | None = None
    """The estimated rating range. Set only in deep reviews of games with an English letter distribution."""
    only_move_count: int = 0
    """Positions with only one good move."""
    found_only_move_count: int = 0
    phases: tuple[tuple[ChessPhase, int, float], ...] = ()
    """(phase, number of judged moves, accuracy) entries."""


def merge_players(reviews: Iterable[PlayerReview]) -> tuple[PlayerReview, ...]:
    """Merge the reviews of each player. Players with more games, then with higher accuracy, come first.

    Names that differ only in case and spaces belong to the same player.
    """
    by_name: dict[str, list[PlayerReview]] = {}
    for review in reviews:
        by_name.setdefault(" ".join(review.name.split()).casefold(), []).append(review)
    return tuple(
        sorted(
            map(merge_reviews, by_name.values()),
            key=lambda player: (-player.game_count, -(player.accuracy or 0.0), player.name),
        )
    )


def merge_reviews(reviews: Sequence[PlayerReview]) -> PlayerReview:
    """Merge a player's reviews. Means and sums leave out unknown values."""

    def known_values(name: str) -> list[float]:
        return [value for review in reviews if (value := getattr(review, name)) is not None]

    def mean(name: str) -> float | None:
        return sum(values) / len(values) if (values := known_values(name)) else None

    def total(name: str) -> int | None:
        return int(sum(values)) if (values := known_values(name)) else None

    return PlayerReview(
        reviews[0].name,
        sum(review.wins for review in reviews),
        mean("accuracy"),
        mean("mistake_index"),
        total("bingos"),
        total("missed_bingos"),
        mean("luck"),
        mean("centipawns_lost"),
        total("blunders"),
        game_count=len(reviews),
        judged_game_count=len(known_values("accuracy")),
    )


STATISTICS: Final = (
    "mistake_index", "accuracy", "bingos", "missed_bingos", "luck", "centipawns_lost", "blunders",
)  # fmt: skip


def players_csv(players: Sequence[PlayerReview]) -> str:
    get_values = attrgetter("name", "game_count", "judged_game_count", "wins", *STATISTICS)
    return csv_text(("player", "games", "judged", "won", *STATISTICS), map(get_values, players))


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return CSV (RFC 4180). None becomes an empty cell."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(header)
    writer.writerows(map(_cell, row) for row in rows)
    return buffer.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"  # without the apostrophe, a spreadsheet would treat the string as a formula
    return f"{value:.4g}" if isinstance(value, float) else value
