"""A board in plain text, for a terminal or a code block, and reading one back.

::

       A B C D E F G
     1 = . . ' . . .
     2 . - . C A T .

    > alice  24  AEINRST
      bob     0

    Bag: 79
    Lexicon: CSW24

A square without a tile shows its bonus (the symbols of :mod:`bot.domain.crossword.layouts`), a blank the small letter. Boards
that other programs draw are read too: see :mod:`bot.domain.crossword.notations.board_text.grid`.
"""

from __future__ import annotations

from dataclasses import replace

from bot.domain.crossword.board import EMPTY, Board
from bot.domain.crossword.distributions import LetterDistribution
from bot.domain.crossword.layouts import (
    MISSING,
    PLAIN,
    SYMBOLS,
    BoardLayout,
    layout_names,
    layout_of_size,
    load_layout,
)
from bot.domain.crossword.notations import tile_text
from bot.domain.crossword.notations.board_text.grid import Grid, find_grid, plain_spaces
from bot.domain.crossword.notations.board_text.lines import (
    Labelled,
    layout_of_squares,
    read_labelled,
    read_players,
    read_players_beside,
    warn_stray,
    with_rack,
)
from bot.domain.crossword.notations.cgp.opcodes import apply_opcodes
from bot.domain.crossword.notations.opcodes import Opcode, Opcodes
from bot.domain.crossword.notations.position_checks import check_excess
from bot.domain.crossword.notations.tile_set import crossplay_by_blanks, named_set, set_of_letters
from bot.domain.crossword.notations.tile_text import UnknownTileError
from bot.domain.crossword.position import Player, Position
from bot.domain.crossword.rules import OWN_GAMES, set_of_layout, usual_layout, usual_rules
from bot.domain.reading.encoding import join_accents
from bot.domain.reading.piece import Piece
from bot.domain.reading.problems import Reading, Warnings, require_length

MAX_LENGTH = 100_000
"""Longest text that is read, in characters."""


MIN_DRAWN = 8
"""From so many bonus squares on a drawn board is held against the boards that are known."""

# Bonus squares, the start, and what people put for a plain square.
WRITTEN_SQUARES = {
    **dict.fromkeys(("2L", "DL"), "'"),
    **dict.fromkeys(("3L", "TL"), '"'),
    **dict.fromkeys(("4L", "QL"), "^"),
    **dict.fromkeys(("2W", "DW"), "-"),
    **dict.fromkeys(("3W", "TW"), "="),
    **dict.fromkeys(("4W", "QW"), "~"),
    **dict.fromkeys(("--", "__", "SS"), PLAIN),
}
"""Bonus squares as they are labelled on boards; ``SS`` is the start."""
EMPTY_SIGNS = SYMBOLS | {"", "*", "+", "_", "·", "•", "○", ":"}


def read(text: str) -> Reading[Position]:
    """Read a board drawn with characters, with what stands around it.

    Raises:
        ParseError: there is no board, its rows differ in width, or something on it is no tile.
        RuleError: the board and racks show over :data:`~bot.domain.crossword.notations.position_checks.MAX_EXCESS` tiles more than the
            set has.

    """
    require_length(text, MAX_LENGTH)
    return join_accents(plain_spaces(text)).read(_read)


def _read(text: str) -> Reading[Position]:
    warnings = Warnings(text)
    lines = Piece.of(text).split("\n")
    grid = find_grid([line.part(0, len(line.text.removesuffix("\r"))) for line in lines])
    labelled = read_labelled(grid.after, warnings)
    labelled = _with_drawn_board(grid, labelled, warnings)
    opcodes = Opcodes(labelled.opcodes)
    distribution, named = named_set(opcodes, len(grid.rows), warnings)
    try:
        board = _read_board(grid, distribution)
    except UnknownTileError:
        fitting = None if named else _set_of_letters(grid, warnings)
        if fitting is None:
            raise
        distribution = fitting
        board = _read_board(grid, distribution)
    players, on_turn = read_players(grid.after, distribution, warnings)
    if not players:
        players, on_turn = read_players_beside(grid.beside, distribution)
    players = players or (Player(), Player())
    if labelled.rack is not None:
        players = with_rack(players, on_turn, labelled.rack, distribution, warnings)
    position = Position(
        usual_rules(distribution, usual_layout(distribution, board.rows, board.columns)),
        board,
        players,
        on_turn=on_turn,
        scoreless_turns=labelled.scoreless_turns,
    )
    if not named and not opcodes.operand("bdn"):
        position = crossplay_by_blanks(position, warnings, grid.rows[0][0].offset)
    position = _with_labelled(position, labelled, warnings)
    _note_other_size(grid, position, warnings)
    check_excess(grid.rows[0][0], position, warnings)
    return Reading(position, warnings.all())


