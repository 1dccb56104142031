"""Work on a text grows with its length and no faster, whatever stands in it."""

import pytest

from bot.notations import whole_text
from tests.growth import blow_up


@pytest.mark.parametrize("unit", ["`", "cgp ", "load ", "/", "a/", "`/", "1/"])
def test_asking_what_is_meant_costs_what_the_text_is_long(unit):
    assert not blow_up(whole_text, lambda size: (unit * size)[:size], 250)
    assert not blow_up(whole_text, lambda size: (unit * size)[:size], 5_000)
