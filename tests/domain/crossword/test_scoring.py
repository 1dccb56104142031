"""The scores of plays."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from bot.domain.crossword.game import is_bingo
from bot.domain.crossword.play import THROUGH, TurnKind
from bot.domain.crossword.position import empty_board
from bot.domain.crossword.rules import (
    EndScoring,
    layout_of_rows,
)
from bot.domain.crossword.scoring import (
    end_adjustments,
    extend_to_whole_word,
    rack_points,
    score_placement,
)
from bot.domain.reading.problems import RuleError
from tests.domain.crossword.games import ENGLISH, RULES, games, naive_score, placement

EMPTY_BOARD = empty_board(15, 15)


def board_with_word(board, coordinate, word):
    play = placement(coordinate, word)
    return board.with_tiles(
        (row * board.columns + column, tile)
        for (row, column), tile in zip(play.squares(), play.tiles, strict=True)
        if tile != THROUGH
    )


@pytest.mark.parametrize(
    ("coordinate", "word", "score"),
    [
        ("8H", "AB", 8),
        ("8D", "WARBLED", 84),
        ("8D", "wARBLED", 68),
        ("8D", "ANoTHER", 70),
        ("H8", "QUIZ", 44),
    ],
)
def test_first_plays_score_the_expected_points(coordinate, word, score):
    assert score_placement(EMPTY_BOARD, placement(coordinate, word), RULES).score == score


def test_the_score_lists_the_words_and_the_bonus():
    board = board_with_word(EMPTY_BOARD, "8H", "HORN")
    scored = score_placement(board, placement("7H", "FARM"), RULES)
    assert scored.word.score == 4 + 2 + 1 + 3
    assert [word.score for word in scored.cross_words] == [8, 3, 2, 4]
    assert [str(word.start) for word in scored.cross_words] == ["H7", "I7", "J7", "K7"]
    assert scored.cross_words[0].squares == ((6, 7), (7, 7))
    assert scored.score == 10 + 17 == naive_score(board, placement("7H", "FARM"), RULES)
    assert scored.bonus == 0


def test_word_multipliers_are_multiplied():
    scored = score_placement(
        board_with_word(EMPTY_BOARD, "8H", "AB"),
        placement("15A", "AAAAAAAAAAAAAAA"),
        replace(RULES, rack_size=15),
    )
    assert scored.score == (15 + 2) * 27 + 50


def test_one_tile_scores_the_same_in_either_direction():
    board = board_with_word(EMPTY_BOARD, "8H", "AB")
    across, down = placement("9H", "A"), placement("H9", "A")
    assert score_placement(board, across, RULES).score == score_placement(board, down, RULES).score == 2
    assert score_placement(board, across, RULES).word.score == 0


def test_words_continue_over_tiles_on_the_board():
    board = board_with_word(board_with_word(EMPTY_BOARD, "8H", "AB"), "8L", "BA")
    whole_word = extend_to_whole_word(board, placement("8J", "CD"))
    assert whole_word == placement("8H", "..CD..")
    assert score_placement(board, placement("8J", "CD"), RULES) == score_placement(board, whole_word, RULES)
    board_with_vertical_word = board_with_word(EMPTY_BOARD, "H8", "AB")
    assert extend_to_whole_word(board_with_vertical_word, placement("H10", "C")) == placement("H8", "..C")
    assert extend_to_whole_word(board_with_vertical_word, placement("H7", "C")) == placement("H7", "C..")


@pytest.mark.parametrize("coordinate", ["8O", "O15", "15O", "16A", "8P"])
def test_a_placement_off_the_board_is_rejected(coordinate):
    with pytest.raises(RuleError, match=r"off the \d+ × \d+ board"):
        score_placement(EMPTY_BOARD, placement(coordinate, "AB"), RULES)


def test_the_bingo_bonus_follows_the_rules():
    rules = replace(RULES, rack_size=5, bingo_bonus=42)
    assert score_placement(EMPTY_BOARD, placement("8H", "AAAAA"), rules).score == (5 + 1) * 2 + 42


@pytest.mark.parametrize(("word", "expected"), [("AAAA", False), ("AAAAA", True), ("AAAAAA", False)])
def test_only_a_play_of_a_whole_rack_is_a_bingo(word, expected):
    rules, play = replace(RULES, rack_size=5), placement("8H", word)
    assert (
        is_bingo(play, rules.rack_size) == bool(score_placement(EMPTY_BOARD, play, rules).bonus) == expected
    )


def test_a_blank_may_have_points():
    letters = (replace(ENGLISH.letters[0], points=3), *ENGLISH.letters[1:])
    rules = replace(RULES, distribution=replace(ENGLISH, name="own", letters=letters))
    assert score_placement(EMPTY_BOARD, placement("8H", "aB"), rules).score == 12


def test_quadruple_squares_multiply_by_four():
    rules = replace(RULES, layout=layout_of_rows(("^~.", "...", "...")))
    board = empty_board(3, 3)
    assert score_placement(board, placement("1A", "AB"), rules).score == (4 + 3) * 4


@given(games())
@settings(max_examples=25)
def test_scores_equal_the_naive_scores(game):
    for turn, position in zip(game.turns, game.positions(), strict=False):
        if turn.kind is TurnKind.PLAY:
            scored = score_placement(position.board, turn.play, game.rules)
            assert scored.score == naive_score(position.board, turn.play, game.rules) == turn.score
            words = (scored.word, *scored.cross_words)
            assert scored.score == sum(word.score for word in words) + scored.bonus


def test_the_tiles_left_are_scored_according_to_the_rules():
    rack, other_rack = (17, 0, 1), (26,)
    assert rack_points(rack, ENGLISH) == 11
    assert end_adjustments(((), rack), RULES) == (22, 0)
    assert end_adjustments((rack, (), other_rack), RULES) == (0, 42, 0)
    assert end_adjustments((rack, (), other_rack), replace(RULES, end_scoring=EndScoring.EACH_WAY)) == (
        -11,
        21,
        -10,
    )
    assert end_adjustments((rack, other_rack), RULES) == (-11, -10)
