"""The positions in a game at each turn. Games can be compared, hashed and pickled."""

import pickle
from dataclasses import replace

import pytest
from hypothesis import given, settings

from bot.domain.crossword.game import Game
from bot.domain.crossword.notations import gcg
from bot.domain.crossword.play import (
    Exchange,
    Pass,
    PlayerName,
    ShownRack,
    Turn,
    TurnKind,
)
from bot.domain.crossword.rules import (
    Letter,
    LetterDistribution,
    default_rules,
    load_layout,
)
from tests.domain.crossword.games import ENGLISH, RULES, final_racks, games, placement, tiles

NAMES = (PlayerName("alice", "Alice A."), PlayerName("bob", ""))


def placement_turn(seat, rack, coordinate, word, score=10, cumulative=10):
    play = placement(coordinate, word)
    return Turn(seat, TurnKind.PLAY, tiles(rack), play=play, score=score, cumulative=cumulative)


OPENING = placement_turn(0, "ABDELRW", "8D", "WARBLED", 84, 84)
WITHDRAWN = Turn(0, TurnKind.PHONY_WITHDRAWN, score=-84)


def test_the_position_at_the_start_has_the_first_rack():
    game = Game(RULES, NAMES, (OPENING,))
    position = game.position_at(0)
    assert position.on_turn == 0
    assert position.players[0].rack == tiles("ABDELRW")
    assert [player.name for player in position.players] == ["Alice A.", "bob"]
    assert position.last_play is None
    assert position.board.tile_count == 0


def test_the_position_after_a_play_has_the_last_play():
    position = Game(RULES, NAMES, (OPENING, placement_turn(1, "EE", "D8", ".EE")), game_id="x").position_at(1)
    assert position.on_turn == 1
    assert position.players[1].rack == tiles("EE")
    assert position.players[0].rack == ()
    assert position.last_play.play == OPENING.play
    assert (position.last_play.score, position.last_play.seat) == (84, 0)
    assert position.game_id == "x"


@pytest.mark.parametrize("turn", [-1, 2])
def test_a_turn_out_of_range_raises_an_index_error(turn):
    with pytest.raises(IndexError, match="the last turn is 1"):
        Game(RULES, NAMES, (OPENING,)).position_at(turn)


def test_withdrawn_tiles_stay_known_until_played_or_exchanged():
    game = Game(
        RULES,
        NAMES,
        (
            OPENING,
            WITHDRAWN,
            placement_turn(1, "HI", "8G", "HI"),
            placement_turn(0, "ABDELRW", "9F", "WAR", 20, 20),
            placement_turn(1, "OX", "F9", ".OX"),
            Turn(0, TurnKind.EXCHANGE, play=Exchange(unknown_count=2), cumulative=20),
            Turn(1, TurnKind.PASS, play=Pass(), cumulative=10),
        ),
    )
    racks = [position.players[0].rack for position in game.positions()]
    assert sorted(racks[2]) == sorted(tiles("WARBLED"))
    assert sorted(racks[4]) == sorted(tiles("BLED"))
    assert sorted(racks[5]) == sorted(tiles("BLED"))
    assert racks[6] == ()


def test_consecutive_scoreless_turns_are_counted():
    passes = [Turn(seat % 2, TurnKind.PASS, play=Pass()) for seat in range(3)]
    game = Game(
        RULES,
        NAMES,
        (
            passes[0],
            Turn(1, TurnKind.EXCHANGE, play=Exchange(unknown_count=1)),
            OPENING,
            WITHDRAWN,
            passes[1],
            replace(OPENING, cumulative=84),
            Turn(0, TurnKind.CHALLENGE_BONUS, score=5, cumulative=89),
            passes[1],
        ),
    )
    assert [position.scoreless_turns for position in game.positions()] == [0, 1, 2, 0, 3, 4, 0, 0, 1]


def test_the_last_rack_has_all_unseen_tiles():
    small_distribution = replace(
        ENGLISH,
        name="small",
        letters=tuple(
            replace(letter, count=1 if letter.text in "ABCDEFGH" else 0) for letter in ENGLISH.letters
        ),
    )
    rules = replace(RULES, distribution=small_distribution, rack_size=4)
    game = Game(
        rules,
        NAMES,
        (
            placement_turn(0, "ABCD", "8G", "AB"),
            placement_turn(1, "EFGH", "G8", ".EFGH"),
            Turn(1, TurnKind.END_RACK_POINTS, counted_tiles=tiles("CD")),
        ),
    )
    positions = list(game.positions())
    assert [player.rack for player in positions[0].players] == [tiles("ABCD"), tiles("EFGH")]
    assert [player.rack for player in positions[1].players] == [tiles("CD"), tiles("EFGH")]
    assert [player.rack for player in positions[2].players] == [tiles("CD"), ()]
    assert not positions[1].is_over
    assert positions[2].is_over
    assert positions[3].is_over


