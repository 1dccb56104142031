"""CGP, the Crossword Game Position: a position on one line, as in ``formats/cgp.txt`` of the field.

``board racks scores scoreless-turns opcode operand; …`` — see :mod:`bot.domain.formats.cgp_opcodes` for the
opcodes. The reader forgives what real programs and people write; the writer writes the strict form, leaving out
what is the default anyway.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from bot.domain.board import EMPTY
from bot.domain.distributions import BLANK, LetterDistribution
from bot.domain.errors import ConversionError, DomainError, ParseError, Reading, RuleError, Warnings, place
from bot.domain.formats import tile_text
from bot.domain.formats.accents import join_accents
from bot.domain.formats.cgp_board import measure_rows, read_board, write_board
from bot.domain.formats.cgp_fields import Field, Fields, split_fields
from bot.domain.formats.cgp_opcodes import apply_opcodes, split_opcodes, write_opcodes
from bot.domain.formats.tile_set import named_set, set_of_letters
from bot.domain.formats.tile_text import UnknownTileError
from bot.domain.layouts import layout_of_size
from bot.domain.position import MAX_PLAYERS, Player, Position
from bot.domain.rules import usual_rules

MAX_LENGTH = 40_000
"""Longest text that is read, in characters: a full 50×50 board of long tiles is shorter."""

FORGIVEN_EXCESS = 2
"""How many tiles more than the set has are put down to a slip."""

_SCORE = re.compile(r"[-−+]?[0-9]{1,6}")
_SCORELESS_TURNS = re.compile("[0-9]{1,3}")


def read(text: str) -> Reading[Position]:
    """Read one CGP; a ``cgp`` or ``load cgp`` before it is skipped. A board field alone is enough.

    Raises:
        ParseError: a field is missing or malformed, a row has the wrong width, a tile is unknown.
        RuleError: the board and racks show over :data:`FORGIVEN_EXCESS` tiles more than the set has.

    """
    if len(text) > MAX_LENGTH:
        raise ParseError(
            "too-long",
            "the text has {length} characters; a CGP has at most {limit}",
            length=len(text),
            limit=MAX_LENGTH,
        )
    joined = join_accents(text)
    try:
        reading = _read(joined.text)
    except DomainError as error:
        raise joined.relocated(error) from None
    return joined.relocated_reading(reading)


def _read(text: str) -> Reading[Position]:
    warnings = Warnings(text)
    fields = split_fields(text, warnings)
    opcodes = split_opcodes(text, fields.rest, warnings)
    rows = measure_rows(text, fields.board)
    distribution, named = named_set(opcodes, len(rows), warnings)
    try:
        board = read_board(text, rows, distribution, warnings)
        players = _read_players(text, fields, distribution, warnings)
    except UnknownTileError:
        fitting = None if named else _set_of_letters(text, fields, len(rows), warnings)
        if fitting is None:
            raise
        distribution = fitting
        board = read_board(text, rows, distribution, warnings)
        players = _read_players(text, fields, distribution, warnings)
    position = Position(
        usual_rules(distribution, layout_of_size(board.rows, board.columns)),
        board,
        players,
        scoreless_turns=_read_scoreless_turns(text, fields.scoreless),
    )
    position = apply_opcodes(position, opcodes, warnings)
    _check_tile_counts(text, fields, position, warnings)
    return Reading(position, warnings.all())


def _tile_parts(fields: Fields) -> list[Field]:
    return [*fields.board.parts(), *(fields.racks.parts() if fields.racks else ())]


def _set_of_letters(text: str, fields: Fields, rows: int, warnings: Warnings) -> LetterDistribution | None:
    parts = _tile_parts(fields)

    def scan(distribution: LetterDistribution) -> list[int]:
        return [
            number
            for part in parts
            for number, _ in tile_text.scan_tiles(
                text, part.start, part.end, distribution, runs=True, apart=True
            )
        ]

    return set_of_letters(scan, rows, warnings, fields.board.start)


def _read_players(
    text: str, fields: Fields, distribution: LetterDistribution, warnings: Warnings
) -> tuple[Player, ...]:
    if fields.racks is None:
        return (Player(), Player())
    racks = fields.racks.parts()
    scores = fields.scores.parts() if fields.scores else [Field("0", 0)] * len(racks)
    if len(racks) != len(scores) or len(racks) > MAX_PLAYERS:
        line, column = place(text, fields.racks.start)
        raise ParseError(
            "player-count",
            "there are racks for {racks} players and scores for {scores}",
            line=line,
            column=column,
            racks=len(racks),
            scores=len(scores),
        )
    return tuple(
        Player(
            _read_score(text, score), tile_text.read_rack(text, rack.start, rack.end, distribution, warnings)
        )
        for rack, score in zip(racks, scores, strict=True)
    )


def _read_score(text: str, score: Field) -> int:
    if not _SCORE.fullmatch(score.text):
        line, column = place(text, score.start)
        raise ParseError(
            "malformed-score",
            "{score!r} is no score: a whole number of at most 6 digits is",
            line=line,
            column=column,
            score=score.text[:20],
        )
    return int(score.text.replace("−", "-"))


def _read_scoreless_turns(text: str, field: Field | None) -> int:
    if field is None:
        return 0
    digits = field.text.rstrip(";")
    if not _SCORELESS_TURNS.fullmatch(digits):
        line, column = place(text, field.start)
        raise ParseError(
            "malformed-scoreless-turns",
            "{field!r} is no number of scoreless turns",
            line=line,
            column=column,
            field=field.text[:20],
        )
    return int(digits)


def _check_tile_counts(text: str, fields: Fields, position: Position, warnings: Warnings) -> None:
    unseen = position.unseen
    if not unseen.excess:
        if fields.racks is not None:
            _check_rack_sizes(fields.racks, position, warnings)
        return
    distribution = position.rules.distribution
    letter = unseen.overdrawn[0]
    offset = _overdrawn_offset(text, fields, distribution, letter)
    has = distribution.counts[letter]
    values = {
        "tile": distribution.text(letter),
        "shown": has - unseen.counts[letter],
        "has": has,
        "distribution": distribution.name,
    }
    template = "the board and racks show {shown} × {tile}; the {distribution} set has {has}"
    if unseen.excess > FORGIVEN_EXCESS:
        line, column = place(text, offset)
        raise RuleError("too-many-tiles", template, line=line, column=column, **values)
    warnings.add("too-many-tiles", template, offset, **values)


def _overdrawn_offset(text: str, fields: Fields, distribution: LetterDistribution, letter: int) -> int:
    """Return where the first tile stands that is more than the set has."""
    left = distribution.counts[letter]
    board = len(fields.board.parts())
    for index, part in enumerate(_tile_parts(fields)):
        for number, offset in tile_text.scan_tiles(
            text, part.start, part.end, distribution, runs=True, apart=True
        ):
            on_board = index < board
            if on_board and number == EMPTY:
                continue
            kind = (BLANK if number < 0 else number) if on_board else abs(number)
            left -= kind == letter
            if left < 0:
                return offset
    return fields.board.start


def _check_rack_sizes(racks: Field, position: Position, warnings: Warnings) -> None:
    for rack, player in zip(racks.parts(), position.players, strict=True):
        if len(player.rack) > position.rules.rack_size:
            warnings.add(
                "long-rack",
                "a rack has {tiles} tiles; {limit} is usual",
                rack.start,
                tiles=len(player.rack),
                limit=position.rules.rack_size,
            )


def write(position: Position) -> str:
    """Write the canonical CGP of a position, the player on turn first.

    Raises:
        ConversionError: the board is not square, or a tile is written with characters that CGP needs itself.

    """
    if position.board.rows != position.board.columns:
        raise ConversionError(
            "board-not-square",
            "CGP boards are square; this one has {rows} rows and {columns} columns",
            rows=position.board.rows,
            columns=position.board.columns,
        )
    position = position.mover_first()
    distribution = position.rules.distribution
    check_tiles(distribution)
    players = position.players
    if len(players) < 2 and not any(player.rack for player in players):
        # A lone player without a known rack would leave the field empty, and spaces would close over it.
        players = (*players, Player(), Player())[:2]
        position = replace(position, players=players)
    fields = (
        write_board(position.board, distribution),
        "/".join(write_tiles(player.rack, distribution) for player in players),
        "/".join(str(player.score) for player in players),
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
        if not inner or re.search(r"[\[\]/\s0-9?;.]", inner):
            raise ConversionError(
                "tile-not-writable", "CGP cannot write the tile {tile!r}", tile=letter.text[:20]
            )


def write_tiles(tiles: Iterable[int], distribution: LetterDistribution) -> str:
    """Write tiles in a row, long ones in brackets."""
    return "".join(tile_text.bracketed(distribution.text(tile)) for tile in tiles)
