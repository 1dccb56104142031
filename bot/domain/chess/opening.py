"""An opening book compiled from a source: which moves are known in which position, how often, and under which names."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

import chess
import chess.polyglot

from bot.domain.chess.book import BookSource
from bot.domain.chess.game import ChessMove
from bot.domain.chess.position import ChessPosition

MAX_NAMES = 12
"""Names kept for one move."""


@dataclass(frozen=True, slots=True)
class BookMove:
    """A known move."""

    san: str
    uci: str
    count: int
    """How many lines play it here."""
    names: tuple[str, ...]
    """The names of those lines, in the source's order; at most :data:`MAX_NAMES`."""


@dataclass(frozen=True, slots=True)
class BookEntry:
    """A position with its known moves, the most played first."""

    key: int
    """The position's Polyglot key: 64 bits of pieces, castling rights, capturable en passant pawn and side to move."""
    moves: tuple[BookMove, ...]


@dataclass(frozen=True, slots=True)
class Book:
    """A compiled book, with what there is to say about it."""

    entries: tuple[BookEntry, ...]
    """In the order of their keys."""
    lines: int
    positions: int
    """Different positions, those at the ends of lines included."""
    depth: int
    """Half-moves of the longest line."""
    transpositions: int
    """Positions that are reached from more than one other."""

    def continuations(self, position: ChessPosition) -> tuple[BookMove, ...]:
        """Return the known moves of a position, the most played first; none when it is not in the book, or of a variant."""
        return () if position.variant else self.moves_of(chess.polyglot.zobrist_hash(position.board()))

    def moves_of(self, key: int) -> tuple[BookMove, ...]:
        """Return the known moves of a position by its key."""
        index = bisect_left(self.entries, key, key=lambda entry: entry.key)
        found = index < len(self.entries) and self.entries[index].key == key
        return self.entries[index].moves if found else ()


@dataclass(slots=True)
class _Known:
    san: str
    count: int = 0
    names: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """A position on a line, with the move that is played there; None at the line's end."""

    board: chess.Board
    """Good until the next step is asked for."""
    key: int
    before: int | None
    """The key of the position before; None at the start."""
    move: ChessMove | None
    depth: int
    name: str


def steps(source: BookSource) -> Iterator[Step]:
    """Walk along all lines of a source and their variations. A null move ends its line: no book can hold one."""
    for line in source.lines:
        yield from _walk(line.start.board(), line.moves, line.name)


def _walk(
    board: chess.Board, moves: tuple[ChessMove, ...], name: str, before: int | None = None, depth: int = 0
) -> Iterator[Step]:
    key = chess.polyglot.zobrist_hash(board)
    for move in moves:
        if move.uci == "0000":
            break
        yield Step(board, key, before, move, depth, name)
        for variation in move.variations:
            yield from _walk(board.copy(stack=False), variation, name, before, depth)
        board.push(chess.Move.from_uci(move.uci))
        before, key = key, chess.polyglot.zobrist_hash(board)
        depth += 1
    yield Step(board, key, before, None, depth, name)


def compile_book(source: BookSource) -> Book:
    """Compile the moves of a source."""
    moves: dict[int, dict[str, _Known]] = {}
    reached: dict[int, set[int]] = {}
    depth = 0
    for step in steps(source):
        origins = reached.setdefault(step.key, set())
        if step.before is not None:
            origins.add(step.before)
        depth = max(depth, step.depth)
        if step.move is not None:
            known = moves.setdefault(step.key, {}).setdefault(step.move.uci, _Known(step.move.san))
            known.count += 1
            if step.name and len(known.names) < MAX_NAMES:
                known.names[step.name] = None
    entries = tuple(BookEntry(key, _ordered(moves[key])) for key in sorted(moves))
    transpositions = sum(len(origins) > 1 for origins in reached.values())
    return Book(entries, len(source.lines), len(reached), depth, transpositions)


def _ordered(moves: dict[str, _Known]) -> tuple[BookMove, ...]:
    found = (BookMove(known.san, uci, known.count, tuple(known.names)) for uci, known in moves.items())
    return tuple(sorted(found, key=lambda move: (-move.count, move.san)))
