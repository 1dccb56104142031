"""FEN: a chess position on one line.

>>> fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
>>> position = read(fen).value
>>> position.white_to_move
True
>>> position.fen == fen
True

In standard chess, the reader warns about everything that it completes or corrects, such as missing fields at
the end. In variants, it completes fields without a warning.

An illegal position, such as a position without a king, is an error. In standard chess, a playable position
that no game can reach only causes a warning, because studies and jokes often contain such positions. As in other
chess programs, a castling right is left out, with a warning, if the king or the rook is not on its original square.
In variants, every position that python-chess rejects is an error.
"""

from __future__ import annotations

import re
from dataclasses import replace

from bot.domain.chess import board_link
from bot.domain.chess.position import (
    CRAZYHOUSE,
    MAX_POCKET_PIECES,
    THREE_CHECK,
    VARIANTS,
    ChessPosition,
    implied_variant,
    position_of,
)
from bot.domain.chess.python_chess import chess
from bot.domain.reading.problems import Phrase, Reading, TextPiece, Warnings, require_max_length

MAX_LENGTH = 1_000
MAX_CLOCK = 9_999
"""Maximum halfmove clock and move number. The longest possible game has under 6,000 moves."""

_FIELD = re.compile(r"\S+")
_SQUARE = re.compile(r"[a-h][1-8]")
_OPTIONAL_FIELD_NAMES = (
    Phrase("the side to move"),
    Phrase("the castling rights"),
    Phrase("the en passant square"),
    Phrase("the halfmove clock"),
    Phrase("the move number"),
)
_FIELD_COUNT = 6
_CHECKS = re.compile(r"\+?[0-3]\+[0-3]")
"""The remaining checks, or, with a leading plus, the checks given so far."""
_POCKETS = re.compile(rf"[pnbrqPNBRQ]{{0,{MAX_POCKET_PIECES}}}")
_VARIANT_BOARD = re.compile(r"[pnbrqkPNBRQK1-8/~]{15,130}")


def read(text: str, variant: str = "") -> Reading[ChessPosition]:
    """Read a position, or a link to a board on lichess or chess.com.

    Raises:
        ParseError: the text is not a FEN.
        RuleError: the position is illegal.

    """
    variant = variant or board_link.variant_in(text)
    text = board_link.fen_in(text) or text
    warnings = Warnings(text)
    tokens = split(text, MAX_LENGTH)
    if variant := variant or variant_of(tokens):
        return Reading(read_variant(tokens, variant, warnings), warnings.all())
    end = tokens[-1].end
    if len(tokens) == 1:
        warnings.add("fen-board-only", "only the board is given; assuming White to move", end)
    elif len(tokens) == 4:
        warnings.add("fen-four-fields", "the halfmove clock and the move number are missing", end)
    elif len(tokens) < _FIELD_COUNT:
        warnings.add(
            "fen-field-missing",
            "the text ends before {field}",
            end,
            field=_OPTIONAL_FIELD_NAMES[len(tokens) - 1],
        )
    return Reading(read_fields(tokens, text, warnings), warnings.all())


def variant_of(tokens: list[TextPiece]) -> str:
    return implied_variant(
        tokens[0].text,
        tokens[2].text if len(tokens) > 2 else "",
        has_checks=any(_CHECKS.fullmatch(token.text) for token in tokens[4:7]),
    )


