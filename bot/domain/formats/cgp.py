"""CGP, the Crossword Game Position: a position on one line, as in ``formats/cgp.txt`` of the field.

``board racks scores scoreless-turns opcode operand; …`` — see :mod:`bot.domain.formats.cgp_opcodes` for the
opcodes. The reader forgives what real programs and people write; the writer writes the strict form, leaving out
what is the default anyway.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from bot.domain.bag import unseen_tiles
from bot.domain.board import EMPTY, Board
from bot.domain.distributions import (
    BLANK,
    LetterDistribution,
    distribution_names,
    distribution_of_lexicon,
    find_distribution,
    load_distribution,
    super_distribution,
)
from bot.domain.errors import ConversionError, ParseError, Reading, RuleError, Warnings, place
from bot.domain.formats import tile_text
from bot.domain.formats.cgp_opcodes import Opcodes, apply_opcodes, split_opcodes, write_opcodes
from bot.domain.formats.tile_text import UnknownTileError
from bot.domain.layouts import MAX_SIDE, layout_of_size
from bot.domain.position import MAX_PLAYERS, Player, Position
from bot.domain.rules import usual_rules

MAX_LENGTH = 40_000
"""Longest text that is read, in characters: a full 50×50 board of long tiles is shorter."""

SUPER_SIDE = 21

FORGIVEN_EXCESS = 2
"""How many tiles more than the set has are put down to a slip."""

# Sets to try, in this order, when nothing names one and the letters are not English.
_BY_LETTERS = ("spanish", "french", "german", "catalan", "polish", "norwegian", "swedish", "dutch", "slovene")

# The usual runs of empty squares, strictly written.
_RUNS = {str(length): [EMPTY] * length for length in range(1, MAX_SIDE + 1)}

_PREFIX = re.compile(r"\s*(?:(?:load\s+)?cgp\b:?\s*)?", re.IGNORECASE)
_FIELD = re.compile(r"\S+")
_SCORE = re.compile(r"[-−+]?[0-9]{1,6}")
_COMBINING = re.compile("[\u0300-\u036f]")


@dataclass(frozen=True, slots=True)
class _Field:
    """One space-separated part of the text, ``text[start:end]``."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def parts(self) -> list[_Field]:
        """Split at slashes."""
        parts, start = [], self.start
        for piece in self.text.split("/"):
            parts.append(_Field(piece, start))
            start += len(piece) + 1
        return parts


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
    warnings = Warnings(text)
    if match := _COMBINING.search(text):
        warnings.add(
            "combining-accents", "accents are separate characters; joined to their letters", match.start()
        )
        text = unicodedata.normalize("NFC", text)
    fields = _split_fields(text, warnings)
    opcodes = split_opcodes(text, fields.rest, warnings)
    rows = _measure_rows(text, fields.board)
    distribution, named = _named_distribution(opcodes, len(rows), warnings)
    try:
        squares = [_read_row(text, row, distribution, warnings) for row in rows]
        players = _read_players(text, fields, distribution, warnings)
    except UnknownTileError:
        fitting = None if named else _fit_by_letters(text, fields, len(rows), warnings)
        if fitting is None:
            raise
        distribution = fitting
        squares = [_read_row(text, row, distribution, warnings) for row in rows]
        players = _read_players(text, fields, distribution, warnings)
    board = _board_of_rows(text, rows, squares)
    position = Position(
        usual_rules(distribution, layout_of_size(board.rows, board.columns)),
        board,
        players,
        scoreless_turns=_read_scoreless_turns(text, fields.scoreless),
    )
    position = apply_opcodes(position, opcodes, warnings)
    _check_tile_counts(text, fields, position, warnings)
    return Reading(position, warnings.all())


@dataclass(frozen=True, slots=True)
class _Fields:
    board: _Field
    racks: _Field | None
    scores: _Field | None
    scoreless: _Field | None
    rest: int
    """Offset at which the opcodes start."""


def _split_fields(text: str, warnings: Warnings) -> _Fields:
    prefix = _PREFIX.match(text)
    fields: list[_Field] = []
    position = prefix.end() if prefix else 0
    while len(fields) < 4 and (match := _FIELD.search(text, position)):
        field = _Field(match[0], match.start())
        if len(fields) == 1 and _starts_opcodes(field.text):
            break
        fields.append(field)
        position = match.end()
    if not fields:
        raise ParseError("missing-fields", "there is no text: a CGP starts with the rows of the board")
    board, *others = fields
    if not others:
        return _Fields(board, None, None, None, position)
    if len(others) == 1 and "/" in others[0].text:
        warnings.add("missing-scores", "the scores are missing; taken as 0", others[0].end)
        return _Fields(board, others[0], None, None, position)
    if len(others) < 3:
        line, column = place(text, position)
        raise ParseError(
            "missing-fields",
            "after the board a CGP has racks, scores and the number of scoreless turns; {missing} missing",
            line=line,
            column=column,
            missing=("racks, scores and turns are", "scores and turns are", "a field is")[len(others)],
        )
    return _Fields(board, others[0], others[1], others[2], position)


