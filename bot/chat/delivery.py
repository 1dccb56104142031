"""Sends at most one reply to each message, and retries failures.

A process claims a message in the store before it replies.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final
from weakref import WeakValueDictionary

import aiohttp
import discord
from cachetools import FIFOCache

from bot.chat.client import KibitzBot
from bot.chat.failures import log_fault
from bot.chat.layout import reply_owner_id
from bot.chat.sending import bot_has_permissions
from bot.jobs.account import Requester
from bot.observe.logs import log_context
from bot.storage.errors import StoreBusyError, StoreError
from bot.storage.replies import CLAIM_DURATION, REPLY_RETRY_PERIOD
from bot.storage.store import Store

log = logging.getLogger(__name__)

RECORD_PAUSES = (1.0, 5.0)
"""Seconds to wait after each failed attempt to record a reply, except the last."""

MAX_SEARCHED_MESSAGES: Final = 300
"""Maximum number of later messages searched for a reply."""

NONCE_SECONDS: Final = 120.0
"""Time during which Discord creates only one message with the same nonce. Discord's documentation says "a few minutes"."""

_RENEW_SECONDS: Final = CLAIM_DURATION.total_seconds() / 3

RETRY_PAUSES: Final = (5.0, 15.0, 45.0, 120.0, 300.0, 600.0)
"""Seconds to wait after each failed attempt to reply to a message, or to edit or delete the reply.

The last value applies to all later attempts.
"""

MAX_PENDING: Final = 1_000
"""Maximum number of messages whose failed work waits for a retry. If there are more, the oldest is dropped."""


class ReplyPostponedError(Exception):
    """Sending failed, and the store has recorded the message for a retry."""


class ClaimLostError(Exception):
    """Another process claimed the message after this process's claim expired."""


class ReplyUncertainError(Exception):
    """A reply may or may not have been sent."""


class Claim:
    """This process's claim on a message, which expires unless it is renewed."""

    def __init__(self, store: Store, message_id: int, attempt: int) -> None:
        self._store = store
        self._message_id = message_id
        self._attempt = attempt
        self._expires_at = time.monotonic() + CLAIM_DURATION.total_seconds()

    async def renew(self) -> None:
        """Renew the claim, unless it was just renewed.

        Raises:
            ClaimLostError: another process has claimed the message.
            StoreError: the store cannot be written.

        """
        expires_at = time.monotonic() + CLAIM_DURATION.total_seconds()
        if expires_at - self._expires_at < _RENEW_SECONDS / 2:
            return
        if not await self._store.set_reply_claim_duration(self._message_id, self._attempt):
            raise ClaimLostError(f"another process claimed message {self._message_id}")
        self._expires_at = expires_at

    async def keep_renewing(self) -> None:
        while True:
            await asyncio.sleep(_RENEW_SECONDS)
            with suppress(StoreError, ClaimLostError):  # the claim is checked again before sending
                await self.renew()


@asynccontextmanager
async def holding_claim(bot: KibitzBot, message_id: int, attempt: int) -> AsyncIterator[Claim]:
    """Hold the claim on a message during the ``with`` block. A lost claim is only logged.

    After a temporary error or a cancellation, the claim expires at once. After any other error, the claim is deleted.

    Raises:
        ReplyPostponedError: the block raised a temporary error, and the store has recorded the message for a retry.

    """
    claim = Claim(bot.store, message_id, attempt)
    renewal_task = asyncio.create_task(claim.keep_renewing())
    try:
        yield claim
    except ClaimLostError as error:
        log.warning("%s", error)
    except asyncio.CancelledError:
        with suppress(StoreError):
            await bot.store.set_reply_claim_duration(message_id, attempt, timedelta(0))
        raise
    except Exception as error:
        if not is_temporary(error):
            with suppress(StoreError):
                await bot.store.release_reply_claim(message_id, attempt)
            raise
        try:
            await bot.store.set_reply_claim_duration(message_id, attempt, timedelta(0))
        except StoreError:
            raise error from None
        raise ReplyPostponedError(f"{type(error).__name__}: {error}") from error
    finally:
        renewal_task.cancel()


async def record_reply(store: Store, message_id: int, reply_id: int) -> None:
    """Record a sent reply, with retries. Without the record, the reply could not be edited or deleted.

    Raises:
        StoreError: the last attempt failed.

    """
    for pause in RECORD_PAUSES:
        try:
            await store.record_reply(message_id, (reply_id,))
        except StoreError as error:
            log.warning("the reply to message %d is not recorded yet: %s", message_id, error)
            await asyncio.sleep(pause)
        else:
            return
    await store.record_reply(message_id, (reply_id,))


async def find_sent_reply(bot: KibitzBot, message: discord.Message) -> discord.Message | None:
    """Find a reply that an earlier process may have sent just before it ended.

    Raises:
        ReplyUncertainError: the channel cannot be read, or too many messages follow.
        discord.HTTPException: Discord rejected the request.

    """
    if not bot_has_permissions(message, "read_message_history"):
        # The reply can be sent again safely, because Discord would not create a second reply with the same nonce.
        if abs((discord.utils.utcnow() - message.created_at).total_seconds()) < NONCE_SECONDS:
            return None
        raise ReplyUncertainError(
            f"message {message.id} may have a reply, but the bot is not allowed to read the channel"
        )
    return await find_reply_after(bot, message.channel, message.id)


