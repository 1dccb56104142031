"""What our own answers show, for those who point at one of them: its documents are named in its controls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import discord

from bot.service import Origin, Source

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot

_DOCUMENT: Final = re.compile(
    r"kibitz:(?:(?:notation|view|open|analyze|ranked:[a-z]+|more|solve|engine):|(?:known|takeback):[A-Za-z0-9_-]{22}:)"
    r"(?P<digest>[A-Za-z0-9_-]{22})(?::.*)?"
)


async def source_of_answer(bot: KibitzBot, answer: discord.Message, asker_id: int) -> Source | None:
    """Make a source of the documents that an answer of ours shows; None when it shows none that are still kept."""
    if bot.user is None or answer.author.id != bot.user.id:
        return None
    texts = [
        text for digest in dict.fromkeys(_digests(answer)) if (text := await bot.service.kept_text(digest))
    ]
    if not texts:
        return None
    if is_hidden(answer):
        texts = [f"||{text}||" for text in texts]
    guild_id = answer.guild.id if answer.guild else None
    # The text was read before, wherever it came from: no live game goes on by it.
    origin = Origin(answer.channel.id, asker_id, guild_id, public=False)
    return Source("\n\n".join(texts), origin=origin)


def is_hidden(answer: discord.Message) -> bool:
    """Tell whether an answer of ours hides what it shows: its pictures, or in their stead its words."""
    if answer.attachments:
        return any(attachment.is_spoiler() for attachment in answer.attachments)
    return "||" in answer.content


def _digests(answer: discord.Message) -> Iterator[str]:
    for row in answer.components:
        for item in getattr(row, "children", ()):
            if match := _DOCUMENT.fullmatch(getattr(item, "custom_id", None) or ""):
                yield match["digest"]
