"""What people answered to puzzles, and their ratings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TypeAlias

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import insert
from bot.storage.ids import check_ids
from bot.storage.tables import puzzle_answers, puzzle_ratings


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


async def change(
    connection: AsyncConnection, user_id: int, game: str, puzzle: str, work: Change
) -> tuple[PuzzleAnswer, PuzzleRating | None, PuzzleAnswer, PuzzleRating | None]:
    """Change what is known of somebody and a puzzle; return it as it was, and as it is now.

    Of two changes at the same time the second sees what the first made.
    """
    check_ids(user_id)
    table = puzzle_answers
    key = {"user_id": user_id, "game": game, "puzzle": puzzle}
    fresh = insert(connection, table).values(**key, **asdict(PuzzleAnswer()))
    await connection.execute(fresh.on_conflict_do_nothing())
    here = (table.c.user_id == user_id) & (table.c.game == game) & (table.c.puzzle == puzzle)
    columns = [table.c[name] for name in asdict(PuzzleAnswer())]
    row = (await connection.execute(select(*columns).where(here).with_for_update())).one()
    before = PuzzleAnswer(*row)
    rated = await rating(connection, user_id, game)
    after, changed = work(before, rated)
    await connection.execute(table.update().where(here).values(**asdict(after)))
    if changed is not None and changed != rated:
        new = insert(connection, puzzle_ratings).values(user_id=user_id, game=game, **asdict(changed))
        await connection.execute(
            new.on_conflict_do_update(
                index_elements=[puzzle_ratings.c.user_id, puzzle_ratings.c.game], set_=asdict(changed)
            )
        )
    return before, rated, after, changed


async def rating(connection: AsyncConnection, user_id: int, game: str) -> PuzzleRating | None:
    """Return somebody's rating; None for who has none yet."""
    check_ids(user_id)
    table = puzzle_ratings
    query = select(table.c.rating, table.c.deviation, table.c.volatility).where(
        table.c.user_id == user_id, table.c.game == game
    )
    row = (await connection.execute(query)).first()
    return None if row is None else PuzzleRating(*row)


async def seen(connection: AsyncConnection, user_id: int, game: str) -> frozenset[str]:
    """Return the puzzles of which something is known."""
    check_ids(user_id)
    query = select(puzzle_answers.c.puzzle).where(
        puzzle_answers.c.user_id == user_id, puzzle_answers.c.game == game
    )
    return frozenset((await connection.execute(query)).scalars())


async def count(connection: AsyncConnection, user_id: int) -> int:
    """Return how many puzzles somebody has looked at."""
    query = select(func.count()).where(puzzle_answers.c.user_id == user_id)
    return await connection.scalar(query) or 0


async def forget_user(connection: AsyncConnection, user_id: int) -> None:
    """Forget everything about somebody."""
    for table in (puzzle_answers, puzzle_ratings):
        await connection.execute(delete(table).where(table.c.user_id == user_id))
