"""Measures the endgame solver: nodes per second on one thread, the longest time for an endgame, and the number of proved results."""

import math
import time

import pytest

from bot.domain.crossword.notations import cgp
from bot.engine.endgame.pre_endgame import solve_pre_endgame
from bot.engine.endgame.solve import solve_endgame
from tests.domain.shared import needs_corpus
from tests.engine.shared import enable1_graph
from tests.engine.test_endgame import reference_endings, tile_count_of
from tests.engine.test_pre_endgame import ONE_IN_BAG

pytestmark = [pytest.mark.bench, needs_corpus]

SECONDS = 15.0


def endings(min_tiles, max_tiles):
    return [
        cgp.read(row[0]).value
        for row in reference_endings()
        if min_tiles <= tile_count_of(row[1]) <= max_tiles
    ]


def solve_all(positions):
    nodes = proved = 0
    longest = 0.0
    cpu_start = time.thread_time()
    for position in positions:
        start = time.perf_counter()
        result = solve_endgame(position, enable1_graph(), seconds=SECONDS)
        longest = max(longest, time.perf_counter() - start)
        nodes += result.nodes
        proved += result.exact
    return nodes, time.thread_time() - cpu_start, longest, proved


@pytest.mark.parametrize(
    ("min_tiles", "max_tiles", "rounds"),
    [(2, 6, 5), (7, 9, 1), (10, 14, 1)],
    ids=["up to 6", "7 to 9", "10 to 14"],
)
def test_solving_endgames(benchmark, min_tiles, max_tiles, rounds):
    positions = endings(min_tiles, max_tiles)
    solve_endgame(positions[0], enable1_graph(), seconds=SECONDS)
    nodes, seconds, longest, proved = benchmark.pedantic(solve_all, args=(positions,), rounds=rounds)
    benchmark.extra_info["nodes per second"] = round(nodes / seconds)
    benchmark.extra_info["longest, seconds"] = round(longest, 3)
    benchmark.extra_info["proved"] = f"{proved} of {len(positions)}"


def test_solving_a_pre_endgame(benchmark):
    position = cgp.read(ONE_IN_BAG).value
    solve_endgame(endings(2, 2)[0], enable1_graph())

    def run():
        return solve_pre_endgame(position, enable1_graph(), seconds=math.inf)

    result = benchmark.pedantic(run, rounds=2)
    benchmark.extra_info["plays"] = len(result.plays)
    benchmark.extra_info["nodes"] = result.nodes
