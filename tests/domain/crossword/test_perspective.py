"""A game as one player saw it."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain.crossword.game import Game
from bot.domain.crossword.notation_text import rack_text
from bot.domain.crossword.notations import gcg
from bot.domain.crossword.perspective import seen_by
from bot.domain.crossword.turn import ORDINARY

from .games import games

GAME = gcg.read(
    "#player1 a A\n#player2 b B\n>a: AEINRST 8D NASTIER +66 66\n>b: ABCDEFG -AB +0 0\n>a: EIQU 7H QI +26 92\n"
).value


def racks(game: Game, turn: int, seat: int) -> list[str]:
    return [rack_text(player.rack, game.rules.distribution) for player in seen_by(game, turn, seat).players]


@pytest.mark.parametrize(
    ("turn", "seat", "expected"),
    [
        (0, 0, ["AEINRST", ""]),
        (0, 1, ["", "ABCDEFG"]),
        (1, 0, ["EIQU", ""]),
        (1, 1, ["", "ABCDEFG"]),
        (2, 0, ["EIQU", ""]),
        (2, 1, ["", ""]),
        (3, 0, ["", ""]),
    ],
)
def test_the_own_rack_is_shown_and_no_other(turn, seat, expected):
    assert racks(GAME, turn, seat) == expected


def test_the_unseen_tiles_are_those_of_the_side():
    assert seen_by(GAME, 0, 1).unseen.total == 93
    assert seen_by(GAME, 1, 0).unseen.total == 100 - 7 - 4


def test_a_rack_beside_a_phony_is_not_told_while_it_lies():
    game = gcg.read(
        "#player1 a A\n#player2 b B\n>a: AEINRST 8D NASTIER +66 66\n>a: AEINRST -- -66 0\n>b: ABCDEFG - +0 0\n"
    ).value
    assert racks(game, 1, 0) == ["", ""]
    assert racks(game, 2, 0) == ["NASTIER", ""]


def test_there_are_only_the_moments_of_the_game():
    with pytest.raises(IndexError):
        seen_by(GAME, 4, 0)
    with pytest.raises(IndexError):
        seen_by(GAME, 0, 2)


@settings(max_examples=30, deadline=None)
@given(games(), st.data())
def test_no_rack_is_shown_that_its_player_does_not_hold(game, data):
    turn = data.draw(st.integers(0, len(game.turns)))
    seat = data.draw(st.integers(0, len(game.names) - 1))
    position = seen_by(game, turn, seat)
    open_ = game.position_at(turn)
    assert position.board == open_.board
    if position.is_over:
        assert position == open_
        return
    for other, player in enumerate(position.players):
        told = next(
            (t.rack for t in game.turns[turn:] if t.player == other and t.kind in ORDINARY and t.rack), None
        )
        if other != seat and player.rack:
            assert len(game.names) == 2, "who has two opponents cannot know the one's rack"
            assert told is None or Counter(told) <= Counter(player.rack)
            assert position.unseen.total == 0
