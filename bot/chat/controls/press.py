"""What a press comes to: another state of the message that it was made on, or an answer for the presser alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeAlias
from weakref import WeakValueDictionary

import discord

from bot.chat.client import KibitzBot
from bot.chat.reply import NoAnswerError, Reply
from bot.chat.sending.outbound import answer_interaction, change_pressed
from bot.chat.style import Style
from bot.chat.styling import style_of

Answering: TypeAlias = Callable[[Style], Awaitable[Reply]]
"""Gives the answer to a press, as it shall look and speak."""


@dataclass(eq=False, slots=True, weakref_slot=True)
class _Presses:
    """The presses on one message that are under way."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    latest: int = 0


_under_way: WeakValueDictionary[int, _Presses] = WeakValueDictionary()


async def change_message(interaction: discord.Interaction[KibitzBot], answering: Answering) -> None:
    """Make the message whose control was pressed show something else.

    The press that was made last is the one that is shown last, however long its sign or its picture took. Of several
    that wait, only the last is worked off: nobody would see the others, and Discord takes few edits in a second. What
    cannot be shown is answered to the presser alone.
    """
    message = interaction.message
    assert message is not None  # a control stands under a message
    presses = _under_way.setdefault(message.id, _Presses())
    presses.latest += 1
    mine = presses.latest
    await interaction.response.defer()
    async with presses.lock:
        if presses.latest != mine:
            return
        style = await style_of(interaction, private=message.flags.ephemeral)
        reply = await answering(style)
        if reply.found:
            await change_pressed(interaction, reply, style.say)
            return
    await interaction.followup.send(reply.text, ephemeral=True)


async def answer_in_public(interaction: discord.Interaction[KibitzBot], answering: Answering) -> None:
    """Answer a press to everybody; what cannot be shown is told to the presser alone."""
    await interaction.response.defer(thinking=True)
    style = await style_of(interaction, private=False)
    try:
        reply = await answering(style)
    except NoAnswerError:
        await interaction.delete_original_response()  # everybody saw that something was coming
        raise
    await answer_interaction(interaction, reply, style.say, private=False)


async def answer_in_private(interaction: discord.Interaction[KibitzBot], answering: Answering) -> None:
    """Answer a press to the presser alone."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    style = await style_of(interaction, private=True)
    await answer_interaction(interaction, await answering(style), style.say, private=True)
