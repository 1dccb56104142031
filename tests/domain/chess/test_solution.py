"""Solutions with several lines: the attempts follow the line that the player took."""

from __future__ import annotations

import pytest

from bot.domain.chess.notations import fen
from bot.domain.chess.position import START
from bot.domain.chess.solution import all_lines, position_after, try_move
from bot.domain.reading.problems import ParseError

ROOKS = fen.read("6k1/8/8/8/8/8/R7/1R4K1 w - - 0 1").value
TWO_MAIN_LINES = "1. Ra7 Kf8 (1... Kh8 2. Rb8#) 2. Rb8# 1. Rb7 Kf8 2. Ra8#"


def attempt(position, solution, text, *played):
    return try_move(position, all_lines(position, solution), text, *played)


@pytest.mark.parametrize("text", ["e4", " e4\n", "1. e4", "1.e4", "`e4`", "E4", "E2e4", "e2e4", "e2-e4"])
def test_typed_spellings_of_a_move_are_accepted(text):
    assert attempt(START, "1. e4", text).right is True


def test_a_capital_b_may_be_a_bishop_or_a_file():
    position = fen.read("4k3/8/8/8/3p4/2P5/1P6/2B1K3 w - - 0 1").value
    assert attempt(position, "1. Bd2", "B4").san == "b4"
    assert attempt(position, "1. Bd2", "Bd2").right is True
    with pytest.raises(ParseError):
        attempt(position, "1. Bd2", "Bd9")


def test_every_line_starts_with_its_first_move():
    lines = [" ".join(line) for line in all_lines(ROOKS, TWO_MAIN_LINES)]
    assert lines == ["a2a7 g8f8 b1b8", "a2a7 g8h8 b1b8", "b1b7 g8f8 a2a8"]


def test_the_line_that_was_taken_is_followed():
    first = attempt(ROOKS, TWO_MAIN_LINES, "Rb7")
    assert (first.right, first.reply, first.done, first.line, first.solved) == (
        True,
        "Kf8",
        2,
        2,
        False,
    )
    after = position_after(ROOKS, all_lines(ROOKS, TWO_MAIN_LINES), first.done, first.line)
    assert after.placement.startswith("5k2/1R6")
    assert after.white_to_move
    assert attempt(ROOKS, TWO_MAIN_LINES, "Kf2", first.done, first.line).right is False
    last = attempt(ROOKS, TWO_MAIN_LINES, "Ra8", first.done, first.line)
    assert last.solved


def test_an_unknown_line_starts_at_the_beginning():
    assert attempt(ROOKS, TWO_MAIN_LINES, "Ra7", 7, 99).right is True
