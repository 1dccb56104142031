"""Telling the other processes that this one lives, and finishing what those that died have left.

Whether a process lives is seen from its count of beats alone: no clock is compared, none can jump. Who has not counted on
while this process counted `MAX_MISSED` beats is dead; when all of them were suspended together, nobody is.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Final

from bot.chat.client import KibitzBot
from bot.chat.regularly import Regularly
from bot.chat.resuming import finish
from bot.storage.errors import StoreError
from bot.storage.instances import Instance
from bot.storage.unfinished import Unfinished

log = logging.getLogger(__name__)

BEAT_SECONDS = 2.0
"""The pause between two beats, the same for all processes."""

MAX_MISSED: Final = 4
"""After so many of our beats without one of theirs a process is dead."""

MAX_TAKEN: Final = 50
"""Messages of dead processes that are taken up at one beat."""

RIVAL_BEATS: Final = 60
"""So many beats two processes may answer for the same shards: while a new version takes over they do."""

_BEATS_AN_HOUR: Final = 1800


class Roll:
    """Keeps count of the others."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}
        self._missed: dict[str, int] = {}
        self._heard: dict[str, int] = {}

    def call(self, instances: Iterable[Instance]) -> None:
        """Take note of all processes, once a beat of ours."""
        present = {instance.name: instance.beats for instance in instances}
        for kept in (self._last, self._missed, self._heard):
            for name in kept.keys() - present.keys():
                del kept[name]
        for name, beats in present.items():
            known = name in self._last
            moved = beats != self._last.get(name)
            self._missed[name] = 0 if moved else self._missed[name] + 1
            self._heard[name] = self._heard.get(name, 0) + (known and moved)
            self._last[name] = beats

    @property
    def dead(self) -> set[str]:
        """The names of those that count on no longer."""
        return {name for name, missed in self._missed.items() if missed >= MAX_MISSED}

    def heard(self, name: str) -> int:
        """Return how many beats of a process there were since we look."""
        return self._heard.get(name, 0)


class Heartbeat:
    """Beats while the bot is there."""

    def __init__(self, bot: KibitzBot) -> None:
        self._bot = bot
        self._roll = Roll()
        self._is_known = False
        """Whether the others may know of this process."""
        self._finishing: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def beating(self) -> AsyncIterator[None]:
        """Beat while inside, once the bot is logged in; then say goodbye, so that others finish at once what is left."""
        beating = Regularly(self._beat_on, "telling that this process lives", BEAT_SECONDS)
        beating.start()
        try:
            yield
        finally:
            beating.cancel()
            await beating.wait_ended()
            for task in self._finishing:
                task.cancel()
            await asyncio.gather(*self._finishing, return_exceptions=True)
            if self._is_known:
                with suppress(StoreError):  # the others will find out by themselves
                    await self._bot.store.leave(self._bot.instance)

    async def _beat_on(self) -> None:
        try:
            if self._bot.application_id is not None:
                await self._beat(self._bot.application_id)
        except StoreError as error:
            log.warning("this process cannot say that it lives: %s", error)

    async def _beat(self, application_id: int) -> None:
        bot = self._bot
        me = Instance(self._bot.instance, application_id, bot.shard_count or 0, tuple(bot.shards))
        self._is_known = True
        everybody = await bot.store.beat(me)
        self._roll.call(everybody)
        dead = self._roll.dead - {self._bot.instance}
        living = [instance for instance in everybody if instance.name not in dead]
        bot.pace.divide(sum(instance.application_id == application_id for instance in living))
        left = await bot.store.unfinished_of_others([instance.name for instance in living])
        for record in left[:MAX_TAKEN]:
            await self._take_up(record)
        for name in dead:
            await bot.store.leave(name)
        self._warn_of_rivals(me, living)

    async def _take_up(self, record: Unfinished) -> None:
        """Finish what another process had begun, beside the beats, if this one is the first to do so."""
        bot = self._bot
        if not bot.is_closing and await bot.store.adopt_unfinished(
            record.interaction_id, record.instance, bot.instance
        ):
            task = asyncio.create_task(finish(bot, replace(record, instance=bot.instance)))
            self._finishing.add(task)
            task.add_done_callback(self._finishing.discard)

    def _warn_of_rivals(self, me: Instance, living: list[Instance]) -> None:
        for other in living:
            if other.name == me.name or not me.shares_shards(other):
                continue
            if self._roll.heard(other.name) % _BEATS_AN_HOUR == RIVAL_BEATS:
                log.error(
                    "ANOTHER PROCESS SHARES THE TOKEN, THE SHARDS AND THE DATABASE of this one: the two do all the work"
                    " twice, and buttons may fail. End one of them, or give each its own shards with KIBITZ_SHARDS"
                )
