from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from bot.domain.crossword.play import Coordinate, Direction, Placement
from bot.domain.crossword.position import Board, Player, Position
from bot.domain.crossword.rules import default_rules, load_layout
from bot.domain.crossword.scoring import rack_points, score_placement
from bot.engine.analysis import AnalysisOptions, Stop, StoppedError
from bot.engine.kernels.board import G_SIZE, POINTS
from bot.engine.lexicon.builder import build_word_graph
from bot.engine.lexicon.leaves import NO_LEAVES, leave_values_of
from bot.engine.lexicon.lexica import DEFAULT_LEXICON, Lexica
from bot.engine.lexicon.words import find_phonies
from bot.engine.plays.generate import find_plays
from bot.engine.plays.values import SortKey
from training.games import GameRunner, Strategy
from training.self_play import PairResult, compare, play_pair


@pytest.fixture(scope="module")
def lexicon():
    lexica = Lexica()
    return lexica.load(lexica.find(DEFAULT_LEXICON))


@pytest.fixture(scope="module")
def rules(lexicon):
    return default_rules(lexicon.distribution, load_layout("CrosswordGame"))


LEAVES = leave_values_of({b"\0": 25.0, b"\x13": 8.0, b"\0\x13": 32.0, b"\x16": -5.0, b"\x11": -6.0})


def board_of(runner):
    rows, columns = runner.rules.layout.rows, runner.rules.layout.columns
    size = int(runner.arrays.game[G_SIZE])
    squares = runner.arrays.squares

    def squares_across(section):
        part = squares[section * 2 * size : section * 2 * size + size].reshape(rows + 2, columns + 2)
        return part[1:-1, 1:-1].reshape(-1)

    letters, points = squares_across(0), squares_across(POINTS)
    tile_points = np.array([0, *(letter.points for letter in runner.rules.distribution.letters[1:])])
    return Board(rows, columns, tuple(np.where(points == tile_points[letters], letters, -letters).tolist()))


