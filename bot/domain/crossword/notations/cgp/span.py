"""Finds CGPs in free text.

A CGP is recognized by its board field: at least seven rows separated by slashes, most of them equally wide. The text after the
board belongs to the CGP as long as it looks like racks, scores, scoreless turns and operations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Final

from bot.domain.crossword.notations.cgp.operations import KNOWN_OPCODES, MAX_OPERATIONS
from bot.domain.crossword.rules import MAX_SIDE
from bot.domain.reading.notation import (
    CHESS_BOARD,
    GAP,
    NUMBERS,
    RACKS,
    SCORES,
    TILES,
    Span,
    are_mostly_valid,
    has_racks_and_scores,
    next_field,
    slashed_runs,
)

MIN_ROWS = 7
"""Minimum number of rows in free text. Dates, paths and fractions have fewer parts."""

MAX_BOARD_LENGTH = 20_000
"""Maximum length in characters. A full 50×50 board of multi-letter tiles is shorter."""

_BOARD = re.compile(rf"(?<![^\s`|<>(\"'*_~:=,“«\u200b]){TILES}(?:/{TILES}){{{MIN_ROWS - 1},}}+")
_SQUARES = re.compile(r"\d++|\[{1,2}+[^\[\]]*+\]{1,2}+|.")
_PREFIX = re.compile(r"(?:(?:load\s{1,3})?cgp:?\s{1,3})\Z", re.IGNORECASE)
_SCORELESS_TURNS = re.compile(r"[-−]?\d{1,9}(?![\w/])")
_DASHED_OPCODE = re.compile(r"-?([a-z][a-z0-9]*)")
_OPERAND = re.compile(r"[^\s;`|<>]+")
_UNKNOWN_OPERATION = re.compile(r"[a-z][a-z0-9]{1,4}(?:[^\S\n][^\s;`|,!?]{1,40}){0,3};")
# Further words of an operand: a lexicon may be called "Weird Name".
_MORE_WORDS = re.compile(r"(?:[^\S\n][^\s;`|<>,!?]{1,40}){1,3};")
_SPACES = re.compile(r"[^\S\n]{1,20}")
_CLOSING_SEMICOLON = re.compile(r"[^\S\n]{0,3};")
_LAST_PLAY = re.compile(
    r"(?:challenge[^\S\n]|phony\.)?(?:[0-9]{1,2}[A-Za-z]{1,2}|[A-Za-z]{1,2}[0-9]{1,2})[^\S\n.]?[ .][^\s;`|<>]+"
    r"(?:[^\S\n]\+\d{1,3})?|[^\s;`|<>]+"
)
# Opcodes that are not also ordinary words.
_UNAMBIGUOUS_OPCODES = frozenset(("lex", "ld", "bdn", "l1", "l2", "var"))
# Boards of shogi and related games have up to twelve rows, followed by the side to move (black or white) and the pieces in hand.
_MAX_CHESS_RANKS = 12
_SIDE_TO_MOVE = re.compile(
    r"[^\S\n]{1,3}[bw](?:[^\S\n]{1,3}(?:-|[A-Za-z0-9]{1,20}(?![\w/]))|[^\S\n]{0,3}$)", re.MULTILINE
)


def find(text: str) -> Iterator[Span]:
    end = 0
    for match in chain.from_iterable(_BOARD.finditer(text, *run) for run in slashed_runs(text)):
        start, rows = match.start(), match[0].split("/")
        if start < end or len(match[0]) > MAX_BOARD_LENGTH or len(rows) > MAX_SIDE + 2:
            continue
        widths = list(map(width_of_row, rows))
        usual_width = max(set(widths), key=widths.count)
        # A board may contain mistakes, but the parts of a path and the words of a list have no common width.
        if usual_width < 2 or widths.count(usual_width) * 2 <= len(rows) or abs(usual_width - len(rows)) > 2:
            continue
        if is_chess_board(text, match[0], match.end()):
            continue
        prefix = _PREFIX.search(text, max(0, start - 16), start)
        if prefix and (prefix.start() == 0 or not text[prefix.start() - 1].isalnum()):
            start = prefix.start()
        end = end_of_fields(text, match.end())
        yield start, end, "cgp"


_LOOKS_LIKE_CGP = re.compile(
    r"`*+(?P<prefix>(?:load\s++)?cgp:?\s++)?+`*+(?P<board>[^\s/]++(?:/[^\s/]*+)++)(?P<rest>.*+)",
    re.IGNORECASE | re.DOTALL,
)
_SCORES_FIELD = re.compile(r"[-−+]?\d+(?:/[-−+]?\d+)+")


def sniff(text: str) -> bool:
    """Return whether the text is meant as a CGP, even if its board is too unusual for :func:`find`.

    The text must start with ``cgp`` or have scores in its third field, or at least half of its rows must have the same width.
    """
    match = _LOOKS_LIKE_CGP.match(text.strip()[:MAX_BOARD_LENGTH])
    if match is None:
        return False
    fields = match["rest"].split()
    if match["prefix"] or (len(fields) >= 2 and _SCORES_FIELD.fullmatch(fields[1])):
        return True
    rows = match["board"].split("/")
    if len(rows) < 3 or not any(character.isdigit() for character in match["board"]):
        return False
    widths = [width_of_row(row) for row in rows]
    return max(widths) > 1 and max(Counter(widths).values()) * 2 >= len(rows)


def is_chess_board(text: str, board: str, end: int) -> bool:
    if CHESS_BOARD.fullmatch(board) and not has_racks_and_scores(text, end):
        return True
    return board.count("/") < _MAX_CHESS_RANKS and _SIDE_TO_MOVE.match(text, end) is not None


@lru_cache(maxsize=2048)
def width_of_row(row: str) -> int:
    """Return the number of squares in a row. A tile in brackets counts as one."""
    return sum(min(int(part[:4]), 999) if part.isdecimal() else 1 for part in _SQUARES.findall(row))


def end_of_fields(text: str, board_end: int) -> int:
    racks = next_field(text, board_end, RACKS)
    if racks is None:
        return _end_of_operations(text, board_end)
    scores = next_field(text, racks.end(), SCORES)
    if scores is None or not (NUMBERS.fullmatch(scores[0]) or "/" in scores[0]):
        # Without scores, the racks may be a word in the sentence, unless they contain a slash.
        return (
            racks.end()
            if "/" in racks[0] and not racks[0].isdecimal()
            else _end_of_operations(text, board_end)
        )
    turns = next_field(text, scores.end(), _SCORELESS_TURNS)
    if turns is None:
        # Without scoreless turns, the racks and scores may be words in the sentence, unless the racks contain a slash.
        return scores.end() if "/" in racks[0] else _end_of_operations(text, board_end)
    return _end_of_operations(text, turns.end())


def _end_of_operations(text: str, start: int) -> int:
    end = start
    if semicolon := _CLOSING_SEMICOLON.match(text, end):
        end = semicolon.end()
    for _ in range(MAX_OPERATIONS + 1):
        gap = GAP.match(text, end)
        operation_end = _operation_end(text, gap.end()) if gap else None
        if operation_end is None:
            break
        end = operation_end
    return end


def _operation_end(text: str, start: int) -> int | None:
    name = _DASHED_OPCODE.match(text, start)
    if name is None or name[1] not in KNOWN_OPCODES:
        unknown_operation = _UNKNOWN_OPERATION.match(text, start)
        return unknown_operation.end() if unknown_operation else None
    end = name.end()
    if semicolon := _CLOSING_SEMICOLON.match(text, end):
        return semicolon.end()
    gap = _SPACES.match(text, end)
    operand = (_LAST_PLAY if name[1] == "lm" else _OPERAND).match(text, gap.end()) if gap else None
    if operand is None:
        return end if name[1] == "oru" and not text[end : end + 1].isalnum() else None
    if semicolon := _CLOSING_SEMICOLON.match(text, operand.end()):
        return semicolon.end()
    if name[1] in _UNAMBIGUOUS_OPCODES and (more_words := _MORE_WORDS.match(text, operand.end())):
        # An opcode among the words starts a new operation.
        names = filter(None, map(_DASHED_OPCODE.fullmatch, more_words[0].rstrip(";").split()))
        if not any(word[1] in KNOWN_OPCODES for word in names):
            return more_words.end()
    # Without a semicolon, the opcode and its operand may be words in the sentence (``to win``).
    word = operand[0].rstrip(".,!?)")
    is_certain = name[0].startswith("-") or name[1] in _UNAMBIGUOUS_OPCODES or NUMBERS.fullmatch(word)
    return operand.start() + len(word) if is_certain else None


_RUN = re.compile(r"[^\s`|<>()\"]++")
_ROW = re.compile(r"(?:[^\W_]|[\[\]·])++")
_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"[^\W\d_]")

_MIN_WIDTH_WITHOUT_FIELDS: Final = 13
"""Boards with fewer columns need racks and scores, because lists of words and other games look like them."""


def find_attempts(text: str) -> Iterator[Span]:
    """Yield the span of each likely CGP: at least four fifths of its rows have the right width."""
    for match in chain.from_iterable(_RUN.finditer(text, *run) for run in slashed_runs(text)):
        rows, end = match[0].split("/"), match.end()
        if not MIN_ROWS <= len(rows) <= MAX_SIDE + 2 or len(match[0]) > MAX_BOARD_LENGTH:
            continue
        widths = [width_of_row(row) if _ROW.fullmatch(row) else 0 for row in rows]
        usual_width = max(set(widths), key=widths.count)
        if usual_width < MIN_ROWS or not are_mostly_valid(
            widths.count(usual_width), max(usual_width, len(rows))
        ):
            continue
        has_fields = has_racks_and_scores(text, end)
        if (usual_width < _MIN_WIDTH_WITHOUT_FIELDS and not has_fields) or is_chess_board(
            text, match[0], end
        ):
            continue
        # A board has both words and numbers, unlike a list.
        digit_row_count = sum(_DIGIT.search(row) is not None for row in rows)
        if digit_row_count * 2 >= len(rows) and (has_fields or _LETTER.search(match[0])):
            yield match.start(), end_of_fields(text, end), "cgp"