def read_variant(tokens: list[TextPiece], variant: str, warnings: Warnings) -> ChessPosition:
    """Read the FEN of a variant.

    Without a castling field, there are no castling rights. Other missing fields get the values that they have
    at the start of a game.

    A Three-check FEN has the remaining checks before the clocks (``3+2``), or the checks given so far after
    the clocks (``+0+1``). A Crazyhouse FEN has the pockets in brackets after the board, or as a ninth rank.

    Raises:
        ParseError: a field is malformed.
        RuleError: the position is impossible in the variant.

    """
    name = VARIANTS[variant].name
    board, *fields = tokens
    ranks, bracket, pockets = board.text.partition("[")
    if variant == CRAZYHOUSE and not bracket and ranks.count("/") == 8:
        ranks, _, pockets = ranks.rpartition("/")
    pockets = pockets.removesuffix("]").replace("-", "")
    if not (_VARIANT_BOARD.fullmatch(ranks) and _POCKETS.fullmatch(pockets)) or len(fields) > _FIELD_COUNT:
        raise board.parse_error("variant-fen", "this is not a valid FEN for {variant}", variant=name)
    checks = [token for token in fields if _CHECKS.fullmatch(token.text)]
    other_fields = [token for token in fields if token not in checks]
    clocks = [
        str(_read_count(field, minimum, warnings))
        for field, minimum in zip(other_fields[3:5], (0, 1), strict=False)
    ]
    variant_fields = [
        f"{ranks}[{pockets}]" if variant == CRAZYHOUSE else ranks,
        *(token.text for token in other_fields[:3]),
        *clocks,
    ]
    variant_fields += ["w", "-", "-", "0", "1"][len(variant_fields) - 1 :]
    if variant == THREE_CHECK:
        checks_text = checks[0].text if checks else "+0+0"
        variant_fields.insert(6 if checks_text.startswith("+") else 4, checks_text)
    try:
        variant_board = VARIANTS[variant].board(" ".join(variant_fields))
    except ValueError:
        raise board.parse_error(
            "variant-fen", "this is not a valid FEN for {variant}", variant=name
        ) from None
    if variant_board.status() != chess.STATUS_VALID:
        raise board.rule_error("variant-position", "this position is impossible in {variant}", variant=name)
    return position_of(variant_board)


def split(text: str, limit: int) -> list[TextPiece]:
    """Split text at spaces.

    Raises:
        ParseError: the text is empty, or longer than the limit.

    """
    require_max_length(text, limit)
    tokens = list(map(TextPiece.matched, _FIELD.finditer(text)))
    if not tokens:
        raise TextPiece.of(text).parse_error("empty", "the text is empty")
    return tokens


def read_fields(tokens: list[TextPiece], text: str, warnings: Warnings) -> ChessPosition:
    """Read the fields of a FEN. Only the first field is required.

    Without a castling field, there are no castling rights. Other missing fields get the values that they have
    at the start of a game.

    Raises:
        ParseError: a field is malformed, or there are too many fields.
        RuleError: the position is illegal.

    """
    if variant := variant_of(tokens):
        return read_variant(tokens, variant, warnings)
    if len(tokens) > _FIELD_COUNT:
        raise tokens[_FIELD_COUNT].parse_error("fen-fields", "a FEN has six fields; this is a seventh")
    # A missing field is located at the end of the text.
    missing_field = TextPiece("", len(text.rstrip()), text)
    fields = [*tokens, *[missing_field] * (_FIELD_COUNT - len(tokens))]
    placement, side, castling, en_passant, halfmoves, number = fields
    position = ChessPosition(
        _read_placement(placement, warnings),
        _read_side(side, warnings),
        _read_castling(castling, warnings),
        _read_en_passant(en_passant),
        _read_count(halfmoves, 0, warnings),
        _read_count(number, 1, warnings),
    )
    board = position.board()
    for white in (True, False):
        _check_material(board, placement, is_white=white)
    _check_en_passant(board, en_passant)
    if board.was_into_check():
        raise side.rule_error(
            "opposite-check",
            "White is to move, but Black is in check"
            if board.turn
            else "Black is to move, but White is in check",
        )
    _warn_about_oddities(board, placement, halfmoves, warnings)
    rights = _possible_rights(board, castling, warnings) if position.castling else ""
    return position if rights == position.castling else replace(position, castling=rights)


def _read_side(field: TextPiece, warnings: Warnings) -> bool:
    side = field.text.lower()
    if side not in ("", "w", "b"):
        raise field.parse_error(
            "fen-side", "{side!r} is not a side to move; use w or b", side=field.text[:20]
        )
    if side != field.text:
        warnings.add("fen-case", "the side to move is a lowercase letter, w or b", field.offset)
    return side != "b"


def _read_castling(field: TextPiece, warnings: Warnings) -> str:
    text = field.text
    if text in ("", "-"):
        return ""
    ordered_rights = "".join(right for right in "KQkq" if right in text)
    if sorted(text) == sorted(ordered_rights):
        if text != ordered_rights:
            warnings.add("fen-castling-order", "castling rights are written in the order KQkq", field.offset)
        return ordered_rights
    raise field.parse_error(
        "fen-castling",
        "{rights!r} is not a valid castling field; use letters from KQkq, or -",
        rights=text[:20],
    )


