"""FEN: a chess position on one line, in six fields.

The reader also takes what people write: the first four fields alone, letters and castling rights in another case or
order, and no more than the board. What it filled in or put right it tells.
"""

from __future__ import annotations

import re
from dataclasses import replace

from bot.domain.chess import board_link
from bot.domain.chess.legality import Fields, note_oddities, possible_rights, refuse_impossible
from bot.domain.chess.placement import read_placement
from bot.domain.chess.position import ChessPosition
from bot.domain.reading.piece import Piece
from bot.domain.reading.problems import Phrase, Reading, Warnings

MAX_LENGTH = 1_000
"""Longest text that is read, in characters."""
MAX_CLOCK = 9_999
"""Highest halfmove clock and move number; the longest possible game has under 6,000 moves."""

_FIELD = re.compile(r"\S+")
_CHESS_960 = re.compile(r"[A-Ha-hKQkq]{1,4}")
_SQUARE = re.compile(r"[a-h][1-8]")
_NAMES = (
    Phrase("the side to move"),
    Phrase("the castling rights"),
    Phrase("the en passant square"),
    Phrase("the halfmove clock"),
    Phrase("the move number"),
)
_FIELDS = 6


def read(text: str) -> Reading[ChessPosition]:
    """Read a position; a link to a board of lichess or chess.com is one, too.

    Raises:
        ParseError: the text is no FEN.
        RuleError: no game can go on from the position.

    """
    text = board_link.position_in(text) or text
    warnings = Warnings(text)
    tokens = split(text, MAX_LENGTH)
    if len(tokens) > _FIELDS:
        raise tokens[_FIELDS].malformed("fen-fields", "a FEN has six fields, and this is one more")
    _note_left_out(tokens, warnings)
    position = read_fields(tokens, text, warnings)
    return Reading(position, warnings.all())


def split(text: str, limit: int) -> list[Piece]:
    """Split a text at its spaces.

    Raises:
        ParseError: it is empty, or longer than the limit.

    """
    if len(text) > limit:
        raise Piece.of(text).malformed(
            "too-long", "the text is longer than {limit:,} characters", limit=limit
        )
    tokens = list(map(Piece.matched, _FIELD.finditer(text)))
    if not tokens:
        raise Piece.of(text).malformed("empty", "the text is empty")
    return tokens


def write(position: ChessPosition) -> str:
    """Write a position in six fields."""
    return position.fen


def _note_left_out(tokens: list[Piece], warnings: Warnings) -> None:
    end = tokens[-1].end
    if len(tokens) == 1:
        warnings.add("fen-board-only", "only the board is given; White is taken to be on move", end)
    elif len(tokens) == 4:
        warnings.add("fen-four-fields", "the halfmove clock and the move number are missing", end)
    elif len(tokens) < _FIELDS:
        warnings.add(
            "fen-field-missing", "the text does not tell {field}", end, field=_NAMES[len(tokens) - 1]
        )


def read_fields(tokens: list[Piece], text: str, warnings: Warnings) -> ChessPosition:
    """Read one to six fields of a FEN; what is left out is as at the start of a game without castling.

    Raises:
        ParseError: a field is not what it should be.
        RuleError: no game can go on from the position.

    """
    missing = Piece("", len(text.rstrip()), text)
    placement_field, side, castling, en_passant, halfmoves, number = (
        *tokens,
        *(missing for _ in range(_FIELDS - len(tokens))),
    )
    placement = read_placement(placement_field, warnings)
    position = ChessPosition(
        placement.text,
        _side(side, warnings),
        _castling(castling, warnings),
        _en_passant(en_passant),
        _count(halfmoves, 0, warnings),
        _count(number, 1, warnings),
    )
    board = position.board()
    fields = Fields(placement, side, castling, en_passant, halfmoves)
    refuse_impossible(board, fields)
    note_oddities(board, fields, warnings)
    rights = possible_rights(board, castling, warnings) if position.castling else ""
    return position if rights == position.castling else replace(position, castling=rights)


def _side(field: Piece, warnings: Warnings) -> bool:
    side = field.text.lower()
    if side not in ("", "w", "b"):
        raise field.malformed("fen-side", "{side!r} is not the side to move: w or b", side=field.text[:20])
    if side != field.text:
        warnings.add("fen-case", "the side to move is written with a small letter", field.offset)
    return side != "b"


def _castling(field: Piece, warnings: Warnings) -> str:
    text = field.text
    if text in ("", "-"):
        return ""
    ordered = "".join(right for right in "KQkq" if right in text)
    if sorted(text) == sorted(ordered):
        if text != ordered:
            warnings.add("fen-castling-order", "castling rights are written in the order KQkq", field.offset)
        return ordered
    if _CHESS_960.fullmatch(text) and not set(text) <= set("KQkq"):
        raise field.malformed(
            "chess960", "{rights} are castling rights of Chess960, which is not known here", rights=text
        )
    raise field.malformed(
        "fen-castling", "{rights!r} are not castling rights: letters of KQkq, or -", rights=text[:20]
    )


def _en_passant(field: Piece) -> str:
    if field.text in ("", "-"):
        return ""
    if not _SQUARE.fullmatch(field.text):
        raise field.malformed(
            "fen-en-passant",
            "{square!r} is not an en passant square: such as e3, or -",
            square=field.text[:20],
        )
    return field.text


def _count(field: Piece, least: int, warnings: Warnings) -> int:
    text = field.text
    if not text:
        return least
    if text == "-":
        warnings.add("fen-count", "a number is expected here; {number} is taken", field.offset, number=least)
        return least
    if not (text.isascii() and text.isdigit()) or int(text[:9]) > MAX_CLOCK:
        raise field.malformed(
            "fen-count",
            "{text!r} is not a number from {least} to {most}",
            text=text[:20],
            least=least,
            most=MAX_CLOCK,
        )
    if int(text) < least:
        warnings.add("fen-count", "a number is expected here; {number} is taken", field.offset, number=least)
    return max(int(text), least)
