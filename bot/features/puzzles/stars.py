"""How far somebody is with a puzzle, and what solving it is worth."""

from __future__ import annotations

from dataclasses import dataclass

MAX_STARS = 3
TRIES_BEFORE_HINTS = 2


@dataclass(frozen=True, slots=True)
class Progress:
    """What somebody has done about a puzzle."""

    tries: int = 0
    """Wrong answers."""
    hints: int = 0
    done: int = 0
    """Right moves of a line."""
    solved: bool = False
    given_up: bool = False

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to find."""
        return self.solved or self.given_up

    def has_hint(self, hints: int) -> bool:
        """Return whether one of so many hints may be taken."""
        return not self.is_over and self.tries >= TRIES_BEFORE_HINTS and self.hints < hints

    @property
    def stars(self) -> int:
        """Three for the first answer, two for the second, one later, one less for each hint; none when given up."""
        return max(0, max(1, MAX_STARS - self.tries) - self.hints) if self.solved else 0
