"""Checks permissions and limits, sends cards, and acknowledges interactions in time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any, Final, TypeVar

import discord

from bot.chat.card import Card, CardMaker, RefusalError, require_result
from bot.chat.client import KibitzBot
from bot.chat.control import Control
from bot.chat.failures import measuring_reply, send_unmeasured
from bot.chat.layout import send_card
from bot.chat.limits import LimitDecision
from bot.chat.reply_context import interaction_context, private_translator
from bot.jobs.account import ACCOUNT, Requester
from bot.text import Translator

Value = TypeVar("Value")

SEND_PERMISSIONS: Final = ("view_channel", "send_messages")


def bot_has_permissions(message: discord.Message | discord.PartialMessage, *permissions: str) -> bool:
    """Return whether the bot has all these permissions in a message's channel, or True if they are unknown."""
    return (
        message.guild is None
        or isinstance(message.channel, discord.PartialMessageable)
        or bot_has_permissions_in(message.channel, *permissions)
    )


def bot_has_permissions_in(channel: Any, *permissions: str) -> bool:  # noqa: ANN401 - discord.py has no type for all channels of a server
    try:
        bot_permissions = channel.permissions_for(channel.guild.me)
    except discord.ClientException:  # a thread whose parent is unknown
        return True
    if isinstance(channel, discord.Thread):
        bot_permissions.send_messages = bot_permissions.send_messages_in_threads
    return all(getattr(bot_permissions, name) for name in permissions)


def sending_permission(message: discord.Message) -> str:
    return "send_messages_in_threads" if isinstance(message.channel, discord.Thread) else "send_messages"


async def count_request(interaction: discord.Interaction[KibitzBot]) -> None:
    """Count a request, and charge the work of the current task to the user.

    Raises:
        RefusalError: the user has used up the allowance.

    """
    account = _account_of(interaction)
    ACCOUNT.set(account)
    if not (
        interaction.client.work_budget.can_afford(account)
        and interaction.client.user_allowance.try_to_spend(interaction.user.id) is LimitDecision.GRANTED
    ):
        raise await _over_limit_error(interaction)


async def count_press(interaction: discord.Interaction[KibitzBot]) -> None:
    """Count a press, and charge the work of the current task to the user.

    Raises:
        RefusalError: the user has used up the allowance. The error's card is empty if the user was warned recently.

    """
    allowance, user_id = interaction.client.press_allowance, interaction.user.id
    account = _account_of(interaction)
    ACCOUNT.set(account)
    can_afford = interaction.client.work_budget.can_afford(account)
    match allowance.try_to_spend(user_id) if can_afford else allowance.refuse(user_id):
        case LimitDecision.REFUSED_WITH_WARNING:
            raise await _over_limit_error(interaction)
        case LimitDecision.REFUSED:
            raise RefusalError.with_text("")  # leaves the message unchanged


def _account_of(interaction: discord.Interaction[KibitzBot]) -> Requester:
    return Requester(interaction.user.id, interaction.guild_id, interaction.channel_id or interaction.user.id)


async def _over_limit_error(interaction: discord.Interaction[KibitzBot]) -> RefusalError:
    translate = await private_translator(interaction)
    return RefusalError.with_text(translate("You've asked for a lot in a short time. Try again in a minute."))


async def reply_to_message(
    message: discord.Message, card: Card, translate: Translator, *, notified_user_id: int | None = None
) -> discord.Message:
    """Send a card as the reply to a message. Notify only ``notified_user_id``.

    The nonce prevents a second reply if discord.py repeats a request.

    Raises:
        discord.HTTPException: Discord rejected the reply.

    """
    return await send_card(
        message.channel.send,
        card,
        translate,
        message.author.id,
        attach=bot_has_permissions(message, "attach_files"),
        reference=reference_to(message),
        nonce=str(message.id),
        allowed_mentions=discord.AllowedMentions(
            everyone=False,
            users=[discord.Object(notified_user_id)] if notified_user_id else False,
            roles=False,
            replied_user=False,
        ),
    )


def reference_to(message: discord.Message | discord.PartialMessage) -> discord.MessageReference | None:
    """Return the reference that links a reply to its message, or None if Discord would reject it."""
    if not bot_has_permissions(message, "read_message_history"):
        return None
    return message.to_reference(fail_if_not_exists=False)


async def edit_reply(message: discord.Message, reply_id: int, card: Card, translate: Translator) -> None:
    """Replace the card of a reply.

    Raises:
        discord.HTTPException: Discord rejected the change, or the reply is gone.

    """
    reply = message.channel.get_partial_message(reply_id)  # type: ignore[union-attr]
    await send_card(
        reply.edit,
        card,
        translate,
        message.author.id,
        edit=True,
        attach=bot_has_permissions(message, "attach_files"),
    )


