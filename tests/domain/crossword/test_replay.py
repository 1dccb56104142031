"""The faults and errors that a replay of a game finds."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from bot.domain.crossword.notations import gcg
from bot.domain.crossword.play import Exchange, Pass, Turn, TurnKind
from bot.domain.crossword.replay import Replay
from bot.domain.reading.problems import RuleError
from tests.domain.crossword.games import faults_and_error, games

GAME = gcg.read(
    "#player1 alice A\n#player2 bob B\n>alice: ABDELRW 8D WARBLED +84 84\n>bob: EEI D8 .EE +6 6\n>alice: A - +0 84\n"
).value


@given(games())
@settings(max_examples=30)
def test_a_game_that_follows_the_rules_has_no_faults(game):
    assert faults_and_error(game) == ((), None)


def test_a_fault_reports_its_line_and_both_scores():
    turns = (GAME.turns[0], replace(GAME.turns[1], score=7, cumulative=7), GAME.turns[2])
    (fault,), error = faults_and_error(replace(GAME, turns=turns))
    assert error is None
    assert (fault.code, fault.line, fault.message) == ("score-differs", 4, "the score is 6, not 7")


def test_an_error_reports_its_line():
    faults, error = faults_and_error(replace(GAME, turns=(GAME.turns[0], replace(GAME.turns[0], seat=1))))
    assert faults == ()
    assert error is not None
    assert (error.code, error.line) == ("occupied", 3)


def test_an_error_leaves_the_state_unchanged():
    replay = Replay(GAME.rules, 2)
    replay.play(GAME.turns[0])
    board, scores = replay.state.board, list(replay.state.scores)
    with pytest.raises(RuleError):
        replay.play(replace(GAME.turns[0], seat=1))
    with pytest.raises(RuleError):
        replay.play(Turn(1, TurnKind.PHONY_WITHDRAWN, score=-84))
    assert (replay.state.board, replay.state.scores) == (board, scores)
    assert replay.play(GAME.turns[1]) == ()


@pytest.mark.parametrize(
    ("turn", "part"),
    [
        (Turn(0, TurnKind.PASS, play=Pass(), cumulative=84), "nick"),
        (Turn(1, TurnKind.PASS, play=Pass(), score=1, cumulative=1), "score"),
        (Turn(1, TurnKind.PASS, play=Pass(), cumulative=1), "cumulative"),
        (Turn(1, TurnKind.PASS, (1,) * 8, play=Pass()), "rack"),
        (Turn(1, TurnKind.EXCHANGE, (1,), play=Exchange((2,))), "rack"),
        (Turn(1, TurnKind.EXCHANGE, play=Exchange(unknown_count=8)), "play"),
    ],
)
def test_a_fault_names_the_part_of_the_turn(turn, part):
    replay = Replay(GAME.rules, 2)
    replay.play(GAME.turns[0])
    assert part in [faulty for faulty, _ in replay.play(turn)]


def test_a_play_can_be_withdrawn_only_once():
    replay = Replay(GAME.rules, 2)
    replay.play(GAME.turns[0])
    withdrawn = Turn(0, TurnKind.PHONY_WITHDRAWN, score=-84)
    assert replay.play(withdrawn) == ()
    with pytest.raises(RuleError, match="no play"):
        replay.play(withdrawn)


def test_a_play_cannot_be_withdrawn_after_a_challenge_bonus():
    replay = Replay(GAME.rules, 2)
    replay.play(GAME.turns[0])
    replay.play(Turn(0, TurnKind.CHALLENGE_BONUS, score=5, cumulative=89))
    with pytest.raises(RuleError, match="no play"):
        replay.play(Turn(0, TurnKind.PHONY_WITHDRAWN, score=-84))


def test_a_turn_after_the_end_of_a_game_is_reported():
    passes = tuple(Turn(seat % 2, TurnKind.PASS, play=Pass()) for seat in range(6))
    play_after_end = replace(GAME.turns[0], seat=0)
    faults, error = faults_and_error(replace(GAME, turns=(*passes, play_after_end)))
    assert error is None
    assert [fault.code for fault in faults] == ["game-over"]
