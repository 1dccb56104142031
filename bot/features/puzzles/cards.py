"""The cards of puzzles of either game, and how a kind of puzzle is solved."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bot.chat.card import Card, Drawing, Style
from bot.chat.markdown import escape
from bot.domain.chess.position import ChessPosition
from bot.domain.crossword.position import Position
from bot.features.puzzles.controls import Solve, puzzle_controls
from bot.features.puzzles.rating import UNRATED
from bot.features.puzzles.selection import Wanted
from bot.features.puzzles.sheets import Sheet
from bot.storage.puzzles import MAX_STARS, Progress, Rating
from bot.text import Speaker

STAR, NO_STAR = "⭐", "☆"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of an answer."""

    right: bool
    comment: Callable[[Progress, Speaker], str]
    """Rates the answer in words, once it is counted."""
    done: int = 0
    """The right moves of the line played now."""
    solved: bool = False


class Task(ABC):
    """A puzzle as it is solved in chat. Every method runs on a thread; ``done`` counts the right moves of a line."""

    start: Position | ChessPosition
    """The position that the puzzle starts from."""
    rating: int | None = None
    """Its difficulty; None where it is unknown."""

    @abstractmethod
    def question(self, say: Speaker) -> tuple[str, str]:
        """Return the source of the puzzle for the first line of its card, and the question."""

    @abstractmethod
    def drawing(self, done: int, style: Style) -> Drawing:
        """Return the picture that sets the puzzle, after the moves that are played."""

    @abstractmethod
    def hints(self, done: int, say: Speaker) -> tuple[str, ...]:
        """Return the hints; each says more about the answer than the last."""

    @abstractmethod
    def judge(self, done: int, typed: str) -> Verdict:
        """Judge an answer.

        Raises:
            DomainError: the text is no answer.

        """

    @abstractmethod
    def solution(self, style: Style) -> tuple[str, Drawing]:
        """Return the words and the picture of the answer."""

    def position(self, done: int) -> ChessPosition | None:
        """Return the position whose moves are offered in menus; None where there are too many, as in crossword games."""
        del done
        return None


def card_text(head: str, task: Task, say: Speaker) -> str:
    """Return the words that set a puzzle. ``head`` names the puzzle.

    The rating is shown with the solution: it depends on the answer, and that of some puzzles reveals the answer's length.
    """
    source, question = task.question(say)
    return "\n".join(filter(None, (f"{head} · {source}", question)))


def tries_note(progress: Progress, say: Speaker) -> str:
    """Return the small print of an answer: the tries and hints so far."""
    if not progress.tries:
        return ""
    parts = [say.count("{number} try", "{number} tries", progress.tries)]
    if progress.hints:
        parts.append(say.count("{number} hint", "{number} hints", progress.hints))
    return " · ".join(parts)


def sheet_remarks(sheet: Sheet, others: int, say: Speaker) -> list[str]:
    """Return warnings about the parts of a posted file that are left out, and about ``others``, the files left out."""
    lines = [
        say("Left out: {problem} (line {line}).", problem=escape(say.problem(fault)), line=fault.line)
        for fault in sheet.faults
    ]
    if more := sheet.left_out - len(sheet.faults):
        lines.append(say.count("{number} more", "{number} more", more))
    if sheet.ends_early:
        lines.append(
            say.count(
                "Only the first {number} puzzle is used.",
                "Only the first {number} puzzles are used.",
                len(sheet.rows),
            )
        )
    if others:
        lines.append(
            say.count(
                "{number} more puzzle file is left out.",
                "{number} more puzzle files are left out.",
                others,
            )
        )
    return [f"⚠ {line}" for line in lines]


def stars_text(progress: Progress) -> str:
    """Return the stars that a solution earned."""
    return STAR * progress.stars + NO_STAR * (MAX_STARS - progress.stars)


def solved_text(answer: str, progress: Progress, say: Speaker) -> str:
    """Say that an answer, escaped for Markdown, solves the puzzle."""
    return say("✅ **{answer}** – solved! {stars}", answer=answer, stars=stars_text(progress))


def rating_line(before: Rating | None, after: Rating | None, say: Speaker) -> str:
    """Return the change of a user's rating by a first answer; empty for no change."""
    if after is None or after == before:
        return ""
    change = round(after.rating) - round((before or UNRATED).rating)
    return say(
        "Your rating: {rating} ({change}), ± {deviation}.",
        rating=round(after.rating),
        change=say.number(change, "+d"),
        deviation=round(2 * after.deviation),
    )


def hint_lines(hints: Sequence[str], progress: Progress, say: Speaker) -> list[str]:
    """Return the hints that a user has taken."""
    return [say("💡 {hint}", hint=hint) for hint in hints[: progress.hints]]


def none_left(wanted: Wanted, say: Speaker) -> Card:
    """Say that a user has seen all puzzles of a kind; where a topic was chosen, offer to continue without it."""
    if not wanted.theme:
        return Card(say("You have seen all puzzles of this kind."), found=False)
    others = puzzle_controls(replace(wanted, theme=""), Progress(given_up=True))
    text = say("You have seen all puzzles of this topic. The next puzzle can be of any topic.")
    return Card(text, controls=others, found=False, accent="puzzle")


def refused(problem: str, controls: tuple[Solve, ...], say: Speaker) -> Card:
    """Say why a text is no answer; it does not count."""
    text = say("❔ {problem}. This does not count as a try.", problem=escape(problem))
    return Card(text, controls=controls, accent="puzzle")
