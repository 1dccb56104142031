"""The part of the store that remembers the finished games that people want to look back at."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Final

from bot.storage import own_games
from bot.storage.own_games import MAX_GAMES, OwnGame
from bot.storage.parts.part import StorePart

OWN_GAME_LIFE: Final = timedelta(days=365)
"""How long a game is kept after it was posted."""

LET_GO_LIFE: Final = timedelta(days=30)
"""How long the document of a game is still kept, for the controls under answers, once it is nobody's any more."""


class OwnGameStore(StorePart):
    """Which finished games people posted where, of those who want that, and what they are called there."""

    async def keep_own_games(
        self, source_id: int, guild_id: int, user_id: int, digests: Collection[str]
    ) -> None:
        """Keep the games of a message as its author's, in place of those it had; documents that are not kept are left out."""
        now = self._clock()
        await self._write_in(
            guild_id,
            own_games.keep,
            source_id,
            guild_id,
            user_id,
            digests,
            now=now,
            expires=now + OWN_GAME_LIFE,
            let_go=now + LET_GO_LIFE,
        )

    async def own_games(self, guild_id: int, user_id: int, limit: int = MAX_GAMES) -> tuple[OwnGame, ...]:
        """Return at most ``limit`` games that somebody posted in a server, the latest first."""
        return await self._database.read(own_games.find, guild_id, user_id, self._clock(), limit)

    async def own_names(self, guild_id: int, user_id: int) -> dict[str, bool]:
        """Return what somebody said of names in a server, by what stands for them: whether it is they."""
        return await self._database.read(own_games.names, guild_id, user_id)

    async def keep_own_names(self, guild_id: int, user_id: int, said: Mapping[str, bool]) -> None:
        """Keep what somebody says of names in a server, each as 16 hexadecimal digits that stand for it."""
        await self._write_in(guild_id, own_games.keep_names, guild_id, user_id, said)
