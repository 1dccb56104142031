"""Posting what one person was told to its channel, once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias
from weakref import WeakKeyDictionary

import discord
from cachetools import LRUCache

from bot.chat.client import KibitzBot
from bot.chat.controls.press import Answering
from bot.chat.custom_id import ControlId
from bot.chat.ids import read
from bot.chat.limits import Verdict
from bot.chat.reply import NoAnswerError
from bot.chat.sending.outbound import answer_interaction
from bot.chat.styling import speaker_to, style_of

Press: TypeAlias = discord.Interaction[KibitzBot]

MAX_POSTED: Final = 10_000
"""Answers of which it is known that they were posted; one that is forgotten has no button for it any more."""

_by_bot: WeakKeyDictionary[KibitzBot, LRUCache[tuple[int, str], bool]] = WeakKeyDictionary()


async def post_once(
    interaction: Press, answering: Answering, is_done: Callable[[ControlId], bool], *, what: str = ""
) -> None:
    """Post an answer as the server wants to see answers, unless the presser may not write there.

    ``is_done`` recognizes the controls of the message that are dead afterwards; ``what`` distinguishes several things that
    a message offers to post.

    Raises:
        NoAnswerError: it may not be posted, or is there already.

    """
    message = interaction.message
    assert message is not None  # a control stands under a message
    say = await speaker_to(interaction)
    posted = _by_bot.setdefault(interaction.client, LRUCache(MAX_POSTED))
    if not may_write(interaction):
        raise NoAnswerError.saying(say("You may not write in this channel."))
    if (message.id, what) in posted:
        raise NoAnswerError.saying(say("This analysis is in the channel already."))
    if interaction.client.by_channel.take(interaction.channel_id or 0) is not Verdict.GRANTED:
        raise NoAnswerError.saying(say("There are many answers in this channel now. Try again in a minute."))
    posted[message.id, what] = True
    try:
        await interaction.response.defer()
        style = await style_of(interaction, private=False)
        reply = await answering(style)
        await answer_interaction(interaction, reply, style.say, private=False)
    except BaseException:
        posted.pop((message.id, what), None)  # it is not there
        raise
    await interaction.edit_original_response(view=_without(message, is_done))


def may_write(interaction: Press) -> bool:
    """Tell whether somebody may write in the channel of an interaction."""
    if interaction.guild_id is None:
        return True
    permissions = interaction.permissions
    if isinstance(interaction.channel, discord.Thread):
        return permissions.send_messages_in_threads
    return permissions.send_messages


def _without(message: discord.Message, is_done: Callable[[ControlId], bool]) -> discord.ui.View:
    """Return the controls of a message, those to post it dead."""
    view = discord.ui.View.from_message(message, timeout=None)
    for item in view.children:
        state = read(item.custom_id) if isinstance(item, discord.ui.Button) else None
        if isinstance(item, discord.ui.Button) and state is not None and is_done(state):
            item.disabled = True
    # Not this view answers a press, but what recognizes the ``custom_id``.
    view.stop()
    return view
