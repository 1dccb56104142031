"""Crossplay in the engine: plays and their equities, rollouts, the last two turns, and self-play games."""

import math
import random
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from bot.domain.crossword.game import turns_left
from bot.domain.crossword.play import Exchange, Pass
from bot.domain.crossword.position import Player, Position
from bot.domain.crossword.rules import default_rules, load_distribution, load_layout
from bot.engine.analysis import AnalysisError, AnalysisOptions, StoppedError
from bot.engine.endgame.pre_endgame import solve_pre_endgame
from bot.engine.endgame.solve import solve_endgame
from bot.engine.lexicon.builder import build_word_graph
from bot.engine.lexicon.leaves import NO_LEAVES, leave_values_of
from bot.engine.plays.generate import find_plays
from bot.engine.plays.values import SortKey
from bot.engine.simulation.simulate import simulate
from tests.domain.crossword.games import with_unseen_tiles
from tests.domain.crossword.strategies import seeds
from tests.engine.endgame_oracle import Oracle, positions_near_the_end
from tests.engine.lexica import lay_words, random_leaves, random_words
from tests.engine.naive_plays import naive_plays
from tests.engine.reference_rollout import (
    check_means,
    late_position as late_position_with_opcodes,
    list_unseen_tiles,
    rollout,
)
from training.games import GameRunner, Strategy

RULES = default_rules(load_distribution("crossplay"), load_layout("Crossplay"))


@given(seeds, st.integers(0, 3), st.booleans())
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_plays_match_the_naive_generator(seed, blanks, has_seven_unseen_tiles):
    """If the bag is empty, the equity is the score."""
    randomness = random.Random(seed)
    words = random_words(randomness, RULES.distribution, 8)
    board = lay_words(randomness, RULES, sorted(words), randomness.randint(0, 4))
    rack = [0] * min(2, blanks) + randomness.choices(
        [letter for word in sorted(words) for letter in word], k=5
    )
    position = Position(RULES, board, (Player(0, tuple(rack)), Player()))
    if has_seven_unseen_tiles:
        position = with_unseen_tiles(position, tuple(randomness.choices(range(1, 27), k=7)))
        assert not position.bag_count or len(rack) < 7
    leaves = random_leaves(randomness, len(RULES.distribution.letters))
    found = find_plays(
        position,
        build_word_graph(sorted(words)),
        leave_values_of({key: value / 1000 for key, value in leaves.items()}),
        top=None,
    )
    assert set(found) == naive_plays(position, words, leaves)


@given(positions_near_the_end())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_last_turns_match_an_exhaustive_search(case):
    position, words = case
    graph = build_word_graph(sorted(words))
    own, other = (
        position.players[0].rack,
        list_unseen_tiles(replace(position, players=(position.players[0], Player()))),
    )
    oracle = Oracle(position.rules, words)
    board = position.board
    expected = sorted(
        (
            score - oracle.value_of_final_turns(after, tuple(sorted(other)), leave, position.turns_left - 1)
            for after, leave, score in oracle.plays(board, tuple(sorted(own)))
        ),
        reverse=True,
    )
    value_of_pass = -oracle.value_of_final_turns(
        board, tuple(sorted(other)), tuple(sorted(own)), position.turns_left - 1
    )
    expected = sorted([*expected, value_of_pass], reverse=True)
    result = solve_endgame(position, graph, seconds=math.inf, top=4, requested_play=Pass())
    assert (result.value, result.exact, len(result.line)) == (
        expected[0],
        True,
        1 if position.turns_left == 1 or not other else 2,
    )
    assert [play.value for play in result.ranking] == expected[:4]
    assert result.requested_play.value == value_of_pass
    gained = sum(turn.score * (-1) ** number for number, turn in enumerate(result.line))
    assert gained == result.value


WORDS = "AN AT EAT EATS LOST LOTS SLOT SLOE INERT RETAIN RETINA NAIL VOLE LOVE STOVE VOLTS RAINED INTO ERA ARE TEAR RATE"


late_position = partial(late_position_with_opcodes, opcodes="ld crossplay")


