"""The grammar of ``custom_id``: what a control is about stands in its id, so that it works after a restart.

An id is ``kibitz:``, a word, and parts with colons between them. It is written in one way only, and read only if it is
written so: ``read(text).write() == text``. Ids stand under messages for years, so a form may gain a part that can be left
out, and never loses one.
"""

from __future__ import annotations

from collections.abc import Iterator

import discord

from bot.chat.control import Control, read

# Every form has to be known.
from bot.chat.ids import chess, viewing  # noqa: F401


def ids_under(message: discord.Message) -> Iterator[tuple[Control, discord.Component]]:
    """Yield what the controls under a message are about, each with the control."""
    for row in message.components:
        for item in getattr(row, "children", ()):
            if (state := read(getattr(item, "custom_id", None))) is not None:
                yield state, item
