"""The first field of a FEN: which piece stands where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from bot.domain.reading.piece import Piece
from bot.domain.reading.problems import DomainError, Warnings

_SIDE = 8
_PIECES = frozenset("pnbrqkPNBRQK")


@dataclass(frozen=True, slots=True)
class Placement:
    """The pieces on the board, and where each is written."""

    field: Piece
    squares: tuple[str, ...]
    """64 squares from a8 to h1: the letter of a piece, or nothing."""
    offsets: tuple[int, ...]
    """For each square where its sign stands in the field."""

    @property
    def text(self) -> str:
        """The field in its shortest form."""
        return "/".join(_written(self.squares[start : start + _SIDE]) for start in range(0, 64, _SIDE))

    def at(self, square: int) -> Piece:
        """Return the sign for what stands on a square (from 0 for a8)."""
        return self.field.part(self.offsets[square], self.offsets[square] + 1)


@lru_cache(maxsize=4096)
def _written(rank: tuple[str, ...]) -> str:
    runs = ((piece, len(list(run))) for piece, run in groupby(rank))
    return "".join(piece * length if piece else str(length) for piece, length in runs)


@lru_cache(maxsize=4096)
def _faultless(rank: str) -> tuple[tuple[int, str], ...] | None:
    """Return what :func:`_signs` yields for a rank that there is nothing to say about; None for any other.

    Files of puzzles have the same ranks again and again.
    """
    alone = Piece.of(rank)
    warnings = Warnings(rank)
    try:
        signs = tuple(_signs(alone, 0, warnings))
    except DomainError:
        return None
    return None if warnings.all() else signs


def read_placement(field: Piece, warnings: Warnings) -> Placement:
    """Read the field.

    Raises:
        ParseError: there are not eight ranks of eight squares, or a sign is neither a piece nor a number of squares.

    """
    ranks = field.text.split("/")
    if len(ranks) != _SIDE:
        raise field.malformed("fen-ranks", "a chess board has 8 ranks, not {ranks}", ranks=len(ranks))
    squares: list[str] = []
    offsets: list[int] = []
    start = 0
    for number, rank in enumerate(ranks):
        signs = _faultless(rank) if len(rank) <= _SIDE else None
        for offset, sign in signs or _signs(field.part(start, start + len(rank)), 8 - number, warnings):
            squares.append(sign)
            offsets.append(start + offset)
        start += len(rank) + 1
    return Placement(field, tuple(squares), tuple(offsets))


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
