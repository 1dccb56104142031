"""Drawing a board with characters, for a terminal or a code block; see :mod:`bot.domain.crossword.notations.board_text.reader`."""

from __future__ import annotations

import re
import unicodedata

from bot.domain.crossword.board import EMPTY
from bot.domain.crossword.distributions import LetterDistribution
from bot.domain.crossword.layouts import BoardLayout, find_layout, layout_of_size
from bot.domain.crossword.notations import tile_text
from bot.domain.crossword.notations.board_text.lines import BAG, LABELS, OPCODE_NAME, SCORELESS, SQUARES
from bot.domain.crossword.notations.board_text.reader import EMPTY_SIGNS
from bot.domain.crossword.notations.cgp.opcodes import write_opcodes
from bot.domain.crossword.notations.cgp.writer import check_tiles
from bot.domain.crossword.play import column_name
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import usual_layout
from bot.domain.reading.problems import ConversionError

_SPACE = re.compile(r"\s")


def write(position: Position) -> str:
    """Draw the board and write the players, who is to move, and what is not usual about the rules.

    Raises:
        ConversionError: a tile is written with a sign that stands for a square, or with none at all.

    """
    distribution = position.rules.distribution
    _check_signs(distribution)
    paragraphs = (_draw_board(position), _write_players(position), _write_labelled(position))
    return "\n\n".join("\n".join(lines) for lines in paragraphs if lines)


def _check_signs(distribution: LetterDistribution) -> None:
    check_tiles(distribution)
    for letter in distribution.letters[1:]:
        for sign in (letter.text, letter.blank_text):
            if sign in EMPTY_SIGNS or _SPACE.search(sign):
                raise ConversionError(
                    "tile-not-writable",
                    "a board in text cannot show the tile {tile!r}",
                    tile=letter.text[:20],
                )


def _draw_board(position: Position) -> list[str]:
    board, distribution = position.board, position.rules.distribution
    squares = position.rules.layout.squares
    signs = [
        distribution.text(square) if square != EMPTY else squares[index]
        for index, square in enumerate(board.squares)
    ]
    header = [column_name(column) for column in range(board.columns)]
    width = max(map(tile_text.display_width, (*header, *signs)))
    lines = ["   " + _spaced(header, width)]
    for row in range(board.rows):
        cells = signs[row * board.columns : (row + 1) * board.columns]
        lines.append(f"{row + 1:>2} {_spaced(cells, width)}")
    return lines


def _spaced(cells: list[str], width: int) -> str:
    return " ".join(cell + " " * (width - tile_text.display_width(cell)) for cell in cells).rstrip()


def _write_players(position: Position) -> list[str]:
    """Write a line for each player: a mark for the one to move, name, score and rack."""
    distribution = position.rules.distribution
    names = [plain_name(player.name) for player in position.players]
    scores = [str(player.score) for player in position.players]
    name_width = max(map(tile_text.display_width, names), default=0)
    score_width = max(map(len, scores), default=0)
    lines = []
    for seat, (player, name, score) in enumerate(zip(position.players, names, scores, strict=True)):
        mark = ">" if seat == position.on_turn else " "
        padding = " " * (name_width - tile_text.display_width(name))
        rack = "".join(tile_text.bracketed(distribution.text(tile)) for tile in player.rack)
        lines.append(f"{mark} {name}{padding}  {score:>{score_width}}  {rack}".rstrip())
    return lines


def plain_name(name: str) -> str:
    """Return a name that stays on its line and in its block: no control characters, single spaces, no backticks."""
    visible = "".join(
        " " if unicodedata.category(sign) in ("Cc", "Zl", "Zp", "Cf") else sign for sign in name
    )
    return " ".join(visible.replace("`", "'").split())


def _write_labelled(position: Position) -> list[str]:
    """Write what is not usual about the rules, the scoreless turns, the bag and the last play."""
    lines = [f"{BAG}: {position.bag_count}"] if position.rules.has_known_bag else []
    if position.scoreless_turns:
        lines.append(f"{SCORELESS}: {position.scoreless_turns}")
    for opcode in write_opcodes(position):
        name, _, operand = opcode.removesuffix(";").partition(" ")
        if name == "oru":
            operand = "unknown"
        if name == "lm" and (last := position.last_play) is not None:
            operand += f", {last.score} points" if last.score is not None else ""
            operand += f", player {last.player + 1}" if last.player is not None else ""
        if name in LABELS or OPCODE_NAME.fullmatch(name):
            lines.append(f"{LABELS.get(name, name)}: {operand}".rstrip())
    layout, distribution = position.rules.layout, position.rules.distribution
    if layout.squares != _layout_by_name(layout, distribution).squares:
        rows = (layout.squares[start : start + layout.columns] for start in _row_starts(layout))
        lines.append(f"{SQUARES}: {'/'.join(rows)}")
    return lines


def _row_starts(layout: BoardLayout) -> range:
    return range(0, len(layout.squares), layout.columns)


def _layout_by_name(own: BoardLayout, distribution: LetterDistribution) -> BoardLayout:
    """Return the layout that a reader takes when only the name is given."""
    if not own.name:
        return usual_layout(distribution, own.rows, own.columns)
    layout = find_layout(own.name)
    fits = layout is not None and (layout.rows, layout.columns) == (own.rows, own.columns)
    return layout if layout is not None and fits else layout_of_size(own.rows, own.columns)
