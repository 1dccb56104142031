"""Retries of failed messages, answers to messages posted while the bot was offline, and the set of answered messages."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import aiohttp
import discord
from discord.ext import commands

from bot.chat.client import KibitzBot
from bot.chat.outbox import FailedWork, pause_after
from bot.chat.periodic import PeriodicTask
from bot.chat.sending import may_in
from bot.features.showing.listening.listener import Listener
from bot.jobs.account import Requester
from bot.observe.process import steady_seconds
from bot.storage.errors import StoreError

log = logging.getLogger(__name__)

POLL_SECONDS: Final = 5.0
"""Seconds between searches for messages to retry."""

MAX_AT_ONCE: Final = 20
"""Maximum number of messages retried per round."""

SAVE_SECONDS: Final = 60.0
"""Seconds between saves of the last message seen."""

MARGIN: Final = timedelta(seconds=60)
"""Looking back starts this long before the last message seen: its neighbours may be unanswered."""

LOOK_BACK: Final = timedelta(minutes=30)
"""Older messages are not answered."""

RECENT_PERIOD: Final = timedelta(days=7)
"""Only channels with an answer in this time are searched."""

MAX_CHANNELS: Final = 200
"""Maximum number of channels searched, most recently answered first."""

MAX_MESSAGES: Final = 100
"""Maximum number of messages searched per channel, the latest: one page of Discord's."""

CHANNELS_AT_ONCE: Final = 2


MAX_GONE: Final = 20
"""Maximum number of answers per channel whose messages seem deleted."""


PAGE: Final = 1000
"""Answers per page read from the store, in a few milliseconds."""

PAGE_PAUSE: Final = 0.05
"""Seconds between two pages, so that reading does not delay answers."""

REFRESH_SECONDS: Final = 60.0
"""Seconds between reads of other processes' answers."""


