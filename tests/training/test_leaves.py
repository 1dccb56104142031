from __future__ import annotations

import dataclasses
from collections import Counter
from functools import cache
from itertools import combinations
from math import comb

import numpy as np
import pytest

from bot.domain.crossword.rules import Letter, LetterDistribution, Rules, layout_of_rows, load_distribution
from bot.engine.lexicon.builder import build_word_graph
from bot.engine.lexicon.spelling import speller
from training.games import Strategy
from training.kernels import add_to_leave_sums
from training.leave_index import estimate, leave_index
from training.leaves import Learner, LearningError, progress_bytes, read_progress

SMALL_DISTRIBUTION = LetterDistribution(
    "small",
    (
        Letter("?", "?", 2, 0),
        Letter("A", "a", 9, 1, is_vowel=True),
        Letter("E", "e", 9, 1, is_vowel=True),
        Letter("S", "s", 6, 1),
        Letter("T", "t", 8, 2),
        Letter("Q", "q", 2, 1),
    ),
)
WORDS = """
AS AT EAT EATS EAST ATE SAT SATE SEA SEAT SEATS SET SETS TA TAS TASTE TEA TEAS TEASE TEST TESTS TEASES
""".split()  # noqa: SIM905
# A small game with a 9 × 9 board, five letters and a blank, and four tiles on a rack.
RULES = Rules(
    SMALL_DISTRIBUTION,
    layout_of_rows(("-...'...-", *["....'...."] * 7, "-...'...-")),
    rack_size=4,
    min_bag_for_exchange=1,
)


@cache
def graph():
    return build_word_graph([speller(SMALL_DISTRIBUTION).spell(word) for word in WORDS])


def new_learner():
    return Learner(RULES, graph())


@pytest.mark.parametrize("max_size", [1, 2, 3, 6])
def test_the_index_has_every_leave_in_order(max_size):
    index = leave_index(SMALL_DISTRIBUTION, 4, max_size=max_size)
    bag = [number for number, count in enumerate(SMALL_DISTRIBUTION.counts) for _ in range(count)]
    expected = {bytes(leave) for size in range(1, min(max_size, 3) + 1) for leave in combinations(bag, size)}
    assert list(index.leaves) == sorted(expected)
    assert index.find(index.rows).tolist() == list(range(len(expected)))
    assert index.sizes.tolist() == list(map(len, index.leaves))


def test_the_number_of_leaves_matches_the_published_number():
    assert len(leave_index(load_distribution("english"), 7, max_size=4).leaves) == 27 + 373 + 3509 + 25254


def test_many_samples_outweigh_the_prediction():
    index = leave_index(SMALL_DISTRIBUTION, 4)
    truth = np.array([sum(leave) + len(set(leave)) ** 2 for leave in index.leaves], dtype=np.float64)
    counts = np.full(len(truth), 1e9)
    assert estimate(index, truth * counts, counts, 400.0) == pytest.approx(truth, abs=1e-3)
    # If only single tiles have samples, values are additive.
    counts = np.where(index.sizes == 1, 1e9, 0.0)
    values = dict(zip(index.leaves, estimate(index, truth * counts, counts, 400.0), strict=True))
    for leave, value in values.items():
        assert value == pytest.approx(sum(values[bytes([tile])] for tile in leave))


def test_the_estimate_for_a_rare_leave_is_close_to_the_prediction():
    index = leave_index(SMALL_DISTRIBUTION, 4)
    counts = np.full(len(index.leaves), 1e6)
    rare_index = index.leaves.index(b"\1\1")
    counts[rare_index] = 1.0
    truth = np.array([float(len(leave)) for leave in index.leaves])
    truth[rare_index] = 100.0
    assert estimate(index, truth * counts, counts, 400.0)[rare_index] == pytest.approx(2.0, abs=0.1)


