"""A lesson compares a user's attempt with the best play of a turn."""

from dataclasses import replace

import pytest

from bot.domain.crossword.play import Pass
from bot.features.review.crossword.values import (
    JudgingMethod,
    MistakeSize,
    Phase,
    TurnReview,
    is_as_good_as_best,
)
from bot.features.review.crossword.verdicts import judge_attempt

from .games import endgame_table, scowl_lexicon, self_play_game


def test_a_worse_play_shows_its_loss():
    game = self_play_game(8)
    turn = game.turns[4]
    shares = []
    judged_pass = judge_attempt(
        game, 5, Pass(), turn.play, scowl_lexicon(), seconds=60.0, progress=shares.append
    )
    assert judged_pass.method is JudgingMethod.SIMULATION
    assert judged_pass.best.play == turn.play
    assert judged_pass.played.play == Pass()
    assert judged_pass.mistake_size is MistakeSize.LARGE
    assert judged_pass.win_chance_lost > 1.96 * judged_pass.win_chance_lost_error > 0
    assert shares == sorted(shares)
    assert all(0 < share < 1 for share in shares)
    judged_best = judge_attempt(game, 5, turn.play, turn.play, scowl_lexicon(), seconds=60.0)
    assert (judged_best.mistake_size, judged_best.win_chance_lost) == (MistakeSize.NONE, 0.0)


def test_an_attempt_in_an_endgame_is_judged_by_the_solver():
    table = endgame_table()
    number, best = len(table.turns) + 1, table.best_plays()[0].play
    game = table.finish()
    judged_pass = judge_attempt(game, number, Pass(), best, scowl_lexicon(), seconds=60.0)
    assert judged_pass.method is JudgingMethod.ENDGAME
    assert judged_pass.win_chance_lost_error == 0
    assert judged_pass.points_lost == judged_pass.best.equity - judged_pass.played.equity > 0


@pytest.mark.parametrize(
    ("loss", "error", "size", "expected"),
    [
        (0.0, 0.0, MistakeSize.NONE, True),
        (0.0049, 0.0, MistakeSize.NONE, True),
        (0.0051, 0.0, MistakeSize.NONE, False),
        (0.012, 0.007, MistakeSize.NONE, True),
        (0.012, 0.005, MistakeSize.NONE, False),
        (0.004, 0.0001, MistakeSize.SMALL, False),
        (0.0, 0.0, None, False),
    ],
)
def test_a_play_with_an_insignificant_loss_is_as_good_as_the_best(loss, error, size, expected):
    turn = TurnReview(1, 0, (), 0, Pass(), 0, Phase.MIDDLEGAME, 80)
    assert (
        is_as_good_as_best(
            replace(turn, win_chance_lost=loss, win_chance_lost_error=error, mistake_size=size)
        )
        is expected
    )


def test_an_attempt_is_not_judged_if_judging_is_cancelled_before_it_starts():
    game = self_play_game(8)
    turn = judge_attempt(
        game, 5, Pass(), game.turns[4].play, scowl_lexicon(), seconds=60.0, cancelled=lambda: True
    )
    assert not turn.is_judged
