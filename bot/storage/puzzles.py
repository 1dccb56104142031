"""Users' answers to puzzles and daily puzzles (dailies), and users' ratings and streaks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final, TypeAlias

from sqlalchemy import ColumnElement, Table, case, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage import dailies
from bot.storage.dailies import NO_SERVER, DailyKey, is_daily
from bot.storage.database import BaseStore, columns_of, find, has_rows, lock_id, reads, upsert, writes
from bot.storage.tables import (
    daily_answers,
    daily_posts,
    daily_streaks,
    puzzle_answers,
    puzzle_ratings,
    rating_history,
    user_settings,
)

MAX_STORED_RATINGS: Final = 400
"""Maximum number of ratings stored per user and game."""
MAX_STARS: Final = 3
_MAX_MISSED_DAILIES: Final = 62
"""Maximum number of missed dailies to query. After this many, any streak has ended."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A user's answers to a puzzle. The field names are also column keys."""

    wrong_answers: int = 0
    hints: int = 0
    progress_code: int = 0
    """The user's correct moves so far, encoded by the puzzle as a number."""
    solved: bool = False
    given_up: bool = False

    @property
    def is_over(self) -> bool:
        return self.solved or self.given_up

    @property
    def stars(self) -> int:
        """The number of stars: 0 unless the puzzle is solved.

        A right first answer earns three stars, a right second answer two, and a later answer one. Each hint costs a star.
        """
        return max(0, max(1, MAX_STARS - self.wrong_answers) - self.hints) if self.solved else 0


@dataclass(frozen=True, slots=True)
class Rating:
    """A user's strength at a game, as computed by Glicko-2."""

    rating: float
    deviation: float
    """The standard error."""
    volatility: float


@dataclass(frozen=True, slots=True)
class Streak:
    """A user's run of consecutive solved dailies in one game."""

    days: int = 0
    best: int = 0
    last: int = 0
    """Number of the last solved daily."""
    forgiven_month: int = 0
    """The month in which a missed daily was last forgiven: 12 times the year, plus the month."""


@dataclass(frozen=True, slots=True)
class DailyCounts:
    """Counts of the users in a server who tried a daily."""

    tried: int
    solved: int
    first_try: int
    """Users who solved the daily with their first answer."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A user's place on a leaderboard."""

    user_id: int
    may_be_named: bool
    """Whether the user wants to be named."""
    stars: int
    solved: int
    rank: int
    """Users with equal numbers of stars and solved dailies share a rank."""


PuzzleState: TypeAlias = tuple[Progress, Rating | None]
"""A user's answers to a puzzle, and the user's rating, which is None before the first rated puzzle."""
PuzzleChange: TypeAlias = Callable[[Progress, Rating | None], PuzzleState]
"""Returns the state after an answer."""
StreakUpdate: TypeAlias = Callable[[Streak, Sequence[int]], Streak]
"""Returns the streak after a solved daily. The second argument contains the numbers of the dailies missed before it."""


