"""The pre-endgame solver, compared with an exhaustive search over every possible bag."""

import math
import threading
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import combinations, permutations
from math import factorial

import pytest
from hypothesis import given, settings, strategies as st

from bot.domain.crossword.game import board_after, remove_tiles, tiles_used
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import Exchange, Pass, Placement
from bot.domain.crossword.position import Player, Position, empty_board, unseen_tiles
from bot.domain.crossword.rules import default_rules, layout_of_size, load_distribution
from bot.engine.analysis import AnalysisError, StoppedError
from bot.engine.endgame import outcomes, pre_endgame, rounds, search as endgame_search
from bot.engine.endgame.draws import MAX_DRAWS, Draw
from bot.engine.endgame.outcomes import Candidate, Table
from bot.engine.endgame.pre_endgame import solve_pre_endgame
from bot.engine.endgame.result import PreEndgameResult
from bot.engine.endgame.solve import solve_endgame
from bot.engine.lexicon.builder import build_word_graph
from tests.domain.shared import needs_corpus
from tests.engine.endgame_oracle import Oracle, small_endings
from tests.engine.shared import enable1_graph
from tests.examples import thorough_examples, try_examples, usual_and_long
from tests.positions import EIGHT_UNSEEN

ONE_IN_BAG = (
    "O6I5Q1/V6W4FA1/I1V2R1I3GOT1/BeIGNETS2SAX2/O1TOUT4ED3/S1T2I4IF3/2L2CHAY2L3/REEK1U1NEWL4/2DO1L1ANOA4/"
    "3I1E4PUTZ1/3N6B4/3E5DoJO2/10A1HU1/9GRAMP1/7ERODE3 ACEIIRS/ 360/365 0 ld english;"
)
"""The unseen tiles are A, E, E, M, N, N, R and Y."""


def expected_gains(position, words):
    """Return the gains of all plays, the number of possible bags, and the number of orders of a shuffled bag.

    A gain is the number of points by which the player outscores the opponent from here on. The gains are returned as a
    dictionary. It maps each play, identified by :func:`key_of`, to another dictionary, which maps (drawn tiles, tiles left in
    the bag) to a list of gains, one for each equally likely case. Identical tiles count as different. If exchanges are not
    allowed, the bag is not shuffled, so there is only one order.
    """
    rules, board = position.rules, position.board
    own = tuple(sorted(position.players[0].rack))
    unseen = unseen_tiles(rules.distribution, board.squares, [own])
    unseen_tile_list = tuple(Counter(dict(enumerate(unseen.counts))).elements())
    bag_count = len(unseen_tile_list) - rules.rack_size
    oracle = Oracle(rules, words)
    placements = list(oracle.plays(board, own))
    max_drawn = bag_count if bag_count >= rules.min_bag_for_exchange else 0
    exchanges = {
        exchanged
        for count in range(1, max_drawn + 1)
        for exchanged in combinations(own, min(count, len(own)))
    }
    gains = defaultdict(lambda: defaultdict(list))
    for bag in permutations(unseen_tile_list, bag_count):
        opponent_rack = remove_tiles(unseen_tile_list, bag)
        value = -oracle.value(board, opponent_rack, own, bag, position.scoreless_turns + 1)
        gains[None][(), bag].append(value)
        for after, leave, score in placements:
            drawn, bag_after = bag[: len(own) - len(leave)], bag[len(own) - len(leave) :]
            rest = -oracle.value(after, opponent_rack, tuple(sorted(leave + drawn)), bag_after, 0)
            gains[after][tuple(sorted(drawn)), bag_after].append(score + rest)
        for exchanged in exchanges:
            drawn = bag[: len(exchanged)]
            rack = tuple(sorted((*remove_tiles(own, exchanged), *drawn)))
            for bag_after in permutations((*bag[len(exchanged) :], *exchanged)):
                value = -oracle.value(board, opponent_rack, rack, bag_after, position.scoreless_turns + 1)
                gains[exchanged][tuple(sorted(drawn)), bag_after].append(value)
    return gains, sum(map(len, gains[None].values())), factorial(bag_count) if exchanges else 1


