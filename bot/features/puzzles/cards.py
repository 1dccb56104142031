"""The cards of puzzles of either game: the words around a board, and the judgement of an answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bot.chat.card import Card
from bot.chat.markdown import escape
from bot.features.puzzles.controls import Solve, puzzle_controls
from bot.features.puzzles.selection import Wanted
from bot.storage.puzzles import MAX_STARS, Progress
from bot.text import Speaker

STAR, NO_STAR = "⭐", "☆"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of an answer."""

    right: bool
    comment: Callable[[Progress, Speaker], str]
    """Returns the judgement in words, once the answer is counted."""
    done: int = 0
    """The number of correct moves of the line so far."""
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


def stars_text(progress: Progress) -> str:
    """Return the stars that a solution earned."""
    return STAR * progress.stars + NO_STAR * (MAX_STARS - progress.stars)


def solved_text(answer: str, progress: Progress, say: Speaker) -> str:
    """Return the sentence for an answer, escaped for Markdown, that solves the puzzle."""
    return say("✅ **{answer}** – solved! {stars}", answer=answer, stars=stars_text(progress))


def hint_lines(hints: Sequence[str], progress: Progress, say: Speaker) -> list[str]:
    """Return the hints that a user has taken."""
    return [say("💡 {hint}", hint=hint) for hint in hints[: progress.hints]]


def none_left(wanted: Wanted, say: Speaker) -> Card:
    """Return the card for a user who has seen all puzzles of a kind. If a topic was chosen, offer to continue without it."""
    if not wanted.theme:
        return Card(say("You have seen all puzzles of this kind."), found=False)
    others = puzzle_controls(replace(wanted, theme=""), Progress(given_up=True))
    text = say("You have seen all puzzles of this topic. The next puzzle can be of any topic.")
    return Card(text, controls=others, found=False, accent="puzzle")


def refusal_card(problem: str, controls: tuple[Solve, ...], say: Speaker) -> Card:
    """Explain why a text is not an answer; it does not count as an attempt."""
    text = say("❔ {problem}. This does not count as a try.", problem=escape(problem))
    return Card(text, controls=controls, accent="puzzle")


def daily_line(number: int, streak: int, say: Speaker) -> str:
    """Return the number of a daily, and the streak, if there is one."""
    head = say("Daily {number}", number=str(number))
    return f"{head} · {say('streak {days}', days=streak)}" if streak else head
