"""The part of the store that remembers dailies."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from bot.storage.dailies import answers, chosen, forgetting, posts, streaks
from bot.storage.dailies.values import (
    DailyCounts,
    DailyDue,
    DailyKey,
    DailyPost,
    DailySettings,
    KeptStreak,
    Leader,
    Solver,
)
from bot.storage.parts.part import StorePart

HOLD: Final = timedelta(seconds=90)
"""How long a claim holds a daily that is being posted."""


class DailyStore(StorePart):
    """Where servers get dailies, what was posted, and how people did."""

    async def daily_settings(self, guild_id: int) -> DailySettings | None:
        """Return where and when a guild gets dailies; None for nowhere."""
        return await self._database.read(chosen.find, guild_id)

    async def set_daily_settings(
        self, guild_id: int, settings: DailySettings | None, due: datetime | None
    ) -> None:
        """Keep where and when a guild gets dailies, and when the next is due; None for nowhere."""
        await self._write_in(guild_id, chosen.keep, guild_id, settings, due)

    async def dailies_due(self, after: int, limit: int) -> tuple[DailyDue, ...]:
        """Return guilds with ids above ``after`` whose next daily is due."""
        return await self._database.read(chosen.due, self._clock(), after, limit)

    async def put_off_daily(self, seen: DailyDue, until: datetime) -> None:
        """Keep when a guild's next daily is due, unless it has chosen anew since ``seen``."""
        await self._database.write(chosen.put_off, seen, until)

    async def claim_daily(self, key: DailyKey, puzzle: str, channel_id: int) -> int:
        """Claim a daily in order to post it, for :data:`HOLD`: for one caller at a time, in whatever process.

        Returns 0 when it is posted, held or given up, otherwise the number of the try. From 2 on an earlier try may have
        posted it without recording it.
        """
        now = self._clock()
        return await self._write_in(key.guild_id, posts.claim, key, puzzle, channel_id, now, now + HOLD)

    async def record_daily(self, key: DailyKey, message_id: int) -> None:
        """Keep which message a daily is."""
        await self._database.write(posts.record, key, message_id, self._clock())

    async def put_off_claim(self, key: DailyKey, pause: timedelta) -> None:
        """Release the claim of a daily that could not be posted or closed now, so that somebody tries after a pause."""
        await self._database.write(posts.hold, key, self._clock() + pause)

    async def is_daily_posted(self, key: DailyKey) -> bool:
        """Tell whether a daily was posted or given up."""
        return await self._database.read(posts.is_posted, key)

    async def claim_closing(self, key: DailyKey) -> int:
        """Claim the solution of a posted daily, as :meth:`claim_daily`."""
        now = self._clock()
        return await self._database.write(posts.claim_closing, key, now, now + HOLD)

    async def close_daily(self, key: DailyKey) -> None:
        """Keep that a daily is over, or cannot be posted."""
        await self._database.write(posts.close, key, self._clock())

    async def open_dailies(self, guild_id: int | None) -> tuple[DailyPost, ...]:
        """Return the dailies of a guild, or of all, that can still be answered; older ones first."""
        return await self._database.read(posts.find_open, guild_id)

    async def open_puzzles(self) -> frozenset[tuple[str, str]]:
        """Return the games and puzzles that are the daily of any guild now."""
        return await self._database.read(posts.open_puzzles)

    async def daily_key(self, game: str, puzzle: str, guild_id: int | None) -> DailyKey | None:
        """Return the daily that a puzzle is now in a guild, or elsewhere; None when it is no guild's daily."""
        return await self._database.read(posts.key_of, game, puzzle, guild_id)

    async def stale_dailies(self, limit: int) -> tuple[DailyPost, ...]:
        """Return open dailies whose message tells old counts, and may be changed now."""
        return await self._database.read(posts.stale, self._clock(), limit)

    async def claim_daily_edit(self, post: DailyPost) -> bool:
        """Claim the next change of a daily's message: for one caller in every :data:`bot.storage.dailies.posts.EDIT_PAUSE`."""
        return await self._database.write(posts.claim_edit, post, self._clock())

    async def daily_shown(self, post: DailyPost) -> None:
        """Keep that a daily's message tells the counts as they were when ``post`` was read."""
        await self._database.write(posts.shown, post)

    async def daily_counts(self, key: DailyKey) -> DailyCounts:
        """Return how a daily goes in a guild."""
        return await self._database.read(answers.counts, key)

    async def daily_solvers(self, key: DailyKey, limit: int) -> tuple[Solver, ...]:
        """Return who solved a daily in a guild and wants to be named, the longest streaks first."""
        return await self._database.read(answers.solvers, key, limit)

    async def leaders(self, guild_id: int, game: str | None, since: int) -> tuple[Leader, ...]:
        """Return everybody who solved a daily in a guild, of one game or all, from a number on; most stars first."""
        return await self._database.read(answers.leaders, guild_id, game, since)

    async def streak(self, user_id: int, game: str) -> tuple[KeptStreak, tuple[int, ...]]:
        """Return somebody's streak as it was last, and the numbers of dailies that are over and were missed since."""
        return await self._database.read(streaks.tell, user_id, game)

    async def is_daily_over(self, user_id: int, game: str, puzzle: str) -> bool:
        """Return whether a user has solved a puzzle that is a daily now, or given it up."""
        return await self._database.read(answers.is_over, user_id, game, puzzle)

    async def plays_dailies(self, user_id: int) -> bool:
        """Tell whether somebody has ever answered a daily."""
        return await self._database.read(forgetting.count, user_id) > 0
