"""The inferred leaves of an opponent, compared with a search of every possible rack."""

import math
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations, combinations_with_replacement

import pytest

from bot.domain.crossword.game import board_after, tiles_used
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import Coordinate, Direction, Exchange, Pass, Placement
from bot.domain.crossword.position import LastPlay, Player
from bot.engine.analysis import AnalysisOptions
from bot.engine.plays.generate import find_plays
from bot.engine.plays.values import RatedPlay
from bot.engine.simulation.inference import infer
from bot.engine.simulation.simulate import simulate
from tests.domain.crossword.games import with_unseen_tiles
from tests.domain.shared import needs_corpus
from tests.engine.shared import analyzed_positions, enable1_graph, enable1_leaves
from tests.positions import EMPTY_BOARD, LATE_BOARD

pytestmark = needs_corpus


def position_before_the_play(unseen: str, rack_size: int, board: str = LATE_BOARD):
    position = cgp.read(f"{board} AE/ 200/200 0").value
    numbers = position.rules.distribution.machine_letters
    position = with_unseen_tiles(position, tuple(numbers[tile] for tile in unseen))
    rules = replace(position.rules, rack_size=rack_size, min_bag_for_exchange=1, bingo_bonus=0)
    return replace(position, rules=rules)


def plays_of_rack(position, rack):
    opponents_position = replace(position, players=(Player(0, rack), Player(0, position.players[0].rack)))
    return find_plays(opponents_position, enable1_graph(), enable1_leaves(), top=None)


def possible_racks(position):
    counts = position.unseen.counts
    tiles = [tile for tile, count in enumerate(counts) for _ in range(count)]
    return Counter(tuple(sorted(rack)) for rack in combinations(tiles, position.rules.rack_size))


def position_after(position, rated: RatedPlay):
    play = rated.play
    board = board_after(position.board, play) if isinstance(play, Placement) else position.board
    return replace(position, board=board, last_play=LastPlay(play, score=rated.score))


@cache
def position_and_plays():
    position = position_before_the_play("AEIRSTOBDL", 4)
    return position, {rack: plays_of_rack(position, rack) for rack in sorted(possible_racks(position))}


def leave_after_exchange(position, rack, exchanged_count):
    """Return what the opponent keeps in an exchange, or None if another play is clearly better."""
    value_of = enable1_leaves().value
    leave = max(sorted(set(combinations(rack, len(rack) - exchanged_count))), key=value_of)
    opponents_position = replace(
        position, players=(Player(0, rack), Player(0, position.players[0].rack)), on_turn=0
    )
    best, *_ = find_plays(opponents_position, enable1_graph(), enable1_leaves(), top=1)
    return leave if value_of(leave) + 5000 >= best.equity else None


def assert_frequencies(leaves, expected):
    """Check the frequency of each leave. ``expected`` contains the number of racks with each leave."""
    counts = Counter(leaves)
    assert set(counts) <= set(expected)
    for leave, ways in expected.items():
        share = ways / expected.total()
        assert abs(counts[leave] / counts.total() - share) < 5 * (share / counts.total()) ** 0.5 + 0.01


@pytest.mark.parametrize("number", [45, 52, 78, 110])
def test_leaves_come_from_racks_for_which_the_play_is_nearly_best(number):
    position, plays_by_rack = position_and_plays()
    opponent_play = [item[0] for item in plays_by_rack.values() if item[0].leave and item[0].score][number]
    expected = Counter()
    for rack, ways in possible_racks(position).items():
        found = plays_by_rack[rack]
        same_play = [rated for rated in found if rated.play == opponent_play.play]
        if same_play and same_play[0].equity + 5000 >= found[0].equity:
            expected[same_play[0].leave] += ways
    inferred = infer(
        position_after(position, opponent_play),
        enable1_graph(),
        enable1_leaves(),
        max_racks=4000,
        max_leaves=4000,
    )
    assert inferred.drawn_count == 4000
    assert_frequencies(inferred.leaves, expected)
    assert set(inferred.leaves) == set(expected)


@pytest.mark.parametrize(
    ("unseen", "exchanged_count", "board"),
    [("QVVUUCIAEIRST?", 3, LATE_BOARD), ("QVVUUCIAEIRST", 1, EMPTY_BOARD)],
)
def test_leaves_are_inferred_from_an_exchange_of_unknown_tiles(unseen, exchanged_count, board):
    position = position_before_the_play(unseen, 4, board)
    expected = Counter()
    for rack, ways in possible_racks(position).items():
        expected[leave_after_exchange(position, rack, exchanged_count)] += ways
    del expected[None]
    exchanged = replace(position, last_play=LastPlay(Exchange((), exchanged_count), score=0))
    inferred = infer(exchanged, enable1_graph(), enable1_leaves(), max_racks=4000, max_leaves=4000)
    assert_frequencies(inferred.leaves, expected)
    assert all(len(leave) == 4 - exchanged_count for leave in inferred.leaves)