@pytest.mark.parametrize(("counted", "inferred"), [("OS", ""), ("BO", "BBBBBIO"), ("BBBBBIO", "BBBBBIO")])
def test_no_inferred_rack_contradicts_later_turns(counted, inferred):
    distribution = LetterDistribution(
        "own",
        (
            Letter("?", "?", 0, 0),
            *(Letter(x, x.lower(), n, 1) for x, n in zip("ABIOS", (7, 5, 1, 1, 0), strict=True)),
        ),
    )
    numbers = distribution.machine_letters
    turns = (
        Turn(0, TurnKind.PASS, (numbers["A"],) * 7, play=Pass()),
        Turn(1, TurnKind.PASS, play=Pass()),
        Turn(1, TurnKind.END_RACK_PENALTY, counted_tiles=tuple(numbers[x] for x in counted)),
    )
    game = Game(default_rules(distribution, load_layout("CrosswordGame")), NAMES, turns)
    rack = game.position_at(0).players[1].rack
    assert "".join(distribution.text(tile) for tile in rack) == inferred


def test_racks_shown_between_turns_are_in_the_position():
    game = Game(
        RULES, NAMES, (OPENING,), shown_racks=(ShownRack(1, 0, tiles("XY")), ShownRack(1, 1, tiles("Z")))
    )
    assert [player.rack for player in game.position_at(1).players] == [tiles("XY"), tiles("Z")]
    assert game.position_at(0).players[1].rack == ()
    assert final_racks(game) == (tiles("XY"), tiles("Z"))


def test_players_may_move_out_of_order():
    game = Game(RULES, NAMES, (OPENING, placement_turn(0, "EE", "D8", ".EE")))
    assert [position.on_turn for position in game.positions()] == [0, 0, 1]


def test_games_are_hashable_and_can_be_pickled():
    game = Game(RULES, NAMES, (OPENING, WITHDRAWN))
    assert hash(game) == hash(pickle.loads(pickle.dumps(game)))
    assert pickle.loads(pickle.dumps(game)) == game


@pytest.mark.parametrize(
    "make",
    [
        lambda: Game(RULES, ()),
        lambda: Game(RULES, NAMES * 5),
        lambda: Game(RULES, NAMES[:1], (placement_turn(1, "AB", "8H", "AB"),)),
        lambda: Game(RULES, NAMES, (), shown_racks=(ShownRack(0, 2, ()),)),
    ],
)
def test_a_game_with_the_wrong_players_cannot_be_created(make):
    with pytest.raises(ValueError, match="player"):
        make()


@pytest.mark.parametrize(
    ("kind", "wrong_play"),
    [
        (TurnKind.PLAY, None),
        (TurnKind.PLAY, Pass()),
        (TurnKind.PASS, Exchange()),
        (TurnKind.TIME_PENALTY, Pass()),
    ],
)
def test_a_turn_with_the_wrong_kind_of_play_cannot_be_created(kind, wrong_play):
    with pytest.raises(TypeError):
        Turn(0, kind, play=wrong_play)


@given(games())
@settings(max_examples=25)
def test_no_position_has_more_tiles_than_the_set(game):
    for turn, position in zip(game.turns, game.positions(), strict=False):
        assert position.unseen.excess == 0
        assert len(position.players) == len(game.names)
        if turn.play is not None:
            assert position.on_turn == turn.seat
            assert position.players[turn.seat].rack == turn.rack
    for player in game.position_at(len(game.turns)).players:
        assert len(player.rack) <= game.rules.rack_size


@given(games())
@settings(max_examples=25)
def test_inferred_racks_are_correct(game):
    positions = list(game.positions())
    for number, position in enumerate(positions):
        if number < len(game.turns) and game.turns[number].kind is TurnKind.PHONY_WITHDRAWN:
            continue  # no tiles are drawn for a phony that will be withdrawn
        for seat, player in enumerate(position.players):
            next_turn = next((turn for turn in game.turns[number:] if turn.seat == seat and turn.play), None)
            if next_turn is not None and seat != position.on_turn:
                assert not [
                    tile for tile in set(player.rack) if player.rack.count(tile) > next_turn.rack.count(tile)
                ]


def test_a_position_after_hundreds_of_turns_is_computed():
    text = "#player1 a A\n#player2 b B\n" + "".join(
        f">{'ab'[turn % 2]}: ABC - +0 0\n#rack1 ABC\n" for turn in range(900)
    )
    game = gcg.read(text).value
    assert game.position_at(900).scoreless_turns == 900
