"""The distribution of iterations among plays, and estimates from a few iterations. All samples are made up."""

import math

import numpy as np
import pytest

from bot.domain.crossword.play import Exchange
from bot.engine.plays.values import RatedPlay
from bot.engine.simulation.candidates import (
    MIN_ITERATIONS,
    POINTS_COLUMN,
    WINS_COLUMN,
    Candidate,
    drop_worse_plays,
    estimate,
    evidence,
    is_decided,
    plan_next_round,
    rank,
    simulated_play,
)

RISK = 0.01


def candidate(number: int, wins, points=0) -> Candidate:
    points = np.broadcast_to(points, len(wins))
    samples = np.column_stack([1e3 * points, 1e6 * np.asarray(wins)]).round().astype(np.int64)
    play = RatedPlay.of(Exchange((number,)), 0, (), 0)
    empty = np.zeros(3, dtype=np.int64)
    return Candidate(play, np.zeros(30, dtype=np.int32), empty, empty, [samples], len(samples))


def random_win_chances(count: int, seed: int = 1):
    return np.random.default_rng(seed).uniform(0.2, 0.8, count)


def run_sampling(truths, limit, *, risk=RISK):
    common, noise = random_win_chances(limit), np.random.default_rng(2).normal(0, 0.05, (len(truths), limit))
    results = [np.clip(common + truth + noise[index], 0, 1) for index, truth in enumerate(truths)]
    candidates = [candidate(index, results[index][:0]) for index in range(len(truths))]
    ranked = candidates
    while targets := plan_next_round(ranked, limit, evenly=False):
        for item, target in targets:
            assert item.iterations < target <= limit
            place = candidates.index(item)
            new = candidate(place, results[place][item.iterations : target])
            item.sample_arrays.append(new.sample_arrays[0])
            item.iterations = target
        ranked = drop_worse_plays(candidates, risk)
        if is_decided(ranked):
            break
    return candidates, ranked


def test_most_iterations_go_to_the_best_play_and_close_rivals():
    candidates, ranked = run_sampling([0.0, 0.1, 0.096, -0.1, 0.02], 1600)
    iterations = [candidate.iterations for candidate in candidates]
    assert ranked[0] is candidates[1]
    assert iterations[3] == iterations[4] == MIN_ITERATIONS
    assert iterations[1] == max(iterations) >= iterations[2] > 3 * iterations[0]
    assert [candidate.dropped for candidate in candidates] == [True, False, iterations[2] < 1600, True, True]


def test_sampling_ends_on_a_decision_or_the_iteration_limit():
    candidates, ranked = run_sampling([0.0, 0.1], 5000)
    assert is_decided(ranked)
    assert max(candidate.iterations for candidate in candidates) < 500
    candidates, ranked = run_sampling([0.1, 0.1], 300)
    assert not is_decided(ranked)
    assert [candidate.iterations for candidate in candidates] == [300, 300]
    alone, ranked = run_sampling([0.1], 5000)
    assert is_decided(ranked)
    assert alone[0].iterations < 200


def test_even_sampling_starts_with_plays_that_missed_iterations():
    behind, ahead = candidate(1, random_win_chances(16)), candidate(2, random_win_chances(100))
    assert plan_next_round([ahead, behind], 110, evenly=True) == [(behind, 80)]
    behind.iterations = 100
    assert plan_next_round([ahead, behind], 110, evenly=True) == [(ahead, 110), (behind, 110)]
    assert plan_next_round([ahead, behind], 100, evenly=True) == []


def test_dropped_plays_return_when_no_longer_worse():
    common = random_win_chances(400)
    lucky = np.concatenate([common[:100] + 0.1, common[100:] - 0.2])
    best, other = candidate(1, lucky[:100]), candidate(2, common[:100])
    assert drop_worse_plays([best, other], RISK) == [best, other]
    assert other.dropped
    assert not drop_worse_plays([best, other], RISK, keep_count=1)[1].dropped
    best.sample_arrays, best.iterations = candidate(1, lucky).sample_arrays, 400
    other.sample_arrays, other.iterations = candidate(2, common).sample_arrays, 400
    drop_worse_plays([best, other], RISK)
    assert drop_worse_plays([best, other], RISK) == [other, best]
    assert best.dropped
    assert not other.dropped


def test_evidence_for_a_play_that_is_better_in_every_iteration_is_infinite():
    wins = random_win_chances(60)
    best, worse = candidate(1, wins + 0.1), candidate(2, wins)
    assert evidence(best, worse, WINS_COLUMN) == math.inf
    assert evidence(worse, best, WINS_COLUMN) == evidence(best, best, WINS_COLUMN) == 0


def test_an_estimate_adds_the_difference_to_the_reference():
    wins = random_win_chances(500)
    reference, other = candidate(1, wins), candidate(2, wins[:50] - 0.1)
    mean, error = estimate(other, reference, WINS_COLUMN)
    assert mean == pytest.approx(1e6 * (wins.mean() - 0.1), abs=1)
    # The difference is the same in all iterations. The error is the reference's, increased because of the few iterations.
    assert error == pytest.approx((1 + 12 / 50) * 1e6 * wins.std(ddof=1) / math.sqrt(500), rel=1e-3)
    assert estimate(other, other, WINS_COLUMN)[1] > 2 * error
    assert estimate(other, reference, POINTS_COLUMN) == (0, 0)
    assert estimate(candidate(3, wins[:1]), reference, WINS_COLUMN)[1] == math.inf
    first = candidate(4, wins[:50])
    assert estimate(first, reference, WINS_COLUMN)[0] == pytest.approx(1e6 * wins.mean(), abs=1)
    assert rank([other, first, reference], reference)[2] is other


def test_adjusted_win_shares_stay_between_0_and_1():
    reference = candidate(1, [0.9] * 50 + [1.0] * 450)
    assert simulated_play(candidate(2, [1.0] * 50), reference).win == 1
    reference = candidate(1, [0.1] * 50 + [0.0] * 450)
    assert simulated_play(candidate(2, [0.0] * 50), reference).win == 0


def test_95_percent_of_estimates_lie_within_1_96_errors_of_the_truth():
    source = np.random.default_rng(5)
    outside_count = 0
    for _ in range(1000):
        common = source.normal(0.5, 0.1, 300)
        results = common[:60] - 0.05 + source.normal(0, 0.05, 60)
        mean, error = estimate(candidate(1, results), candidate(2, common), WINS_COLUMN)
        outside_count += abs(mean - 0.45e6) > 1.96 * error
    assert 20 < outside_count < 60


def test_the_error_of_nearly_certain_wins_is_not_too_small():
    source = np.random.default_rng(6)
    outside_count = 0
    for _ in range(1000):
        won = source.uniform(size=200) > 0.001
        result = simulated_play(candidate(1, won, source.normal(60, 20, 200)))
        outside_count += abs(result.win - 0.999) > 1.96 * result.win_error
    assert outside_count < 60
    # With equal points in all iterations, the result does not depend on chance.
    assert simulated_play(candidate(1, [1.0] * 50)).win_error == 0
