"""Skill and luck explain most of the spread, mistakes raise the mistake index, and reviews with different seeds agree."""

import random
from dataclasses import replace
from itertools import combinations
from statistics import correlation, fmean, stdev

import pytest

from bot.features.review.crossword.judging import QUICK_EFFORT
from bot.features.review.crossword.review import review_game
from tests.review.games import scowl_lexicon, self_play_game

pytestmark = pytest.mark.long

GAME_COUNT = 200
EFFORT = replace(
    QUICK_EFFORT,
    max_candidates=4,
    iterations_per_round=48,
    max_iterations=192,
    seconds=1000,
    pre_endgame_seconds=0.4,
    endgame_seconds=0.3,
)


def handicapped_chooser(seed, *, seat):
    """Return a function that chooses one of the eight best plays at random for ``seat``, and the best play for the other player."""
    rng = random.Random(seed)

    def choose(table):
        return rng.choice(table.best_plays(8)).play if table.seat == seat else None

    return choose


@pytest.fixture(scope="module")
def reviews():
    return [
        review_game(self_play_game(seed, handicapped_chooser(seed, seat=seed % 2)), scowl_lexicon(), EFFORT)
        for seed in range(GAME_COUNT)
    ]


def test_skill_and_luck_explain_most_of_the_spread(reviews):
    spreads = [review.scores[0] - review.scores[1] for review in reviews]
    players = [review.players for review in reviews]
    skill_and_luck = [
        second.points_lost - first.points_lost + first.luck - second.luck for first, second in players
    ]
    residuals = [spread - points for spread, points in zip(spreads, skill_and_luck, strict=True)]
    assert correlation(spreads, skill_and_luck) > 0.95
    assert stdev(residuals) < 0.35 * stdev(spreads)
    # The player who goes first gets half a turn more on average.
    assert abs(fmean(residuals)) < 30


def test_a_handicapped_player_has_a_higher_mistake_index(reviews):
    usual_indices = [review.players[1 - seed % 2].mistake_index for seed, review in enumerate(reviews)]
    handicapped_indices = [review.players[seed % 2].mistake_index for seed, review in enumerate(reviews)]
    assert fmean(usual_indices) < 0.8
    assert fmean(handicapped_indices) > fmean(usual_indices) + 1.5


def test_five_seeds_nearly_always_agree_on_certain_mistake_sizes():
    game = self_play_game(301, handicapped_chooser(301, seat=0))
    # Each review runs the same number of iterations even on a busy machine.
    effort = replace(QUICK_EFFORT, seconds=1000, max_iterations=256)
    seed_reviews = [review_game(game, scowl_lexicon(), replace(effort, seed=seed)) for seed in range(5)]
    agreements = [
        first.mistake_size is other.mistake_size
        for turns in zip(*(review.turns for review in seed_reviews), strict=True)
        for first, other in combinations(
            [turn for turn in turns if turn.mistake_size and not turn.may_be_larger], 2
        )
    ]
    assert len(agreements) > 50
    assert fmean(agreements) >= 0.95
