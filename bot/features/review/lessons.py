"""Lessons: the turns of a review that lost something, one by one, with the best play hidden until it is found."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from bot.chat.card import Card, Choice, Drawing, NoAnswerError, join_blocks
from bot.chat.control import Control
from bot.chat.markdown import behind_bars, escape
from bot.domain.reading.problems import DomainError
from bot.features.analysis.work import RunningWork, progress_bar
from bot.features.review.cards import ReviewCards
from bot.features.review.kinds import ALONE, HELPED, SHOWN, Judged, Lesson, Reviewing
from bot.features.review.service import Reviews
from bot.features.review.values import ReviewQuestion
from bot.jobs.queue import Asker
from bot.text import Speaker

_OPEN: Final = "01234"


@dataclass(frozen=True, slots=True)
class _Page:
    """A lesson with its review."""

    lesson: Lesson
    kind: Reviewing[Any, Any]
    cards: ReviewCards[Any]

    @property
    def say(self) -> Speaker:
        return self.cards.say

    def refusal(self, error: DomainError) -> Card:
        text = self.say("This play isn't possible: {problem}.", problem=escape(self.say.problem(error)))
        return Card(behind_bars(text) if self.cards.moment.spoiler else text, found=False)


class Lessons:
    """Answers with the turns of lessons."""

    def __init__(self, reviews: Reviews) -> None:
        self._reviews = reviews
        self._desk = reviews.desk
        self.answer_own: Callable[[int, Card], Awaitable[Card]] | None = None
        """Turns a lesson card into that of a puzzle from a person's own game; None without puzzles."""

    async def begin(self, question: ReviewQuestion, names: tuple[str, ...] = ()) -> Card:
        """Return the first turn of the player on the moment's side, or of the one with one of the ``names``.

        Without either, ask for the player.

        Raises:
            NoAnswerError: the review has expired, or no mistake is certain.

        """
        page = await self._page(replace(question, moment=replace(question.moment, turn=0)), "")
        say, choices = page.say, _players(page)
        if not choices:
            raise NoAnswerError.saying(say("This game has no certain mistakes."))
        seat = question.moment.side
        if seat is None:
            seat = await self._reviews.seat_of(question, names)
        if seat is None and len(choices) == 1:
            seat = int(choices[0].value)
        if seat is not None and (turns := page.cards.lessons(seat)):
            return await self.show(
                replace(question, moment=replace(question.moment, turn=turns[0], side=seat)), ""
            )
        text = say("Whose mistakes do you want to learn from?")
        if seat is not None:
            text = say("{player} made no certain mistakes.", player=escape(page.cards.names[seat]))
        return Card(
            join_blocks([text], question.moment),
            controls=tuple(map(page.lesson.choose, choices)),
            accent="review",
        )

    async def turns(self, question: ReviewQuestion) -> tuple[str, tuple[int, ...]]:
        """Return the kind of a game, and the turns from which the player on the moment's side can learn.

        Raises:
            NoAnswerError: there is no review.

        """
        kind, request, result = await self._reviews.finished(question)
        seat = question.moment.side
        if seat is None:
            return kind.name, ()
        return kind.name, await self._desk.run(lambda: kind.cards(request, result, question).lessons(seat))

    async def show(self, question: ReviewQuestion, marks: str, step: str = "") -> Card:
        """Return a turn, or the summary at turn 0; the step ``h`` gives a hint first, ``s`` the solution.

        Raises:
            NoAnswerError: the review has expired.

        """
        page = await self._page(question, marks)
        lesson = page.lesson
        if step and question.moment.turn:
            lesson = lesson.marked(SHOWN if step == "s" else str(lesson.hints + 1))
        return await self._show(replace(page, lesson=lesson))

    async def answer(
        self, question: ReviewQuestion, marks: str, typed: str, asker: Asker
    ) -> Card | RunningWork[Any, Any]:
        """Judge a typed answer at once, or begin the work that judges it.

        Raises:
            NoAnswerError: the review has expired, it is no legal play, or the person has to wait.

        """
        page = await self._page(question, marks)
        try:
            found = await self._desk.run(page.kind.attempt, page.cards, page.lesson, typed)
        except DomainError as error:
            raise NoAnswerError(page.refusal(error)) from None
        if isinstance(found, Judged):
            return await self._judged(page, found)
        assert page.kind.attempts is not None  # the kind returns work only where it can be done
        ticket = await self._reviews.under_way.submit(page.kind.attempts, asker, found.request, page.say)

        async def report(progress: object, _: float) -> Card:
            return Card(f"⏳ {progress_bar(progress if isinstance(progress, float) else 0.0)}")

        async def finish(result: object) -> Card:
            return await self._judged(page, found.judge(result))

        return RunningWork(ticket, page.say, report=report, finish=finish, refuse=page.refusal)

    async def _judged(self, page: _Page, judged: Judged) -> Card:
        """Return the turn with the verdict on an answer."""
        lesson = page.lesson
        if judged.right:
            lesson = lesson.marked(HELPED if lesson.hints else ALONE)
        return await self._show(replace(page, lesson=replace(lesson, lead=judged.words)))

    async def _page(self, question: ReviewQuestion, marks: str) -> _Page:
        kind, request, result = await self._reviews.finished(question)
        cards = await self._desk.run(kind.cards, request, result, question)
        moment = question.moment
        turns = () if moment.side is None else cards.lessons(moment.side)
        if moment.turn and moment.turn not in turns:
            # A new review of the game may have found other mistakes.
            question = replace(question, moment=replace(moment, turn=turns[0] if turns else 0))
        return _Page(Lesson(question, turns, marks), kind, cards)

    async def _show(self, page: _Page) -> Card:
        answer = _turn if page.lesson.question.moment.turn else _summary
        return await self._desk.answer(answer, page)


