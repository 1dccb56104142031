"""Finds and reads boards in plain text, as Kibitz writes them for a terminal or a code block.

::

       A B C D E F G
     1 = . . ' . . .
     2 . - . C A T .

    > alice  24  AEINRST
      bob     0

    Bag: 79
    Lexicon: CSW24

An empty square shows its bonus with a symbol from :mod:`bot.domain.crossword.rules`. A blank is a lowercase letter.

Boards from Quackle and macondo can also be read. These programs align the squares under the column letters, draw bars around
the board, and leave plain squares empty. A block of n lines with n words or n characters each is also a board.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from bot.domain.crossword.notations.board_text.lines import (
    EMPTY_SYMBOLS,
    SYMBOL_BY_CODE,
    LabelledLines,
    layout_of_squares,
    read_labelled_lines,
    read_players,
    read_players_beside,
    warn_about_stray_line,
    with_rack,
)
from bot.domain.crossword.notations.cgp.operations import apply_operations
from bot.domain.crossword.notations.fields import (
    MIN_ROWS,
    NO_OPERATION,
    Operation,
    bracketed_machine_letter,
    build_position,
    check_excess,
    unknown_tile_error,
)
from bot.domain.crossword.play import column_name
from bot.domain.crossword.position import EMPTY, Board, Player, Position
from bot.domain.crossword.rules import (
    GAMES_WITH_OWN_TILES,
    MAX_SIDE,
    MISSING_SQUARE,
    PLAIN_SQUARE,
    SQUARE_SYMBOLS,
    BoardLayout,
    LetterDistribution,
    distribution_of_layout,
    layout_names,
    layout_of_size,
    load_layout,
)
from bot.domain.reading.encoding import read_with_joined_accents
from bot.domain.reading.notation import Span
from bot.domain.reading.problems import ParseError, Reading, TextPiece, Warnings, require_max_length

_WORD = re.compile(r"\S+")
_DRAWN_LINE = re.compile(r"[\s|+]*[=_—─-]{3}")
_ROW_NUMBER = re.compile(r"[|\s]*(?P<number>[0-9]{1,2})(?P<bar> ?[|│])?(?=\s|[|│]|(?<=[|│])|$)")
_ROW_LABEL = re.compile(r"[|\s]*[0-9]{1,2}[.:]?[\s|]+")


def replace_non_breaking_spaces(text: str) -> str:
    """Replace non-breaking spaces with plain spaces. Offsets stay the same."""
    for space in ("\u00a0", "\u2007", "\u202f"):
        text = text.replace(space, " ")
    return text


class Grid(NamedTuple):
    """The rows of a board, and the text below and beside it."""

    rows: tuple[tuple[TextPiece, ...], ...]
    """The text on each square, by row."""
    lines_below: tuple[TextPiece, ...]
    texts_beside: tuple[TextPiece, ...] = ()
    """The text to the right of the board, from the header on. Rows without a bar after their number are left out."""


def find_grid(lines: list[TextPiece]) -> Grid:
    """Find the board in the lines of a text.

    Raises:
        ParseError: there is no board, the rows differ in width, or a side is over 50 squares.

    """
    for index, line in enumerate(lines):
        column_offsets = _column_offsets(line.text)
        if column_offsets:
            first_row = index + 1
            while first_row < len(lines) and not lines[first_row].text.strip("|"):
                first_row += 1
            if first_row < len(lines) and _DRAWN_LINE.match(lines[first_row].text):
                first_row += 1
            number = _ROW_NUMBER.match(lines[first_row].text) if first_row < len(lines) else None
            if number and int(number["number"]) == 1:
                return _numbered_grid(lines, index, column_offsets, first_row)
    return _bare_grid(lines)


def _column_offsets(text: str) -> list[int]:
    offsets: list[int] = []
    for match in _WORD.finditer(text.replace("|", " ")):
        if len(offsets) > MAX_SIDE or match[0].upper() != column_name(len(offsets)):
            break
        offsets.append(match.start())
    return offsets


def _numbered_grid(
    lines: list[TextPiece], header_index: int, column_offsets: list[int], first_row: int
) -> Grid:
    if len(column_offsets) > MAX_SIDE:
        raise _board_size_error(lines[header_index])
    rows: list[tuple[TextPiece, ...]] = []
    width = column_offsets[1] - column_offsets[0] if len(column_offsets) > 1 else 2
    right_edge = column_offsets[-1] + width
    texts_beside = [line.part(right_edge) for line in lines[header_index:first_row]]
    index = first_row
    while (
        index < len(lines)
        and (match := _ROW_NUMBER.match(lines[index].text))
        and int(match["number"]) == len(rows) + 1
    ):
        line = lines[index]
        if len(rows) == MAX_SIDE:
            raise _board_size_error(line)
        if match["bar"]:
            edges = pairwise((*column_offsets, right_edge))
            rows.append(tuple(line.part(start, end).strip(" |│") for start, end in edges))
            texts_beside.append(line.part(right_edge).strip("|│"))
        else:
            rows.append(_cells_from_words(line, match.end(), len(column_offsets), len(rows) + 1))
        index += 1
    return Grid(tuple(rows), tuple(lines[index:]), tuple(texts_beside))


def _board_size_error(line: TextPiece) -> ParseError:
    return line.parse_error("board-size", "a board has at most {limit} rows and columns", limit=MAX_SIDE)


def _cells_from_words(line: TextPiece, start: int, column_count: int, number: int) -> tuple[TextPiece, ...]:
    words = list(_WORD.finditer(line.text, start))
    if len(words) == column_count + 1 and words[-1][0] == str(number):
        words.pop()
    if len(words) != column_count:
        raise line.part(start).parse_error(
            "row-width",
            "row {row} should have {columns} squares, but has {width}",
            row=number,
            width=len(words),
            columns=column_count,
        )
    return tuple(line.part(*word.span()) for word in words)


def _bare_grid(lines: list[TextPiece]) -> Grid:
    """Return the first block of n lines with n words or n characters each, not counting row numbers and bars around the lines."""
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and lines[end].text.strip(" |"):
            end += 1
        if 1 < end - start <= MAX_SIDE:
            for split_line in (_split_words, _split_characters):
                rows = tuple(split_line(line) for line in lines[start:end])
                if all(len(row) == len(rows) for row in rows):
                    return Grid(rows, tuple(lines[end:]))
        start = max(end, start + 1)
    raise ParseError(
        "no-board",
        "no board found in this text; a board needs a line of column letters above numbered rows, "
        "or as many rows as columns",
    )


def _row_content(line: TextPiece) -> TextPiece:
    label = _ROW_LABEL.match(line.text)
    start = label.end() if label else len(line.text) - len(line.text.lstrip(" |"))
    return line.part(start, len(line.text.rstrip(" |")))


def _split_words(line: TextPiece) -> tuple[TextPiece, ...]:
    content = _row_content(line)
    return tuple(content.part(*word.span()) for word in _WORD.finditer(content.text))


def _split_characters(line: TextPiece) -> tuple[TextPiece, ...]:
    return tuple(character.strip() for character in _row_content(line).characters())


# In free text, a board is a line of column letters and at least :data:`MIN_ROWS` numbered rows, followed by any lines that give the
# players, the racks or the bag.

_BLOCK_QUOTE = ">>> "
_MAX_SEPARATORS = 3
_MAX_LINES_BELOW = 24
_MAX_LINE_LENGTH = 300
"""Maximum length of a line below a board, in characters."""

_HEADER = re.compile(
    r"^[`*> \t|+]{0,12}A[ \t|]{1,4}B[ \t|]{1,4}C[ \t|]{1,4}D[ \t|]{1,4}E\b.*$", re.MULTILINE | re.IGNORECASE
)
_ROW = re.compile(r"[> \t|]{0,8}(?P<number>[0-9]{1,2})[ \t|]")
_NEXT_LINE = re.compile(r"\n([^\n]*)")
_SEPARATOR_LINE = re.compile(r"[> \t|+=_-]*")
_LINE_BELOW = re.compile(
    r"[ \t]{0,80}>?[ \t]{0,80}|>?[ \t]*\S.{0,80}[ \t]{2,}-?[0-9]{1,6}([ \t].{0,80})?|[ >]{1,4}[ \t]*-?[0-9]{1,6}([ \t].{0,80})?|(?:> )?[A-Z][A-Za-z -]{1,24}: .{1,200}"
)


def find(text: str) -> Iterator[Span]:
    text = replace_non_breaking_spaces(text)
    end = 0
    for header in _HEADER.finditer(text):
        if header.start() < end:
            continue
        rows_end = _end_of_rows(text, header.end())
        if rows_end is not None:
            end = _end_of_lines_below(text, rows_end)
            marks = header[0][: len(header[0]) - len(header[0].lstrip("`*"))]
            start = header.start() + len(marks)
            if text.startswith(_BLOCK_QUOTE, start):
                start += len(_BLOCK_QUOTE)  # only the first line of a block quote has the mark
            yield start, start + len(text[start:end].rstrip(f"`{marks}")), "text"


def _end_of_rows(text: str, offset: int) -> int | None:
    row_count = other_line_count = 0
    end = offset
    for next_line in _NEXT_LINE.finditer(text, offset):
        line = next_line[1].rstrip("\r")
        row = _ROW.match(line)
        if row and int(row["number"]) == row_count + 1:
            row_count, other_line_count, end = row_count + 1, 0, next_line.end()
            continue
        other_line_count += 1
        if not _SEPARATOR_LINE.fullmatch(line) or other_line_count > _MAX_SEPARATORS:
            break
    return end if row_count >= MIN_ROWS else None


def _end_of_lines_below(text: str, offset: int) -> int:
    end = offset
    for line_count, next_line in enumerate(_NEXT_LINE.finditer(text, offset)):
        line = next_line[1].rstrip("\r")
        if line_count >= _MAX_LINES_BELOW or len(line) > _MAX_LINE_LENGTH or not _LINE_BELOW.fullmatch(line):
            break
        if line.strip():
            end = next_line.end()
    return end


MAX_LENGTH = 100_000


MIN_DRAWN_BONUSES = 8
"""A board with fewer drawn bonus squares is not compared with known boards."""


def read(text: str) -> Reading[Position]:
    """Read a board drawn with characters, and the lines around it.

    Raises:
        ParseError: there is no board, the rows differ in width, or the text on a square is neither a tile nor a known symbol.
        RuleError: there are more than :data:`~bot.domain.crossword.notations.fields.MAX_EXCESS` surplus tiles.

    """
    require_max_length(text, MAX_LENGTH)
    return read_with_joined_accents(replace_non_breaking_spaces(text), _read)


def _read(text: str) -> Reading[Position]:
    warnings = Warnings(text)
    lines = TextPiece.of(text).split("\n")
    grid = find_grid([line.part(0, len(line.text.removesuffix("\r"))) for line in lines])
    labelled_lines = read_labelled_lines(grid.lines_below, warnings)
    labelled_lines = _with_drawn_board(grid, labelled_lines, warnings)
    first_square = grid.rows[0][0]
    on_turn = 0

    def players(distribution: LetterDistribution) -> Iterator[Player]:
        nonlocal on_turn
        found_players, on_turn = read_players(grid.lines_below, distribution, warnings)
        if not found_players:
            found_players, on_turn = read_players_beside(grid.texts_beside, distribution)
        found_players = found_players or (Player(), Player())
        if labelled_lines.rack is not None:
            found_players = with_rack(found_players, on_turn, labelled_lines.rack, distribution, warnings)
        yield from found_players

    def tiles_in_text(distribution: LetterDistribution) -> list[int]:
        # A blank on the board is negative, and ``unseen_tiles`` counts it as a blank.
        return [square for square in _read_board(grid, distribution).squares if square != EMPTY]

    position = build_position(
        lambda distribution: (_read_board(grid, distribution), players(distribution)),
        tiles_in_text,
        labelled_lines.operations,
        [first_square] * len(grid.rows),
        warnings,
    )
    position = replace(position, on_turn=on_turn, scoreless_turns=labelled_lines.scoreless_turns)
    position = _apply_labelled_lines(position, labelled_lines, warnings)
    game = GAMES_WITH_OWN_TILES.get(position.rules.distribution.name)
    if game and set(position.rules.layout.squares) == {PLAIN_SQUARE}:
        # Not an error, because Letter League boards grow during a game and can have any size.
        first_square.warn(
            warnings,
            "squares-unknown",
            "a {game} board usually has a different size; without drawn bonus squares, all squares are read as plain",
            game=game,
        )
    check_excess(first_square, position, warnings)
    return Reading(position, warnings.all())


def _with_drawn_board(grid: Grid, labelled_lines: LabelledLines, warnings: Warnings) -> LabelledLines:
    """If the drawn bonus squares are unusual, add the name of a known board with these squares, or else the squares themselves."""
    if labelled_lines.squares or labelled_lines.operations.get("bdn", NO_OPERATION).operand:
        return labelled_lines
    rows, columns = len(grid.rows), len(grid.rows[0])
    symbols = [SYMBOL_BY_CODE.get(cell.text.upper(), cell.text) for row in grid.rows for cell in row]
    drawn_symbols = {index: symbol for index, symbol in enumerate(symbols) if symbol in SQUARE_SYMBOLS}
    bonus_count = sum(symbol not in (PLAIN_SQUARE, MISSING_SQUARE) for symbol in drawn_symbols.values())

    def matches_drawing(layout: BoardLayout) -> bool:
        # The start square may be drawn with any character.
        start = layout.start[0] * columns + layout.start[1]
        return (layout.rows, layout.columns) == (rows, columns) and all(
            layout.squares[index] == symbol or index == start for index, symbol in drawn_symbols.items()
        )

    if bonus_count < MIN_DRAWN_BONUSES or matches_drawing(layout_of_size(rows, columns)):
        return labelled_lines
    first_square = grid.rows[0][0]
    layouts = [load_layout(name) for name in layout_names() if matches_drawing(load_layout(name))]
    matching_names = [layout.name for layout in layouts if distribution_of_layout(layout)] or [
        layout.name for layout in layouts
    ]
    if not matching_names:
        first_square.warn(
            warnings,
            "squares-as-drawn",
            "the bonus squares don't match any known board; they are read as drawn, and squares under tiles as plain",
        )
        rows_drawn = (
            "".join(drawn_symbols.get(row * columns + column, PLAIN_SQUARE) for column in range(columns))
            for row in range(rows)
        )
        return replace(labelled_lines, squares=first_square._replace(text="/".join(rows_drawn)))
    first_square.warn(
        warnings,
        "board-by-squares",
        "no board layout is named; using the bonus squares of {name}",
        name=matching_names[0],
    )
    return replace(
        labelled_lines,
        operations={**labelled_lines.operations, "bdn": Operation("bdn", matching_names[0], first_square)},
    )


def _read_board(grid: Grid, distribution: LetterDistribution) -> Board:
    squares = tuple(_read_square(cell, distribution) for row in grid.rows for cell in row)
    return Board(len(grid.rows), len(grid.rows[0]), squares)


def _read_square(cell: TextPiece, distribution: LetterDistribution) -> int:
    if cell.text in EMPTY_SYMBOLS or cell.text.upper() in SYMBOL_BY_CODE:
        return EMPTY
    tile = distribution.machine_letters.get(cell.text) or bracketed_machine_letter(cell.text, distribution)
    if not tile:
        raise unknown_tile_error(cell, distribution)
    return tile


def _apply_labelled_lines(position: Position, labelled_lines: LabelledLines, warnings: Warnings) -> Position:
    position = apply_operations(position, labelled_lines.operations, warnings)
    layout = layout_of_squares(labelled_lines.squares.text, position) if labelled_lines.squares else None
    if layout is not None:
        position = replace(position, rules=replace(position.rules, layout=layout))
    elif labelled_lines.squares:
        warn_about_stray_line(warnings, labelled_lines.squares.offset)
    if position.last_play is not None:
        seat = labelled_lines.seat if labelled_lines.seat in range(len(position.players)) else None
        if seat != labelled_lines.seat:
            labelled_lines.operations["lm"].piece.warn(
                warnings,
                "last-play-player",
                "the last play is by a player who isn't in the game; the player number is ignored",
            )
        position = replace(
            position, last_play=replace(position.last_play, score=labelled_lines.score, seat=seat)
        )
    return position
