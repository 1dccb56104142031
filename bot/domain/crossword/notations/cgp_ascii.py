"""The ASCII draft of CGP, from macondo in 2022: a position on one line (a *record*), with one character per tile and bars between rows.

>>> record = "~~/|~~/|~~/|~~/|~~/|~~/|~~/|~~&#!4~~&|~~/|~~/|~~/|~~/|~~/|~~/|~~/ !%| 24|0 0 lex CSW24"
>>> position = read(record).value
>>> position.players[0].score
24
>>> write(position) == record
True
>>> list(find(f"what now? {record}"))
[(10, 96, 'cgp-ascii')]

================  ====================================================================
tile n            the character 32 + n, from ``!`` to ``J``
blank for tile n  the character 80 + n, from ``Q`` to ``z``
empty squares     ``~`` for one, ``~~`` and the character 32 + n for n of them
rows, racks …     separated by ``|``, as are the operations
blank on a rack   ``~``
================  ====================================================================

Operations that the draft lacks (``lex``, ``tmr`` …) are read and written as in CGP.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby, islice

from bot.domain.crossword.notations.cgp.operations import (
    KNOWN_OPCODES,
    MAX_OPERATIONS,
    add_operation,
    apply_operations,
    last_play_matches,
    prepare_for_cgp,
    read_last_play,
    write_operations as write_cgp_operations,
)
from bot.domain.crossword.notations.cgp.reader import MAX_LENGTH, split_rows, square_board
from bot.domain.crossword.notations.fields import (
    MIN_ROWS,
    MISSING_FIELD_ERRORS,
    Operation,
    Operations,
    build_position,
    check_excess,
    read_players,
    unknown_tile_error,
)
from bot.domain.crossword.play import Exchange, Pass, Placement
from bot.domain.crossword.position import EMPTY, Board, Player, Position
from bot.domain.crossword.rules import BLANK, MAX_SIDE, LetterDistribution
from bot.domain.reading.notation import Span
from bot.domain.reading.problems import (
    ConversionError,
    ParseError,
    Reading,
    TextPiece,
    Warnings,
    require_max_length,
)

# Bars and double tildes are also Markdown, so a record is recognized by its square board.

_RUN = re.compile(r"[!-z|~]+")
_SINGLE_BARS = re.compile(r"[^|\s]++(?:\|[^|\s]++)*+")
_ROW = re.compile(r"(?:~~[!-R]|~(?!~)|[!-JQ-z])+")
_SQUARES = re.compile(r"~~([!-R])|[!-z~]")
# Quotes, brackets, Markdown and punctuation that may follow a record.
_CLOSING_CHARACTERS = re.compile(r"[`'\"*_)>\].,;:!?|]*")
_MAX_OPENING_CHARACTERS = 4
"""Maximum number of quotes, brackets and Markdown characters before a record."""
_MARKDOWN_CHARACTERS = "`*_\"'"
_RACKS = re.compile(r"[^\S\n]{1,20}(?P<field>[!-J|~]{1,400})(?=\s)")
_SCORES = re.compile(r"[^\S\n]{1,20}(?P<field>-?\d{1,6}(?:\|-?\d{1,6})*)(?=\s)")
_SCORELESS_TURNS = re.compile(r"[^\S\n]{1,20}(?P<field>\d{1,3})(?![\w])")
_OPCODE = re.compile(r"(?:[^\S\n]{1,20}|[^\S\n]{0,20}\|[^\S\n]{0,20})(?P<name>[a-z][a-z0-9]{1,4})(?![\w])")
_OPERAND = re.compile(r"[^\S\n]{1,20}\w[\w./+-]{0,60}(?<![./+-])")
_LAST_PLAY = re.compile(
    r"[^\S\n]{1,20}(?:pass\b|exchange[^\S\n]{1,20}[!-J~]{1,60}|[0-9A-Za-z]{2,4}[^\S\n]{1,20}[!-JQ-z~]{1,60})"
)


def find(text: str) -> Iterator[Span]:
    end = 0
    for run in _RUN.finditer(text):
        # Two consecutive bars end a record, because no row is empty.
        for match in _SINGLE_BARS.finditer(text, max(run.start(), end), run.end()):
            board = _find_board(text, *match.span()) if "~" in match[0] and match.start() >= end else None
            if board is not None:
                end = _end_of_fields(text, *board)
                yield board[0], end, "cgp-ascii"


def _find_board(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the span of the board, without the quotes or brackets around it."""
    rows = text[start:end].split("|")
    first_row, last_row, size = rows[0], rows[-1], len(rows)
    if not MIN_ROWS <= size <= MAX_SIDE or any(_end_of_row(row, size) != len(row) for row in rows[1:-1]):
        return None
    opening_length = next(
        (
            length
            for length in range(_MAX_OPENING_CHARACTERS + 1)
            if _end_of_row(first_row[length:], size) == len(first_row) - length
        ),
        None,
    )
    last_end = _end_of_row(last_row, size)
    if opening_length is None or last_end is None or not _CLOSING_CHARACTERS.fullmatch(last_row, last_end):
        return None
    return start + opening_length, end - len(last_row) + last_end


