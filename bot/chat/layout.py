"""Converts cards to Discord layouts (Components V2), and reads the text and controls of messages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import replace
from io import BytesIO
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any, Final, TypeAlias, TypeVar
from urllib.parse import urlsplit

import discord
from discord import ui

from bot.chat.card import (
    MAX_ALT_LENGTH,
    MAX_CHOICES,
    MAX_LABEL_LENGTH,
    MAX_TEXT_LENGTH,
    Accent,
    Card,
    Choice,
    Drawing,
)
from bot.chat.control import Button, Control, DeleteReply, Menu, MoreMenu, control_from_id, translate_face
from bot.chat.markdown import as_spoiler, code_block, one_line
from bot.text import Translator
from bot.text.visible import fix_surrogates

MAX_CHARACTERS: Final = 4000

MAX_COMPONENTS: Final = 40
"""Maximum number of components in a message, including nested components."""

WIDE_RATIO: Final = 1.7
"""A picture whose width is more than this many times its height never shares a gallery with narrower pictures."""

MAX_FILES: Final = 10

MAX_SECTIONS: Final = 4

MAX_BUTTONS_IN_ROW: Final = 5

MAX_BUTTON_LABEL_LENGTH: Final = 80

MAX_PLACEHOLDER_LENGTH: Final = 150

COLOURS: Final[dict[Accent, int | None]] = {
    "plain": None,
    "board": 0x2E7D6B,
    "analysis": 0x3B6EA8,
    "review": 0x7A5BA6,
    "puzzle": 0xC98A1B,
    "poll": 0xB0527A,
    "live": 0x3C8F4E,
    "settings": 0x6B7280,
    "problem": 0xC0392B,
}
"""The colour of the bar at a card's side."""

_MORE_MENU: Final = MoreMenu()
_MORE_MENU_ID: Final = _MORE_MENU.to_id()

Sent = TypeVar("Sent")

_VisibleControl: TypeAlias = tuple[str, Button | Menu]
"""The id and face of a control."""


async def send_card(
    send: Callable[..., Awaitable[Sent]],
    card: Card,
    translate: Translator,
    owner_id: int | None,
    *,
    edit: bool = False,
    attach: bool = True,
    **options: Any,  # noqa: ANN401 - the options of discord.py's method
) -> Sent:
    """Send a card with ``send``, a method of discord.py that sends or, with ``edit``, edits a message.

    If Discord forbids the message, try again without files, because the permission to attach files may have been removed.

    Raises:
        discord.HTTPException: Discord rejected the message.

    """
    while True:
        view, files = lay_out(card, translate, owner_id, attach=attach)
        content: dict[str, Any] = {"files": files}
        if edit:
            # An old message may have no layout, so its text and embeds are removed.
            content = {"content": None, "embeds": [], "attachments": files}
        try:
            return await send(view=view, **content, **options)
        except discord.Forbidden:
            if not files:
                raise
            attach = False


def lay_out(
    card: Card, translate: Translator, owner_id: int | None, *, attach: bool = True
) -> tuple[ui.LayoutView, list[discord.File]]:
    """Return the layout of a card, and its files. Each file can be sent only once.

    ``owner_id`` is the user who may delete the reply, or None if the reply is private.
    """
    if not attach:
        card = without_files(card, translate)
    pictures = [
        discord.File(
            BytesIO(drawing.picture.data),
            filename=drawing.name,
            # Descriptions contain untrusted names, which may change the writing direction or be invalid text.
            description=one_line(drawing.alt, MAX_ALT_LENGTH),
            spoiler=drawing.spoiler,
        )
        for drawing in card.drawings[:MAX_FILES]
        if drawing.picture is not None
    ]
    text_files = [
        discord.File(BytesIO(fix_surrogates(file.text).encode()), filename=file.name, spoiler=file.spoiler)
        for file in card.files[: MAX_FILES - len(pictures)]
    ]
    container: ui.Container[Any] = ui.Container(
        accent_colour=COLOURS[card.accent if card.has_result else "problem"]
    )
    pairs = zip(pictures, card.drawings, strict=False)
    for _, group in groupby(pairs, _is_wide if len(pictures) > 1 else None):
        container.add_item(ui.MediaGallery(*(discord.MediaGalleryItem(file) for file, _ in group)))
    characters_left = MAX_CHARACTERS
    if text := card.text[:MAX_CHARACTERS]:
        container.add_item(ui.TextDisplay(text))
        characters_left -= len(text)
    ids: set[str] = set()
    for text, control in card.sections[:MAX_SECTIONS]:
        if len(text) <= characters_left:
            lines: ui.TextDisplay[Any] = ui.TextDisplay(text)
            buttons = _visible_controls([control], translate, ids, private=owner_id is None)
            container.add_item(ui.Section(lines, accessory=_item_of(*buttons[0])) if buttons else lines)
            characters_left -= len(text)
    for file in text_files:
        container.add_item(ui.File(file))
    note = f"-# {card.note}"
    if card.note and len(note) <= characters_left:
        container.add_item(ui.TextDisplay(note))
    components_left = MAX_COMPONENTS - 1 - sum(1 for _ in container.walk_children())
    visible_controls = _visible_controls(card.controls, translate, ids, private=owner_id is None)
    more_controls = _visible_controls(card.more_controls, translate, ids, private=owner_id is None)
    if owner_id is not None:
        delete_id = DeleteReply.id_format.format(owner_id=owner_id, mark="")
        more_controls.append((delete_id, translate_face(DeleteReply.button, translate)))
    for row in _rows(visible_controls, more_controls, translate, components_left):
        container.add_item(row)
    view = ui.LayoutView(timeout=None)
    view.add_item(container)
    # The dynamic item handles presses, so the view need not wait for them.
    view.stop()
    return view, [*pictures, *text_files]


