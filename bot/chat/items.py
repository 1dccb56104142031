"""The discord.py item that recognizes controls, and the form for a command's missing text."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any, Self, TypeAlias

import discord

from bot.chat.client import KibitzBot
from bot.chat.control import CLASS_BY_WORD, Control, Field, Form, control_from_id
from bot.chat.failures import replying
from bot.chat.press import Press
from bot.text import Translator


def dynamic_item_class() -> type[discord.ui.DynamicItem[discord.ui.Item[Any]]]:
    patterns_without_names = (
        re.sub(r"\(\?P<\w+>", "(?:", kind.id_pattern.pattern)
        for kind in CLASS_BY_WORD.values()
        if kind.act is not Control.act
    )
    template = re.compile("|".join(patterns_without_names), re.ASCII)

    class AnyControl(discord.ui.DynamicItem[discord.ui.Item[Any]], template=template):
        @classmethod
        async def from_custom_id(
            cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
        ) -> Self:
            del interaction, match
            return cls(item)

        async def callback(self, interaction: discord.Interaction[Any]) -> None:
            control = control_from_id(self.custom_id)
            assert control is not None  # the pattern matches only registered controls
            async with replying(interaction):
                press = Press(interaction)
                if isinstance(self.item, discord.ui.Select):
                    press.values = tuple(self.item.values)
                    await press.require_offered_values(press.values, self.item.options)
                await press.run(control)

    return AnyControl


SubmitHandler: TypeAlias = Callable[
    [discord.Interaction[KibitzBot], str, discord.Attachment | None], Awaitable[None]
]
"""Called with an interaction (a command or a submitted form), its text and its file."""


async def run_or_ask_for_input(
    interaction: discord.Interaction[KibitzBot],
    text: str,
    file: discord.Attachment | None,
    *,
    title: Callable[[Translator], str],
    handle_input: SubmitHandler,
) -> None:
    """Call ``handle_input`` with a command's text and file. If both are missing, ask for them in a form first."""
    if text or file is not None:
        await handle_input(interaction, text, file)
        return
    press = Press(interaction)
    translate = await press.translator()
    fields = (
        Field(
            "text",
            translate("Paste a position or a game"),
            kind="lines",
            placeholder="#player1 … / 15/15/15 … / 5BERGS5 …",
            required=False,
        ),
        Field("file", translate("Or choose a file"), kind="file", required=False),
    )
    await press.open_form(
        Form(
            title(translate),
            fields,
            lambda submission, values: handle_input(submission.interaction, values["text"], submission.file),
        )
    )
