"""Paired simulation, the best equity of a rack, and the value of a play in an endgame."""

import math
from itertools import pairwise
from statistics import fmean, stdev

import pytest

from bot.domain.crossword.play import Coordinate, Direction, Exchange, Pass, Placement, tiles_laid
from bot.engine.analysis import AnalysisOptions
from bot.engine.endgame.solve import solve_endgame
from bot.engine.plays.generate import RackEvaluator
from bot.engine.simulation.paired import BATCH_SIZE, PairedSimulation
from bot.engine.simulation.simulate import simulate
from bot.engine.simulation.win_chances import shipped_win_chances, shipped_win_table
from tests.review.games import Table, endgame_table, scowl_lexicon


def table_after(turn_count, seed=4):
    table = Table(seed)
    for _ in range(turn_count):
        table.play()
    return table


def paired_simulation(table, ranking, **options):
    lexicon = scowl_lexicon()
    return PairedSimulation(table.position, ranking, lexicon.graph, lexicon.leaves, plies=2, **options)


def test_several_runs_give_the_same_result_as_one_run():
    table = table_after(5)
    ranking = table.best_plays(4)
    paired = paired_simulation(table, ranking, seed=7)
    for _ in range(3):
        assert paired.run(32, lambda: False)
    options = AnalysisOptions(plies=2, iterations=96, confidence=None, seed=7, seconds=1000)
    single_run = simulate(
        table.position, ranking, scowl_lexicon().graph, scowl_lexicon().leaves, options, threads=1
    )
    simulated_plays = {play.play.play: play for play in single_run.plays}
    for number, rated in enumerate(ranking):
        assert paired.result_of(number) == simulated_plays[rated.play]
    assert [paired.result_of(number).play for number in paired.remaining_plays] == [
        play.play for play in single_run.plays
    ]


def test_a_difference_is_the_mean_over_iterations_with_the_same_draws():
    table = table_after(5)
    ranking = table.best_plays(3)
    paired = paired_simulation(table, ranking)
    paired.run(160, lambda: False)
    # One-play simulations, run batch by batch, give the wins in each batch.
    samples = []
    for index in (0, 2):
        one_play = paired_simulation(table, ranking[index : index + 1])
        wins = []
        for count in range(1, 11):
            one_play.run(BATCH_SIZE, lambda: False)
            wins.append(one_play.result_of(0).win * count * BATCH_SIZE)
        samples.append([wins[0], *(b - a for a, b in pairwise(wins))])
    difference = paired.compare(0, 2)
    assert difference.iterations == 160
    assert difference.win.mean == pytest.approx(paired.result_of(0).win - paired.result_of(2).win)
    batches = [(a - b) / BATCH_SIZE for a, b in zip(*samples, strict=True)]
    assert difference.win.mean == pytest.approx(fmean(batches))
    # With ten batches, this estimate of the error is rough.
    assert difference.win.error == pytest.approx(stdev(batches) / math.sqrt(10), rel=0.7)
    assert paired.compare(0, 0).win.mean == paired.compare(0, 0).win.error == 0


def test_a_stopped_run_compares_only_iterations_that_both_plays_have():
    table = table_after(5)
    paired = paired_simulation(table, table.best_plays(2))
    stop_checks = iter([False] * 5)
    assert not paired.run(160, lambda: next(stop_checks, True))
    assert [paired.result_of(number).iterations for number in (0, 1)] == [48, 32]
    assert paired.compare(0, 1).iterations == 32


def test_worse_plays_are_dropped_except_the_first_play():
    table = table_after(5)
    ranking = table.best_plays(400)
    paired = paired_simulation(table, [ranking[-1], ranking[0], ranking[-2]])
    paired.run(128, lambda: False)
    paired.drop_worse_plays(0.1)
    assert paired.remaining_plays == (1, 0)
    paired.run(32, lambda: False)
    assert [paired.result_of(number).iterations for number in range(3)] == [160, 160, 128]


@pytest.mark.parametrize("turn_count", [0, 9, 20])
def test_the_best_equity_of_a_rack_is_that_of_its_best_play(turn_count):
    table = table_after(turn_count)
    lexicon = scowl_lexicon()
    evaluator = RackEvaluator(table.position, lexicon.graph, lexicon.leaves, bag_count=len(table.bag))
    for _ in range(3):
        assert evaluator.best_equity(table.racks[table.seat]) == table.best_plays()[0].equity
        if table.bag:
            table.set_rack(table.random.sample([*table.racks[table.seat], *table.bag], 7))


def test_a_requested_endgame_play_has_the_value_from_the_ranking():
    table = endgame_table()
    graph = scowl_lexicon().graph
    ranking = solve_endgame(table.position, graph, seconds=60, top=6).ranking
    for ranked in (*ranking[:3], ranking[-1]):
        requested_play = solve_endgame(
            table.position, graph, seconds=60, requested_play=ranked.play
        ).requested_play
        assert (requested_play.value, requested_play.play, requested_play.exact) == (
            ranked.value,
            ranked.play,
            True,
        )
    judged_pass = solve_endgame(table.position, graph, seconds=60, requested_play=Pass()).requested_play
    assert judged_pass.value <= ranking[0].value
    phony = Placement(Coordinate(0, 0, Direction.ACROSS), (26, 26, 26))
    assert solve_endgame(table.position, graph, seconds=60, requested_play=phony).requested_play is None
    assert (
        solve_endgame(table.position, graph, seconds=60, requested_play=Exchange((1,))).requested_play is None
    )


def test_tiles_laid_do_not_depend_on_how_a_play_is_written():
    across = Placement(Coordinate(7, 7, Direction.ACROSS), (0, 5, 0))
    down = Placement(Coordinate(6, 8, Direction.DOWN), (0, 5))
    assert tiles_laid(across) == tiles_laid(down) == {(7, 8, 5)}
    assert tiles_laid(Pass()) == frozenset()


def test_the_win_table_has_the_chances_of_the_win_curve():
    chances, table = shipped_win_chances(), shipped_win_table()
    assert table[20, 300 + 25] == round(1_000_000 * chances.chance(25, 20))