def _starts_opcodes(text: str) -> bool:
    """Tell whether the field after a board cannot be racks but an opcode (``15/…/15 lex NWL23;``)."""
    return bool(re.fullmatch(r"-?(?:lex|ld|bdn|l1|var)", text))


def _measure_rows(text: str, board: _Field) -> list[_Field]:
    rows = board.parts()
    if len(rows) > MAX_SIDE:
        line, column = place(text, rows[MAX_SIDE].start)
        raise ParseError(
            "too-many-rows",
            "the board has {rows} rows; {limit} is the most",
            line=line,
            column=column,
            rows=len(rows),
            limit=MAX_SIDE,
        )
    return rows


def _named_distribution(opcodes: Opcodes, rows: int, warnings: Warnings) -> tuple[LetterDistribution, bool]:
    """Return the set that ``ld`` names (and True), else the one that the lexicon's name implies, else English."""
    named = opcodes.operand("ld")
    if named and (distribution := find_distribution(named)):
        return distribution, True
    if named:
        warnings.add(
            "unknown-distribution",
            "the letter distribution {name!r} is unknown",
            opcodes.offset("ld"),
            name=named[:40],
        )
    lexicon = opcodes.operand("lex") or opcodes.operand("l1") or ""
    implied = distribution_of_lexicon(lexicon) or load_distribution("english")
    return (super_distribution(implied) if rows == SUPER_SIDE else implied), False


def _tile_parts(fields: _Fields) -> list[_Field]:
    return [*fields.board.parts(), *(fields.racks.parts() if fields.racks else ())]


def _fit_by_letters(text: str, fields: _Fields, rows: int, warnings: Warnings) -> LetterDistribution | None:
    """Return the set that has all these tiles and is exceeded least, the more usual one first."""
    best: tuple[int, LetterDistribution] | None = None
    parts = _tile_parts(fields)
    for name in (*_BY_LETTERS, *(name for name in distribution_names() if name not in _BY_LETTERS)):
        distribution = load_distribution(name)
        try:
            used = [
                number
                for part in parts
                for number, _ in tile_text.scan_tiles(text, part.start, part.end, distribution, runs=True)
            ]
        except UnknownTileError:
            continue
        excess = unseen_tiles(distribution, used, ()).excess
        if best is None or excess < best[0]:
            best = (excess, distribution)
    if best is None:
        return None
    warnings.add(
        "distribution-by-letters",
        "no letter distribution is named; the letters are those of the {distribution} set",
        fields.board.start,
        distribution=best[1].name,
    )
    return super_distribution(best[1]) if rows == SUPER_SIDE else best[1]


def _board_of_rows(text: str, rows: list[_Field], squares: list[list[int]]) -> Board:
    widths = Counter(map(len, squares))
    columns = len(rows) if widths[len(rows)] * 2 >= len(rows) else widths.most_common(1)[0][0]
    for number, (row, tiles) in enumerate(zip(rows, squares, strict=True), start=1):
        if len(tiles) != columns:
            line, column = place(text, row.start)
            raise ParseError(
                "row-width",
                "row {row} is {width} squares wide, not {columns}",
                line=line,
                column=column,
                row=number,
                width=len(tiles),
                columns=columns,
            )
    if columns != len(rows):
        line, column = place(text, rows[min(columns, len(rows) - 1)].start)
        raise ParseError(
            "row-count",
            "the board has {rows} rows of {columns} squares; it needs {columns} rows",
            line=line,
            column=column,
            rows=len(rows),
            columns=columns,
        )
    return Board(len(rows), columns, tuple(square for row in squares for square in row))


def _read_row(text: str, row: _Field, distribution: LetterDistribution, warnings: Warnings) -> list[int]:
    squares: list[int] = []
    numbers = distribution.numbers
    for token in tile_text.split_pattern(distribution).findall(row.text):
        number = numbers.get(token)
        if number:
            squares.append(number)
        elif run := _RUNS.get(token):
            squares += run
        else:
            return _read_odd_row(text, row, distribution, warnings)
    return squares if len(squares) <= MAX_SIDE else _read_odd_row(text, row, distribution, warnings)