async def reply_to_interaction(
    interaction: discord.Interaction[KibitzBot],
    card: Card,
    translate: Translator,
    owner_id: int | None,
    *,
    edit: bool = False,
) -> None:
    """Reply to an interaction with a card. With ``edit``, replace the first reply instead.

    ``owner_id`` is the user who may delete a public reply, or None for a private reply.

    Raises:
        discord.HTTPException: Discord rejected the reply, or the message to edit is gone.

    """
    with measuring_reply(interaction):
        await send_unmeasured(interaction, card, translate, owner_id, edit=edit)


async def await_public_card(interaction: discord.Interaction[KibitzBot], work: Awaitable[Card]) -> Card:
    """Await a card after a public acknowledgement. If there is no result, remove the acknowledgement.

    Raises:
        RefusalError: the card has no result, or the work was refused. Only the user may see the reason.

    """
    try:
        return await require_result(work)
    except RefusalError:
        # Discord accepts a private reply only after a message has replaced the acknowledgement.
        with suppress(discord.NotFound):  # a moderator may have deleted the acknowledgement
            await interaction.edit_original_response(content="⏳")
            await interaction.delete_original_response()
        raise


ACKNOWLEDGE_SECONDS: Final = 2.0
"""Maximum seconds before an interaction is stored and acknowledged. Discord waits three seconds."""


class Responder:
    """Replies to an interaction, publicly or privately.

    The acknowledgement determines whether the first reply is private, but only parsing shows whether there is anything to show
    publicly. So parsing comes first. If it is slow, the acknowledgement is private, and a public reply is a second message.
    """

    def __init__(self, interaction: discord.Interaction[KibitzBot], *, private: bool) -> None:
        self._interaction = interaction
        self._private = private
        self._acknowledged_privately = False

    async def await_or_acknowledge(self, work: Awaitable[Value]) -> Value:
        """Await work that decides who sees the reply. If it is slow, acknowledge privately."""
        task = asyncio.ensure_future(work)
        try:
            done, _ = await asyncio.wait({task}, timeout=ACKNOWLEDGE_SECONDS)
            if not done and not self._interaction.response.is_done():
                self._acknowledged_privately = True
                await self._interaction.client.unfinished_replies.save(self._interaction)
                await self._interaction.response.defer(ephemeral=True, thinking=True)
            return await task
        finally:
            task.cancel()

    async def reply(self, make_card: CardMaker) -> None:
        context = await interaction_context(self._interaction, private=self._private)
        await self.send(await self.await_or_acknowledge(make_card(context)))

    def in_private(self) -> Responder:
        responder = Responder(self._interaction, private=True)
        responder._acknowledged_privately = self._acknowledged_privately
        return responder

    async def show(self, work: Awaitable[Card], *, restart: Control | None = None) -> None:
        """Store and acknowledge the interaction, then await a card and send it.

        ``restart`` is the control that starts interrupted work again.
        """
        task = asyncio.ensure_future(work)
        try:
            await self._acknowledge(restart)
            is_private = self._private or self._acknowledged_privately
            await self.send(await (task if is_private else await_public_card(self._interaction, task)))
        finally:
            task.cancel()

    async def watch(self, work: Awaitable[Card], *, restart: Control | None = None) -> None:
        """Await work that shows its progress in the reply, then show the resulting card.

        After a private acknowledgement, a public card is a second message. A card without a result replaces the progress even in
        public, because the user may have left and would never see a private message.
        """
        interaction = self._interaction
        await self._acknowledge(restart)
        card = await work
        if self._acknowledged_privately and not self._private and card.has_result:
            await self.send(card)
            return
        private = self._private or self._acknowledged_privately
        translate = (await interaction_context(interaction, private=private)).translate
        await reply_to_interaction(
            interaction, card, translate, None if private else interaction.user.id, edit=True
        )

    async def _acknowledge(self, restart: Control | None) -> None:
        interaction = self._interaction
        await interaction.client.unfinished_replies.save(
            interaction, restart=restart, private=self._private or self._acknowledged_privately
        )
        if not interaction.response.is_done():
            await interaction.response.defer(ephemeral=self._private, thinking=True)

    async def send(self, card: Card) -> None:
        """Send a card. Cards about problems are private."""
        interaction = self._interaction
        private = self._private or not card.has_result
        translate = (await interaction_context(interaction, private=private)).translate
        if self._acknowledged_privately and not private:
            # The first reply after a private acknowledgement is private. Only a second reply can be public.
            await send_unmeasured(interaction, Card(translate("Here it is:")), translate, None, edit=True)
            await reply_to_interaction(interaction, card, translate, interaction.user.id)
            await interaction.client.unfinished_replies.delete(interaction)
            await interaction.delete_original_response()
            return
        await reply_to_interaction(interaction, card, translate, None if private else interaction.user.id)