def key_of(position, play):
    if isinstance(play, Placement):
        return board_after(position.board, play)
    return play.tiles if isinstance(play, Exchange) else None


def solve_with_cells(position, graph, **options):
    """Return the result, and a function that returns a play's estimated draws with their cells."""
    tables = []

    class RecordedTable(Table):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            tables.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pre_endgame, "Table", RecordedTable)
        result = solve_pre_endgame(position, graph, **options)
    candidates = {candidate.play: candidate for candidate in tables[0].candidates}

    def cells_of(play):
        candidate = candidates[play.play]
        return [
            (candidate.draws[index], cell) for index, cell in candidate.cells.items() if cell.is_estimated
        ]

    return result, cells_of


def check_against_oracle(ending, max_nodes):
    """Compare all results with the oracle. The first searches stop after ``max_nodes`` nodes."""
    position, words = ending
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rounds, "FIRST_MAX_NODES", max_nodes)
        result, cells_of = solve_with_cells(
            position, build_word_graph(sorted(words)), seconds=math.inf, threads=2
        )
    gains, total, orders = expected_gains(position, words)
    spread = position.players[0].score - position.players[1].score
    assert result.total_weight == total * orders
    # The best play is unproved only if an exchange has too many draws.
    assert result.is_best_proved or (orders > 1 and result.total_weight > MAX_DRAWS)
    assert sorted(map(hash, gains)) == sorted(hash(key_of(position, play.play)) for play in result.plays)
    best_result = 0
    for play in result.plays:
        gains_of_play = gains[key_of(position, play.play)]
        # An exchange shuffles the bag, which multiplies the number of equally likely draws.
        weight_factor = 1 if isinstance(play.play, Exchange) else orders
        signs = Counter(
            sign(gain + spread) for gains_of_draw in gains_of_play.values() for gain in gains_of_draw
        )
        weights = [weight_factor * signs[outcome] for outcome in (1, 0, -1)]
        best_result = max(best_result, 2 * weights[0] + weights[1])
        assert all(
            proved <= count <= proved + play.undecided_weight
            for proved, count in zip(play.proved_weights, weights, strict=True)
        )
        assert play.wins + play.ties + play.losses == sum(draw.weight for draw, _ in cells_of(play))
        assert play.undecided_weight == result.total_weight - sum(play.proved_weights)
        for draw, cell in cells_of(play):
            values = gains_of_play[draw.drawn_tiles, draw.bag]
            assert draw.weight == weight_factor * len(values)
            assert len(set(values)) == 1
            assert not cell.is_exact or cell.gain == values[0]
            assert not cell.is_decided(spread) or sign(cell.gain + spread) == sign(values[0] + spread)
    if not result.is_best_proved:
        return
    best = result.plays[0]
    assert not best.undecided_weight
    assert best.exact
    assert 2 * best.wins + best.ties == best_result
    if not best.left_in_bag:
        assert result.is_best_emptying_play


def sign(number):
    return (number > 0) - (number < 0)


node_limits = st.sampled_from((1, 5, rounds.FIRST_MAX_NODES))


@usual_and_long(40, 400)
def test_the_solver_agrees_with_exhaustive_search(number):
    try_examples(number, check_against_oracle, small_endings(max_rack_size=2, bag_count=1), node_limits)


@usual_and_long(40, 200)
def test_the_solver_agrees_with_exhaustive_search_for_larger_bags(number):
    def endings(bag):
        return small_endings(max_rack_size=2 if bag == 2 else 1, bag_count=bag)

    bags = st.sampled_from((2, 2, 2, 3, 4))
    try_examples(number, check_against_oracle, bags.flatmap(endings), node_limits)


