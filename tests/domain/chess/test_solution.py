"""Solutions: their lines, the correct moves, and the line that the player chose."""

from __future__ import annotations

from itertools import cycle, islice

import pytest

from bot.domain.chess.notations import fen
from bot.domain.chess.position import START_POSITION
from bot.domain.chess.solution import (
    MAX_MOVES,
    MoveLine,
    check_line,
    main_lines,
    position_after,
    solution_lines,
    try_move,
)
from bot.domain.reading.problems import ParseError, RuleError
from tests.domain.chess.test_puzzles import MATE, ROOKS

CORNERED_KING = fen.read(ROOKS).value
LADDER = "1. Ra7 Kg8 2. Rb8#"
TWO_REPLIES = fen.read(ROOKS.replace("7k", "6k1")).value
TWO_MAIN_LINES = "1. Ra7 Kf8 (1... Kh8 2. Rb8#) 2. Rb8# 1. Rb7 Kf8 2. Ra8#"


def attempt(position, solution, text, *played):
    return try_move(position, solution_lines(position, solution), text, *played)


@pytest.mark.parametrize(
    ("solution", "lines"),
    [
        (LADDER, ["Ra7 Kg8 Rb8#"]),
        ("White wins: 1.Ra7 and then Kg8 2.Rb8 mate", ["Ra7 Kg8 Rb8#"]),
        ("1. Ra7 Kg8 2. Rb8# or 1. Rb7 Kg8 2. Ra8#", ["Ra7 Kg8 Rb8#", "Rb7 Kg8 Ra8#"]),
        ("1. Ra7 (1. Rb7 Kg8) Kg8", ["Ra7 Kg8", "Rb7 Kg8"]),
        ("1. Ra7 Kg8 2. Rb", ["Ra7 Kg8"]),
        ("find it yourself", []),
    ],
)
def test_lines_are_read_from_solutions(solution, lines):
    assert [" ".join(move.san for move in line) for line in main_lines(CORNERED_KING, solution)] == lines


def test_a_solution_may_start_with_a_black_move():
    start = fen.read("7k/8/8/8/8/6K1/r7/1r6 b - - 0 9").value
    [line] = main_lines(start, "1... Ra3+ 2. Kf4 Rb4+")
    assert [move.san for move in line] == ["Ra3+", "Kf4", "Rb4+"]


@pytest.mark.parametrize(
    ("text", "is_right", "san"),
    [("Ra7", True, "Ra7"), (" Ra2-a7 ", True, "Ra7"), ("Rb7", False, "Rb7"), ("Kf2", False, "Kf2")],
)
def test_a_move_is_compared_with_the_solution(text, is_right, san):
    result = attempt(CORNERED_KING, LADDER, text)
    assert (result.is_right, result.san) == (is_right, san)


@pytest.mark.parametrize("text", ["e4", " e4\n", "1. e4", "1.e4", "`e4`", "E4", "E2e4", "e2e4", "e2-e4"])
def test_typed_spellings_of_a_move_are_accepted(text):
    assert attempt(START_POSITION, "1. e4", text).is_right is True


def test_a_capital_b_may_be_a_bishop_or_a_file():
    position = fen.read("4k3/8/8/8/3p4/2P5/1P6/2B1K3 w - - 0 1").value
    assert attempt(position, "1. Bd2", "B4").san == "b4"
    assert attempt(position, "1. Bd2", "Bd2").is_right is True
    with pytest.raises(ParseError):
        attempt(position, "1. Bd2", "Bd9")


def test_any_checkmate_is_right():
    result = attempt(fen.read(MATE).value, "1. g4", "Re8")
    assert (result.is_right, result.is_solved) == (True, True)


def test_a_move_is_not_judged_if_the_solution_has_no_moves():
    assert attempt(CORNERED_KING, "think!", "Ra7").is_right is None


@pytest.mark.parametrize(
    ("text", "error_type", "message"),
    [
        ("", ParseError, "'' is not a chess move"),
        ("hello", ParseError, "'hello' is not a chess move"),
        ("Re8", RuleError, "Re8 isn't a legal move; White is to move"),
        ("R7", ParseError, "'R7' is not a chess move"),
    ],
)
def test_moves_that_cannot_be_tried_are_reported(text, error_type, message):
    with pytest.raises(error_type) as caught:
        attempt(CORNERED_KING, LADDER, text)
    assert caught.value.message == message


def test_a_variation_repeats_the_moves_before_it():
    lines = [" ".join(line) for line in solution_lines(TWO_REPLIES, TWO_MAIN_LINES)]
    assert lines == ["a2a7 g8f8 b1b8", "a2a7 g8h8 b1b8", "b1b7 g8f8 a2a8"]


def test_the_chosen_line_is_followed_to_its_end():
    first_attempt = attempt(TWO_REPLIES, TWO_MAIN_LINES, "Rb7")
    assert (
        first_attempt.is_right,
        first_attempt.reply,
        first_attempt.played_count,
        first_attempt.line_index,
        first_attempt.is_solved,
    ) == (
        True,
        "Kf8",
        2,
        2,
        False,
    )
    position = position_after(
        TWO_REPLIES,
        solution_lines(TWO_REPLIES, TWO_MAIN_LINES),
        first_attempt.played_count,
        first_attempt.line_index,
    )
    assert position.placement.startswith("5k2/1R6")
    assert position.white_to_move
    wrong_attempt = attempt(
        TWO_REPLIES, TWO_MAIN_LINES, "Kf2", first_attempt.played_count, first_attempt.line_index
    )
    assert (wrong_attempt.is_right, wrong_attempt.played_count) == (False, 2)
    last_attempt = attempt(
        TWO_REPLIES, TWO_MAIN_LINES, "Ra8", first_attempt.played_count, first_attempt.line_index
    )
    assert (last_attempt.is_right, last_attempt.san, last_attempt.reply, last_attempt.is_solved) == (
        True,
        "Ra8#",
        "",
        True,
    )


def test_an_unknown_line_index_restarts_the_solution():
    assert attempt(TWO_REPLIES, TWO_MAIN_LINES, "Ra7", 7, 99).is_right is True


@pytest.mark.parametrize(
    ("move_count", "message"),
    [
        (0, "a puzzle needs the opponent's move and then an odd number of moves"),
        (1, "a puzzle needs the opponent's move and then an odd number of moves"),
        (MAX_MOVES + 2, "the solution is too long"),
    ],
)
def test_an_unsuitable_number_of_moves_is_rejected(move_count, message):
    shuffle = ("g1f3", "g8f6", "f3g1", "f6g8")
    with pytest.raises(ParseError, match=message):
        check_line(MoveLine(START_POSITION, tuple(islice(cycle(shuffle), move_count))))
