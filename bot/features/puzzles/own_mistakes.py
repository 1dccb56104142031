"""A user's own mistakes as puzzles: turns of the user's games whose review found a loss.

The games are stored anyway. Of a puzzle only a digest is stored, with the result of the answer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from bot.chat.card import Card, NoAnswerError
from bot.chat.control import Button, Control, Part, Service, control
from bot.domain.reading.problems import Phrase
from bot.features.puzzles.selection import Kind, stand_in
from bot.features.review.controls import Learn, require_own_games
from bot.features.review.lessons import SOLVED_ALONE_MARK, SOLVED_WITH_HELP_MARK, Lessons
from bot.features.review.own_games import OwnGames
from bot.features.review.values import Depth, LookBack, ReviewQuestion
from bot.storage.own_games import MAX_GAMES
from bot.storage.puzzles import Progress, Rating, State
from bot.storage.store import Store

if TYPE_CHECKING:
    from bot.chat.card import Style
    from bot.chat.press import Press

MISTAKES: Service[OwnMistakes] = Service("mistakes", Phrase("Puzzles are not available here."))

ALL_KINDS: Final = "all"
"""Stands for games of both kinds."""


@control("mistake:{game}")
class NextMistake(Control):
    """Shows the next of the user's own mistakes as a puzzle, from one game or from all."""

    game: Annotated[str, Part("crossword|chess|all")] = ALL_KINDS

    button = Button(Phrase("Next puzzle"), "\N{JIGSAW PUZZLE PIECE}")

    async def act(self, press: Press) -> None:
        """Set it."""
        await press.private(lambda style: next_mistake(press, self.game, style))


async def next_mistake(press: Press, game: str, style: Style) -> Card:
    """Show the user, as a puzzle, a turn that lost something in one of the user's own games.

    Raises:
        NoAnswerError: there is none, or the user's games are not kept.

    """
    await require_own_games(press)
    mistakes = await press.need(MISTAKES)
    back = LookBack(press.user, press.guild or 0, MAX_GAMES, style)
    return await mistakes.next(back, None if game == ALL_KINDS else Kind(game))


_Mistake: TypeAlias = tuple[ReviewQuestion, str]
"""A turn that lost something, and the game."""


class OwnMistakes:
    """Sets people what they lost, one turn after the other."""

    def __init__(self, games: OwnGames, lessons: Lessons, store: Store) -> None:
        self._games = games
        self._lessons = lessons
        lessons.answer_own = self.with_controls
        self._store = store

    async def next(self, back: LookBack, kind: Kind | None = None) -> Card:
        """Set a user a mistake of the latest games, of one kind or of all: new mistakes first.

        Raises:
            NoAnswerError: no known mistake is left to solve.

        """
        answers = {game: await self._store.puzzle_answers(back.user_id, game) for game in Kind}
        again: _Mistake | None = None
        any_lost = False
        async for mistake in self._mistakes(back, kind):
            any_lost = True
            known = answers[Kind(mistake[1])].get(_name(mistake[0]))
            if known is None:
                return await self._set(mistake, back.user_id)
            if not known.solved:
                again = again or mistake
        if again is not None:
            return await self._set(again, back.user_id)
        say = back.style.say
        raise NoAnswerError.saying(
            say("You have solved all your known mistakes. New games bring new puzzles.")
            if any_lost
            else say(
                "None of your games here has a known mistake. `/review last:10` reviews your games and "
                "asks which player you are."
            )
        )

    async def with_controls(self, user: int, reply: Card) -> Card:
        """Return the answer of such a puzzle's control with the next controls, and store whether the puzzle is solved."""
        learn = [control for control in reply.controls if isinstance(control, Learn)]
        following = next((control for control in learn if control.what == "n"), None)
        if following is not None and following.marks and all(control.what != "s" for control in learn):
            await self._keep(
                user, following, solved=following.marks[-1] in {SOLVED_ALONE_MARK, SOLVED_WITH_HELP_MARK}
            )
        solve = [replace(control, own=True) for control in learn if control.what in "ahs"]
        players = [control for control in learn if control.what == "c"]
        return replace(reply, controls=(*solve, NextMistake(), *players))

    async def _mistakes(self, back: LookBack, kind: Kind | None) -> AsyncIterator[_Mistake]:
        """Yield the turns of a user's games that lost something, the latest game first."""
        for question, seat in await self._games.seated(back):
            for depth in (Depth.DEEP, Depth.QUICK):
                reviewed = replace(question, depth=depth, moment=replace(question.moment, side=seat))
                try:
                    name, turns = await self._lessons.turns(reviewed)
                except NoAnswerError:
                    continue  # not reviewed so closely
                if kind is None or name == kind:
                    for turn in turns:
                        yield replace(reviewed, moment=replace(reviewed.moment, turn=turn)), name
                break

    async def _set(self, mistake: _Mistake, user: int) -> Card:
        question, kind = mistake
        await self._store.change_puzzle(user, kind, _name(question), lambda answer, rating: (answer, rating))
        return await self.with_controls(user, await self._lessons.show(question, ""))

    async def _keep(self, user: int, under: Learn, *, solved: bool) -> None:
        moment = replace(under.moment, turn=under.at)
        question = ReviewQuestion(moment, lexicon=under.lexicon, depth=under.depth)
        name, _ = await self._lessons.turns(question)

        def work(before: Progress, rating: Rating | None) -> State:
            return replace(before, solved=before.solved or solved, given_up=not solved), rating

        await self._store.change_puzzle(user, name, _name(question), work)


def _name(question: ReviewQuestion) -> str:
    return stand_in(f"{question.moment.digest}:{question.moment.turn}")
