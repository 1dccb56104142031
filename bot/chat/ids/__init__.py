"""The grammar of ``custom_id``: what a control is about stands in its id, so that it works after a restart.

An id is ``kibitz:``, a word, and parts with colons between them. It is written in one way only, and read only if it is
written so: ``read(text).write() == text``. Ids stand under messages for years, so a form may gain a part that can be left
out, and never loses one.
"""

from __future__ import annotations

from collections.abc import Iterator

import discord

from bot.chat.custom_id import BY_WORD, ControlId

# Every form has to be known.
from bot.chat.ids import analysis, chess, puzzles, reviews, settings, viewing  # noqa: F401


def read(custom_id: str | None) -> ControlId | None:
    """Return what an id says; None when it is none of ours."""
    kind = BY_WORD.get((custom_id or "").removeprefix("kibitz:").partition(":")[0])
    match = kind.template.fullmatch(custom_id or "") if kind else None
    return kind.of(match) if kind and match else None


def ids_under(message: discord.Message) -> Iterator[tuple[ControlId, discord.Component]]:
    """Yield what the controls under a message are about, each with the control."""
    for row in message.components:
        for item in getattr(row, "children", ()):
            if (state := read(getattr(item, "custom_id", None))) is not None:
                yield state, item
