"""Puzzle cards, and verdicts on answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.chat.card import Card
from bot.chat.markdown import escape
from bot.features.puzzles.controls import PuzzleButton, puzzle_controls
from bot.features.puzzles.selection import PuzzleRequest
from bot.storage.puzzles import MAX_STARS, Progress
from bot.text import Translator


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on an answer."""

    text: str
    """The verdict in Markdown. If the puzzle is solved, this is the answer itself."""
    is_right: bool = False
    progress_code: int = 0
    """The moves played so far, encoded as in :mod:`bot.features.puzzles.chess.solving`. Chess only."""
    is_solved: bool = False


def card_text(heading: str, question: tuple[str, str]) -> str:
    """Return an unsolved puzzle's text. The rating is left out, because some ratings reveal the length of the answer.

    ``question`` is a pair: a line about the puzzle, and the question itself.
    """
    return join_lines(f"{heading} · {question[0]}", question[1])


def numbered_heading(index: int, puzzle_count: int, translate: Translator) -> str:
    return translate("**Puzzle {number} of {puzzles}**", number=index + 1, puzzles=puzzle_count)


def join_lines(*lines: str) -> str:
    return "\n".join(filter(None, lines))


def tries_note(progress: Progress, translate: Translator) -> str:
    if not progress.wrong_answers:
        return ""
    tries = translate.plural("{number} try", "{number} tries", progress.wrong_answers)
    hints = translate.plural("{number} hint", "{number} hints", progress.hints)
    return f"{tries} · {hints}" if progress.hints else tries


def stars_text(progress: Progress) -> str:
    return "⭐" * progress.stars + "☆" * (MAX_STARS - progress.stars)


def hint_lines(hints: Sequence[str], progress: Progress, translate: Translator) -> list[str]:
    return [translate("💡 {hint}", hint=hint) for hint in hints[: progress.hints]]


def no_puzzles_text(translate: Translator) -> str:
    return translate(
        "This file contains no puzzles. Kibitz reads the output of `puzzles make`, lichess CSV, lists of "
        "EPDs with `bm`, and PGN games that start from a given position."
    )


def no_puzzles_left_card(request: PuzzleRequest, translate: Translator) -> Card:
    if not request.theme:
        return Card(translate("You have seen all puzzles of this kind."), has_result=False)
    return Card(
        translate("You have seen all puzzles on this topic. The next puzzle can be on any topic."),
        # A puzzle that is over offers only the next puzzle.
        controls=puzzle_controls(replace(request, theme=""), Progress(given_up=True)),
        has_result=False,
        accent="puzzle",
    )


def invalid_answer_card(problem: str, controls: tuple[PuzzleButton, ...], translate: Translator) -> Card:
    return Card(
        translate("❔ {problem}. This doesn't count as a try.", problem=escape(problem)),
        controls=controls,
        accent="puzzle",
    )


def daily_line(number: int, streak: int, translate: Translator) -> str:
    heading = translate("Daily {number}", number=str(number))
    return f"{heading} · {translate('streak {days}', days=streak)}" if streak else heading
