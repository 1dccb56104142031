"""Finds FEN and EPD positions in free text.

Dates, scores and lists of problem numbers (``1/2/3``) also contain slashes. Therefore, a board with fewer than
two further fields must have both kings and eight squares in each rank. A board followed by racks and scores is a
crossword position (CGP).

>>> list(find("try 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"))
[(4, 35, 'fen')]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from bot.domain.chess.notations.epd import MAX_LENGTH
from bot.domain.reading.notation import Span, are_mostly_valid, has_racks_and_scores, slashed_runs

SLASH_COUNT = 7
_BOARD = re.compile(
    r"(?<![^\s`|<>(\"'*_~:=,;“«\[\]])(?:(?:[pnbrqkPNBRQK1-8]{1,8}/){7}[pnbrqkPNBRQK1-8]{1,8}(?![\w/~\[])"
    # Crazyhouse: with pockets, and possibly with marks after promoted pieces.
    r"|(?:[pnbrqkPNBRQK1-8~]{1,16}/){7}[pnbrqkPNBRQK1-8~]{1,16}"
    r"(?:\[[pnbrqPNBRQ-]{0,64}\]|/[pnbrqPNBRQ]{0,64})(?![\w/]))"
)
_GAP = r"[^\S\r\n]{1,4}"
_SIDE = re.compile(rf"{_GAP}[wbWB](?!\w)")
_CASTLING = re.compile(rf"{_GAP}(?:-|[KQkq]{{1,4}}|[A-Ha-h]{{1,4}})(?![\w-])")
_EN_PASSANT = re.compile(rf"{_GAP}(?:-|[a-h][1-8])(?![\w-])")
_CHECKS_LEFT = re.compile(rf"{_GAP}[0-3]\+[0-3](?![\w+-])")
_CHECKS_GIVEN = re.compile(rf"{_GAP}\+[0-3]\+[0-3](?![\w+-])")
_NUMBER = re.compile(rf"{_GAP}(?:-|[0-9]{{1,4}})(?![\w/-]|\.\d)")

_KNOWN_OPCODES = (
    r"(?:a[cm]n|acd|acs|am|bm|c[0-9]|ce|dm|draw_(?:accept|claim|offer|reject)|eco|fmvn|hmvc|id|nic|noop|pm|pv|rc|resign"
    r"|sm|tcgs|tcr[io]|tcs[io]|v[0-9])"
)
_QUOTED_OPERAND = r"\"(?:[^\"\\\r\n]|\\[^\r\n]){0,400}\""
_NUMBER_OPERAND = r"[+-]?[0-9]{1,20}(?:\.[0-9]{1,20})?%?"
_MOVE = r"(?:[PNBRQK]?[a-h]?[1-8]?[-x]?[a-h][1-8](?:=?[NBRQnbrq])?|[Oo0]-[Oo0](?:-[Oo0])?)[+#]?[!?]{0,2}"
_SPACE = r"[^\S\r\n]"
_END = rf"(?={_SPACE}{{0,20}}[`|*)\]]{{0,6}}{_SPACE}{{0,20}}(?:[\r\n]|\Z))"
"""The end of a line, after marks that close a spoiler or code."""


def _operation_pattern(limit: int) -> str:
    operands = rf"(?:\"(?:[^\"\\\r\n]|\\[^\r\n]){{0,{limit}}}\"|[^\";\r\n]){{0,{limit}}}+"
    return (
        rf"{_SPACE}{{0,4}}(?:;{_SPACE}{{0,4}})?(?P<name>[A-Za-z][^\s;\"]{{0,60}})"
        rf"(?P<operands>(?={_SPACE}|;){operands});"
    )


_OPERATION = re.compile(_operation_pattern(400))
_OPERATION_ON_OWN_LINE = re.compile(_operation_pattern(MAX_LENGTH))
_LAST_OPERATION = re.compile(
    rf"{_SPACE}{{0,4}}(?:;{_SPACE}{{0,4}})?(?:[A-Za-z][^\s;\"]{{0,60}}{_SPACE}{{1,4}}(?:{_QUOTED_OPERAND}|{_NUMBER_OPERAND})"
    rf"|{_KNOWN_OPCODES}(?:{_SPACE}{{1,4}}(?:{_QUOTED_OPERAND}|{_NUMBER_OPERAND}|{_MOVE})){{1,20}}){_END}"
)
_QUOTED_OR_NUMBER = re.compile(rf"\s*(?:{_QUOTED_OPERAND}|{_NUMBER_OPERAND})\s*")
_KNOWN_OPCODE = re.compile(_KNOWN_OPCODES)
_AT_END = re.compile(_END)
_LINE_START = re.compile(r"(?:\A|[\r\n])[>\s`|*]{0,8}\Z")


def find(text: str) -> Iterator[Span]:
    """Yield the span of each FEN. If EPD operations follow, the span of the whole EPD comes first."""
    for match in chain.from_iterable(_BOARD.finditer(text, *run) for run in slashed_runs(text)):
        start, end, field_count = match.start(), match.end(), 1
        if has_racks_and_scores(text, end):
            continue
        for field in (_SIDE, _CASTLING, _EN_PASSANT, _NUMBER, _NUMBER):
            field_match = field.match(text, end)
            if field_match is None:
                break
            end, field_count = field_match.end(), field_count + 1
            if field_count == 4 and (checks := _CHECKS_LEFT.match(text, end)):
                end = checks.end()
        if field_count == 6 and (checks := _CHECKS_GIVEN.match(text, end)):
            end = checks.end()
        if field_count >= 4 and (operations_end := _end_of_operations(text, start, end)) > end:
            yield start, start + len(text[start:operations_end].rstrip()), "epd"
        if field_count >= 3 or _is_complete(match[0]):
            yield start, end, "fen"


def _end_of_operations(text: str, start: int, end: int) -> int:
    """Return the end of the operations after a position, or ``end`` if there are none.

    On a line of its own, an EPD may have any operations. Within other text, an operation needs a known
    opcode, a number or quoted text.
    """
    is_on_own_line = _LINE_START.search(text, max(0, start - 12), start) is not None
    pattern = _OPERATION_ON_OWN_LINE if is_on_own_line else _OPERATION
    accepted_end = offset = end
    while operation := pattern.match(text, offset):
        known_operation = _KNOWN_OPCODE.fullmatch(operation["name"]) or _QUOTED_OR_NUMBER.fullmatch(
            operation["operands"]
        )
        if not is_on_own_line and not known_operation:
            return accepted_end
        if known_operation and accepted_end == offset:
            accepted_end = operation.end()
        offset = operation.end()
    if last_operation := _LAST_OPERATION.match(text, offset):
        offset = last_operation.end()
    return offset if offset > accepted_end and _AT_END.match(text, offset) else accepted_end


@lru_cache(maxsize=256)
def _is_complete(board: str) -> bool:
    return board.count("K") == board.count("k") == 1 and all(
        sum(int(symbol) if symbol.isdigit() else 1 for symbol in rank) == 8 for rank in board.split("/")
    )


_LOOKS_LIKE_FEN = re.compile(
    r"[`\"]{0,3}(?:fen:?\s{1,4})?[^\s/]{1,20}(?:/[^\s/]{0,20}){4,10}\s{1,4}[wbWB](?:\s{1,4}\S{1,20}){1,6}[`\"]{0,3}\s*\Z"
)


def sniff(text: str) -> bool:
    return _LOOKS_LIKE_FEN.match(text.strip()[:400]) is not None


_LIKELY_BOARD = re.compile(
    r"(?<![^\s`|<>(\"'*_~:=,;“«\[\]])[A-Za-z0-9]{0,12}(?:/[A-Za-z0-9]{0,12}){6,8}(?![\w/])"
)
_RANK = re.compile(r"[pnbrqkPNBRQK1-8]{1,8}")
_ANY_SIDE = re.compile(rf"{_GAP}[A-Za-z](?!\w)")
_ANY_CASTLING = re.compile(rf"{_GAP}(?:-|[A-Za-z]{{1,4}})(?![\w-])")
_ANY_EN_PASSANT = re.compile(rf"{_GAP}(?:-|[a-z][0-9])(?![\w-])")
_ANY_NUMBER = re.compile(rf"{_GAP}[0-9]{{1,4}}(?![\w/-])")
_VALID_CASTLING = re.compile(r"-|[KQkq]{1,4}|[A-Ha-h]{1,4}")


def find_leniently(text: str) -> Iterator[Span]:
    """Yield the span of each likely FEN, valid or not."""
    for match in chain.from_iterable(_LIKELY_BOARD.finditer(text, *run) for run in slashed_runs(text)):
        ranks = match[0].split("/")
        valid_rank_count = sum(
            _RANK.fullmatch(rank) is not None
            and sum(int(symbol) if symbol.isdigit() else 1 for symbol in rank) == 8
            for rank in ranks
        )
        if not are_mostly_valid(valid_rank_count, max(len(ranks), 8)):
            continue
        end, is_fen = _end_of_fields(text, match.end(), has_valid_board=valid_rank_count == 8 == len(ranks))
        if is_fen:
            yield match.start(), end, "fen"


def _end_of_fields(text: str, board_end: int, *, has_valid_board: bool) -> tuple[int, bool]:
    """Return the end of the fields, and whether they show that the text is meant as a FEN.

    Both the side to move and the castling rights must be valid. After a valid board, one of them is enough if
    another field follows.
    """
    side = _ANY_SIDE.match(text, board_end)
    if side is None:
        return board_end, False
    castling = _ANY_CASTLING.match(text, side.end())
    if castling is None:
        return side.end(), False
    valid_field_count = (side[0].strip() in "wbWB") + (
        _VALID_CASTLING.fullmatch(castling[0].strip()) is not None
    )
    end = castling.end()
    for field in (_ANY_EN_PASSANT, _ANY_NUMBER, _ANY_NUMBER):
        field_match = field.match(text, end)
        if field_match is None:
            break
        end = field_match.end()
    return end, valid_field_count == 2 or (
        has_valid_board and valid_field_count == 1 and end > castling.end()
    )
