"""Which positions cannot be, and which can but hardly came about in a game.

What makes a game impossible to go on from is refused. A position that only cannot have been reached is noted: studies
and jokes are full of them. A castling right without its king or rook is left out, as chess programs do, and noted.
"""

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


_USUAL = {chess.QUEEN: 1, chess.ROOK: 2, chess.KNIGHT: 2}
_RIGHTS = {
    "K": (chess.E1, chess.H1),
    "Q": (chess.E1, chess.A1),
    "k": (chess.E8, chess.H8),
    "q": (chess.E8, chess.A8),
}
"""The squares of the king and the rook for each castling right."""
_IMPOSSIBLE_CHECK = chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a FEN as they were written. A field that was left out stands where the text ends."""

    placement: Placement
    side: Piece
    castling: Piece
    en_passant: Piece
    halfmove_clock: Piece


def _written_at(square: chess.Square) -> int:
    """Return the place of a square in a FEN, where a8 is the first and h1 the last."""
    return (7 - chess.square_rank(square)) * 8 + chess.square_file(square)


def refuse_impossible(board: chess.Board, fields: Fields) -> None:
    """Let a position pass that a game can go on from.

    Raises:
        RuleError: kings, pawns, the en passant square or a check cannot be as they are.

    """
    for white in (True, False):
        _refuse_material(board, fields.placement, white=white)
    _refuse_en_passant(board, fields.en_passant)
    if board.was_into_check():
        raise fields.side.illegal(
            "opposite-check",
            "White is to move, but Black is in check"
            if board.turn
            else "Black is to move, but White is in check",
        )


def _refuse_material(board: chess.Board, placement: Placement, *, white: bool) -> None:
    mine = board.occupied_co[white]
    if (
        chess.popcount(board.kings & mine) == 1
        and not board.pawns & mine & chess.BB_BACKRANKS
        and chess.popcount(board.pawns & mine) <= 8
        and chess.popcount(mine) <= 16
    ):
        return
    kings = list(board.pieces(chess.KING, white))
    if not kings:
        raise placement.field.illegal(
            "no-king", "there is no white king" if white else "there is no black king"
        )
    if len(kings) > 1:
        second = placement.at(sorted(map(_written_at, kings))[1])
        if len(kings) == 2:
            raise second.illegal(
                "kings", "there are two white kings" if white else "there are two black kings"
            )
        raise second.illegal(
            "kings",
            "there are {kings} white kings" if white else "there are {kings} black kings",
            kings=len(kings),
        )
    pawns = board.pieces(chess.PAWN, white)
    for pawn in pawns & chess.SquareSet(chess.BB_BACKRANKS):
        raise placement.at(_written_at(pawn)).illegal(
            "pawn-on-back-rank", "a pawn cannot be on {square}", square=chess.square_name(pawn)
        )
    if len(pawns) > 8:
        raise placement.field.illegal(
            "pawns",
            "White has {pawns} pawns, which is more than 8"
            if white
            else "Black has {pawns} pawns, which is more than 8",
            pawns=len(pawns),
        )
    pieces = chess.popcount(board.occupied_co[white])
    if pieces > 16:
        raise placement.field.illegal(
            "pieces",
            "White has {pieces} pieces, which is more than 16"
            if white
            else "Black has {pieces} pieces, which is more than 16",
            pieces=pieces,
        )


def possible_rights(board: chess.Board, castling: Piece, warnings: Warnings) -> str:
    """Return the castling rights whose king and rook stand where they must; the others are noted."""
    lacking = set()
    for offset, right in enumerate(castling.text.replace("-", "")):
        king, rook = _RIGHTS[right]
        for square, piece in ((king, chess.KING), (rook, chess.ROOK)):
            if board.piece_at(square) != chess.Piece(piece, right.isupper()):
                lacking.add(right)
                warnings.add(
                    "castling",
                    "the castling right {right} is left out: there is no king of its own on {square}"
                    if piece == chess.KING
                    else "the castling right {right} is left out: there is no rook of its own on {square}",
                    castling.offset + offset,
                    right=right,
                    square=chess.square_name(square),
                )
                break
    return "".join(right for right in _RIGHTS if right in castling.text and right not in lacking)


def _refuse_en_passant(board: chess.Board, en_passant: Piece) -> None:
    square = board.ep_square
    if square is None:
        return
    name = chess.square_name(square)
    if chess.square_rank(square) != (5 if board.turn else 2):
        raise en_passant.illegal(
            "en-passant",
            "White is to move, so a pawn can be taken en passant on rank 6 only, not on {square}"
            if board.turn
            else "Black is to move, so a pawn can be taken en passant on rank 3 only, not on {square}",
            square=name,
        )
    forward = -8 if board.turn else 8  # as the pawn went
    pawn = square + forward
    if board.piece_at(pawn) != chess.Piece(chess.PAWN, not board.turn):
        raise en_passant.illegal(
            "en-passant",
            "no pawn can have passed {square}: there is none on {pawn}",
            square=name,
            pawn=chess.square_name(pawn),
        )
    for passed in (square, square - forward):
        if board.piece_at(passed) is not None:
            raise en_passant.illegal(
                "en-passant",
                "no pawn can have passed {square}: {blocked} is not empty",
                square=name,
                blocked=chess.square_name(passed),
            )


def note_oddities(board: chess.Board, fields: Fields, warnings: Warnings) -> None:
    """Note what no game, or hardly any, leads to."""
    for white in (True, False):
        _note_promotions(board, fields.placement.field, warnings, white=white)
    if board.status() & _IMPOSSIBLE_CHECK:
        warnings.add("impossible-check", "no move can have given this check", fields.placement.field.offset)
    played = 2 * (board.fullmove_number - 1) + (0 if board.turn else 1)
    if board.halfmove_clock > played:
        warnings.add(
            "halfmove-clock",
            "the halfmove clock tells {clock} half-moves, but only {played} were played",
            fields.halfmove_clock.offset,
            clock=board.halfmove_clock,
            played=played,
        )
    elif board.ep_square is not None and board.halfmove_clock:
        warnings.add(
            "halfmove-clock",
            "after a pawn moved the halfmove clock is 0, not {clock}",
            fields.halfmove_clock.offset,
            clock=board.halfmove_clock,
        )


def _note_promotions(board: chess.Board, field: Piece, warnings: Warnings, *, white: bool) -> None:
    promoted = sum(
        max(0, chess.popcount(board.pieces_mask(piece, white)) - usual) for piece, usual in _USUAL.items()
    )
    bishops = board.pieces_mask(chess.BISHOP, white)
    for colour in (chess.BB_LIGHT_SQUARES, chess.BB_DARK_SQUARES):
        promoted += max(0, chess.popcount(bishops & colour) - 1)
    if promoted > 8 - chess.popcount(board.pieces_mask(chess.PAWN, white)):
        warnings.add(
            "promotions",
            "White has more pieces than its missing pawns can have become"
            if white
            else "Black has more pieces than its missing pawns can have become",
            field.offset,
        )
