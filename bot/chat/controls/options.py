"""What controls are called: entries of menus show as they are, on one line, in their own direction."""

from __future__ import annotations

import discord

from bot.chat.markdown import one_line
from bot.chat.moment import Choice

MAX_LABEL = 100
"""Characters that Discord takes of a label, and of the words under it."""


def option(choice: Choice, chosen: str | None = None) -> discord.SelectOption:
    """Make the entry for a choice; ``chosen`` is the value that is chosen now."""
    return discord.SelectOption(
        label=one_line(choice.label, MAX_LABEL),
        value=choice.value,
        description=one_line(choice.detail, MAX_LABEL) or None,
        default=choice.value == chosen,
    )
