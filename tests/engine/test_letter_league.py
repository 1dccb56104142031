"""Letter League in the engine: plays by score, bingos that double the main word, and analyses that are refused."""

import random

import pytest

from bot.domain.crossword.position import Player, Position
from bot.domain.crossword.rules import default_rules, load_distribution, load_layout
from bot.engine.analysis import AnalysisError, AnalysisOptions
from bot.engine.endgame.pre_endgame import solve_pre_endgame
from bot.engine.endgame.solve import solve_endgame
from bot.engine.lexicon.builder import build_word_graph
from bot.engine.lexicon.leaves import NO_LEAVES
from bot.engine.plays.generate import find_plays
from bot.engine.plays.values import SortKey
from bot.engine.simulation.simulate import simulate
from tests.engine.lexica import lay_words, random_words
from tests.engine.naive_plays import naive_plays

RULES = default_rules(load_distribution("letter_league"), load_layout("LetterLeague"))


def random_position(seed: int) -> tuple[Position, frozenset[bytes]]:
    """Return a position and its lexicon. The seven letters of the rack make a word."""
    randomness = random.Random(seed)
    words = random_words(randomness, RULES.distribution, 8)
    letters = sorted({letter for word in words for letter in word})
    long_word = bytes(randomness.choices(letters, k=7))
    words |= {long_word, long_word + bytes(letters[:1])}
    board = lay_words(randomness, RULES, sorted(words), 3)
    return Position(RULES, board, (Player(0, tuple(long_word)), Player())), words


@pytest.mark.parametrize("seed", range(2))
def test_plays_match_the_naive_generator(seed):
    position, words = random_position(seed)
    graph = build_word_graph(sorted(words))
    found = find_plays(position, graph, top=None, by=SortKey.SCORE)
    assert set(found) == naive_plays(position, words, {})
    scores = [item.score for item in found]
    assert scores == sorted(scores, reverse=True)
    assert [play.score for play in find_plays(position, graph, top=5, by=SortKey.SCORE)] == scores[:5], (
        "a search for the best five plays gave other scores"
    )


def test_analyses_that_need_the_bag_are_refused():
    position, words = random_position(1)
    graph = build_word_graph(sorted(words))
    best = find_plays(position, graph, top=2, by=SortKey.SCORE)
    for analyze in (
        lambda: simulate(position, best, graph, NO_LEAVES, AnalysisOptions(iterations=1)),
        lambda: solve_endgame(position, graph),
        lambda: solve_pre_endgame(position, graph),
    ):
        with pytest.raises(AnalysisError) as caught:
            analyze()
        assert caught.value.code == "bag-not-known"
