"""The first field of a FEN: which piece stands where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from bot.domain.reading.piece import Token
from bot.domain.reading.problems import Warnings

_SIDE = 8
_PIECES = frozenset("pnbrqkPNBRQK")


@dataclass(frozen=True, slots=True)
class Placement:
    """The pieces on the board, and where each is written."""

    field: Token
    squares: tuple[str, ...]
    """64 squares from a8 to h1: the letter of a piece, or nothing."""
    offsets: tuple[int, ...]
    """For each square where its sign stands in the field."""

    @property
    def text(self) -> str:
        """The field in its shortest form."""
        ranks = (self.squares[start : start + _SIDE] for start in range(0, 64, _SIDE))
        return "/".join(
            "".join(piece * len(list(run)) if piece else str(len(list(run))) for piece, run in groupby(rank))
            for rank in ranks
        )

    def at(self, square: int) -> Token:
        """Return the sign that tells what stands on a square (from 0 for a8)."""
        return self.field.part(self.offsets[square], self.offsets[square] + 1)


def read_placement(field: Token, warnings: Warnings) -> Placement:
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
        for offset, sign in _signs(field.part(start, start + len(rank)), 8 - number, warnings):
            squares.append(sign)
            offsets.append(start + offset)
        start += len(rank) + 1
    return Placement(field, tuple(squares), tuple(offsets))


def _signs(rank: Token, number: int, warnings: Warnings) -> Iterator[tuple[int, str]]:
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
