"""Learning from one's mistakes: the turns of a review that lost something, one by one, with the best play hidden."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from bot.chat.card import Card, NoAnswerError
from bot.chat.markdown import behind_bars, escape
from bot.chat.moment import Choice
from bot.chat.style import Style
from bot.domain.reading.problems import DomainError
from bot.features.analysis.crossword.analysis import progress_bar
from bot.features.analysis.work import RunningWork, UnderWay
from bot.features.review.cards import SHOWN, Lesson, answer_end, answer_players
from bot.features.review.question import ReviewQuestion
from bot.features.review.service import Reviews
from bot.features.showing.desk import Desk
from bot.jobs.queue import Asker, Jobs, Ticket
from bot.text import Speaker

Request = TypeVar("Request")
Result = TypeVar("Result")
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of an answer."""

    words: str
    right: bool = False


@dataclass(frozen=True, slots=True)
class Attempt:
    """An answer that only work can judge."""

    request: Any
    """For the jobs."""
    about: Any
    """What was answered, as the kind knows it."""


class Teaching(ABC, Generic[Request, Result, Found]):
    """How one learns from games of one kind. All but the jobs is called on threads."""

    def __init__(self, jobs: Jobs[Any, Any, Found] | None) -> None:
        self.jobs = jobs

    @abstractmethod
    def turns(self, result: Result, request: Request, seat: int) -> tuple[int, ...]:
        """Return the turns that a player can learn from."""

    @abstractmethod
    def player(self, request: Request, seat: int, say: Speaker) -> str:
        """Return a player's name."""

    @abstractmethod
    def answer(self, result: Result, request: Request, lesson: Lesson, style: Style) -> Card:
        """Show a turn, with its solution if it is not to be found any more."""

    @abstractmethod
    def attempt(
        self, result: Result, request: Request, lesson: Lesson, typed: str, style: Style
    ) -> Judged | Attempt:
        """Judge an answer at once, or say what work it takes.

        Raises:
            DomainError: it is no play, or none that can be made.

        """

    @abstractmethod
    def judged(
        self,
        result: Result,
        request: Request,
        lesson: Lesson,
        attempt: Attempt,
        found: Found,
        *,
        say: Speaker,
    ) -> Judged:
        """Judge an answer by what the work found."""


