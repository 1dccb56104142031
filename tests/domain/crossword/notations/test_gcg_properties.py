"""Property tests of GCG with random games."""

from hypothesis import given, settings

from bot.domain.crossword.notations import gcg
from bot.domain.crossword.play import TurnKind
from bot.domain.reading.encoding import decode
from tests.domain.crossword.games import games
from tests.domain.crossword.notations.test_round_trips import without_inferred_racks


@given(games())
@settings(max_examples=60)
def test_a_random_game_round_trips(game):
    text = gcg.write(game)
    reading = gcg.read(text)
    assert reading.error is None
    assert reading.warnings == ()
    assert without_inferred_racks(reading.value, game) == game
    assert gcg.write(reading.value) == text
    assert gcg.read(decode(text.encode())[0]).value == reading.value


@given(games(finished=True))
@settings(max_examples=15)
def test_a_finished_game_is_over_at_its_end(game):
    last_position = game.position_at(len(game.turns))
    assert last_position.is_over or len(game.names) > 2
    for turn, position in zip(game.turns, game.positions(), strict=False):
        counts_tiles = turn.kind in {TurnKind.END_RACK_POINTS, TurnKind.END_RACK_PENALTY}
        assert not counts_tiles or position.is_over or len(game.names) > 2
        assert position.unseen.excess == 0
