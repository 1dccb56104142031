"""Compiled opening books in Polyglot's format, which chess programs read.

Entries have 16 bytes in big-endian order (key 8, move 2, weight 2, learn 4), and are sorted by key. The key
is a 64-bit hash of the pieces, castling rights, en passant square and side to move. A move has five fields of
three bits: the file and rank of its destination, the file and rank of its origin, and the promotion. Castling
is encoded as the king taking its own rook.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple

from bot.domain.chess.documents import BookSource, ChessMove
from bot.domain.chess.position import ChessPosition
from bot.domain.chess.python_chess import chess
from bot.domain.reading.problems import ParseError

MAX_NAMES = 12


@dataclass(frozen=True, slots=True)
class BookMove:
    """A move in a book."""

    san: str
    uci: str
    count: int
    """Number of lines with this move, or the move's weight in a :class:`PolyglotBook`."""
    names: tuple[str, ...]
    """The names of lines with this move; at most :data:`MAX_NAMES`."""


@dataclass(frozen=True, slots=True)
class CompiledBook:
    """A compiled book, with its statistics."""

    moves_by_key: Mapping[int, tuple[BookMove, ...]]
    """The moves in each position, most played first, by Polyglot key in ascending order."""
    line_count: int
    position_count: int
    """Includes the ends of lines."""
    depth: int
    """Half-moves in the longest line."""
    transposition_count: int
    """Positions reached from more than one other position."""

    def continuations(self, position: ChessPosition) -> tuple[BookMove, ...]:
        """Return the moves in a position, most played first; none in a variant."""
        if position.variant:
            return ()
        return self.moves_by_key.get(chess.polyglot.zobrist_hash(position.board()), ())


class LineStep(NamedTuple):
    """A position on a line, and the move played there, or None at the end of the line."""

    board: chess.Board
    """The next step changes this board."""
    key: int
    previous_key: int | None  # None at the start
    move: ChessMove | None
    depth: int


def walk_line(
    board: chess.Board, moves: tuple[ChessMove, ...], previous_key: int | None = None, depth: int = 0
) -> Iterator[LineStep]:
    """Yield the steps of a line and its variations. A null move ends a line, because books have no null moves."""
    key = chess.polyglot.zobrist_hash(board)
    for move in moves:
        if move.uci == "0000":
            break
        yield LineStep(board, key, previous_key, move, depth)
        for variation in move.variations:
            yield from walk_line(board.copy(stack=False), variation, previous_key, depth)
        board.push(chess.Move.from_uci(move.uci))
        previous_key, key = key, chess.polyglot.zobrist_hash(board)
        depth += 1
    yield LineStep(board, key, previous_key, None, depth)


def compile_book(source: BookSource) -> CompiledBook:
    counts: dict[int, Counter[tuple[str, str]]] = {}
    names: defaultdict[tuple[int, str], dict[str, None]] = defaultdict(dict)
    origins: defaultdict[int, set[int | None]] = defaultdict(set)
    depth = 0
    for line in source.lines:
        for step in walk_line(line.start.board(), line.moves):
            origins[step.key].add(step.previous_key)
            depth = max(depth, step.depth)
            if step.move is not None:
                counts.setdefault(step.key, Counter())[step.move.san, step.move.uci] += 1
                line_names = names[step.key, step.move.uci]
                if line.name and len(line_names) < MAX_NAMES:
                    line_names[line.name] = None
    moves = {
        key: tuple(
            BookMove(san, uci, count, tuple(names[key, uci]))
            for (san, uci), count in sorted(counts[key].items(), key=lambda item: (-item[1], item[0]))
        )
        for key in sorted(counts)
    }
    return CompiledBook(
        moves,
        len(source.lines),
        len(origins),
        depth,
        transposition_count=sum(len(keys - {None}) > 1 for keys in origins.values()),
    )


MAX_WEIGHT = 0xFFFF  # 16 bits
MAX_CONTINUATIONS = 100

_ENTRY = struct.Struct(">QHHI")