def test_a_leave_counts_once_for_each_way_to_pick_it_from_the_rack():
    progress = new_learner().initial_progress([1], 0, "")
    learner = new_learner()
    tiles = [0, 1, 1, 4]
    runner = learner._runner
    leaves = learner.leaves(progress)
    runner.find_best(tiles, Strategy(leaves), bag_count=10)
    add_to_leave_sums(
        runner.arrays.game,
        runner.buffers.rack,
        runner.buffers.paths,
        leaves.nodes,
        progress.sums,
        progress.sample_counts,
        2.5,
    )
    rack = Counter(tiles)
    for leave, total, sample_count in zip(
        learner.index.leaves, progress.sums, progress.sample_counts, strict=True
    ):
        ways = 1
        for tile, count in Counter(leave).items():
            ways *= comb(rack[tile], count)
        assert (sample_count, total) == (ways, ways * 2.5)


def test_learned_values_are_plausible():
    learner = new_learner()
    progress = learner.initial_progress([40, 120], 3, "x")
    while not progress.is_done:
        learner.continue_generation(progress, 50)
    leaves = learner.leaves(progress)
    values_by_letter = {
        letter: leaves.value([number])
        for letter, number in SMALL_DISTRIBUTION.machine_letters.items()
        if number >= 0
    }
    assert max(values_by_letter, key=values_by_letter.get) in "?S"
    assert min(values_by_letter, key=values_by_letter.get) == "Q", (
        "another tile is worth less than the Q, which is in no word"
    )
    assert values_by_letter["Q"] < -1000
    assert leaves.value([5, 5]) < leaves.value([5])
    assert progress.outcomes[0].sum() > 120 * 5
    unseen, leads = np.nonzero(progress.outcomes[0])
    assert unseen.max() <= SMALL_DISTRIBUTION.total - RULES.rack_size
    far_ahead = progress.outcomes[:, :, 340:].sum(axis=(1, 2))
    assert far_ahead[1] > 0.8 * far_ahead[0]
    assert len(leads)


def test_learning_resumed_from_a_file_gives_the_same_values():
    first, second = new_learner(), new_learner()
    uninterrupted_progress = first.initial_progress([3, 4], 9, "x")
    while not uninterrupted_progress.is_done:
        first.continue_generation(uninterrupted_progress, 100)
    initial = second.initial_progress([3, 4], 9, "x")
    resumed_progress = initial
    while not resumed_progress.is_done:
        second.continue_generation(resumed_progress, 1)
        resumed_progress = read_progress(
            progress_bytes(resumed_progress), second.initial_progress([3, 4], 9, "x")
        )
    assert np.array_equal(uninterrupted_progress.values, resumed_progress.values)
    assert np.array_equal(uninterrupted_progress.outcomes, resumed_progress.outcomes)
    assert (resumed_progress.generation, resumed_progress.games_played) == (2, 0)


@pytest.mark.parametrize(
    "initial",
    [
        new_learner().initial_progress([3, 5], 9, "x"),
        new_learner().initial_progress([3, 4], 8, "x"),
        new_learner().initial_progress([3, 4], 9, "y"),
        Learner(RULES, graph(), max_leave_size=2).initial_progress([3, 4], 9, "x"),
    ],
    ids=["games", "seed", "words", "leaves"],
)
def test_progress_of_another_training_run_is_refused(initial):
    data = progress_bytes(new_learner().initial_progress([3, 4], 9, "x"))
    with pytest.raises(LearningError, match=r"the file was written .*with a different --"):
        read_progress(data, initial)


def test_a_damaged_file_is_refused():
    initial = new_learner().initial_progress([3, 4], 9, "x")
    data = progress_bytes(initial)
    for broken_data in (b"", b"PK\3\4", data[:100], data[: len(data) // 2], b"\x93NUMPY", b"\x80\x04."):
        with pytest.raises(LearningError, match="training can't resume from this file"):
            read_progress(broken_data, initial)


def test_games_with_too_many_tiles_are_refused():
    big_rules = dataclasses.replace(
        RULES,
        distribution=LetterDistribution("many", (*SMALL_DISTRIBUTION.letters[:-1], Letter("Q", "q", 300, 1))),
    )
    with pytest.raises(LearningError, match="334 tiles"):
        Learner(big_rules, graph())


def test_leaves_have_no_value_before_the_first_game():
    learner = new_learner()
    assert not learner.leaves(learner.initial_progress([1], 0, "")).values.any()
