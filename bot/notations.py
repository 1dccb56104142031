"""Every notation Kibitz knows: how it is called, recognized, read and written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from bot.domain.errors import ConversionError, Reading
from bot.domain.formats import board_text, cgp, cgp_ascii, gcg, turn_url
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


def _write_gcg(document: Document) -> str:
    if isinstance(document, Position):
        raise ConversionError("no-history", "a position has no history, and a GCG is one")
    return gcg.write(document)


def _read_turn_url(text: str) -> Reading[Game]:
    """Read a link and play its game through; what both forgave is told."""
    link = turn_url.read(text)
    played = turn_url.game(link.value)
    return Reading(played.value, link.warnings + played.warnings, link.error or played.error)


def _write_turn_url(document: Document) -> str:
    if isinstance(document, Position):
        raise ConversionError("no-history", "a position has no history, and a Turn URL is one")
    return turn_url.write(turn_url.history_of(document))


NOTATIONS: dict[str, Notation] = {
    notation.name: notation
    for notation in (
        Notation("cgp", "CGP", "cgp", cgp.read, _of_position(cgp.write)),
        Notation("gcg", "GCG", "gcg", gcg.read, _write_gcg),
        Notation("turn-url", "Turn URL", "txt", _read_turn_url, _write_turn_url),
        Notation("text", "Text", "txt", board_text.read, _of_position(board_text.write)),
        Notation("cgp-ascii", "CGP (ASCII draft)", "txt", cgp_ascii.read, _of_position(cgp_ascii.write)),
    )
}