def _end_of_row(row: str, width: int) -> int | None:
    """Return the number of characters in the first ``width`` squares, or None if the row does not start with ``width`` squares."""
    square_count = 0
    for match in _SQUARES.finditer(row):
        square_count += ord(match[1]) - 32 if match[1] else 1
        if square_count >= width:
            return match.end() if square_count == width and _ROW.fullmatch(row, 0, match.end()) else None
    return None


def _end_of_fields(text: str, board_start: int, board_end: int) -> int:
    end = board_end
    for field in (_RACKS, _SCORES, _SCORELESS_TURNS):
        match = field.match(text, end)
        if match is None:
            return board_end
        end = match.end()
    for _ in range(MAX_OPERATIONS + 1):
        name = _OPCODE.match(text, end)
        if name is None or name["name"] not in KNOWN_OPCODES:
            break
        operand = (_LAST_PLAY if name["name"] == "lm" else _OPERAND).match(text, name.end())
        if operand is None and name["name"] != "oru":
            break
        end = operand.end() if operand else name.end()
    # A character such as ``*`` is Markdown or a tile. At the end of a record, it is Markdown only if it also precedes the board.
    text_before = text[max(0, board_start - _MAX_OPENING_CHARACTERS) : board_start]
    mark_count = len(text_before) - len(text_before.rstrip(_MARKDOWN_CHARACTERS))
    is_enclosed = (
        mark_count and text[end - mark_count : end] == text[board_start - mark_count : board_start][::-1]
    )
    return end - mark_count if is_enclosed else end


_TILDE = "~"
"""An empty square, a blank on a rack, a tile that is played through, or an unknown tile in an exchange. Two tildes start a run of
empty squares."""
MAX_MACHINE_LETTER = 42
"""The highest machine letter that has a character."""

_TILE_OFFSET = 32
_BLANK_OFFSET = 80


def _characters_of(tiles: Iterable[int]) -> str:
    return "".join(
        chr(_TILE_OFFSET + tile if tile > 0 else _BLANK_OFFSET - tile) if tile else _TILDE for tile in tiles
    )


def tile_of(character: TextPiece, distribution: LetterDistribution, *, on_board: bool = True) -> int:
    """Return the machine letter of a character.

    Raises:
        ParseError: the character is not a tile of the set, or a rack contains a blank that stands for a letter.

    """
    code = ord(character.text)
    tile = 0
    if _TILE_OFFSET < code <= _TILE_OFFSET + MAX_MACHINE_LETTER:
        tile = code - _TILE_OFFSET
    elif on_board and _BLANK_OFFSET < code <= _BLANK_OFFSET + MAX_MACHINE_LETTER:
        tile = _BLANK_OFFSET - code
    if not 0 < abs(tile) < len(distribution.letters):
        raise unknown_tile_error(character, distribution)
    return tile


SEPARATOR = "|"
_FIELD = re.compile(r"\S+")
_TOKEN = re.compile(r"~~(?P<length>.?)|.", re.DOTALL)


