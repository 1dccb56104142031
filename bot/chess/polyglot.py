"""Writing a compiled book in Polyglot's format, which chess programs read.

The format: entries of 16 bytes in big-endian order (key 8, move 2, weight 2, learn 4), sorted by key. A move is three
bits each for the file and rank it goes to, the file and rank it comes from, and what a pawn becomes; castling is told as
the king taking its own rook.
"""

from __future__ import annotations

import struct
from pathlib import Path

import chess
import chess.polyglot

from bot.chess.book import BookSource
from bot.chess.opening import Book, BookMove, steps

MAX_WEIGHT = 0xFFFF

_ENTRY = struct.Struct(">QHHI")
_CASTLING = {
    ("O-O", chess.E1): chess.H1,
    ("O-O-O", chess.E1): chess.A1,
    ("O-O", chess.E8): chess.H8,
    ("O-O-O", chess.E8): chess.A8,
}


def write(book: Book) -> bytes:
    """Return a book in Polyglot's format. A move's weight is how often it is played, scaled down where that is too much."""
    return b"".join(
        _ENTRY.pack(entry.key, _encoded(move), weight, 0)
        for entry in book.entries
        for move, weight in zip(entry.moves, _weights(entry.moves), strict=True)
    )


def _weights(moves: tuple[BookMove, ...]) -> list[int]:
    most = max((move.count for move in moves), default=0)
    if most <= MAX_WEIGHT:
        return [move.count for move in moves]
    return [max(1, move.count * MAX_WEIGHT // most) for move in moves]


def _encoded(move: BookMove) -> int:
    told = chess.Move.from_uci(move.uci)
    castled = _CASTLING.get((move.san.rstrip("+#"), told.from_square))
    to = told.to_square if castled is None else castled
    promotion = (told.promotion or chess.PAWN) - chess.PAWN
    return promotion << 12 | told.from_square << 6 | to


def read_back(path: Path, source: BookSource, book: Book) -> int:
    """Read a written book with python-chess along every line of its source.

    Returns how many moves are missing, added or of another weight than compiled: 0 for a good book.

    Raises:
        OSError: the file cannot be read.

    """
    wrong = 0
    checked: set[int] = set()
    with chess.polyglot.open_reader(path) as reader:
        for step in steps(source):
            if step.key in checked:
                continue
            checked.add(step.key)
            moves = book.moves_of(step.key)
            expected = {move.uci: weight for move, weight in zip(moves, _weights(moves), strict=True)}
            found = {
                entry.move.uci(): entry.weight for entry in reader.find_all(step.board, minimum_weight=0)
            }
            wrong += len(expected.items() ^ found.items())
    return wrong
