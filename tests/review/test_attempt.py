"""Another play in a turn, compared with the best."""

import pytest

from bot.domain.crossword.play import Pass
from bot.review.crossword.attempt import judge_attempt
from bot.review.crossword.values import Method, Size

from .games import ending, scowl, self_played


def test_a_worse_play_is_told_with_what_it_loses_and_as_good_a_one_loses_nothing():
    game = self_played(8)
    turn = game.turns[4]
    shares = []
    found = judge_attempt(game, 5, Pass(), turn.play, scowl(), seconds=60.0, progress=shares.append)
    assert found.method is Method.SIMULATION
    assert found.best.play == turn.play
    assert found.played.play == Pass()
    assert found.size is Size.LARGE
    assert found.loss_win > 1.96 * found.loss_win_error > 0
    assert shares == sorted(shares)
    assert all(0 < share < 1 for share in shares)
    same = judge_attempt(game, 5, turn.play, turn.play, scowl(), seconds=60.0)
    assert (same.size, same.loss_win) == (Size.BEST, 0.0)


def test_in_an_endgame_it_is_solved():
    table = ending()
    number, best = len(table.turns) + 1, table.best()[0].play
    game = table.finish()
    found = judge_attempt(game, number, Pass(), best, scowl(), seconds=60.0)
    assert found.method is Method.ENDGAME
    assert found.loss_win_error == 0
    assert found.loss_points == found.best.equity - found.played.equity > 0


@pytest.mark.parametrize("seed", [8])
def test_what_was_stopped_before_it_began_is_not_judged(seed):
    game = self_played(seed)
    found = judge_attempt(game, 5, Pass(), game.turns[4].play, scowl(), seconds=60.0, cancelled=lambda: True)
    assert not found.judged
