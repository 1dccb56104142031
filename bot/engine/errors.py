"""The errors of the engine."""

from __future__ import annotations

from bot.domain.crossword.rules import OWN_GAMES, Rules
from bot.domain.reading.problems import DomainError


class AnalysisError(DomainError):
    """A position that cannot be analyzed, with a sentence that says why."""


def require_known_bag(rules: Rules) -> None:
    """Check that the tiles left in a game can be counted.

    Raises:
        AnalysisError: its bag is filled anew for every game.

    """
    if not rules.has_known_bag:
        raise AnalysisError(
            "bag-not-known",
            "{game} fills its bag anew for every game, so nobody knows what may be drawn",
            game=OWN_GAMES[rules.distribution.name],
        )


class StoppedError(Exception):
    """The work was stopped from outside before there was a result."""
