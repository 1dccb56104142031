"""The first field of a FEN: which piece stands where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

import chess

from bot.domain.reading.piece import Piece
from bot.domain.reading.problems import DomainError, Warnings

_SIDE = 8
_PIECES = frozenset("pnbrqkPNBRQK")


@dataclass(frozen=True, slots=True)
class Placement:
    """The pieces on the board, and where each is written."""

    field: Piece
    ranks: tuple[_Rank, ...]
    """From the eighth to the first."""

    @property
    def text(self) -> str:
        """The field in its shortest form."""
        return "/".join(rank.text for rank in self.ranks)

    def at(self, square: int) -> Piece:
        """Return the sign for what stands on a square (from 0 for a8)."""
        number, file = divmod(square, _SIDE)
        start = sum(rank.length + 1 for rank in self.ranks[:number]) + self.ranks[number].offsets[file]
        return self.field.part(start, start + 1)


@dataclass(frozen=True, slots=True)
class _Rank:
    """A rank of the field."""

    text: str
    """Its shortest form."""
    length: int
    """Signs as it is written."""
    offsets: tuple[int, ...]
    """For each square where its sign stands in the rank."""


def _rank(length: int, signs: Iterable[tuple[int, str]]) -> _Rank:
    offsets, squares = zip(*signs, strict=True)
    runs = ((piece, len(list(run))) for piece, run in groupby(squares))
    text = "".join(piece * width if piece else str(width) for piece, width in runs)
    return _Rank(text, length, offsets)


@lru_cache(maxsize=8192)
def _faultless(rank: str) -> _Rank | None:
    """Return a rank that there is nothing to say about; None for any other.

    Files of puzzles have the same ranks again and again.
    """
    alone = Piece.of(rank)
    warnings = Warnings(rank)
    try:
        signs = tuple(_signs(alone, 0, warnings))
    except DomainError:
        return None
    return None if warnings.all() else _rank(len(rank), signs)


def set_up(placement: str) -> chess.Board:
    """Return an empty board with the pieces of a field in its shortest form on it.

    The library's own reader puts piece for piece, which takes ten times as long.
    """
    masks = [_masks(rank) for rank in placement.split("/")]
    board = chess.Board(None)
    # The first rank of the field is the eighth, whose squares are the highest bits.
    kinds = [int.from_bytes(column, "big") for column in zip(*masks, strict=True)]
    board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings, black, white = kinds
    board.occupied_co = [black, white]
    board.occupied = black | white
    return board


_KINDS = "pnbrqk"


@lru_cache(maxsize=8192)
def _masks(rank: str) -> tuple[int, ...]:
    """Return the squares of a rank, a bit each, by kind of piece, and those of Black and of White."""
    masks = [0] * (len(_KINDS) + 2)
    file = 0
    for sign in rank:
        if sign in _PIECES:
            for index in (_KINDS.index(sign.lower()), len(_KINDS) + sign.isupper()):
                masks[index] |= 1 << file
        file += 1 if sign in _PIECES else int(sign)
    return tuple(masks)


def read_placement(field: Piece, warnings: Warnings) -> Placement:
    """Read the field.

    Raises:
        ParseError: there are not eight ranks of eight squares, or a sign is neither a piece nor a number of squares.

    """
    ranks = field.text.split("/")
    if len(ranks) != _SIDE:
        raise field.malformed("fen-ranks", "a chess board has 8 ranks, not {ranks}", ranks=len(ranks))
    found: list[_Rank] = []
    start = 0
    for number, rank in enumerate(ranks):
        known = _faultless(rank) if len(rank) <= _SIDE else None
        piece = field.part(start, start + len(rank))
        found.append(known or _rank(len(rank), _signs(piece, 8 - number, warnings)))
        start += len(rank) + 1
    return Placement(field, tuple(found))


def _signs(rank: Piece, number: int, warnings: Warnings) -> Iterator[tuple[int, str]]:
    """Yield for each square of a rank where its sign stands and the piece, if any."""
    width = 0
    digit_before = False
    for offset, sign in enumerate(rank.text):
        if sign in _PIECES:
            width += 1
            digit_before = False
            yield offset, sign
            continue
        if sign not in "12345678":
            raise rank.part(offset, offset + 1).malformed(
                "fen-piece", "{sign!r} is neither a chess piece nor a number of empty squares", sign=sign
            )
        if digit_before:
            warnings.add("fen-digits", "empty squares in a row are one number", rank.offset + offset)
        digit_before = True
        width += int(sign)
        if width <= _SIDE:
            yield from ((offset, "") for _ in range(int(sign)))
    if width != _SIDE:
        raise rank.malformed(
            "fen-rank", "rank {rank} has {squares} squares, not 8", rank=number, squares=width
        )
