"""Every notation Kibitz knows: how it is called, recognized, read and written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.domain.convert import Document
from bot.domain.errors import Reading
from bot.domain.formats import board_text, cgp, cgp_ascii, gcg, json_document, turn_url
from bot.domain.game import Game
from bot.domain.position import Position

__all__ = ["NOTATIONS", "Document", "Notation", "final_position"]


@dataclass(frozen=True, slots=True)
class Notation:
    """One notation. :mod:`bot.domain.detect` recognizes it in free text, :mod:`bot.domain.convert` writes it."""

    name: str
    """The name in commands and in stored documents."""
    label: str
    """The name for people."""
    suffix: str
    """The ending of a file in this notation, without the dot."""
    read: Callable[[str], Reading[Document]]
    """Reads one text; raises ``DomainError``."""


def final_position(document: Document) -> Position:
    """Return a position itself, of a game the position after its last turn."""
    return document if isinstance(document, Position) else document.position_at(len(document.turns))


def _read_turn_url(text: str) -> Reading[Game]:
    """Read a link and play its game through; what both forgave is told."""
    link = turn_url.read(text)
    played = turn_url.game(link.value)
    return Reading(played.value, link.warnings + played.warnings, link.error or played.error)


NOTATIONS: dict[str, Notation] = {
    notation.name: notation
    for notation in (
        Notation("cgp", "CGP", "cgp", cgp.read),
        Notation("gcg", "GCG", "gcg", gcg.read),
        Notation("turn-url", "Turn URL", "txt", _read_turn_url),
        Notation("text", "Text", "txt", board_text.read),
        Notation("json", "JSON", "json", json_document.read),
        Notation("cgp-ascii", "CGP (ASCII draft)", "txt", cgp_ascii.read),
    )
}
