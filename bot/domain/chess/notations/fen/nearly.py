"""Where a text is clearly meant as a FEN, readable or not: seven of eight ranks are right, and its fields follow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from bot.domain.chess.notations.fen.span import SLASHES
from bot.domain.reading.detection import Span
from bot.domain.reading.nearly import is_mostly
from bot.domain.reading.slashes import slashed_runs

RANKS: Final = 8

_BOARD = re.compile(r"(?<![^\s`|<>(\"'*_~:=,;“«\[\]])[A-Za-z0-9]{0,12}(?:/[A-Za-z0-9]{0,12}){6,8}(?![\w/])")
_RANK = re.compile(r"[pnbrqkPNBRQK1-8]{1,8}")
_GAP = r"[^\S\r\n]{1,4}"
_SIDE = re.compile(rf"{_GAP}[A-Za-z](?!\w)")
_CASTLING = re.compile(rf"{_GAP}(?:-|[A-Za-z]{{1,4}})(?![\w-])")
_EN_PASSANT = re.compile(rf"{_GAP}(?:-|[a-z][0-9])(?![\w-])")
_NUMBER = re.compile(rf"{_GAP}[0-9]{{1,4}}(?![\w/-])")
_RIGHT_SIDE = frozenset("wbWB")
_RIGHT_CASTLING = re.compile(r"-|[KQkq]{1,4}|[A-Ha-h]{1,4}")


def find(text: str) -> Iterator[Span]:
    """Yield each part of a text that is clearly meant as a FEN, from left to right."""
    if text.count("/") < SLASHES - 1:
        return
    for match in chain.from_iterable(_BOARD.finditer(text, *run) for run in slashed_runs(text)):
        ranks = match[0].split("/")
        right = sum(_is_rank(rank) for rank in ranks)
        if not is_mostly(right, max(len(ranks), RANKS)):
            continue
        end, proved = _end_of_fields(text, match.end(), whole=right == RANKS == len(ranks))
        if proved:
            yield match.start(), end, "fen"


def _is_rank(rank: str) -> bool:
    return (
        _RANK.fullmatch(rank) is not None
        and sum(int(sign) if sign.isdigit() else 1 for sign in rank) == RANKS
    )


def _end_of_fields(text: str, board_end: int, *, whole: bool) -> tuple[int, bool]:
    """Return where the fields end, and whether who is to move and castling are told: of a whole board, one of both."""
    side = _SIDE.match(text, board_end)
    if side is None:
        return board_end, False
    castling = _CASTLING.match(text, side.end())
    if castling is None:
        return side.end(), False
    told = (side[0].strip() in _RIGHT_SIDE) + (_RIGHT_CASTLING.fullmatch(castling[0].strip()) is not None)
    end = castling.end()
    for field in (_EN_PASSANT, _NUMBER, _NUMBER):
        found = field.match(text, end)
        if found is None:
            break
        end = found.end()
    return end, told == 2 or (whole and told == 1 and end > castling.end())
