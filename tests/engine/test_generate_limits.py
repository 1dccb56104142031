"""The play generator's limits, the games that it refuses, and its use by several threads."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from bot.domain.crossword.play import Exchange, Pass
from bot.domain.crossword.position import Board, Player, Position, empty_board
from bot.domain.crossword.rules import (
    Letter,
    LetterDistribution,
    default_rules,
    layout_of_rows,
    layout_of_size,
    load_distribution,
)
from bot.engine.analysis import AnalysisError, Stop, StoppedError, stop_after
from bot.engine.lexicon.leaves import NO_LEAVES
from bot.engine.plays.generate import find_and_count_plays, find_plays
from tests.domain.shared import needs_corpus
from tests.engine.shared import analyzed_positions, enable1_graph, enable1_leaves

pytestmark = needs_corpus


def english_position(rows: int, columns: int, rack: str, *, rack_size: int = 7) -> Position:
    rules = default_rules(load_distribution("english"), layout_of_size(rows, columns))
    tiles = tuple(rules.distribution.machine_letters[tile] for tile in rack)
    rules = replace(rules, rack_size=rack_size)
    return Position(rules, empty_board(rows, columns), (Player(0, tiles), Player()))


def crowded_squares(side: int, words: str) -> tuple[int, ...]:
    """Return squares with words and gaps in every fourth row."""
    row = [(ord(letter) - 64) if letter.isalpha() else 0 for letter in (words * side)[:side]]
    return tuple(tile for number in range(side) for tile in (row if number % 4 == 0 else [0] * side))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"variant": "wordsmog"}, "WordSmog"),
        ({"variant": "WordSmog_super"}, "WordSmog"),
        ({"rack_size": 21}, "racks of 21 tiles"),
        ({"rack_size": 0}, "racks of 0 tiles"),
        ({"bingo_bonus": 10**7}, "scores"),
        ({"distribution": LetterDistribution("big", (Letter("?", "?", 1, 0), *(Letter(f"A{n}", f"a{n}", 1, 1) for n in range(63))))}, "63 letters"),
        ({"distribution": LetterDistribution("rich", (Letter("?", "?", 1, 0), Letter("A", "a", 9, 10**6)))}, "scores"),
        ({"layout": layout_of_rows(("~" * 50,) * 50), "rack_size": 20, "distribution": LetterDistribution("rich", (Letter("?", "?", 1, 0), Letter("A", "a", 9, 9999)))}, "scores"),
    ],
    ids=str,
)  # fmt: skip
def test_unsupported_games_are_refused_with_the_reason(changes, reason):
    rules = replace(english_position(15, 15, "A").rules, **changes)
    layout = rules.layout
    position = Position(rules, empty_board(layout.rows, layout.columns), (Player(0, (1,)), Player()))
    with pytest.raises(AnalysisError, match=reason):
        find_plays(position, enable1_graph())


def test_plays_with_the_highest_allowed_scores_are_in_order():
    position = english_position(15, 15, "AEINRS?")
    letters = tuple(replace(letter, points=3_600) for letter in position.rules.distribution.letters)
    rules = replace(
        position.rules,
        distribution=LetterDistribution("rich", letters),
        layout=layout_of_rows(("~" * 15,) * 15),
        bingo_bonus=1_000_000,
    )
    position = replace(position, rules=rules)
    everything = tuple(find_plays(position, enable1_graph(), top=None))
    assert max(rated.score for rated in everything) > 400_000_000
    assert everything == tuple(find_plays(position, enable1_graph(), top=len(everything)))


def test_missing_and_overlong_racks_are_refused():
    with pytest.raises(AnalysisError, match="not known"):
        find_plays(english_position(15, 15, ""), enable1_graph())
    with pytest.raises(AnalysisError, match="21 tiles"):
        find_plays(english_position(15, 15, "A" * 21), enable1_graph())


def test_a_play_from_a_long_rack_lays_no_more_tiles_than_allowed():
    found = find_plays(english_position(15, 15, "AEINRSTOLD"), enable1_graph(), top=200)
    laid = max(sum(tile != 0 for tile in rated.play.tiles) for rated in found if hasattr(rated.play, "start"))
    assert laid == 7


def test_a_full_board_allows_only_exchanges_and_a_pass():
    position = english_position(15, 15, "AB")
    full_position = replace(position, board=Board(15, 15, (1,) * 225))
    assert {type(rated.play) for rated in find_plays(full_position, enable1_graph(), top=None)} == {
        Pass,
        Exchange,
    }
    walled_position = replace(
        position,
        rules=replace(position.rules, layout=layout_of_rows(("###", "#.#", "###"))),
        board=empty_board(3, 3),
    )
    assert {type(rated.play) for rated in find_plays(walled_position, enable1_graph(), top=None)} == {
        Pass,
        Exchange,
    }


@pytest.mark.parametrize(
    ("position", "top"),
    [
        (replace(english_position(15, 15, "???????"), board=Board(15, 15, crowded_squares(15, "CARE..ON.."))), 15),
        (replace(english_position(50, 50, "??AEIST"), board=Board(50, 50, crowded_squares(50, "CARE..ON..STONE...")) ), 15),
        (replace(english_position(50, 50, "?" * 20, rack_size=20), board=Board(50, 50, crowded_squares(50, "CARE..ON..STONE..."))), 15),
        (replace(english_position(15, 15, "?ABCDEFGHIJKLMNOPQRS", rack_size=20), board=Board(15, 15, crowded_squares(15, "CARE..ON.."))), 15),
    ],
    ids=["7 blanks", "50 by 50", "20 blanks, 50 by 50", "20 tiles"],
)  # fmt: skip
def test_plays_are_found_in_hostile_positions(position, top):
    found = find_plays(position, enable1_graph(), enable1_leaves(), top=top)
    assert len(found) == top
    assert [rated.equity for rated in found] == sorted((rated.equity for rated in found), reverse=True)


def test_a_search_is_stopped_from_another_thread():
    board = Board(50, 50, crowded_squares(50, "CARE..ON..STONE..."))
    position = replace(english_position(50, 50, "??????????ABCDEFGHIJ", rack_size=20), board=board)
    find_plays(english_position(15, 15, "A"), enable1_graph())
    started = time.process_time()
    with stop_after(0.05) as stop, pytest.raises(StoppedError):
        find_and_count_plays(position, enable1_graph(), stop=stop)
    assert stop.is_set
    assert time.process_time() - started < 20  # without the stop, it would take minutes
    with stop_after(60) as late_stop:
        assert (
            find_and_count_plays(english_position(15, 15, "A"), enable1_graph(), stop=late_stop)[1].placements
            == 0
        )
    assert not late_stop.is_set
    stopped = Stop()
    stopped.set()
    with pytest.raises(StoppedError):
        find_and_count_plays(position, enable1_graph(), stop=stopped)


def test_a_list_of_too_many_plays_is_refused(monkeypatch):
    monkeypatch.setattr("bot.engine.plays.generate.MAX_PLAYS", 300)
    monkeypatch.setattr("bot.engine.plays.generate._INITIAL_SLOT_COUNT", 20)
    position, expected = analyzed_positions()[0]
    assert len(find_plays(position, enable1_graph(), top=None)) == len(expected)
    position, expected = analyzed_positions()[3]
    assert len(expected) > 300
    with pytest.raises(AnalysisError, match="more than 300 plays"):
        find_plays(position, enable1_graph(), top=None)


def test_threads_do_not_disturb_each_other():
    positions = [position for position, _ in analyzed_positions()[:12]] + [
        english_position(50, 50, "AEINST?")
    ]
    sequential_results = [
        find_plays(position, enable1_graph(), enable1_leaves())[:] for position in positions
    ]
    with ThreadPoolExecutor(4) as executor:
        concurrent_results = list(
            executor.map(
                lambda position: find_plays(position, enable1_graph(), enable1_leaves())[:], positions * 5
            )
        )
    assert concurrent_results == sequential_results * 5


def test_a_first_play_may_go_down_on_an_asymmetric_layout():
    symmetric_position = english_position(15, 15, "CAT")
    assert {
        rated.play.start.direction.value
        for rated in find_plays(symmetric_position, enable1_graph(), NO_LEAVES, top=None)
        if hasattr(rated.play, "start")
    } == {"across"}
    rows = [list("." * 7) for _ in range(7)]
    rows[2][3] = "="
    asymmetric_layout = layout_of_rows(tuple("".join(row) for row in rows))
    position = replace(
        symmetric_position,
        rules=replace(symmetric_position.rules, layout=asymmetric_layout),
        board=empty_board(7, 7),
    )
    best = find_plays(position, enable1_graph(), NO_LEAVES, top=1)[0]
    assert best.play.start.direction.value == "down"
    assert best.score == 15
