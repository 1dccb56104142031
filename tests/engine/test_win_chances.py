"""Win probabilities by lead: the shipped table, its file format, and the fit to outcomes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from bot.engine.simulation.win_chances import (
    MAX_LEAD,
    WIN_CHANCES_PATH,
    WinChances,
    read_win_chances,
    shipped_win_chances,
    shipped_win_table,
)
from training.win_chances import MAX_ADVANTAGE, MAX_SCALE, MIN_SCALE, fit_win_chances, format_win_chances

ROWS = st.lists(
    st.tuples(st.integers(-500_000, 500_000), st.integers(1_000, 500_000)), min_size=1, max_size=100
).map(lambda rows: WinChances(tuple(a / 1000 for a, _ in rows), tuple(s / 1000 for _, s in rows)))


@given(chances=ROWS, lead=st.integers(-2000, 2000), unseen=st.integers(-5, 200))
@settings(deadline=None)
def test_a_larger_lead_wins_more_often(chances, lead, unseen):
    chance = chances.chance(lead, unseen)
    assert 0.0 <= chance <= chances.chance(lead + 1, unseen) <= 1.0


@given(chances=ROWS)
@settings(deadline=None)
def test_written_chances_can_be_read(chances):
    assert read_win_chances(format_win_chances(chances)) == chances


def test_without_unseen_tiles_the_leader_has_won():
    chances = WinChances((5.0,), (20.0,))
    assert [chances.chance(lead, 0) for lead in (-1, 0, 1)] == [0.0, 0.5, 1.0]
    assert chances.table()[0].tolist() == [0.0] * MAX_LEAD + [0.5] + [1.0] * MAX_LEAD


def test_fitting_recovers_the_true_chances_from_outcomes():
    true_chances = WinChances(
        (0.0, 10.0, 10.0, 10.0, 30.0, 30.0, 30.0, 30.0, 30.0), (20.0,) * 4 + (60.0,) * 5
    )
    random = np.random.default_rng(1)
    turns = np.zeros((20, 2 * MAX_LEAD + 1))
    turns[1:9, MAX_LEAD - 150 : MAX_LEAD + 151] = 100
    wins = np.zeros_like(turns)
    wins[:9] = random.binomial(turns[:9].astype(int), true_chances.table())
    fitted = fit_win_chances(np.array([turns, wins]))
    assert len(fitted.scales) == 9
    assert (fitted.advantages[1], fitted.scales[1]) == pytest.approx((10.0, 20.0), rel=0.05)
    assert (fitted.advantages[7], fitted.scales[7]) == pytest.approx((30.0, 60.0), rel=0.05)
    assert fitted.chance(-30.0, 7) == pytest.approx(0.5, abs=0.01)
    assert (fitted.advantages[0], fitted.scales[0]) == (fitted.advantages[1], fitted.scales[1])


def test_early_turns_with_similar_leads_share_one_row():
    true_chances = WinChances((0.0,) + (15.0,) * 30, (20.0,) + (60.0,) * 30)
    random = np.random.default_rng(2)
    turns = np.zeros((40, 2 * MAX_LEAD + 1))
    turns[1:26, MAX_LEAD - 150 : MAX_LEAD + 151] = 20
    for row, lead in ((26, -20), (27, -5), (28, -12), (30, 0)):
        turns[row, MAX_LEAD + lead - 2 : MAX_LEAD + lead + 3] = 50
    wins = np.zeros_like(turns)
    wins[:31] = random.binomial(turns[:31].astype(int), true_chances.table())
    fitted = fit_win_chances(np.array([turns, wins]))
    assert len(fitted.scales) == 27
    assert fitted.scales[26] == pytest.approx(60.0, rel=0.15)
    assert fitted.advantages[26] == pytest.approx(15.0, abs=8.0)


def test_the_table_matches_the_chances():
    chances = shipped_win_chances()
    rows = [
        [chances.chance(lead, unseen) for lead in range(-MAX_LEAD, MAX_LEAD + 1)]
        for unseen in range(len(chances.scales))
    ]
    assert chances.table() == pytest.approx(np.array(rows), abs=1e-15)


def test_shipped_chances_change_gradually_early_in_the_game():
    chances = read_win_chances(WIN_CHANCES_PATH.read_text(encoding="utf-8"))
    rows = [[chances.chance(lead, unseen) for lead in (-60, 0, 60)] for unseen in range(1, 100)]
    assert np.abs(np.diff(rows, axis=0))[60:].max() < 0.03


@pytest.mark.parametrize(
    "outcomes",
    [
        [(1, 0, 10, 10)],  # every turn won
        [(1, 0, 10, 0)],
        [(1, 5, 1, 1), (1, -5, 1, 0)],  # the player in the lead always won
        [(3, MAX_LEAD, 1, 1)],
    ],
)
def test_few_outcomes_give_valid_chances(outcomes):
    counts = np.zeros((2, 10, 2 * MAX_LEAD + 1))
    for unseen, lead, turns, wins in outcomes:
        counts[:, unseen, lead + MAX_LEAD] = turns, wins
    fitted = fit_win_chances(counts)
    assert read_win_chances(format_win_chances(fitted)) == fitted


def test_fitting_without_outcomes_is_refused():
    with pytest.raises(ValueError, match="no outcomes"):
        fit_win_chances(np.zeros((2, 10, 2 * MAX_LEAD + 1)))


def test_the_shipped_table_has_a_row_for_each_number_of_unseen_tiles():
    header, *lines = WIN_CHANCES_PATH.read_text(encoding="utf-8").splitlines()
    assert header == "unseen\tadvantage\tscale"
    rows = [[float(part) for part in line.split("\t")] for line in lines]
    assert [unseen for unseen, _, _ in rows] == list(range(90))
    assert all(abs(advantage) <= MAX_ADVANTAGE for _, advantage, _ in rows)
    assert all(MIN_SCALE <= scale <= MAX_SCALE for _, _, scale in rows)


def test_shipped_chances_are_plausible():
    millionths = shipped_win_table()
    assert millionths.shape == (90, 2 * MAX_LEAD + 1)
    assert (np.diff(millionths, axis=1) >= 0).all(), "a larger lead wins less often"
    # Being on turn is an advantage. A late lead wins more often than an early lead.
    even = millionths[:, MAX_LEAD]
    assert 500_000 < even[86] < 600_000
    leads = millionths[10:, MAX_LEAD + 60]
    assert leads[0] > leads[40] > leads[79] > 550_000
    assert leads[0] > 900_000