def _players(page: _Page) -> list[Choice]:
    """Return the players who can learn from something."""
    choices = []
    for seat, name in enumerate(page.cards.names):
        if turns := page.cards.lessons(seat):
            called = page.say("Player {seat}", seat=seat + 1) if page.cards.moment.spoiler else name
            choices.append(Choice(str(seat), f"{called} ({len(turns)})"))
    return choices


def _turn(page: _Page) -> Card:
    """Return a turn with what it lost, and with the best play once that is found or given up."""
    lesson, cards, say = page.lesson, page.cards, page.say
    moment = lesson.question.moment
    turn = cards.turn(moment.turn)
    assert turn is not None  # it is one of the lesson's
    head = say(
        "**Mistake {number} of {count}** · {player}, turn {turn}",
        number=lesson.place + 1,
        count=len(lesson.turns),
        player=escape(cards.names[turn.seat]),
        turn=turn.turn,
    )
    hints = cards.hints(turn)
    if lesson.is_open:
        words = [cards.ask(turn), *(f"💡 {hint}" for hint in hints[: lesson.hints])]
    else:
        words = [cards.verdict(turn.turn)]
    scene, alt = cards.picture(turn, solved=not lesson.is_open)
    return Card(
        join_blocks([*([lesson.lead] if lesson.lead else []), head, *words], moment),
        (Drawing(scene, alt, moment.spoiler, "lesson"),),
        controls=_controls(lesson, len(hints)),
        accent="review",
    )


def _controls(lesson: Lesson, hints: int) -> tuple[Control, ...]:
    """Return the controls under a turn for which there are so many hints."""
    turns, turn, place = lesson.turns, lesson.question.moment.turn, lesson.place
    solve = ("a", "h", "s") if lesson.hints < hints else ("a", "s")
    following = turns[place + 1] if place + 1 < len(turns) else 0
    steps = [
        *((what, turn) for what in (solve if lesson.is_open else ())),
        *([("p", turns[place - 1])] if place else []),
        ("n", following),
    ]
    return tuple(lesson.control(what, to) for what, to in steps)


def _summary(page: _Page) -> Card:
    """Return how many turns the player found."""
    lesson, say = page.lesson, page.say
    moment = lesson.question.moment
    head = say(
        "**{player}: {found} of {count} found**",
        player=escape(page.cards.names[moment.side or 0]),
        found=lesson.count(ALONE + HELPED),
        count=len(lesson.turns),
    )
    counts = {marks: lesson.count(marks) for marks in (ALONE, HELPED, SHOWN, _OPEN)}
    parts = {
        ALONE: say("✅ {number} without a hint", number=counts[ALONE]),
        HELPED: say.count("💡 {number} with a hint", "💡 {number} with hints", counts[HELPED]),
        SHOWN: say("👁 {number} revealed", number=counts[SHOWN]),
        _OPEN: say("⬜ {number} unsolved", number=counts[_OPEN]),
    }
    states = " · ".join(words for marks, words in parts.items() if counts[marks])
    controls = [lesson.control("p", lesson.turns[-1])] if lesson.turns else []
    if moment.side is not None:
        controls.append(lesson.choose(Choice(str(moment.side), "")))
    controls += (lesson.choose(player) for player in _players(page) if int(player.value) != moment.side)
    blocks = [*([lesson.lead] if lesson.lead else []), head, states]
    return Card(join_blocks(blocks, moment), controls=tuple(controls), accent="review")