def _read_en_passant(field: TextPiece) -> str:
    if field.text in ("", "-"):
        return ""
    if not _SQUARE.fullmatch(field.text):
        raise field.parse_error(
            "fen-en-passant",
            "{square!r} is not an en passant square; use a square such as e3, or -",
            square=field.text[:20],
        )
    return field.text


def _read_count(field: TextPiece, minimum: int, warnings: Warnings) -> int:
    text = field.text.lstrip("0") or field.text[:1]
    if not text:
        return minimum
    if text != "-" and not (text.isascii() and text.isdigit() and int(text[:9]) <= MAX_CLOCK):
        raise field.parse_error(
            "fen-count",
            "{text!r} is not a number from {least} to {most}",
            text=text[:20],
            least=minimum,
            most=MAX_CLOCK,
        )
    if text == "-" or int(text) < minimum:
        warnings.add(
            "fen-count",
            "a number of at least {number} is expected here; read as {number}",
            field.offset,
            number=minimum,
        )
        return minimum
    return int(text)


_BOARD_SIZE = 8
_DIGITS = frozenset("12345678")
_SPACES = re.compile(" +")
_CASTLING_SQUARES = {"K": ("e1", "h1"), "Q": ("e1", "a1"), "k": ("e8", "h8"), "q": ("e8", "a8")}


def _read_placement(field: TextPiece, warnings: Warnings) -> str:
    ranks = field.split("/")
    if len(ranks) != _BOARD_SIZE:
        raise field.parse_error("fen-ranks", "a chessboard has 8 ranks, not {ranks}", ranks=len(ranks))
    return "/".join(_read_rank(rank, 8 - number, warnings) for number, rank in enumerate(ranks))


def _read_rank(rank: TextPiece, number: int, warnings: Warnings) -> str:
    squares = ""
    for offset, symbol in enumerate(rank.text):
        if symbol in "pnbrqkPNBRQK":
            squares += symbol
        elif symbol in _DIGITS:
            if rank.text[offset - 1 : offset] in _DIGITS:
                warnings.add(
                    "fen-digits", "consecutive empty squares are written as one number", rank.offset + offset
                )
            squares += " " * int(symbol)
        else:
            raise rank.part(offset, offset + 1).parse_error(
                "fen-piece",
                "{character!r} is neither a chess piece nor a number of empty squares",
                character=symbol,
            )
    if len(squares) != _BOARD_SIZE:
        raise rank.parse_error(
            "fen-rank",
            "rank {rank} should have 8 squares, but has {squares}",
            rank=number,
            squares=len(squares),
        )
    return _SPACES.sub(lambda run: str(len(run[0])), squares)


def _symbol_on(square: chess.Square, placement: TextPiece) -> TextPiece:
    squares_left = chess.square_mirror(square)  # a FEN starts with rank 8
    for offset, symbol in enumerate(placement.text):
        squares_left -= 0 if symbol == "/" else int(symbol) if symbol in _DIGITS else 1
        if squares_left < 0:
            return placement.part(offset, offset + 1)
    return placement


def _check_material(board: chess.Board, placement: TextPiece, *, is_white: bool) -> None:
    kings, pawns = board.pieces(chess.KING, is_white), board.pieces(chess.PAWN, is_white)
    if not kings:
        raise placement.rule_error(
            "no-king", "there is no white king" if is_white else "there is no black king"
        )
    if len(kings) > 1:
        raise _symbol_on(sorted(kings, key=chess.square_mirror)[1], placement).rule_error(
            "kings",
            "there are {kings} white kings" if is_white else "there are {kings} black kings",
            kings=len(kings),
        )
    for pawn in pawns & chess.BB_BACKRANKS:
        raise _symbol_on(pawn, placement).rule_error(
            "pawn-on-back-rank", "a pawn can't be on {square}", square=chess.square_name(pawn)
        )
    if len(pawns) > 8:
        raise placement.rule_error(
            "pawns",
            "White has {pawns} pawns, which is more than 8"
            if is_white
            else "Black has {pawns} pawns, which is more than 8",
            pawns=len(pawns),
        )
    piece_count = chess.popcount(board.occupied_co[is_white])
    if piece_count > 16:
        raise placement.rule_error(
            "pieces",
            "White has {pieces} pieces, which is more than 16"
            if is_white
            else "Black has {pieces} pieces, which is more than 16",
            pieces=piece_count,
        )


