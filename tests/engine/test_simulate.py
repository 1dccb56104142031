"""Simulations, compared with rollouts of every possible order of a few unseen tiles."""

import math
import time
from dataclasses import fields, replace

import pytest

from bot.domain.crossword.play import Coordinate, Direction, Exchange, Pass, Placement
from bot.domain.crossword.position import Player
from bot.domain.crossword.rules import EndScoring
from bot.domain.reading.problems import RuleError
from bot.engine.analysis import AnalysisError, AnalysisOptions, Deadline, MeteredThreadPool, Stop
from bot.engine.plays.generate import find_plays
from bot.engine.plays.values import RatedPlay
from bot.engine.simulation.result import Ending
from bot.engine.simulation.simulate import simulate
from tests.domain.crossword.games import with_unseen_tiles
from tests.domain.shared import needs_corpus
from tests.engine.reference_rollout import check_means, late_position, list_unseen_tiles, rollout
from tests.engine.shared import analyzed_positions, enable1_graph, enable1_leaves, entry_of_play

pytestmark = needs_corpus


def run(position, candidates, **options):
    options = {"threads": 1, "confidence": None, "iterations": 64, "seconds": math.inf, **options}
    names = {field.name for field in fields(AnalysisOptions)}
    chosen = AnalysisOptions(**{name: options.pop(name) for name in names & options.keys()})
    return simulate(position, candidates, enable1_graph(), enable1_leaves(), chosen, **options)


@pytest.mark.parametrize(
    ("racks", "unseen", "plies"),
    [
        ("AEINRT/", "LOSTV", 1),
        ("AEINRT/", "LOSTV", 2),
        ("AEINRT?/EEO", "BDL", 2),
        ("AEINRT/AEOT", "BDQVV", 3),
        ("CDGIO/", "AEIRS", 4),
    ],
)
def test_the_mean_of_many_rollouts_is_near_the_expected_value(racks, unseen, plies):
    position = late_position(racks, unseen)
    position = replace(
        position, rules=replace(position.rules, rack_size=max(3, len(position.players[0].rack) - 2))
    )
    assert position.bag_count or plies == 2
    best = find_plays(position, enable1_graph(), enable1_leaves(), top=4)
    candidates = [rated for rated in best if not isinstance(rated.play, Exchange)]
    check_simulation(position, candidates, plies)


def check_simulation(position, candidates, plies):
    result = run(position, candidates, plies=plies, iterations=1500)
    check_means(position, result, plies, enable1_graph(), enable1_leaves())


@pytest.mark.parametrize(
    ("racks", "scores", "size", "unseen", "plies", "end"),
    [
        ("AEIN//", (209, 206, 215), 2, "LOSTV", 3, EndScoring.TWICE),
        ("AEIR/EO/", (209, 230, 180), 2, "BDLT", 4, EndScoring.EACH_WAY),
        ("CDGO///", (209, 209, 209, 209), 1, "AEIRS", 4, EndScoring.TWICE),
        # The bag is empty. All opponents have about the same number of tiles, and the game is played to its end.
        ("AEIN///", (200, 200, 150, 203), 3, "LOSTV", 4, EndScoring.EACH_WAY),
    ],
)
def test_games_of_three_and_four_players_match_the_reference(racks, scores, size, unseen, plies, end):
    base = late_position("AEIN/", unseen)
    numbers = base.rules.distribution.machine_letters
    players = tuple(
        Player(score, tuple(numbers[tile] for tile in rack))
        for score, rack in zip(scores, racks.split("/"), strict=True)
    )
    position = replace(base, players=players, rules=replace(base.rules, end_scoring=end, rack_size=size))
    position = with_unseen_tiles(position, tuple(numbers[tile] for tile in unseen))
    best = find_plays(position, enable1_graph(), enable1_leaves(), top=3)
    check_simulation(position, [rated for rated in best if not isinstance(rated.play, Exchange)], plies)


def test_an_empty_bag_makes_a_simulation_exact():
    position = late_position("AEINRT/", "LOSTV")
    candidates = find_plays(position, enable1_graph(), enable1_leaves(), top=6)
    result = run(position, candidates, plies=1, iterations=3)
    known_position = replace(
        position, players=(position.players[0], Player(206, list_unseen_tiles(position)))
    )
    for simulated in result.plays:
        equity, win = rollout(known_position, simulated.play, (), 50, enable1_graph(), enable1_leaves())
        assert (simulated.equity, simulated.equity_error) == (equity / 1000, 0)
        assert (simulated.win, simulated.win_error) == (win, 0)
    assert run(known_position, candidates, iterations=3).plays == result.plays


