"""The variants of chess that python-chess plays, by the names and keys that lichess gives them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import chess
import chess.variant

MAX_POCKET = 64
"""Pieces in both pockets together."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant."""

    key: str
    """As in lichess' addresses: ``kingOfTheHill``."""
    name: str
    """As in the tag of a PGN, and as people call it."""
    board: Callable[..., chess.Board]
    """Makes a board with the position of a FEN on it, the start by default."""

    @property
    def engines(self) -> str:
        """What engines call it: the value of ``UCI_Variant``; empty where that is ``UCI_Chess960``."""
        return str(getattr(self.board, "uci_variant", ""))


CHESS_960, CRAZYHOUSE, HORDE, RACING_KINGS, THREE_CHECK = (
    "chess960", "crazyhouse", "horde", "racingKings", "threeCheck",
)  # fmt: skip
VARIANTS = {
    variant.key: variant
    for variant in (
        Variant(CHESS_960, "Chess960", partial(chess.Board, chess960=True)),
        Variant(CRAZYHOUSE, "Crazyhouse", chess.variant.CrazyhouseBoard),
        Variant("atomic", "Atomic", chess.variant.AtomicBoard),
        Variant("antichess", "Antichess", chess.variant.AntichessBoard),
        Variant(HORDE, "Horde", chess.variant.HordeBoard),
        Variant("kingOfTheHill", "King of the Hill", chess.variant.KingOfTheHillBoard),
        Variant(THREE_CHECK, "Three-check", chess.variant.ThreeCheckBoard),
        Variant(RACING_KINGS, "Racing Kings", chess.variant.RacingKingsBoard),
    )
}
"""By their keys."""


def _letters(name: str) -> str:
    return "".join(sign for sign in name.lower() if sign.isalnum())


_SPELLINGS = {_letters(name): key for key, variant in VARIANTS.items() for name in (key, variant.name)} | {
    "koth": "kingOfTheHill",
    "3check": THREE_CHECK,
    "fischerandom": CHESS_960,
    "fischerrandom": CHESS_960,
    "freestyle": CHESS_960,
}


def variant_named(name: str) -> str:
    """Return the key of a variant as people write its name; empty when it is none of these."""
    letters = _letters(name)
    return _SPELLINGS.get(letters, CHESS_960 if "960" in letters else "")


def key_of(board: chess.Board) -> str:
    """Return the key of the variant that a board plays; empty for usual chess."""
    if board.chess960:
        return CHESS_960
    return next((key for key, v in VARIANTS.items() if v.engines == board.uci_variant), "")


_FILES = frozenset("ABCDEFGHabcdefghKQkq-")
RACING_START = "8/8/8/8/8/8/krbnNBRK/qrbnNBRQ"


def told_by(placement: str, castling: str, *, checks: bool) -> str:
    """Return the variant that the form of a FEN tells; empty where it may be of usual chess.

    A pocket is Crazyhouse's and a count of checks Three-check's; files as castling rights are Chess960's. White without a
    king and with more pawns than eight is a horde, and the start of Racing Kings has no like.
    """
    board = placement.partition("[")[0]
    if "[" in placement or "~" in placement or board.count("/") > 7:
        return CRAZYHOUSE
    if checks:
        return THREE_CHECK
    if 1 <= len(castling) <= 4 and set("KQkq-") < set(castling) | set("KQkq-") <= _FILES:
        return CHESS_960
    if board == RACING_START:
        return RACING_KINGS
    return HORDE if "K" not in board and "k" in board and board.count("P") > 8 else ""
