"""What a kind of puzzle brings along: its card, what an answer to it comes to, hints and the solution."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar

from bot.chat.reply import Drawing
from bot.chat.style import Style
from bot.domain.chess.position import ChessPosition
from bot.features.puzzles.puzzle_card import Question
from bot.features.puzzles.stars import Progress
from bot.text import Speaker

Puzzle = TypeVar("Puzzle")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Verdict(Generic[Answer]):
    """What somebody's answer comes to."""

    answer: Answer
    """As the kind knows it."""
    right: bool
    done: int = 0
    """How far a line is played now, as the kind counts."""
    solved: bool = False


class Solving(ABC, Generic[Puzzle, Answer]):
    """How puzzles of a kind are solved. Everything is called on threads; ``done`` is how far a line was played."""

    @abstractmethod
    def hints(self, puzzle: Puzzle, done: int, say: Speaker) -> tuple[str, ...]:
        """Return what may be told of the answer, step by step."""

    def position(self, puzzle: Puzzle, done: int) -> ChessPosition | None:
        """Return the position whose moves can be chosen from; None where there are too many, as in crossword games."""

    @abstractmethod
    def judge(self, puzzle: Puzzle, done: int, typed: str) -> Verdict[Answer]:
        """Judge an answer.

        Raises:
            DomainError: it is none.

        """

    @abstractmethod
    def told(self, puzzle: Puzzle, verdict: Verdict[Answer], progress: Progress, say: Speaker) -> str:
        """Say what an answer comes to, or how near it is."""

    @abstractmethod
    def after(self, puzzle: Puzzle, done: int, style: Style) -> Drawing | None:
        """Return the picture after a right answer that does not solve the puzzle yet."""

    @abstractmethod
    def solution(self, puzzle: Puzzle, style: Style) -> tuple[str, Drawing]:
        """Return the words and the picture of the answer."""


class Setting(Solving[Puzzle, Answer]):
    """How puzzles of a kind are set and solved that come out of a library."""

    @abstractmethod
    def question(self, puzzle: Puzzle, say: Speaker) -> Question:
        """Return what is asked."""

    @abstractmethod
    def drawing(self, puzzle: Puzzle, style: Style) -> Drawing:
        """Return the picture that sets a puzzle."""
