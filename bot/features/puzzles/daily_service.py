"""The dailies of servers: settings, schedule, posts, solutions and leader boards, for any shell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from bot.chat.card import Card, NoAnswerError, Style
from bot.features.puzzles import daily
from bot.features.puzzles.cards import Task
from bot.features.puzzles.daily import MAX_NAMED, Ranked, Schedule
from bot.features.puzzles.selection import Kind, Level
from bot.features.puzzles.service import Puzzles
from bot.features.showing.desk import Desk
from bot.storage.dailies import DailyDue, DailyKey, DailyPost, DailySettings
from bot.storage.store import Store
from bot.text import Speaker


class Span(StrEnum):
    """The time that a leader board covers."""

    WEEK = "week"
    MONTH = "month"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Today:
    """The daily of a server at a moment."""

    number: int
    is_late: bool
    """Whether it is too late to post it."""
    next: datetime
    """The time of the next one."""


class Dailies:
    """The dailies of all servers. ``clock`` returns the time with its zone."""

    def __init__(self, desk: Desk, store: Store, puzzles: Puzzles, clock: Callable[[], datetime]) -> None:
        self._desk = desk
        self.store = store
        self._puzzles = puzzles
        self._clock = clock

    async def choose(self, guild: int, chosen: DailySettings | None) -> datetime | None:
        """Set where and when a server gets dailies, None for nowhere; return the time of the next one."""
        if chosen is None:
            await self.store.set_daily_settings(guild, None, None)
            for post in await self.store.open_dailies(guild):
                await self.store.close_daily(post.key)
            return None
        schedule = Schedule(chosen.hour, _zone(chosen.zone))
        due = schedule.next_after(schedule.latest(self._clock()))
        await self.store.set_daily_settings(guild, chosen, due)
        return due

    def today(self, due: DailyDue) -> Today:
        """Return the daily of a server now."""
        now, schedule = self._clock(), Schedule(due.settings.hour, _zone(due.settings.zone))
        day = schedule.latest(now)
        is_late = now - schedule.moment(day) > daily.LATE
        return Today(daily.number_of(day), is_late, schedule.next_after(day))

    async def puzzle_of(self, key: DailyKey, level: str) -> str | None:
        """Return the id of a daily's puzzle; None when there is none of its game."""
        shelf = await self._puzzles.shelf()
        chosen = Level(level) if level in tuple(Level) else Level.USUAL
        return await self._desk.run(
            lambda: daily.choose(shelf.entries.values(), Kind(key.game), chosen, key.number)
        )

    async def card(self, post: DailyPost, style: Style) -> Card:
        """Return the card of an open daily.

        Raises:
            NoAnswerError: the library no longer has its puzzle.

        """
        task, counts = await self._task(post, style.say), await self.store.daily_counts(post.key)
        return await self._desk.answer(daily.daily_card, post, task, counts, style)

    async def closed(self, post: DailyPost, style: Style) -> Card:
        """Return the card of a daily that is over."""
        counts = await self.store.daily_counts(post.key)
        try:
            task = await self._task(post, style.say)
        except NoAnswerError:
            task = None
        return await self._desk.answer(daily.closed_card, post, task, counts, style)

    async def solution(self, post: DailyPost, style: Style) -> Card:
        """Return the card posted when a daily is over.

        Raises:
            NoAnswerError: the library no longer has its puzzle.

        """
        task, counts = await self._task(post, style.say), await self.store.daily_counts(post.key)
        solvers = await self.store.daily_solvers(post.key, MAX_NAMED)
        return await self._desk.answer(daily.solution_card, post, task, counts, solvers, style)

    async def _task(self, post: DailyPost, say: Speaker) -> Task:
        return await self._puzzles.task(Kind(post.key.game), post.puzzle, say)

    async def share(self, user: int, key: DailyKey, say: Speaker) -> str:
        """Return a user's result without the answer.

        Raises:
            NoAnswerError: the user has not solved the daily.

        """
        progress, kind = await self.store.daily_answer(user, key), Kind(key.game)
        if progress is None or not progress.solved:
            raise NoAnswerError.saying(say("You have not solved this daily."))
        streak = (await self._puzzles.streak(user, kind)).days
        return daily.share_text(key.number, kind, progress, streak, say)

    async def ranks(self, guild: int, kind: Kind | None, span: Span) -> tuple[Ranked, ...]:
        """Return all users who solved dailies in a server in a time, with their ranks."""
        settings = await self.store.daily_settings(guild)
        zone = _zone(settings.zone if settings is not None else "UTC")
        number = daily.number_of(self._clock().astimezone(zone).date())
        since = {Span.WEEK: daily.week_of(number), Span.MONTH: daily.month_of(number), Span.ALL: 0}[span]
        leaders = await self.store.leaders(guild, kind, since)
        return await self._desk.run(daily.ranked, leaders)


def is_zone(name: str) -> bool:
    """Return whether a time zone has this name."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # a folder's name is no zone
        return False
    return True


@cache
def zones() -> tuple[str, ...]:
    """Return the names of all time zones. The first call reads many files."""
    return tuple(sorted(available_timezones()))


def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name if is_zone(name) else "UTC")
