"""One's own mistakes as puzzles: what reviews found that somebody lost in games of the person's own.

The puzzles are turns of games that are kept for the person anyway; of a puzzle only a figure is kept that stands for it, and
whether it was solved.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Protocol

from bot.chat.offers import Control, LessonPanel
from bot.chat.reply import NoAnswerError, Reply
from bot.features.puzzles.library import stand_in
from bot.features.puzzles.wanted import Kind
from bot.features.review.depth import Depth
from bot.features.review.lesson_card import ALONE, HELPED
from bot.features.review.own_games import LookBack, OwnGames
from bot.features.review.question import ReviewQuestion
from bot.features.review.teaching import Lessons
from bot.storage.puzzles import Change, PuzzleAnswer, PuzzleRating


class MistakeStore(Protocol):
    """Where it is kept which puzzles were solved; see :class:`bot.storage.store.Store`."""

    async def change_puzzle(
        self, user_id: int, game: str, puzzle: str, work: Change
    ) -> tuple[PuzzleAnswer, PuzzleRating | None, PuzzleAnswer, PuzzleRating | None]:
        """Change what is known of somebody and a puzzle."""

    async def puzzle_answers(self, user_id: int, game: str) -> dict[str, PuzzleAnswer]:
        """Return what somebody has done about the puzzles that the person saw."""


@dataclass(frozen=True, slots=True)
class _Mistake:
    question: ReviewQuestion
    kind: str


class OwnMistakes:
    """Sets people what they lost, one turn after the other."""

    def __init__(self, games: OwnGames, lessons: Lessons, store: MistakeStore) -> None:
        self._games = games
        self._lessons = lessons
        self._store = store

    async def next(self, back: LookBack, kind: Kind | None = None) -> Reply:
        """Set somebody a mistake of the latest games, of one kind or of all: first those that were never set.

        Raises:
            NoAnswerError: nothing is known that is left to solve.

        """
        answers = {one: await self._store.puzzle_answers(back.user_id, one) for one in Kind}
        again: _Mistake | None = None
        any_lost = False
        async for one in self._mistakes(back, kind):
            any_lost = True
            known = answers[Kind(one.kind)].get(_name(one.question))
            if known is None:
                return await self._set(one, back.user_id)
            if not known.solved:
                again = again or one
        if again is not None:
            return await self._set(again, back.user_id)
        say = back.style.say
        raise NoAnswerError.saying(
            say("You have solved everything that I know you lost here. New games bring new puzzles.")
            if any_lost
            else say(
                "I know of nothing that you lost in a game here. `/review last:10` reviews your games, and asks which of the"
                " players you are."
            )
        )

    async def told(self, user: int, reply: Reply) -> Reply:
        """Return what a control of such a puzzle answers, with its next controls; keep whether it is solved by now."""
        controls: list[Control] = []
        for control in reply.controls:
            if not isinstance(control, LessonPanel):
                controls.append(control)
                continue
            controls.append(replace(control, own=True, previous=None, next=None))
            mark = control.marks[-1:]
            if not control.is_open and mark:
                await self._keep(user, control, solved=mark in {ALONE, HELPED})
        return replace(reply, controls=tuple(controls))

    async def _mistakes(self, back: LookBack, kind: Kind | None) -> AsyncIterator[_Mistake]:
        """Yield the turns to learn from of somebody's games, of the latest game first."""
        for question, seat in await self._games.seated(back):
            for depth in (Depth.DEEP, Depth.QUICK):
                asked = replace(question, depth=depth, moment=replace(question.moment, side=seat))
                try:
                    name, turns = await self._lessons.turns(asked)
                except NoAnswerError:
                    continue  # not reviewed so closely
                if kind is None or name == kind:
                    for turn in turns:
                        yield _Mistake(replace(asked, moment=replace(asked.moment, turn=turn)), name)
                break

    async def _set(self, one: _Mistake, user: int) -> Reply:
        await self._store.change_puzzle(
            user, one.kind, _name(one.question), lambda answer, rating: (answer, rating)
        )
        return await self.told(user, await self._lessons.show(one.question, ""))

    async def _keep(self, user: int, panel: LessonPanel, *, solved: bool) -> None:
        question = ReviewQuestion(panel.moment)
        name, _ = await self._lessons.turns(replace(question, lexicon=panel.lexicon, depth=panel.depth))

        def work(
            answer: PuzzleAnswer, rating: PuzzleRating | None
        ) -> tuple[PuzzleAnswer, PuzzleRating | None]:
            return replace(answer, solved=answer.solved or solved, given_up=not solved), rating

        await self._store.change_puzzle(user, name, _name(question), work)


def _name(question: ReviewQuestion) -> str:
    return stand_in(f"{question.moment.digest}:{question.moment.turn}")
