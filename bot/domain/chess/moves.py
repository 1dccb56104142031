"""Reads moves in standard, long or UCI notation, and moves as players type them (``1. e4``, ``nf3``, ``E4``)."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Final

from bot.domain.chess.documents import ChessMove
from bot.domain.chess.position import ChessPosition, position_of
from bot.domain.chess.python_chess import chess
from bot.domain.reading.problems import ParseError, RuleError, TextPiece

_EN_PASSANT = re.compile(r"\s?e\.?p\.?\Z")
_MARKS = "+#!?\u2020"
"""Marks after a move that do not change its meaning."""
_PAWN_CAPTURE = re.compile(r"([a-h])x([1-8])")
_FORM = re.compile(
    r"(?P<piece>[NBRQK])?(?P<file>[a-h])?(?P<rank>[1-8])?[-x]?(?P<to>[a-h][1-8])(?P<promotion>=?[NBRQKnbrqk])?"
)
MAX_LISTED_MOVES = 6


def read_move(board: chess.Board, token: TextPiece) -> tuple[chess.Move, str]:
    """Read a move in a position. Return the move and its standard notation.

    Accepted forms include ``Nf3``, ``Ngf3``, ``Ng1-f3``, ``exd5``, ``e4xd5``, ``d8Q``, ``d7-d8=Q``, ``O-O``,
    ``0-0``, ``e2e4`` and ``ex5`` (the e-pawn captures on rank 5). Check symbols are ignored, and so is a
    missing or superfluous ``x``.

    Raises:
        ParseError: the text is not a move in any position.
        RuleError: the move is not possible, or could be several moves.

    """
    text = (
        _EN_PASSANT.sub("", token.text.rstrip(_MARKS)).removeprefix("P").replace(":", "x").replace("o", "O")
    )
    if pawn_capture := _PAWN_CAPTURE.fullmatch(text):
        moves = [
            move
            for move in board.generate_legal_captures()
            if board.piece_type_at(move.from_square) == chess.PAWN
            and chess.square_name(move.from_square)[0] == pawn_capture[1]
            and chess.square_name(move.to_square)[1] == pawn_capture[2]
        ]
    else:
        try:
            moves = [board.parse_san(text)]
        except chess.AmbiguousMoveError:
            moves = _moves_matching(board, text)
        except chess.IllegalMoveError:
            raise _error_with_reason(board, text, token) from None
        except ValueError:
            raise token.parse_error(
                "move-form", "{move!r} is not a chess move", move=token.text[:30]
            ) from None
    if len(moves) > 1:
        raise token.rule_error(
            "move-ambiguous",
            "{move} could be any of {moves}",
            move=token.text[:30],
            moves=", ".join(sorted(map(board.san, moves))[:MAX_LISTED_MOVES]),
        )
    if not moves:
        raise illegal_move_error(board, token)
    return moves[0], board.san(moves[0])


def _piece_type(letter: str) -> chess.PieceType:
    return chess.PIECE_SYMBOLS.index(letter.lower())


def _moves_matching(board: chess.Board, text: str, *, may_leave_check: bool = False) -> list[chess.Move]:
    """Return the legal moves that the text may mean. If ``may_leave_check``, include moves that leave the king in check."""
    form = _FORM.fullmatch(text)
    if form is None:
        return []
    promotion = form["promotion"]
    piece_type = _piece_type(form["piece"] or "P")
    return [
        move
        for move in (board.pseudo_legal_moves if may_leave_check else board.legal_moves)
        if board.piece_type_at(move.from_square) == piece_type
        and chess.square_name(move.to_square) == form["to"]
        and form["file"] in (None, chess.square_name(move.from_square)[0])
        and form["rank"] in (None, chess.square_name(move.from_square)[1])
        and (promotion is None or move.promotion == _piece_type(promotion[-1]))
    ]


def _error_with_reason(board: chess.Board, text: str, token: TextPiece) -> RuleError:
    candidates = _moves_matching(board, text, may_leave_check=True)
    if any(move.promotion for move in candidates) and not text[-1].isalpha():
        return token.rule_error(
            "move-promotion",
            "{move} doesn't show which piece the pawn becomes; write {move}Q, for example",
            move=text,
        )
    # In Antichess and Racing Kings, a move may be illegal for another reason.
    if any(map(board.is_into_check, candidates)):
        return token.rule_error("move-leaves-check", "{move} leaves the king in check", move=token.text[:30])
    return illegal_move_error(board, token)


def illegal_move_error(board: chess.Board, token: TextPiece) -> RuleError:
    return token.rule_error(
        "move-illegal",
        "{move} isn't a legal move; White is to move"
        if board.turn
        else "{move} isn't a legal move; Black is to move",
        move=token.text[:30],
    )


MAX_MOVE_LENGTH: Final = 20

_LOWERCASE_PIECES: Final = frozenset("nbrqk")
_SEPARATORS: Final = {ord(character): None for character in "x-:="}
_NUMBER: Final = re.compile(r"\A[0-9]{1,4}\s?(?:\.{1,3}|…)\s*")
_CAPITAL_FILE: Final = re.compile(r"[ACDEFGH](?=[1-8x])|B(?=[1-8]\Z)")
"""A capital letter that means a file, at the start of a move."""
_TYPED_MOVE: Final = re.compile(
    r"(?:[NBRQP]?@[a-h][1-8]|[NBRQKPnrqk]?[a-h]?[1-8]?[-x:]?[a-h][1-8](?:=?[NBRQKnbrqk])?|[a-h]x[a-h1-8]|[Oo0](?:-[Oo0]){1,2})[+#]?[!?]{0,2}"
)


def normalize_move(text: str) -> str:
    """Return a typed move without its number and backticks, and with a lowercase file letter."""
    move = _NUMBER.sub("", text.strip(" \t\r\n`"), count=1)
    return move[0].lower() + move[1:] if _CAPITAL_FILE.match(move) else move


def is_typed_move(text: str) -> bool:
    return len(text) <= MAX_MOVE_LENGTH and _TYPED_MOVE.fullmatch(normalize_move(text)) is not None


def legal_moves_by_start(position: ChessPosition) -> dict[str, tuple[str, ...]]:
    """Return the legal moves in UCI, by starting square. The key of a drop is its piece (``N@``)."""
    board = position.board()
    moves = sorted(map(board.uci, board.legal_moves))
    return {start: tuple(group) for start, group in groupby(moves, key=lambda uci: uci[:2])}


def play_typed_move(position: ChessPosition, text: str) -> tuple[ChessMove, ChessPosition]:
    """Play a typed move. Return the move and the position after it.

    Raises:
        DomainError: see :func:`read_move`.

    """
    board, typed_move = position.board(), normalize_move(text[:MAX_MOVE_LENGTH])
    try:
        move, san = read_move(board, TextPiece.of(typed_move))
    except (ParseError, RuleError):
        if typed_move[:1] not in _LOWERCASE_PIECES or len(typed_move) < 3:
            raise
        move, san = read_move(board, TextPiece.of(typed_move[0].upper() + typed_move[1:]))
    board.push(move)
    return ChessMove(san, move.uci()), position_of(board)


def similar_moves(position: ChessPosition, text: str) -> tuple[str, ...]:
    """Return legal moves that differ from the text by at most one typing error: up to :data:`MAX_LISTED_MOVES`, in standard notation."""
    typed_move = normalize_move(text[:MAX_MOVE_LENGTH]).rstrip(_MARKS).translate(_SEPARATORS).casefold()
    board = position.board()
    sans_and_squares = (
        (board.san(move), chess.square_name(move.from_square) + chess.square_name(move.to_square))
        for move in board.legal_moves
    )
    near_sans = sorted(
        san
        for san, squares in sans_and_squares
        if _is_one_typo_apart(san.rstrip(_MARKS).translate(_SEPARATORS).casefold(), typed_move)
        or _is_one_typo_apart(squares, typed_move)
    )
    return tuple(near_sans[:MAX_LISTED_MOVES])


def _is_one_typo_apart(first: str, second: str) -> bool:
    """Return whether two strings differ by at most one wrong, missing or extra character, or two swapped neighbours."""
    if len(first) > len(second):
        first, second = second, first
    index = next(
        (index for index, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), len(first)
    )
    if len(second) - len(first) > 1:
        return False
    if len(first) < len(second):
        return first[index:] == second[index + 1 :]
    return first[index + 1 :] == second[index + 1 :] or (
        first[index : index + 2] == second[index : index + 2][::-1]
        and first[index + 2 :] == second[index + 2 :]
    )
