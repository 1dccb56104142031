"""The form for texts that do not fit into a command: long ones, and texts of several lines."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from bot.chat.control import Field, Form
from bot.chat.press import Press
from bot.text import Speaker

if TYPE_CHECKING:
    import discord

    from bot.chat.client import KibitzBot

MAX_PASTE = 4_000
"""Characters that fit into a form's field."""

Submitted: TypeAlias = Callable[
    ["discord.Interaction[KibitzBot]", str, "discord.Attachment | None"], Awaitable[None]
]
"""Uses a text and a file that came with an interaction: a command, or a form."""


async def use_or_ask(
    interaction: discord.Interaction[KibitzBot],
    text: str,
    file: discord.Attachment | None,
    *,
    title: Callable[[Speaker], str],
    use: Submitted,
) -> None:
    """Use the text or the file of a command; without both, ask for them with a form that ``title`` names."""
    if text or file is not None:
        await use(interaction, text, file)
        return

    async def submit(press: Press, typed: Mapping[str, str]) -> None:
        await use(press.interaction, typed["text"], press.file)

    press = Press(interaction)
    say = await press.say()
    placeholder = "#player1 … / 15/15/15 … / 5BERGS5 …"
    fields = (
        Field(
            "text",
            say("Paste a position or a game"),
            kind="lines",
            placeholder=placeholder,
            max_length=MAX_PASTE,
            required=False,
        ),
        Field("file", say("Or choose a file"), kind="file", required=False),
    )
    await press.ask(Form(title(say), fields, submit))
