"""The ASCII draft of CGP (``formats/cgp_ascii_draft.txt`` of the field): tiles as signs, rows between bars.

================  ====================================================================
tile n            the character 32 + n, from ``!`` to ``J``
blank for tile n  the character 80 + n, from ``Q`` to ``z``
empty squares     ``~`` for one, ``~~`` and the character 32 + n for n of them
rows, racks …     separated by ``|``, as are the opcodes
blank on a rack   ``~``
================  ====================================================================

The signs say nothing without the set of tiles, so ``ld`` matters more than in CGP. Opcodes that the draft does not
have (``lex``, ``tmr`` …) are read and written as CGP's.
"""

from __future__ import annotations

import re

from bot.domain.crossword.board import EMPTY, Board
from bot.domain.crossword.distributions import BLANK, LetterDistribution
from bot.domain.crossword.layouts import MAX_SIDE
from bot.domain.crossword.notations.cgp.board import common_width, measure_rows
from bot.domain.crossword.notations.cgp.opcodes import apply_opcodes
from bot.domain.crossword.notations.cgp.reader import MAX_LENGTH
from bot.domain.crossword.notations.cgp_ascii import opcodes as opcodes_of_draft
from bot.domain.crossword.notations.cgp_ascii.tiles import RUN_SIGN, tile_of
from bot.domain.crossword.notations.position_checks import (
    check_excess,
    pair_players,
    read_score,
    read_scoreless_turns,
)
from bot.domain.crossword.notations.tile_set import crossplay_by_blanks, named_set
from bot.domain.crossword.position import Player, Position
from bot.domain.crossword.rules import usual_layout, usual_rules
from bot.domain.reading.piece import Piece
from bot.domain.reading.problems import ParseError, Phrase, Reading, Warnings, require_length

SEPARATOR = "|"
_FIELD = re.compile(r"\S+")
_FIELDS = (Phrase("the racks"), Phrase("the scores"), Phrase("the number of scoreless turns"))


def read(text: str) -> Reading[Position]:
    """Read one record of the draft. A board field alone is enough.

    Raises:
        ParseError: a field is missing or malformed, a row has the wrong width, a sign stands for no tile.
        RuleError: the board and racks show over :data:`~bot.domain.crossword.notations.position_checks.MAX_EXCESS` tiles more than the
            set has.

    """
    require_length(text, MAX_LENGTH)
    warnings = Warnings(text)
    fields, rest = _split_fields(text)
    opcodes = opcodes_of_draft.split_opcodes(text, rest, warnings)
    rows = measure_rows(fields[0], SEPARATOR)
    distribution, named = named_set(opcodes.opcodes, len(rows), warnings)
    board = _read_board(rows, distribution)
    players = _read_players(fields[1], fields[2], distribution) if len(fields) > 1 else (Player(), Player())
    position = Position(
        usual_rules(distribution, usual_layout(distribution, board.rows, board.columns)),
        board,
        players,
        scoreless_turns=read_scoreless_turns(fields[3]) if len(fields) > 1 else 0,
    )
    if not named and not opcodes.opcodes.operand("bdn"):
        position = crossplay_by_blanks(position, warnings, fields[0].offset)
    position = apply_opcodes(position, opcodes.opcodes, warnings)
    position = opcodes_of_draft.apply_last_plays(position, opcodes.last_plays, warnings)
    check_excess(fields[0], position, warnings)
    return Reading(position, warnings.all())


def _split_fields(text: str) -> tuple[list[Piece], int]:
    """Return the board, or all four fields, and the offset at which the opcodes start."""
    fields: list[Piece] = []
    end = 0
    for match in _FIELD.finditer(text):
        fields.append(Piece.matched(match))
        end = match.end()
        if len(fields) == 4:
            break
    if not fields:
        raise ParseError("missing-fields", "there is no text: a CGP starts with the rows of the board")
    if len(fields) in (2, 3):
        raise Piece("", end, text).malformed(
            "missing-field",
            "after the board a CGP has racks, scores and the number of scoreless turns; {missing} is missing",
            missing=_FIELDS[len(fields) - 1],
        )
    return fields, end


def _read_board(rows: list[Piece], distribution: LetterDistribution) -> Board:
    squares = [_read_row(row, distribution) for row in rows]
    columns = common_width(rows, [len(tiles) for tiles in squares])
    return Board(len(rows), columns, tuple(square for row in squares for square in row))


def _read_row(row: Piece, distribution: LetterDistribution) -> list[int]:
    squares: list[int] = []
    place = 0
    while place < len(row.text) and len(squares) <= MAX_SIDE:
        if row.text[place] != RUN_SIGN:
            squares.append(tile_of(row.part(place, place + 1), distribution))
            place += 1
        elif row.text[place + 1 : place + 2] == RUN_SIGN:
            squares += [EMPTY] * _run_length(row.part(place, place + 3))
            place += 3
        else:
            squares.append(EMPTY)
            place += 1
    return squares


def _run_length(run: Piece) -> int:
    sign = run.text[2:]
    length = ord(sign) - 32 if sign else 0
    if not 1 <= length <= MAX_SIDE:
        raise run.malformed(
            "malformed-run",
            "after ~~ stands how many squares are empty, as the character 32 + number; {sign!r} is none of 1 to {limit}",
            sign=sign,
            limit=MAX_SIDE,
        )
    return length


def _read_players(racks: Piece, scores: Piece, distribution: LetterDistribution) -> tuple[Player, ...]:
    pairs = pair_players(racks.split(SEPARATOR), scores.split(SEPARATOR))
    return tuple(Player(read_score(score), _read_rack(rack, distribution)) for rack, score in pairs)


def _read_rack(rack: Piece, distribution: LetterDistribution) -> tuple[int, ...]:
    return tuple(
        BLANK if sign.text == RUN_SIGN else tile_of(sign, distribution, on_board=False)
        for sign in rack.signs()
    )
