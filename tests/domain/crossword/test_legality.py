"""Which plays the rules allow."""

from dataclasses import replace

import pytest

from bot.domain.crossword.game import tiles_used
from bot.domain.crossword.play import Exchange
from bot.domain.crossword.position import empty_board
from bot.domain.crossword.rules import layout_of_rows, load_layout
from bot.domain.crossword.scoring import check_exchange, check_on_rack, check_placement
from bot.domain.reading.problems import RuleError
from tests.domain.crossword.games import ENGLISH, RULES, placement

EMPTY_BOARD = empty_board(15, 15)
BOARD_WITH_WORD = EMPTY_BOARD.with_tiles([(7 * 15 + 7, 1), (7 * 15 + 8, -2)])


def placement_error(board, coordinate, word, rules=RULES):
    with pytest.raises(RuleError) as caught:
        check_placement(board, placement(coordinate, word), rules)
    return caught.value


@pytest.mark.parametrize(
    ("board", "coordinate", "word", "code", "fragment"),
    [
        (EMPTY_BOARD, "8O", "AB", "off-board", "8O"),
        (BOARD_WITH_WORD, "8H", "C", "occupied", "H8 already holds A"),
        (BOARD_WITH_WORD, "8I", "CA", "occupied", "I8 already holds b"),
        (BOARD_WITH_WORD, "9H", ".A", "gap", "H9"),
        (BOARD_WITH_WORD, "8H", "..", "no-tiles", "8H"),
        (BOARD_WITH_WORD, "9D", "ABCDEFGH", "too-many-tiles-laid", "8 tiles"),
        (EMPTY_BOARD, "8H", "A", "single-tile", "at least two"),
        (EMPTY_BOARD, "8I", "AB", "not-on-start", "H8"),
        (BOARD_WITH_WORD, "1A", "AB", "not-touching", "1A"),
        (BOARD_WITH_WORD, "9J", "A", "not-touching", "9J"),
        (BOARD_WITH_WORD, "7F", "A", "not-touching", "7F"),
    ],
)
def test_an_illegal_placement_is_rejected(board, coordinate, word, code, fragment):
    error = placement_error(board, coordinate, word)
    assert error.code == code
    assert fragment in error.message


@pytest.mark.parametrize(
    ("board", "coordinate", "word"),
    [
        (EMPTY_BOARD, "8H", "AB"),
        (EMPTY_BOARD, "H7", "AB"),
        (BOARD_WITH_WORD, "8H", "..C"),
        (BOARD_WITH_WORD, "9H", "C"),
        (BOARD_WITH_WORD, "9I", "C"),
        (BOARD_WITH_WORD, "7I", "AB"),
    ],
)
def test_a_legal_placement_is_allowed(board, coordinate, word):
    check_placement(board, placement(coordinate, word), RULES)


def test_a_placement_cannot_cover_a_missing_square():
    rules = replace(RULES, layout=layout_of_rows((".#.", "...", "...")))
    assert placement_error(empty_board(3, 3), "1A", "AB", rules).code == "missing-square"


def test_the_start_square_may_be_anywhere():
    layout = replace(load_layout("CrosswordGame"), name="", start=(0, 0))
    check_placement(EMPTY_BOARD, placement("1A", "AB"), replace(RULES, layout=layout))


@pytest.mark.parametrize(
    ("tiles", "rack", "unknown_count", "fits"),
    [
        ((1, 2), (2, 1), 0, True),
        ((1, 1), (1, 2), 0, False),
        ((1, 1), (1,), 1, True),
        ((0,), (1,), 0, False),
        ((), (), 0, True),
    ],
)
def test_the_tiles_must_be_on_the_rack(tiles, rack, unknown_count, fits):
    if fits:
        check_on_rack(tiles, rack, ENGLISH, unknown_count=unknown_count)
    else:
        with pytest.raises(RuleError, match="not on the rack"):
            check_on_rack(tiles, rack, ENGLISH, unknown_count=unknown_count)


def test_a_blank_serves_as_any_letter_but_no_letter_as_a_blank():
    check_on_rack(tiles_used(placement("8H", "aB")), (0, 2), ENGLISH)
    with pytest.raises(RuleError, match=r"\? is not on the rack"):
        check_on_rack(tiles_used(placement("8H", "aB")), (1, 2), ENGLISH)


@pytest.mark.parametrize(
    ("exchange", "bag", "limit", "code"),
    [
        (Exchange((1, 2)), 7, 7, None),
        (Exchange((1, 2)), 6, 7, "exchange-bag"),
        (Exchange((1,)), 1, 1, None),
        (Exchange((1, 2)), 1, 1, "exchange-bag"),
        (Exchange(unknown_count=8), 50, 7, "exchange-count"),
        (Exchange(unknown_count=1), 0, 0, "exchange-bag"),
    ],
)
def test_an_exchange_is_limited_by_the_bag_and_the_rack_size(exchange, bag, limit, code):
    rules = replace(RULES, min_bag_for_exchange=limit)
    if code is None:
        check_exchange(exchange, bag, rules)
    else:
        with pytest.raises(RuleError) as caught:
            check_exchange(exchange, bag, rules)
        assert caught.value.code == code
