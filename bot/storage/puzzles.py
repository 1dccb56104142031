"""What people answered to puzzles, and their ratings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Final, TypeAlias

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.dailies import answers, streaks
from bot.storage.dailies.values import DailyKey, Streaking
from bot.storage.database import insert
from bot.storage.ids import check_ids
from bot.storage.tables import daily_answers, puzzle_answers, puzzle_ratings, rating_history

MAX_HISTORY: Final = 400
"""Ratings kept of somebody and a game: the latest."""


@dataclass(frozen=True, slots=True)
class PuzzleAnswer:
    """What somebody has done about a puzzle."""

    tries: int = 0
    """Wrong answers."""
    hints: int = 0
    done: int = 0
    """Right moves of a line."""
    solved: bool = False
    given_up: bool = False


@dataclass(frozen=True, slots=True)
class PuzzleRating:
    """Somebody's rating in a game, by Glicko-2."""

    rating: float
    deviation: float
    volatility: float


Change: TypeAlias = Callable[[PuzzleAnswer, PuzzleRating | None], tuple[PuzzleAnswer, PuzzleRating | None]]
"""Returns what becomes of an answer and a rating; None is the rating of somebody who has none."""


@dataclass(frozen=True, slots=True)
class Daily:
    """The daily that a puzzle is where it is answered."""

    key: DailyKey
    streaking: Streaking
    """Tells what becomes of a streak when it is solved."""


async def change(  # noqa: PLR0917 - what an answer is
    connection: AsyncConnection,
    user_id: int,
    game: str,
    puzzle: str,
    work: Change,
    daily: Daily | None = None,
) -> tuple[PuzzleAnswer, PuzzleRating | None, PuzzleAnswer, PuzzleRating | None]:
    """Change what is known of somebody and a puzzle; return it as it was, and as it is now.

    Of two changes at the same time the second sees what the first made. A daily begins anew for whoever knows its
    puzzle from before; that changes no rating.
    """
    check_ids(user_id)
    table = puzzle_answers
    key = [table.c.user_id, table.c.game, table.c.puzzle]
    columns = [table.c[name] for name in asdict(PuzzleAnswer())]
    own = {"user_id": user_id, "game": game, "puzzle": puzzle}
    fresh = insert(connection, table).values(**own, **asdict(PuzzleAnswer()))
    # A row that is there is locked by being written to: one that is read afterwards could be forgotten meanwhile.
    locked = fresh.on_conflict_do_update(index_elements=key, set_={"tries": table.c.tries}).returning(
        *columns
    )
    row = (await connection.execute(locked)).one()
    here = (table.c.user_id == user_id) & (table.c.game == game) & (table.c.puzzle == puzzle)
    kept = before = PuzzleAnswer(*row)
    others: frozenset[DailyKey] = frozenset()
    if daily is not None:
        values, others = await answers.find(connection, user_id, daily.key, puzzle)
        before = PuzzleAnswer(*values)
    rated = await rating(connection, user_id, game)
    after, changed = work(before, rated)
    if daily is not None and after != PuzzleAnswer() and (after != before or daily.key not in others):
        await answers.keep(connection, user_id, daily.key, puzzle, asdict(after), others)
        if after.solved and not before.solved:
            await streaks.keep(connection, user_id, daily.key, daily.streaking)
    if before != kept:
        return before, rated, after, rated
    await connection.execute(table.update().where(here).values(**asdict(after)))
    if changed is not None and changed != rated:
        new = insert(connection, puzzle_ratings).values(user_id=user_id, game=game, **asdict(changed))
        await connection.execute(
            new.on_conflict_do_update(
                index_elements=[puzzle_ratings.c.user_id, puzzle_ratings.c.game], set_=asdict(changed)
            )
        )
        await _add_to_history(connection, user_id, game, round(changed.rating))
    return before, rated, after, changed


async def _add_to_history(connection: AsyncConnection, user_id: int, game: str, rated: int) -> None:
    table = rating_history
    own = (table.c.user_id == user_id) & (table.c.game == game)
    place = (await connection.scalar(select(func.max(table.c.place)).where(own)) or 0) + 1
    new = insert(connection, table).values(user_id=user_id, game=game, place=place, rating=rated)
    # Of two first answers at the same time one is told: they are about different puzzles, and the curve has both ends.
    await connection.execute(new.on_conflict_do_nothing())
    await connection.execute(delete(table).where(own, table.c.place <= place - MAX_HISTORY))


async def history(connection: AsyncConnection, user_id: int, game: str) -> tuple[int, ...]:
    """Return somebody's ratings after each first answer, at most the last :data:`MAX_HISTORY`."""
    check_ids(user_id)
    table = rating_history
    query = select(table.c.rating).where(table.c.user_id == user_id, table.c.game == game)
    return tuple((await connection.execute(query.order_by(table.c.place))).scalars())


async def answers_of(connection: AsyncConnection, user_id: int, game: str) -> dict[str, PuzzleAnswer]:
    """Return what somebody has done about the puzzles that the person saw."""
    check_ids(user_id)
    table = puzzle_answers
    columns = [table.c[name] for name in asdict(PuzzleAnswer())]
    query = select(table.c.puzzle, *columns).where(table.c.user_id == user_id, table.c.game == game)
    return {row.puzzle: PuzzleAnswer(*row[1:]) for row in await connection.execute(query)}


async def rating(connection: AsyncConnection, user_id: int, game: str) -> PuzzleRating | None:
    """Return somebody's rating; None for who has none yet."""
    check_ids(user_id)
    table = puzzle_ratings
    query = select(table.c.rating, table.c.deviation, table.c.volatility).where(
        table.c.user_id == user_id, table.c.game == game
    )
    row = (await connection.execute(query)).first()
    return None if row is None else PuzzleRating(*row)


async def daily_answer(connection: AsyncConnection, user_id: int, key: DailyKey) -> PuzzleAnswer | None:
    """Return what somebody has done about a daily in a guild; None for nothing."""
    check_ids(user_id)
    table = daily_answers
    query = select(*(table.c[name] for name in asdict(PuzzleAnswer()))).where(
        table.c.user_id == user_id,
        table.c.number == key.number,
        table.c.game == key.game,
        table.c.guild_id == key.guild_id,
    )
    row = (await connection.execute(query)).first()
    return None if row is None else PuzzleAnswer(*row)


async def count(connection: AsyncConnection, user_id: int) -> int:
    """Return how many puzzles somebody has looked at."""
    query = select(func.count()).where(puzzle_answers.c.user_id == user_id)
    return await connection.scalar(query) or 0


async def forget_user(connection: AsyncConnection, user_id: int) -> None:
    """Forget everything about somebody."""
    for table in (puzzle_answers, puzzle_ratings, rating_history):
        await connection.execute(delete(table).where(table.c.user_id == user_id))