def middle_game():
    position, _ = analyzed_positions()[1]
    return replace(position, ignore_opponent_racks=True)


def test_the_result_depends_on_the_seed_but_not_on_threads():
    position = middle_game()
    candidates = find_plays(position, enable1_graph(), enable1_leaves(), top=5)
    result = run(position, candidates, seed=7, iterations=150, confidence=0.95)
    assert run(position, candidates, seed=7, iterations=150, confidence=0.95, threads=3) == result
    other_result = run(position, candidates, seed=8, iterations=150, confidence=0.95)
    assert [play.win for play in other_result.plays] != [play.win for play in result.plays]


def test_plays_are_ranked_and_each_ply_counts_its_iterations():
    position = middle_game()
    candidates = find_plays(position, enable1_graph(), enable1_leaves(), top=3)
    result = run(position, candidates, plies=3, iterations=40)
    assert result.ending is Ending.ITERATIONS
    assert (result.plies, result.rollouts) == (3, 120)
    assert sorted((play.win, play.equity) for play in result.plays) == [
        (play.win, play.equity) for play in reversed(result.plays)
    ]
    for simulated in result.plays:
        assert simulated.play in candidates
        assert [ply.iterations for ply in simulated.plies] == [40] * 4
        assert simulated.plies[0].score == simulated.play.score
        assert all(0 <= ply.bingo_share <= 1 for ply in simulated.plies[1:])


def test_the_opponents_known_rack_is_used():
    position = middle_game()
    candidates = find_plays(position, enable1_graph(), enable1_leaves(), top=1)
    numbers = position.rules.distribution.machine_letters
    bingo = tuple(numbers[tile] for tile in "AEINRST")
    known_position = replace(
        position, ignore_opponent_racks=False, players=(position.players[0], Player(176, bingo))
    )
    unknown = run(position, candidates, iterations=200).plays[0]
    assert run(known_position, candidates, iterations=10).plays[0].plies[1].bingo_share == 1
    assert unknown.plies[1].bingo_share < 0.6
    with_leaves = run(position, candidates, iterations=10, opponent_leaves=[bingo[:6], bingo])
    assert with_leaves.plays[0].plies[1].bingo_share > 0.6


def test_a_simulation_is_decided_when_the_bad_play_is_dropped():
    position = middle_game()
    best, *_ = find_plays(position, enable1_graph(), enable1_leaves(), top=1)
    passed = RatedPlay.of(Pass(), 0, (), 0)
    result = run(position, [passed, best], confidence=0.99, iterations=5000)
    assert result.ending is Ending.DECIDED
    assert [simulated.play.play for simulated in result.plays] == [best.play, Pass()]
    assert [play.dropped for play in result.plays] == [False, True]
    assert result.rollouts < 2000


def test_anagrams_on_the_same_squares_are_equivalent():
    position = middle_game()
    found = find_plays(position, enable1_graph(), enable1_leaves(), top=None)
    wanted = {"n5 LOVED", "n5 VOLED"}
    anagrams = [rated for rated in found if entry_of_play(position, rated)[0] in wanted]
    assert run(position, anagrams, confidence=0.99, iterations=5000).ending is Ending.DECIDED


def test_illegal_plays_are_refused():
    position = middle_game()
    first, second, *_ = position.players[0].rack
    for play in (
        Placement(Coordinate(0, 0, Direction.ACROSS), (first, second)),  # touches nothing
        Placement(Coordinate(3, 0, Direction.ACROSS), (first, second, 0)),  # has no tile on the last square
        Exchange((0, 0, 0)),  # not on the rack
    ):
        with pytest.raises(RuleError):
            run(position, [RatedPlay.of(play, 0, (), 0)])


