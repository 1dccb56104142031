"""CGP, the Crossword Game Position: a position on one line, as in ``formats/cgp.txt`` of the field.

``board racks scores scoreless-turns opcode operand; …`` — see :mod:`bot.domain.crossword.notations.cgp.opcodes` for the
opcodes. The reader forgives what real programs and people write; the writer writes the strict form, leaving out
what is the default anyway.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from bot.domain.crossword.notations import tile_text
from bot.domain.crossword.notations.cgp.opcodes import apply_opcodes, split_opcodes
from bot.domain.crossword.notations.position_fields import (
    check_excess,
    crossplay_by_blanks,
    named_set,
    operand_of,
    pair_players,
    read_score,
    read_scoreless_turns,
    set_of_letters,
)
from bot.domain.crossword.notations.tile_text import UnknownTileError
from bot.domain.crossword.position import EMPTY, Board, Player, Position
from bot.domain.crossword.rules import BLANK, MAX_SIDE, LetterDistribution, usual_layout, usual_rules
from bot.domain.reading.encoding import join_accents
from bot.domain.reading.problems import ParseError, Phrase, Piece, Reading, Warnings, require_length

# The fields of a CGP.

_PREFIX = re.compile(r"\s*(?:(?:load\s+)?cgp\b:?\s*)?", re.IGNORECASE)
_FIELD = re.compile(r"\S+")
# A field after the board that cannot be racks but an opcode: ``15/…/15 lex NWL23;``.
_STARTS_OPCODES = re.compile(r"-?(?:lex|ld|bdn|l1|var)")
_MISSING = (Phrase("racks, scores and turns are"), Phrase("scores and turns are"), Phrase("a field is"))


class Fields(NamedTuple):
    """The four fields of a CGP; all but the board may be missing, and then those after it are too."""

    board: Piece
    racks: Piece | None
    scores: Piece | None
    scoreless: Piece | None
    rest: int
    """Offset at which the opcodes start."""


def split_fields(text: str, warnings: Warnings) -> Fields:
    """Split a text into fields; a ``cgp`` or ``load cgp`` before them is skipped.

    Raises:
        ParseError: there is no board, or some but not all of the other fields are there.

    """
    prefix = _PREFIX.match(text)
    fields: list[Piece] = []
    position = prefix.end() if prefix else 0
    while len(fields) < 4 and (match := _FIELD.search(text, position)):
        if len(fields) == 1 and _STARTS_OPCODES.fullmatch(match[0]):
            break
        fields.append(Piece.matched(match))
        position = match.end()
    if not fields:
        raise ParseError("missing-fields", "there is no text: a CGP starts with the rows of the board")
    board, *others = fields
    if not others:
        return Fields(board, None, None, None, position)
    if len(others) == 1 and "/" in others[0].text:
        warnings.add("missing-scores", "the scores are missing; taken as 0", others[0].end)
        return Fields(board, others[0], None, None, position)
    if len(others) < 3:
        raise Piece("", position, text).malformed(
            "missing-fields",
            "after the board a CGP has racks, scores and the number of scoreless turns; {missing} missing",
            missing=_MISSING[len(others)],
        )
    return Fields(board, others[0], others[1], others[2], position)


# The board field of CGP: rows between slashes, tiles and runs of empty squares in a row.


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


MAX_LENGTH = 40_000
"""Longest text that is read, in characters: a full 50×50 board of long tiles is shorter."""


def read(text: str) -> Reading[Position]:
    """Read one CGP; a ``cgp`` or ``load cgp`` before it is skipped. A board field alone is enough.

    Raises:
        ParseError: a field is missing or malformed, a row has the wrong width, a tile is unknown.
        RuleError: the board and racks show over ``MAX_EXCESS`` tiles more than the set has.

    """
    require_length(text, MAX_LENGTH)
    return join_accents(text).read(_read)


def _read(text: str) -> Reading[Position]:
    warnings = Warnings(text)
    fields = split_fields(text, warnings)
    opcodes = split_opcodes(text, fields.rest, warnings)
    rows = measure_rows(fields.board)
    distribution, named = named_set(opcodes, len(rows), warnings)
    try:
        board = read_board(rows, distribution, warnings)
        players = _read_players(fields, distribution, warnings)
    except UnknownTileError:
        fitting = None if named else _set_of_letters(fields, len(rows), warnings)
        if fitting is None:
            raise
        distribution = fitting
        board = read_board(rows, distribution, warnings)
        players = _read_players(fields, distribution, warnings)
    position = Position(
        usual_rules(distribution, usual_layout(distribution, board.rows, board.columns)),
        board,
        players,
        scoreless_turns=read_scoreless_turns(fields.scoreless) if fields.scoreless else 0,
    )
    if not named and not operand_of(opcodes, "bdn"):
        position = crossplay_by_blanks(position, warnings, fields.board.offset)
    position = apply_opcodes(position, opcodes, warnings)
    _check_tile_counts(fields, position, warnings)
    return Reading(position, warnings.all())


def _tile_parts(fields: Fields) -> list[Piece]:
    return [*fields.board.split("/"), *(fields.racks.split("/") if fields.racks else ())]


def _set_of_letters(fields: Fields, rows: int, warnings: Warnings) -> LetterDistribution | None:
    parts = _tile_parts(fields)

    def scan(distribution: LetterDistribution) -> list[int]:
        return [
            number
            for part in parts
            for number, _ in tile_text.scan_tiles(part, distribution, runs=True, apart=True)
        ]

    return set_of_letters(scan, rows, warnings, fields.board.offset)


def _read_players(fields: Fields, distribution: LetterDistribution, warnings: Warnings) -> tuple[Player, ...]:
    if fields.racks is None:
        return (Player(), Player())
    racks = fields.racks.split("/")
    scores = fields.scores.split("/") if fields.scores else [Piece.of("0")] * len(racks)
    return tuple(
        Player(read_score(score), tile_text.read_rack(rack, distribution, warnings))
        for rack, score in pair_players(racks, scores)
    )


def _check_tile_counts(fields: Fields, position: Position, warnings: Warnings) -> None:
    unseen = position.unseen
    if not unseen.excess:
        if fields.racks is not None and any(
            len(player.rack) > position.rules.rack_size for player in position.players
        ):
            _check_rack_sizes(fields.racks, position, warnings)
        return
    check_excess(_overdrawn(fields, position.rules.distribution, unseen.overdrawn[0]), position, warnings)


def _overdrawn(fields: Fields, distribution: LetterDistribution, letter: int) -> Piece:
    """Return the first tile, and what follows it, that is more than the set has."""
    left = distribution.counts[letter]
    board = fields.board.text.count("/") + 1
    for index, part in enumerate(_tile_parts(fields)):
        for number, offset in tile_text.scan_tiles(part, distribution, runs=True, apart=True):
            on_board = index < board
            if on_board and number == EMPTY:
                continue
            kind = (BLANK if number < 0 else number) if on_board else abs(number)
            left -= kind == letter
            if left < 0:
                return part.part(offset - part.offset)
    return fields.board


def _check_rack_sizes(racks: Piece, position: Position, warnings: Warnings) -> None:
    for rack, player in zip(racks.split("/"), position.players, strict=True):
        if len(player.rack) > position.rules.rack_size:
            rack.warn(
                warnings,
                "long-rack",
                "a rack has {tiles} tiles; {limit} is usual",
                tiles=len(player.rack),
                limit=position.rules.rack_size,
            )