class RunningAttempt(RunningWork[Any, Any]):
    """An answer that is being judged."""

    def __init__(
        self,
        lessons: Lessons,
        asked: _Asked,
        attempt: Attempt,
        ticket: Ticket[Any, Any],
    ) -> None:
        super().__init__(ticket, asked.style.say)
        self._lessons = lessons
        self._asked = asked
        self._attempt = attempt

    async def told(self, progress: object) -> Card:
        """Say how much of the time is over."""
        share = progress if isinstance(progress, float) else 0.0
        return Card(f"⏳ {progress_bar(share)}")

    async def finish(self, result: object) -> Card:
        """Show the turn with what came of the answer."""
        return await self._lessons.finish(self._asked, self._attempt, result)

    def refusal(self, error: DomainError) -> Card:
        """Say why it cannot be judged."""
        return _refusal(error, self._asked)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a control asks for, with what it is about."""

    kind: Teaching[Any, Any, Any]
    request: Any
    result: Any
    lesson: Lesson
    style: Style


class Lessons:
    """Shows turns to learn from. ``kinds`` are by the names of the kinds of games."""

    def __init__(self, desk: Desk, reviews: Reviews, kinds: Mapping[str, Teaching[Any, Any, Any]]) -> None:
        self._desk = desk
        self._reviews = reviews
        self._kinds = kinds
        self._under_way = UnderWay()
        self.answer_own: Callable[[int, Card], Awaitable[Card]] | None = None
        """Answers what a control does under a turn that was set as a puzzle from a person's own game; None without puzzles."""

    async def begin(self, question: ReviewQuestion, names: tuple[str, ...] = ()) -> Card:
        """Show the first turn of the player whose side it is, else of the one with one of the ``names``.

        Where neither says who learns, ask.

        Raises:
            NoAnswerError: the review is gone, or nobody lost anything for certain.

        """
        say = question.style.say
        moment = replace(question.moment, turn=0)
        asked = await self._asked(replace(question, moment=moment), "")
        choices = await self._desk.run(self._choices, asked)
        if not choices:
            raise NoAnswerError.saying(say("Nobody lost anything for certain in this game."))
        seat = moment.side
        if seat is None:
            seat = await self._reviews.seat_of(question, names)
        if seat is None and len(choices) == 1:
            seat = int(choices[0].value)
        if seat is None or not any(int(choice.value) == seat for choice in choices):
            nothing = "" if seat is None else asked.kind.player(asked.request, seat, say)
            return await self._desk.run(lambda: answer_players(asked.lesson, choices, say, nothing=nothing))
        turns = asked.kind.turns(asked.result, asked.request, seat)
        return await self.show(replace(question, moment=replace(moment, turn=turns[0], side=seat)), "")

    async def turns(self, question: ReviewQuestion) -> tuple[str, tuple[int, ...]]:
        """Return the kind of a game, and the turns that the player whose side it is can learn from.

        Raises:
            NoAnswerError: there is no review.

        """
        name, request, result = await self._reviews.kept(question)
        kind = self._kinds.get(name)
        if kind is None or question.moment.side is None:
            return name, ()
        return name, await self._desk.run(kind.turns, result, request, question.moment.side)

    async def show(self, question: ReviewQuestion, marks: str) -> Card:
        """Show a turn, or at turn 0 how many were found.

        Raises:
            NoAnswerError: the review is gone.

        """
        return await self._show(await self._asked(question, marks))

    async def hint(self, question: ReviewQuestion, marks: str) -> Card:
        """Tell a little more of the best play.

        Raises:
            NoAnswerError: the review is gone.

        """
        asked = await self._asked(question, marks)
        lesson = asked.lesson
        marks = lesson.marked(str(lesson.hints + 1)) if lesson.is_open else lesson.marks
        return await self._show(replace(asked, lesson=replace(lesson, marks=marks)))

    async def solution(self, question: ReviewQuestion, marks: str) -> Card:
        """Tell the best play, and why it is.

        Raises:
            NoAnswerError: the review is gone.

        """
        asked = await self._asked(question, marks)
        lesson = asked.lesson
        marks = lesson.marked(SHOWN) if lesson.is_open else lesson.marks
        return await self._show(replace(asked, lesson=replace(lesson, marks=marks)))

    async def answer(
        self, question: ReviewQuestion, marks: str, typed: str, asker: Asker
    ) -> Card | RunningAttempt:
        """Judge an answer at once, or begin the work that it takes.

        Raises:
            NoAnswerError: the review is gone, it is no play, or the asker has to wait.

        """
        asked = await self._asked(question, marks)
        try:
            found = await self._desk.run(
                asked.kind.attempt, asked.result, asked.request, asked.lesson, typed, asked.style
            )
        except DomainError as error:
            raise NoAnswerError(_refusal(error, asked)) from None
        if isinstance(found, Judged):
            return await self._after(asked, found)
        assert asked.kind.jobs is not None  # nobody asks for work where it is not done
        ticket = await self._under_way.submit(asked.kind.jobs, asker, found.request, asked.style.say)
        return RunningAttempt(self, asked, found, ticket)

    async def finish(self, asked: _Asked, attempt: Attempt, found: object) -> Card:
        """Show the turn with what the work found."""
        judged = await self._desk.run(
            asked.kind.judged,
            asked.result,
            asked.request,
            asked.lesson,
            attempt,
            found,
            say=asked.style.say,
        )
        return await self._after(asked, judged)

    def stop(self, user: int) -> bool:
        """Stop what somebody has under way; False when there is nothing."""
        return self._under_way.stop(user)

    async def _after(self, asked: _Asked, judged: Judged) -> Card:
        lesson = asked.lesson
        marks = lesson.found() if judged.right and lesson.is_open else lesson.marks
        return await self._show(replace(asked, lesson=replace(lesson, marks=marks, lead=judged.words)))

    async def _show(self, asked: _Asked) -> Card:
        lesson, say = asked.lesson, asked.style.say
        if lesson.moment.turn:
            return await self._desk.answer(
                asked.kind.answer, asked.result, asked.request, lesson, asked.style
            )

        def ended() -> Card:
            others = tuple(one for one in self._choices(asked) if int(one.value) != lesson.moment.side)
            player = asked.kind.player(asked.request, lesson.moment.side or 0, say)
            return answer_end(lesson, player, others, say)

        return await self._desk.run(ended)

    async def _asked(self, question: ReviewQuestion, marks: str) -> _Asked:
        name, request, result = await self._reviews.kept(question)
        kind, moment = self._kinds[name], question.moment
        turns: tuple[int, ...] = ()
        if moment.side is not None:
            turns = await self._desk.run(kind.turns, result, request, moment.side)
        if moment.turn and moment.turn not in turns:
            # Computed anew, it may have come out otherwise.
            moment = replace(moment, turn=turns[0] if turns else 0)
        lesson = Lesson(moment, question.depth, question.lexicon, turns, marks)
        return _Asked(kind, request, result, lesson, question.style)

    def _choices(self, asked: _Asked) -> tuple[Choice, ...]:
        """List the players who can learn from something."""
        kind, say = asked.kind, asked.style.say
        choices = []
        for seat in (0, 1):
            if turns := kind.turns(asked.result, asked.request, seat):
                name = say("Player {seat}", seat=seat + 1)
                if not asked.lesson.moment.spoiler:
                    name = kind.player(asked.request, seat, say)
                choices.append(Choice(str(seat), f"{name} ({len(turns)})"))
        return tuple(choices)


def _refusal(error: DomainError, asked: _Asked) -> Card:
    """Say why an answer is not judged."""
    say = asked.style.say
    text = say("I cannot show this play: {problem}.", problem=escape(say.problem(error)))
    return Card(behind_bars(text) if asked.lesson.moment.spoiler else text, found=False)
