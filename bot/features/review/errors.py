"""Why a game is not reviewed."""

from __future__ import annotations

from bot.domain.reading.problems import DomainError


class ReviewError(DomainError):
    """A game that is not reviewed, with a sentence that says why."""
