"""Opcodes: what follows the fields of a position, a name and its operand each."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.reading.piece import Piece


@dataclass(frozen=True, slots=True)
class Opcode:
    """One opcode."""

    name: str
    operand: str
    """Words joined by single spaces."""
    piece: Piece
    """Where it starts in the text."""


@dataclass(frozen=True, slots=True)
class Opcodes:
    """The opcodes of a text, in order."""

    all: tuple[Opcode, ...]

    def operand(self, name: str) -> str | None:
        """Return the operand of the last opcode of this name, or None."""
        return next((opcode.operand for opcode in reversed(self.all) if opcode.name == name), None)

    def offset(self, name: str) -> int:
        """Return where the last opcode of this name starts, or 0."""
        return next((opcode.piece.offset for opcode in reversed(self.all) if opcode.name == name), 0)
