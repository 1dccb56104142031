"""Every notation Kibitz knows: how it is called, recognized, read and written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from bot.domain.errors import Reading
from bot.domain.formats import cgp
from bot.domain.position import Position

Document: TypeAlias = Position


@dataclass(frozen=True, slots=True)
class Notation:
    """One notation. Recognizing it in free text is :mod:`bot.domain.detect`'s."""

    name: str
    """The name in commands and in stored documents."""
    label: str
    """The name for people."""
    suffix: str
    """The ending of a file in this notation, without the dot."""
    read: Callable[[str], Reading[Document]]
    """Reads one text; raises ``DomainError``."""
    write: Callable[[Document], str]
    """Writes the canonical text; raises ``ConversionError``."""


NOTATIONS: dict[str, Notation] = {
    notation.name: notation for notation in (Notation("cgp", "CGP", "cgp", cgp.read, cgp.write),)
}
