"""GCG held to games that nobody chose."""

import re

from hypothesis import given, settings

from bot.domain.formats import gcg
from bot.domain.turn import TurnKind
from tests.domain.games import games


@given(games())
@settings(max_examples=60)
def test_round_trip(game):
    text = gcg.write(game)
    reading = gcg.read(text)
    assert reading.error is None
    assert reading.warnings == ()
    assert reading.value == game
    assert gcg.write(reading.value) == text
    assert gcg.read(gcg.decode(text.encode())[0]).value == game


# What the strictest readers take, line by line: those of macondo and MAGPIE, as their sources tell.
NICK = r">\S+:\s+"
STRICT = [
    re.compile(pattern)
    for pattern in (
        rf"{NICK}\S+\s+[0-9A-Za-z]+\s+[^\s()|\[\]]+\s+\+\d+\s+-?\d+",
        rf"{NICK}\S+\s+-\s+\+0\s+-?\d+",
        rf"{NICK}\S+\s+-[^\s-]\S*\s+\+0\s+-?\d+",
        rf"{NICK}\S+\s+--\s+-\d+\s+-?\d+",
        rf"{NICK}\S*\s+\(challenge\)\s+\+\d+\s+-?\d+",
        rf"{NICK}\([^\s()]+\)\s+\+\d+\s+-?\d+",
        rf"{NICK}\S+\s+\([^\s()]+\)\s+-\d+\s+-?\d+",
        rf"{NICK}\S*\s+\(time\)\s+-\d+\s+-?\d+",
    )
]
HEADER = re.compile(
    r"#(player[1-8] \S+ \S.*|title .+|description .+|id \S+ \S+|lexicon .+|game-type \w+|board-layout \w+|"
    r"tile-distribution \w+|tile-set .*|weather|incomplete|note .+|comment .+|tile \S+ \S+)"
)


@given(games())
@settings(max_examples=40)
def test_the_strictest_readers_take_every_line(game):
    lines = gcg.write(game).split("\n")
    assert lines[0] == "#character-encoding UTF-8"
    assert lines.pop() == ""
    events = [line for line in lines if line.startswith(">")]
    first_event = lines.index(events[0]) if events else len(lines)
    separated = any(len(letter.blank_text) > 1 for letter in game.rules.distribution.letters)
    for line in lines[1:first_event]:
        assert HEADER.fullmatch(line) or re.fullmatch(r"#rack\d \S+", line)
    for line in events:
        assert separated or any(pattern.fullmatch(line) for pattern in STRICT), line
    for line in lines[first_event:]:
        assert line.startswith((">", "#note ", "#comment ", "#rack"))


@given(games(finished=True))
@settings(max_examples=15)
def test_a_finished_game_is_over_at_its_end(game):
    last = game.position_at(len(game.turns))
    assert last.is_over or len(game.names) > 2
    for turn, position in zip(game.turns, game.positions(), strict=False):
        ended = turn.kind in {TurnKind.END_RACK_POINTS, TurnKind.END_RACK_PENALTY}
        assert not ended or position.is_over or len(game.names) > 2
        assert position.unseen.excess == 0
