"""Chessboards with pieces that the network was not trained on: no board that Kibitz is certain of may be wrong."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from bot.sight.chess import read_chess

from .chess_designs import THEMES, Design, chess_picture, drawn_design, knights_design


def read_board(rng: random.Random, design: Design) -> Counter[str]:
    picture, placement = chess_picture(rng, design)
    results = read_chess(picture)
    is_correct = bool(results) and results[0].placement == placement
    is_certain = bool(results) and results[0].is_confident
    return Counter(
        found=bool(results), correct=is_correct, certain=is_certain, wrong=is_certain and not is_correct
    )


def read_drawn_boards(seeds: range) -> Counter[str]:
    boards = ((random.Random(5000 + seed), drawn_design(random.Random(seed))) for seed in seeds)
    return sum((read_board(*board) for board in boards), Counter())


def test_no_board_of_an_unknown_design_is_certain_but_wrong():
    counts = read_drawn_boards(range(2))
    assert counts["found"] == 2
    assert counts["wrong"] == 0


@pytest.mark.parametrize("seed", [40, 107, 227])
def test_a_board_with_a_wrong_square_is_not_certain(seed):
    picture, placement = chess_picture(random.Random(5000 + seed), drawn_design(random.Random(seed)))
    [result] = read_chess(picture)
    assert result.placement != placement, "the picture was read correctly, so the test proves nothing"
    assert not result.is_confident


@pytest.mark.long
def test_no_board_of_many_drawn_designs_is_certain_but_wrong():
    counts = read_drawn_boards(range(264))
    print(f"drawn here: 264 boards, {dict(counts)}")
    assert counts["found"] == 264
    assert counts["wrong"] == 0


@pytest.mark.long
@pytest.mark.skipif(not THEMES.is_dir(), reason="the package knights is not installed")
@pytest.mark.parametrize("name", ["plain", "gray", "xboard2", "east_west", "knights"])
def test_no_board_of_a_packaged_design_is_certain_but_wrong(name):
    design = knights_design(name)
    counts = sum((read_board(random.Random(seed), design) for seed in range(88)), Counter())
    print(f"{name}: 88 boards, {dict(counts)}")
    assert counts["found"] == 88
    assert counts["wrong"] == 0
