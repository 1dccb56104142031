"""Reviews of games that were made up so that everything happens in them."""

import json
from dataclasses import replace
from itertools import compress, count

import jsonschema
import pytest

from bot.cli.review import review_document
from bot.domain.crossword.play import ORDINARY, Exchange, Pass, TurnKind
from bot.engine.endgame.solve import solve_endgame
from bot.engine.lexicon.builder import build_word_graph
from bot.engine.plays.generate import RacksOnBoard, plays
from bot.features.review.crossword.judging import Effort
from bot.features.review.crossword.review import review_game
from bot.features.review.crossword.turns import measure_luck, played_turns
from bot.features.review.crossword.values import Flag, Method, Reason, Size, WhyKind, is_finished
from bot.features.review.values import ReviewError
from tests.review.games import Table, ending, scowl, self_played
from tests.review.schema import SCHEMA

LITTLE = Effort(
    seconds=1000,
    candidates=3,
    first=16,
    iterations=32,
    draws=2,
    late_plies=2,
    pre_endgame_seconds=0.3,
    endgame_seconds=0.3,
)


def reviewed(game, **more):
    return review_game(game, scowl(), replace(LITTLE, **more))


def turn_of(review, number):
    return next(turn for turn in review.turns if turn.turn == number)


@pytest.fixture(scope="module")
def eventful():
    """Phonies that come off and that stand, a missed bingo, an exchange, a pass, overtime; and where they are."""
    table = Table(3)
    table.hold([1, 5, 9, 14, 18, 19, 20])  # AEINRST
    table.play(next(item.play for item in table.best(400) if item.score < 20 and item.score))
    table.phony(stands=False)
    table.play()
    table.phony(stands=True)
    table.play()
    table.play(Exchange(table.racks[table.seat][:3]))
    table.play(Pass())
    table.finish()
    table.penalty(0, 10)
    return table.game()


@pytest.fixture(scope="module")
def review(eventful):
    return reviewed(eventful)


def test_turns_count_as_the_viewer_does(review, eventful):
    kinds = [turn.kind for turn in eventful.turns]
    assert kinds[2] is TurnKind.PHONY_WITHDRAWN
    assert [turn.turn for turn in review.turns][:8] == [1, 2, 4, 5, 6, 7, 8, 9]
    assert len(review.curve) == len(kinds) + 1
    assert review.curve[-1] in (0, 1)


def test_a_bingo_that_was_not_played_is_missed(review):
    first = turn_of(review, 1)
    assert Flag.MISSED_BINGO in first.flags
    assert first.size in (Size.MEDIUM, Size.LARGE)
    assert first.loss_points > 20
    assert WhyKind.POINTS in [why.kind for why in first.why]
    assert review.players[0].missed_bingos == 1


def test_a_phony_that_came_off_is_a_lost_turn(review):
    off = turn_of(review, 2)
    assert off.flags == (Flag.PHONY_OFF, *off.flags[1:])
    assert (off.score, off.judged, off.played.play) == (0, True, Pass())
    assert off.static.played.equity == -1_000_000
    assert off.size is not Size.BEST
    assert off.loss_points > 10


def test_only_the_opponent_knows_tiles_shown_by_a_phony(review, eventful):
    known = [turn.turn for turn in review.turns if Flag.KNOWN_TILES in turn.flags]
    assert known[0] == 4
    assert all(turn_of(review, number).seat == 0 for number in known)


def test_an_unchallenged_phony_is_not_classed(review):
    standing = turn_of(review, 5)
    assert standing.reason is Reason.PHONY_STOOD
    assert (standing.size, standing.accuracy, standing.best) == (None, None, None)
    assert 0 < standing.played.win < 1
    assert Flag.MISSED_CHALLENGE in turn_of(review, 6).flags
    assert Flag.MISSED_CHALLENGE not in turn_of(review, 4).flags


def test_exchange_pass_and_overtime_are_flagged(review):
    assert Flag.EXCHANGE in turn_of(review, 7).flags
    assert Flag.PASS in turn_of(review, 8).flags
    assert turn_of(review, 8).size is not Size.BEST
    last = [turn for turn in review.turns if turn.seat == 0][-1]
    assert Flag.TIME_PENALTY in last.flags


def test_threads_affect_only_the_time(eventful):
    effort = replace(LITTLE, endgame_seconds=100.0, pre_endgame_seconds=0.0)
    alone, together = (
        replace(review_game(eventful, scowl(), effort, threads=threads), seconds=0) for threads in (1, 3)
    )
    assert alone.complete
    assert alone == together


