"""Actions of users, and functions that read the bot's messages and controls."""

from __future__ import annotations

from typing import Any

import discord
from simcord.components import walk_components

GAME = (
    "#character-encoding UTF-8\n#player1 alice Alice\n#player2 bob Bob\n#lexicon CSW21\n"
    ">alice: AEINRST 8D NASTIER +66 66\n#note a bingo to *begin* with\n"
    ">bob: ABCDEFG -AB +0 0\n>alice: EIQU 7H QI +26 92\n"
)
TURN_TEXTS = [
    "The start of the game; 3 turns follow",
    "**8D NASTIER** +66 → 66",
    "**exchange of AB** +0 → 0",
    "**7H QI** +26 → 92",
]
"""The text of the viewer at each turn of ``GAME``, beginning with the start of the game."""
EXTRA_MENU_ID = "kibitz:extra"
"""The id of the menu of rarely used buttons."""
STEP_BUTTON_LETTERS = {"first": "f", "previous": "p", "next": "n", "last": "l", "flip": "x"}
"""The buttons that step through a game or flip the board, and the last letters of their ids."""


def replies(channel: Any) -> list[Any]:
    """Return the bot's messages in a channel, in their current form."""
    return [message for message in channel.history() if message.author.bot]


def only_reply(world: Any) -> Any:
    """Return the bot's only message in the test's channel, in its current form."""
    [message] = replies(world.channel)
    return message


def last_reply(world: Any) -> Any:
    return replies(world.channel)[-1]


def replies_with_files(channel: Any) -> list[Any]:
    """Return the bot's messages with a file: its pictures of boards."""
    return [message for message in replies(channel) if message.attachments]


def replies_without_files(channel: Any) -> list[Any]:
    """Return the bot's messages without a file: its notices."""
    return [message for message in replies(channel) if not message.attachments]


async def post(
    world: Any, text: str = "", author: Any = None, channel: Any = None, files: Any = ()
) -> list[Any]:
    """Post a message, by default as Alice in the test's channel. Return the bot's replies to it."""
    channel = channel or world.channel
    earlier_ids = {message.id for message in replies(channel)}
    await (author or world.alice).send(channel, text, attachments=list(files))
    return [message for message in replies(channel) if message.id not in earlier_ids]


async def post_and_get_reply(world: Any, text: str = "", author: Any = None, files: Any = ()) -> Any:
    """Post a message, by default as Alice, in the test's channel. Return the bot's last message there."""
    await post(world, text, author=author, files=files)
    return last_reply(world)


async def reply_to(world: Any, message: Any, text: str) -> Any:
    """Reply to a message as Bob, mentioning the bot. Return the bot's last message."""
    await world.bob.send(world.channel, f"{world.me.mention} {text}", reply_to=message)
    return last_reply(world)


def reactions_of_bot(world: Any, message: Any) -> list[str]:
    stored = world.env.backend.get_message(message.channel.id, message.id)
    return [reaction.emoji for reaction in stored.reactions if world.me.id in reaction.user_ids]


def reply_of(result: Any) -> Any:
    """Return the bot's last reply to a press, a command or a form."""
    return result.followups[-1] if result.followups else result.response


def raw_components(message: Any) -> list[dict[str, Any]]:
    """Return the components of a message or a layout as Discord's JSON."""
    if isinstance(message, discord.ui.LayoutView):
        return message.to_components()
    raw = message.components
    return raw if raw and isinstance(raw[0], dict) else [row.to_dict() for row in raw]


def text_of(message: Any) -> str:
    texts = [
        component["content"]
        for component in walk_components(raw_components(message))
        if component["type"] == 10
    ]
    return "\n".join(text for text in (getattr(message, "content", ""), *texts) if text)


def controls_of(message: Any) -> list[dict[str, Any]]:
    """Return all controls of a message. Entries of the menu of rarely used buttons become buttons."""
    controls = []
    for component in walk_components(raw_components(message)):
        if component.get("custom_id") == EXTRA_MENU_ID:
            controls += [
                {**option, "custom_id": option["value"], "type": 2} for option in component["options"]
            ]
        elif component.get("custom_id"):
            controls.append(component)
    return controls


def ids_of(message: Any) -> list[str]:
    return [component["custom_id"] for component in controls_of(message)]


def id_of(message: Any, prefix: str, suffix: str = "") -> str:
    """Return the id of the only control whose id begins with ``kibitz:`` and ``prefix``, and ends with ``suffix``."""
    [only_id] = [
        id_ for id_ in ids_of(message) if id_.startswith(f"kibitz:{prefix}") and id_.endswith(suffix)
    ]
    return only_id


def fields_of(modal: dict[str, Any]) -> list[dict[str, Any]]:
    components = [item.get("component", item) for item in modal["components"]]
    return [child for item in components for child in item.get("components", [item]) if "custom_id" in child]


