"""Retries failed replies, and replies to messages posted while the bot was offline."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final, TypeVar

import aiohttp
import discord
from discord.ext import commands

from bot.chat.client import KibitzBot
from bot.chat.delivery import FailedWork, pause_after
from bot.chat.periodic import PeriodicTask
from bot.chat.sending import bot_has_permissions_in
from bot.features.showing.listening.listener import Listener
from bot.jobs.account import Requester
from bot.observe.process import monotonic_seconds
from bot.storage.errors import StoreError

log = logging.getLogger(__name__)

_Value = TypeVar("_Value")

RETRY_SECONDS = 5.0
"""Seconds between checks for messages to retry, and between attempts to read from a failing store."""

MAX_RETRIES_PER_ROUND: Final = 20

SAVE_SECONDS: Final = 60.0

SEARCH_MARGIN: Final = timedelta(seconds=60)
"""The search starts this long before the last message seen, because the bot may have stopped before it replied."""

MAX_MESSAGE_AGE: Final = timedelta(minutes=30)
"""Older missed messages get no reply."""

RECENT_PERIOD: Final = timedelta(days=7)
"""A channel is searched only if the bot replied in it during this period."""

MAX_SEARCHED_CHANNELS: Final = 200
"""Channels with the latest replies come first."""

MAX_MESSAGES_PER_CHANNEL: Final = 100
"""The maximum that Discord returns at once."""

MAX_PARALLEL_CHANNELS: Final = 2

MAX_DELETED_REPLIES: Final = 20
"""Maximum number of replies that a search may delete per channel because the original messages seem to be gone."""

REPLIES_PER_PAGE: Final = 1000
"""Small enough that a page is read in a few milliseconds."""

PAGE_PAUSE: Final = 0.05
"""Seconds to pause between pages, so that the bot can reply."""

REFRESH_SECONDS: Final = 60.0
"""Seconds between checks for replies from other processes, and between attempts to read a page while the store fails."""


class CatchUp(commands.Cog):
    """Retries failed replies. At the start of each session, searches for missed messages."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot
        self._last_seen_tasks: dict[int, asyncio.Task[int | None]] = {}
        """Tasks, by shard, that find the last message seen in the previous session."""
        self._saved_ids: dict[int, int] = {}
        self._unsearched_shards: set[int] = set()
        """Shards whose search is incomplete. Their saved ids must not change, because after a restart, the search starts from
        these ids."""
        self._search_tasks: set[asyncio.Task[None]] = set()
        self._start_times = time.time(), monotonic_seconds()
        """The start time on the system clock and on a monotonic clock."""
        self._retry_task = PeriodicTask(self._retry, "retrying messages", RETRY_SECONDS)
        self._save_task = PeriodicTask(
            self._save_last_seen_ids, "saving the last messages seen", SAVE_SECONDS
        )

    @property
    def _listener(self) -> Listener:
        listener = self.bot.get_cog(Listener.__name__)
        assert isinstance(listener, Listener)  # this cog is never loaded without the listener
        return listener

    async def cog_load(self) -> None:
        self._retry_task.start()
        self._save_task.start()

    async def cog_unload(self) -> None:
        self._retry_task.cancel()
        self._save_task.cancel()
        for task in (*self._last_seen_tasks.values(), *self._search_tasks):
            task.cancel()
        await self._save_last_seen_ids()

    # Failed messages

    async def _retry(self) -> None:
        if not self.bot.is_ready() or self.bot.is_closing:
            return
        due = (
            self._listener.message_tasks.take_due_work(MAX_RETRIES_PER_ROUND)
            + await self._load_messages_without_reply()
        )
        await asyncio.gather(
            *(self._listener.retry(failed_work) for failed_work in due[:MAX_RETRIES_PER_ROUND])
        )

    async def _load_messages_without_reply(self) -> list[FailedWork]:
        # The number of seconds by which the system clock has been set forward since this process started.
        jump = time.time() - self._start_times[0] - (monotonic_seconds() - self._start_times[1])
        try:
            unrecorded_replies = await self.bot.store.unrecorded_replies(
                clock_jump=timedelta(seconds=max(0.0, jump))
            )
        except StoreError as error:
            log.warning("can't read messages without a reply: %s", error)
            return []
        return [
            FailedWork(
                reply.source_id,
                Requester(0, reply.guild_id, reply.channel_id),
                is_granted=True,
                attempt_count=reply.attempt_count + 1,
            )
            for reply in unrecorded_replies
            if not self._listener.message_tasks.will_retry(reply.source_id)
            and (reply.guild_id is None or self.bot.receives_events_of(reply.guild_id))
            and reply.time_since_expiry.total_seconds() >= pause_after(reply.attempt_count)
        ]

    # Missed messages

    @commands.Cog.listener()
    async def on_shard_connect(self, shard_id: int) -> None:
        if shard_id not in self._last_seen_tasks:
            self._unsearched_shards.add(shard_id)
            # Start now, because each new message replaces the id of the last message seen.
            self._last_seen_tasks[shard_id] = asyncio.create_task(self._find_last_seen_id(shard_id))

    @commands.Cog.listener()
    async def on_shard_ready(self, shard_id: int) -> None:
        last_seen_task = self._last_seen_tasks.get(shard_id)
        try:
            last_seen_id = await last_seen_task if last_seen_task is not None else None
        finally:
            # Until the task is done, ``cog_unload`` must find it.
            self._last_seen_tasks.pop(shard_id, None)
        if last_seen_id is None:
            self._unsearched_shards.discard(shard_id)
            return
        task = asyncio.create_task(self._search_missed(shard_id, last_seen_id))
        self._search_tasks.add(task)
        task.add_done_callback(self._search_tasks.discard)

    async def _find_last_seen_id(self, shard_id: int) -> int | None:
        """Return the id of the last message seen in the previous session, possibly by another process.

        If no id is known, return None or, with ``bot.sharding``, an id from :data:`SAVE_SECONDS` ago.
        """
        last_seen_id = self.bot.latest_message_ids.get(shard_id)
        stored_text = await _read_until_success(
            "the last messages seen", partial(self.bot.store.meta, self._meta_key(shard_id))
        )
        saved_id = int(stored_text) if stored_text is not None else None
        if saved_id is None:
            now = discord.utils.utcnow()
            # Save now, because the process may end before the first periodic save.
            self.bot.latest_message_ids.setdefault(shard_id, discord.utils.time_snowflake(now))
            self._unsearched_shards.discard(shard_id)
            await self._save_last_seen_ids()
            if self.bot.sharding is not None:
                saved_id = discord.utils.time_snowflake(now - timedelta(seconds=SAVE_SECONDS))
        return last_seen_id or saved_id

    async def _search_missed(self, shard_id: int, last_seen_id: int) -> None:
        store = self.bot.store
        channels = await _read_until_success(
            "channels with recent replies",
            partial(store.channels_with_recent_claims, RECENT_PERIOD, 10 * MAX_SEARCHED_CHANNELS),
        )
        ids_by_channel = defaultdict(list)
        for message_id, channel_id in await _read_until_success(
            "messages with recent replies",
            partial(store.recent_messages_with_reply, MAX_MESSAGE_AGE, 10 * MAX_SEARCHED_CHANNELS),
        ):
            ids_by_channel[channel_id].append(message_id)
        now = discord.utils.utcnow()
        since = max(discord.utils.snowflake_time(last_seen_id) - SEARCH_MARGIN, now - MAX_MESSAGE_AGE)
        semaphore = asyncio.Semaphore(MAX_PARALLEL_CHANNELS)
        shard_channels = [
            (channel_id, guild_id)
            for channel_id, guild_id in channels
            if self.bot.shard_of(guild_id) == shard_id
        ][:MAX_SEARCHED_CHANNELS]
        searched_counts = await asyncio.gather(
            *(
                self._search_channel(*channel, ids_by_channel[channel[0]], since, semaphore)
                for channel in shard_channels
            )
        )
        if not self.bot.is_closing:  # while closing, the bot skips messages, so the search is incomplete
            self._unsearched_shards.discard(shard_id)
        log.info("searched %d messages in %d channels", sum(searched_counts), len(shard_channels))

    async def _search_channel(
        self,
        channel_id: int,
        guild_id: int | None,
        ids_with_reply: Sequence[int],
        since: datetime,
        semaphore: asyncio.Semaphore,
    ) -> int:
        """Reply to the messages posted in a channel after ``since``, and update the replies to messages edited after ``since``.

        If a message in ``ids_with_reply`` no longer exists, delete the reply to it. Return the number of messages searched.
        """
        channel = self.bot.get_channel(channel_id)
        if guild_id is not None and not (
            isinstance(channel, discord.TextChannel | discord.Thread | discord.VoiceChannel)
            and bot_has_permissions_in(channel, "view_channel", "read_message_history")
            and (
                ids_with_reply
                or channel.last_message_id is None
                or discord.utils.snowflake_time(channel.last_message_id) >= since
            )
        ):
            return 0  # the channel was deleted, is an archived thread, cannot be read, or has no new messages
        after = discord.Object(
            min([discord.utils.time_snowflake(since), *(message_id - 1 for message_id in ids_with_reply)])
        )
        async with semaphore:
            try:
                messageable = channel or await self.bot.fetch_channel(channel_id)
                messages = [
                    message
                    async for message in messageable.history(  # type: ignore[union-attr]
                        after=after, limit=MAX_MESSAGES_PER_CHANNEL, oldest_first=False
                    )
                ]
                for message in reversed(messages):
                    await self._listener.reply_to_missed(message, since)
                lowest_id = messages[-1].id if len(messages) == MAX_MESSAGES_PER_CHANNEL else after.id
                found_ids = {message.id for message in messages}
                deleted_ids = [
                    message_id
                    for message_id in ids_with_reply
                    if message_id > lowest_id and message_id not in found_ids
                ]
                for message_id in deleted_ids[:MAX_DELETED_REPLIES]:
                    await self._listener.retry(FailedWork(message_id, Requester(0, guild_id, channel_id)))
            except (discord.HTTPException, aiohttp.ClientError, StoreError) as error:
                log.warning("can't search channel %d for missed messages: %s", channel_id, error)
                return 0
        return len(messages)

    # Saving the last message seen on each shard

    def _meta_key(self, shard_id: int) -> str:
        return f"heard:{self.bot.application_id}:{shard_id}.{self.bot.shard_count}"

    async def _save_last_seen_ids(self) -> None:
        try:
            for shard_id, latest_id in self.bot.latest_message_ids.items():
                if shard_id not in self._unsearched_shards and self._saved_ids.get(shard_id) != latest_id:
                    await self.bot.store.set_meta(self._meta_key(shard_id), str(latest_id))
                    self._saved_ids[shard_id] = latest_id
        except StoreError as error:
            log.warning("can't save the last messages seen: %s", error)


