"""The cards of puzzles of either game, and how a kind of puzzle is solved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bot.chat.card import Card
from bot.chat.markdown import escape
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


def card_text(head: str, question: tuple[str, str]) -> str:
    """Return the words that set a puzzle. ``head`` names it, ``question`` has its source and the question.

    The rating is shown with the solution: it depends on the answer, and that of some puzzles reveals the answer's length.
    """
    return "\n".join(filter(None, (f"{head} · {question[0]}", question[1])))


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


def daily_line(number: int, streak: int, say: Speaker) -> str:
    """Return the number of a daily, and the streak, if there is one."""
    head = say("Daily {number}", number=str(number))
    return f"{head} · {say('streak {days}', days=streak)}" if streak else head
