"""Times reading, replaying and writing a game in GCG."""

import itertools

import pytest

from bot.domain.crossword.notations import gcg
from bot.domain.reading.encoding import decode
from tests.domain.shared import SHARED, needs_corpus

pytestmark = [pytest.mark.bench, needs_corpus]

FILES = sorted((SHARED / "corpus/gcg").glob("*.gcg"))


@pytest.fixture(scope="module")
def data():
    return [content for path in FILES if (content := path.read_bytes())]


@pytest.fixture(scope="module")
def longest_game(data):
    return max((gcg.read(decode(content)[0]).value for content in data), key=lambda game: len(game.turns))


def test_reading_and_replaying_a_game(benchmark, data):
    repeated_contents = itertools.cycle(data)
    benchmark.pedantic(
        lambda content: gcg.read(decode(content)[0]),
        setup=lambda: ((next(repeated_contents),), {}),
        rounds=600,
    )


def test_listing_the_positions_of_a_game(benchmark, longest_game):
    assert len(benchmark(lambda: list(longest_game.positions()))) == len(longest_game.turns) + 1


def test_writing_a_game(benchmark, longest_game):
    assert benchmark(gcg.write, longest_game).startswith("#character-encoding")