def placement_between(before, after):
    placed_indices = [index for index, tile in enumerate(after.squares) if tile != before.squares[index]]
    assert all(before.squares[index] == 0 for index in placed_indices)
    rows = {index // after.columns for index in placed_indices}
    across = len(rows) == 1
    step = 1 if across else after.columns
    assert across or len({index % after.columns for index in placed_indices}) == 1
    tiles = tuple(
        after.squares[index] if index in placed_indices else 0
        for index in range(placed_indices[0], placed_indices[-1] + 1, step)
    )
    row, column = divmod(placed_indices[0], after.columns)
    return Placement(Coordinate(row, column, Direction.ACROSS if across else Direction.DOWN), tiles)


@pytest.mark.parametrize("sort_key", [SortKey.EQUITY, SortKey.SCORE])
def test_a_game_follows_the_rules(lexicon, rules, sort_key):
    states = []

    def watch(runner, state):
        board = board_of(runner)
        tiles = Counter(max(tile, 0) for tile in board.squares if tile)
        for group in (*state.racks, state.bag):
            tiles.update(group)
        full_set = dict(enumerate(rules.distribution.counts))
        assert {tile: count for tile, count in tiles.items() if count} == full_set, "a tile was lost or added"
        assert find_phonies(board, lexicon.graph) == ()
        assert all(len(rack) == rules.rack_size for rack in state.racks) or not state.bag
        states.append((board, tuple(state.scores), state.on_turn))

    result = GameRunner(rules, lexicon.graph).play((Strategy(LEAVES, sort_key),) * 2, 5, watcher=watch)
    assert result.turn_count == len(states)
    assert states[0][0].tile_count == 0
    assert 500 < sum(result.scores) < 1200
    placements = 0
    for (before, scores, mover), (after, scores_after, _) in pairwise(states):
        gained = scores_after[mover] - scores[mover]
        if after == before:
            assert gained == 0
            continue
        placements += 1
        assert score_placement(before, placement_between(before, after), rules).score == gained
        assert scores_after[1 - mover] == scores[1 - mover]
    assert placements > 15


def test_each_play_is_the_best_play_of_an_analysis(lexicon, rules):
    strategy = Strategy(LEAVES)
    compared_figures = []

    def watch(runner, state):
        racks = [state.racks[state.on_turn], state.racks[1 - state.on_turn]]
        players = tuple(Player(rack=tuple(rack)) for rack in racks)
        position = Position(rules, board_of(runner), players)
        slot = runner.find_best(racks[0], strategy, bag_count=len(state.bag), opponent_rack=racks[1])
        [best] = find_plays(position, lexicon.graph, LEAVES, top=1)
        figures = (int(runner.buffers.keys[2 * slot]), int(runner.buffers.keys[2 * slot + 1]))
        assert figures == (best.equity, best.score)
        compared_figures.append(figures)

    GameRunner(rules, lexicon.graph).play((strategy, strategy), 7, watcher=watch)
    assert len(compared_figures) > 15


def test_the_same_seed_gives_the_same_game(lexicon, rules):
    runner = GameRunner(rules, lexicon.graph)
    players = (Strategy(LEAVES), Strategy(NO_LEAVES, SortKey.SCORE))
    games = [runner.play(players, seed) for seed in (1, 2, 1)]
    assert games[0] == games[2] != games[1]
    assert GameRunner(rules, lexicon.graph).play(players, 1) == games[0]


def test_a_game_ends_if_no_player_can_play(rules):
    unplayable_graph = build_word_graph([b"\x1a" * 5])  # the set has only one Z
    states = []
    result = GameRunner(rules, unplayable_graph).play(
        (Strategy(NO_LEAVES),) * 2, 1, watcher=lambda _, state: states.append(state)
    )
    assert result.turn_count == rules.scoreless_limit
    expected = [-rack_points(rack, rules.distribution) for rack in states[-1].racks]
    assert list(result.scores) == expected


def test_a_game_can_be_stopped(lexicon, rules):
    stop = Stop()
    runner = GameRunner(rules, lexicon.graph, stop=stop)
    stop.set()
    with pytest.raises(StoppedError):
        runner.play((Strategy(NO_LEAVES),) * 2, 1)


def test_a_player_may_simulate(lexicon, rules):
    boards = []

    def watch(runner, state):
        boards.append((board_of(runner), state.board))

    options = AnalysisOptions(plays=2, iterations=4, plies=1, seconds=math.inf)
    simulating_strategy = Strategy(lexicon.leaves, simulation=options)
    runner = GameRunner(rules, lexicon.graph)
    game = runner.play((simulating_strategy, Strategy(lexicon.leaves)), 3, watcher=watch)
    assert all(board == other for board, other in boards)
    assert runner.play((simulating_strategy, Strategy(lexicon.leaves)), 3) == game
    assert game != runner.play((Strategy(lexicon.leaves), Strategy(lexicon.leaves)), 3)


def test_players_swap_seats_in_a_pair(lexicon, rules):
    runner = GameRunner(rules, lexicon.graph)
    equal_pair = play_pair(runner, Strategy(LEAVES), Strategy(LEAVES), 3)
    assert (equal_pair.wins, equal_pair.spread) == (1.0, 0), "equal players did not draw"
    first, second = Strategy(LEAVES), Strategy(NO_LEAVES, SortKey.SCORE)
    pair, other = play_pair(runner, first, second, 3), play_pair(runner, second, first, 3)
    assert (pair.wins + other.wins, pair.spread) == (2.0, -other.spread)


def test_pairs_are_averaged():
    result = compare(
        [PairResult(2.0, 60, (800, 740)), PairResult(1.0, -20, (700, 720)), PairResult(1.5, 50, (750, 700))]
    )
    assert result.pair_count == 3
    assert result.win_rate.mean == pytest.approx(0.75)
    assert result.spread.mean == pytest.approx(15.0)
    # The spreads per game are 30, -10 and 25, with a standard deviation of 21.79.
    assert result.spread.margin == pytest.approx(1.959964 * 21.794 / 3**0.5, rel=1e-4)
    assert result.scores == (375.0, 360.0)
    assert compare([PairResult(2.0, 60, (800, 740))]).spread.margin == float("inf")
