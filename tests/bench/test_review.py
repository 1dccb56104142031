"""Measures reviews: CPU time, milliseconds a turn, and stalls of the event loop.

A round is a review to its end, or as long as the depth lets it go on. ``extra_info`` has the figures.
"""

import asyncio
import time
import tracemalloc
from dataclasses import replace

import pytest

from bot.features.review.crossword.judging import DEEP_EFFORT, QUICK_EFFORT
from bot.features.review.crossword.review import review_game
from tests.review.games import scowl, self_played
from tests.review.test_crossword_review import SMALL_EFFORT
from tests.review.test_long import handicap

pytestmark = pytest.mark.bench

TICK = 0.002


def the_game():
    """A game of some 24 turns with mistakes of one player."""
    return self_played(301, handicap(301, seat=0))


@pytest.mark.parametrize("effort", [QUICK_EFFORT, DEEP_EFFORT], ids=["quick", "deep"])
def test_seconds_of_a_review(benchmark, effort):
    game = the_game()
    review_game(game, scowl(), SMALL_EFFORT)
    begun = time.process_time()
    review = benchmark.pedantic(review_game, args=(game, scowl(), effort), rounds=1)
    seconds = time.process_time() - begun
    turns = review.turns
    benchmark.extra_info["seconds of the processor"] = round(seconds, 2)
    benchmark.extra_info["ms a turn"] = round(1000 * seconds / len(turns))
    benchmark.extra_info["turns"] = len(turns)
    benchmark.extra_info["decided"] = sum(turn.judged and not turn.approximate for turn in turns)


async def test_the_loop_beside_a_review(benchmark):
    """Beside a review on a thread and beside a thread that only sleeps: how long the loop stood at most."""
    game = the_game()
    review_game(game, scowl(), SMALL_EFFORT)

    async def longest(work):
        job = asyncio.get_running_loop().run_in_executor(None, work)
        maximum = 0.0
        while not job.done():
            begun = time.perf_counter()
            await asyncio.sleep(TICK)
            maximum = max(maximum, time.perf_counter() - begun - TICK)
        await job
        return 1000 * maximum

    beside = await longest(lambda: review_game(game, scowl(), replace(QUICK_EFFORT, seconds=5)))
    alone = await longest(lambda: time.sleep(5))
    benchmark.extra_info["longest stall, ms"] = round(beside, 1)
    benchmark.extra_info["the same without work"] = round(alone, 1)
    benchmark.pedantic(lambda: None, rounds=1)


def test_memory_over_fifty_reviews(benchmark):
    game = the_game()
    grown = []

    def reviews():
        tracemalloc.start()
        try:
            for _ in range(50):
                review_game(game, scowl(), replace(SMALL_EFFORT, seconds=0.3))
                grown.append(tracemalloc.get_traced_memory()[0])
        finally:
            tracemalloc.stop()

    benchmark.pedantic(reviews, rounds=1)
    # The first fill caches.
    benchmark.extra_info["kB after 10"] = round(grown[9] / 1000)
    benchmark.extra_info["kB after 50"] = round(grown[-1] / 1000)
