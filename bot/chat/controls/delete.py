"""The button that takes an answer away, for the one who was answered and for moderators."""

from __future__ import annotations

import logging
from typing import Any, Self

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.item import ControlItem
from bot.chat.ids.settings import DeleteId
from bot.chat.permissions import is_moderator
from bot.chat.styling import speaker_to

log = logging.getLogger(__name__)

SIGN = "\N{WASTEBASKET}\N{VARIATION SELECTOR-16}"


class DeleteButton(ControlItem[discord.ui.Button[Any], DeleteId], of=DeleteId):
    """Deletes the answer it stands under."""

    is_free = True

    @classmethod
    def of_author(cls, author_id: int) -> Self:
        """Make the button under an answer to somebody."""
        state = DeleteId(author_id)
        return cls(state, discord.ui.Button(emoji=SIGN, custom_id=state.write()))

    async def act(self, interaction: discord.Interaction[KibitzBot]) -> None:
        """Delete the answer, or say in private who may."""
        if interaction.user.id != self.state.author and not is_moderator(interaction.permissions):
            say = await speaker_to(interaction)
            text = say("Only the person I answered and moderators can delete this.")
            await interaction.response.send_message(text, ephemeral=True)
            return
        await interaction.response.defer()
        answer = interaction.message
        assert answer is not None  # a button stands under a message
        try:
            # By the interaction's own token, which works where we are not a member, too.
            await interaction.delete_original_response()
        except discord.NotFound:
            log.info("answer %d is gone already", answer.id)
        store = interaction.client.store
        if record := await store.reply_of(answer.id):
            # The claim stays: an edit of the message does not bring the answer back.
            left = tuple(id_ for id_ in record.reply_ids if id_ != answer.id)
            await store.record_reply(record.source_id, left)