def read(text: str) -> Reading[Position]:
    """Read a record. The board field alone is enough.

    Raises:
        ParseError: a field is missing or malformed, a row has the wrong width, or a character is not a tile.
        RuleError: there are more than :data:`~bot.domain.crossword.notations.fields.MAX_EXCESS` surplus tiles.

    """
    require_max_length(text, MAX_LENGTH)
    warnings = Warnings(text)
    fields, operations_start = _split_fields(text)
    operations, last_plays = split_operations(text, operations_start, warnings)
    rows = split_rows(fields[0], SEPARATOR)

    def read_tiles(distribution: LetterDistribution) -> tuple[Board, tuple[Player, ...]]:
        board = square_board(rows, [_read_row(row, distribution) for row in rows])
        if len(fields) == 1:
            return board, (Player(), Player())
        racks = fields[1].split(SEPARATOR)
        tiles = (
            tuple(
                BLANK if character.text == _TILDE else tile_of(character, distribution, on_board=False)
                for character in rack.characters()
            )
            for rack in racks
        )
        return board, read_players(racks, fields[2].split(SEPARATOR), tiles)

    position = build_position(
        read_tiles,
        None,
        operations,
        rows,
        warnings,
        scoreless_field=fields[3] if len(fields) > 1 else None,
    )
    position = apply_operations(position, operations, warnings)
    position = apply_last_plays(position, last_plays, warnings)
    check_excess(fields[0], position, warnings)
    return Reading(position, warnings.all())


def _split_fields(text: str) -> tuple[list[TextPiece], int]:
    fields = list(map(TextPiece.matched, islice(_FIELD.finditer(text), 4)))
    if not fields:
        raise ParseError("missing-fields", "the text is empty; a CGP starts with the rows of the board")
    end = fields[-1].end
    if len(fields) in MISSING_FIELD_ERRORS:
        raise TextPiece("", end, text).parse_error("missing-field", MISSING_FIELD_ERRORS[len(fields)])
    return fields, end


def _read_row(row: TextPiece, distribution: LetterDistribution) -> list[int]:
    squares: list[int] = []
    for match in _TOKEN.finditer(row.text):
        token, run_length = row.part(*match.span()), match["length"]
        length = 1 if run_length is None else ord(run_length) - 32 if run_length else 0
        if not 1 <= length <= MAX_SIDE:
            raise token.parse_error(
                "malformed-run",
                "the character after ~~ has the code 32 + the number of empty squares; {character!r} doesn't stand for "
                "a number from 1 to {limit}",
                character=run_length,
                limit=MAX_SIDE,
            )
        squares += [EMPTY] * length if token.text[0] == _TILDE else [tile_of(token, distribution)]
        if len(squares) > MAX_SIDE:
            break
    return squares


EARLIER_PLAYS_KEY = "earlier"
"""Key of ``Position.extra`` for the plays before the last play, in the draft's notation."""

OPERATION_SEPARATOR = " | "


def split_operations(text: str, start: int, warnings: Warnings) -> tuple[Operations, list[Operation]]:
    """Return the operations other than ``lm`` by opcode, and a list of the ``lm`` operations, latest play first."""
    operations: dict[str, Operation] = {}
    last_plays: list[Operation] = []
    for part in TextPiece(text[start:], start, text).split("|"):
        piece = part.strip()
        words = piece.text.split()
        if not words:
            continue
        opcode, operand = words[0], " ".join(words[1:])
        if opcode == "lm":
            last_plays.append(Operation(opcode, operand, piece))
        else:
            operation = Operation(opcode.rstrip(";") or opcode, operand.rstrip(";"), piece)
            add_operation(operations, operation, warnings)
    return operations, last_plays[:MAX_OPERATIONS]


def apply_last_plays(position: Position, last_plays: list[Operation], warnings: Warnings) -> Position:
    """Set the position's last play to the first of ``last_plays``, which are listed from the latest to the earliest.

    The other plays, and the first if it cannot be read, are stored in ``extra`` as written.
    """
    if not last_plays:
        return position
    latest_operation, *earlier_operations = last_plays
    cgp_operand = _translate_operand(latest_operation.operand, position.rules.distribution)
    last_play = read_last_play(cgp_operand, position) if cgp_operand else None
    if last_play is None:
        latest_operation.piece.warn(
            warnings,
            "bad-operand",
            "the opcode {name} can't have the operand {operand!r}; kept as written",
            name="lm",
            operand=latest_operation.operand[:40],
        )
        earlier_operations = [latest_operation, *earlier_operations]
    elif not last_play_matches(last_play, position):
        latest_operation.piece.warn(
            warnings, "last-play-differs", "the last play doesn't match the tiles on the board"
        )
    if earlier_operations:
        operands = OPERATION_SEPARATOR.join(operation.operand for operation in earlier_operations)
        position = replace(position, extra=(*position.extra, (EARLIER_PLAYS_KEY, operands)))
    return replace(position, last_play=last_play)


