"""Controls as Discord's items: one class for buttons and menus, one for forms."""

from __future__ import annotations

import re
from typing import Any, Self

import discord

from bot.chat.card import Card
from bot.chat.control import BY_WORD, MAX_TITLE, Button, Control, Field, Form, Menu, read
from bot.chat.delete import Delete
from bot.chat.failures import answering, apologize, guard
from bot.chat.markdown import one_line
from bot.chat.press import Press
from bot.chat.sending import grant_press
from bot.text import Speaker

MAX_LABEL = 100
"""Characters that Discord takes of a menu entry's label, and of the words under it."""


class ControlItem(discord.ui.DynamicItem[discord.ui.Item[Any]], template="kibitz:"):
    """A control under a message. Presses are granted, awaited when the bot closes, and answered when they fail."""

    def __init__(self, control: Control, item: discord.ui.Item[Any]) -> None:
        self.control = control
        super().__init__(item)

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """Make the control again from a message, also after a restart."""
        del interaction
        control = read(match[0])
        assert control is not None  # the pattern is the controls' own
        return cls(control, item)

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Do the control's work; a fault is logged and answered."""
        values = tuple(self.item.values) if isinstance(self.item, discord.ui.Select) else ()
        async with answering(interaction):
            await guard(interaction, self._act(Press(interaction, values)))

    async def _act(self, press: Press) -> None:
        if not self.control.is_free:
            await grant_press(press.interaction)
        await self.control.act(press)


def dynamic_item() -> type[ControlItem]:
    """Return the item that recognizes every control there is by now."""
    patterns = (kind.template.pattern for kind in BY_WORD.values() if kind.act is not Control.act)
    unnamed = (re.sub(r"\(\?P<\w+>", "(?:", pattern) for pattern in patterns)

    class AnyControl(ControlItem, template=re.compile("|".join(unnamed), re.ASCII)):
        """Every control."""

    return AnyControl


def item_of(control: Control, say: Speaker, *, private: bool) -> discord.ui.Item[Any] | None:
    """Return a control as an item; None where it is left out."""
    face = control.face(say, private=private)
    if face is None:
        return None
    item: discord.ui.Item[Any]
    if isinstance(face, Button):
        item = discord.ui.Button(
            label=face.label or None,
            emoji=face.emoji or None,
            style=discord.ButtonStyle[face.style],
            disabled=face.disabled,
            row=face.row,
            custom_id=control.write(),
        )
    else:
        item = discord.ui.Select(
            custom_id=control.write(),
            placeholder=face.placeholder or None,
            options=_options(face),
            max_values=1 if face.several is None else len(face.choices),
        )
    return ControlItem(control, item)


def view_of(reply: Card, say: Speaker, answered_id: int | None) -> discord.ui.View | None:
    """Make the controls of a reply, or None when it has none.

    ``answered_id`` is who may delete a public reply; None leaves the delete button away, as in private.
    """
    private = answered_id is None
    controls = reply.controls if answered_id is None else (*reply.controls, Delete(answered_id))
    view = discord.ui.View(timeout=None)
    for control in controls:
        if (item := item_of(control, say, private=private)) is not None:
            view.add_item(item)
    return view if view.children else None


def _options(menu: Menu) -> list[discord.SelectOption]:
    return [
        discord.SelectOption(
            label=one_line(choice.label, MAX_LABEL),
            value=choice.value,
            description=one_line(choice.detail, MAX_LABEL) or None,
            default=choice.value == menu.chosen or choice.value in (menu.several or ()),
        )
        for choice in menu.choices
    ]


class FormModal(discord.ui.Modal):
    """A form, as Discord shows it."""

    def __init__(self, form: Form) -> None:
        super().__init__(title=form.title[:MAX_TITLE])
        self._form = form
        self._inputs = {field.name: _input(field) for field in form.fields}
        for field in form.fields:
            self.add_item(discord.ui.Label(text=field.label[:MAX_TITLE], component=self._inputs[field.name]))

    async def on_submit(self, interaction: discord.Interaction[Any], /) -> None:
        """Do what the form is for."""
        typed = {
            name: given.values[0] if isinstance(given, discord.ui.Select) else given.value
            for name, given in self._inputs.items()
        }
        async with answering(interaction):
            await grant_press(interaction)
            await self._form.submit(Press(interaction), typed)

    async def on_error(self, interaction: discord.Interaction[Any], error: Exception, /) -> None:  # type: ignore[override]
        """Log a fault and say that it is ours."""
        await apologize(interaction, error)


def _input(field: Field) -> discord.ui.TextInput[Any] | discord.ui.Select[Any]:
    if field.choices:
        options = [
            discord.SelectOption(label=choice.label, value=choice.value, default=choice.value == field.value)
            for choice in field.choices
        ]
        return discord.ui.Select(custom_id=field.name, options=options)
    return discord.ui.TextInput(
        custom_id=field.name,
        style=discord.TextStyle.paragraph if field.is_long else discord.TextStyle.short,
        default=field.value or None,
        placeholder=field.placeholder or None,
        max_length=field.max_length,
        required=field.required,
    )