class PuzzleStore(BaseStore):
    """Stores answers, ratings and streaks."""

    @writes
    async def change_progress(  # noqa: PLR0917 - most of them identify an answer
        self,
        connection: AsyncConnection,
        user_id: int,
        game: str,
        puzzle: str,
        change: PuzzleChange,
        daily: tuple[DailyKey, StreakUpdate] | None = None,
    ) -> tuple[PuzzleState, PuzzleState]:
        """Change a user's answers to a puzzle, and the user's rating. Return the states before and after.

        ``change`` is called inside a transaction that may be rolled back, so it must have no side effects. If the user
        answered the puzzle before it was posted as a ``daily``, the daily begins without answers, and does not change the
        rating.
        """
        await lock_id(connection, user_id)
        stored_progress = old_progress = (
            await find(
                connection,
                puzzle_answers,
                Progress,
                *_conditions_on(puzzle_answers, user_id, game),
                puzzle_answers.c.puzzle == puzzle,
            )
            or Progress()
        )
        answered_dailies: frozenset[DailyKey] = frozenset()
        if daily is not None:
            old_progress, answered_dailies = await _find_daily_progress(connection, user_id, daily[0], puzzle)
        old_rating = await find(
            connection, puzzle_ratings, Rating, *_conditions_on(puzzle_ratings, user_id, game)
        )
        new_progress, new_rating = change(old_progress, old_rating)
        if (
            daily is not None
            and new_progress != Progress()
            and (new_progress != old_progress or daily[0] not in answered_dailies)
        ):
            await _set_daily_progress(connection, user_id, daily[0], puzzle, new_progress, answered_dailies)
            if new_progress.solved and not old_progress.solved:
                await _add_to_streak(connection, user_id, *daily)
        if old_progress != stored_progress:
            # The user answered the puzzle before it was a daily.
            return (old_progress, old_rating), (new_progress, old_rating)
        key = {"user_id": user_id, "game": game}
        await upsert(connection, puzzle_answers, {**key, "puzzle": puzzle, **asdict(new_progress)})
        if new_rating is not None and new_rating != old_rating:
            await upsert(connection, puzzle_ratings, {**key, **asdict(new_rating)})
            await _add_to_history(connection, user_id, game, round(new_rating.rating))
        return (old_progress, old_rating), (new_progress, new_rating)

    @reads
    async def puzzle_rating(self, connection: AsyncConnection, user_id: int, game: str) -> Rating | None:
        return await find(connection, puzzle_ratings, Rating, *_conditions_on(puzzle_ratings, user_id, game))

    @reads
    async def puzzle_answers(
        self, connection: AsyncConnection, user_id: int, game: str
    ) -> dict[str, Progress]:
        """Return a user's answers by puzzle id."""
        query = select(puzzle_answers.c.puzzle, *columns_of(puzzle_answers, Progress)).where(
            *_conditions_on(puzzle_answers, user_id, game)
        )
        return {row.puzzle: Progress(*row[1:]) for row in await connection.execute(query)}

    @reads
    async def rating_history(self, connection: AsyncConnection, user_id: int, game: str) -> tuple[int, ...]:
        """Return a user's latest ratings, oldest first."""
        return tuple(
            await connection.scalars(
                select(rating_history.c.rating)
                .where(*_conditions_on(rating_history, user_id, game))
                .order_by(rating_history.c.place)
            )
        )

    @reads
    async def daily_answer(self, connection: AsyncConnection, user_id: int, key: DailyKey) -> Progress | None:
        return await find(
            connection,
            daily_answers,
            Progress,
            daily_answers.c.user_id == user_id,
            is_daily(key, daily_answers),
        )

    @reads
    async def has_finished_daily(
        self, connection: AsyncConnection, user_id: int, game: str, puzzle: str
    ) -> bool:
        """Return whether a user has solved or given up on a puzzle that is currently a daily."""
        return await has_rows(
            connection,
            select(daily_answers.c.number)
            .where(
                _is_current_answer(user_id, game, puzzle), daily_answers.c.solved | daily_answers.c.given_up
            )
            .limit(1),
        )

    @reads
    async def daily_counts(self, connection: AsyncConnection, key: DailyKey) -> DailyCounts:
        query = select(
            func.count(),
            func.coalesce(func.sum(case((daily_answers.c.solved, 1), else_=0)), 0),
            func.coalesce(
                func.sum(case((daily_answers.c.solved & (daily_answers.c.wrong_answers == 0), 1), else_=0)), 0
            ),
        ).where(is_daily(key, daily_answers))
        return DailyCounts(*map(int, (await connection.execute(query)).one()))

    @reads
    async def daily_solvers(
        self, connection: AsyncConnection, key: DailyKey, limit: int
    ) -> tuple[tuple[int, int], ...]:
        """Return (user id, streak in days) pairs of the solvers who want to be named, longest streak first."""
        table, streaks = daily_answers, daily_streaks
        days = func.coalesce(streaks.c.days, 0)
        query = (
            select(table.c.user_id, days.label("days"))
            .join(user_settings, user_settings.c.user_id == table.c.user_id)
            .outerjoin(streaks, (streaks.c.user_id == table.c.user_id) & (streaks.c.game == table.c.game))
            .where(is_daily(key, table), table.c.solved, user_settings.c.named.is_(True))
            .order_by(days.desc(), table.c.user_id)
            .limit(limit)
        )
        return tuple((row.user_id, row.days) for row in await connection.execute(query))

    @reads
    async def standings(
        self, connection: AsyncConnection, guild_id: int, game: str | None, since: int
    ) -> tuple[Standing, ...]:
        """Return the users who solved dailies in a server, most stars first.

        Only dailies numbered ``since`` or higher count. If ``game`` is None, the dailies of all games count.
        """
        earned = (
            case(
                (daily_answers.c.wrong_answers >= MAX_STARS - 1, 1),
                else_=MAX_STARS - daily_answers.c.wrong_answers,
            )
            - daily_answers.c.hints
        )
        stars = func.sum(case((daily_answers.c.solved & (earned > 0), earned), else_=0))
        solved = func.sum(case((daily_answers.c.solved, 1), else_=0))
        query = (
            select(
                daily_answers.c.user_id,
                func.coalesce(user_settings.c.named, False).label("named"),
                stars.label("stars"),
                solved.label("solved"),
                func.rank().over(order_by=(stars.desc(), solved.desc())).label("rank"),
            )
            .outerjoin(user_settings, user_settings.c.user_id == daily_answers.c.user_id)
            .where(daily_answers.c.guild_id == guild_id, daily_answers.c.number >= since)
            .group_by(daily_answers.c.user_id, user_settings.c.named)
            .having(solved > 0)
            .order_by(stars.desc(), solved.desc(), daily_answers.c.user_id)
        )
        if game is not None:
            query = query.where(daily_answers.c.game == game)
        return tuple(
            Standing(row.user_id, bool(row.named), int(row.stars), int(row.solved), row.rank)
            for row in await connection.execute(query)
        )

    @reads
    async def streak(
        self, connection: AsyncConnection, user_id: int, game: str
    ) -> tuple[Streak, tuple[int, ...]]:
        """Return a user's streak as of the last solved daily, and the numbers of the finished dailies missed since then."""
        conditions = _conditions_on(daily_streaks, user_id, game)
        streak = await find(connection, daily_streaks, Streak, *conditions) or Streak()
        return streak, await _find_missed_numbers(connection, user_id, game, streak.last, None)

    @reads
    async def has_answered_dailies(self, connection: AsyncConnection, user_id: int) -> bool:
        return await count_dailies(connection, user_id) > 0


