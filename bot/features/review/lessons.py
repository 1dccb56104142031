"""What somebody learns most from: the turns that lost most."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

MAX_LESSONS = 12
"""Turns of one player."""

Turn = TypeVar("Turn")


def greatest(lost: Iterable[Turn], weight: Callable[[Turn], Any]) -> tuple[Turn, ...]:
    """Return the turns that weigh most, at most :data:`MAX_LESSONS`, in the order in which they were given."""
    turns = list(lost)
    most = sorted(range(len(turns)), key=lambda place: weight(turns[place]), reverse=True)[:MAX_LESSONS]
    return tuple(turns[place] for place in sorted(most))
