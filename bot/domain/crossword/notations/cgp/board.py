"""The board field of CGP: rows between slashes, tiles and runs of empty squares in a row."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import chain

from bot.domain.crossword.board import EMPTY, Board
from bot.domain.crossword.distributions import BLANK, LetterDistribution
from bot.domain.crossword.layouts import MAX_SIDE
from bot.domain.crossword.notations import tile_text
from bot.domain.reading.piece import Piece
from bot.domain.reading.problems import Warnings


def measure_rows(board: Piece, separator: str = "/") -> list[Piece]:
    """Split the board field into rows.

    Raises:
        ParseError: there are more than :data:`MAX_SIDE`.

    """
    rows = board.split(separator)
    if len(rows) > MAX_SIDE:
        raise rows[MAX_SIDE].malformed(
            "too-many-rows",
            "the board has {rows} rows; {limit} is the most",
            rows=len(rows),
            limit=MAX_SIDE,
        )
    return rows


def read_board(rows: list[Piece], distribution: LetterDistribution, warnings: Warnings) -> Board:
    """Read the rows of a square board.

    Raises:
        UnknownTileError: something is no tile of the distribution.
        ParseError: the rows are not as wide as they are many, a run of empty squares is absurd, a blank is ``?``.

    """
    pattern, meanings = _strict_row(distribution)
    squares: list[list[int]] = []
    for row in rows:
        try:
            tiles = list(chain.from_iterable(map(meanings.__getitem__, pattern.findall(row.text))))
        except KeyError:
            tiles = read_row(row, distribution, warnings, apart=True)
        if len(tiles) != len(rows) and tile_text.splits(distribution):
            tiles = _joined_row(row, distribution, len(rows), warnings) or tiles
        squares.append(tiles)
    columns = common_width(rows, [len(tiles) for tiles in squares])
    return Board(len(rows), columns, tuple(chain.from_iterable(squares)))


@lru_cache(maxsize=64)
def _strict_row(distribution: LetterDistribution) -> tuple[re.Pattern[str], dict[str, tuple[int, ...]]]:
    """Return a pattern that splits a row into tokens, and the squares that each strictly written token stands for."""
    meanings = {str(length): (EMPTY,) * length for length in range(1, MAX_SIDE + 1)}
    for text, number in distribution.numbers.items():
        if number != BLANK:
            meanings[text] = (number,)
            meanings[tile_text.bracketed(text)] = (number,)
    return tile_text.split_pattern(distribution, apart=True), meanings


def _joined_row(
    row: Piece, distribution: LetterDistribution, width: int, warnings: Warnings
) -> list[int] | None:
    """Read a row whose long tiles have no brackets, if it gets the right width so."""
    tiles = read_row(row, distribution, warnings)
    if len(tiles) != width:
        return None
    row.warn(warnings, "missing-brackets", "a tile of several letters is written in brackets, like [CH]")
    return tiles


def read_row(
    row: Piece, distribution: LetterDistribution, warnings: Warnings, *, apart: bool = False
) -> list[int]:
    """Read one row in any spelling, with the place of each fault.

    ``apart`` as in :func:`bot.domain.crossword.notations.tile_text.token_pattern`; errors as in :func:`read_board`.
    """
    squares: list[int] = []
    for match in tile_text.token_pattern(distribution, apart=apart).finditer(row.text):
        token = row.part(*match.span())
        if match.lastgroup == tile_text.RUN:
            squares += [EMPTY] * _run_length(token, warnings)
        else:
            squares.append(_tile(token, match.lastgroup, distribution, warnings))
        if len(squares) > MAX_SIDE:
            break
    return squares


def _tile(token: Piece, group: str | None, distribution: LetterDistribution, warnings: Warnings) -> int:
    if group == tile_text.TILE:
        if distribution.numbers[token.text] == BLANK:
            raise token.malformed(
                "blank-without-letter",
                "a blank on the board is written as the small letter it stands for, not as ?",
            )
        return distribution.numbers[token.text]
    if group == tile_text.MIXED and (number := tile_text.mixed_case_number(token.text, distribution)):
        return number
    if group == tile_text.BRACKET:
        return _bracketed_tile(token, distribution, warnings)
    raise tile_text.unknown_tile(token, distribution)


def _run_length(run: Piece, warnings: Warnings) -> int:
    digits = run.text.lstrip("0")
    if len(digits) > 2 or int(digits or "0") > MAX_SIDE:
        raise run.malformed(
            "run-too-long",
            "{run} empty squares in a row; a board is at most {limit} wide",
            run=run.text if len(run.text) <= 12 else run.text[:12] + "…",
            limit=MAX_SIDE,
        )
    if len(digits) != len(run.text):
        run.warn(warnings, "leading-zero", "a run of empty squares is written without a leading zero")
    return int(digits or "0")


def _bracketed_tile(token: Piece, distribution: LetterDistribution, warnings: Warnings) -> int:
    number = tile_text.bracket_number(token.text, distribution)
    if not number or not token.text.endswith("]"):
        raise tile_text.unknown_tile(token, distribution)
    if token.text != tile_text.bracketed(distribution.text(number)):
        token.warn(warnings, "odd-brackets", "{token} is usually written another way", token=token.text[:20])
    return number


def common_width(rows: list[Piece], widths: list[int]) -> int:
    """Return how many columns a square board of these rows has.

    Raises:
        ParseError: a row is wider or narrower than the others, or there are too many or too few rows.

    """
    if widths.count(len(rows)) == len(rows):
        return len(rows)
    counted = Counter(widths)
    columns = len(rows) if counted[len(rows)] * 2 >= len(rows) else counted.most_common(1)[0][0]
    for number, (row, width) in enumerate(zip(rows, widths, strict=True), start=1):
        if width > MAX_SIDE:
            raise row.malformed("row-width", "a row is over {limit} squares wide", limit=MAX_SIDE)
        if width != columns:
            raise row.malformed(
                "row-width",
                "row {row} is {width} squares wide, not {columns}",
                row=number,
                width=width,
                columns=columns,
            )
    raise rows[min(columns, len(rows) - 1)].malformed(
        "row-count",
        "the board has {rows} rows of {columns} squares; it needs {columns} rows",
        rows=len(rows),
        columns=columns,
    )
