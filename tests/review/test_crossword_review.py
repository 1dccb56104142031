"""Reviews of games with phonies, exchanges, passes, penalties and unknown racks."""

import json
from dataclasses import replace
from itertools import compress, count

import jsonschema
import pytest

from bot.cli.review import review_json
from bot.domain.crossword.play import ORDINARY_KINDS, Exchange, Pass, TurnKind
from bot.engine.endgame.solve import solve_endgame
from bot.engine.lexicon.builder import build_word_graph
from bot.engine.plays.generate import RackEvaluator, find_plays
from bot.features.review.crossword.judging import Effort
from bot.features.review.crossword.review import review_game
from bot.features.review.crossword.turns import measure_luck, played_turns
from bot.features.review.crossword.values import (
    Flag,
    JudgingMethod,
    MistakeSize,
    ReasonKind,
    UnjudgedReason,
    check_game,
    is_finished,
)
from bot.features.review.values import ReviewError
from tests.review.games import Table, endgame_table, scowl_lexicon, self_play_game
from tests.review.schema import SCHEMA

SMALL_EFFORT = Effort(
    seconds=1000,
    max_candidates=3,
    iterations_per_round=16,
    max_iterations=32,
    luck_draw_count=2,
    late_plies=2,
    pre_endgame_seconds=0.3,
    endgame_seconds=0.3,
)
"""Little work for each turn, and enough time for every review to finish."""


def quick_review(game, **limits):
    return review_game(game, scowl_lexicon(), replace(SMALL_EFFORT, **limits))


def turn_of(review, number):
    return next(turn for turn in review.turns if turn.turn == number)


@pytest.fixture(scope="module")
def eventful_game():
    """Return a game with a missed bingo, a withdrawn phony, an unchallenged phony, an exchange, a pass and overtime."""
    table = Table(3)
    table.set_rack([1, 5, 9, 14, 18, 19, 20])  # AEINRST
    table.play(next(rated.play for rated in table.best_plays(400) if rated.score < 20 and rated.score))
    table.play_phony(stands=False)
    table.play()
    table.play_phony(stands=True)
    table.play()
    table.play(Exchange(table.racks[table.seat][:3]))
    table.play(Pass())
    table.finish()
    table.add_time_penalty(0, 10)
    return table.game()


@pytest.fixture(scope="module")
def review(eventful_game):
    return quick_review(eventful_game)


def test_turns_that_are_not_reviewed_also_have_numbers(review, eventful_game):
    kinds = [turn.kind for turn in eventful_game.turns]
    assert kinds[2] is TurnKind.PHONY_WITHDRAWN  # number 3, which is not reviewed
    assert [turn.turn for turn in review.turns][:8] == [1, 2, 4, 5, 6, 7, 8, 9]
    assert len(review.curve) == len(kinds) + 1
    assert review.curve[-1] in (0, 1)


def test_a_bingo_that_was_not_played_is_missed(review):
    first = turn_of(review, 1)
    assert Flag.MISSED_BINGO in first.flags
    assert first.mistake_size in (MistakeSize.MEDIUM, MistakeSize.LARGE)
    assert first.points_lost > 20
    assert ReasonKind.POINTS in [reason.kind for reason in first.reasons]
    assert review.players[0].missed_bingos == 1


def test_a_phony_that_was_challenged_off_is_judged_as_a_pass(review):
    turn = turn_of(review, 2)
    assert turn.flags == (Flag.PHONY_OFF, *turn.flags[1:])
    assert (turn.score, turn.is_judged, turn.played.play) == (0, True, Pass())
    assert turn.static_plays.played.equity == -1_000_000
    assert turn.mistake_size is not MistakeSize.NONE
    assert turn.points_lost > 10


def test_tiles_shown_by_a_phony_are_flagged_only_for_the_opponent(review):
    turns = [turn for turn in review.turns if Flag.KNOWN_TILES in turn.flags]
    assert turns[0].turn == 4
    assert all(turn.seat == 0 for turn in turns)


def test_an_unchallenged_phony_is_not_judged(review):
    turn = turn_of(review, 5)
    assert turn.unjudged_reason is UnjudgedReason.PHONY_STOOD
    assert (turn.mistake_size, turn.accuracy, turn.best) == (None, None, None)
    assert 0 < turn.played.win < 1
    assert Flag.MISSED_CHALLENGE in turn_of(review, 6).flags
    assert Flag.MISSED_CHALLENGE not in turn_of(review, 4).flags


def test_exchange_pass_and_overtime_are_flagged(review):
    assert Flag.EXCHANGE in turn_of(review, 7).flags
    assert Flag.PASS in turn_of(review, 8).flags
    assert turn_of(review, 8).mistake_size is not MistakeSize.NONE
    last = [turn for turn in review.turns if turn.seat == 0][-1]
    assert Flag.TIME_PENALTY in last.flags


