"""The operand of CGP's ``lm``: the last play, in its two spellings.

====================  ==============================  =====================
turn                  ``formats/cgp.txt`` (written)   its 2024 successor
====================  ==============================  =====================
placement             ``8D W.RD``                     ``8D.WORD``
unsuccessfully chal-  ``8D W.RD +5``
lenged placement
challenged off        ``challenge 8D W.RD``           ``phony.8D.WORD``
exchange              ``-QO``, ``-2``                 ``ex.QO``, ``ex.2``
pass                  ``-``                           ``pass``
====================  ==============================  =====================

The later spelling writes tiles played through as letters, so all the letters are taken as laid down.
"""

from __future__ import annotations

import re

from bot.domain.crossword.distributions import BLANK, LetterDistribution
from bot.domain.crossword.notations import tile_text
from bot.domain.crossword.play import THROUGH, Exchange, Pass, Placement, read_coordinate
from bot.domain.crossword.position import LastPlay, Position
from bot.domain.reading.piece import Piece

_PLACEMENT = re.compile(
    r"(?:(?P<off>challenge|phony)[ .])?(?P<start>[0-9]{1,2}[A-Za-z]{1,2}|[A-Za-z]{1,2}[0-9]{1,2})[ .]"
    r"(?P<tiles>\S+)(?: \+(?P<bonus>[0-9]{1,3}))?"
)
_EXCHANGE = re.compile(r"(?:-|ex\.)(?P<tiles>\S+)")
MAX_EXCHANGED = 100


def read_last_play(operand: str, position: Position) -> LastPlay | None:
    """Read the operand, or return None when it is none or does not fit on the board."""
    distribution = position.rules.distribution
    if operand in ("-", "pass"):
        return LastPlay(Pass())
    if match := _EXCHANGE.fullmatch(operand):
        return _read_exchange(match["tiles"], distribution)
    match = _PLACEMENT.fullmatch(operand)
    start = read_coordinate(match["start"]) if match else None
    if match is None or start is None:
        return None
    bonus = None if match["bonus"] is None else int(match["bonus"])
    readings = [
        LastPlay(Placement(start, tiles), challenge_bonus=bonus, withdrawn=match["off"] is not None)
        for apart in (True, False)
        if (tiles := _tiles(match["tiles"], distribution, apart=apart)) is not None
        if _fits(Placement(start, tiles), position)
    ]
    # Long tiles without brackets are told from short ones by what lies on the board.
    return next((last for last in readings if last_play_matches(last, position)), next(iter(readings), None))


def _fits(placement: Placement, position: Position) -> bool:
    row, column = placement.squares()[-1]
    return row < position.board.rows and column < position.board.columns


def _read_exchange(tiles: str, distribution: LetterDistribution) -> LastPlay | None:
    if tiles.isascii() and tiles.isdigit():
        count = int(tiles) if len(tiles) <= 3 else 0
        return LastPlay(Exchange(unknown=count)) if 0 < count <= MAX_EXCHANGED else None
    known = _tiles(tiles, distribution, apart=True)
    if known is None or len(known) > MAX_EXCHANGED or "." in tiles:
        return None
    return LastPlay(Exchange(tuple(abs(tile) for tile in known)))


def _tiles(text: str, distribution: LetterDistribution, *, apart: bool) -> tuple[int, ...] | None:
    try:
        scanned = tuple(tile_text.scan_tiles(Piece.of(text), distribution, apart=apart))
    except tile_text.UnknownTileError:
        return None
    return tuple(number for number, _ in scanned)


def last_play_matches(last: LastPlay, position: Position) -> bool:
    """Tell whether the tiles of a standing placement lie on the board where it says."""
    if last.withdrawn or not isinstance(last.play, Placement):
        return True
    board = position.board
    return all(
        board.at(row, column) == tile or (tile == THROUGH and board.at(row, column) != 0)
        for (row, column), tile in zip(last.play.squares(), last.play.tiles, strict=True)
    )


def write_last_play(last: LastPlay, distribution: LetterDistribution) -> str:
    """Write the operand in the spelling of ``formats/cgp.txt``."""
    if isinstance(last.play, Pass):
        return "-"
    if isinstance(last.play, Exchange):
        if last.play.unknown or not last.play.tiles:
            return f"-{last.play.count}"
        return "-" + _write_tiles(last.play.tiles, distribution, zero=distribution.text(BLANK))
    text = f"{last.play.start} {_write_tiles(last.play.tiles, distribution, zero='.')}"
    if last.withdrawn:
        return f"challenge {text}"
    return text if last.challenge_bonus is None else f"{text} +{last.challenge_bonus}"


def _write_tiles(tiles: tuple[int, ...], distribution: LetterDistribution, *, zero: str) -> str:
    return "".join(zero if tile == 0 else tile_text.bracketed(distribution.text(tile)) for tile in tiles)
