"""Everything about chess that can be found, shown and converted."""

from __future__ import annotations

from typing import TypeAlias

from bot.domain.chess.book import BookSource
from bot.domain.chess.game import ChessGame
from bot.domain.chess.position import ChessPosition
from bot.domain.chess.puzzles import PuzzleSet
from bot.domain.reading.problems import Phrase

ChessDocument: TypeAlias = ChessPosition | ChessGame | PuzzleSet | BookSource

NAMES = {
    "fen": "FEN",
    "epd": "EPD",
    "pgn": "PGN",
    "uci": "UCI",
    "puzzles": Phrase("TI-Chess puzzles"),
    "book": Phrase("TI-Chess opening book"),
    "json": "JSON",
}
"""The notations of chess documents, and how people call them."""
