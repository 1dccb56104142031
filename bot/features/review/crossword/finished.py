"""Which games are over, so that a review of them helps nobody who is still playing."""

from __future__ import annotations

from bot.domain.crossword.course import Course
from bot.domain.crossword.game import Game
from bot.domain.crossword.rules import OWN_GAMES
from bot.domain.crossword.turn import ORDINARY, TurnKind
from bot.features.review.errors import ReviewError

PLAYERS = 2
"""How many players a game has that is reviewed."""

_GAVE_UP = (
    "resign", "forfeit", "gave up", "gives up", "concede", "lost on time", "ran out of time", "timed out",
    "aufgegeben", "gibt auf", "gab auf", "abandonne", "abandona", "abandonó", "se rinde", "se rindió",
    "poddał", "poddaje",
)  # fmt: skip
"""What stands in a note when a player gave up or lost on time: no format has a turn for it."""
_COUNTED = frozenset({TurnKind.END_RACK_POINTS, TurnKind.END_RACK_PENALTY, TurnKind.TIME_PENALTY})


def check_game(game: Game) -> None:
    """Check that a game can be reviewed.

    Raises:
        ReviewError: it has not two players, no turns, or a bag that nobody knows, or it is not over: who reviews a game that is going on helps
            one of its players.

    """
    if len(game.names) != PLAYERS:
        raise ReviewError(
            "review-players",
            "a review is for games of two; this one has {players} players",
            players=len(game.names),
        )
    if not game.rules.has_known_bag:
        raise ReviewError(
            "review-bag",
            "{game} fills its bag anew for every game, so nobody knows what may be drawn",
            game=OWN_GAMES[game.rules.distribution.name],
        )
    if not any(turn.kind in ORDINARY for turn in game.turns):
        raise ReviewError("review-empty", "the game has no turn to review")
    if not is_finished(game):
        raise ReviewError("review-running", "the game is not over, and only finished games are reviewed")


def is_finished(game: Game) -> bool:
    """Return whether a game is over: played out, ended by turns without points, counted, or given up."""
    course = Course(game.rules, len(game.names))
    for turn in game.turns:
        course.follow(turn)
    return course.is_over or any(turn.kind in _COUNTED for turn in game.turns) or gave_up(game)


def gave_up(game: Game) -> bool:
    """Return whether a remark on the end of a game says that a player gave up."""
    said = [game.description, game.note]
    if game.turns:
        last = game.turns[-1]
        said += [last.note, *(comment.text for comment in last.comments)]
    return any(sign in text.lower() for text in said for sign in _GAVE_UP)


def is_reviewed(game: Game) -> bool:
    """Return whether a game is one that :func:`check_game` lets pass."""
    return (
        len(game.names) == PLAYERS
        and game.rules.has_known_bag
        and is_finished(game)
        and any(turn.kind in ORDINARY for turn in game.turns)
    )