@needs_corpus
def test_the_bag_is_known_if_the_opponents_rack_is_shown():
    position = cgp.read(ONE_IN_BAG).value
    distribution = position.rules.distribution
    kinds = {distribution.text(number): number for number in range(len(distribution.letters))}
    opponent = Player(365, tuple(kinds[letter] for letter in "AEEMNNR"))
    position = replace(position, players=(position.players[0], opponent))
    result, cells_of = first_result(position)
    assert result.total_weight == 1
    assert [distribution.text(*draw.drawn_tiles) for draw, _ in cells_of(result.plays[0])] == ["Y"]
    hidden = replace(position, ignore_opponent_racks=True)
    assert first_result(hidden)[0].total_weight == 8


def test_a_proved_play_comes_before_an_equally_good_guess():
    draws = Draw((1,), (), 1), Draw((2,), (), 1)
    guessed, proved = (Candidate(slot, Pass(), score, 1, 0, draws) for slot, score in ((0, 60), (1, 10)))
    table = Table([guessed, proved], total_weight=2, spread=0)
    for candidate, final in ((guessed, False), (proved, True)):
        for draw in range(2):
            table.find_or_create_cell(candidate, draw).is_estimated = True
            table.store_result(candidate, draw, candidate.score, (-100, 100), final=final)
    table.rank()
    assert table.ranked == [proved, guessed]
    assert table.is_best_proved()
    proved.cells[1].lower, proved.half_wins = -100, 2  # now only half of the wins are proved
    table.rank()
    assert table.ranked == [proved, guessed]


def test_a_draw_without_room_for_a_cell_is_not_tried(monkeypatch):
    monkeypatch.setattr(outcomes, "MAX_CELLS", 1)
    play = Candidate(0, Pass(), 0, 1, 0, (Draw((1,), (), 1), Draw((2,), (), 1)))
    table = Table([play], total_weight=2, spread=0)
    assert table.is_open(play, 0)
    assert table.is_open(play, 1)
    assert table.find_or_create_cell(play, 0) is not None
    assert table.find_or_create_cell(play, 1) is None
    assert table.is_open(play, 0)
    assert not table.is_open(play, 1)


def result_after_rounds(position, round_count, graph):
    reported: list[PreEndgameResult] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pre_endgame, "_REPORT_SECONDS", math.inf)  # report only at the end of a round
        return solve_pre_endgame(
            position,
            graph,
            seconds=math.inf,
            threads=1,
            progress=reported.append,
            cancelled=lambda: len(reported) >= round_count,
        )


@needs_corpus
def test_the_room_for_plays_is_reused_for_the_next_draw():
    result = result_after_rounds(cgp.read(EIGHT_UNSEEN).value, 6, enable1_graph())
    assert len(result.plays) >= 6 * 64


@needs_corpus
def test_room_grows_until_all_plays_fit(monkeypatch):
    usual = result_after_rounds(cgp.read(ONE_IN_BAG).value, 1, enable1_graph())
    monkeypatch.setattr(endgame_search, "INITIAL_RECORD_COUNT", 16)
    assert result_after_rounds(cgp.read(ONE_IN_BAG).value, 1, enable1_graph()).plays == usual.plays
    monkeypatch.setattr(endgame_search, "MAX_RECORDS", 64)
    with pytest.raises(AnalysisError, match="the endgame has more than 64 plays"):
        result_after_rounds(cgp.read(ONE_IN_BAG).value, 1, enable1_graph())


@settings(thorough_examples(5))
@given(small_endings(max_rack_size=3, bag_count=1))
def test_reports_in_the_middle_of_a_round_change_nothing(ending):
    position, words = ending
    graph = build_word_graph(sorted(words))

    def solve():
        reported: list[PreEndgameResult] = []
        result = solve_pre_endgame(position, graph, seconds=math.inf, threads=1, progress=reported.append)
        return result.plays, result.is_best_proved, len(reported)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pre_endgame, "_REPORT_SECONDS", math.inf)
        *usual, few_reports = solve()
        patch.setattr(pre_endgame, "_REPORT_SECONDS", 0)
        *same, many_reports = solve()
    assert same == usual
    assert many_reports > few_reports


def first_result(position):
    cancel = threading.Event()
    return solve_with_cells(
        position, enable1_graph(), seconds=math.inf, progress=lambda _: cancel.set(), cancelled=cancel.is_set
    )


