"""The signs of the ASCII draft of CGP: one character for each tile."""

from __future__ import annotations

from bot.domain.crossword.distributions import LetterDistribution
from bot.domain.reading.piece import Piece

RUN_SIGN = "~"
MAX_TILE = 42
"""The last machine letter that has a sign."""

_TILES = 32
_BLANKS = 80


def rune(tile: int) -> str:
    """Return the sign of a tile, or of a blank that stands for it (below zero)."""
    return chr(_TILES + tile if tile > 0 else _BLANKS - tile)


def tile_of(sign: Piece, distribution: LetterDistribution, *, on_board: bool = True) -> int:
    """Return the tile that a sign stands for.

    Raises:
        ParseError: the sign stands for no tile of the set, or for a blank with a letter on a rack.

    """
    code = ord(sign.text)
    tile = 0
    if _TILES < code <= _TILES + MAX_TILE:
        tile = code - _TILES
    elif on_board and _BLANKS < code <= _BLANKS + MAX_TILE:
        tile = _BLANKS - code
    if not 0 < abs(tile) < len(distribution.letters):
        raise sign.malformed(
            "unknown-tile",
            "{token!r} is no tile of the {distribution} set",
            token=sign.text,
            distribution=distribution.name,
        )
    return tile
