"""In pictures without a readable board, Kibitz is never sure that it has read a board."""

from __future__ import annotations

import random
from collections import Counter
from typing import NamedTuple

import pytest

from bot.features.showing.reading.boards import MAX_DOUBTFUL_SQUARES
from bot.sight.chess import read_chess
from bot.sight.crossword import read_crossword

from .boardless_pictures import KINDS, boardless_picture, calendar, draughts, page, table


class Reading(NamedTuple):
    """Whether Kibitz is certain of a board in a picture, and whether Kibitz shows the user a board to check."""

    kind: str
    is_chess_certain: bool
    is_crossword_certain: bool
    shown_as_chess: bool
    shown_as_crossword: bool


def read_boardless_picture(number: int) -> Reading:
    kind = KINDS[number % len(KINDS)]
    picture = boardless_picture(random.Random(9000 + number), kind)
    chess, crosswords = read_chess(picture), read_crossword(picture)
    return Reading(
        kind.__name__,
        any(result.is_confident for result in chess),
        any(result.is_confident for result in crosswords),
        any(len(result.doubtful_squares) <= MAX_DOUBTFUL_SQUARES for result in chess),
        any(len(result.doubtful_squares) <= MAX_DOUBTFUL_SQUARES for result in crosswords),
    )


@pytest.mark.parametrize("kind", [page, table, calendar, draughts])
def test_no_board_is_read_with_certainty_in_boardless_pictures(kind):
    reading = read_boardless_picture(KINDS.index(kind))
    assert not reading.is_chess_certain
    assert not reading.is_crossword_certain


@pytest.mark.long
def test_no_board_is_read_with_certainty_in_a_thousand_pictures():
    chess, crosswords = Counter(), Counter()
    for number in range(42 * len(KINDS)):
        reading = read_boardless_picture(number)
        assert not reading.is_chess_certain, number
        assert not reading.is_crossword_certain, number
        chess[reading.kind] += reading.shown_as_chess
        crosswords[reading.kind] += reading.shown_as_crossword
    print(
        f"{42 * len(KINDS):,} pictures; offered for checking as chess: {dict(+chess)}, as crossword games: {dict(+crosswords)}"
    )