def _translate_operand(operand: str, distribution: LetterDistribution) -> str:
    """Translate the operand of ``lm`` to CGP, or return an empty string if the operand is not a play."""
    if operand == "pass":
        return operand
    first_word, _, characters = operand.partition(" ")
    if not characters or " " in characters:
        return ""
    is_exchange = first_word == "exchange"
    if is_exchange and not characters.strip(_TILDE):
        return f"-{len(characters)}"
    tilde_text = distribution.text(BLANK) if is_exchange else "."
    try:
        tiles = "".join(
            tilde_text
            if character.text == _TILDE
            else distribution.bracketed_texts[tile_of(character, distribution, on_board=not is_exchange)]
            for character in TextPiece.of(characters).characters()
        )
    except ParseError:
        return ""
    return f"-{tiles}" if is_exchange else f"{first_word} {tiles}"


def write(position: Position) -> str:
    """Write a position in the draft's notation. The player to move comes first.

    A last play that was challenged off is left out, and so are operations that contain vertical bars or non-ASCII characters.

    Raises:
        ConversionError: the board is not square, or the set has more than 42 kinds of tiles.

    """
    position = prepare_for_cgp(position)
    kind_count = len(position.rules.distribution.letters) - 1
    if kind_count > MAX_MACHINE_LETTER:
        raise ConversionError(
            "too-many-kinds",
            "the ASCII draft of CGP has characters for {limit} kinds of tiles; this set has {tiles}",
            limit=MAX_MACHINE_LETTER,
            tiles=kind_count,
        )
    players = position.players
    return " ".join(
        (
            SEPARATOR.join(_write_row(position.board.row(row)) for row in range(position.board.rows)),
            SEPARATOR.join(_characters_of(player.rack) for player in players),
            SEPARATOR.join(str(player.score) for player in players),
            str(position.scoreless_turns),
            _write_operations(position),
        )
    ).rstrip()


def _write_row(row: tuple[int, ...]) -> str:
    runs = ((is_empty, list(run)) for is_empty, run in groupby(row, EMPTY.__eq__))
    return "".join(
        f"~~{chr(32 + len(run))}" if is_empty and len(run) > 1 else _characters_of(run)
        for is_empty, run in runs
    )


def _write_operations(position: Position) -> str:
    """Write the operations. The name of an unknown set is left out, because only a known set defines the tiles' characters."""
    extra = tuple(
        (name, operand) for name, operand in position.extra if name not in (EARLIER_PLAYS_KEY, "lm", "ld")
    )
    plain_position = replace(position, last_play=None, extra=extra)
    cgp_operations = [operation.removesuffix(";") for operation in write_cgp_operations(plain_position)]
    operations = [
        "mncz" + operation[4:] if operation.startswith("mcnz ") else operation for operation in cgp_operations
    ]
    last_play = position.last_play
    match last_play.play if last_play is not None and not last_play.withdrawn else None:
        case Pass():
            operations.append("lm pass")
        case Exchange(tiles, unknown_count) as exchange:
            are_tiles_known = tiles and not unknown_count
            operations.append(
                f"lm exchange {_characters_of(tiles) if are_tiles_known else _TILDE * exchange.size}"
            )
        case Placement(start, tiles):
            operations.append(f"lm {start} {_characters_of(tiles)}")
    earlier_plays = dict(position.extra).get(EARLIER_PLAYS_KEY, "")
    operations += [f"lm {operand}" for operand in earlier_plays.split(OPERATION_SEPARATOR) if operand]
    return "|".join(operation for operation in operations if operation.isascii() and "|" not in operation)
