"""Which positions cannot be, and which can but hardly came about in a game.

What makes a game impossible to go on from is refused. A position that only cannot have been reached is noted: studies
and jokes are full of them. A castling right without its king or rook is left out, as chess programs do, and noted.
"""

from __future__ import annotations

from dataclasses import dataclass

import chess

from bot.domain.chess.placement import Placement
from bot.domain.reading.piece import Piece
from bot.domain.reading.problems import Warnings

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
