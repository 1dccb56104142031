"""The daily puzzle of servers: its schedule and choice, its cards, and the leaderboards.

A day is a date in the server's own zone, and its number is the same everywhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from bot.chat.card import Card, NoAnswerError, Style
from bot.chat.columns import MAX_WIDTH, Column, lay_out
from bot.chat.markdown import code_block, one_line
from bot.features.puzzles.cards import card_text, stars_text
from bot.features.puzzles.controls import daily_controls
from bot.features.puzzles.selection import Entry, Kind, Level
from bot.features.puzzles.service import Puzzles, Task
from bot.features.puzzles.streaks import day_of, number_of
from bot.features.showing.desk import Desk
from bot.storage.dailies import DailyDue, DailyKey, DailyPost, DailySettings
from bot.storage.puzzles import DailyCounts, Leader, Progress
from bot.storage.store import Store
from bot.text import Speaker

MAX_DELAY = timedelta(hours=20)
"""Maximum delay of a post. After that, the next daily is near."""


def week_of(number: int) -> int:
    """Return the number of the Monday of its week."""
    return number - day_of(number).weekday()


def month_of(number: int) -> int:
    """Return the number of the first day of its month."""
    return number - day_of(number).day + 1


@dataclass(frozen=True, slots=True)
class Schedule:
    """The time at which a server gets its daily."""

    hour: int
    """The hour, from 0 to 23, in local time."""
    zone: ZoneInfo

    def moment(self, day: date) -> datetime:
        """Return the moment of a day's post, in UTC.

        If the hour occurs twice on a day, the first occurrence counts. If it does not occur, the post comes as long
        after midnight as on other days.
        """
        return datetime.combine(day, time(self.hour), self.zone).astimezone(UTC)

    def latest(self, now: datetime) -> date:
        """Return the day whose post was due last."""
        day = now.astimezone(self.zone).date()
        while self.moment(day) > now:
            day -= timedelta(days=1)
        return day

    def next_after(self, day: date) -> datetime:
        """Return the moment of the post after a day's."""
        return self.moment(day + timedelta(days=1))


def choose(entries: Iterable[Entry], kind: Kind, level: Level, number: int) -> str | None:
    """Return the id of the puzzle of a number; None when there is none of the kind.

    It is chosen from the bundled puzzles of a game: all of them, or the easier or the harder half. A digest of their ids
    orders them, so the order is the same everywhere, and each comes once before any comes again.
    """
    every = [entry for entry in entries if entry.kind is kind and entry.is_bundled]
    if not every:
        return None
    by_rating = sorted(every, key=lambda entry: (entry.rating, entry.id))
    half = (len(by_rating) + 1) // 2
    chosen = {
        Level.EASY: by_rating[:half],
        Level.USUAL: by_rating,
        Level.HARD: by_rating[len(by_rating) - half :],
    }[level]
    shuffled = sorted(chosen, key=lambda entry: hashlib.sha256(f"{kind}:{entry.id}".encode()).digest())
    return shuffled[number % len(shuffled)].id


MAX_NAMED: Final = 20
"""Maximum number of users named with the solution."""
MAX_ROWS: Final = 10
"""Maximum number of ranks of a board. Users who share the last rank are listed up to as many again."""

_SIGNS = {Kind.CROSSWORD: "", Kind.CHESS: " ♟"}


def daily_card(
    post: DailyPost, task: Task | None, counts: DailyCounts, style: Style, *, closed: bool = False
) -> Card:
    """Return the card of a daily with the number of users who answered.

    ``task`` is None when the library no longer has the puzzle of a ``closed`` daily.
    """
    say, key = style.say, post.key
    number, note = str(key.number), _counts_line(counts, say)
    if closed or task is None:
        text = say("Daily {number} is over; its solution is below.", number=number)
    else:
        text = card_text(say("**Daily {number}**", number=number), task.question(say))
        between = " · " if counts.tried else " "
        note = f"{note}{between}{say('Answers are private until the next daily.')}"
    controls = daily_controls(key.game, key.number, "" if closed else post.puzzle)
    drawings = () if task is None else (task.drawing(0, style),)
    return Card(text, drawings, controls=controls, note=note, accent="puzzle")


def _counts_line(counts: DailyCounts, say: Speaker) -> str:
    if not counts.tried:
        return say("No tries yet.")
    return say(
        "Tried: {tried} · solved: {solved} · on the first try: {first}",
        tried=counts.tried,
        solved=counts.solved,
        first=counts.first,
    )


def solution_card(
    post: DailyPost,
    task: Task,
    counts: DailyCounts,
    solvers: Sequence[tuple[int, int]],
    style: Style,
) -> Card:
    """Return the card posted when a daily is over: the answer, and the users who found it, each with a streak."""
    say, key = style.say, post.key
    text, drawing = task.solution(style)
    head = say("**Daily {number}**", number=str(key.number))
    blocks = [f"{head} · {_counts_line(counts, say)}", text]
    if counts.solved:
        blocks.append(_solvers_line(counts, solvers, say))
    rated = say("Puzzle rating: {rating}", rating=task.rating or 0)
    controls = daily_controls(key.game, key.number)
    return Card("\n".join(blocks), (drawing,), controls=controls, note=rated, accent="puzzle")