def test_the_number_of_threads_affects_only_the_time(eventful_game):
    effort = replace(SMALL_EFFORT, endgame_seconds=100.0, pre_endgame_seconds=0.0)
    one_thread, three_threads = (
        replace(review_game(eventful_game, scowl_lexicon(), effort, threads=threads), seconds=0)
        for threads in (1, 3)
    )
    assert one_thread.is_complete
    assert one_thread == three_threads


def test_the_best_play_by_equity_matches_the_play_generator(review, eventful_game):
    for turn in review.turns[:5]:
        position = eventful_game.position_at(turn.turn - 1)
        best = find_plays(position, scowl_lexicon().graph, scowl_lexicon().leaves, top=1)[0]
        assert (turn.static_plays.best.equity, turn.static_plays.best.score) == (best.equity, best.score)


def test_endgames_are_solved(review):
    endgame_turns = [turn for turn in review.turns if turn.bag_count == 0]
    assert endgame_turns
    assert all(
        turn.method is JudgingMethod.ENDGAME and turn.best.win in (0, 0.5, 1) for turn in endgame_turns
    )


def test_player_statistics_are_sums_and_means_of_their_turns(review):
    for seat, player in enumerate(review.players):
        own_turns = [turn for turn in review.turns if turn.seat == seat]
        assert player.turn_count == len(own_turns)
        assert player.judged_turn_count == sum(turn.is_judged for turn in own_turns)
        assert player.mistakes[2] == sum(turn.mistake_size is MistakeSize.LARGE for turn in own_turns)
        assert player.luck == pytest.approx(sum(turn.luck for turn in own_turns))
        assert player.accuracy == pytest.approx(
            sum(turn.accuracy for turn in own_turns if turn.is_judged) / player.judged_turn_count
        )
    assert len(review.key_turns) == 4
    assert all(turn_of(review, number).is_certain_mistake for number in review.key_turns)


def game_with_hidden_racks():
    """Return a game that hides the first player's racks, and part of the second player's first rack."""
    game = self_play_game(8)
    turns = []
    for index, turn in enumerate(game.turns):
        rack = turn.rack[:3] if index < 3 else turn.rack
        turns.append(replace(turn, rack=rack if turn.seat == 1 else ()))
    return replace(game, turns=tuple(turns))


@pytest.mark.parametrize("case", ["eventful", "hidden racks", "stopped", "wrong lexicon"])
def test_every_json_document_matches_the_schema(review, eventful_game, case):
    game = eventful_game
    if case == "hidden racks":
        game = game_with_hidden_racks()
        review = quick_review(game, seconds=2)
    elif case == "stopped":
        review = quick_review(game, seconds=0.001)
    elif case == "wrong lexicon":
        word_graph = build_word_graph([bytes([1, 2]), bytes([3, 4])])
        review = review_game(game, replace(scowl_lexicon(), graph=word_graph), SMALL_EFFORT)
    document = json.loads(json.dumps(review_json(review, game, "game.gcg"), allow_nan=False))
    jsonschema.validate(document, SCHEMA)
    for turn in document["turns"]:
        if turn["judged"]:
            assert turn["loss_win"] == pytest.approx(turn["best"]["win"] - turn["played"]["win"], abs=2e-6)
    numbers = [turn["turn"] for turn in document["turns"]]
    assert numbers == sorted({*numbers})
    assert all(game.turns[number - 1].kind in ORDINARY_KINDS for number in numbers)
    assert sum(turn.kind in ORDINARY_KINDS for turn in game.turns) == len(numbers)
    for seat, player in enumerate(document["players"]):
        own_turns = [turn for turn in document["turns"] if turn["player"] == seat]
        judged_count = sum(turn["judged"] for turn in own_turns)
        assert player["judged"] == judged_count
        assert (player["mistake_index"] is None) == (judged_count < 0.8 * player["turns"] or not judged_count)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_review():
    game = self_play_game(8)
    first, second = (
        quick_review(game, seed=5, endgame_seconds=0.01, pre_endgame_seconds=0.01) for _ in range(2)
    )
    simulated_flags = [turn.bag_count > 1 for turn in first.turns]
    assert sum(simulated_flags) > 10
    assert list(compress(first.turns, simulated_flags)) == list(compress(second.turns, simulated_flags))


def test_a_review_stopped_after_its_first_report_keeps_the_equities(eventful_game):
    reports = []
    stopped_review = review_game(
        eventful_game, scowl_lexicon(), SMALL_EFFORT, progress=reports.append, cancelled=lambda: bool(reports)
    )
    assert len(reports[0].turns) == len(stopped_review.turns)
    assert all(turn.static_plays for turn in reports[0].turns)
    assert {turn.unjudged_reason for turn in stopped_review.turns} == {
        UnjudgedReason.UNFINISHED,
        UnjudgedReason.PHONY_STOOD,
    }
    assert not stopped_review.is_complete
    assert len(set(reports[0].curve)) > 5