def labels_of(message: Any) -> list[str]:
    return [component["label"] for component in controls_of(message) if component.get("label")]


def rows_of(message: Any) -> list[dict[str, Any]]:
    return [component for component in walk_components(raw_components(message)) if component["type"] == 1]


async def click(actor: Any, message: Any, *, custom_id: str | None = None, label: str | None = None) -> Any:
    """Press the button with an id or a label, or choose it in the menu of rarely used buttons."""
    if custom_id is None:
        custom_id = next(
            component["custom_id"] for component in controls_of(message) if component.get("label") == label
        )
    custom_ids = [component.get("custom_id") for component in walk_components(raw_components(message))]
    if custom_id not in custom_ids and EXTRA_MENU_ID in custom_ids:
        return await actor.select(message, [custom_id], custom_id=EXTRA_MENU_ID)
    return await actor.click(message, custom_id=custom_id)


def kinds_of(message: Any) -> list[str]:
    """Return the kinds of a message's controls: the first word of each id after ``kibitz:``."""
    return [custom_id.split(":")[1] for custom_id in ids_of(message)]


def control(message: Any, kind: str, button: str = "") -> dict[str, Any]:
    """Return the only control of a kind. For a step button, ``button`` is a key of :data:`STEP_BUTTON_LETTERS`."""
    [only_control] = [
        component
        for component in controls_of(message)
        if component["custom_id"].startswith(f"kibitz:{kind}:")
        and (not button or component["custom_id"].endswith(f":{STEP_BUTTON_LETTERS[button]}"))
    ]
    return only_control


async def press_button_of_kind(actor: Any, message: Any, prefix: str, index: int = 0) -> Any:
    """Press one of the buttons whose ids begin with ``kibitz:`` and ``prefix``, by default the first."""
    ids = [id_ for id_ in ids_of(message) if id_.startswith(f"kibitz:{prefix}")]
    return await click(actor, message, custom_id=ids[index])


async def press_analyze(actor: Any, message: Any) -> Any:
    """Press *Analyze*. Return the result, from which :func:`reply_of` always gets the current form of the reply."""
    return await click(actor, message, custom_id=id_of(message, "analyze:"))


async def choose(actor: Any, message: Any, kind: str, value: str) -> Any:
    return await actor.select(message, [value], custom_id=id_of(message, f"{kind}:"))


async def choose_option(actor: Any, message: Any, kind: str, option: int | str) -> Any:
    """Choose an option, by its index or label, in the only menu of a kind."""
    options = enumerate(control(message, kind)["options"])
    [value] = [item["value"] for index, item in options if option in (index, item["label"])]
    return await choose(actor, message, kind, value)


async def press(actor: Any, message: Any, button: str) -> Any:
    """Press one of the buttons of :data:`STEP_BUTTON_LETTERS`."""
    return await click(actor, message, custom_id=control(message, "view", button)["custom_id"])


async def go_to(actor: Any, message: Any, value: str) -> Any:
    return await choose(actor, message, "turns", value)


async def press_copy(actor: Any, message: Any) -> Any:
    """Press the Copy button. Return the reply."""
    return reply_of(await click(actor, message, custom_id=control(message, "copy")["custom_id"]))


async def choose_view(actor: Any, message: Any, value: str) -> Any:
    """Press the button of another view. For a notation such as ``to:gcg``, press Copy and choose it in the reply."""
    if not value.startswith("to:"):
        [button_id] = [id_ for id_ in other_view_ids(message) if id_.endswith(f":{value}")]
        return await click(actor, message, custom_id=button_id)
    return await choose(actor, await press_copy(actor, message), "more", value)


def other_view_ids(message: Any) -> list[str]:
    """Return the ids of the buttons of other views."""
    return [id_ for id_ in ids_of(message) if id_.startswith("kibitz:other:")]


def is_disabled(message: Any, button: str) -> bool:
    return bool(control(message, "view", button).get("disabled"))


def make_old_message(world: Any, message: Any, *controls: tuple[str, str | None]) -> None:
    """Give a message the layout of version 0.2.0: text, picture and controls.

    A control is the id of a menu and the value of its only option, or the id of a button and None.
    """
    stored = world.env.backend.get_message(world.channel.id, message.id)
    stored.content, stored.flags = "old", stored.flags & 64
    stored.components = []
    for custom_id, value in controls:
        item = {"type": 2, "style": 2, "label": "…", "custom_id": custom_id, "id": 0}
        if value is not None:
            options = [{"label": value, "value": value, "description": None, "default": False}]
            item = {"type": 3, "custom_id": custom_id, "options": options, "id": 0}
        stored.components.append({"type": 1, "id": 0, "components": [item]})
