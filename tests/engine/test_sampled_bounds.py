"""Bounds on the proportion of draws after which a pre-endgame play wins, estimated from a random sample."""

from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache

import pytest

from bot.domain.crossword.play import Pass
from bot.engine.endgame.draws import Draw, Draws
from bot.engine.endgame.outcomes import Candidate, Table, share_bounds


@pytest.mark.parametrize(("total", "error"), [(12, 0.3), (14, 0.05), (15, 0.01)])
def test_a_bound_is_rarely_wrong_at_any_stopping_time(total, error):
    """Add up the probabilities of all orders of draws that never make a bound wrong."""
    bounds_after = cache(lambda tried, hits: share_bounds(total, tried, hits, hits, error))
    for true_hits in range(total + 1):
        chances = {0: Fraction(1)}  # by number of hits: the probability of this number and no wrong bound
        for tried in range(1, total + 1):
            next_chances: dict[int, Fraction] = defaultdict(Fraction)
            for hits, chance in chances.items():
                hit = Fraction(true_hits - hits, total - tried + 1)
                next_chances[hits + 1] += chance * hit
                next_chances[hits] += chance * (1 - hit)
            chances = {
                hits: chance
                for hits, chance in next_chances.items()
                if chance
                and bounds_after(tried, hits)[0] <= true_hits / total <= bounds_after(tried, hits)[1]
            }
        assert sum(chances.values()) >= 1 - error


def test_bounds_are_wider_if_draws_or_outcomes_are_unknown():
    assert share_bounds(720, 720, 300, 300) == (300 / 720, 300 / 720)
    low, high = share_bounds(7920, 300, 300, 300)
    assert (0.95 < low < 0.99, high) == (True, 1.0)
    narrow, wide = share_bounds(720, 100, 50, 50), share_bounds(720, 100, 40, 60)
    assert wide[0] < narrow[0] < 0.5 < narrow[1] < wide[1]
    assert share_bounds(720, 100, 0, 100) == (share_bounds(720, 100, 0, 0)[0], 1.0)


def test_draws_are_sampled_in_proportion_to_their_weights():
    draws = Draws(Counter({1: 3, 2: 2, 5: 4}), 3, has_exchanges=False)
    for count in range(4):
        possible_draws = draws.draws_for_play(count)
        sample = draws.sample(count)
        assert Counter(sample) == {index: draw.weight for index, draw in enumerate(possible_draws)}
        # With exchanges, all weights are six times as high.
        with_exchanges = Draws(Counter({1: 3, 2: 2, 5: 4}), 3, has_exchanges=True)
        assert with_exchanges.sample(count) == sample
        # The sample does not begin with the first draws, on which the plays were estimated.
        assert max(sample[:5]) > len(possible_draws) // 2
        order = draws.draw_order(count)
        assert sorted(order) == list(range(len(possible_draws)))
        assert list(order) == sorted(order, key=sample.index)
        assert draws.draw_order(count) is order  # thousands of plays share one order


def test_without_a_sample_draws_keep_their_order():
    draws = Draws(Counter(dict.fromkeys(range(1, 13), 1)), 4, has_exchanges=False)
    assert not draws.sample(0)
    assert draws.draw_order(0) == tuple(range(len(draws.draws_for_play(0))))
    # All draws are found, although the bag has too many arrangements to try all of them.
    selected_draws = Draws(Counter({1: 12, 2: 6}), 4, has_exchanges=False)
    assert sum(draw.weight for draw in selected_draws.draws_for_play(0)) == selected_draws.total_weight
    assert not selected_draws.sample(0)


def test_a_sample_ends_at_the_first_untried_draw():
    draws = tuple(Draw((number,), (), 1) for number in range(60))
    play = Candidate(0, Pass(), 9, 1, 0, draws, tuple(range(60)))
    table = Table([play], total_weight=60, spread=0)
    for index in (*range(30), *range(31, 60)):
        table.find_or_create_cell(play, index).is_estimated = True
        value = -9 if index == 4 else 9
        table.store_result(play, index, value, (-100, 100), final=index != 7)
    play.cells[7].tried_max_nodes = 1  # a search has tried the draw without deciding it
    table.rank()
    (result,) = table.plays()
    assert result.bounds == (57 / 60, 59 / 60)
    assert result.sampled_bounds is None  # the proved bounds are tighter
    for index in range(31, 60):
        del play.cells[index]
    play.half_wins, play.half_losses = 2 * 28, 2
    table.rank()
    (result,) = table.plays()
    assert result.bounds == (28 / 60, 59 / 60)
    assert result.sampled_bounds == (share_bounds(60, 30, 28, 29)[0], 59 / 60)