@dataclass(frozen=True, slots=True)
class PolyglotBook:
    """A book in Polyglot's format, which has no lines or names."""

    data: bytes

    def continuations(self, position: ChessPosition) -> tuple[BookMove, ...]:
        """Return the moves in a position, in descending order of weight.

        Impossible moves, which occur if two positions have the same key or the book is corrupt, are left out.
        """
        board = position.board()
        key = chess.polyglot.zobrist_hash(board)
        moves_by_uci: dict[str, BookMove] = {}
        first_index = bisect_left(
            range(len(self.data) // _ENTRY.size),
            key,
            key=lambda index: _ENTRY.unpack_from(self.data, index * _ENTRY.size)[0],
        )
        for entry_key, encoded_move, weight, _ in _ENTRY.iter_unpack(
            memoryview(self.data)[first_index * _ENTRY.size :]
        ):
            if entry_key != key or len(moves_by_uci) == MAX_CONTINUATIONS:
                break
            move = _decode(board, encoded_move)
            if move is not None and move.uci() not in moves_by_uci:
                moves_by_uci[move.uci()] = BookMove(board.san(move), move.uci(), weight, ())
        return tuple(sorted(moves_by_uci.values(), key=lambda move: (-move.count, move.san)))


def read(data: bytes) -> PolyglotBook:
    """Read a book.

    Raises:
        ParseError: the book has no entries or an incomplete entry, or its keys are out of order.

    """
    if not data or len(data) % _ENTRY.size:
        raise ParseError("polyglot-size", "this is not a Polyglot book, which has entries of 16 bytes")
    keys = (key for key, *_ in _ENTRY.iter_unpack(data))
    if any(key < previous_key for previous_key, key in pairwise(keys)):
        raise ParseError("polyglot-order", "this is not a Polyglot book: its entries are not sorted by key")
    return PolyglotBook(bytes(data))


def _decode(board: chess.Board, encoded_move: int) -> chess.Move | None:
    start, to, promotion = encoded_move >> 6 & 0x3F, encoded_move & 0x3F, encoded_move >> 12 & 0x7
    if start == to or promotion > chess.QUEEN - chess.PAWN:
        return None
    decoded_move = chess.Move(start, to, promotion + chess.PAWN if promotion else None)
    try:
        return board.parse_uci(decoded_move.uci())  # castling is written as the king taking its own rook
    except ValueError:
        return None


def write(book: CompiledBook) -> bytes:
    """Write a book. The weight of a move is its count.

    If a count is over :data:`MAX_WEIGHT`, all counts in that position are scaled down.
    """
    return b"".join(
        _ENTRY.pack(key, _encode(move), weight, 0)
        for key, moves in book.moves_by_key.items()
        for move, weight in zip(moves, _weights(moves), strict=True)
    )


def _weights(moves: tuple[BookMove, ...]) -> list[int]:
    divisor = max([MAX_WEIGHT, *(move.count for move in moves)])
    return [max(1, move.count * MAX_WEIGHT // divisor) for move in moves]


def _encode(move: BookMove) -> int:
    parsed_move = chess.Move.from_uci(move.uci)
    to = parsed_move.to_square
    if move.san.startswith("O-O"):  # castling is encoded as a move of the king to its rook
        file = 0 if move.san.startswith("O-O-O") else 7
        to = chess.square(file, chess.square_rank(to))
    promotion = (parsed_move.promotion or chess.PAWN) - chess.PAWN
    return promotion << 12 | parsed_move.from_square << 6 | to


def count_wrong_moves(path: Path, source: BookSource, book: CompiledBook) -> int:
    """Compare a book file with the compiled book in every position of the source.

    Return the number of moves that are missing or added, or have the wrong weight.

    Raises:
        OSError: the file cannot be read.

    """
    wrong_count = 0
    checked_keys: set[int] = set()
    with chess.polyglot.open_reader(path) as reader:
        for step in chain.from_iterable(walk_line(line.start.board(), line.moves) for line in source.lines):
            if step.key not in checked_keys:
                checked_keys.add(step.key)
                moves = book.moves_by_key.get(step.key, ())
                expected_weights = {
                    move.uci: weight for move, weight in zip(moves, _weights(moves), strict=True)
                }
                weights = {
                    entry.move.uci(): entry.weight for entry in reader.find_all(step.board, minimum_weight=0)
                }
                wrong_count += sum(
                    weights.get(move) != expected_weights.get(move) for move in weights | expected_weights
                )
    return wrong_count
