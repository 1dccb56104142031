"""Sending: what an asker may ask for, replies as Discord's messages, and interactions answered in time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Final, TypeVar

import discord

from bot.chat.card import Card, NoAnswerError
from bot.chat.client import KibitzBot
from bot.chat.failures import counting_to
from bot.chat.layout import answered_of, edit_of, laid_out, without_files
from bot.chat.limits import Verdict
from bot.chat.permissions import may
from bot.chat.styling import speaker_to, style_of
from bot.jobs.account import Account, charge_to
from bot.text import Speaker


async def grant(interaction: discord.Interaction[KibitzBot]) -> None:
    """Let the asker ask for work now. From then on what is done in the current task is on the asker's account.

    Raises:
        NoAnswerError: it is too much.

    """
    if not (
        _may_spend(interaction) and interaction.client.by_user.take(interaction.user.id) is Verdict.GRANTED
    ):
        raise await _too_much(interaction)


async def grant_press(interaction: discord.Interaction[KibitzBot]) -> None:
    """Let somebody use a control now. From then on what is done in the current task is on that person's account.

    Raises:
        NoAnswerError: it is too much, which is not said at every press.

    """
    allowance, presser = interaction.client.by_presser, interaction.user.id
    match allowance.take(presser) if _may_spend(interaction) else allowance.refuse(presser):
        case Verdict.EXPLAINED:
            raise await _too_much(interaction)
        case Verdict.REFUSED:
            raise NoAnswerError.saying("")  # leaves the message as it is


def _may_spend(interaction: discord.Interaction[KibitzBot]) -> bool:
    """Charge what follows to the asker's account; return whether anything is left there."""
    account = Account(
        interaction.user.id, interaction.channel_id or interaction.user.id, interaction.guild_id
    )
    charge_to(account)
    return interaction.client.means.cover(account)


async def _too_much(interaction: discord.Interaction[KibitzBot]) -> NoAnswerError:
    say = await speaker_to(interaction)
    return NoAnswerError.saying(say("That's more than I can draw at once. Try again in a minute."))


async def answer_message(
    message: discord.Message, reply: Card, say: Speaker, *, ping: int | None = None
) -> discord.Message:
    """Send a reply under a message. Nobody is pinged but ``ping``, and a message deleted meanwhile is no fault.

    The nonce makes Discord send it once although the library repeats a request whose answer was lost.

    Raises:
        discord.HTTPException: Discord refused it, or did not take it after the library's retries.

    """
    view, files = laid_out(reply, say, message.author.id, attach=may(message, "attach_files"))
    return await message.channel.send(
        files=files,
        view=view,
        reference=reference_to(message),  # type: ignore[arg-type]  # None is taken, too
        nonce=str(message.id),
        allowed_mentions=discord.AllowedMentions.none() if ping is None else _alone(ping),
    )


def _alone(user_id: int) -> discord.AllowedMentions:
    """Allow the mention of one account and of nobody else."""
    user = discord.Object(user_id)
    return discord.AllowedMentions(everyone=False, users=[user], roles=False, replied_user=False)


def reference_to(message: discord.Message) -> discord.MessageReference | None:
    """Return what makes a message a reply to this one; None where Discord would refuse it."""
    if not may(message, "read_message_history"):
        return None
    return message.to_reference(fail_if_not_exists=False)


async def change_answer(message: discord.Message, answer_id: int, reply: Card, say: Speaker) -> None:
    """Make an answer that was sent say something else.

    Raises:
        discord.HTTPException: Discord refused it, or the answer is gone.

    """
    answer = message.channel.get_partial_message(answer_id)  # type: ignore[union-attr]
    await answer.edit(
        **edit_of(reply, say, message.author.id, attach=may(message, "attach_files")),
    )


async def change_pressed(interaction: discord.Interaction[KibitzBot], reply: Card, say: Speaker) -> None:
    """Make the message whose control was pressed, and which is acknowledged, say something else.

    Raises:
        discord.HTTPException: Discord refused it, or the message is gone.

    """
    message = interaction.message
    assert message is not None  # a control stands under a message
    attach = interaction.app_permissions.attach_files or interaction.guild_id is None
    with counting_to(interaction):
        await interaction.edit_original_response(**edit_of(reply, say, answered_of(message), attach=attach))


async def change_progress(
    interaction: discord.Interaction[KibitzBot], reply: Card, say: Speaker, *, private: bool
) -> None:
    """Replace the progress in a message by a reply; in words where files may not be sent.

    Raises:
        discord.HTTPException: Discord refused it, or the message is gone.

    """
    answered_id = None if private else interaction.user.id
    with counting_to(interaction):
        try:
            await interaction.edit_original_response(**edit_of(reply, say, answered_id))
        except discord.Forbidden:
            if not (reply.images or reply.files):
                raise
            await interaction.edit_original_response(**edit_of(reply, say, answered_id, attach=False))


async def answer_interaction(
    interaction: discord.Interaction[KibitzBot], reply: Card, say: Speaker, *, private: bool
) -> None:
    """Send a reply to an interaction, acknowledged or not; in words where files may not be sent."""
    with counting_to(interaction):
        try:
            await _send(interaction, reply, say, private=private)
        except discord.Forbidden:
            if not (reply.images or reply.files):
                raise
            await _send(interaction, without_files(reply, say), say, private=private)


async def _send(
    interaction: discord.Interaction[KibitzBot], reply: Card, say: Speaker, *, private: bool
) -> None:
    view, files = laid_out(reply, say, None if private else interaction.user.id)
    if interaction.response.is_done():
        await interaction.followup.send(files=files, view=view, ephemeral=private)
    else:
        await interaction.response.send_message(files=files, view=view, ephemeral=private)


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

    async def answer(self, work: Awaitable[Card]) -> None:
        """Await an answer of which it is not known before who sees it, and send it."""
        await self.send(await self.read(work))

    def in_private(self) -> Asking:
        """Return the same asking with an answer for the asker alone, whatever was wished."""
        asking = Asking(self._interaction, private=True)
        asking._signed_in_private = self._signed_in_private
        return asking

    async def show(self, work: Awaitable[Card], *, again: str = "") -> None:
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

    async def watch(self, work: Awaitable[Card], *, again: str = "") -> None:
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

    async def send(self, reply: Card) -> None:
        """Send an answer; one that only says what is wrong bothers nobody but the asker."""
        interaction = self._interaction
        private = self._private or not reply.found
        say = (await style_of(interaction, private=private)).say
        if self._signed_in_private and not private:
            # What follows a private sign is private, too; only what comes after that can be for everybody.
            await interaction.edit_original_response(**edit_of(Card(say("Here it is:")), say, None))
            await answer_interaction(interaction, reply, say, private=False)
            await interaction.client.unfinished.let_go(interaction)
            await interaction.delete_original_response()
            return
        await answer_interaction(interaction, reply, say, private=private)
