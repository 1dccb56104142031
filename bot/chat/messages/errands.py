"""What is done for one message: one thing after the other, when it is its channel's and its sender's turn, and again when it failed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from weakref import WeakValueDictionary

import aiohttp
import discord

from bot.chat.client import KibitzBot
from bot.chat.failures import report
from bot.chat.messages.delivery import PutOffError
from bot.chat.outbox import Pending, is_passing
from bot.observe.logs import about
from bot.storage.errors import StoreBusyError, StoreError

log = logging.getLogger(__name__)


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
