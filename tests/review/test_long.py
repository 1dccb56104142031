"""Properties of many reviewed games: skill and luck add up to the spread, errors raise the index, seeds agree."""

import random
from dataclasses import replace
from itertools import combinations
from statistics import correlation, fmean, stdev

import pytest

from bot.features.review.crossword.judging import QUICK_EFFORT
from bot.features.review.crossword.review import review_game
from tests.review.games import scowl, self_played

pytestmark = pytest.mark.long

GAMES = 200
SOME = replace(
    QUICK_EFFORT,
    candidates=4,
    first=48,
    iterations=192,
    seconds=1000,
    pre_endgame_seconds=0.4,
    endgame_seconds=0.3,
)


def handicapped(seed, *, seat):
    """Choose as the engine does, but one player any of the best eight."""
    rng = random.Random(seed)

    def choose(table):
        return rng.choice(table.best(8)).play if table.seat == seat else None

    return choose


@pytest.fixture(scope="module")
def reviews():
    return [
        review_game(self_played(seed, handicapped(seed, seat=seed % 2)), scowl(), SOME)
        for seed in range(GAMES)
    ]


def test_the_spread_is_skill_and_luck_and_a_small_rest(reviews):
    spreads = [review.scores[0] - review.scores[1] for review in reviews]
    explained = [review.net_skill + review.net_luck for review in reviews]
    rests = [spread - known for spread, known in zip(spreads, explained, strict=True)]
    assert correlation(spreads, explained) > 0.95
    assert stdev(rests) < 0.35 * stdev(spreads)
    # The player who begins has half a turn more on average.
    assert abs(fmean(rests)) < 30


def test_a_handicapped_player_has_a_higher_mistake_index(reviews):
    best = [review.players[1 - seed % 2].mistake_index for seed, review in enumerate(reviews)]
    worse = [review.players[seed % 2].mistake_index for seed, review in enumerate(reviews)]
    assert fmean(best) < 0.8
    assert fmean(worse) > fmean(best) + 1.5


def test_five_seeds_agree_where_a_class_is_not_approximate():
    game = self_played(301, handicapped(301, seat=0))
    # However busy the machine is, each has the same number of iterations.
    effort = replace(QUICK_EFFORT, seconds=1000, iterations=256)
    found = [review_game(game, scowl(), replace(effort, seed=seed)) for seed in range(5)]
    pairs = [
        first.size is other.size
        for turns in zip(*(review.turns for review in found), strict=True)
        for first, other in combinations([turn for turn in turns if turn.size and not turn.approximate], 2)
    ]
    assert len(pairs) > 50
    assert fmean(pairs) >= 0.95
