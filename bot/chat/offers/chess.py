"""Controls of chess alone: opening books, engines, puzzles of files."""

from __future__ import annotations

from dataclasses import dataclass

from bot.chat.moment import Choice


@dataclass(frozen=True, slots=True)
class BookPlace:
    """A position on the way through a stored opening book. Small enough for a button's id."""

    book: str
    """The digest of the book."""
    path: str
    """The digest of the moves that lead to the position; where a source begins, that of the source itself."""
    spoiler: bool = False


@dataclass(frozen=True, slots=True)
class BookPanel:
    """Controls to walk through a stored opening book."""

    place: BookPlace
    choices: tuple[Choice, ...]
    """The known moves of the position, as in UCI."""
    back: bool = False
    """Whether there is a move to take back."""
