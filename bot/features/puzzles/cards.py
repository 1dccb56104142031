"""What puzzles of either game say: the question, stars, ratings, hints; and what each game brings along."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from bot.chat.card import Card, Drawing
from bot.chat.markdown import escape
from bot.chat.style import Style
from bot.domain.chess.position import ChessPosition
from bot.features.puzzles.controls import Solve, puzzle_controls
from bot.features.puzzles.rating import Progress, Rating
from bot.features.puzzles.sheets import Sheet
from bot.features.puzzles.wanted import Wanted
from bot.text import Speaker

STAR, NO_STAR = "⭐", "☆"
_MAX_STARS = 3


@dataclass(frozen=True, slots=True)
class Question:
    """What a puzzle asks."""

    source: str
    """The lexicon, or where it is from, as it is shown."""
    text: str


def card_text(asked: Question, say: Speaker) -> str:
    """Say which puzzle it is and what is asked.

    The rating stands with the solution: it depends on the answer, and of some puzzles it tells the answer's length.
    """
    return f"{say('**Puzzle** · {lexicon}', lexicon=asked.source)}\n{asked.text}"


def rating_text(rating: int, say: Speaker) -> str:
    """Return the small print of a solution: how hard the puzzle is."""
    return f"-# {say('Rating of the puzzle: {rating}', rating=rating)}"


def numbered_text(asked: Question, number: int, puzzles: int, say: Speaker) -> str:
    """Say which puzzle of a posted file it is and what is asked."""
    which = say("**Puzzle {number} of {puzzles}**", number=number, puzzles=puzzles)
    return f"{which} · {asked.source}\n{asked.text}"


def sheet_remarks(sheet: Sheet, others: int, say: Speaker) -> list[str]:
    """Say what of a posted file is left out, the first few with their places, and how many other files are."""
    lines = [
        "⚠ "
        + say(
            "Left out: {problem} (line {line}).",
            problem=escape(say.problem(fault)),
            line=fault.line,
        )
        for fault in sheet.faults
    ]
    if more := sheet.left_out - len(sheet.faults):
        lines.append("⚠ " + say.count("{number} more", "{number} more", more))
    if sheet.ends_early:
        lines.append(
            "⚠ "
            + say.count(
                "Only the first {number} puzzle is used.",
                "Only the first {number} puzzles are used.",
                len(sheet.rows),
            )
        )
    if others:
        lines.append(
            "⚠ "
            + say.count(
                "{number} more file of puzzles is left out.",
                "{number} more files of puzzles are left out.",
                others,
            )
        )
    return lines


def stars_text(progress: Progress) -> str:
    """Return what solving was worth."""
    return STAR * progress.stars + NO_STAR * (_MAX_STARS - progress.stars)


def rating_line(before: Rating | None, after: Rating | None, say: Speaker) -> str:
    """Say how a first answer changed somebody's rating; nothing when it did not."""
    if after is None or after == before:
        return ""
    change = round(after.rating) - round((before or Rating()).rating)
    return say(
        "Your rating: {rating} ({change}), ± {deviation}.",
        rating=round(after.rating),
        change=say.number(change, "+d"),
        deviation=round(2 * after.deviation),
    )


def hint_blocks(hints: Sequence[str], progress: Progress, say: Speaker) -> list[str]:
    """Say the hints that were taken."""
    return [say("💡 {hint}", hint=hint) for hint in hints[: progress.hints]]


def panel(wanted: Wanted, progress: Progress, hints: int, *, goes_on: bool = True) -> tuple[Solve, ...]:
    """Return the controls of a puzzle for somebody who is so far with it."""
    has_hint = progress.has_hint(hints)
    return puzzle_controls(wanted, is_open=not progress.is_over, has_hint=has_hint, goes_on=goes_on)


def none_left(wanted: Wanted, say: Speaker) -> Card:
    """Say that somebody has seen all of this kind; where a topic was asked for, offer to go on without it."""
    if not wanted.theme:
        return Card(say("There is no puzzle of this kind left that you have not seen."), found=False)
    others = puzzle_controls(replace(wanted, theme=""), is_open=False)
    text = say("There is no puzzle of this topic left that you have not seen. The next one is of any topic.")
    return Card(text, controls=others, found=False)


def refused(problem: str, controls: tuple[Solve, ...], say: Speaker) -> Card:
    """Say why an answer is none; it is not counted."""
    return Card(
        say("❔ {problem}. This does not count as a try.", problem=escape(problem)), controls=controls
    )


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
