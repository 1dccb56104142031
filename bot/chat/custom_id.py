"""How a ``custom_id`` is written and read: a form with parts between colons, written in one way only."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final, TypeVar, dataclass_transform, get_type_hints

MAX_LENGTH = 100
"""Characters that Discord takes of an id."""

Id = TypeVar("Id", bound="ControlId")


@dataclass(frozen=True, slots=True)
class Part:
    """How one value stands in an id: what it looks like, how it is read, how it is written."""

    looks: str
    read: Callable[[str], Any] = str
    write: Callable[[Any], str] = str


class ControlId:
    """The state of a control, which its ``custom_id`` holds."""

    __slots__ = ()
    form: ClassVar[str]
    """How the parts follow each other."""
    template: ClassVar[re.Pattern[str]]
    """What the whole id looks like, with a group for each part."""
    parts: ClassVar[dict[str, Part]]

    @property
    def document(self) -> str | None:
        """The digest of the document that the message shows; None where the control is about none."""
        return None

    def fits(self) -> bool:
        """Tell whether it can be written."""
        text = self._text()
        return len(text) <= MAX_LENGTH and self.template.fullmatch(text) is not None

    def write(self) -> str:
        """Return the ``custom_id``.

        Raises:
            ValueError: a value does not fit into it.

        """
        if not self.fits():
            msg = f"{self!r} cannot be written"
            raise ValueError(msg)
        return self._text()

    def _text(self) -> str:
        return self.form.format(
            **{name: part.write(getattr(self, name)) for name, part in self.parts.items()}
        )

    @classmethod
    def of(cls: type[Id], match: re.Match[str]) -> Id:
        """Return what an id says that matches the template."""
        return cls(**{name: part.read(match[name]) for name, part in cls.parts.items()})


@dataclass_transform(frozen_default=True)
def written(form: str) -> Callable[[type[Id]], type[Id]]:
    """Make a class a frozen value that is written in a form; the annotations of its fields are their patterns."""

    def made(cls: type[Id]) -> type[Id]:
        value = dataclass(frozen=True, slots=True)(cls)
        hints = get_type_hints(value, include_extras=True)
        value.form = f"kibitz:{form}"
        value.parts = {name: hints[name].__metadata__[0] for name in re.findall(r"{(\w+)}", form)}
        groups = {name: f"(?P<{name}>{part.looks})" for name, part in value.parts.items()}
        value.template = re.compile(value.form.format(**groups), re.ASCII)
        BY_WORD[form.partition(":")[0]] = value
        return value

    return made


BY_WORD: Final[dict[str, type[ControlId]]] = {}
"""The kinds of ids by their words."""
