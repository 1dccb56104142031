"""The part of the store that remembers puzzles."""

from __future__ import annotations

from bot.storage import puzzles
from bot.storage.part import StorePart
from bot.storage.puzzles import Change, PuzzleAnswer, PuzzleRating


class PuzzleStore(StorePart):
    """What people answered to puzzles, and their ratings."""

    async def change_puzzle(
        self, user_id: int, game: str, puzzle: str, work: Change
    ) -> tuple[PuzzleAnswer, PuzzleRating | None, PuzzleAnswer, PuzzleRating | None]:
        """Change what is known of somebody and a puzzle; return answer and rating before and after.

        ``work`` may be called again when the database was busy, so it does nothing else.
        """
        return await self._database.write(puzzles.change, user_id, game, puzzle, work)

    async def puzzle_rating(self, user_id: int, game: str) -> PuzzleRating | None:
        """Return somebody's rating in a game; None for who has none yet."""
        return await self._database.read(puzzles.rating, user_id, game)

    async def puzzles_seen(self, user_id: int, game: str) -> frozenset[str]:
        """Return the ids of the puzzles that somebody was shown."""
        return await self._database.read(puzzles.seen, user_id, game)
