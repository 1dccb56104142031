"""Chessboards in designs that nothing was learnt from: whatever is read of them, none is stated wrongly."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from bot.sight.chess import read_chess

from .chess_looks import THEMES, Design, chess_picture, drawn_design, knights_design


def seen(chance: random.Random, design: Design) -> tuple[bool, bool, bool]:
    """Return whether a board is found, read whole, and stated."""
    picture, placement = chess_picture(chance, design)
    sights = read_chess(picture)
    whole = bool(sights) and sights[0].placement == placement
    assert not sights or not sights[0].confident or whole, f"{sights[0].placement} for {placement}"
    return bool(sights), whole, bool(sights) and sights[0].confident


def test_a_design_that_was_not_learnt_from():
    found = [seen(random.Random(seed), drawn_design(random.Random(seed))) for seed in range(2)]
    assert all(there for there, _, _ in found)


@pytest.mark.long
def test_of_many_drawn_designs_none_is_stated_wrongly():
    _all_of("drawn", [(random.Random(5000 + seed), drawn_design(random.Random(seed))) for seed in range(264)])


@pytest.mark.long
@pytest.mark.skipif(not THEMES.is_dir(), reason="the package knights is not here")
@pytest.mark.parametrize("name", ["plain", "gray", "xboard2", "east_west", "knights"])
def test_of_the_designs_of_a_package_none_is_stated_wrongly(name):
    design = knights_design(name)
    _all_of(name, [(random.Random(seed), design) for seed in range(88)])


def _all_of(name: str, boards: list[tuple[random.Random, Design]]) -> None:
    told: Counter[str] = Counter()
    for chance, design in boards:
        told.update(
            what
            for what, is_so in zip(("found", "whole", "stated"), seen(chance, design), strict=True)
            if is_so
        )
    print(f"{name}: {len(boards)} boards, {dict(told)}")
