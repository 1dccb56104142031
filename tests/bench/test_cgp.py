"""Times reading and writing a CGP."""

import pytest

from bot.domain.crossword.notations import cgp
from tests.positions import MAVEN

pytestmark = pytest.mark.bench


def test_reading_a_cgp(benchmark):
    assert benchmark(cgp.read, MAVEN).warnings == ()


def test_writing_a_cgp(benchmark):
    position = cgp.read(MAVEN).value
    assert benchmark(cgp.write, position) == MAVEN
