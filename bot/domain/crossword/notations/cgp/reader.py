"""CGP, the Crossword Game Position: a position on one line, as in ``formats/cgp.txt`` of the field.

``board racks scores scoreless-turns opcode operand; …`` — see :mod:`bot.domain.crossword.notations.cgp.opcodes` for the
opcodes. The reader forgives what real programs and people write; the writer writes the strict form, leaving out
what is the default anyway.
"""

from __future__ import annotations

from bot.domain.crossword.board import EMPTY
from bot.domain.crossword.distributions import BLANK, LetterDistribution
from bot.domain.crossword.notations import tile_text
from bot.domain.crossword.notations.cgp.board import measure_rows, read_board
from bot.domain.crossword.notations.cgp.fields import Fields, split_fields
from bot.domain.crossword.notations.cgp.opcodes import apply_opcodes, split_opcodes
from bot.domain.crossword.notations.position_checks import (
    check_excess,
    pair_players,
    read_score,
    read_scoreless_turns,
)
from bot.domain.crossword.notations.tile_set import crossplay_by_blanks, named_set, set_of_letters
from bot.domain.crossword.notations.tile_text import UnknownTileError
from bot.domain.crossword.position import Player, Position
from bot.domain.crossword.rules import usual_layout, usual_rules
from bot.domain.reading.encoding import join_accents
from bot.domain.reading.piece import Piece
from bot.domain.reading.problems import Reading, Warnings, require_length

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
    if not named and not opcodes.operand("bdn"):
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
        if fields.racks is not None:
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
