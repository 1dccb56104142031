"""The errors of the engine."""

from __future__ import annotations

from bot.domain.reading.problems import DomainError


class AnalysisError(DomainError):
    """A position that cannot be analyzed, with a sentence that says why."""


class StoppedError(Exception):
    """The work was stopped from outside before there was a result."""
