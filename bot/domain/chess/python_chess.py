"""Imports python-chess when it is first used.

The import takes a tenth of a short command's time, and most commands are about crossword games.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__all__ = ["chess"]

if TYPE_CHECKING:
    import chess
    import chess.pgn
    import chess.polyglot
    import chess.variant
else:

    class _Library:
        def __getattr__(self, name: str) -> object:
            if name.startswith("__"):  # doctest asks every object for ``__wrapped__``
                raise AttributeError(name)
            if not hasattr(import_module("chess"), name):
                import_module(f"chess.{name}")  # sets the attribute
            value = getattr(import_module("chess"), name)
            setattr(self, name, value)
            return value

    chess = _Library()
