"""Measures whether fewer rollouts find the same best plays, and whether the stated errors are correct.

The *truth* is a long simulation with different draws. For each sampling method, ``extra_info`` has the number of rollouts and
the number of positions in which the best play is the true best. For the usual method, it also has the percentage of values that
differ from the truth by more than 1.96 standard errors.
"""

import math
import time
from dataclasses import replace

import pytest

from bot.domain.crossword.game import board_after
from bot.domain.crossword.play import Placement
from bot.domain.crossword.position import LastPlay, Player
from bot.engine.analysis import AnalysisOptions
from bot.engine.plays.generate import find_plays
from bot.engine.plays.values import deduplicate
from bot.engine.simulation.inference import infer
from bot.engine.simulation.simulate import simulate
from tests.domain.shared import needs_corpus
from tests.engine.shared import analyzed_positions, enable1_graph, enable1_leaves

pytestmark = [pytest.mark.bench, needs_corpus]

CANDIDATE_COUNT = 12
MAX_ITERATIONS = 2000
"""Maximum number of iterations per play. The simulation taken as the truth has four times as many."""


def run_simulation(position, candidates, **options):
    return simulate(
        position,
        candidates,
        enable1_graph(),
        enable1_leaves(),
        AnalysisOptions(seconds=math.inf, **options),
        threads=1,
    )


def compare(result, truth):
    """Compare the win chance and equity of each play with the truth.

    Return the number of values, and how many differ from the truth by more than 1.96 standard errors.
    """
    true_plays = {play.play: play for play in truth.plays}
    pairs = [(play, true_plays[play.play]) for play in result.plays]
    outside_count = sum(
        abs(a.win - b.win) > 1.96 * math.hypot(a.win_error, b.win_error) + 1e-9 for a, b in pairs
    )
    outside_count += sum(
        abs(a.equity - b.equity) > 1.96 * math.hypot(a.equity_error, b.equity_error) for a, b in pairs
    )
    return 2 * len(pairs), outside_count


@pytest.mark.parametrize(("plies", "step"), [(2, 3), (4, 8)])
def test_deciding_with_fewer_rollouts(benchmark, plies, step):
    positions = [
        replace(position, ignore_opponent_racks=True)
        for position, _ in analyzed_positions()[3::step]
        if position.bag_count >= 3
    ]
    confidence_by_method: dict[str, float | None] = {"evenly": None, "as usual": 0.99}
    agreement_counts = dict.fromkeys(confidence_by_method, 0)
    rollout_counts = dict.fromkeys(confidence_by_method, 0)
    total_count = total_outside = 0

    def measure():
        nonlocal total_count, total_outside
        for position in positions:
            found = find_plays(position, enable1_graph(), enable1_leaves(), top=5 * CANDIDATE_COUNT)
            candidates = deduplicate(found)[:CANDIDATE_COUNT]
            truth = run_simulation(
                position, candidates, plies=plies, iterations=4 * MAX_ITERATIONS, confidence=0.99999, seed=1
            )
            for name, confidence in confidence_by_method.items():
                result = run_simulation(
                    position, candidates, plies=plies, iterations=MAX_ITERATIONS, confidence=confidence
                )
                agreement_counts[name] += result.plays[0].play == truth.plays[0].play
                rollout_counts[name] += result.rollouts
            value_count, outside_count = compare(result, truth)
            total_count, total_outside = total_count + value_count, total_outside + outside_count

    benchmark.pedantic(measure, rounds=1)
    for name in confidence_by_method:
        benchmark.extra_info[name] = (
            f"{agreement_counts[name]} of {len(positions)} with {rollout_counts[name]:,} rollouts"
        )
    benchmark.extra_info["outside 1.96 errors"] = f"{100 * total_outside / total_count:.1f}% of {total_count}"


@pytest.mark.benchmark(timer=time.thread_time)
def test_inferring_what_the_opponent_kept(benchmark):
    cases = []
    for position, _ in analyzed_positions()[2::7]:
        other = position.players[1].rack
        if len(other) < position.rules.rack_size or position.bag_count <= position.rules.rack_size:
            continue
        opponents_turn = replace(position, players=(Player(0, other), Player()))
        best_play = find_plays(opponents_turn, enable1_graph(), enable1_leaves(), top=1)[0]
        if best_play.leave and isinstance(best_play.play, Placement):
            cases.append(
                replace(
                    position,
                    board=board_after(position.board, best_play.play),
                    players=(position.players[0], Player()),
                    last_play=LastPlay(best_play.play, score=best_play.score),
                )
            )
    inferences = benchmark.pedantic(
        lambda: [infer(position, enable1_graph(), enable1_leaves()) for position in cases],
        warmup_rounds=1,
        rounds=3,
    )
    benchmark.extra_info["positions"] = len(cases)
    benchmark.extra_info["racks"] = sum(inference.drawn_count for inference in inferences)
    benchmark.extra_info["fewest leaves"] = min(len(inference.leaves) for inference in inferences)
