"""Lessons: a player's mistakes one by one. The best play is hidden until the user finds it or asks for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from bot.chat.card import Card, Drawing, Moment, RefusalError, join_blocks
from bot.chat.control import Control
from bot.chat.markdown import escape
from bot.domain.notations import kind_of
from bot.domain.reading.problems import DomainError
from bot.features.analysis.trials import refused_play_card
from bot.features.analysis.work import RunningWork, progress_bar, submit
from bot.features.review.cards import ReviewCards, UnjudgedAnswer
from bot.features.review.controls import LessonButton
from bot.features.review.service import ReviewService
from bot.features.review.values import ReviewQuery
from bot.jobs.account import Requester

NO_HINT_MARK: Final = "0"
"""The mark of an unsolved turn before the first hint. Later, the mark is the number of hints, up to "4"."""
SOLVED_ALONE_MARK: Final = "s"
SOLVED_WITH_HELP_MARK: Final = "h"
SOLUTION_SHOWN_MARK: Final = "x"
_UNSOLVED_MARKS: Final = "01234"


@dataclass(frozen=True, slots=True)
class Lesson:
    """The state of a lesson."""

    cards: ReviewCards[Any]
    moment: Moment
    """The turn is 0 at the end of the lesson."""
    turns: tuple[int, ...]
    marks: str
    """One character for each turn in the lesson."""
    verdict: str = ""

    @property
    def index(self) -> int:
        return self.turns.index(self.moment.turn)

    @property
    def is_unsolved(self) -> bool:
        return self.marks[self.index].isdigit()

    @property
    def hint_count(self) -> int:
        return int(self.marks[self.index]) if self.is_unsolved else 0

    def with_mark(self, mark: str) -> Lesson:
        """Mark the shown turn, unless it is solved or its solution was shown."""
        if not self.is_unsolved:
            return self
        return replace(self, marks=self.marks[: self.index] + mark + self.marks[self.index + 1 :])

    def make_button(self, action: str, turn: int) -> LessonButton:
        query, moment = self.cards.query, replace(self.moment, turn=turn)
        marks = self.marks.rstrip(NO_HINT_MARK)
        return LessonButton(moment, query.depth, query.lexicon, action, marks, shown_turn=self.moment.turn)

    def make_start_button(self, seat: int, label: str = "") -> LessonButton:
        query, moment = self.cards.query, replace(self.moment, turn=0, seat=seat)
        return LessonButton(moment, query.depth, query.lexicon, "c", player=label)


class LessonService:
    """Creates the cards of lessons, and judges the answers. Methods raise RefusalError if the review has expired."""

    def __init__(self, reviews: ReviewService) -> None:
        self._reviews = reviews
        self._documents = reviews.documents
        self.make_puzzle_card: Callable[[int, Card], Awaitable[Card]] | None = None
        """Makes a puzzle card from a user id and a lesson card. None if this bot has no puzzles."""

    async def show_first_turn(self, query: ReviewQuery, names: tuple[str, ...] = ()) -> Card:
        """Return the card for a player's first clear mistake.

        The player is in the moment's seat, or has one of the ``names``, or is the only player with clear mistakes. If the player is
        unknown or made no clear mistakes, return a card that lists the players with clear mistakes. Raise RefusalError if no
        player made a clear mistake.
        """
        lesson = await self._load_lesson(replace(query, moment=replace(query.moment, turn=0)), "")
        translate, labels = lesson.cards.translate, _player_labels(lesson.cards)
        if not labels:
            raise RefusalError.with_text(translate("This game has no clear mistakes."))
        seat = query.moment.seat
        if seat is None:
            seat = await self._reviews.seat_of(query, names)
        if seat is None and len(labels) == 1:
            [seat] = labels
        if seat is not None and (turns := lesson.cards.lesson_turns(seat)):
            return await self.show(replace(query, moment=replace(query.moment, turn=turns[0], seat=seat)), "")
        text = (
            translate("Whose mistakes do you want to learn from?")
            if seat is None
            else translate("{player} made no clear mistakes.", player=escape(lesson.cards.names[seat]))
        )
        return Card(
            join_blocks([text], query.moment),
            controls=tuple(lesson.make_start_button(*player) for player in labels.items()),
            accent="review",
        )

    async def load_kind_and_turns(self, query: ReviewQuery) -> tuple[str, tuple[int, ...]]:
        """Return the kind of game, and the turns in the lesson for the moment's seat."""
        lesson = await self._load_lesson(query, "")
        return kind_of(lesson.cards.game).name, lesson.turns

    async def show(self, query: ReviewQuery, marks: str, step: str = "") -> Card:
        """Return the card for the moment's turn, or the summary if the turn is 0.

        Step ``h`` gives a hint, and step ``s`` shows the solution. If a newer review has left the turn out of the lesson, the
        lesson starts over.
        """
        lesson = await self._load_lesson(query, marks)
        if step and lesson.moment.turn == query.moment.turn:
            lesson = lesson.with_mark(SOLUTION_SHOWN_MARK if step == "s" else str(lesson.hint_count + 1))
        return await self._show(lesson)

    async def answer(
        self, query: ReviewQuery, marks: str, answer_text: str, requester: Requester
    ) -> Card | RunningWork[Any, Any]:
        """Judge a typed answer, or start a job that judges it. Also raise RefusalError for an illegal play or a refused job."""
        lesson = await self._load_lesson(query, marks)
        if lesson.moment.turn != query.moment.turn:
            return await self._show(lesson)
        cards, turn = lesson.cards, lesson.cards.turn(lesson.moment.turn)
        try:
            verdict = await self._documents.run(cards.judge_answer, turn, answer_text)
        except DomainError as error:
            raise RefusalError(refused_play_card(error, lesson.moment, cards.translate)) from None
        if not isinstance(verdict, UnjudgedAnswer):
            return await self._make_verdict_card(lesson, *verdict)
        assert cards.lesson_jobs is not None  # because only cards with jobs return an UnjudgedAnswer
        ticket = await submit(cards.lesson_jobs, requester, verdict.request, cards.translate)

        async def report(progress: object, _: float) -> Card:
            return Card(f"⏳ {progress_bar(progress if isinstance(progress, float) else 0.0)}")

        return RunningWork(
            ticket,
            cards.translate,
            report=report,
            finish=lambda result: self._make_verdict_card(lesson, *verdict.judge(result)),
            refuse=lambda error: refused_play_card(error, lesson.moment, cards.translate),
        )

    async def _make_verdict_card(self, lesson: Lesson, verdict: str, is_right: bool) -> Card:  # noqa: FBT001 - a verdict
        if is_right:
            lesson = lesson.with_mark(SOLVED_WITH_HELP_MARK if lesson.hint_count else SOLVED_ALONE_MARK)
        return await self._show(replace(lesson, verdict=verdict))

    async def _load_lesson(self, query: ReviewQuery, marks: str) -> Lesson:
        cards, moment = await self._reviews.require_review(query), query.moment
        turns = () if moment.seat is None else await self._documents.run(cards.lesson_turns, moment.seat)
        if moment.turn and moment.turn not in turns:
            # A newer review has left the turn out of the lesson, so the lesson starts over.
            moment, marks = replace(moment, turn=turns[0] if turns else 0), ""
        return Lesson(cards, moment, turns, marks[: len(turns)].ljust(len(turns), NO_HINT_MARK))

    async def _show(self, lesson: Lesson) -> Card:
        return await self._documents.run_and_draw(_turn_card if lesson.moment.turn else _summary_card, lesson)