@needs_corpus
@pytest.mark.long
def test_the_best_play_of_a_real_position_is_proved():
    position = cgp.read(ONE_IN_BAG).value
    reported: list[PreEndgameResult] = []
    result, cells_of = solve_with_cells(position, enable1_graph(), seconds=math.inf, progress=reported.append)
    best = result.plays[0]
    assert result.is_best_proved
    assert best.exact
    assert (best.wins, best.ties, best.losses, best.undecided_weight) == (8, 0, 0, 0)
    for draw, cell in cells_of(best):
        assert cell.gain == gain_by_endgame(position, best, *draw.drawn_tiles)
    assert not reported[0].is_best_proved
    assert reported[0].plays[0].undecided_weight
    assert {play.play for play in reported[0].plays} < {play.play for play in result.plays}


def gain_by_endgame(position, best, tile):
    board = key_of(position, best.play)
    leave = remove_tiles(position.players[0].rack, tiles_used(best.play))
    unseen = unseen_tiles(position.rules.distribution, position.board.squares, [position.players[0].rack])
    opponent_rack = remove_tiles(Counter(dict(enumerate(unseen.counts))).elements(), [tile])
    after = replace(
        position,
        board=board,
        players=(Player(0, opponent_rack), Player(0, (*leave, tile))),
        scoreless_turns=0,
    )
    return best.score - solve_endgame(after, enable1_graph(), seconds=math.inf).value


@needs_corpus
def test_stopping_before_the_first_result_raises_an_error():
    position = cgp.read(ONE_IN_BAG).value
    with pytest.raises(StoppedError):
        solve_pre_endgame(position, enable1_graph(), cancelled=lambda: True)
    with pytest.raises(StoppedError):
        solve_pre_endgame(position, enable1_graph(), seconds=0)


@needs_corpus
def test_cancelling_gives_a_partial_result():
    position = cgp.read(ONE_IN_BAG).value
    result, cells_of = first_result(position)
    assert not result.is_best_proved
    spread = position.players[0].score - position.players[1].score
    assert all(
        play.undecided_weight
        == sum(draw.weight for draw, cell in cells_of(play) if not cell.is_decided(spread))
        for play in result.plays
    )
    assert threading.active_count() < 20


@needs_corpus
def test_positions_that_are_not_pre_endgames_are_refused():
    position = cgp.read(ONE_IN_BAG).value
    own = position.players[0].rack
    cases = {
        "not-near-the-end": replace(position, players=(Player(0, own[1:]), Player())),
        "no-rack": replace(position, players=(Player(), Player())),
        "game-over": replace(position, scoreless_turns=6),
        "too-many-tiles": replace(position, players=(Player(0, own), Player(0, (26,) * 7))),
        "not-two-players": replace(position, players=(Player(0, own),) * 3),
    }
    for code, case in cases.items():
        with pytest.raises(AnalysisError) as refused:
            solve_pre_endgame(case, enable1_graph())
        assert refused.value.code == code


def test_passing_can_be_the_best_play():
    """Both players can only pass, and the game ends after one pass."""
    distribution = load_distribution("english")
    rules = replace(default_rules(distribution, layout_of_size(3, 3)), rack_size=1, scoreless_limit=1)
    letters = [replace(letter, count=0) for letter in distribution.letters]
    for tile, count in ((1, 2), (2, 1), (3, 1)):  # A on the board and on the rack, B and C elsewhere
        letters[tile] = replace(letters[tile], count=count)
    rules = replace(rules, distribution=replace(distribution, letters=tuple(letters)))
    board = empty_board(3, 3).with_tiles([(4, 1)])
    position = Position(rules, board, (Player(1, (1,)), Player(3)))
    result, cells_of = solve_with_cells(position, build_word_graph([bytes([5, 5])]))
    (play,) = result.plays
    assert isinstance(play.play, Pass)
    assert sorted((draw.bag, cell.gain) for draw, cell in cells_of(play)) == [((2,), 2), ((3,), 2)]
    assert (play.wins, play.ties, play.losses, play.gain, result.is_best_proved) == (0, 2, 0, 2.0, True)
