"""Every notation Kibitz knows: how it is called, recognized, read and written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from bot.domain.errors import Reading
from bot.domain.formats import cgp, cgp_ascii
from bot.domain.game import Game
from bot.domain.position import Position

Document: TypeAlias = Position | Game


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


def final_position(document: Document) -> Position:
    """Return a position itself, of a game the position after its last turn."""
    return document if isinstance(document, Position) else document.position_at(len(document.turns))


def _of_position(write: Callable[[Position], str]) -> Callable[[Document], str]:
    """Make the writer of a notation that holds positions only: of a game it writes the last."""
    return lambda document: write(final_position(document))


NOTATIONS: dict[str, Notation] = {
    notation.name: notation
    for notation in (
        Notation("cgp", "CGP", "cgp", cgp.read, _of_position(cgp.write)),
        Notation("cgp-ascii", "CGP (ASCII draft)", "txt", cgp_ascii.read, _of_position(cgp_ascii.write)),
    )
}