async def find_reply_after(
    bot: KibitzBot, channel: discord.abc.Messageable, message_id: int
) -> discord.Message | None:
    """Find the reply to a message in the messages that follow it.

    Raises:
        ReplyUncertainError: too many messages follow.
        discord.HTTPException: Discord rejected the request.

    """
    searched_count = 0
    async for candidate in channel.history(
        after=discord.Object(message_id), limit=MAX_SEARCHED_MESSAGES, oldest_first=True
    ):
        searched_count += 1
        # Of the bot's messages, only replies have a delete button.
        is_own = candidate.author == bot.user and reply_owner_id(candidate) is not None
        if is_own and candidate.reference is not None and candidate.reference.message_id == message_id:
            return candidate
    if searched_count == MAX_SEARCHED_MESSAGES:
        raise ReplyUncertainError(f"message {message_id} may have a reply, but too many messages follow it")
    return None


@dataclass(frozen=True, slots=True)
class FailedWork:
    """A failed attempt to reply to a message, or to edit or delete the reply."""

    message_id: int
    requester: Requester
    """The user who requested the reply, not always the message's author."""
    is_granted: bool = False
    """Whether the reply is already counted against the rate limits."""
    attempt_count: int = 1
    failed_at: float = field(default_factory=time.monotonic)
    """Monotonic time of the first failure."""


def is_temporary(error: BaseException) -> bool:
    if isinstance(error, discord.HTTPException):
        return error.status == 429 or error.status >= 500
    return isinstance(error, aiohttp.ClientError | OSError | TimeoutError | StoreError)


def pause_after(attempt_count: int) -> float:
    return RETRY_PAUSES[min(attempt_count, len(RETRY_PAUSES)) - 1]


class MessageTasks:
    """Runs work for messages, never two tasks for the same message at once.

    After a temporary failure, keeps the work in memory for a retry. A claimed message is an exception: the store lists it for a
    retry (see ``Store.unrecorded_replies``).
    """

    def __init__(self, bot: KibitzBot) -> None:
        self._bot = bot
        self._failed_work: FIFOCache[int, tuple[float, FailedWork]] = FIFOCache(MAX_PENDING)
        """By message id: the monotonic time of the retry, and the work."""
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    def is_working_on(self, message_id: int) -> bool:
        return message_id in self._locks

    def will_retry(self, message_id: int) -> bool:
        return message_id in self._failed_work

    def take_due_work(self, max_count: int) -> list[FailedWork]:
        """Remove and return at most ``max_count`` items that are due. Each ``attempt_count`` includes the upcoming attempt."""
        now = time.monotonic()
        due_work = [work for due_at, work in self._failed_work.values() if due_at <= now][:max_count]
        for work in due_work:
            del self._failed_work[work.message_id]
        return [replace(work, attempt_count=work.attempt_count + 1) for work in due_work]

    def _retry_later(self, work: FailedWork) -> bool:
        """Keep work for a retry, or return False if its first failure was too long ago."""
        now = time.monotonic()
        if now - work.failed_at > REPLY_RETRY_PERIOD.total_seconds():
            return False
        self._failed_work[work.message_id] = (now + pause_after(work.attempt_count), work)
        return True

    async def run(
        self,
        message_id: int,
        requester: Requester,
        activity: str,
        work: Callable[[], Awaitable[None]],
        *,
        in_turn: bool = True,
        earlier_failure: FailedWork | None = None,
    ) -> None:
        """Run work for a message after all earlier work for the same message. Retry temporary failures.

        ``activity`` describes the work in the log, such as "replying to". With ``in_turn``, the work waits in the channel's
        queue.
        """
        bot = self._bot
        if bot.is_closing:
            return
        with log_context(message_id=message_id), bot.delay_closing():
            try:
                shards = bot.sharding
                if shards is not None and not await shards.holds(bot.shard_of(requester.server_id)):
                    return  # another process now receives the server's messages
                # Work that waits for the lock must not hold a turn.
                async with (
                    self._locks.setdefault(message_id, asyncio.Lock()),
                    bot.message_queue.turn(requester.channel_id, requester.user_id)
                    if in_turn
                    else nullcontext(),
                ):
                    if not bot.is_closing:
                        await work()
            except ReplyPostponedError as error:
                log.warning("%s message %d failed and will be retried: %s", activity, message_id, error)
                _report_store_failure(error.__cause__, earlier_failure, f"{activity} message {message_id}")
            except Exception as error:  # noqa: BLE001 - an error must not affect other messages
                will_retry = is_temporary(error) and self._retry_later(
                    earlier_failure or FailedWork(message_id, requester)
                )
                if will_retry or isinstance(error, discord.HTTPException | aiohttp.ClientError):
                    log.warning("%s message %d failed: %s", activity, message_id, error)
                    _report_store_failure(error, earlier_failure, f"{activity} message {message_id}")
                else:
                    log_fault(error, f"{activity} message {message_id}")


def _report_store_failure(
    error: BaseException | None, earlier_failure: FailedWork | None, activity: str
) -> None:
    """Log a failure of the store, once per message. A busy store is not a failure."""
    is_first = earlier_failure is None or earlier_failure.attempt_count == 1
    if is_first and isinstance(error, StoreError) and not isinstance(error, StoreBusyError):
        log_fault(error, activity)
