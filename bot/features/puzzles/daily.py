"""The daily puzzle: its number, schedule and choice, streaks, and its cards.

Nothing here reads a clock: a day is a date in the server's own zone, and its number is the same everywhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo

from bot.chat.card import Card, Style
from bot.chat.columns import MAX_WIDTH, Column, lay_out
from bot.chat.markdown import code_block, one_line
from bot.features.puzzles.cards import Task, card_text, stars_text
from bot.features.puzzles.controls import daily_controls
from bot.features.puzzles.selection import Entry, Kind, Level
from bot.storage.dailies import DailyPost
from bot.storage.puzzles import DailyCounts, Leader, Progress, Streak
from bot.text import Speaker

FIRST_DAY = date(2026, 1, 1)
"""The day of daily number 1."""
LATE = timedelta(hours=20)
"""Maximum delay of a post; later the next daily is near."""
_MONTHS = 12
_ZONES = 2
"""Days by which two places on Earth differ at most, each with its own hour of posting."""


def number_of(day: date) -> int:
    """Return the number of a day's puzzle, 1 on the first day."""
    return (day - FIRST_DAY).days + 1


def day_of(number: int) -> date:
    """Return the day of a number."""
    return FIRST_DAY + timedelta(days=number - 1)


def week_of(number: int) -> int:
    """Return the number of the Monday of its week."""
    return number - day_of(number).weekday()


def month_of(number: int) -> int:
    """Return the number of the first day of its month."""
    return number - day_of(number).day + 1


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a server gets its daily."""

    hour: int
    """0 to 23, by the clock on the wall."""
    zone: ZoneInfo

    def moment(self, day: date) -> datetime:
        """Return the moment of a day's post, in UTC.

        Of an hour that a day has twice the first counts; an hour that a day lacks is as long after midnight as on other days.
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


def continued(streak: Streak, missed: Sequence[int]) -> Streak:
    """Return a streak after numbers that were posted and not solved: the first of each month does not count."""
    frozen = streak.frozen
    for number in missed if streak.days else ():
        day = day_of(number)
        month = _MONTHS * day.year + day.month
        if month <= frozen:
            return replace(streak, days=0)
        frozen = month
    return replace(streak, frozen=frozen)


def solved(streak: Streak, number: int, missed: Sequence[int]) -> Streak:
    """Return a streak after a number was solved; ``missed`` are the numbers between the last one and this.

    A number that is not later than the last changes nothing: it was solved in two zones. If the last one lies in a future
    that no zone can have reached, a clock had been set forward, and the streak continues.
    """
    if number <= streak.last <= number + _ZONES:
        return streak
    before = continued(streak, missed)
    days = before.days + 1
    return Streak(days, max(days, streak.best), number, before.frozen)


MAX_NAMED: Final = 20
"""Users named with the solution."""
MAX_ROWS: Final = 10
"""Ranks of a board. Users who share the last rank are listed up to as many again."""
Ranked: TypeAlias = tuple[int, Leader]
"""A rank on a board, and who holds it."""

_SIGNS = {Kind.CROSSWORD: "", Kind.CHESS: " ♟"}


def daily_line(number: int, streak: int, say: Speaker) -> str:
    """Return the number of a daily, and the streak, if there is one."""
    head = say("Daily {number}", number=str(number))
    return f"{head} · {say('streak {days}', days=streak)}" if streak else head


def daily_card(post: DailyPost, task: Task, counts: DailyCounts, style: Style) -> Card:
    """Return the card of an open daily: the question, and how many users have answered."""
    say, key = style.say, post.key
    text = card_text(say("**Daily {number}**", number=str(key.number)), task, say)
    answering = say("Answers are private until the next daily.")
    note = f"{_counts_line(counts, say)} · {answering}"
    controls = daily_controls(key.game, key.number, post.puzzle)
    return Card(text, (task.drawing(0, style),), controls=controls, note=note, accent="puzzle")


def closed_card(post: DailyPost, task: Task | None, counts: DailyCounts, style: Style) -> Card:
    """Return the card of a daily that is over; without ``task``, a puzzle that the library no longer has, no picture."""
    say, key = style.say, post.key
    text = say("Daily {number} is over; its solution is below.", number=str(key.number))
    drawings = (task.drawing(0, style),) if task is not None else ()
    controls, note = daily_controls(key.game, key.number), _counts_line(counts, say)
    return Card(text, drawings, controls=controls, note=note, accent="puzzle")


def _counts_line(counts: DailyCounts, say: Speaker) -> str:
    if not counts.tried:
        return say("No tries yet.")
    return say(
        "Tried: {tried} · solved: {solved} · at the first try: {first}",
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
    rated = say("Rating of the puzzle: {rating}", rating=task.rating or 0)
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


def ranked(leaders: Sequence[Leader]) -> tuple[Ranked, ...]:
    """Rank users in order; users with equal stars and equally many solved dailies share a rank."""
    ranks: list[Ranked] = []
    for place, leader in enumerate(leaders, start=1):
        rank, last = ranks[-1] if ranks else (place, leader)
        same = (last.stars, last.solved) == (leader.stars, leader.solved)
        ranks.append((rank if same else place, leader))
    return tuple(ranks)


def on_board(ranks: Sequence[Ranked]) -> tuple[Ranked, ...]:
    """Return the ranks that a board lists."""
    return tuple(one for one in ranks if one[0] <= MAX_ROWS)[: 2 * MAX_ROWS]


def board(
    title: str, ranks: Sequence[Ranked], names: Mapping[int, str], reader: int | None, say: Speaker
) -> Card:
    """Return a board.

    Args:
        title: The first line.
        ranks: All users who solved something.
        names: The names of users who want to be named and are known; other users are not named.
        reader: The only reader, whose own rank is added; None for a public board.
        say: The speaker.

    """
    if not ranks:
        nothing = say("No daily has been solved here in this time.")
        return Card(f"{title}\n{nothing}", found=False)
    rows = on_board(ranks)
    unnamed = say("a player")
    called = tuple(one_line(names.get(leader.user_id, unnamed), MAX_WIDTH) for _, leader in rows)
    table = lay_out(
        [
            Column("", tuple(str(rank) for rank, _ in rows)),
            Column(say("name"), called, to_the_left=True, short=called),
            Column(say("stars"), tuple(str(leader.stars) for _, leader in rows)),
            Column(say("solved"), tuple(str(leader.solved) for _, leader in rows), optional=True),
        ]
    )
    blocks = [title, code_block(table)]
    own = next((rank for rank, leader in ranks if leader.user_id == reader), None)
    if own is not None:
        blocks.append(say("You: rank {rank} of {all}.", rank=own, all=len(ranks)))
    note = ""
    if not all(leader.named for _, leader in rows):
        note = say("To show your name here, use `/settings me`, `named`.")
    return Card("\n".join(blocks), note=note, accent="puzzle")


def answer_after_solving(say: Speaker) -> Card:
    """Refuse an answer that would give a daily away."""
    text = say("🗓 This would give away today's daily. Solve it or look at its solution first.")
    return Card(text, found=False)


def answer_not_before_the_end(say: Speaker) -> Card:
    """Refuse a public answer that would give a daily away to others."""
    text = say("🗓 This would give away today's daily to others. Ask again in private.")
    return Card(text, found=False)
