"""How people do at puzzles: ratings, streaks, and what comes hardest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import astuple
from typing import Protocol

from bot.chat.reply import NoAnswerError, Reply
from bot.chat.style import Style
from bot.features.puzzles.daily import Streak, continued
from bot.features.puzzles.library import Library
from bot.features.puzzles.rating import Rating, expected
from bot.features.puzzles.standing_card import THEMES, Standing, Weakness, standing
from bot.features.puzzles.wanted import Kind
from bot.features.showing.desk import Desk
from bot.storage.dailies.values import KeptStreak
from bot.storage.puzzles import PuzzleAnswer, PuzzleRating

_ENOUGH = 5
"""Answers about a theme that tell something."""
_WEAK = 0.1
"""By so much of all answers fewer are right than was to be expected."""
_WEAKEST = 3


class StandingStore(Protocol):
    """Where it is kept how people do; see :class:`bot.storage.store.Store`."""

    async def puzzle_rating(self, user_id: int, game: str) -> PuzzleRating | None:
        """Return somebody's rating."""

    async def streak(self, user_id: int, game: str) -> tuple[KeptStreak, tuple[int, ...]]:
        """Return somebody's streak as it was last, and the dailies missed since."""

    async def rating_history(self, user_id: int, game: str) -> tuple[int, ...]:
        """Return somebody's ratings after each first answer."""

    async def puzzle_answers(self, user_id: int, game: str) -> dict[str, PuzzleAnswer]:
        """Return what somebody has done about the puzzles that the person saw."""


class Standings:
    """Tells how people do."""

    def __init__(self, desk: Desk, store: StandingStore, shelf: Callable[[], Awaitable[Library]]) -> None:
        self._desk = desk
        self._store = store
        self._shelf = shelf

    async def streak(self, user: int, kind: Kind) -> Streak:
        """Return the dailies of a game that somebody solved in a row, without one that is over and was missed."""
        kept, missed = await self._store.streak(user, kind)
        return continued(Streak(*astuple(kept)), missed)

    async def tell(self, user: int, style: Style) -> Reply:
        """Return how somebody does at puzzles of all games.

        Raises:
            NoAnswerError: the person has not answered one yet.

        """
        games = [one for kind in Kind if (one := await self._of(user, kind)) is not None]
        reply = await self._desk.answer(lambda: standing(games, style))
        if not reply.found:
            raise NoAnswerError(reply)
        return reply

    async def _of(self, user: int, kind: Kind) -> Standing | None:
        rated = await self._store.puzzle_rating(user, kind)
        if rated is None:
            return None
        own = Rating(*astuple(rated))
        answers = await self._store.puzzle_answers(user, kind)
        firsts = {
            name: one.solved and not one.tries
            for name, one in answers.items()
            if (one.solved or one.given_up or one.tries) and name.isalnum()  # others are not rated
        }
        history = await self._store.rating_history(user, kind) or (round(own.rating),)
        streak = await self.streak(user, kind)
        shelf = await self._shelf()
        weak = await self._desk.run(lambda: weaknesses(shelf, kind, own, firsts))
        return Standing(kind, own, history, len(firsts), sum(firsts.values()), streak.days, streak.best, weak)


def weaknesses(shelf: Library, kind: Kind, own: Rating, firsts: Mapping[str, bool]) -> tuple[Weakness, ...]:
    """Return the themes that somebody solves less often than ratings let expect, the weakest first.

    ``firsts`` are the puzzles answered, and whether the first answer was right. A theme with few of them tells nothing.
    """
    found: dict[str, list[tuple[bool, float]]] = defaultdict(list)
    for name, right in firsts.items():
        if (entry := shelf.entries.get((kind, name))) is None:
            continue
        for theme in entry.themes & THEMES.keys():
            found[theme].append((right, expected(own, entry.rating)))
    weak = [
        (sum(right - chance for right, chance in tries) / len(tries), theme)
        for theme, tries in found.items()
        if len(tries) >= _ENOUGH
    ]
    return tuple(
        Weakness(theme, sum(right for right, _ in found[theme]), len(found[theme]))
        for gap, theme in sorted(weak)[:_WEAKEST]
        if gap < -_WEAK
    )
