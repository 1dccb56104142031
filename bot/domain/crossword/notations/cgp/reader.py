"""Reads CGPs (Crossword Game Positions), as macondo's ``cgp/README.md`` specifies them, and common variants.

The form is ``board racks scores scoreless-turns opcode operand; …``.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import chain

from bot.domain.crossword.notations.cgp.operations import apply_operations, split_operations
from bot.domain.crossword.notations.fields import (
    BRACKET_GROUP,
    MISSING_FIELDS,
    RUN_GROUP,
    TILE_GROUP,
    build_position,
    check_excess,
    read_players,
    read_rack,
    scan_tiles,
    splittable_tiles,
    token_machine_letter,
    token_pattern,
    unknown_tile_error,
)
from bot.domain.crossword.position import EMPTY, Board, Player, Position
from bot.domain.crossword.rules import BLANK, MAX_SIDE, LetterDistribution, bracket_tile
from bot.domain.reading.encoding import read_with_joined_accents
from bot.domain.reading.problems import ParseError, Reading, TextPiece, Warnings, require_max_length

MAX_LENGTH = 40_000
"""Maximum length in characters. A full 50×50 board of multi-letter tiles is shorter."""

_PREFIX = re.compile(r"\s*(?:(?:load\s+)?cgp\b:?\s*)?", re.IGNORECASE)
_FIELD = re.compile(r"\S+")
_GROUP_NAME = re.compile(r"\?P<\w+>")
# Opcodes that cannot be mistaken for racks. They may follow the board: ``15/…/15 lex NWL23;``.
_FIRST_OPCODE = re.compile(r"-?(?:lex|ld|bdn|l1|var)")


def read(text: str) -> Reading[Position]:
    """Read a CGP. A leading ``cgp`` or ``load cgp`` is skipped. The board field alone is enough.

    Raises:
        ParseError: a field is missing or malformed, a row has the wrong width, or a tile is unknown.
        RuleError: there are over :data:`~bot.domain.crossword.notations.fields.MAX_EXCESS` surplus tiles.

    """
    require_max_length(text, MAX_LENGTH)
    return read_with_joined_accents(text, _read)


def _read(text: str) -> Reading[Position]:
    warnings = Warnings(text)
    rows, fields, end = _split_fields(text, warnings)
    racks = fields[0].split("/") if fields else []
    scores = fields[1].split("/") if len(fields) > 1 else [TextPiece.of("0")] * len(racks)
    operations = split_operations(text, end, warnings)

    def read_tiles(distribution: LetterDistribution) -> tuple[Board, tuple[Player, ...]]:
        board = _read_board(rows, distribution, warnings)
        if not racks:
            return board, (Player(), Player())
        return board, read_players(racks, scores, (read_rack(rack, distribution, warnings) for rack in racks))

    def scan(distribution: LetterDistribution) -> list[int]:
        scanned_tiles = (
            scan_tiles(row_or_rack, distribution, skip_digits=True, require_brackets=True)
            for row_or_rack in (*rows, *racks)
        )
        return [number for number, _ in chain.from_iterable(scanned_tiles)]

    scoreless_field = fields[2] if len(fields) > 1 else None
    position = build_position(read_tiles, scan, operations, rows, warnings, scoreless_field=scoreless_field)
    position = apply_operations(position, operations, warnings)
    unseen = position.unseen
    if unseen.excess:
        where = _first_excess_tile(rows, racks, position.rules.distribution, unseen.overdrawn_letters[0])
        check_excess(where, position, warnings)
    else:
        limit = position.rules.rack_size
        for rack, player in zip(racks, position.players, strict=False):
            if len(player.rack) > limit:
                rack.warn(
                    warnings,
                    "long-rack",
                    "a rack has {tiles} tiles; {limit} is usual",
                    tiles=len(player.rack),
                    limit=limit,
                )
    return Reading(position, warnings.all())


def _split_fields(text: str, warnings: Warnings) -> tuple[list[TextPiece], list[TextPiece], int]:
    """Return the rows of the board, the other fields (all three, only the racks, or none), and the offset of the operations."""
    prefix = _PREFIX.match(text)
    fields: list[TextPiece] = []
    offset = prefix.end() if prefix else 0
    while len(fields) < 4 and (match := _FIELD.search(text, offset)):
        if len(fields) == 1 and _FIRST_OPCODE.fullmatch(match[0]):
            break
        fields.append(TextPiece(match[0], match.start(), text))
        offset = match.end()
    if not fields:
        raise ParseError("missing-fields", "the text is empty; a CGP starts with the rows of the board")
    rows = split_rows(fields[0])
    if len(fields) == 2 and "/" in fields[1].text:
        warnings.add("missing-scores", "the scores are missing; assuming 0", offset)
    elif len(fields) in MISSING_FIELDS:
        raise TextPiece("", offset, text).parse_error("missing-fields", MISSING_FIELDS[len(fields)])
    return rows, fields[1:], offset


def split_rows(board: TextPiece, separator: str = "/") -> list[TextPiece]:
    """Split the board field into rows.

    Raises:
        ParseError: there are more than :data:`MAX_SIDE` rows.

    """
    rows = board.split(separator)
    if len(rows) > MAX_SIDE:
        raise rows[MAX_SIDE].parse_error(
            "too-many-rows",
            "the board has {rows} rows; at most {limit} are possible",
            rows=len(rows),
            limit=MAX_SIDE,
        )
    return rows


def _read_board(rows: list[TextPiece], distribution: LetterDistribution, warnings: Warnings) -> Board:
    pattern, meanings = _strict_row(distribution)
    squares: list[list[int]] = []
    for row in rows:
        try:
            tiles = list(chain.from_iterable(map(meanings.__getitem__, pattern.findall(row.text))))
        except KeyError:
            tiles = _read_row(row, distribution, warnings, require_brackets=True)
        if len(tiles) != len(rows) and splittable_tiles(distribution):
            tiles_without_brackets = _read_row(row, distribution, warnings)
            if len(tiles_without_brackets) == len(rows):
                row.warn(
                    warnings,
                    "missing-brackets",
                    "a tile of several letters is written in brackets, like [CH]",
                )
                tiles = tiles_without_brackets
        squares.append(tiles)
    columns = len(rows)
    if any(len(tiles) != columns for tiles in squares):
        columns = common_width(rows, [len(tiles) for tiles in squares])
    return Board(len(rows), columns, tuple(chain.from_iterable(squares)))


@lru_cache(maxsize=64)
def _strict_row(distribution: LetterDistribution) -> tuple[re.Pattern[str], dict[str, tuple[int, ...]]]:
    """Return a pattern that matches the tokens of a row, and the squares of each token that needs no warning."""
    meanings = {str(length): (EMPTY,) * length for length in range(1, MAX_SIDE + 1)}
    for text, number in distribution.machine_letters.items():
        if number != BLANK:
            meanings[text] = (number,)
            meanings[bracket_tile(text)] = (number,)
    pattern = _GROUP_NAME.sub("?:", token_pattern(distribution, require_brackets=True).pattern)
    return re.compile(pattern, re.DOTALL), meanings


def _read_row(
    row: TextPiece, distribution: LetterDistribution, warnings: Warnings, *, require_brackets: bool = False
) -> list[int]:
    squares: list[int] = []
    for match in token_pattern(distribution, require_brackets=require_brackets).finditer(row.text):
        token, group = row.part(*match.span()), match.lastgroup
        number = token_machine_letter(match, distribution)
        if group == RUN_GROUP:
            squares += [EMPTY] * _read_run_length(token, warnings)
        elif group == TILE_GROUP and number == BLANK:
            raise token.parse_error(
                "blank-without-letter",
                "a blank on the board is the lowercase letter it stands for, not ?",
            )
        elif group == BRACKET_GROUP and not token.text.endswith("]"):
            number = None
        elif group == BRACKET_GROUP and number and token.text != distribution.bracketed_texts[number]:
            token.warn(
                warnings, "odd-brackets", "{token} is usually written differently", token=token.text[:20]
            )
        if number:
            squares.append(number)
        elif group != RUN_GROUP:
            raise unknown_tile_error(token, distribution)
        if len(squares) > MAX_SIDE:
            break
    return squares


def _read_run_length(run: TextPiece, warnings: Warnings) -> int:
    digits = run.text.lstrip("0")
    if len(digits) > 2 or int(digits or "0") > MAX_SIDE:
        raise run.parse_error(
            "run-too-long",
            "{run} consecutive empty squares, but a board is at most {limit} squares wide",
            run=run.text if len(run.text) <= 12 else run.text[:12] + "…",
            limit=MAX_SIDE,
        )
    if len(digits) != len(run.text):
        run.warn(warnings, "leading-zero", "a run of empty squares is written without a leading zero")
    return int(digits or "0")


def common_width(rows: list[TextPiece], widths: list[int]) -> int:
    """Return the number of columns of a square board, given the width of each row.

    Raises:
        ParseError: a row is wider or narrower than the others, or there are too many or too few rows.

    """
    if widths.count(len(rows)) == len(rows):
        return len(rows)
    width_counts = Counter(widths)
    columns = len(rows) if width_counts[len(rows)] * 2 >= len(rows) else width_counts.most_common(1)[0][0]
    for number, (row, width) in enumerate(zip(rows, widths, strict=True), start=1):
        if width > MAX_SIDE:
            raise row.parse_error("row-width", "a row is more than {limit} squares wide", limit=MAX_SIDE)
        if width != columns:
            raise row.parse_error(
                "row-width",
                "row {row} should have {columns} squares, but has {width}",
                row=number,
                width=width,
                columns=columns,
            )
    raise rows[min(columns, len(rows) - 1)].parse_error(
        "row-count",
        "the board has {rows} rows of {columns} squares; it needs {columns} rows",
        rows=len(rows),
        columns=columns,
    )


def _first_excess_tile(
    rows: list[TextPiece], racks: list[TextPiece], distribution: LetterDistribution, letter: int
) -> TextPiece:
    """Return the first surplus tile ``letter``, with the text after it in its row or rack."""
    remaining_count = distribution.counts[letter]
    for index, row_or_rack in enumerate((*rows, *racks)):
        on_board = index < len(rows)
        for number, offset in scan_tiles(row_or_rack, distribution, skip_digits=True, require_brackets=True):
            if on_board and number == EMPTY:
                continue
            tile = (BLANK if number < 0 else number) if on_board else abs(number)
            remaining_count -= tile == letter
            if remaining_count < 0:
                return row_or_rack.part(offset - row_or_rack.offset)
    return rows[0]
