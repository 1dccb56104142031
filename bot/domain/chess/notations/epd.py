"""EPD: the first four fields of a FEN, followed by operations.

An operation is an opcode with operands, up to a semicolon: ``bm Nf3; id "position 7";``. Operations are stored as written,
except the two *clocks*, ``hmvc`` and ``fmvn``: they become the halfmove clock and the move number of the FEN. The reader also
accepts lines of perft files, with a semicolon before each operation (``;D1 20 ;D2 400``).

>>> epd = '4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id "a";'
>>> position = read(epd).value
>>> position.operations
(('bm', 'e4'), ('id', '"a"'))
>>> write(position) == epd
True
"""

from __future__ import annotations

import re
from dataclasses import replace

from bot.domain.chess.notations.fen import MAX_CLOCK, read_fields, split
from bot.domain.chess.position import ChessPosition
from bot.domain.reading.problems import Reading, TextPiece, Warnings

MAX_LENGTH = 10_000
MAX_OPERATIONS = 100

_FIELD_COUNT = 4
_HEAD = re.compile(r"\s*(?:\S+\s+){3}[^\s;]+")
_CLOCKS = re.compile(r"\s+\d{1,5}\s+\d{1,5}(?=\s*\Z|\s*;|\s+[A-Za-z])")
_EMPTY_OPERATION = re.compile(r"\s*;")
_WORD = re.compile(r"\S+")
OPCODE = re.compile(r"[A-Za-z][^\s;\"]{0,60}")
OPERANDS = re.compile(r"(?:\"(?:[^\"\\\r\n]|\\[^\r\n])*\"|[^\";\r\n])*")
_OPERATION = re.compile(rf"\s*(?P<opcode>[^\s;\"]+)(?:\s+(?P<operands>{OPERANDS.pattern}))?(?P<close>;)?")
CLOCK_OPCODES = {"hmvc": 0, "fmvn": 1}
"""The opcodes of the clocks, each with its minimum value."""
_MOVE_OPCODES = frozenset({"am", "bm", "pm", "sm"})


def read(text: str) -> Reading[ChessPosition]:
    """Read a position with its operations.

    Raises:
        ParseError: the text is not a valid EPD.
        RuleError: the position is illegal.

    """
    warnings = Warnings(text)
    tokens = split(text, MAX_LENGTH)
    head = _HEAD.match(text)
    if head is None:
        raise tokens[0].parse_error("epd-fields", "an EPD needs four fields before its operations")
    last_field = tokens[_FIELD_COUNT - 1]
    fields, end = (
        [*tokens[: _FIELD_COUNT - 1], last_field.part(0, head.end() - last_field.offset)],
        head.end(),
    )
    if clocks := _CLOCKS.match(text, end):
        warnings.add(
            "epd-clocks",
            "an EPD has no clocks after its four fields; use the operations hmvc and fmvn",
            clocks.start() + 1,
        )
        end = clocks.end()
        halfmoves, number = tokens[_FIELD_COUNT : _FIELD_COUNT + 2]
        fields += [halfmoves, number.part(0, end - number.offset)]
    position = read_fields(fields, text, warnings)
    operations, clock_values, moves = _read_operations(text, end, warnings)
    position = replace(
        position,
        operations=operations,
        halfmove_clock=clock_values.get("hmvc", position.halfmove_clock),
        fullmove_number=clock_values.get("fmvn", position.fullmove_number),
    )
    board = position.board()
    for opcode, move in moves:
        try:
            board.parse_san(move.text)
        except ValueError:
            warnings.add(
                "epd-move",
                "the move {move} in {opcode} isn't legal",
                move.offset,
                move=move.text[:20],
                opcode=opcode,
            )
    return Reading(position, warnings.all())


def _read_operations(
    text: str, offset: int, warnings: Warnings
) -> tuple[tuple[tuple[str, str], ...], dict[str, int], list[tuple[str, TextPiece]]]:
    """Return the operations, the clocks, and the moves with their opcodes."""
    operations: list[tuple[str, str]] = []
    clock_values: dict[str, int] = {}
    moves: list[tuple[str, TextPiece]] = []
    end = len(text.rstrip())
    while offset < end:
        if empty := _EMPTY_OPERATION.match(text, offset):
            warnings.add("epd-empty", "this semicolon has no operation before it", empty.end() - 1)
            offset = empty.end()
            continue
        match = _OPERATION.match(text, offset)
        operation_text = TextPiece(text[offset:end], offset, text).strip()
        if match is None or not OPCODE.fullmatch(match["opcode"]):
            raise operation_text.parse_error(
                "epd-opcode", "an EPD operation starts with its name, such as bm or id"
            )
        if match["close"] is None and match.end() < end:
            raise TextPiece(text[match.end() :], match.end(), text).parse_error(
                "epd-operand",
                "the operation {opcode} is not closed: a quote or a semicolon is missing",
                opcode=match["opcode"][:30],
            )
        if match["close"] is None:
            warnings.add("epd-semicolon", "an operation should end with a semicolon", end)
        if len(operations) == MAX_OPERATIONS:
            raise operation_text.parse_error(
                "epd-operations", "there are more than {limit} operations", limit=MAX_OPERATIONS
            )
        opcode, start = match["opcode"], max(match.start("operands"), match.end("opcode"))
        operands = TextPiece(match["operands"] or "", start, text).strip()
        if opcode in CLOCK_OPCODES:
            if opcode in clock_values:
                warnings.add(
                    "epd-twice",
                    "the operation {opcode} is given twice; the last one counts",
                    match.start("opcode"),
                    opcode=opcode,
                )
            clock_values[opcode] = _read_count(operands, opcode)
        else:
            operations.append((opcode, operands.text))
        if opcode in _MOVE_OPCODES:
            moves += [
                (opcode, TextPiece.matched(word))
                for word in _WORD.finditer(text, operands.offset, operands.end)
            ]
        offset = match.end()
    return tuple(operations), clock_values, moves


def _read_count(operand: TextPiece, opcode: str) -> int:
    minimum, digits = CLOCK_OPCODES[opcode], operand.text.lstrip("0") or operand.text[:1]
    if not (digits.isascii() and digits.isdigit()) or not minimum <= int(digits[:9]) <= MAX_CLOCK:
        raise operand.parse_error(
            "epd-count",
            "the operation {opcode} takes a number from {least} to {most}",
            opcode=opcode,
            least=minimum,
            most=MAX_CLOCK,
        )
    return int(digits)


def write(position: ChessPosition) -> str:
    """Write a position with its operations. The clocks are left out if both have their initial values."""
    fields = position.fen.split()[:_FIELD_COUNT]
    if (position.halfmove_clock, position.fullmove_number) != (0, 1):
        fields += [f"hmvc {position.halfmove_clock};", f"fmvn {position.fullmove_number};"]
    fields += [
        f"{opcode} {operands};" if operands else f"{opcode};" for opcode, operands in position.operations
    ]
    return " ".join(fields)


def quote(text: str) -> str:
    """Return text as an operand, on one line and in quotes."""
    return '"' + " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"') + '"'
