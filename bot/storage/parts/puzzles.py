"""The part of the store that remembers puzzles."""

from __future__ import annotations

from bot.storage import puzzles
from bot.storage.dailies.values import DailyKey
from bot.storage.parts.part import StorePart
from bot.storage.puzzles import Change, Daily, PuzzleAnswer, PuzzleRating


class PuzzleStore(StorePart):
    """What people answered to puzzles, and their ratings."""

    async def change_puzzle(
        self, user_id: int, game: str, puzzle: str, work: Change, daily: Daily | None = None
    ) -> tuple[PuzzleAnswer, PuzzleRating | None, PuzzleAnswer, PuzzleRating | None]:
        """Change what is known of somebody and a puzzle; return answer and rating before and after.

        ``work`` may be called again when the database was busy, so it does nothing else. Of a ``daily`` it is told what
        was done since that was posted.
        """
        return await self._database.write(puzzles.change, user_id, game, puzzle, work, daily)

    async def puzzle_rating(self, user_id: int, game: str) -> PuzzleRating | None:
        """Return somebody's rating in a game; None for who has none yet."""
        return await self._database.read(puzzles.rating, user_id, game)

    async def puzzle_answers(self, user_id: int, game: str) -> dict[str, PuzzleAnswer]:
        """Return what somebody has done about the puzzles that the person saw, by their ids."""
        return await self._database.read(puzzles.answers_of, user_id, game)

    async def rating_history(self, user_id: int, game: str) -> tuple[int, ...]:
        """Return somebody's ratings after each first answer, at most the last :data:`bot.storage.puzzles.MAX_HISTORY`."""
        return await self._database.read(puzzles.history, user_id, game)

    async def daily_answer(self, user_id: int, key: DailyKey) -> PuzzleAnswer | None:
        """Return what somebody has done about a daily in a guild; None for nothing."""
        return await self._database.read(puzzles.daily_answer, user_id, key)