def test_exchanges_and_phonies_can_be_simulated():
    position = middle_game()
    rack = position.players[0].rack
    word = next(
        rated.play
        for rated in find_plays(position, enable1_graph(), enable1_leaves(), top=None)
        if isinstance(rated.play, Placement) and len(rated.play.tiles) > 4 and all(rated.play.tiles)
    )
    phony = Placement(word.start, word.tiles[::-1])
    assert not enable1_graph().accepts(phony.tiles)
    candidates = [RatedPlay.of(play, 0, (), 0) for play in (Exchange(rack[:3]), phony)]
    result = run(position, candidates, iterations=20)
    scores = {simulated.play.play: simulated.play.score for simulated in result.plays}
    assert scores.keys() == {Exchange(tuple(sorted(rack[:3]))), phony}
    assert scores[phony] > scores[Exchange(tuple(sorted(rack[:3])))] == 0


def test_time_and_cancellation_give_partial_results():
    position = middle_game()
    candidates = find_plays(position, enable1_graph(), enable1_leaves(), top=10)
    run(position, candidates, iterations=1)
    started = time.process_time()
    result = run(position, candidates, seconds=0.3, iterations=10**6)
    assert result.ending is Ending.TIME
    assert time.process_time() - started < 10  # without the limit, it would take hours
    assert result.rollouts == sum(play.iterations for play in result.plays)
    reports = []
    result = run(
        position,
        candidates,
        iterations=10**6,
        progress=reports.append,
        cancelled=lambda: len(reports) == 3,
    )
    assert result.ending is Ending.CANCELLED
    assert [item.rollouts for item in reports] == sorted({item.rollouts for item in reports})
    assert result.plays == reports[-1].plays
    assert all(item.ending is None for item in reports)
    empty_result = run(position, candidates, seconds=0)
    assert (empty_result.ending, empty_result.rollouts) == (Ending.TIME, 0)


def test_an_error_in_one_thread_stops_the_other_threads():
    stop = Stop()

    def work(is_broken):
        if is_broken:
            raise ZeroDivisionError
        while not stop.is_set:
            time.sleep(0.001)

    with MeteredThreadPool(2) as threads, pytest.raises(ZeroDivisionError):
        threads.run_each(work, [False, True, False], Deadline(60, lambda: False), stop)


def test_invalid_positions_options_and_candidates_are_refused():
    position = middle_game()
    candidates = find_plays(position, enable1_graph(), enable1_leaves(), top=2)
    with pytest.raises(AnalysisError, match="2 to 4 players"):
        run(replace(position, players=(*position.players, *[Player()] * 3)), candidates)
    with_three_players = replace(position, players=(*position.players, Player()))
    with pytest.raises(AnalysisError, match="two players"):
        run(with_three_players, candidates, opponent_leaves=[(1, 2)])
    with pytest.raises(AnalysisError, match="not known"):
        run(replace(position, players=(Player(), Player())), candidates)
    with pytest.raises(AnalysisError, match="tiles that have already been seen"):
        run(position, candidates, opponent_leaves=[(17, 17)])
    for options in ({"plies": 0}, {"plies": 31}, {"iterations": 0}, {"confidence": 1.5}):
        with pytest.raises(ValueError, match="simulation" if "confidence" not in options else "confidence"):
            run(position, candidates, **options)
    with pytest.raises(ValueError, match="candidates"):
        run(position, [])


def test_a_continued_simulation_equals_one_long_simulation():
    position, _ = next(iter(analyzed_positions()))
    best = find_plays(position, enable1_graph(), enable1_leaves(), top=4)
    long_result = run(position, best, iterations=256)
    first_result = run(position, best, iterations=64)
    continued_result = run(
        position, best[:1], iterations=192, earlier=first_result.state, threads=2, plies=7, seed=8
    )
    assert continued_result == long_result
    assert continued_result.rollouts == 4 * 256
    assert first_result.state.size > 4 * 64 * 16


def test_continuing_a_decided_simulation_adds_iterations_to_both_plays():
    position, _ = next(iter(analyzed_positions()))
    best = find_plays(position, enable1_graph(), enable1_leaves(), top=12)
    decided = run(position, (best[0], best[-1]), iterations=5000, confidence=0.9)
    assert decided.ending is Ending.DECIDED
    old_counts = [simulated.iterations for simulated in decided.plays]
    continued = run(position, (), iterations=64, confidence=0.9, earlier=decided.state)
    assert {simulated.iterations for simulated in continued.plays} == {max(old_counts) + 64}, (
        "a play has missed an iteration"
    )
    assert continued.ending is Ending.DECIDED
    before = {item.play.play: item.samples for item in decided.state.candidates}
    for candidate in continued.state.candidates:
        known = before[candidate.play.play]
        assert (candidate.samples[: len(known)] == known).all()
