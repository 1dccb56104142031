"""The unseen tiles, the bag, the end of a game, and the order of the players."""

from dataclasses import replace

from hypothesis import given

from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import Pass
from bot.domain.crossword.position import LastPlay
from tests.domain.crossword.strategies import positions
from tests.positions import EMPTY_BOARD


def test_the_bag_does_not_contain_hidden_racks():
    assert cgp.read(f"{EMPTY_BOARD} / 0/0 0").value.bag_count == 86
    assert cgp.read(f"{EMPTY_BOARD} ABC/ 0/0 0").value.bag_count == 86
    assert cgp.read(f"{EMPTY_BOARD} ABCDEFG/HIJ 0/0 0").value.unseen.total == 90


def test_tiles_beyond_the_set_are_counted():
    position = cgp.read(f"{EMPTY_BOARD} ZZ/ 0/0 0").value
    assert position.unseen.overdrawn_letters == (26,)
    assert position.unseen.excess == 1
    assert position.unseen.total == 99


def test_scoreless_turns_end_a_game():
    assert not cgp.read(f"{EMPTY_BOARD} / 0/0 5").value.is_over
    assert cgp.read(f"{EMPTY_BOARD} / 0/0 6").value.is_over
    assert cgp.read(f"{EMPTY_BOARD} / 0/0 4 mcnz 4;").value.is_over


@given(positions())
def test_the_player_to_move_comes_first(position):
    reordered = position.mover_first()
    assert reordered.on_turn == 0
    assert reordered.players[0] == position.players[position.on_turn]
    assert reordered.unseen == position.unseen
    assert reordered.mover_first() is reordered
    assert hash(reordered) == hash(position.mover_first())


def test_reordering_players_adjusts_the_seat_of_the_last_play():
    position = cgp.read(f"{EMPTY_BOARD} A/B/C 1/2/3 0").value
    position = replace(position, on_turn=2, last_play=LastPlay(Pass(), seat=1))
    last_play = position.mover_first().last_play
    assert last_play is not None
    assert last_play.seat == 2
