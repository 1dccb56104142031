"""The button that takes an answer away, for the one who was answered and for moderators."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any, Self

import discord

from bot.chat.controls.control import Control
from bot.chat.permissions import is_moderator
from bot.chat.rivals import DELETE_ID, MARK
from bot.chat.style import speaker_to

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot

log = logging.getLogger(__name__)

SIGN = "\N{WASTEBASKET}\N{VARIATION SELECTOR-16}"


class DeleteButton(Control, discord.ui.DynamicItem[discord.ui.Button[Any]], template=DELETE_ID):
    """Deletes the answer it stands under; its ``custom_id`` names who was answered."""

    is_free = True

    def __init__(self, author_id: int) -> None:
        self.author_id = author_id
        super().__init__(discord.ui.Button(emoji=SIGN, custom_id=f"kibitz:delete:{author_id}:{MARK}"))

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """Take the button up again from a message, also after a restart."""
        del interaction, item
        return cls(int(match["author"]))

    async def act(self, interaction: discord.Interaction[KibitzBot]) -> None:
        """Delete the answer, or say in private who may."""
        if interaction.user.id != self.author_id and not is_moderator(interaction.permissions):
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
