"""Commands named so that they can be pressed: ``</show:ID>``, with the ids that Discord gave them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discord.types.command import ApplicationCommand


class CommandMentions:
    """Mentions commands by their English names, such as ``settings server``; in code where no id is known."""

    def __init__(self, ids: dict[str, int] | None = None) -> None:
        self.ids: dict[str, int] = ids or {}
        """The ids of the commands, by the first word of their names."""

    def learn(self, commands: Iterable[ApplicationCommand]) -> None:
        """Take the ids that Discord gave."""
        self.ids = {command["name"]: int(command["id"]) for command in commands}

    def __call__(self, name: str) -> str:
        """Return a command as it stands in a message."""
        known = self.ids.get(name.split(" ", maxsplit=1)[0])
        return f"`/{name}`" if known is None else f"</{name}:{known}>"