def _read_odd_row(text: str, row: _Field, distribution: LetterDistribution, warnings: Warnings) -> list[int]:
    """Read a row that is not written strictly, with the place of each fault."""
    squares: list[int] = []
    for match in tile_text.token_pattern(distribution).finditer(text, row.start, row.end):
        token = match[0]
        if match.lastgroup == tile_text.RUN:
            squares += [EMPTY] * _run_length(text, match.start(), token, warnings)
        else:
            squares.append(_odd_tile(text, match, distribution, warnings))
        if len(squares) > MAX_SIDE:
            line, column = place(text, row.start)
            raise ParseError(
                "row-width", "a row is over {limit} squares wide", line=line, column=column, limit=MAX_SIDE
            )
    return squares


def _odd_tile(text: str, match: re.Match[str], distribution: LetterDistribution, warnings: Warnings) -> int:
    token = match[0]
    if match.lastgroup == tile_text.TILE:
        if distribution.numbers[token] == BLANK:
            raise _blank_without_letter(text, match.start())
        return distribution.numbers[token]
    if match.lastgroup == tile_text.BRACKET:
        return _bracketed_tile(text, match.start(), token, distribution, warnings)
    raise tile_text.unknown_tile(text, match.start(), token, distribution)


def _blank_without_letter(text: str, offset: int) -> ParseError:
    line, column = place(text, offset)
    return ParseError(
        "blank-without-letter",
        "a blank on the board is written as the small letter it stands for, not as ?",
        line=line,
        column=column,
    )


def _run_length(text: str, offset: int, token: str, warnings: Warnings) -> int:
    digits = token.lstrip("0")
    if len(digits) > 2 or int(digits or "0") > MAX_SIDE:
        line, column = place(text, offset)
        raise ParseError(
            "run-too-long",
            "{run} empty squares in a row; a board is at most {limit} wide",
            line=line,
            column=column,
            run=token if len(token) <= 12 else token[:12] + "…",
            limit=MAX_SIDE,
        )
    if len(digits) != len(token):
        warnings.add("leading-zero", "a run of empty squares is written without a leading zero", offset)
    return int(digits or "0")


def _bracketed_tile(
    text: str, offset: int, token: str, distribution: LetterDistribution, warnings: Warnings
) -> int:
    number = tile_text.bracket_number(token, distribution)
    if not number or not token.endswith("]"):
        raise tile_text.unknown_tile(text, offset, token, distribution)
    if token != tile_text.bracketed(distribution.text(number)):
        warnings.add("odd-brackets", "{token} is usually written another way", offset, token=token[:20])
    return number


def _read_players(
    text: str, fields: _Fields, distribution: LetterDistribution, warnings: Warnings
) -> tuple[Player, ...]:
    if fields.racks is None:
        return (Player(), Player())
    racks = fields.racks.parts()
    scores = fields.scores.parts() if fields.scores else [_Field("0", 0)] * len(racks)
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


def _read_score(text: str, score: _Field) -> int:
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


def _read_scoreless_turns(text: str, field: _Field | None) -> int:
    if field is None:
        return 0
    digits = field.text.rstrip(";")
    if not re.fullmatch("[0-9]{1,3}", digits):
        line, column = place(text, field.start)
        raise ParseError(
            "malformed-scoreless-turns",
            "{field!r} is no number of scoreless turns",
            line=line,
            column=column,
            field=field.text[:20],
        )
    return int(digits)


def _check_tile_counts(text: str, fields: _Fields, position: Position, warnings: Warnings) -> None:
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


def _overdrawn_offset(text: str, fields: _Fields, distribution: LetterDistribution, letter: int) -> int:
    """Return where the first tile stands that is more than the set has."""
    left = distribution.counts[letter]
    board = len(fields.board.parts())
    for index, part in enumerate(_tile_parts(fields)):
        for number, offset in tile_text.scan_tiles(text, part.start, part.end, distribution, runs=True):
            on_board = index < board
            if on_board and number == EMPTY:
                continue
            kind = (BLANK if number < 0 else number) if on_board else abs(number)
            left -= kind == letter
            if left < 0:
                return offset
    return fields.board.start


def _check_rack_sizes(racks: _Field, position: Position, warnings: Warnings) -> None:
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
    fields = (
        "/".join(_write_row(position.board.row(row), distribution) for row in range(position.board.rows)),
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
        if not inner or re.search(r"[\[\]/\s0-9?;.]", inner):
            raise ConversionError(
                "tile-not-writable", "CGP cannot write the tile {tile!r}", tile=letter.text[:20]
            )


def write_tiles(tiles: Iterable[int], distribution: LetterDistribution) -> str:
    """Write tiles in a row, long ones in brackets."""
    return "".join(tile_text.bracketed(distribution.text(tile)) for tile in tiles)


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
