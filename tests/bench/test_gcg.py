"""Times reading, replaying, scoring, drawing and writing a game."""

import itertools

import pytest

from bot.domain.crossword.notations import gcg
from bot.domain.reading.encoding import decode
from tests.domain.shared import SHARED, needs_corpus

pytestmark = [pytest.mark.bench, needs_corpus]

FILES = sorted((SHARED / "corpus/gcg").glob("*.gcg"))


@pytest.fixture
def data():
    return [content for path in FILES if (content := path.read_bytes())]


def test_read_and_replay(benchmark, data):
    """Decode, replay and score one file of the corpus after another."""
    rounds = itertools.cycle(data)
    benchmark.pedantic(
        lambda content: gcg.read(decode(content)[0]), setup=lambda: ((next(rounds),), {}), rounds=600
    )


def test_positions(benchmark, data):
    """List all positions of a whole game."""
    game = max((gcg.read(decode(content)[0]).value for content in data), key=lambda game: len(game.turns))
    assert len(benchmark(lambda: list(game.positions()))) == len(game.turns) + 1


def test_write(benchmark, data):
    game = max((gcg.read(decode(content)[0]).value for content in data), key=lambda game: len(game.turns))
    assert benchmark(gcg.write, game).startswith("#character-encoding")
