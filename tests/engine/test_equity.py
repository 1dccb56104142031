"""Static equity of single plays, compared with the equity from the play generator."""

import pytest

from bot.domain.crossword.play import THROUGH, Coordinate, Direction, Exchange, Placement
from bot.domain.reading.problems import RuleError
from bot.engine.plays.equity import rate
from bot.engine.plays.generate import find_plays
from tests.domain.shared import needs_corpus
from tests.engine.shared import analyzed_positions, enable1_graph, enable1_leaves

pytestmark = needs_corpus


def test_rating_a_single_play_matches_the_generator():
    for position, _ in analyzed_positions()[::7]:
        for rated in find_plays(position, enable1_graph(), enable1_leaves(), top=60):
            assert rate(position, rated.play, enable1_leaves()) == rated


def test_adjacent_tiles_on_the_board_become_part_of_the_word():
    position, _ = analyzed_positions()[1]
    complete_play = next(
        rated
        for rated in find_plays(position, enable1_graph(), enable1_leaves(), top=None)
        if isinstance(rated.play, Placement) and rated.play.tiles[-1] == THROUGH and rated.play.tiles[0]
    )
    start, tiles = complete_play.play.start, complete_play.play.tiles
    while tiles[-1] == THROUGH:
        tiles = tiles[:-1]
    assert rate(position, Placement(start, tiles), enable1_leaves()) == complete_play


@pytest.mark.parametrize(
    "play",
    [
        Placement(Coordinate(0, 0, Direction.ACROSS), (4, 9)),
        Placement(Coordinate(40, 0, Direction.ACROSS), (4, 9)),
        Exchange((26,)),
        Exchange((4,) * 8),
    ],
)
def test_illegal_plays_are_not_rated(play):
    position, _ = analyzed_positions()[1]
    with pytest.raises(RuleError):
        rate(position, play, enable1_leaves())
