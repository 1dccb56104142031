"""A move as two menus: which piece, then where to. Nothing of it tells more than the rules."""

from __future__ import annotations

from bot.chat.moment import Choice
from bot.domain.chess.moves import moves_by_piece
from bot.domain.chess.position import ChessPosition
from bot.features.puzzles.controls import Pick, move_menus
from bot.features.puzzles.wanted import Wanted
from bot.features.showing.chess.words import piece_text
from bot.text import Speaker


def moves_of_piece(wanted: Wanted, position: ChessPosition, start: str, say: Speaker) -> tuple[Pick, ...]:
    """Return the menus of the possible moves; ``start`` is the square or the piece to drop that is chosen, if one is."""
    found = moves_by_piece(position)
    pieces = tuple(Choice(one, _piece(one, position, say)) for one in found)
    if start not in found:
        return move_menus(wanted, pieces)
    moves = tuple(_target(uci, position, say) for uci in found[start])
    return move_menus(wanted, pieces, start, moves)


def _piece(start: str, position: ChessPosition, say: Speaker) -> str:
    if start.endswith("@"):
        return piece_text(start[0], "", 1, say).strip()
    return piece_text(_at(start, position), start, 1, say)


def _target(uci: str, position: ChessPosition, say: Speaker) -> Choice:
    square, becomes = uci[2:4], uci[4:]
    label = f"{square} = {piece_text(becomes.upper(), '', 1, say).strip()}" if becomes else square
    taken = _at(square, position)
    return Choice(uci, label, f"× {piece_text(taken, square, 1, say)}" if taken else "")


def _at(square: str, position: ChessPosition) -> str:
    """Return the capital letter of the piece on a square; nothing where there is none."""
    return position.squares[8 * (8 - int(square[1])) + ord(square[0]) - ord("a")].upper()