class CatchingUp(commands.Cog):
    """Retries failed messages, and searches recent messages after a lost session."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot
        self._ended: dict[int, asyncio.Task[int | None]] = {}
        """Finds the last message seen in the previous session."""
        self._saved: dict[int, int] = {}
        self._behind: set[int] = set()
        """Shards whose missed messages are not all searched yet. Their last message is not saved, so that the next process
        searches from the same one."""
        self._looking: set[asyncio.Task[None]] = set()
        self._begun = time.time(), steady_seconds()
        self._retrying = PeriodicTask(self._retry, "retrying messages", POLL_SECONDS)
        self._saving = PeriodicTask(self._save, "saving the last messages seen", SAVE_SECONDS)

    @property
    def _listener(self) -> Listener:
        listener = self.bot.get_cog(Listener.__name__)
        assert isinstance(listener, Listener)  # there are no messages without it
        return listener

    async def cog_load(self) -> None:
        """Begin."""
        self._retrying.start()
        self._saving.start()

    async def cog_unload(self) -> None:
        """Stop, and save the last messages seen."""
        self._retrying.cancel()
        self._saving.cancel()
        for looking in self._looking:
            looking.cancel()
        await self._save()

    # What failed

    async def _retry(self) -> None:
        """Retry all due messages."""
        if not self.bot.is_ready() or self.bot.is_closing:
            return
        due = self._listener.message_tasks.outbox.take_due(MAX_AT_ONCE) + await self._unsent()
        await asyncio.gather(*(self._listener.catch_up(pending) for pending in due[:MAX_AT_ONCE]))

    def _clock_jump(self) -> timedelta:
        """Return how far the clock was set forward since the start."""
        passed = time.time() - self._begun[0]
        return timedelta(seconds=max(0.0, passed - (steady_seconds() - self._begun[1])))

    async def _unsent(self) -> list[FailedWork]:
        """Return the unanswered messages of the store whose pause is over."""
        try:
            unsent = await self.bot.store.unsent_replies(jumped=self._clock_jump())
        except StoreError as error:
            log.warning("unanswered messages cannot be read now: %s", error)
            return []
        return [
            FailedWork(
                reply.source_id,
                Requester(0, reply.guild_id, reply.channel_id),
                is_granted=True,
                tries=reply.tries + 1,
            )
            for reply in unsent
            if reply.source_id not in self._listener.message_tasks.outbox
            and (reply.guild_id is None or self.bot.is_heard(reply.guild_id))
            and reply.rested.total_seconds() >= pause_after(reply.tries)
        ]

    # What was missed

    @commands.Cog.listener()
    async def on_shard_connect(self, shard_id: int) -> None:
        """Note where the last session ended."""
        if shard_id not in self._ended:
            self._behind.add(shard_id)
            # The servers may arrive before the store responds.
            self._ended[shard_id] = asyncio.create_task(self._end_of(shard_id))

    @commands.Cog.listener()
    async def on_shard_ready(self, shard_id: int) -> None:
        """Search the messages posted since the last session."""
        ended = self._ended.pop(shard_id, None)
        before = await ended if ended is not None else None
        if before is None:
            self._behind.discard(shard_id)
            return
        looking = asyncio.create_task(self._look_back(shard_id, before))
        self._looking.add(looking)
        looking.add_done_callback(self._looking.discard)

    async def _end_of(self, shard_id: int) -> int | None:
        before = self.bot.latest_message_ids.get(shard_id)
        saved = await self._saved_before(shard_id)
        if saved is None:
            now = discord.utils.utcnow()
            # A process may end before its first regular save.
            self.bot.latest_message_ids.setdefault(shard_id, discord.utils.time_snowflake(now))
            self._behind.discard(shard_id)
            await self._save()
            if self.bot.sharding is not None:
                saved = discord.utils.time_snowflake(now - timedelta(seconds=SAVE_SECONDS))
        return before or saved

    async def _look_back(self, shard_id: int, before: int) -> None:
        now = discord.utils.utcnow()
        since = max(discord.utils.snowflake_time(before) - MARGIN, now - LOOK_BACK)
        try:
            channels = await self.bot.store.answered_channels(RECENT_PERIOD, 10 * MAX_CHANNELS)
            answered = defaultdict(list)
            for message_id, channel_id in await self.bot.store.answers_lately(LOOK_BACK, 10 * MAX_CHANNELS):
                answered[channel_id].append(message_id)
        except StoreError as error:
            log.warning("recently answered channels cannot be read now: %s", error)
            return
        gate = asyncio.Semaphore(CHANNELS_AT_ONCE)
        own_channels = [
            (channel_id, guild_id)
            for channel_id, guild_id in channels
            if self.bot.shard_of(guild_id) == shard_id
        ][:MAX_CHANNELS]
        looked = await asyncio.gather(
            *(self._look_at(*channel, answered[channel[0]], since, gate) for channel in own_channels)
        )
        if not self.bot.is_closing:  # a closing bot passes over messages
            self._behind.discard(shard_id)
        log.info("looked back at %d messages in %d channels", sum(looked), len(own_channels))

    async def _look_at(
        self,
        channel_id: int,
        guild_id: int | None,
        answered: Sequence[int],
        since: datetime,
        gate: asyncio.Semaphore,
    ) -> int:
        """Search the recent messages of a channel, and return their number.

        Deletes the answers to messages in ``answered``, latest first, that are gone.
        """
        channel = self.bot.get_channel(channel_id)
        if guild_id is not None and not (
            isinstance(channel, discord.TextChannel | discord.Thread | discord.VoiceChannel)
            and may_in(channel, "view_channel", "read_message_history")
            and (answered or self._has_news(channel, since))
        ):
            return 0  # gone, an archived thread, or without news
        after = discord.Object(
            min([discord.utils.time_snowflake(since), *(message_id - 1 for message_id in answered)])
        )
        async with gate:
            try:
                readable = channel or await self.bot.fetch_channel(channel_id)
                posted = [
                    message
                    async for message in readable.history(  # type: ignore[union-attr]
                        after=after, limit=MAX_MESSAGES, oldest_first=False
                    )
                ]
                for message in reversed(posted):
                    await self._listener.look_at_missed(message, since)
                lowest = posted[-1].id if len(posted) == MAX_MESSAGES else after.id
                existing = {message.id for message in posted}
                deleted = [
                    message_id
                    for message_id in answered
                    if message_id > lowest and message_id not in existing
                ]
                for message_id in deleted[:MAX_GONE]:
                    requester = Requester(0, guild_id, channel_id)
                    await self._listener.catch_up(FailedWork(message_id, requester))
            except (discord.HTTPException, aiohttp.ClientError, StoreError) as error:
                log.warning("looking back in channel %d failed: %s", channel_id, error)
                return 0
        return len(posted)

    def _has_news(self, channel: object, since: datetime) -> bool:
        """Return whether a channel has a message since."""
        last: int | None = getattr(channel, "last_message_id", None)
        return last is None or discord.utils.snowflake_time(last) >= since

    # What is kept of it

    def _key(self, shard_id: int) -> str:
        return f"heard:{self.bot.application_id}:{shard_id}.{self.bot.shard_count}"

    async def _saved_before(self, shard_id: int) -> int | None:
        try:
            saved = await self.bot.store.meta(self._key(shard_id))
        except StoreError as error:
            log.warning("the last messages seen cannot be read now: %s", error)
            return None
        return int(saved) if saved is not None else None

    async def _save(self) -> None:
        try:
            for shard_id, latest in self.bot.latest_message_ids.items():
                if shard_id not in self._behind and self._saved.get(shard_id) != latest:
                    await self.bot.store.set_meta(self._key(shard_id), str(latest))
                    self._saved[shard_id] = latest
        except StoreError as error:
            log.warning("the last messages seen cannot be saved now: %s", error)


class Recollection(commands.Cog):
    """Keeps ``bot.answered_messages`` in step with the store: all answers after a start, those of other processes later."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot
        self._reading: asyncio.Task[None] | None = None
        self._refreshing = PeriodicTask(self.refresh, "reading other processes' answers", REFRESH_SECONDS)

    async def cog_load(self) -> None:
        """Read the latest answers now, the others in the background."""
        await self._read_page()
        self._reading = asyncio.create_task(self._read_all())
        self._refreshing.start()

    async def cog_unload(self) -> None:
        """Stop reading."""
        self._refreshing.cancel()
        if self._reading is not None:
            self._reading.cancel()

    @commands.Cog.listener()
    async def on_shard_connect(self, shard_id: int) -> None:
        """Mark the set of marked messages as incomplete: other processes may have marked some before this session."""
        del shard_id
        self.bot.marked_messages.mark_incomplete(discord.utils.time_snowflake(discord.utils.utcnow()))

    async def _read_all(self) -> None:
        while self.bot.answered_messages.complete_from and not self.bot.answered_messages.is_full:
            await asyncio.sleep(PAGE_PAUSE)
            if not await self._read_page():
                await asyncio.sleep(REFRESH_SECONDS)

    async def _read_page(self) -> bool:
        """Read the next older answers; False when the store cannot be read."""
        answered = self.bot.answered_messages
        before = answered.complete_from
        try:
            page = await self.bot.store.claimed_messages(before=min(before, (1 << 63) - 1), limit=PAGE)
        except StoreError as error:
            log.warning("which messages were answered cannot be read now: %s", error)
            return False
        answered.add_all(page, complete_from=page[-1] if len(page) == PAGE else 0)
        return True

    async def refresh(self) -> None:
        """Read the recent answers of other processes, and the servers in which pictures are read."""
        try:
            await self.bot.preferences.load_picture_servers()
        except StoreError as error:
            log.warning("which servers have pictures looked at cannot be read now: %s", error)
        try:
            lately = await self.bot.store.claimed_since(timedelta(seconds=2 * REFRESH_SECONDS), limit=PAGE)
        except StoreError as error:
            log.warning("what others answered cannot be read now: %s", error)
            return
        self.bot.answered_messages.add_all(lately)
