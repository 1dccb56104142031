"""The button that takes an answer away."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Annotated

import discord

from bot.chat.control import USER, Button, Control, Part, control
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.chat.press import Press

log = logging.getLogger(__name__)

_MARK = Part("(?::[0-9a-f]{8})?", lambda text: text[1:], lambda mark: mark and f":{mark}")


@control("delete:{author}{mark}")
class Delete(Control):
    """Deletes the answer it stands under, for the person it answers and for moderators."""

    is_free = True

    author: Annotated[int, USER]
    mark: Annotated[str, _MARK] = ""
    """What earlier versions wrote about the process that answered."""

    def face(self, say: Speaker, *, private: bool) -> Button | None:
        """Return the button; a private answer is its reader's own."""
        return (
            None if private else Button(emoji="\N{WASTEBASKET}\N{VARIATION SELECTOR-16}", name=say("Delete"))
        )

    async def act(self, press: Press) -> None:
        """Delete the answer, or say in private who may."""
        if press.user != self.author and not press.is_moderator:
            say = await press.say()
            await press.tell(say("Only the person I answered and moderators can delete this."))
            return
        await press.defer()
        answer, store = press.message, press.bot.store
        try:
            # By the interaction's own token, which works where we are not a member, too.
            await press.interaction.delete_original_response()
        except discord.NotFound:
            log.info("answer %d is gone already", answer.id)
        if record := await store.reply_of(answer.id):
            # The claim stays: an edit of the message does not bring the answer back.
            left = tuple(id_ for id_ in record.reply_ids if id_ != answer.id)
            await store.record_reply(record.source_id, left)
