"""Answering interactions: in time, in the style of whoever sees the answer, and a problem to the asker alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Final, TypeVar

import discord

from bot.chat.client import KibitzBot
from bot.chat.reply import NoAnswerError, Reply
from bot.chat.sending.outbound import answer_interaction, change_progress
from bot.chat.styling import style_of

Value = TypeVar("Value")

SIGN_SECONDS: Final = 2.0
"""How long we may work without a sign. Discord waits three seconds for one."""


class Asking:
    """One interaction on its way to an answer for everybody or for the asker alone.

    Discord wants to know with the first sign whether an answer is private, but only reading shows whether there is something
    to show to everybody. So reading comes first; when it takes long, the sign is private, and what turns out to be
    for everybody is sent after it. Whatever takes so long is kept in mind before its sign, lest it waits for ever when the
    process is killed.
    """

    def __init__(self, interaction: discord.Interaction[KibitzBot], *, private: bool) -> None:
        self._interaction = interaction
        self._private = private
        self._signed_in_private = False

    async def read(self, work: Awaitable[Value]) -> Value:
        """Await work that has to be done before it is known who sees the answer."""
        task = asyncio.ensure_future(work)
        try:
            done, _ = await asyncio.wait({task}, timeout=SIGN_SECONDS)
            if not done and not self._interaction.response.is_done():
                self._signed_in_private = True
                await self._interaction.client.unfinished.keep(self._interaction)
                await self._interaction.response.defer(ephemeral=True, thinking=True)
            return await task
        finally:
            task.cancel()

    async def answer(self, work: Awaitable[Reply]) -> None:
        """Await an answer of which it is not known before who sees it, and send it."""
        await self.send(await self.read(work))

    def in_private(self) -> Asking:
        """Return the same asking with an answer for the asker alone, whatever was wished."""
        asking = Asking(self._interaction, private=True)
        asking._signed_in_private = self._signed_in_private
        return asking

    async def show(self, work: Awaitable[Reply], *, again: str = "") -> None:
        """Await an answer that shows something, and send it to everybody or to the asker alone.

        ``again`` is given for work that takes long: the ``custom_id`` of a control that asks for it once more.
        """
        response = self._interaction.response
        task = asyncio.ensure_future(work)
        try:
            if again:
                await self._keep(again)
            if not response.is_done():
                # Drawing may have to wait for others.
                await response.defer(ephemeral=self._private, thinking=True)
            try:
                reply = await task
            except NoAnswerError:
                if not (self._private or self._signed_in_private):
                    # Everybody saw that something was coming.
                    await self._interaction.delete_original_response()
                raise
            await self.send(reply)
        finally:
            task.cancel()

    async def watch(self, work: Awaitable[Reply], *, again: str = "") -> None:
        """Await an answer, which takes the place of what ``work`` tells meanwhile in the interaction's message."""
        interaction = self._interaction
        await self._keep(again)
        if not interaction.response.is_done():
            await interaction.response.defer(ephemeral=self._private, thinking=True)
        reply = await work
        if self._signed_in_private and not self._private and reply.found:
            await self.send(reply)
            return
        private = self._private or self._signed_in_private
        say = (await style_of(interaction, private=private)).say
        await change_progress(interaction, reply, say, private=private)

    async def _keep(self, again: str) -> None:
        """Keep in mind that long work begins, for which the control ``again`` asks once more."""
        private = self._private or self._signed_in_private
        await self._interaction.client.unfinished.keep(self._interaction, again=again, private=private)

    async def send(self, reply: Reply) -> None:
        """Send an answer; one that only says what is wrong bothers nobody but the asker."""
        interaction = self._interaction
        private = self._private or not reply.found
        say = (await style_of(interaction, private=private)).say
        if self._signed_in_private and not private:
            # What follows a private sign is private, too; only what comes after that can be for everybody.
            await interaction.edit_original_response(content=say("Here it is:"))
            await answer_interaction(interaction, reply, say, private=False)
            await interaction.client.unfinished.let_go(interaction)
            await interaction.delete_original_response()
            return
        await answer_interaction(interaction, reply, say, private=private)