def test_equities_are_exact(review, eventful):
    for turn in review.turns[:5]:
        position = eventful.position_at(turn.turn - 1)
        best = plays(position, scowl().graph, scowl().leaves, top=1)[0]
        assert (turn.static.best.equity, turn.static.best.score) == (best.equity, best.score)


def test_endgames_are_solved(review):
    solved = [turn for turn in review.turns if turn.bag == 0]
    assert solved
    assert all(turn.method is Method.ENDGAME and turn.best.win in (0, 0.5, 1) for turn in solved)


def test_players_are_the_sums_of_their_turns(review):
    for seat, player in enumerate(review.players):
        own = [turn for turn in review.turns if turn.seat == seat]
        assert player.turns == len(own)
        assert player.judged == sum(turn.judged for turn in own)
        assert player.mistakes[2] == sum(turn.size is Size.LARGE for turn in own)
        assert player.luck == pytest.approx(sum(turn.luck for turn in own))
        assert player.accuracy == pytest.approx(
            sum(turn.accuracy for turn in own if turn.judged) / player.judged
        )
    assert len(review.key_turns) == 4
    assert all(turn_of(review, number).established for number in review.key_turns)


def test_the_document_has_the_agreed_shape(review, eventful):
    document = json.loads(json.dumps(review_document(review, eventful, "game.gcg")))
    assert list(document) == ["file", "lexicon", "depth", "players", "turns"]
    assert list(document["players"][0]) == [
        "name", "turns", "judged", "accuracy", "mistake_index", "small", "medium", "large", "luck", "bingos",
        "missed_bingos",
    ]  # fmt: skip
    assert list(document["turns"][0]) == [
        "turn", "player", "rack", "play", "score", "judged", "reason", "phase", "static", "best", "played",
        "loss_win", "loss_win_error", "loss_points", "class", "approximate", "flags", "luck",
    ]  # fmt: skip
    for turn in document["turns"]:
        if turn["judged"]:
            assert turn["loss_win"] == pytest.approx(turn["best"]["win"] - turn["played"]["win"], abs=2e-6)


def hidden():
    """A game in which the first player's racks are not known, and of the second one's some only in part."""
    game = self_played(8)
    turns = [
        replace(turn, rack=() if turn.player == 0 else turn.rack[:3] if number < 3 else turn.rack)
        for number, turn in enumerate(game.turns)
    ]
    return replace(game, turns=tuple(turns))


@pytest.mark.parametrize("which", ["eventful", "hidden", "stopped", "wrong lexicon"])
def test_every_document_matches_the_schema(review, eventful, which):
    game, found = eventful, review
    if which == "hidden":
        game = hidden()
        found = reviewed(game, seconds=2)
    elif which == "stopped":
        found = reviewed(game, seconds=0.001)
    elif which == "wrong lexicon":
        words = build_word_graph([bytes([1, 2]), bytes([3, 4])])
        found = review_game(game, replace(scowl(), graph=words), LITTLE)
    document = json.loads(json.dumps(review_document(found, game, "game.gcg"), allow_nan=False))
    jsonschema.validate(document, SCHEMA)
    numbers = [turn["turn"] for turn in document["turns"]]
    assert numbers == sorted({*numbers})
    assert all(game.turns[number - 1].kind in ORDINARY for number in numbers)
    assert sum(turn.kind in ORDINARY for turn in game.turns) == len(numbers)
    for seat, player in enumerate(document["players"]):
        own = [turn for turn in document["turns"] if turn["player"] == seat]
        judged = sum(turn["judged"] for turn in own)
        assert player["judged"] == judged
        assert (player["mistake_index"] is None) == (judged < 0.8 * player["turns"] or not judged)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_review():
    game = self_played(8)
    first, other = (reviewed(game, seed=5, endgame_seconds=0.01, pre_endgame_seconds=0.01) for _ in range(2))
    simulated = [turn.bag > 1 for turn in first.turns]
    assert sum(simulated) > 10
    assert list(compress(first.turns, simulated)) == list(compress(other.turns, simulated))