def _player_labels(cards: ReviewCards[Any]) -> dict[int, str]:
    """Return the names of the players with clear mistakes, each with the number of mistakes, by seat."""
    labels = {}
    for seat, name in enumerate(cards.names):
        if turns := cards.lesson_turns(seat):
            label = cards.translate("Player {seat}", seat=seat + 1) if cards.moment.spoiler else name
            labels[seat] = f"{label} ({len(turns)})"
    return labels


def _turn_card(lesson: Lesson) -> Card:
    cards, moment, translate = lesson.cards, lesson.moment, lesson.cards.translate
    turn = cards.turn(moment.turn)
    assert turn is not None  # because the lesson contains the turn
    head = translate(
        "**Mistake {number} of {count}** · {player}, turn {turn}",
        number=lesson.index + 1,
        count=len(lesson.turns),
        player=escape(cards.names[turn.seat]),
        turn=turn.turn,
    )
    hints = cards.hints(turn)
    lines = (
        [cards.lesson_question(turn), *(f"💡 {hint}" for hint in hints[: lesson.hint_count])]
        if lesson.is_unsolved
        else [cards.verdict(turn.turn)]
    )
    picture = cards.picture(turn, is_solved=not lesson.is_unsolved)
    return Card(
        join_blocks([*([lesson.verdict] if lesson.verdict else []), head, *lines], moment),
        (Drawing(*picture, moment.spoiler, "lesson"),),
        controls=_lesson_controls(lesson, len(hints)),
        accent="review",
    )


def _lesson_controls(lesson: Lesson, max_hints: int) -> tuple[Control, ...]:
    turns, turn, index = lesson.turns, lesson.moment.turn, lesson.index
    actions = ("a", "h", "s") if lesson.hint_count < max_hints else ("a", "s")
    steps = [
        *((action, turn) for action in (actions if lesson.is_unsolved else ())),
        *([("p", turns[index - 1])] if index else []),
        ("n", turns[index + 1] if index + 1 < len(turns) else 0),
    ]
    return tuple(lesson.make_button(action, target_turn) for action, target_turn in steps)


def _summary_card(lesson: Lesson) -> Card:
    moment, translate = lesson.moment, lesson.cards.translate
    counts = {
        marks: sum(mark in marks for mark in lesson.marks)
        for marks in (SOLVED_ALONE_MARK, SOLVED_WITH_HELP_MARK, SOLUTION_SHOWN_MARK, _UNSOLVED_MARKS)
    }
    head = translate(
        "**{player}: {found} of {count} found**",
        player=escape(lesson.cards.names[moment.seat or 0]),
        found=counts[SOLVED_ALONE_MARK] + counts[SOLVED_WITH_HELP_MARK],
        count=len(lesson.turns),
    )
    parts = {
        SOLVED_ALONE_MARK: translate("✅ {number} without a hint", number=counts[SOLVED_ALONE_MARK]),
        SOLVED_WITH_HELP_MARK: translate.plural(
            "💡 {number} with a hint", "💡 {number} with hints", counts[SOLVED_WITH_HELP_MARK]
        ),
        SOLUTION_SHOWN_MARK: translate("👁 {number} revealed", number=counts[SOLUTION_SHOWN_MARK]),
        _UNSOLVED_MARKS: translate("⬜ {number} unsolved", number=counts[_UNSOLVED_MARKS]),
    }
    summary = " · ".join(text for marks, text in parts.items() if counts[marks])
    controls = [lesson.make_button("p", lesson.turns[-1])] if lesson.turns else []
    if moment.seat is not None:
        controls.append(lesson.make_start_button(moment.seat))
    controls += (
        lesson.make_start_button(seat, label)
        for seat, label in _player_labels(lesson.cards).items()
        if seat != moment.seat
    )
    return Card(
        join_blocks([*([lesson.verdict] if lesson.verdict else []), head, summary], moment),
        controls=tuple(controls),
        accent="review",
    )