@pytest.fixture(scope="module")
def graph():
    distribution = load_distribution("crossplay")
    board_words = "OUZO PANTO CHID OFTER OAK MAY CROWDS INCLUDER EQUALISE PREYING INN"
    words = (*WORDS.split(), *board_words.split())
    return build_word_graph(
        sorted(bytes(distribution.machine_letters[letter] for letter in word) for word in set(words))
    )


@pytest.mark.parametrize(
    ("racks", "unseen", "plies"),
    [("AEINRT/", "LOSTV", 1), ("AEINRT/", "LOSTV", 3), ("AEINRT/AEOT", "LOST", 2)],
)
def test_the_mean_of_many_rollouts_is_near_the_expected_value(graph, racks, unseen, plies):
    position = late_position(racks, unseen)
    position = replace(position, rules=replace(position.rules, rack_size=4))
    assert position.bag_count
    best = [play for play in find_plays(position, graph, top=6) if not isinstance(play.play, Exchange)][:3]
    options = AnalysisOptions(plies=plies, iterations=1500, seconds=600, confidence=None)
    result = simulate(position, best, graph, NO_LEAVES, options, threads=1)
    check_means(position, result, plies, graph, NO_LEAVES)


@pytest.mark.parametrize("turns_left", [1, 2])
def test_a_simulation_ends_with_the_last_turn(graph, turns_left):
    position = replace(late_position("AEINRT/", "LOSTV"), turns_left=turns_left)
    best = find_plays(position, graph, top=4)
    options = AnalysisOptions(plies=2, iterations=3, seconds=600, confidence=None)
    for simulated in simulate(position, best, graph, NO_LEAVES, options, threads=1).plays:
        known_position = replace(
            position, players=(position.players[0], Player(206, list_unseen_tiles(position)))
        )
        equity, win = rollout(known_position, simulated.play, (), 9, graph, NO_LEAVES)
        assert (simulated.equity, simulated.win) == (equity / 1000, win)
        assert sum(ply.iterations > 0 for ply in simulated.plies) == turns_left


def test_unsolvable_positions_are_refused(graph):
    position = late_position("AEINRT/", "LOSTV")
    for changed, code in (
        (replace(position, turns_left=0), "game-over"),
        (late_position("AEINRT/", "LOSTVEEEEE"), "bag-not-empty"),
        (replace(position, players=(*position.players, Player())), "not-two-players"),
        (replace(position, players=(Player(), Player())), "no-rack"),
    ):
        with pytest.raises(AnalysisError) as caught:
            solve_endgame(changed, graph)
        assert caught.value.code == code


@pytest.mark.parametrize("bag_tiles", ["E", "EEEE"])
def test_a_pre_endgame_with_one_more_turn_each_is_refused(graph, bag_tiles):
    position = late_position("AEINRTS/", f"LOSTVEE{bag_tiles}")
    assert (position.bag_count, turns_left(position)) == (len(bag_tiles), None)
    with pytest.raises(
        AnalysisError, match="if each player gets one more turn after the bag is empty"
    ) as caught:
        solve_pre_endgame(position, graph)
    assert caught.value.code == "equal-turns"


def test_a_stopped_search_gives_an_inexact_result_or_raises_an_error(graph):
    position = replace(late_position("AEINRT/", "LOSTV"), turns_left=2)
    with pytest.raises(StoppedError):
        solve_endgame(position, graph, cancelled=lambda: True)
    cancellations = iter([False] * 3)
    result = solve_endgame(
        position, graph, seconds=math.inf, top=50, cancelled=lambda: next(cancellations, True)
    )
    assert not result.exact
    assert len(result.ranking) == 2


def test_self_play_counts_the_last_turns_once_the_bag_is_empty(graph):
    records = []

    def record_turn(runner, state):
        records.append((len(state.bag), state.turns_left))

    runner = GameRunner(RULES, graph)
    for seed in range(30):
        records.clear()
        game = runner.play([Strategy(NO_LEAVES, SortKey.SCORE)] * 2, seed, watcher=record_turn)
        assert all((turns_left is None) is (bag > 0) for bag, turns_left in records)
        assert (
            records[-1] == (0, 1) or sum(turns_left is None for _, turns_left in records) == game.turn_count
        )
