"""What a person does with a game viewer, and sees."""

from __future__ import annotations

from typing import Any

from simcord.components import walk_components

ROLES = {"first": "f", "previous": "p", "next": "n", "last": "l", "flip": "x"}


def replies(channel: Any) -> list[Any]:
    """Return what the bot said in a channel."""
    return [message for message in channel.history() if message.author.bot]


def answer_of(result: Any) -> Any:
    """Return the message that a press was answered with."""
    return result.followups[-1] if result.followups else result.response


def components_of(message: Any) -> list[dict[str, Any]]:
    """Return all the controls of a message as Discord has them."""
    raw = message.components
    rows = raw if raw and isinstance(raw[0], dict) else [row.to_dict() for row in raw]
    return [one for one in walk_components(rows) if one.get("custom_id")]


def control(message: Any, kind: str, role: str = "") -> dict[str, Any]:
    """Return the one control of a kind."""
    [found] = [
        one
        for one in components_of(message)
        if one["custom_id"].startswith(f"kibitz:{kind}:")
        and (not role or one["custom_id"].endswith(f":{ROLES[role]}"))
    ]
    return found


async def press(actor: Any, message: Any, role: str) -> Any:
    """Press one of the four buttons."""
    return await actor.click(message, custom_id=control(message, "view", role)["custom_id"])


async def go_to(actor: Any, message: Any, value: str) -> Any:
    """Choose in the menu of turns."""
    return await actor.select(message, [value], custom_id=control(message, "turns")["custom_id"])


async def copied(actor: Any, message: Any) -> Any:
    """Press the button to copy; return the message that answers it."""
    return answer_of(await actor.click(message, custom_id=control(message, "copy")["custom_id"]))


async def more(actor: Any, message: Any, value: str) -> Any:
    """Choose another way to look, or a notation (``to:gcg``) in the menu that the button to copy gives."""
    if value.startswith("to:"):
        message = await copied(actor, message)
    return await actor.select(message, [value], custom_id=control(message, "more")["custom_id"])


def is_dead(message: Any, role: str) -> bool:
    """Tell whether one of the four buttons cannot be pressed."""
    return bool(control(message, "view", role).get("disabled"))
