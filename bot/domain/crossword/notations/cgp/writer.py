"""Writing CGP in its strict form, leaving out what is the default anyway."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from bot.domain.crossword.board import EMPTY, Board
from bot.domain.crossword.distributions import LetterDistribution
from bot.domain.crossword.notations import tile_text
from bot.domain.crossword.notations.cgp.opcodes import write_opcodes
from bot.domain.crossword.notations.position_checks import check_square, seen_players
from bot.domain.crossword.position import Position
from bot.domain.reading.problems import ConversionError

_RESERVED = re.compile(r"[\[\]/\s0-9?;.]")


def write(position: Position) -> str:
    """Write the canonical CGP of a position, the player on turn first.

    Raises:
        ConversionError: the board is not square, or a tile is written with characters that CGP needs itself.

    """
    check_square(position)
    position = position.mover_first()
    distribution = position.rules.distribution
    check_tiles(distribution)
    position = replace(position, players=seen_players(position))
    fields = (
        write_board(position.board, distribution),
        "/".join(write_tiles(player.rack, distribution) for player in position.players),
        "/".join(str(player.score) for player in position.players),
        str(position.scoreless_turns),
        *write_opcodes(position),
    )
    return " ".join(fields)


def check_tiles(distribution: LetterDistribution) -> None:
    """Refuse tiles that cannot be told from CGP's own signs.

    Raises:
        ConversionError: naming the first such tile.

    """
    for letter in distribution.letters[1:]:
        inner = letter.text
        if not inner or _RESERVED.search(inner):
            raise ConversionError(
                "tile-not-writable", "CGP cannot write the tile {tile!r}", tile=letter.text[:20]
            )


def write_tiles(tiles: Iterable[int], distribution: LetterDistribution) -> str:
    """Write tiles in a row, long ones in brackets."""
    return "".join(tile_text.bracketed(distribution.text(tile)) for tile in tiles)


def write_board(board: Board, distribution: LetterDistribution) -> str:
    """Write the board field."""
    return "/".join(_write_row(board.row(row), distribution) for row in range(board.rows))


def _write_row(row: tuple[int, ...], distribution: LetterDistribution) -> str:
    parts: list[str] = []
    run = 0
    for square in row:
        if square == EMPTY:
            run += 1
            continue
        if run:
            parts.append(str(run))
            run = 0
        parts.append(tile_text.bracketed(distribution.text(square)))
    if run:
        parts.append(str(run))
    return "".join(parts)
