"""FEN: a chess position on one line.

>>> fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
>>> position = read(fen).value
>>> position.white_to_move
True
>>> write(position) == fen
True

The reader also takes what people write: the first four fields alone, letters and castling rights in another case or
order, and no more than the board. Whatever it filled in or corrected is a warning.
"""

from __future__ import annotations

import re
from dataclasses import replace

import chess

from bot.domain.chess import board_link
from bot.domain.chess.legality import note_oddities, possible_rights, read_placement, refuse_impossible
from bot.domain.chess.position import ChessPosition, position_of
from bot.domain.chess.variants import CRAZYHOUSE, MAX_POCKET, THREE_CHECK, VARIANTS, told_by
from bot.domain.reading.piece import Piece
from bot.domain.reading.problems import Phrase, Reading, Warnings, require_length

MAX_LENGTH = 1_000
"""Longest text that is read, in characters."""
MAX_CLOCK = 9_999
"""Highest halfmove clock and move number; the longest possible game has under 6,000 moves."""

_FIELD = re.compile(r"\S+")
_SQUARE = re.compile(r"[a-h][1-8]")
_NAMES = (
    Phrase("the side to move"),
    Phrase("the castling rights"),
    Phrase("the en passant square"),
    Phrase("the halfmove clock"),
    Phrase("the move number"),
)
_FIELDS = 6
_CHECKS = re.compile(r"\+?[0-3]\+[0-3]")
"""Checks that are left, or with a plus before them those that were given."""
_POCKETS = re.compile(rf"[pnbrqPNBRQ]{{0,{MAX_POCKET}}}")
_BOARD_OF_VARIANT = re.compile(r"[pnbrqkPNBRQK1-8/~]{15,130}")


def read(text: str, variant: str = "") -> Reading[ChessPosition]:
    """Read a position; a link to a board of lichess or chess.com is one, too.

    Raises:
        ParseError: the text is no FEN.
        RuleError: no game can go on from the position.

    """
    variant = variant or board_link.variant_in(text)
    text = board_link.position_in(text) or text
    warnings = Warnings(text)
    tokens = split(text, MAX_LENGTH)
    if variant := variant or told_variant(tokens):
        return Reading(read_variant(tokens, variant, warnings), warnings.all())
    _note_left_out(tokens, warnings)
    position = read_fields(tokens, text, warnings)
    return Reading(position, warnings.all())


def told_variant(tokens: list[Piece]) -> str:
    """Return the variant that the form of a FEN tells; empty where it may be of usual chess."""
    checks = any(_CHECKS.fullmatch(token.text) for token in tokens[4:7])
    return told_by(tokens[0].text, tokens[2].text if len(tokens) > 2 else "", checks=checks)


def read_variant(tokens: list[Piece], variant: str, warnings: Warnings) -> ChessPosition:
    """Read the fields of a position of a variant, by its key; what is left out is as at the start of a game.

    The checks of Three-check stand before the clocks as those that are left (``3+2``), or behind them as those that were given
    (``+0+1``); the pockets of Crazyhouse in brackets behind the board, or as a ninth rank.

    Raises:
        ParseError: a field is not what it should be.
        RuleError: no game of the variant can go on from the position.

    """
    name = VARIANTS[variant].name
    board, *fields = tokens
    ranks, bracket, pockets = board.text.partition("[")
    if variant == CRAZYHOUSE and not bracket and ranks.count("/") == 8:
        ranks, _, pockets = ranks.rpartition("/")
    pockets = pockets.removesuffix("]").replace("-", "")
    if not (_BOARD_OF_VARIANT.fullmatch(ranks) and _POCKETS.fullmatch(pockets)) or len(fields) > _FIELDS:
        raise board.malformed("variant-fen", "this is no FEN of {variant}", variant=name)
    checks = [token for token in fields if _CHECKS.fullmatch(token.text)]
    rest = [token for token in fields if token not in checks]
    counts = [str(_count(field, least, warnings)) for field, least in zip(rest[3:5], (0, 1), strict=False)]
    told = [
        f"{ranks}[{pockets}]" if variant == CRAZYHOUSE else ranks,
        *(token.text for token in rest[:3]),
        *counts,
    ]
    told += ["w", "-", "-", "0", "1"][len(told) - 1 :]
    if variant == THREE_CHECK:
        told.append(checks[0].text if checks and checks[0].text.startswith("+") else "+0+0")
        if checks and not checks[0].text.startswith("+"):
            told[4:] = [checks[0].text, *told[4:6]]
    try:
        found = VARIANTS[variant].board(" ".join(told))
    except ValueError:
        raise board.malformed("variant-fen", "this is no FEN of {variant}", variant=name) from None
    if found.status() != chess.STATUS_VALID:
        raise board.illegal(
            "variant-position", "no game of {variant} can go on from this position", variant=name
        )
    return position_of(found)


def split(text: str, limit: int) -> list[Piece]:
    """Split a text at its spaces.

    Raises:
        ParseError: it is empty, or longer than the limit.

    """
    require_length(text, limit)
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
    if variant := told_variant(tokens):
        return read_variant(tokens, variant, warnings)
    if len(tokens) > _FIELDS:
        raise tokens[_FIELDS].malformed("fen-fields", "a FEN has six fields, and this is one more")
    # A field that was left out stands where the text ends.
    missing = Piece("", len(text.rstrip()), text)
    placement, side, castling, en_passant, halfmoves, number = (*tokens, *[missing] * (_FIELDS - len(tokens)))
    position = ChessPosition(
        read_placement(placement, warnings),
        _side(side, warnings),
        _castling(castling, warnings),
        _en_passant(en_passant),
        _count(halfmoves, 0, warnings),
        _count(number, 1, warnings),
    )
    board = position.board()
    refuse_impossible(board, placement, side, en_passant)
    note_oddities(board, placement, halfmoves, warnings)
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
