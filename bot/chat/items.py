"""Presses of controls, and forms, as Discord sends them."""

from __future__ import annotations

import re
from typing import Any, Final, Self, TypeAlias

import discord

from bot.chat.control import BY_WORD, MAX_TITLE, Control, Field, Form, read
from bot.chat.failures import answering, apologize, guard
from bot.chat.press import Press
from bot.chat.sending import grant_press

MAX_HINT: Final = 100
"""Characters below a field's label."""


def dynamic_item() -> type[discord.ui.DynamicItem[discord.ui.Item[Any]]]:
    """Return the item that recognizes all registered controls."""
    patterns = (kind.template.pattern for kind in BY_WORD.values() if kind.act is not Control.act)
    unnamed = (re.sub(r"\(\?P<\w+>", "(?:", pattern) for pattern in patterns)
    template = re.compile("|".join(unnamed), re.ASCII)

    class AnyControl(discord.ui.DynamicItem[discord.ui.Item[Any]], template=template):
        """Any control on a message. Closing waits for its work, and errors are answered."""

        @classmethod
        async def from_custom_id(
            cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
        ) -> Self:
            """Wrap the pressed item."""
            del interaction, match
            return cls(item)

        async def callback(self, interaction: discord.Interaction[Any]) -> None:
            """Do the control's work; log and answer errors."""
            values = tuple(self.item.values) if isinstance(self.item, discord.ui.Select) else ()
            control = read(self.custom_id)
            assert control is not None  # the pattern is the controls' own
            async with answering(interaction):
                await guard(interaction, Press(interaction, values).run(control))

    return AnyControl


class FormModal(discord.ui.Modal):
    """A form, as Discord shows it."""

    def __init__(self, form: Form) -> None:
        super().__init__(title=form.title[:MAX_TITLE])
        self._form = form
        self._inputs = {field.name: _input(field) for field in form.fields}
        for field in form.fields:
            label = discord.ui.Label(
                text=field.label[:MAX_TITLE],
                description=field.hint[:MAX_HINT] or None,
                component=self._inputs[field.name],
            )
            self.add_item(label)

    async def on_submit(self, interaction: discord.Interaction[Any], /) -> None:
        """Collect the values and submit the form."""
        typed: dict[str, str] = {}
        file = None
        for name, given in self._inputs.items():
            match given:
                case discord.ui.FileUpload():
                    file = next(iter(given.values), file)
                case discord.ui.Select() | discord.ui.CheckboxGroup():
                    typed[name] = " ".join(given.values)
                case _:
                    typed[name] = given.value or ""
        async with answering(interaction):
            await grant_press(interaction)
            await self._form.submit(Press(interaction, file=file), typed)

    async def on_error(self, interaction: discord.Interaction[Any], error: Exception, /) -> None:  # type: ignore[override]
        """Log an error and apologize."""
        await apologize(interaction, error)


_Input: TypeAlias = (
    discord.ui.TextInput[Any]
    | discord.ui.Select[Any]
    | discord.ui.RadioGroup[Any]
    | discord.ui.CheckboxGroup[Any]
    | discord.ui.FileUpload[Any]
)


_GROUPS: Final = {
    "menu": discord.ui.Select,
    "radio": discord.ui.RadioGroup,
    "boxes": discord.ui.CheckboxGroup,
}


def _input(field: Field) -> _Input:
    if field.kind == "file":
        return discord.ui.FileUpload(
            custom_id=field.name, required=field.required, min_values=int(field.required)
        )
    if field.kind in _GROUPS:
        group: Any = _GROUPS[field.kind](custom_id=field.name, required=field.required)
        for choice in field.choices:
            chosen = choice.value in field.value.split()
            group.add_option(label=choice.label, value=choice.value, default=chosen)
        return group  # type: ignore[no-any-return]
    return discord.ui.TextInput(
        custom_id=field.name,
        style=discord.TextStyle.paragraph if field.kind == "lines" else discord.TextStyle.short,
        default=field.value or None,
        placeholder=field.placeholder or None,
        max_length=field.max_length,
        required=field.required,
    )
