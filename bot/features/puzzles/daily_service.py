"""The daily of each server: where and when it is due, its card, its solution, its board; knows no shell."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import astuple, dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from bot.chat.card import Card, NoAnswerError
from bot.chat.style import Style
from bot.features.puzzles import daily
from bot.features.puzzles import daily_card as answers
from bot.features.puzzles.cards import Setting
from bot.features.puzzles.daily import Schedule
from bot.features.puzzles.daily_card import Ranked
from bot.features.puzzles.library import Puzzle
from bot.features.puzzles.rating import Progress
from bot.features.puzzles.service import Puzzles
from bot.features.puzzles.wanted import Kind, Level
from bot.features.showing.desk import Desk
from bot.storage.dailies.values import DailyDue, DailyKey, DailyPost, DailySettings
from bot.storage.store import Store
from bot.text import Speaker

log = logging.getLogger(__name__)


class Span(StrEnum):
    """The time that a board is about."""

    WEEK = "week"
    MONTH = "month"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Today:
    """What is due in a server."""

    guild_id: int
    settings: DailySettings
    number: int
    is_late: bool
    """Whether so much of the day is over that its daily is not posted any more."""
    next: datetime
    """When the next one is due."""


class Dailies:
    """Chooses dailies, and says what there is to be said of them. ``clock`` returns the time, with its zone."""

    def __init__(self, desk: Desk, store: Store, puzzles: Puzzles, clock: Callable[[], datetime]) -> None:
        self._desk = desk
        self._store = store
        self._puzzles = puzzles
        self._clock = clock

    # Where and when

    async def settings(self, guild: int) -> DailySettings | None:
        """Return where and when a server gets dailies; None for nowhere."""
        return await self._store.daily_settings(guild)

    async def choose(self, guild: int, chosen: DailySettings | None) -> datetime | None:
        """Keep where and when a server gets dailies, and return when the next one comes; None for nowhere."""
        due = None
        if chosen is not None:
            schedule = _schedule(chosen)
            due = schedule.next_after(schedule.latest(self._clock()))
        await self._store.set_daily_settings(guild, chosen, due)
        if chosen is None:
            for post in await self._store.open_dailies(guild):
                await self._store.close_daily(post.key)
        return due

    def today(self, due: DailyDue) -> Today:
        """Return what is due in a server now."""
        now, schedule = self._clock(), _schedule(due.settings)
        day = schedule.latest(now)
        late = now - schedule.moment(day) > daily.LATE
        return Today(due.guild_id, due.settings, daily.number_of(day), late, schedule.next_after(day))

    def keys(self, today: Today) -> tuple[DailyKey, ...]:
        """Return the dailies that a server gets in a day, one for each of its games."""
        games = [Kind(game) for game in today.settings.games.split(",") if game in tuple(Kind)]
        return tuple(DailyKey(today.guild_id, today.number, game) for game in games)

    async def puzzle_of(self, key: DailyKey, level: str) -> str | None:
        """Return the id of a daily's puzzle; None when there is none of its game."""
        shelf = await self._puzzles.shelf()
        chosen = Level(level) if level in tuple(Level) else Level.USUAL
        return await self._desk.run(
            lambda: daily.choose(shelf.entries.values(), Kind(key.game), chosen, key.number)
        )

    # What is posted

    async def card(self, post: DailyPost, style: Style) -> Card:
        """Return a daily as it is posted.

        Raises:
            NoAnswerError: its puzzle is not there any more.

        """
        setting, puzzle = await self._puzzle(post, style.say)
        text = await self.card_text(post, style.say)
        return await self._desk.answer(lambda: answers.card(post, text, setting.drawing(puzzle, style)))

    async def card_text(self, post: DailyPost, say: Speaker) -> str:
        """Return the words of a daily's card as it is now.

        Raises:
            NoAnswerError: its puzzle is not there any more.

        """
        setting, puzzle = await self._puzzle(post, say)
        asked = await self._desk.run(setting.question, puzzle, say)
        return answers.card_text(post, asked, await self._store.daily_counts(post.key), say)

    async def _puzzle(self, post: DailyPost, say: Speaker) -> tuple[Setting[Any, Any], Puzzle]:
        kind = Kind(post.key.game)
        return self._puzzles.setting[kind], await self._puzzles.puzzle(kind, post.puzzle, say)

    async def closed_text(self, post: DailyPost, say: Speaker) -> str:
        """Return the words of the card of a daily that is over."""
        return answers.closed_text(post, await self._store.daily_counts(post.key), say)

    async def solution(self, post: DailyPost, style: Style) -> Card:
        """Return what is posted when a daily is over.

        Raises:
            NoAnswerError: its puzzle is not there any more.

        """
        setting, puzzle = await self._puzzle(post, style.say)
        counts = await self._store.daily_counts(post.key)
        solvers = await self._store.daily_solvers(post.key, answers.MAX_NAMED)
        return await self._desk.answer(
            lambda: answers.solution(post, setting.solution(puzzle, style), counts, solvers, style.say)
        )

    async def share(self, user: int, key: DailyKey, say: Speaker) -> str:
        """Return how somebody did at a daily, with nothing of the answer.

        Raises:
            NoAnswerError: nothing is known of it.

        """
        answer = await self._store.daily_answer(user, key)
        if answer is None or not answer.solved:
            raise NoAnswerError.saying(say("You have not solved this daily."))
        kind = Kind(key.game)
        streak = (await self._puzzles.standings.streak(user, kind)).days
        return answers.share_text(key.number, kind, Progress(*astuple(answer)), streak, say)

    # Boards

    async def ranks(self, guild: int, kind: Kind | None, span: Span) -> tuple[Ranked, ...]:
        """Return everybody who solved dailies in a server in a time, with their ranks."""
        settings = await self._store.daily_settings(guild)
        zone = _zone(settings.zone if settings is not None else "UTC")
        number = daily.number_of(self._clock().astimezone(zone).date())
        since = {
            Span.WEEK: daily.week_of(number),
            Span.MONTH: daily.month_of(number),
            Span.ALL: 0,
        }[span]
        leaders = await self._store.leaders(guild, kind, since)
        return await self._desk.run(answers.ranked, leaders)


def is_zone(name: str) -> bool:
    """Tell whether a time zone is known by a name."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # the name of a folder is no zone
        return False
    return True


@cache
def zones() -> tuple[str, ...]:
    """Return the names of all time zones; the first time it looks through many files."""
    return tuple(sorted(available_timezones()))


def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name if is_zone(name) else "UTC")


def _schedule(settings: DailySettings) -> Schedule:
    return Schedule(settings.hour, _zone(settings.zone))