def _is_wide(pair: tuple[discord.File, Drawing]) -> bool:
    picture = pair[1].picture
    return picture is not None and picture.width > WIDE_RATIO * picture.height


def _visible_controls(
    controls: Iterable[Control], translate: Translator, ids: set[str], *, private: bool
) -> list[_VisibleControl]:
    """Return (id, face) pairs for the controls that have a face and a new id. Add these ids to ``ids``."""
    visible_controls: list[_VisibleControl] = []
    for control in controls:
        face = control.face(translate, private=private)
        id_ = control.to_id()
        if face is not None and id_ not in ids:
            ids.add(id_)
            visible_controls.append((id_, face))
    return visible_controls


def _rows(
    visible_controls: list[_VisibleControl],
    more_controls: list[_VisibleControl],
    translate: Translator,
    components_left: int,
) -> list[ui.ActionRow[Any]]:
    """Lay out controls in at most ``components_left`` components. Each menu has its own row.

    The buttons in ``more_controls`` and the buttons that do not fit go into a menu. A single button in ``more_controls`` needs no menu,
    unless the other buttons fill all their rows.
    """
    button_count = sum(isinstance(face, Button) for _, face in visible_controls)
    if len(more_controls) == 1 and (not button_count or button_count % MAX_BUTTONS_IN_ROW):
        visible_controls, more_controls = [*visible_controls, *more_controls], []
    components_left -= 2 * (sum(isinstance(face, Menu) for _, face in visible_controls) + 1)
    rows: list[ui.ActionRow[Any]] = []
    row: ui.ActionRow[Any] | None = None
    for id_, face in visible_controls:
        if isinstance(face, Menu):
            if components_left >= 0:
                rows.append(ui.ActionRow(_item_of(id_, face)))
            else:
                components_left += 2
            continue
        if row is not None and len(row.children) == MAX_BUTTONS_IN_ROW:
            row = None
        needed_count = 2 if row is None else 1
        if components_left < needed_count:
            more_controls = [*more_controls, (id_, face)]
            continue
        components_left -= needed_count
        if row is None:
            rows.append(row := ui.ActionRow())
        row.add_item(_item_of(id_, face))
    choices = [
        Choice(id_, face.label or face.name or face.emoji, emoji=face.emoji)
        for id_, face in more_controls
        if isinstance(face, Button) and not face.url
    ]
    if choices:
        rows.append(ui.ActionRow(_item_of(_MORE_MENU_ID, Menu(translate("More …"), tuple(choices)))))
    return rows


def _item_of(id_: str, face: Button | Menu) -> ui.Item[Any]:
    if isinstance(face, Button):
        return ui.Button(
            label=face.label[:MAX_BUTTON_LABEL_LENGTH] or None,
            emoji=face.emoji or None,
            style=discord.ButtonStyle[face.style],
            disabled=face.disabled,
            url=face.url or None,
            custom_id=None if face.url else id_,
        )
    return ui.Select(
        custom_id=id_,
        placeholder=face.placeholder[:MAX_PLACEHOLDER_LENGTH] or None,
        options=[
            discord.SelectOption(
                label=one_line(choice.label, MAX_LABEL_LENGTH),
                value=choice.value,
                description=one_line(choice.description, MAX_LABEL_LENGTH) or None,
                emoji=choice.emoji or None,
                default=choice.value == face.chosen or choice.value in (face.chosen_values or ()),
            )
            for choice in face.choices[:MAX_CHOICES]
        ],
        max_values=1 if face.chosen_values is None else len(face.choices[:MAX_CHOICES]),
    )


