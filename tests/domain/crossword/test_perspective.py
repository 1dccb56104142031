"""A game as one player saw it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings, strategies as st

from bot.domain.crossword.game import Game, position_seen_by, tiles_used
from bot.domain.crossword.notations import gcg
from bot.domain.crossword.play import ORDINARY_KINDS, Placement, PlayerName, Turn, TurnKind
from bot.domain.crossword.play_text import rack_text
from tests.domain.crossword.games import RULES, SimulatedGame, games

GAME = gcg.read(
    "#player1 a A\n#player2 b B\n>a: AEINRST 8D NASTIER +66 66\n>b: ABCDEFG -AB +0 0\n>a: EIQU 7H QI +26 92\n"
).value


def racks_seen_by(game: Game, moment: int, seat: int) -> list[str]:
    players = position_seen_by(game, moment, seat).players
    return [rack_text(player.rack, game.rules.distribution) for player in players]


@pytest.mark.parametrize(
    ("moment", "seat", "expected"),
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
def test_only_the_players_own_rack_is_shown(moment, seat, expected):
    assert racks_seen_by(GAME, moment, seat) == expected


def test_the_unseen_tiles_exclude_the_players_own_rack():
    assert position_seen_by(GAME, 0, 1).unseen.total == 93
    assert position_seen_by(GAME, 1, 0).unseen.total == 100 - 7 - 4


def test_a_rack_is_hidden_until_the_phony_is_withdrawn():
    game = gcg.read(
        "#player1 a A\n#player2 b B\n>a: AEINRST 8D NASTIER +66 66\n>a: AEINRST -- -66 0\n>b: ABCDEFG - +0 0\n"
    ).value
    assert racks_seen_by(game, 1, 0) == ["", ""]
    assert racks_seen_by(game, 2, 0) == ["NASTIER", ""]


def test_a_missing_moment_or_seat_raises_an_index_error():
    with pytest.raises(IndexError):
        position_seen_by(GAME, 4, 0)
    with pytest.raises(IndexError):
        position_seen_by(GAME, 0, 2)


def test_the_rack_of_a_phony_is_known_when_the_bag_is_empty():
    """The phony's tile is on the board and, after the withdrawal, back on the rack."""
    game = game_with_a_late_phony()
    moment = max(n for n, turn in enumerate(game.turns) if turn.kind is TurnKind.PHONY_WITHDRAWN)
    phony_seat = game.turns[moment].seat
    rack_before, rack_after = (
        position_seen_by(game, n, 1 - phony_seat).players[phony_seat].rack for n in (moment, moment + 1)
    )
    assert len(rack_before) == len(rack_after) - 1
    assert Counter(rack_after) == Counter(rack_before) + tiles_to_return(game.turns, moment, phony_seat)


def game_with_a_late_phony() -> Game:
    for seed in range(2000):
        simulated = SimulatedGame(RULES, 2, random.Random(seed), must_name_exchanged_tiles=True)
        seat = 0
        while not simulated.is_over:
            was_bag_empty = not simulated.bag
            simulated.step(seat)
            if (
                was_bag_empty
                and tiles_to_return(simulated.turns, len(simulated.turns) - 1, seat).total() == 1
            ):
                simulated.step(1 - seat)
                names = PlayerName("alice", "Alice"), PlayerName("bob", "Bob")
                return Game(RULES, names, tuple(simulated.turns), incomplete=True)
            seat = 1 - seat
    raise AssertionError("no such game")


def tiles_to_return(turns: Sequence[Turn], moment: int, seat: int) -> Counter[int]:
    """Count the tiles of a phony that ``seat`` is about to withdraw."""
    if moment == len(turns):
        return Counter()
    turn = turns[moment]
    if turn.kind is not TurnKind.PHONY_WITHDRAWN or turn.seat != seat:
        return Counter()
    phony = turns[moment - 1].play
    assert isinstance(phony, Placement)
    return Counter(tiles_used(phony))


@settings(max_examples=30, deadline=None)
@given(games(), st.data())
def test_every_shown_rack_is_correct(game, data):
    moment = data.draw(st.integers(0, len(game.turns)))
    seat = data.draw(st.integers(0, len(game.names) - 1))
    position = position_seen_by(game, moment, seat)
    public_position = game.position_at(moment)
    assert position.board == public_position.board
    if position.is_over:
        assert position == public_position
        return
    for player_seat, player in enumerate(position.players):
        rack = next(
            (
                t.rack
                for t in game.turns[moment:]
                if t.seat == player_seat and t.kind in ORDINARY_KINDS and t.rack
            ),
            None,
        )
        if player_seat != seat and player.rack:
            assert len(game.names) == 2, "a rack is shown, although no rack can be deduced with two opponents"
            assert rack is None or Counter(rack) <= Counter(player.rack) + tiles_to_return(
                game.turns, moment, player_seat
            )
            assert position.unseen.total == 0
