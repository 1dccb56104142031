"""A chess position: the fields of a FEN, the variant, the last move and EPD operations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from bot.domain.chess.python_chess import chess

MAX_POCKET_PIECES = 64
"""Maximum number of pieces in both pockets together."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant of chess."""

    key: str
    """The name in links to lichess: ``kingOfTheHill``."""
    name: str
    """The name in the ``Variant`` tag of a PGN."""
    engine_name: str
    """The value of the engine option ``UCI_Variant``; empty for Chess960, which has ``UCI_Chess960``."""

    def board(self, fen: str | None = None) -> chess.Board:
        if self.key == CHESS_960:
            return chess.Board(fen or chess.STARTING_FEN, chess960=True)
        board_class = chess.variant.find_variant(self.engine_name)
        return board_class() if fen is None else board_class(fen)


CHESS_960, CRAZYHOUSE, HORDE, RACING_KINGS, THREE_CHECK = (
    "chess960", "crazyhouse", "horde", "racingKings", "threeCheck",
)  # fmt: skip
VARIANTS = {
    variant.key: variant
    for variant in (
        Variant(CHESS_960, "Chess960", ""),
        Variant(CRAZYHOUSE, "Crazyhouse", "crazyhouse"),
        Variant("atomic", "Atomic", "atomic"),
        Variant("antichess", "Antichess", "antichess"),
        Variant(HORDE, "Horde", "horde"),
        Variant("kingOfTheHill", "King of the Hill", "kingofthehill"),
        Variant(THREE_CHECK, "Three-check", "3check"),
        Variant(RACING_KINGS, "Racing Kings", "racingkings"),
    )
}


