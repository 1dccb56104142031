"""Times reading and writing a CGP."""

import pytest

from bot.domain.crossword.notations import cgp

pytestmark = pytest.mark.bench

POSITION = (
    "5BERGS5/4PA3U5/2QAID3R5/3BEE3F2S2/1P1ET2VIATIC2/MA1TAW3c2H2/ES3IS2E2A2/AT1FOLIA4V2/LI1L1EX1E6/1N1O1D2N2Y3/"
    "1GNU2C1JETE3/2ER2OHO2N3/2O3GOY6/1INDOW1U7/4DORR7 IKLMTZ/AEINRU? 0/0 0 lex OSPD1;"
)


def test_read(benchmark):
    assert benchmark(cgp.read, POSITION).warnings == ()


def test_write(benchmark):
    position = cgp.read(POSITION).value
    assert benchmark(cgp.write, position) == POSITION
