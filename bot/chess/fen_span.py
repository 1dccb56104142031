"""Where a FEN or an EPD starts and ends in free text.

Eight ranks of pieces and empty squares give it away. Without further fields they count only with both kings and eight
squares in each rank, since dates, scores and lists of exercises are written with slashes too. What follows like the
racks and scores of a CGP makes it a crossword board.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from bot.domain.formats import cgp_span

SLASHES = 7
"""In every FEN."""
_BOARD = re.compile(
    r"(?<![^\s`|<>(\"'*_~:=,;“«\[\]])(?:[pnbrqkPNBRQK1-8]{1,8}/){7}[pnbrqkPNBRQK1-8]{1,8}(?![\w/])"
)
_GAP = r"[^\S\r\n]{1,4}"
_SIDE = re.compile(rf"{_GAP}[wbWB](?!\w)")
_CASTLING = re.compile(rf"{_GAP}(?:-|[KQkq]{{1,4}}|[A-Ha-h]{{1,4}})(?![\w-])")
_EN_PASSANT = re.compile(rf"{_GAP}(?:-|[a-h][1-8])(?![\w-])")
_NUMBER = re.compile(rf"{_GAP}(?:-|[0-9]{{1,4}})(?![\w/-]|\.\d)")

_KNOWN = (
    r"(?:a[cm]n|acd|acs|am|bm|c[0-9]|ce|dm|draw_(?:accept|claim|offer|reject)|eco|fmvn|hmvc|id|nic|noop|pm|pv|rc|resign"
    r"|sm|tcgs|tcr[io]|tcs[io]|v[0-9])"
)
_OPERANDS = r"(?:\"(?:[^\"\\\r\n]|\\[^\r\n]){0,400}\"|[^\";\r\n]){0,400}"
_OPERATION = re.compile(
    rf"[^\S\r\n]{{0,4}}(?:{_KNOWN}(?![\w]){_OPERANDS}|[A-Za-z]\w{{0,30}}[^\S\r\n]{{1,4}}\"[^\"\r\n]{{0,400}}\");"
)
_WHOLE_LINE = re.compile(
    rf"(?:[^\S\r\n]{{0,4}}[A-Za-z]\w{{0,30}}(?!\w){_OPERANDS};){{1,100}}[^\S\r\n]{{0,4}}$", re.MULTILINE
)
_ANY_KNOWN = re.compile(rf"(?:\A|;)[^\S\r\n]{{0,4}}{_KNOWN}(?!\w)")
_LINE_START = re.compile(r"(?:\A|[\r\n])[>\s`]{0,8}\Z")


def find(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each FEN in a text, from left to right."""
    for start, end, fields in _boards(text):
        board = text[start : start + len(text[start:end].split(maxsplit=1)[0])]
        if fields >= 3 or _complete(board):
            yield start, end


def find_epd(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each FEN that operations of an EPD follow."""
    if ";" not in text:
        return
    for start, end, fields in _boards(text):
        if fields < 4:
            continue
        last = _end_of_operations(text, start, end)
        if last > end:
            yield start, start + len(text[start:last].rstrip())


def _end_of_operations(text: str, start: int, end: int) -> int:
    """Return where the operations end that follow the fields of a position; where these end when there are none."""
    if _LINE_START.search(text, max(0, start - 12), start):
        # A line of nothing but an EPD may have operations that nobody knows, besides a known one.
        whole = _WHOLE_LINE.match(text, end)
        if whole is not None and _ANY_KNOWN.search(whole[0]):
            return whole.end()
    while operation := _OPERATION.match(text, end):
        end = operation.end()
    return end


def _boards(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield start and end of each board with the fields that follow it, and how many fields there are."""
    if text.count("/") < SLASHES:
        return
    for match in _BOARD.finditer(text):
        end, fields = match.end(), 1
        if cgp_span.has_racks_and_scores(text, end):
            continue
        for field in (_SIDE, _CASTLING, _EN_PASSANT, _NUMBER, _NUMBER):
            found = field.match(text, end)
            if found is None:
                break
            end, fields = found.end(), fields + 1
        yield match.start(), end, fields


@lru_cache(maxsize=256)
def _complete(board: str) -> bool:
    """Tell whether a board has both kings, and eight squares in each rank."""
    ranks = board.split("/")
    return board.count("K") == board.count("k") == 1 and all(
        sum(int(sign) if sign.isdigit() else 1 for sign in rank) == 8 for rank in ranks
    )


_MEANT = re.compile(
    r"[`\"]{0,3}(?:fen:?\s{1,4})?[^\s/]{1,20}(?:/[^\s/]{0,20}){4,10}\s{1,4}[wbWB](?:\s{1,4}\S{1,20}){1,6}[`\"]{0,3}\s*\Z"
)


def is_meant(text: str) -> bool:
    """Tell whether a whole text means to be a FEN, though its board is none: who is to move follows some ranks."""
    return _MEANT.match(text.strip()[:400]) is not None