@pytest.mark.parametrize("calls_before_stop", [3, 40, 200])
def test_a_stopped_review_ends_within_sixty_checks(eventful_game, calls_before_stop):
    calls = count()
    review_game(
        eventful_game, scowl_lexicon(), SMALL_EFFORT, cancelled=lambda: next(calls) >= calls_before_stop
    )
    assert next(calls) < calls_before_stop + 60


def test_turns_with_unknown_racks_are_not_judged():
    review = quick_review(game_with_hidden_racks(), endgame_seconds=0.05)
    turns = [turn for turn in review.turns if turn.seat == 0 and turn.bag_count]
    assert {turn.unjudged_reason for turn in turns} == {UnjudgedReason.RACK_UNKNOWN}
    assert turn_of(review, 2).unjudged_reason is UnjudgedReason.RACK_PARTIAL
    assert turn_of(review, 2).rack_unknown_count == 4
    assert review.players[0].mistake_index is None
    assert review.players[0].accuracy is None
    assert review.players[1].mistake_index is not None


def test_with_the_wrong_lexicon_no_turn_is_judged():
    word_graph = build_word_graph([bytes([1, 2]), bytes([3, 4])])
    review = review_game(self_play_game(8), replace(scowl_lexicon(), graph=word_graph), SMALL_EFFORT)
    assert {turn.unjudged_reason for turn in review.turns} <= {UnjudgedReason.LEXICON}
    assert review.lexicon_mismatch.unknown_word_count > 0.15 * review.lexicon_mismatch.word_count
    assert not any({Flag.PHONY_STOOD, Flag.MISSED_CHALLENGE} & {*turn.flags} for turn in review.turns)
    assert {player.mistake_index for player in review.players} == {None}


def test_a_game_that_is_not_over_is_refused():
    table = Table(5)
    table.play()
    with pytest.raises(ReviewError, match="isn't over"):
        check_game(table.game())


def test_games_of_three_players_and_games_without_turns_are_refused():
    game = self_play_game(8)
    with pytest.raises(ReviewError, match="this one has 3"):
        check_game(replace(game, names=(*game.names, game.names[0])))
    with pytest.raises(ReviewError, match="no turn"):
        check_game(replace(game, turns=()))


def test_measuring_luck_ends_on_a_stop_request(monkeypatch):
    game = self_play_game(3)
    racks = []
    best_equity = RackEvaluator.best_equity

    def record_rack(board, rack):
        racks.append(rack)
        return best_equity(board, rack)

    monkeypatch.setattr(RackEvaluator, "best_equity", record_rack)
    luck = measure_luck(
        list(played_turns(game, scowl_lexicon().graph)),
        scowl_lexicon(),
        draw_count=5,
        seed=0,
        must_stop=lambda: len(racks) >= 8,
    )
    assert len(luck) == 1
    assert len(racks) == 8


@pytest.mark.parametrize(
    "note",
    [
        "bob resigned here",
        "Bob lost on time",
        "bob hat aufgegeben",
        "Bob abandonne",
        "Bob se rinde",
        "bob poddał partię",
    ],
)
def test_a_note_about_a_resignation_or_a_loss_on_time_finishes_a_game(note):
    table = Table(5)
    table.play()
    game = table.game()
    assert not is_finished(game)
    assert is_finished(replace(game, note=note))


def test_the_last_turn_before_a_resignation_is_flagged_and_judged():
    table = Table(5)
    for _ in range(4):
        table.play()
    table.turns[-1] = replace(table.turns[-1], note="bob resigned here")
    review = quick_review(table.game())
    assert review.turns[-1].flags[-1] is Flag.RESIGNED
    assert review.turns[-1].is_judged


def test_the_scoreless_turn_that_ends_a_game_is_flagged():
    table = Table(5)
    table.play()
    for _ in range(6):
        table.play(Pass())
    review = quick_review(table.finish())
    assert review.turns[-1].flags == (Flag.PASS, Flag.SIX_ZEROS)
    assert all(
        turn.points_lost > 20 and turn.mistake_size is not MistakeSize.NONE for turn in review.turns[1:6]
    )
    assert review.turns[6].best.play == Pass()


def test_a_pass_that_loses_a_won_endgame_is_flagged_as_blown():
    table = endgame_table()
    gain = solve_endgame(table.position, scowl_lexicon().graph).value
    # With the best play, the player would win by a point.
    table.set_score(table.seat, table.scores[1 - table.seat] + 1 - gain)
    number = len(table.turns) + 1
    table.play(Pass())
    turn = turn_of(quick_review(table.finish(), endgame_seconds=60), number)
    assert Flag.BLOWN_ENDGAME in turn.flags
    assert (turn.mistake_size, turn.win_chance_lost, turn.may_be_larger) == (MistakeSize.LARGE, 1, False)
    assert turn.accuracy == 0
    assert turn.reasons[0].kind is ReasonKind.OUTCOME
