"""Solutions with several ways: each is followed where it was taken."""

from __future__ import annotations

from bot.chess import fen
from bot.chess.solution import Verdict, position_after, try_move, ways

ROOKS = fen.read("6k1/8/8/8/8/8/R7/1R4K1 w - - 0 1").value
TWO_WAYS = "1. Ra7 Kf8 (1... Kh8 2. Rb8#) 2. Rb8# 1. Rb7 Kf8 2. Ra8#"


def test_every_way_is_told_from_its_first_move():
    told = [" ".join(move.san for move in way) for way in ways(ROOKS, TWO_WAYS)]
    assert told == ["Ra7 Kf8 Rb8#", "Ra7 Kh8 Rb8#", "Rb7 Kf8 Ra8#"]


def test_the_way_that_was_taken_is_followed():
    first = try_move(ROOKS, TWO_WAYS, "Rb7")
    assert (first.verdict, first.reply, first.done, first.line, first.solved) == (
        Verdict.RIGHT,
        "Kf8",
        2,
        2,
        False,
    )
    after = position_after(ROOKS, TWO_WAYS, first)
    assert after.placement.startswith("5k2/1R6")
    assert after.white_to_move
    assert try_move(ROOKS, TWO_WAYS, "Kf2", first.done, first.line).verdict is Verdict.WRONG
    last = try_move(ROOKS, TWO_WAYS, "Ra8", first.done, first.line)
    assert last.solved


def test_numbers_that_lead_nowhere_start_anew():
    assert try_move(ROOKS, TWO_WAYS, "Ra7", 7, 99).verdict is Verdict.RIGHT