def _possible_rights(board: chess.Board, castling: TextPiece, warnings: Warnings) -> str:
    """Return the rights whose king and rook are on their original squares. Warn about the others."""
    possible_rights = castling.text
    for offset, right in enumerate(castling.text.replace("-", "")):
        king, rook = _CASTLING_SQUARES[right]
        for square, piece in ((king, chess.KING), (rook, chess.ROOK)):
            if board.piece_at(chess.parse_square(square)) != chess.Piece(piece, right.isupper()):
                possible_rights = possible_rights.replace(right, "")
                warnings.add(
                    "castling",
                    "the castling right {right} is left out: its king is not on {square}"
                    if piece == chess.KING
                    else "the castling right {right} is left out: its rook is not on {square}",
                    castling.offset + offset,
                    right=right,
                    square=square,
                )
                break
    return "".join(right for right in _CASTLING_SQUARES if right in possible_rights)


def _check_en_passant(board: chess.Board, en_passant: TextPiece) -> None:
    square = board.ep_square
    if square is None:
        return
    name = chess.square_name(square)
    if chess.square_rank(square) != (5 if board.turn else 2):
        raise en_passant.rule_error(
            "en-passant",
            "White is to move, so a pawn can be taken en passant only on rank 6, not on {square}"
            if board.turn
            else "Black is to move, so a pawn can be taken en passant only on rank 3, not on {square}",
            square=name,
        )
    forward = -8 if board.turn else 8  # for the pawn that has just moved
    pawn = square + forward
    if board.piece_at(pawn) != chess.Piece(chess.PAWN, not board.turn):
        raise en_passant.rule_error(
            "en-passant",
            "{square} can't be the en passant square: there is no pawn on {pawn}",
            square=name,
            pawn=chess.square_name(pawn),
        )
    for passed_square in (square, square - forward):
        if board.piece_at(passed_square) is not None:
            raise en_passant.rule_error(
                "en-passant",
                "{square} can't be the en passant square: {blocked} is not empty",
                square=name,
                blocked=chess.square_name(passed_square),
            )


def _warn_about_oddities(
    board: chess.Board, placement: TextPiece, clock: TextPiece, warnings: Warnings
) -> None:
    """Warn about features that real games rarely or never have."""
    for white in (True, False):
        bishops = board.pieces_mask(chess.BISHOP, white)
        promoted_count = sum(
            max(0, chess.popcount(pieces) - usual)
            for pieces, usual in (
                (board.pieces_mask(chess.QUEEN, white), 1),
                (board.pieces_mask(chess.ROOK, white), 2),
                (board.pieces_mask(chess.KNIGHT, white), 2),
                (bishops & chess.BB_LIGHT_SQUARES, 1),
                (bishops & chess.BB_DARK_SQUARES, 1),
            )
        )
        if promoted_count > 8 - chess.popcount(board.pieces_mask(chess.PAWN, white)):
            warnings.add(
                "promotions",
                "White has more extra pieces than its missing pawns explain"
                if white
                else "Black has more extra pieces than its missing pawns explain",
                placement.offset,
            )
    if board.status() & (chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK):
        warnings.add("impossible-check", "no legal move could have given this check", placement.offset)
    played_count = 2 * (board.fullmove_number - 1) + (0 if board.turn else 1)
    if board.halfmove_clock > played_count:
        warnings.add(
            "halfmove-clock",
            "the halfmove clock is {clock}, but the number of half-moves played is only {played}",
            clock.offset,
            clock=board.halfmove_clock,
            played=played_count,
        )
    elif board.ep_square is not None and board.halfmove_clock:
        warnings.add(
            "halfmove-clock",
            "the halfmove clock is {clock}, but it should be 0 after a pawn move",
            clock.offset,
            clock=board.halfmove_clock,
        )
