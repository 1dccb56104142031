"""The formulas, thresholds and tables of reviews match their published values."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from bot.domain.crossword.play import Pass
from bot.features.review.crossword.cards import CrosswordCards, amount_lost_text, loss_text
from bot.features.review.crossword.judging import (
    EARLY_POINT_THRESHOLDS,
    POINT_THRESHOLDS,
    adjusted_points,
    classify_loss,
    classify_uncertain_loss,
    rating,
    rating_range,
    weigh_mistakes,
)
from bot.features.review.crossword.values import (
    WIN_THRESHOLDS,
    Z_95,
    MistakeSize,
    Phase,
    TurnReview,
    phase_of,
)
from bot.features.review.values import PlayerReview, accuracy
from bot.text import translator

SIZES = list(MistakeSize)
TRANSLATE = translator("en")


@pytest.mark.parametrize(
    ("loss", "expected"),
    [(1, 96.6), (2, 92.4), (3, 88.4), (5, 80.8), (7, 73.9), (10, 64.6), (15, 51.5), (20, 41.0), (30, 25.8)],
)
def test_accuracy_follows_the_lichess_curve(loss, expected):
    assert accuracy(loss) == pytest.approx(expected, abs=0.06)


def test_accuracy_stays_between_0_and_100():
    assert [accuracy(-3), accuracy(0), accuracy(100)] == [100, 100, 0]


@pytest.mark.parametrize(
    ("index", "expected"),
    [(0, 2300), (0.2, 2250), (0.35, 2225), (0.8, 2150), (1.7, 2000), (2.9, 1800), (4.2, 1650), (6.2, 1400)],
)
def test_ratings_match_the_table(index, expected):
    assert rating(index) == pytest.approx(expected)


def test_a_rating_is_shown_as_a_range():
    assert rating_range(2.9) == (1650, 1950)
    assert rating_range(40) == (0, 0)


def test_the_mistake_index_weights_mistakes_by_size():
    assert (
        weigh_mistakes(
            [MistakeSize.NONE, MistakeSize.SMALL, MistakeSize.SMALL, MistakeSize.MEDIUM, MistakeSize.LARGE]
        )
        == 1.9
    )


@pytest.mark.parametrize(
    ("thresholds", "amounts"),
    [
        (WIN_THRESHOLDS, ((0.49, 0), (0.5, 1), (3, 1), (3.1, 2), (7, 2), (7.1, 3))),
        (POINT_THRESHOLDS, ((0, 0), (1, 1), (7, 1), (8, 2), (15, 2), (16, 3))),
        (EARLY_POINT_THRESHOLDS, ((0, 0), (1, 1), (15, 1), (16, 2), (30, 2), (31, 3))),
    ],
)
def test_mistake_sizes_use_the_macondo_and_woogles_thresholds(thresholds, amounts):
    assert [classify_loss(amount, thresholds) for amount, _ in amounts] == [
        SIZES[index] for _, index in amounts
    ]


@pytest.mark.parametrize(
    ("mean", "error", "expected"),
    [
        (0.9, 0.5, (MistakeSize.NONE, True)),  # within its own error
        (2.0, 0.3, (MistakeSize.SMALL, False)),
        (3.5, 0.5, (MistakeSize.SMALL, True)),
        (5.0, 0.5, (MistakeSize.MEDIUM, False)),
        (8.0, 1.0, (MistakeSize.MEDIUM, True)),
        (9.5, 3.4, (MistakeSize.SMALL, True)),  # the interval's lower end is not above 3
        (12.0, 1.0, (MistakeSize.LARGE, False)),
        (0.1, 0.1, (MistakeSize.NONE, False)),
    ],
)
def test_a_loss_whose_interval_crosses_a_threshold_gets_the_smaller_size(mean, error, expected):
    assert classify_uncertain_loss(mean - Z_95 * error, mean + Z_95 * error, WIN_THRESHOLDS) == expected


@given(st.floats(0, 40), st.floats(0, 10))
def test_a_size_depends_only_on_the_lower_end_of_the_interval(mean, error):
    low, high = mean - Z_95 * error, mean + Z_95 * error
    size, approximate = classify_uncertain_loss(low, high, WIN_THRESHOLDS)
    assert size is classify_loss(low, WIN_THRESHOLDS)
    assert approximate == (classify_loss(low, WIN_THRESHOLDS) is not classify_loss(high, WIN_THRESHOLDS))
    assert classify_uncertain_loss(mean, mean, WIN_THRESHOLDS) == (classify_loss(mean, WIN_THRESHOLDS), False)


def test_phases_depend_on_the_tiles_in_the_bag():
    assert [phase_of(bag_count) for bag_count in (86, 8, 7, 2, 1, 0)] == [
        Phase.MIDDLEGAME,
        Phase.MIDDLEGAME,
        Phase.EARLY_PRE_ENDGAME,
        Phase.EARLY_PRE_ENDGAME,
        Phase.PRE_ENDGAME,
        Phase.ENDGAME,
    ]


def test_points_lost_come_from_the_win_chance_if_equity_contradicts_it():
    assert adjusted_points(4.5, 2) == 4.5
    assert adjusted_points(-4.5, 2) == pytest.approx(4.52)
    assert adjusted_points(-4.5, -1) == 0


@given(st.floats(-0.001, 1), st.floats(-0.06, 100), st.floats(0, 0.2))
def test_a_loss_is_never_written_as_zero_percent_or_negative_zero(win, points, error):
    for text in (
        amount_lost_text(win, points, TRANSLATE),
        amount_lost_text(win, points, TRANSLATE, error=error),
    ):
        assert not re.search(r"[-−]0", text)
        assert not text.startswith(("0.0%", "0.0 ±"))


@given(st.floats(0.5, 100), st.sampled_from([MistakeSize.SMALL, MistakeSize.MEDIUM, MistakeSize.LARGE]))
def test_the_loss_in_a_decided_game_is_written_in_points(points, size):
    turn = TurnReview(
        1,
        0,
        (),
        0,
        Pass(),
        0,
        Phase.ENDGAME,
        0,
        points_lost=points,
        mistake_size=size,
        is_judged_by_points=True,
    )
    number = round(points)
    assert loss_text(turn, TRANSLATE) == f"{number} point{'s' * (number != 1)} lost, result unchanged"


@pytest.mark.parametrize(
    ("skill", "luck", "expected"),
    [
        (1.2, 30, "alice's plays were 1 point better, and the tiles drawn were better too (+30, estimated)."),
        (-14, -1, "bob's plays were 14 points better, and the tiles drawn were better too (+1, estimated)."),
        (-1, 8, "bob's plays were 1 point better; alice drew better tiles (+8, estimated)."),
    ],
)
def test_skill_and_luck_are_compared_in_a_sentence(skill, luck, expected):
    players = [PlayerReview("", 0, None, luck=luck), PlayerReview("", 0, None, luck=0.0, points_lost=skill)]
    cards: Any = SimpleNamespace(
        translate=TRANSLATE, review=SimpleNamespace(players=players), names=("alice", "bob")
    )
    assert CrosswordCards._skill_and_luck(cards) == [expected]
