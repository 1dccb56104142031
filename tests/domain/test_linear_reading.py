"""Detecting notations and locating problems take linear time on any text."""

import pytest

from bot.domain.notations import detect_whole
from bot.domain.reading.problems import location
from tests.domain.growth import find_superlinear_growth


@pytest.mark.parametrize("unit", ["`", "cgp ", "load ", "/", "a/", "`/", "1/"])
def test_detection_takes_linear_time(unit):
    assert not find_superlinear_growth(detect_whole, lambda size: (unit * size)[:size], 250)
    assert not find_superlinear_growth(detect_whole, lambda size: (unit * size)[:size], 5_000)


def test_every_location_in_a_long_text_is_correct():
    lines = ["", "a", "\r", "bc" * 40, "é"] * 40
    text = "\n".join(lines)
    assert len(text) > 2_000
    for offset in range(len(text) + 2):
        before = text[:offset]
        assert location(text, offset) == (before.count("\n") + 1, offset - before.rfind("\n"))


def test_locating_many_offsets_takes_linear_time():
    def locate(text):
        for offset in range(0, len(text), 10):
            location(text, offset)

    assert not find_superlinear_growth(locate, lambda size: "a b\n" * (size // 4), 50_000)