def position_after_exchange():
    """Return a position after an exchange that only one rack in eight thousand explains."""
    position = analyzed_positions()[51][0]
    players = tuple(
        player if seat == position.on_turn else Player() for seat, player in enumerate(position.players)
    )
    return replace(position, players=players, last_play=LastPlay(Exchange((), 2), score=0))


def test_after_an_exchange_leaves_are_as_frequent_as_their_racks():
    position = position_after_exchange()
    inferred = infer(position, enable1_graph(), enable1_leaves(), max_leaves=100, max_racks=2_000_000)
    assert len(inferred.leaves) >= 100
    expected, seen = Counter(), set()
    before = replace(position, last_play=None)
    pool = before.unseen.counts
    for leave in set(inferred.leaves):
        for exchanged in combinations_with_replacement(range(len(pool)), 2):
            rack = tuple(sorted((*leave, *exchanged)))
            ways = math.prod(math.comb(pool[tile], count) for tile, count in Counter(rack).items())
            if ways and rack not in seen:
                seen.add(rack)
                expected[leave_after_exchange(before, rack, 2)] += ways
    del expected[None]
    assert_frequencies(inferred.leaves, expected)


def test_inferred_leaves_explain_the_opponents_play():
    position, _ = analyzed_positions()[9]
    before_play = replace(position, players=(Player(0, position.players[1].rack), Player()))
    opponent_play = find_plays(before_play, enable1_graph(), enable1_leaves(), top=1)[0]
    assert isinstance(opponent_play.play, Placement)
    played = replace(position_after(position, opponent_play), players=(position.players[0], Player()))
    inferred = infer(played, enable1_graph(), enable1_leaves(), max_leaves=60)
    assert 60 <= len(inferred.leaves) < 100
    assert inferred.drawn_count > 10 * len(inferred.leaves), "too many racks explain the play"
    for leave in set(inferred.leaves):
        rack = tuple(sorted((*leave, *tiles_used(opponent_play.play))))
        best, *_ = find_plays(
            replace(before_play, players=(Player(0, rack), Player())),
            enable1_graph(),
            enable1_leaves(),
            top=1,
        )
        assert best.equity <= opponent_play.score * 1000 + enable1_leaves().value(leave) + 5000
    assert (
        infer(played, enable1_graph(), enable1_leaves(), max_racks=inferred.drawn_count, max_leaves=10**6)
        == inferred
    )


def test_a_withdrawn_phony_reveals_its_tiles():
    position = position_before_the_play("AEIRSTOBDLN", 4)
    phony = Placement(Coordinate(0, 0, Direction.ACROSS), (9, 18))
    withdrawn = replace(position, last_play=LastPlay(phony, withdrawn=True))
    assert infer(withdrawn, enable1_graph(), enable1_leaves()).leaves == ((9, 18),)
    impossible = Placement(Coordinate(0, 0, Direction.ACROSS), (26, 26))
    contradicted = replace(position, last_play=LastPlay(impossible, withdrawn=True))
    assert infer(contradicted, enable1_graph(), enable1_leaves()).leaves == ()


def test_nothing_is_inferred_without_an_informative_play_or_time():
    position = position_before_the_play("AEIRSTOBDLN", 4)
    opponent_play = plays_of_rack(position, min(possible_racks(position)))[0]
    played = position_after(position, opponent_play)
    play_off_the_board = Placement(Coordinate(40, 40, Direction.DOWN), (1, 2))
    for case in (
        position,
        replace(position, last_play=LastPlay(Pass())),
        replace(position, last_play=LastPlay(play_off_the_board)),
        replace(position, last_play=LastPlay(opponent_play.play)),
        replace(position, last_play=LastPlay(Exchange((), 0))),
        replace(position, last_play=LastPlay(Exchange((), position.rules.rack_size))),
        replace(position, last_play=LastPlay(Exchange((), 30))),
        replace(played, players=(played.players[0], Player(0, (1,)))),
        replace(played, players=(*played.players, Player())),
    ):
        assert infer(case, enable1_graph(), enable1_leaves()).leaves == ()
    assert infer(played, enable1_graph(), enable1_leaves(), cancelled=lambda: True).drawn_count == 0
    assert infer(played, enable1_graph(), enable1_leaves(), seconds=0).drawn_count == 0


def test_a_simulation_accepts_inferred_leaves():
    position, plays_by_rack = position_and_plays()
    opponent_play = list(plays_by_rack.values())[40][0]
    played = position_after(position, opponent_play)
    inferred = infer(played, enable1_graph(), enable1_leaves(), max_racks=500)
    assert infer(played, enable1_graph(), enable1_leaves(), max_racks=500) == inferred
    candidates = find_plays(played, enable1_graph(), enable1_leaves(), top=2)
    result = simulate(
        played,
        candidates,
        enable1_graph(),
        enable1_leaves(),
        AnalysisOptions(iterations=50, seconds=math.inf),
        threads=1,
        opponent_leaves=inferred.leaves,
    )
    assert {play.iterations for play in result.plays} == {50}
