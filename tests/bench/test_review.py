"""Measures reviews: CPU time, milliseconds per turn, stalls of the event loop, and memory."""

import asyncio
import time
import tracemalloc
from dataclasses import replace
from functools import partial

import pytest

from bot.features.review.crossword.judging import DEEP_EFFORT, QUICK_EFFORT
from bot.features.review.crossword.review import review_game
from tests.bench.test_render import longest_loop_delay
from tests.review.games import scowl_lexicon, self_play_game
from tests.review.test_crossword_review import SMALL_EFFORT
from tests.review.test_long import handicapped_chooser

pytestmark = pytest.mark.bench


def game_with_mistakes():
    return self_play_game(301, handicapped_chooser(301, seat=0))


@pytest.mark.parametrize("effort", [QUICK_EFFORT, DEEP_EFFORT], ids=["quick", "deep"])
def test_reviewing_a_game(benchmark, effort):
    game = game_with_mistakes()
    review_game(game, scowl_lexicon(), SMALL_EFFORT)
    start = time.process_time()
    review = benchmark.pedantic(review_game, args=(game, scowl_lexicon(), effort), rounds=1)
    seconds = time.process_time() - start
    turns = review.turns
    benchmark.extra_info["seconds of CPU time"] = round(seconds, 2)
    benchmark.extra_info["ms per turn"] = round(1000 * seconds / len(turns))
    benchmark.extra_info["turns"] = len(turns)
    benchmark.extra_info["decided"] = sum(turn.is_judged and not turn.may_be_larger for turn in turns)


async def test_event_loop_stalls_during_a_review(benchmark):
    game = game_with_mistakes()
    review_game(game, scowl_lexicon(), SMALL_EFFORT)

    run = partial(asyncio.get_running_loop().run_in_executor, None)
    with_review = await longest_loop_delay(
        run(review_game, game, scowl_lexicon(), replace(QUICK_EFFORT, seconds=5))
    )
    without_review = await longest_loop_delay(run(time.sleep, 5))
    benchmark.extra_info["longest stall, ms"] = round(with_review, 1)
    benchmark.extra_info["longest stall while idle, ms"] = round(without_review, 1)
    benchmark.pedantic(lambda: None, rounds=1)


def test_memory_over_fifty_reviews(benchmark):
    """After 50 reviews, memory use should be the same as after the first 10, which fill the caches."""
    game = game_with_mistakes()
    traced_bytes = []

    def reviews():
        tracemalloc.start()
        try:
            for _ in range(50):
                review_game(game, scowl_lexicon(), replace(SMALL_EFFORT, seconds=0.3))
                traced_bytes.append(tracemalloc.get_traced_memory()[0])
        finally:
            tracemalloc.stop()

    benchmark.pedantic(reviews, rounds=1)
    benchmark.extra_info["kB after 10"] = round(traced_bytes[9] / 1000)
    benchmark.extra_info["kB after 50"] = round(traced_bytes[-1] / 1000)
