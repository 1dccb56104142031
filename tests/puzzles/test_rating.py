"""Glicko-2 ratings, stars, and the choice of the next puzzle."""

import random

import pytest
from hypothesis import given, strategies as st

from bot.features.puzzles import selection
from bot.features.puzzles.controls import can_take_hint
from bot.features.puzzles.rating import MIN_DEVIATION, START_VOLATILITY, rate_answer, rating_after
from bot.features.puzzles.selection import PuzzleKind, PuzzleLevel, PuzzleRequest
from bot.storage.puzzles import Progress, Rating


def test_ratings_match_the_example_of_the_glicko_2_paper():
    rating = rating_after(Rating(1500, 200, 0.06), ((1400, 30, 1), (1550, 100, 0), (1700, 300, 0)))
    assert rating.rating == pytest.approx(1464.06, abs=0.01)
    assert rating.deviation == pytest.approx(151.52, abs=0.01)
    assert rating.volatility == pytest.approx(0.05999, abs=0.00001)


@given(st.floats(0, 4000), st.floats(60, 350), st.floats(0, 4000), st.booleans())
def test_right_answers_never_lower_a_rating_and_wrong_ones_never_raise_it(
    rating, deviation, puzzle, is_right
):
    old_rating = Rating(rating, deviation, START_VOLATILITY)
    new_rating = rate_answer(old_rating, puzzle, is_right=is_right)
    assert new_rating.rating >= old_rating.rating if is_right else new_rating.rating <= old_rating.rating
    assert MIN_DEVIATION <= new_rating.deviation <= 351


def test_tries_and_hints_cost_stars():
    stars = [Progress(tries, solved=True).stars for tries in range(4)]
    assert stars == [3, 2, 1, 1]
    assert Progress(2, hints=1, solved=True).stars == 0
    assert Progress(given_up=True).stars == 0
    assert not can_take_hint(Progress(1), 3)
    assert can_take_hint(Progress(2), 3)
    assert not can_take_hint(Progress(2, hints=3), 3)
    assert not can_take_hint(Progress(2, solved=True), 3)


def test_the_next_puzzle_is_new_and_near_in_rating():
    library = selection.load()
    rng = random.Random(1)
    seen_ids = set()
    for level, target in ((PuzzleLevel.EASY, 1250), (PuzzleLevel.NORMAL, 1500), (PuzzleLevel.HARD, 1750)):
        entry = library.choose(PuzzleRequest(PuzzleKind.CHESS, level=level), 1500, seen_ids, rng)
        assert abs(entry.rating - target) <= 20
        seen_ids.add(entry.id)
    forks = {entry.id for entry in library.entries.values() if "fork" in entry.themes}
    for _ in range(20):
        entry = library.choose(PuzzleRequest(PuzzleKind.CHESS, theme="fork"), 1500, seen_ids, rng)
        assert entry.id in forks - seen_ids
        seen_ids.add(entry.id)
    assert library.choose(PuzzleRequest(PuzzleKind.CHESS, theme="fork"), 1500, forks, rng) is None
    assert library.puzzle(PuzzleKind.CHESS, "nosuch") is None
    assert library.faults == []