def plain_variant_name(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


_KEY_BY_PLAIN_NAME = {
    plain_variant_name(name): key for key, variant in VARIANTS.items() for name in (key, variant.name)
} | {
    "koth": "kingOfTheHill",
    "3check": THREE_CHECK,
    "fischerandom": CHESS_960,
    "fischerrandom": CHESS_960,
    "freestyle": CHESS_960,
}


def variant_key(name: str) -> str:
    """Return the key of a variant, or an empty string for an unknown name."""
    plain = plain_variant_name(name)
    return _KEY_BY_PLAIN_NAME.get(plain, CHESS_960 if "960" in plain else "")


_CASTLING_CHARACTERS = frozenset("ABCDEFGHabcdefghKQkq-")
RACING_START = "8/8/8/8/8/8/krbnNBRK/qrbnNBRQ"


def implied_variant(placement: str, castling: str, *, has_checks: bool) -> str:
    """Return the variant that the fields of a FEN imply, or an empty string if the fields allow standard chess.

    Pockets or marks of promoted pieces mean Crazyhouse, a count of checks means Three-check, and castling rights
    written as file letters mean Chess960. Horde has more than eight white pawns and no white king. Racing Kings
    has its own starting board.
    """
    board = placement.partition("[")[0]
    if "[" in placement or "~" in placement or board.count("/") > 7:
        return CRAZYHOUSE
    if has_checks:
        return THREE_CHECK
    if 1 <= len(castling) <= 4 and set("KQkq-") < set(castling) | set("KQkq-") <= _CASTLING_CHARACTERS:
        return CHESS_960
    if board == RACING_START:
        return RACING_KINGS
    return HORDE if "K" not in board and "k" in board and board.count("P") > 8 else ""


class Ending(Enum):
    """A reason why a game is over."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    INSUFFICIENT_MATERIAL = "insufficient-material"
    WHITE_WINS = "white-wins"
    """``WHITE_WINS``, ``BLACK_WINS`` and ``DRAW`` occur only in variants."""
    BLACK_WINS = "black-wins"
    DRAW = "draw"


@dataclass(frozen=True, slots=True)
class ChessPosition:
    """A legal position, by default the starting position. The fields are normalized, so FENs can be compared as text."""

    placement: str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
    """The first field of the FEN, in its shortest form."""
    white_to_move: bool = True
    castling: str = "KQkq"
    """The remaining rights, in the order ``KQkq``. In Chess960, a right may be the letter of the rook's file."""
    en_passant: str = ""
    """The square that a pawn has just passed over."""
    halfmove_clock: int = 0
    """Half-moves since a pawn moved or a piece was taken."""
    fullmove_number: int = 1
    last_move: str = ""
    """In UCI: ``e2e4``, ``0000`` for a null move, or empty if unknown."""
    variant: str = ""
    """A key of :data:`VARIANTS`, or empty for standard chess."""
    pockets: str = ""
    """Pieces to drop in Crazyhouse: White's in capitals, then Black's."""
    checks: str = ""
    """The checks that White and Black still need in Three-check (``3+2``)."""
    operations: tuple[tuple[str, str], ...] = ()
    """EPD operations as (opcode, operands) pairs, as written, without the clocks."""

    @property
    def fen(self) -> str:
        """In Crazyhouse, the pockets follow the board. In Three-check, the checks precede the clocks."""
        side = "w" if self.white_to_move else "b"
        pockets = f"[{self.pockets}]" if self.variant == CRAZYHOUSE else ""
        checks = f"{self.checks} " if self.checks else ""
        return (
            f"{self.placement}{pockets} {side} {self.castling or '-'} {self.en_passant or '-'} {checks}"
            f"{self.halfmove_clock} {self.fullmove_number}"
        )

    def board(self, moves: Iterable[str] = ()) -> chess.Board:
        """Return a python-chess board with this position, after the legal ``moves`` in UCI."""
        board = VARIANTS[self.variant].board(self.fen) if self.variant else chess.Board(self.fen)
        for move in moves:
            board.push(chess.Move.from_uci(move))
        return board

    @property
    def squares(self) -> tuple[str, ...]:
        """The FEN letters on the squares from a8 to h1. An empty square is an empty string."""
        pieces: list[str] = []
        # In Crazyhouse, a promoted piece is followed by a mark.
        for symbol in self.placement.replace("/", "").replace("~", ""):
            pieces += [""] * int(symbol) if symbol.isdigit() else [symbol]
        return tuple(pieces)

    def piece_on(self, square: str) -> str:
        return self.squares[8 * (8 - int(square[1])) + ord(square[0]) - ord("a")]

    @property
    def known_last_move(self) -> str:
        """The last move if stored, otherwise the double step that the en passant square implies.

        Empty after a null move, or if the move is unknown.
        """
        if self.last_move:
            return self.last_move if self.last_move != "0000" else ""
        if not self.en_passant:
            return ""
        file = self.en_passant[0]
        return f"{file}2{file}4" if self.en_passant[1] == "3" else f"{file}7{file}5"

    @property
    def checked_king_square(self) -> str:
        """Empty if no king is in check."""
        board = self.board()
        king = board.king(board.turn)
        return chess.square_name(king) if king is not None and board.is_check() else ""

    @property
    def ending(self) -> Ending | None:
        board = self.board()
        outcome = board.outcome()
        if outcome is None:
            return None
        termination = outcome.termination.name
        if termination in {"VARIANT_WIN", "VARIANT_LOSS"}:
            return Ending.WHITE_WINS if outcome.winner else Ending.BLACK_WINS
        ending = _ENDINGS.get(termination)
        if ending is Ending.INSUFFICIENT_MATERIAL and not any(board.generate_legal_moves()):
            return Ending.STALEMATE
        return ending

    @property
    def is_over(self) -> bool:
        """Whether there are no legal moves, or the rules of a variant have ended the game. Insufficient material alone does not count."""
        return self.ending not in (None, Ending.INSUFFICIENT_MATERIAL)


_ENDINGS = {
    "CHECKMATE": Ending.CHECKMATE,
    "STALEMATE": Ending.STALEMATE,
    "INSUFFICIENT_MATERIAL": Ending.INSUFFICIENT_MATERIAL,
    "VARIANT_DRAW": Ending.DRAW,
}
"""Endings, by the names of python-chess's terminations. Kibitz does not end a game by repetition or by the 50- or 75-move rule."""

START_POSITION = ChessPosition()

_KEY_BY_ENGINE_NAME = {variant.engine_name: key for key, variant in VARIANTS.items()}
"""Keys of variants by python-chess's variant names. Standard chess has no key."""


def position_of(board: chess.Board) -> ChessPosition:
    variant = CHESS_960 if board.chess960 else _KEY_BY_ENGINE_NAME.get(board.uci_variant or "", "")
    pockets = checks = ""
    if isinstance(board, chess.variant.CrazyhouseBoard):
        pockets = f"{str(board.pockets[chess.WHITE]).upper()}{board.pockets[chess.BLACK]}"
    elif isinstance(board, chess.variant.ThreeCheckBoard):
        checks = f"{board.remaining_checks[chess.WHITE]}+{board.remaining_checks[chess.BLACK]}"
    return ChessPosition(
        board.board_fen(promoted=variant == CRAZYHOUSE),
        board.turn == chess.WHITE,
        board.castling_xfen().replace("-", ""),
        chess.square_name(board.ep_square) if board.ep_square is not None else "",
        board.halfmove_clock,
        board.fullmove_number,
        board.peek().uci() if board.move_stack else "",
        variant,
        pockets,
        checks,
    )
