"""Progress of long work in its message, with the button that stops it."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Protocol

import discord

from bot.chat.card import Card
from bot.chat.client import KibitzBot
from bot.chat.control import USER, Button, Control, control
from bot.chat.failures import report, too_costly
from bot.chat.layout import edit_of
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.chat.press import Press

log = logging.getLogger(__name__)

EDIT_SECONDS = 2.5
"""Seconds between two edits of a progress message; Discord accepts five edits in five seconds."""


class Followed(Protocol):
    """Long work whose message shows its progress."""

    def stop(self) -> None:
        """End the work with its present result."""

    def progress(self, every: float) -> AsyncIterator[Card]:
        """Yield cards of the progress, at most one per ``every`` seconds, until the end."""

    async def reply(self) -> Card:
        """Wait for the end, and return the card of the result."""


@control("stop:{user}")
class Stop(Control):
    """Stops the running work of a user, which then answers with its present result."""

    is_free = True

    user: Annotated[int, USER]

    def face(self, say: Speaker, *, private: bool) -> Button:
        """Return the button."""
        return Button(say("Stop"), "\N{BLACK SQUARE FOR STOP}\ufe0f")

    async def act(self, press: Press) -> None:
        """Stop the work, or refuse in private."""
        say = await press.say()
        if press.user != self.user and not press.is_moderator:
            await press.tell(say("Only the person I answer and moderators can stop this."))
        elif press.interaction.client.service.stop_job_of(self.user):
            await press.interaction.response.defer()
        else:
            await press.tell(say("This analysis has already finished. Ask again to start a new one."))


async def follow(interaction: discord.Interaction[KibitzBot], running: Followed, say: Speaker) -> Card:
    """Show the progress of work in the message of an acknowledged interaction, and return its card.

    Errors also become cards: the message must not keep showing the progress of work that has ended.
    """
    client = interaction.client
    stop = Stop(interaction.user.id)
    attach = interaction.app_permissions.attach_files or interaction.guild_id is None
    async for state in running.progress(EDIT_SECONDS):
        card = replace(state, controls=(*state.controls, stop))
        try:
            changed = await interaction.edit_original_response(**edit_of(card, say, None, attach=attach))
            await client.unfinished.remember(interaction, changed)
        except (discord.NotFound, discord.Forbidden):
            # The message is gone, so the result would be too.
            running.stop()
            raise
        except discord.HTTPException as error:
            log.info("the progress of interaction %d was not shown: %s", interaction.id, error)
    try:
        return await running.reply()
    except Exception as error:  # noqa: BLE001 - the card reports it
        if costly := too_costly(error, say):
            return Card(costly, found=False)
        number = report(error, f"analyzing for interaction {interaction.id}")
        text = say("Something went wrong on my side. The reference number is {number}.", number=number)
        return Card(text, found=False)
