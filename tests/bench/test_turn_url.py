"""Times reading, replaying, writing and finding Turn URLs."""

import pytest

from bot.domain.crossword.notations import turn_url

pytestmark = pytest.mark.bench

HISTORY = (
    "https://jtobey.github.io/sw/#gid=g1&pid=1&v=1&bag=en&tn=1&wl=6.7&wv=EAI&wl=7.7&wh=AEETEBI&wl=8.11&wh=ANA&wl=7.11"
    "&wv=EAM&wl=7.11&wv=EAMPTERU&ex=0.6&wl=7.6&wv=ES&wl=13.11&wh=REOS&wl=8.11&wh=ANAS&ex=0.1.2.3.4.5.6&wl=9.11&wh=MDO"
    "&wl=6.5&wv=DAE&wl=7.10&wv=TUSERI&wl=5.4&wv=GCESP&wl=5.12&wv=HNBNDA&wl=13.13&wv=OQ&wl=0.7&wv=FGENRIEAIA&wl=2.3"
    "&wv=CTSL&wl=9.4&wh=PRHAU&wl=4.2&wv=DTS&wl=1.14&bt=0&wv=QROTOIIS&ex=&ex=0.1&ex=&wl=3.8&wv=IOLZE&wl=7.6&wv=ESHNX"
    "&wl=6.0&wh=TRSWCDKEZJ&wl=13.7&wh=VCLBREOS&wl=2.1&wh=SLCIAGER&wl=2.1&wh=SLCIAGERN&wl=9.9&wv=SMCML&wl=1.12"
    "&wv=NLEYHNBNDAU&wl=5.12&wh=HOO"
)
CHAT = "we could meet at ten, id=17 & tn is what? " * 40


def read_and_replay(text):
    return turn_url.replay(turn_url.read(text).value)


def test_reading_a_turn_url(benchmark):
    assert len(benchmark(turn_url.read, HISTORY).value.turns) == 33


def test_reading_and_replaying_a_turn_url(benchmark):
    """The target for 33 turns is 2 ms."""
    assert benchmark(read_and_replay, HISTORY).value.is_over


def test_writing_a_turn_url(benchmark):
    value = turn_url.read(HISTORY).value
    assert benchmark(turn_url.write, value) == HISTORY


def test_searching_chat_without_a_turn_url(benchmark):
    assert benchmark(lambda: list(turn_url.find(CHAT))) == []


def test_finding_a_turn_url(benchmark):
    text = f"{CHAT} your turn: {HISTORY}."
    assert len(benchmark(lambda: list(turn_url.find(text)))) == 1
