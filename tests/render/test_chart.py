from __future__ import annotations

import itertools
from dataclasses import replace

import png
import pytest
from hypothesis import given, strategies as st

from render.chart import axis_range, draw_chart, spread_apart, tick_step
from render.scene import ChartScene, Series
from render.theme import Colour, palette_of
from tests.render import samples
from tests.render.samples import SCORES

SPREAD = ChartScene("Spread", (Series("alice", (0, 6, -20, 8, -37, 37, -41, 53)),), "dark", 600, 320)
CHANCES = replace(samples.CHANCES, theme="colourblind")
REVIEW = replace(
    CHANCES,
    theme="light",
    side_names=("alice", "bob"),
    marks=((1, 0), (3, 1), (5, 2)),
    mark_names=("small", "medium", "large"),
    bars=(24, 18, 80, 0, 33, 21, 9),
    divider=(6, "bag empty"),
)
CROWD = ChartScene(
    "", tuple(Series(f"player {number}", (0, number, 9 * number % 7, 30)) for number in range(8)), "contrast"
)


@pytest.mark.parametrize(
    ("name", "scene"),
    [("scores", SCORES), ("spread", SPREAD), ("crowd", CROWD), ("chances", CHANCES), ("review", REVIEW)],
)
def test_a_picture_matches_its_golden_file(name: str, scene: ChartScene, check_golden):
    check_golden(f"chart_{name}.png", draw_chart(scene).data)


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_the_legend_shows_marks_beside_long_names(kind):
    names = ["inaccuracy", "mistake", "blunder"]
    scene = replace(REVIEW, side_names=("alexandra", "maximilian"), mark_names=tuple(names))
    names[kind] = ""
    assert draw_chart(scene).data != draw_chart(replace(scene, mark_names=tuple(names))).data


def test_marks_bars_and_the_divider_are_drawn():
    plain_chart = draw_chart(replace(REVIEW, marks=(), bars=(), divider=None)).data
    for change in ({"marks": ()}, {"bars": ()}, {"divider": None}):
        partial_chart = draw_chart(replace(REVIEW, **change)).data
        assert partial_chart not in (plain_chart, draw_chart(REVIEW).data)


def test_marks_and_dividers_beyond_the_last_turn_are_left_out():
    plain_scene = replace(REVIEW, marks=(), mark_names=(), bars=(), divider=None)
    scene_with_marks = replace(plain_scene, marks=((99, 0),), bars=(0,) * 7, divider=(99, "bag empty"))
    assert draw_chart(scene_with_marks).data == draw_chart(plain_scene).data


def test_every_line_has_its_own_colour():
    pixels = b"".join(bytes(row) for row in png.Reader(bytes=draw_chart(SCORES).data).read()[2])
    for colour in (Colour.LETTER_3, Colour.WORD_3):
        assert pixels.count(palette_of("light").index_of(colour)) > 500


@given(st.integers(1, 10**9), st.integers(1, 12))
def test_the_tick_step_is_round_and_gives_few_ticks(span: int, max_ticks: int):
    step = tick_step(span, max_ticks)
    assert span <= step * max_ticks
    assert str(step).rstrip("0") in {"1", "2", "5"}


@given(
    st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=5).map(tuple),
    st.none() | st.tuples(st.integers(-500, 500), st.integers(1, 500)).map(lambda pair: (pair[0], sum(pair))),
    st.integers(-500, 500),
)
def test_the_axis_includes_every_value_and_the_span_or_base(values, span, base):
    low, high, step = axis_range(ChartScene("", (Series("", values),), span=span, base=base))
    assert low <= min(*values, *(span or (base,)))
    assert high >= max(*values, *(span or (base,)))
    assert (low - base) % step == (high - low) % step == 0
    assert 1 <= (high - low) // step <= 7


def test_a_chart_of_win_chances_has_lines_at_quarters():
    assert axis_range(CHANCES) == (0, 100, 25)


@given(st.lists(st.integers(0, 300), max_size=8).map(sorted))
def test_labels_do_not_overlap(positions: list[int]):
    moved = spread_apart(positions, 20, 0, 300)
    assert all(after - before >= 20 for before, after in itertools.pairwise(moved))
    assert not moved or (moved[0] >= 0 and moved[-1] <= 300)