def _note_other_size(grid: Grid, position: Position, warnings: Warnings) -> None:
    """Tell where a board is not of the size that its game has: a board of Letter League that has grown may be drawn so."""
    rules = position.rules
    game = OWN_GAMES.get(rules.distribution.name)
    if game and set(rules.layout.squares) == {PLAIN}:
        grid.rows[0][0].warn(
            warnings,
            "squares-unknown",
            "a board of {game} has another size, and no bonus squares are drawn; all are taken as plain",
            game=game,
        )


def _with_drawn_board(grid: Grid, labelled: Labelled, warnings: Warnings) -> Labelled:
    """Name the board by its bonus squares, where a text draws others than the usual ones: a known board's, or its own."""
    if labelled.squares or Opcodes(labelled.opcodes).operand("bdn"):
        return labelled
    rows, columns = len(grid.rows), len(grid.rows[0])
    cells = [cell for row in grid.rows for cell in row]
    signs = [WRITTEN_SQUARES.get(cell.text.upper(), cell.text) for cell in cells]
    drawn = {index: sign for index, sign in enumerate(signs) if sign in SYMBOLS}
    bonuses = sum(sign not in (PLAIN, MISSING) for sign in drawn.values())

    def shows(layout: BoardLayout) -> bool:
        """Tell whether what is drawn is that layout; the start may have a sign of its own."""
        start = layout.start[0] * columns + layout.start[1]
        return (layout.rows, layout.columns) == (rows, columns) and all(
            layout.squares[index] == sign or index == start for index, sign in drawn.items()
        )

    if bonuses < MIN_DRAWN or shows(layout_of_size(rows, columns)):
        return labelled
    at = grid.rows[0][0]
    layouts = [load_layout(name) for name in layout_names() if shows(load_layout(name))]
    found = [layout.name for layout in layouts if set_of_layout(layout)] or [one.name for one in layouts]
    if not found:
        at.warn(
            warnings,
            "squares-as-drawn",
            "the bonus squares are those of no board that is known; taken as they are drawn, and as plain under tiles",
        )
        rows_drawn = (
            "".join(drawn.get(row * columns + column, PLAIN) for column in range(columns))
            for row in range(rows)
        )
        return replace(labelled, squares="/".join(rows_drawn), squares_at=at.offset)
    at.warn(
        warnings,
        "board-by-squares",
        "no board is named; the bonus squares are those of {name}",
        name=found[0],
    )
    return replace(labelled, opcodes=(*labelled.opcodes, Opcode("bdn", found[0], at)))


def _read_board(grid: Grid, distribution: LetterDistribution) -> Board:
    squares = tuple(_square(cell, distribution) for row in grid.rows for cell in row)
    return Board(len(grid.rows), len(grid.rows[0]), squares)


def _square(cell: Piece, distribution: LetterDistribution) -> int:
    if cell.text in EMPTY_SIGNS or cell.text.upper() in WRITTEN_SQUARES:
        return EMPTY
    number = distribution.numbers.get(cell.text) or tile_text.bracket_number(cell.text, distribution)
    if not number:
        raise tile_text.unknown_tile(cell, distribution)
    return number


def _set_of_letters(grid: Grid, warnings: Warnings) -> LetterDistribution | None:
    def scan(distribution: LetterDistribution) -> list[int]:
        # A blank counts as one, whatever it stands for; see unseen_tiles.
        return [square for square in _read_board(grid, distribution).squares if square != EMPTY]

    return set_of_letters(scan, len(grid.rows), warnings, grid.rows[0][0].offset)


def _with_labelled(position: Position, labelled: Labelled, warnings: Warnings) -> Position:
    position = apply_opcodes(position, Opcodes(labelled.opcodes), warnings)
    layout = layout_of_squares(labelled.squares, position) if labelled.squares else None
    if layout is not None:
        position = replace(position, rules=replace(position.rules, layout=layout))
    elif labelled.squares:
        warn_stray(warnings, labelled.squares_at)
    if position.last_play is not None:
        seat = (
            labelled.seat
            if labelled.seat is not None and 0 <= labelled.seat < len(position.players)
            else None
        )
        if seat != labelled.seat:
            warn_stray(warnings, Opcodes(labelled.opcodes).offset("lm"))
        position = replace(position, last_play=replace(position.last_play, score=labelled.score, player=seat))
    return position
