"""Pictures without a board of a game that is read: none is stated, and how many are shown."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from bot.features.showing.reading.boards import MAX_DOUBTFUL
from bot.sight.chess import read_chess
from bot.sight.crossword import read_crossword

from .others import KINDS, other_picture


def seen(number: int) -> tuple[str, bool, bool, bool, bool]:
    """Return a picture's kind, and whether it is stated or clear, and shown, as a chessboard and as a crossword board."""
    kind = KINDS[number % len(KINDS)]
    picture = other_picture(random.Random(9000 + number), kind)
    chess, crosswords = read_chess(picture), read_crossword(picture)
    return (
        kind.__name__,
        any(sight.confident for sight in chess),
        any(len(sight.doubtful) <= MAX_DOUBTFUL for sight in chess),
        any(sight.clear for sight in crosswords),
        any(len(sight.doubtful) <= MAX_DOUBTFUL for sight in crosswords),
    )


@pytest.mark.parametrize("number", [0, 7])  # a page, a calendar
def test_other_pictures_are_not_stated(number):
    _, stated, _, clear, _ = seen(number)
    assert not stated
    assert not clear


@pytest.mark.long
def test_none_of_a_thousand_other_pictures_is_stated():
    chess, crosswords = Counter(), Counter()
    for number in range(42 * len(KINDS)):
        kind, stated, visible, clear, shown_too = seen(number)
        assert not stated, number
        assert not clear, number
        chess[kind] += visible
        crosswords[kind] += shown_too
    print(
        f"{42 * len(KINDS):,} pictures; shown and asked about as chess: {dict(+chess)}, as crosswords: {dict(+crosswords)}"
    )