def _conditions_on(table: Table, user_id: int, game: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return table.c.user_id == user_id, table.c.game == game


async def _add_to_history(connection: AsyncConnection, user_id: int, game: str, rating: int) -> None:
    conditions = _conditions_on(rating_history, user_id, game)
    number = (await connection.scalar(select(func.max(rating_history.c.place)).where(*conditions)) or 0) + 1
    await connection.execute(
        rating_history.insert().values(user_id=user_id, game=game, place=number, rating=rating)
    )
    await connection.execute(
        delete(rating_history).where(*conditions, rating_history.c.place <= number - MAX_STORED_RATINGS)
    )


def _is_current_answer(user_id: int, game: str, puzzle: str, number: int = 0) -> ColumnElement[bool]:
    """Return the condition for a user's answers to a puzzle, in open dailies of any server and in the daily ``number``."""
    table, posts = daily_answers, daily_posts
    numbers = select(posts.c.number).where(dailies.is_open(), posts.c.game == game, posts.c.puzzle == puzzle)
    return (
        (table.c.user_id == user_id)
        & (table.c.game == game)
        & (table.c.puzzle == puzzle)
        & (table.c.number.in_(numbers) | (table.c.number == number))
    )


async def _find_daily_progress(
    connection: AsyncConnection, user_id: int, key: DailyKey, puzzle: str
) -> tuple[Progress, frozenset[DailyKey]]:
    """Return a user's furthest progress in a puzzle that is currently a daily, and all dailies for which the progress counts."""
    query = (
        select(daily_answers.c.guild_id, daily_answers.c.number, *columns_of(daily_answers, Progress))
        .where(_is_current_answer(user_id, key.game, puzzle, key.number))
        .order_by(
            daily_answers.c.given_up.desc(),
            daily_answers.c.solved.desc(),
            daily_answers.c.wrong_answers.desc(),
        )
    )
    rows = (await connection.execute(query)).all()
    keys = frozenset(DailyKey(row.guild_id, row.number, key.game) for row in rows)
    return Progress(*rows[0][2:]) if rows else Progress(), keys


async def _set_daily_progress(  # noqa: PLR0917 - an answer, and the dailies that it counts for
    connection: AsyncConnection,
    user_id: int,
    key: DailyKey,
    puzzle: str,
    progress: Progress,
    answered_dailies: frozenset[DailyKey],
) -> None:
    values = {"user_id": user_id, "puzzle": puzzle, **asdict(progress)}
    for daily in sorted(answered_dailies | {key}, key=lambda daily: (daily.guild_id, daily.number)):
        await upsert(connection, daily_answers, {**asdict(daily), **values})
        await dailies.record_count_change(connection, daily)


async def _add_to_streak(
    connection: AsyncConnection, user_id: int, key: DailyKey, update_streak: StreakUpdate
) -> None:
    conditions = _conditions_on(daily_streaks, user_id, key.game)
    old_streak = await find(connection, daily_streaks, Streak, *conditions, lock=True) or Streak()
    new_streak = update_streak(
        old_streak, await _find_missed_numbers(connection, user_id, key.game, old_streak.last, key.number)
    )
    await upsert(connection, daily_streaks, {"user_id": user_id, "game": key.game, **asdict(new_streak)})


async def _find_missed_numbers(
    connection: AsyncConnection, user_id: int, game: str, after: int, before: int | None
) -> tuple[int, ...]:
    """Return the numbers of the dailies that a user missed between the numbers ``after`` and ``before``, in order.

    Servers where the user has answered no dailies are ignored. If ``before`` is None, unfinished dailies are ignored.
    """
    user_servers = select(daily_answers.c.guild_id).where(
        daily_answers.c.user_id == user_id, daily_answers.c.game == game
    )
    query = (
        select(daily_posts.c.number)
        .distinct()
        .where(
            daily_posts.c.game == game,
            daily_posts.c.number > after,
            daily_posts.c.message_id.is_not(None),
            daily_posts.c.guild_id.in_(user_servers),
            daily_posts.c.closed.is_not(None) if before is None else daily_posts.c.number < before,
        )
        .order_by(daily_posts.c.number)
        .limit(_MAX_MISSED_DAILIES)
    )
    return tuple(await connection.scalars(query))


async def count_dailies(connection: AsyncConnection, user_id: int) -> int:
    query = (
        select(daily_answers.c.number, daily_answers.c.game)
        .distinct()
        .where(daily_answers.c.user_id == user_id)
    )
    return await connection.scalar(select(func.count()).select_from(query.subquery())) or 0


async def record_count_changes(connection: AsyncConnection, user_id: int) -> None:
    """Mark the counts of a user's dailies as changed. Call this before deleting the answers."""
    query = (
        select(*columns_of(daily_answers, DailyKey))
        .where(daily_answers.c.user_id == user_id)
        .order_by(daily_answers.c.guild_id, daily_answers.c.number)
    )
    for row in (await connection.execute(query)).all():
        await dailies.record_count_change(connection, DailyKey(*row))


async def sweep(connection: AsyncConnection, before: datetime, limit: int) -> int:
    """Delete at most ``limit`` dailies that ended before a given time, oldest first. Return the number of deleted dailies.

    Also delete the answers to these and older dailies, except answers that a leaderboard counts. Set streaks to 0 days if
    their last solved daily is not later than the deleted dailies, because the dailies missed since then are no longer known.
    """
    numbers = await dailies.sweep(connection, before, limit)
    if numbers:
        is_counted = daily_answers.c.solved & (daily_answers.c.guild_id != NO_SERVER)
        await connection.execute(
            delete(daily_answers).where((daily_answers.c.number <= numbers[-1]) & ~is_counted)
        )
        await connection.execute(
            update(daily_streaks)
            .where(daily_streaks.c.last <= numbers[-1], daily_streaks.c.days > 0)
            .values(days=0)
        )
    return len(numbers)
