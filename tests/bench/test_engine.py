"""Measures the engine: positions, games and rollouts per second, with a plain play generator for comparison.

Work on one thread is measured in CPU time.
"""

import itertools
import math
import time
from dataclasses import replace

import pytest

from bot.engine.analysis import AnalysisOptions
from bot.engine.plays.board_arrays import board_arrays
from bot.engine.plays.generate import (
    Buffers,
    available_tiles,
    find_and_count_plays,
    find_plays,
    prepare_rack,
    search,
)
from bot.engine.simulation.simulate import simulate
from tests.bench.plain_gaddag import PlainGenerator
from tests.domain.shared import needs_corpus
from tests.engine.shared import analyzed_positions, enable1_graph, enable1_leaves
from training.games import GameRunner, Strategy

pytestmark = [pytest.mark.bench, needs_corpus]


@pytest.fixture(scope="module")
def positions():
    return [position for position, _ in analyzed_positions()]


in_cpu_time = pytest.mark.benchmark(timer=time.thread_time)


def measure(benchmark, work, items, *, rounds):

    def run():
        for item in items:
            work(item)

    benchmark.pedantic(run, warmup_rounds=1, rounds=rounds)
    benchmark.extra_info["positions per second"] = round(len(items) / benchmark.stats.stats.median, 1)


def find_top_plays(position, top):
    return find_plays(position, enable1_graph(), enable1_leaves(), top=top)


FINDERS = {
    "top 15": lambda position: list(find_top_plays(position, 15)),
    "best only": lambda position: list(find_top_plays(position, 1)),
    "all": lambda position: list(find_top_plays(position, None)),
    "top 15 with the count": lambda position: find_and_count_plays(
        position, enable1_graph(), enable1_leaves()
    )[0][:],
    "all, without objects": lambda position: len(find_top_plays(position, None)),
}


@in_cpu_time
@pytest.mark.parametrize("find", FINDERS.values(), ids=FINDERS)
def test_finding_plays(benchmark, positions, find):
    measure(benchmark, find, positions, rounds=10)


@in_cpu_time
@pytest.mark.parametrize("top", [15, 1, None], ids=["top 15", "best only", "all"])
def test_searching_a_prepared_board(benchmark, positions, top):
    buffers = Buffers()
    prepared_boards = [
        (board_arrays(position, enable1_graph()), available_tiles(position)) for position in positions
    ]

    def search_board(item):
        arrays, tiles = item
        prepare_rack(arrays, buffers, tiles, enable1_leaves())
        search(arrays, buffers, tiles, top=top)

    measure(benchmark, search_board, prepared_boards, rounds=10)


@in_cpu_time
def test_finding_plays_with_the_plain_generator(benchmark, positions):
    chosen = [
        (position, sum(not text.startswith(("ex ", "pass")) for text, _, _ in expected))
        for position, expected in analyzed_positions()[1::9]
        if position.board.tile_count
    ]

    def find_with_plain_generator(item):
        position, count = item
        generator = PlainGenerator(position, enable1_graph(), enable1_leaves())
        generator.find_best(15)
        assert generator.count == count

    measure(benchmark, find_with_plain_generator, chosen, rounds=2)
    times = []
    for _ in range(10):
        started = time.thread_time()
        for position, _ in chosen:
            find_plays(position, enable1_graph(), enable1_leaves())
        times.append(time.thread_time() - started)
    benchmark.extra_info["times slower than the engine"] = round(
        benchmark.stats.stats.median / sorted(times)[5]
    )


@in_cpu_time
def test_playing_a_game(benchmark, positions):
    runner = GameRunner(positions[0].rules, enable1_graph())
    players = (Strategy(enable1_leaves()), Strategy(enable1_leaves()))
    seeds = itertools.count()
    benchmark.pedantic(lambda: runner.play(players, next(seeds)), warmup_rounds=1, rounds=150)
    benchmark.extra_info["games per second"] = round(1 / benchmark.stats.stats.mean)


@pytest.mark.parametrize("threads", [1, 2])
def test_simulating_two_plies(benchmark, positions, threads):
    chosen = [replace(position, ignore_opponent_racks=True) for position in positions[1:60:10]]
    candidates = {position: find_plays(position, enable1_graph(), enable1_leaves()) for position in chosen}

    def run(position):
        return simulate(
            position,
            candidates[position],
            enable1_graph(),
            enable1_leaves(),
            AnalysisOptions(iterations=64, confidence=None, seconds=math.inf),
            threads=threads,
        )

    run(chosen[0])
    repeated_positions = itertools.cycle(chosen)
    benchmark.pedantic(run, setup=lambda: ((next(repeated_positions),), {}), rounds=len(chosen))
    # Wall-clock time, because the work may be spread over several threads.
    benchmark.extra_info["rollouts per second"] = round(15 * 64 / benchmark.stats.stats.mean)