async def _read_until_success(description: str, read: Callable[[], Awaitable[_Value]]) -> _Value:
    while True:
        try:
            return await read()
        except StoreError as error:
            log.warning("can't read %s: %s", description, error)
            await asyncio.sleep(RETRY_SECONDS)


class MessagesWithReply(commands.Cog):
    """Fills ``bot.messages_with_reply`` with the ids of messages that have a reply from any process."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot
        self._read_task: asyncio.Task[None] | None = None
        self._refresh_task = PeriodicTask(self.refresh, "reading other processes' replies", REFRESH_SECONDS)

    async def cog_load(self) -> None:
        await self._read_page()
        self._read_task = asyncio.create_task(self._read_all())
        self._refresh_task.start()

    async def cog_unload(self) -> None:
        self._refresh_task.cancel()
        if self._read_task is not None:
            self._read_task.cancel()

    @commands.Cog.listener()
    async def on_shard_connect(self, shard_id: int) -> None:
        """Record that other processes may have added reactions to earlier messages."""
        self.bot.messages_with_reaction.mark_incomplete(discord.utils.time_snowflake(discord.utils.utcnow()))

    async def _read_all(self) -> None:
        while self.bot.messages_with_reply.complete_from_id and not self.bot.messages_with_reply.is_full:
            await asyncio.sleep(PAGE_PAUSE)
            if not await self._read_page():
                await asyncio.sleep(REFRESH_SECONDS)

    async def _read_page(self) -> bool:
        known_messages = self.bot.messages_with_reply
        try:
            page = await self.bot.store.claimed_messages_before(
                before=min(known_messages.complete_from_id, (1 << 63) - 1), limit=REPLIES_PER_PAGE
            )
        except StoreError as error:
            log.warning("can't read the messages with a reply: %s", error)
            return False
        known_messages.add_all(page, complete_from_id=page[-1] if len(page) == REPLIES_PER_PAGE else 0)
        return True

    async def refresh(self) -> None:
        """Read the messages to which other processes replied recently, and the servers in which the bot reads pictures."""
        try:
            await self.bot.preferences.load_picture_servers()
            recent_ids = await self.bot.store.recently_claimed_messages(
                timedelta(seconds=2 * REFRESH_SECONDS), limit=REPLIES_PER_PAGE
            )
        except StoreError as error:
            log.warning("can't read other processes' replies and settings: %s", error)
            return
        self.bot.messages_with_reply.add_all(recent_ids)
