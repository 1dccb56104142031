"""Hearing messages: each that holds a position is answered once, and the answer follows its author's edits."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import aiohttp
import discord
from discord.ext import commands

from bot.answers.found import Findings
from bot.chat.failures import report
from bot.chat.inbound import (
    is_addressed,
    is_from_a_machine,
    is_worth_reading,
    message_locale,
    replied_message,
    source_of_message,
)
from bot.chat.outbound import answer_message, change_answer
from bot.service import Source
from bot.storage.store import REPLY_RETENTION
from bot.text import speaker

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot

log = logging.getLogger(__name__)


class Listener(commands.Cog):
    """Answers messages, and keeps the answers in step with them."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """Answer a message that holds a position; stay silent otherwise."""
        if self._may_be_for_us(message):
            await self._guarded(message.id, "answering", lambda: self._answer(message))

    @commands.Cog.listener()
    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        """Bring an answer up to date when its message is edited; answer a message that holds a position only now."""
        message = payload.message
        # Link previews are edits, too, but leave the time of the last edit alone. What is older than the memory of
        # answers may have been answered long ago.
        if message.edited_at is None or message.edited_at - message.created_at > REPLY_RETENTION:
            return
        if is_from_a_machine(message):
            return
        await self._guarded(message.id, "following the edit of", lambda: self._follow_edit(message))

    @commands.Cog.listener()
    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """Delete the answer to a deleted message."""
        await self._guarded(
            payload.message_id, "following the deletion of", lambda: self._take_back(payload.message_id)
        )

    @commands.Cog.listener()
    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        """Delete the answers to messages that were deleted together."""
        for message_id in payload.message_ids:
            await self._guarded(message_id, "following the deletion of", lambda: self._take_back(message_id))  # noqa: B023 - awaited in the loop

    async def _guarded(self, message_id: int, doing: str, work: Callable[[], Awaitable[None]]) -> None:
        """Do the work of one message after what is under way for it; a fault ends with this message."""
        if self.bot.is_closing:
            return
        lock = self._locks.setdefault(message_id, asyncio.Lock())
        try:
            with self.bot.in_hand():
                async with lock:
                    await work()
        except (discord.HTTPException, aiohttp.ClientError) as error:
            log.warning("%s message %d failed: %s", doing, message_id, error)
        except Exception as error:  # noqa: BLE001 - one message must not end the others
            report(error, f"{doing} message {message_id}")

    def _may_be_for_us(self, message: discord.Message) -> bool:
        return self.bot.user is not None and is_worth_reading(message, self.bot.user)

    async def _answer(self, message: discord.Message) -> None:
        source, findings = await self._read(message)
        if not self._is_wanted(message, findings):
            return
        if not await self.bot.store.claim_reply(
            message.id,
            channel_id=message.channel.id,
            guild_id=message.guild.id if message.guild else None,
            author_id=message.author.id,
        ):
            return
        try:
            reply = await self.bot.service.show(source, findings)
            assert reply is not None  # there is something to show, or somebody asked
            answer = await answer_message(message, reply, speaker(source.locale))
        except BaseException:
            await self.bot.store.release_reply(message.id)
            raise
        await self.bot.store.record_reply(message.id, (answer.id,))

    async def _read(self, message: discord.Message) -> tuple[Source, Findings]:
        """Read a message; of a reply that addresses us without a position, the message that it replies to."""
        addressed = self._is_addressed(message)
        source, findings = await self._look_at(message, asked=addressed)
        if addressed and not findings.found and (replied := replied_message(message)):
            source, findings = await self._look_at(replied, asked=True)
        return source, findings

    def _is_addressed(self, message: discord.Message) -> bool:
        return self.bot.user is not None and is_addressed(message, self.bot.user)

    def _is_wanted(self, message: discord.Message, findings: Findings) -> bool:
        """Tell whether an answer is wanted: there is something to show, or a person told us something that is not."""
        if findings.found or self._is_addressed(message):
            return True
        return message.guild is None and bool(findings.refused)

    async def _look_at(self, message: discord.Message, *, asked: bool) -> tuple[Source, Findings]:
        source = await source_of_message(
            message,
            asked=asked,
            view=self.bot.look,
            locale=message_locale(message),
            attachment_bytes=self.bot.settings.limits.attachment_bytes,
        )
        findings = await self.bot.service.find(source)
        if message.guild is None:
            # Nobody else is there to be bothered: a broken position is explained, ordinary talk is not.
            source = replace(source, asked=True)
        return source, findings

    async def _follow_edit(self, message: discord.Message) -> None:
        record = await self.bot.store.reply(message.id)
        if record is None:
            if self._may_be_for_us(message):
                await self._answer(message)
            return
        source, findings = await self._read(message)
        if not self._is_wanted(message, findings):
            await self._take_back(message.id)
            return
        reply = await self.bot.service.show(source, findings)
        assert reply is not None  # there is something to show, or somebody asked
        for answer_id in record.reply_ids:
            try:
                await change_answer(message, answer_id, reply, speaker(source.locale))
            except discord.NotFound:
                log.info("the answer to message %d is gone already", message.id)

    async def _take_back(self, message_id: int) -> None:
        record = await self.bot.store.reply(message_id)
        if record is None:
            return
        channel = self.bot.get_partial_messageable(record.channel_id, guild_id=record.guild_id)
        for answer_id in record.reply_ids:
            try:
                await channel.get_partial_message(answer_id).delete()
            except discord.NotFound:
                log.info("the answer to message %d is gone already", message_id)
        await self.bot.store.forget_reply(message_id)
