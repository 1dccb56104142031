"""Forms that a control opens: what their fields hold, for any shell."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.chat.moment import Choice

if TYPE_CHECKING:
    from bot.chat.press import Press

MAX_TITLE = 45
"""Characters that Discord takes of a form's title, and of a field's label."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field: a text of one line or more, or a menu where there are choices."""

    name: str
    label: str
    value: str = ""
    is_long: bool = False
    choices: tuple[Choice, ...] = ()
    placeholder: str = ""
    max_length: int | None = None
    required: bool = True


@dataclass(frozen=True, slots=True)
class Form:
    """A form of at most five fields; ``submit`` gets the press that sent it and the texts by the names of the fields."""

    title: str
    fields: tuple[Field, ...]
    submit: Callable[[Press, Mapping[str, str]], Awaitable[None]]