def _solvers_line(counts: DailyCounts, solvers: Sequence[tuple[int, int]], say: Speaker) -> str:
    named = [f"<@{user}>" + (f" 🔥{streak}" if streak > 1 else "") for user, streak in solvers[:MAX_NAMED]]
    more = counts.solved - len(named)
    if not named:
        return say("To show your name here, use `/settings me`, `named`.")
    if more > 0:
        named.append(say.count("{number} more", "{number} more", more))
    return say("Solved by: {names}", names=", ".join(named))


def share_text(number: int, kind: Kind, progress: Progress, streak: int, say: Speaker) -> str:
    """Return a user's result without the answer."""
    parts = [
        f"{say('Kibitz daily {number}', number=str(number))}{_SIGNS[kind]} {stars_text(progress)}",
        say.count("{number} try", "{number} tries", progress.tries + 1),
    ]
    if progress.hints:
        parts.append(say.count("{number} hint", "{number} hints", progress.hints))
    if streak:
        parts.append(say("streak {days}", days=streak))
    return " · ".join(parts)


def on_board(leaders: Sequence[Leader]) -> list[Leader]:
    """Return the users that a board lists."""
    return [leader for leader in leaders if leader.rank <= MAX_ROWS][: 2 * MAX_ROWS]


def board(
    title: str, leaders: Sequence[Leader], names: Mapping[int, str], reader: int | None, say: Speaker
) -> Card:
    """Return a board.

    Args:
        title: The first line.
        leaders: All users who solved something, in order.
        names: The names of users who want to be named and are known; other users are not named.
        reader: The only reader, whose own rank is added; None for a public board.
        say: The speaker.

    """
    if not leaders:
        text = say("No daily has been solved here in this period.")
        return Card(f"{title}\n{text}", accent="puzzle")
    rows = on_board(leaders)
    unnamed = say("a player")
    called = tuple(one_line(names.get(leader.user_id, unnamed), MAX_WIDTH) for leader in rows)
    table = lay_out(
        [
            Column("", tuple(str(leader.rank) for leader in rows)),
            Column(say("name"), called, is_left_aligned=True, short_cells=called),
            Column(say("stars"), tuple(str(leader.stars) for leader in rows)),
            Column(say("solved"), tuple(str(leader.solved) for leader in rows), is_optional=True),
        ]
    )
    blocks = [title, code_block(table)]
    own = next((leader.rank for leader in leaders if leader.user_id == reader), None)
    if own is not None:
        blocks.append(say("You: rank {rank} of {all}.", rank=own, all=len(leaders)))
    note = ""
    if not all(leader.named for leader in rows):
        note = say("To show your name here, use `/settings me`, `named`.")
    return Card("\n".join(blocks), note=note, accent="puzzle")


class Span(StrEnum):
    """The time that a leaderboard covers."""

    WEEK = "week"
    MONTH = "month"
    ALL = "all"


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

    def today(self, due: DailyDue) -> tuple[int, bool, datetime]:
        """Return the number of a server's daily, whether it is too late to post it, and the time of the next one."""
        now, schedule = self._clock(), Schedule(due.settings.hour, _zone(due.settings.zone))
        day = schedule.latest(now)
        return number_of(day), now - schedule.moment(day) > MAX_DELAY, schedule.next_after(day)

    async def puzzle_of(self, key: DailyKey, level: str) -> str | None:
        """Return the id of a daily's puzzle; None when there is none of its game."""
        shelf = await self._puzzles.shelf()
        chosen = Level(level) if level in tuple(Level) else Level.USUAL
        return await self._desk.run(
            lambda: choose(shelf.entries.values(), Kind(key.game), chosen, key.number)
        )

    async def card(self, post: DailyPost, style: Style, *, closed: bool = False) -> Card:
        """Return the card of a daily.

        Raises:
            NoAnswerError: the library no longer has the puzzle of an open daily.

        """
        counts = await self.store.daily_counts(post.key)
        try:
            task = await self._task(post, style.say)
        except NoAnswerError:
            if not closed:
                raise
            task = None
        return await self._desk.answer(daily_card, post, task, counts, style, closed=closed)

    async def solution(self, post: DailyPost, style: Style) -> Card:
        """Return the card posted when a daily is over.

        Raises:
            NoAnswerError: the library no longer has its puzzle.

        """
        task, counts = await self._task(post, style.say), await self.store.daily_counts(post.key)
        solvers = await self.store.daily_solvers(post.key, MAX_NAMED)
        return await self._desk.answer(solution_card, post, task, counts, solvers, style)

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
        return share_text(key.number, kind, progress, streak, say)

    async def leaders(self, guild: int, kind: Kind | None, span: Span) -> tuple[Leader, ...]:
        """Return all users who solved dailies in a server in a time, in the order of their ranks."""
        settings = await self.store.daily_settings(guild)
        zone = _zone(settings.zone if settings is not None else "UTC")
        number = number_of(self._clock().astimezone(zone).date())
        since = {Span.WEEK: week_of(number), Span.MONTH: month_of(number), Span.ALL: 0}[span]
        return await self.store.leaders(guild, kind, since)


def is_zone(name: str) -> bool:
    """Return whether a time zone has this name."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # a folder's name is not a zone
        return False
    return True


@cache
def zones() -> tuple[str, ...]:
    """Return the names of all time zones. The first call reads many files."""
    return tuple(sorted(available_timezones()))


def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name if is_zone(name) else "UTC")
