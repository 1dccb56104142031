"""Sending an answer once, whatever happens in between: the claim is held while one is at it, and let go of in the end."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final
from weakref import WeakValueDictionary

import aiohttp
import discord

from bot.chat.client import KibitzBot
from bot.chat.failures import report
from bot.chat.layout import answered_of
from bot.chat.outbox import Pending, is_passing
from bot.chat.permissions import may
from bot.observe.logs import about
from bot.storage.errors import StoreBusyError, StoreError
from bot.storage.replies import HOLD
from bot.storage.store import Store

log = logging.getLogger(__name__)

RECORD_PAUSES = (1.0, 5.0)
"""Seconds between the tries to remember an answer."""

MAX_LOOKED_THROUGH: Final = 300
"""Messages after a message among which an answer of ours is looked for."""

NONCE_SECONDS: Final = 120.0
"""How long Discord is relied on not to take an answer of the same nonce twice; it promises "a few minutes"."""

_RENEW_SECONDS: Final = HOLD.total_seconds() / 3


class PutOffError(Exception):
    """An answer could not be sent now; the store knows that it is to be tried again."""


class OvertakenError(Exception):
    """Somebody else has taken the message, for we seemed to be gone."""


class UncertainError(Exception):
    """It cannot be known whether an answer is out."""


class Hold:
    """A message that this process is answering: the store keeps others from it as long as we renew that."""

    def __init__(self, store: Store, message_id: int, tries: int) -> None:
        self._store = store
        self._message_id = message_id
        self._tries = tries
        self._until = time.monotonic() + HOLD.total_seconds()

    async def renew(self) -> None:
        """Hold it for longer.

        Raises:
            OvertakenError: it is not ours any more.
            StoreError: the store cannot be read.

        """
        until = time.monotonic() + HOLD.total_seconds()
        if not await self._store.hold_reply(self._message_id, self._tries):
            raise OvertakenError(f"message {self._message_id} was taken by another process")
        self._until = until

    async def make_sure(self) -> None:
        """See that it is still ours before something is sent; asks the store only when we were away for long."""
        if time.monotonic() > self._until - _RENEW_SECONDS:
            await self.renew()

    async def keep(self) -> None:
        """Renew it until cancelled."""
        while True:
            await asyncio.sleep(_RENEW_SECONDS)
            with suppress(StoreError, OvertakenError):  # told before sending
                await self.renew()


@asynccontextmanager
async def held(bot: KibitzBot, message_id: int, tries: int) -> AsyncIterator[Hold]:
    """Hold a claimed message inside this context, and say in the store what became of it when that fails.

    Raises:
        PutOffError: what went wrong may pass; the store has the message tried again.

    """
    hold = Hold(bot.store, message_id, tries)
    renewing = asyncio.create_task(hold.keep())
    try:
        yield hold
    except OvertakenError as error:
        log.warning("%s", error)
    except asyncio.CancelledError:
        await bot.store.put_off_reply(message_id, tries)
        raise
    except Exception as error:
        if not is_passing(error):
            await bot.store.release_reply(message_id)
            raise
        try:
            await bot.store.put_off_reply(message_id, tries)
        except StoreError:
            raise error from None
        raise PutOffError(f"{type(error).__name__}: {error}") from error
    finally:
        renewing.cancel()


async def record_answer(store: Store, message_id: int, answer_id: int) -> None:
    """Remember an answer that is out, for nobody could change or delete it otherwise: not at the first try only.

    Raises:
        StoreError: the store could not at the last try either; who tries next finds the answer in the channel.

    """
    for pause in RECORD_PAUSES:
        try:
            await store.record_reply(message_id, (answer_id,))
        except StoreError as error:
            log.warning("the answer to message %d is not recorded yet: %s", message_id, error)
            await asyncio.sleep(pause)
        else:
            return
    await store.record_reply(message_id, (answer_id,))


async def answer_that_is_out(bot: KibitzBot, message: discord.Message) -> discord.Message | None:
    """Look for an answer to a message that somebody may have sent before the process ended.

    Raises:
        UncertainError: it cannot be known.
        discord.HTTPException: Discord refuses to answer.

    """
    if not may(message, "read_message_history"):
        # Discord itself would not take the same answer twice so soon.
        if abs((discord.utils.utcnow() - message.created_at).total_seconds()) < NONCE_SECONDS:
            return None
        raise UncertainError(f"whether message {message.id} was answered may not be read")
    return await answer_after(bot, message.channel, message.id)


async def answer_after(
    bot: KibitzBot, channel: discord.abc.Messageable, message_id: int
) -> discord.Message | None:
    """Look through what was posted after a message for an answer of ours to it.

    Raises:
        UncertainError: too much was posted.
        discord.HTTPException: Discord refuses to answer.

    """
    assert bot.user is not None  # we hear messages, so we are logged in
    seen = 0
    after = discord.Object(message_id)
    async for posted in channel.history(after=after, limit=MAX_LOOKED_THROUGH, oldest_first=True):
        seen += 1
        # Every answer has its delete button; the other words of ours have none.
        ours = posted.author.id == bot.user.id and answered_of(posted) is not None
        if ours and posted.reference is not None and posted.reference.message_id == message_id:
            return posted
    if seen == MAX_LOOKED_THROUGH:
        raise UncertainError(f"whether message {message_id} was answered is too long ago to tell")
    return None


class Errands:
    """Runs what is to be done for messages."""

    def __init__(self, bot: KibitzBot) -> None:
        self._bot = bot
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    def are_under_way_for(self, message_id: int) -> bool:
        """Tell whether something is being done for a message, or waits for its turn."""
        return message_id in self._locks

    async def in_turn(self, pending: Pending, doing: str, work: Callable[[], Awaitable[None]]) -> None:
        """Do the work of one message when it is its channel's turn, and in the channel that of whoever asks."""

        async def in_turn() -> None:
            # Inside the message's lock: what waits for its own message takes nobody's turn.
            async with self._bot.turns.turn(pending.channel_id, pending.person_id):
                if not self._bot.is_closing:
                    await work()

        await self.guard(pending, doing, in_turn)

    async def guard(self, pending: Pending, doing: str, work: Callable[[], Awaitable[None]]) -> None:
        """Do the work of one message after what is under way for it; a fault ends with this message.

        What may pass is tried again: by the store, or where that does not know of it, from memory.
        """
        if self._bot.is_closing:
            return
        lock = self._locks.setdefault(pending.message_id, asyncio.Lock())
        with about(message_id=pending.message_id), self._bot.in_hand():
            try:
                if not await self._bot.may_answer(pending.guild_id):
                    return  # another process hears its server now
                async with lock:
                    await work()
            except PutOffError as error:
                log.warning("%s message %d failed, it is put off: %s", doing, pending.message_id, error)
                _tell_fault(error.__cause__, pending, doing)
            except Exception as error:  # noqa: BLE001 - one message must not end the others
                again = is_passing(error) and self._bot.outbox.add(pending)
                if again or isinstance(error, discord.HTTPException | aiohttp.ClientError):
                    log.warning("%s message %d failed: %s", doing, pending.message_id, error)
                    _tell_fault(error, pending, doing)
                else:
                    report(error, f"{doing} message {pending.message_id}")


def _tell_fault(error: BaseException | None, pending: Pending, doing: str) -> None:
    """Report that the store is out of order, once for each message; that many wait for it is no fault."""
    if isinstance(error, StoreError) and not isinstance(error, StoreBusyError) and pending.tries == 1:
        report(error, f"{doing} message {pending.message_id}")
