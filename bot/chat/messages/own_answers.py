"""What our own answers show, for those who point at one of them: its documents are named in its controls."""

from __future__ import annotations

import discord

from bot.chat.client import KibitzBot
from bot.chat.ids import ids_under
from bot.features.showing.reading import Origin, Source


async def source_of_answer(bot: KibitzBot, answer: discord.Message, asker_id: int) -> Source | None:
    """Make a source of the documents that an answer of ours shows; None when it shows none that are still kept."""
    if bot.user is None or answer.author.id != bot.user.id:
        return None
    digests = dict.fromkeys(state.document for state, _ in ids_under(answer) if state.document)
    texts = [text for digest in digests if (text := await bot.service.kept_text(digest))]
    if not texts:
        return None
    guild_id = answer.guild.id if answer.guild else None
    # The text was read before, wherever it came from: no live game goes on by it.
    origin = Origin(answer.channel.id, asker_id, guild_id, public=False)
    return Source("\n\n".join(texts), origin=origin, spoiler=is_hidden(answer))


def is_hidden(answer: discord.Message) -> bool:
    """Tell whether an answer of ours hides what it shows: its pictures, or in their stead its words."""
    if answer.attachments:
        return any(attachment.is_spoiler() for attachment in answer.attachments)
    return "||" in answer.content


async def is_republished(bot: KibitzBot, message: discord.Message) -> bool:
    """Tell whether a post of a followed channel is an answer of ours that somebody published there."""
    if not message.flags.is_crossposted or message.reference is None:
        return False
    original = message.reference.message_id
    return original is not None and await bot.store.reply_of(original) is not None
