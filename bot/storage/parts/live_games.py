"""The part of the store that remembers live games."""

from __future__ import annotations

from bot.storage import live_games, live_seats
from bot.storage.live_games import Board, LiveGameRecord
from bot.storage.live_seats import DrawsRecord
from bot.storage.parts.part import StorePart


class LiveGameStore(StorePart):
    """The Turn URLs of current games, the channel of each game, and its seats."""

    async def live_game(self, channel_id: int, game_id: str) -> LiveGameRecord | None:
        """Return what a channel knows of a game, or None."""
        return await self._database.read(live_games.find, channel_id, game_id)

    async def keep_live_game(self, record: LiveGameRecord, expected_version: int) -> bool:
        """Keep ``record`` if the game still has the version it was read with; 0 for a game that is not kept yet.

        False means that somebody else was faster and nothing was written: read the game again, add to it what is new,
        and try again. The record's own ``version`` and ``updated`` are not looked at.
        """
        return await self._write_in(record.guild_id, live_games.keep, record, expected_version, self._clock())

    async def live_games(self, channel_id: int, limit: int = 25) -> tuple[LiveGameRecord, ...]:
        """Return a channel's games, the one that was continued last first, at most ``limit``."""
        return await self._database.read(live_games.newest, channel_id, limit)

    async def forget_live_game(self, channel_id: int, game_id: str) -> bool:
        """Forget a game with all its texts; False when it was not known."""
        return await self._database.write(live_games.forget, channel_id, game_id)

    async def keep_to_live_games(self, owner_id: int) -> tuple[str, ...]:
        """Forget the games of one person that were continued least recently, down to :data:`bot.storage.live_games.MAX_GAMES`.

        Return their ids. A game belongs to the author of the first text that was kept of it.
        """
        return await self._database.write(live_games.keep_to_limit, owner_id)

    async def live_board(self, channel_id: int, game_id: str) -> Board | None:
        """Return which of our messages shows a game as it is now; None when none does."""
        return await self._database.read(live_games.board, channel_id, game_id)

    async def move_live_board(self, channel_id: int, game_id: str, now: Board) -> Board | None:
        """Let the later of two messages of ours show a game, and return the other; None when there is none."""
        return await self._database.write(live_games.move_board, channel_id, game_id, now)

    async def live_draws(self, draws: int) -> DrawsRecord | None:
        """Return what is known of the game that has these draws, wherever its links appear, or None."""
        return await self._database.read(live_seats.find, draws)

    async def live_draws_of(self, user_id: int, game_id: str) -> DrawsRecord | None:
        """Return the game with this id in which a user sits, or None."""
        return await self._database.read(live_seats.of_player, user_id, game_id)

    async def keep_live_draws(self, record: DrawsRecord, expected_version: int) -> bool:
        """Keep ``record`` unless somebody else did since it was read; see :meth:`keep_live_game`."""
        return await self._write_in(record.guild_id, live_seats.keep, record, expected_version, self._clock())

    async def forget_live_draws(self, draws: int) -> None:
        """Forget the channel and the seats of a game."""
        await self._database.write(live_seats.forget, draws)
