"""Where a text is clearly meant as a CGP, readable or not: four of five rows of its board are right."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Final

from bot.domain.crossword.layouts import MAX_SIDE
from bot.domain.crossword.notations.cgp.span import (
    MAX_BOARD,
    MIN_ROWS,
    end_of_fields,
    is_of_chess,
    width_of_row,
)
from bot.domain.reading.detection import Span, has_racks_and_scores, is_mostly, slashed_runs

_RUN = re.compile(r"[^\s`|<>()\"]++")
_ROW = re.compile(r"(?:[^\W_]|[\[\]·])++")
_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"[^\W\d_]")

_SURE_WIDTH: Final = 13
"""Boards of fewer columns, which lists of words and other games have, too, need racks and scores."""


def find(text: str) -> Iterator[Span]:
    """Yield each part of a text that is clearly meant as a CGP, from left to right."""
    if text.count("/") < MIN_ROWS - 1:
        return
    for match in chain.from_iterable(_RUN.finditer(text, *run) for run in slashed_runs(text)):
        if len(match[0]) <= MAX_BOARD and match[0].count("/") >= MIN_ROWS - 1 and _is_board(text, match):
            yield match.start(), end_of_fields(text, match.end()), "cgp"


def _is_board(text: str, match: re.Match[str]) -> bool:
    rows = match[0].split("/")
    if len(rows) > MAX_SIDE + 2:
        return False
    widths = [width_of_row(row) if _ROW.fullmatch(row) else 0 for row in rows]
    usual, right = Counter(widths).most_common(1)[0]
    played = has_racks_and_scores(text, match.end())
    if usual < (MIN_ROWS if played else _SURE_WIDTH) or not is_mostly(right, max(usual, len(rows))):
        return False
    if is_of_chess(text, match[0], match.end()):
        return False
    # A board is runs of empty squares with words between them; a list of words has no numbers, one of numbers no words.
    with_empty_squares = sum(_DIGIT.search(row) is not None for row in rows)
    return with_empty_squares * 2 >= len(rows) and (played or _LETTER.search(match[0]) is not None)