def without_files(card: Card, translate: Translator) -> Card:
    """Return a card whose text contains the pictures' descriptions and the files' text, up to the first block that does not fit."""
    text = card.text
    omission_note = translate("(The rest doesn't fit into a message without files.)")
    blocks = [(drawing.alt, drawing.spoiler) for drawing in card.drawings]
    blocks += [(file.text.rstrip("\n"), file.spoiler) for file in card.files]
    for number, (content, spoiler) in enumerate(blocks, start=1):
        block = as_spoiler(code_block(content)) if spoiler else code_block(content)
        max_length = MAX_TEXT_LENGTH - (0 if number == len(blocks) else len(omission_note) + 1)
        if len(text) + 1 + len(block) > max_length:
            text = (
                f"{text}\n{omission_note}" if len(text) + 1 + len(omission_note) <= MAX_TEXT_LENGTH else text
            )
            break
        text += "\n" + block
    return replace(card, text=text, drawings=(), files=())


def text_of(message: discord.Message | discord.MessageSnapshot) -> str:
    """Return the text of a message, with or without a layout."""
    texts = (
        component.content
        for component in _walk(message.components)
        if isinstance(component, discord.components.TextDisplay)
    )
    return "\n".join(text for text in (message.content, *texts) if text)


def is_hidden(reply: discord.Message) -> bool:
    """Return whether a reply has a hidden file or, if it has no files, hidden text."""
    if reply.attachments:
        return any(attachment.is_spoiler() for attachment in reply.attachments)
    return "||" in text_of(reply)


def controls_under(
    message: discord.Message, id_prefix: str = ""
) -> Iterator[tuple[Control, tuple[Choice, ...]]]:
    """Yield the controls of a reply, including rarely used buttons, each with its choices.

    If ``id_prefix`` is given, yield only the controls whose ids start with ``kibitz:`` and this prefix.
    """
    id_start = f"kibitz:{id_prefix}"
    for component in _walk(message.components):
        custom_id, options = getattr(component, "custom_id", None), getattr(component, "options", ())
        if custom_id == _MORE_MENU_ID:
            yield from (
                (control, ())
                for option in options
                if option.value.startswith(id_start)
                and (control := control_from_id(option.value)) is not None
            )
        elif (custom_id or "").startswith(id_start) and (control := control_from_id(custom_id)) is not None:
            yield (
                control,
                tuple(Choice(option.value, option.label, option.description or "") for option in options),
            )


def _walk(components: Iterable[discord.Component]) -> Iterator[discord.Component]:
    for component in components:
        yield component
        yield from _walk(getattr(component, "children", ()))
        if (accessory := getattr(component, "accessory", None)) is not None:
            yield accessory


def reply_owner_id(message: discord.Message) -> int | None:
    """Return the id of the user who may delete a reply, or None if it has no delete button."""
    owner_ids = (
        control.owner_id
        for control, _ in controls_under(message, "delete")
        if isinstance(control, DeleteReply)
    )
    return next(owner_ids, None)


def with_disabled_controls(
    message: discord.Message, should_disable: Callable[[Control], bool]
) -> ui.View | ui.LayoutView:
    """Return a message's view, after disabling the buttons for which ``should_disable`` returns True.

    In the menu of rarely used buttons, the options for these buttons are removed instead. If none would remain, the menu itself is
    disabled.
    """
    view_class = ui.LayoutView if message.flags.components_v2 else ui.View
    view = view_class.from_message(message, timeout=None)
    for item in view.walk_children():
        if isinstance(item, ui.Button):
            control = control_from_id(item.custom_id)
            item.disabled = item.disabled or (control is not None and should_disable(control))
        elif isinstance(item, ui.Select) and item.custom_id == _MORE_MENU_ID:
            remaining_options = [
                option
                for option in item.options
                if not should_disable(control_from_id(option.value) or _MORE_MENU)
            ]
            item.options, item.disabled = remaining_options or item.options, not remaining_options
        elif isinstance(item, ui.MediaGallery):
            for picture in item.items:
                picture.media = _attachment_reference(picture.media)
        elif isinstance(item, ui.File):
            item.media = _attachment_reference(item.media)
    view.stop()
    return view


def _attachment_reference(media: discord.UnfurledMediaItem) -> discord.UnfurledMediaItem:
    """Return a reference to a file by name, because its URL expires."""
    return discord.UnfurledMediaItem(f"attachment://{PurePosixPath(urlsplit(media.url).path).name}")
