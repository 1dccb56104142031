"""The engine functions of a review: paired simulation, racks on a board, and the value of a play in an endgame."""

import math
from itertools import pairwise
from statistics import fmean, stdev

import pytest

from bot.domain.crossword.play import Coordinate, Direction, Exchange, Pass, Placement, tiles_laid
from bot.engine.analysis import AnalysisOptions
from bot.engine.endgame.solve import solve_endgame
from bot.engine.plays.generate import RacksOnBoard
from bot.engine.simulation.paired import BATCH, PairedSimulation
from bot.engine.simulation.simulate import simulate
from bot.engine.simulation.win_chances import learnt_win_chances, learnt_win_table
from tests.review.games import Table, ending, scowl


def after(turns, seed=4):
    table = Table(seed)
    for _ in range(turns):
        table.play()
    return table


def paired(table, ranking, **more):
    lexicon = scowl()
    return PairedSimulation(
        table.position, ranking, lexicon.graph, lexicon.leaves, plies=2, table=learnt_win_table(), **more
    )


def test_a_simulation_in_parts_equals_a_single_run():
    table = after(5)
    ranking = table.best(4)
    bits = paired(table, ranking, seed=7)
    for _ in range(3):
        assert bits.run(32, lambda: False)
    options = AnalysisOptions(plies=2, iterations=96, confidence=None, seed=7, seconds=1000)
    whole = simulate(
        table.position, ranking, scowl().graph, scowl().leaves, options, table=learnt_win_table(), threads=1
    )
    found = {play.play.play: play for play in whole.plays}
    for number, rated in enumerate(ranking):
        assert bits.play(number) == found[rated.play]
    assert [bits.play(number).play for number in bits.live] == [play.play for play in whole.plays]


def test_a_difference_is_the_mean_of_those_of_the_same_draws():
    table = after(5)
    ranking = table.best(3)
    together = paired(table, ranking)
    together.run(160, lambda: False)
    # One iteration at a time gives each sample.
    samples = []
    for index in (0, 2):
        alone = paired(table, ranking[index : index + 1])
        wins = []
        for count in range(1, 11):
            alone.run(BATCH, lambda: False)
            wins.append(alone.play(0).win * count * BATCH)
        samples.append([wins[0], *(b - a for a, b in pairwise(wins))])
    found = together.paired(0, 2)
    assert found.iterations == 160
    assert found.win.mean == pytest.approx(together.play(0).win - together.play(2).win)
    batches = [(a - b) / BATCH for a, b in zip(*samples, strict=True)]
    assert found.win.mean == pytest.approx(fmean(batches))
    # Batches of independent iterations have the same error, give or take that there are ten of them.
    assert found.win.error == pytest.approx(stdev(batches) / math.sqrt(10), rel=0.7)
    assert together.paired(0, 0).win.mean == together.paired(0, 0).win.error == 0


def test_a_stopped_run_keeps_its_batches_and_compares_what_both_had():
    table = after(5)
    together = paired(table, table.best(2))
    looks = iter([False] * 5)
    assert not together.run(160, lambda: next(looks, True))
    assert [together.play(number).iterations for number in (0, 1)] == [48, 32]
    assert together.paired(0, 1).iterations == 32


def test_worse_plays_are_dropped_except_the_protected_one():
    table = after(5)
    ranking = table.best(400)
    together = paired(table, [ranking[-1], ranking[0], ranking[-2]])
    together.run(128, lambda: False)
    together.drop(0.1, keep=0)
    assert together.live == (1, 0)
    together.run(32, lambda: False)
    assert [together.play(number).iterations for number in range(3)] == [160, 160, 128]


@pytest.mark.parametrize("turns", [0, 9, 20])
def test_the_best_equity_of_a_rack_is_that_of_its_best_play(turns):
    table = after(turns)
    lexicon = scowl()
    board = RacksOnBoard(table.position, lexicon.graph, lexicon.leaves, bag=len(table.bag))
    for _ in range(3):
        assert board.best_equity(table.racks[table.seat]) == table.best()[0].equity
        if table.bag:
            table.hold(table.chance.sample([*table.racks[table.seat], *table.bag], 7))


def test_a_play_judged_in_an_endgame_has_the_value_that_a_ranking_gives_it():
    table = ending()
    graph = scowl().graph
    ranking = solve_endgame(table.position, graph, seconds=60, top=6).ranking
    for ranked in (*ranking[:3], ranking[-1]):
        judged = solve_endgame(table.position, graph, seconds=60, required_play=ranked.play).judged
        assert (judged.value, judged.play, judged.exact) == (ranked.value, ranked.play, True)
    passed = solve_endgame(table.position, graph, seconds=60, required_play=Pass()).judged
    assert passed.value <= ranking[0].value
    phony = Placement(Coordinate(0, 0, Direction.ACROSS), (26, 26, 26))
    assert solve_endgame(table.position, graph, seconds=60, required_play=phony).judged is None
    assert solve_endgame(table.position, graph, seconds=60, required_play=Exchange((1,))).judged is None


def test_tiles_laid_are_the_same_however_a_play_is_written():
    across = Placement(Coordinate(7, 7, Direction.ACROSS), (0, 5, 0))
    down = Placement(Coordinate(6, 8, Direction.DOWN), (0, 5))
    assert tiles_laid(across) == tiles_laid(down) == {(7, 8, 5)}
    assert tiles_laid(Pass()) == frozenset()


def test_the_chances_of_the_table_are_those_of_the_curve():
    chances, table = learnt_win_chances(), learnt_win_table()
    assert table[20, 300 + 25] == round(1_000_000 * chances.chance(25, 20))