def test_the_review_by_equity_comes_first_and_a_stop_keeps_it(eventful):
    seen = []
    stopped = review_game(eventful, scowl(), LITTLE, progress=seen.append, cancelled=lambda: bool(seen))
    assert len(seen[0].turns) == len(stopped.turns)
    assert all(turn.static for turn in seen[0].turns)
    assert {turn.reason for turn in stopped.turns} == {Reason.UNFINISHED, Reason.PHONY_STOOD}
    assert not stopped.complete
    assert len(set(seen[0].curve)) > 5


@pytest.mark.parametrize("after", [3, 40, 200])
def test_a_stop_ends_the_work_at_the_next_look(eventful, after):
    looks = count()
    review_game(eventful, scowl(), LITTLE, cancelled=lambda: next(looks) >= after)
    assert next(looks) < after + 60


def test_unknown_racks_are_not_judged_and_leave_no_index():
    review = reviewed(hidden(), endgame_seconds=0.05)
    unknown = [turn for turn in review.turns if turn.seat == 0 and turn.bag]
    assert {turn.reason for turn in unknown} == {Reason.RACK_UNKNOWN}
    assert turn_of(review, 2).reason is Reason.RACK_PARTIAL
    assert turn_of(review, 2).rack_unknown == 4
    assert review.players[0].mistake_index is None
    assert review.players[0].accuracy is None
    assert review.players[1].mistake_index is not None


def test_a_lexicon_that_does_not_fit_gives_no_grades():
    words = build_word_graph([bytes([1, 2]), bytes([3, 4])])
    review = review_game(self_played(8), replace(scowl(), graph=words), LITTLE)
    assert {turn.reason for turn in review.turns} <= {Reason.LEXICON}
    assert review.mismatch.unknown > 0.15 * review.mismatch.words
    assert not any({Flag.PHONY_STOOD, Flag.MISSED_CHALLENGE} & {*turn.flags} for turn in review.turns)
    assert {player.mistake_index for player in review.players} == {None}


def test_a_game_that_is_not_over_is_refused():
    table = Table(5)
    table.play()
    with pytest.raises(ReviewError, match="isn't over"):
        reviewed(table.game())


def test_games_of_three_and_games_without_turns_are_refused():
    game = self_played(8)
    with pytest.raises(ReviewError, match="this one has 3"):
        reviewed(replace(game, names=(*game.names, game.names[0])))
    with pytest.raises(ReviewError, match="no turn"):
        reviewed(replace(game, turns=()))


def test_measuring_luck_ends_on_a_stop_request(monkeypatch):
    game = self_played(3)
    drawn = []
    best_equity = RacksOnBoard.best_equity

    def counted(board, rack):
        drawn.append(rack)
        return best_equity(board, rack)

    monkeypatch.setattr(RacksOnBoard, "best_equity", counted)
    measured = list(
        measure_luck(
            list(played_turns(game, scowl().graph)), scowl(), draws=5, seed=0, is_over=lambda: len(drawn) >= 8
        )
    )
    assert len(measured) == 1
    assert len(drawn) == 8


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
def test_a_note_may_say_how_a_game_ended(note):
    table = Table(5)
    table.play()
    game = table.game()
    assert not is_finished(game)
    assert is_finished(replace(game, note=note))


def test_a_player_who_gave_up_ends_the_game():
    table = Table(5)
    for _ in range(4):
        table.play()
    table.turns[-1] = replace(table.turns[-1], note="bob resigned here")
    review = reviewed(table.game())
    assert review.turns[-1].flags[-1] is Flag.RESIGNED
    assert review.turns[-1].judged


def test_six_turns_without_points_end_a_game():
    table = Table(5)
    table.play()
    for _ in range(6):
        table.play(Pass())
    review = reviewed(table.finish())
    assert review.turns[-1].flags == (Flag.PASS, Flag.SIX_ZEROS)
    assert all(turn.loss_points > 20 and turn.size is not Size.BEST for turn in review.turns[1:6])
    assert review.turns[6].best.play == Pass()


def test_an_endgame_that_is_thrown_away_is_blown():
    table = ending()
    worth = solve_endgame(table.position, scowl().graph).value
    # The best play wins by a point.
    table.set_score(table.seat, table.scores[1 - table.seat] + 1 - worth)
    number = len(table.turns) + 1
    table.play(Pass())
    blown = turn_of(reviewed(table.finish(), endgame_seconds=60), number)
    assert Flag.BLOWN_ENDGAME in blown.flags
    assert (blown.size, blown.loss_win, blown.approximate) == (Size.LARGE, 1, False)
    assert blown.accuracy == 0
    assert blown.why[0].kind is WhyKind.OUTCOME
