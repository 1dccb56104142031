"""Merges Turn URLs into a live game."""

import pytest

from bot.domain.crossword.notations import turn_url
from bot.domain.reading.problems import ConversionError
from tests.domain.crossword.notations.live_links import merge, names_by_turn
from tests.domain.crossword.notations.test_turn_url import SMALL_GAME


class TestLiveGame:
    HISTORY = SMALL_GAME + "&wl=7.7&wh=AA"
    SECOND_TURN = "gid=t&tn=2&ex=0"
    THIRD_TURN = "gid=t&tn=3&p2n=Bo&wl=7.7&wv=AA"

    def urls(self):
        return [turn_url.read(text).value for text in (self.HISTORY, self.SECOND_TURN, self.THIRD_TURN)]

    def test_a_turn_after_a_gap_waits(self):
        first, second, third = self.urls()
        game = merge(first, third)
        assert game.history is not None
        assert (len(game.history.turns), game.waiting_turns, game.missing_turns) == (1, (3,), (2,))
        game = game.with_url(second)
        assert game.history is not None
        assert (len(game.history.turns), game.waiting_turns, game.missing_turns) == (3, (), ())

    def test_deltas_alone_are_not_a_history(self):
        _, second, third = self.urls()
        game = merge(third).with_url(second)
        assert game.history is None
        assert game.missing_turns == (1,)

    def test_different_settings_are_a_contradiction(self):
        first = self.urls()[0]
        other_url = turn_url.read(self.HISTORY.replace("seed=1", "seed=2")).value
        game = merge(first, other_url)
        assert game.contradictions == (turn_url.Contradiction(0, first.settings, other_url.settings),)
        assert game.history == first

    def test_a_turn_beyond_the_limit_is_rejected(self):
        with pytest.raises(ConversionError, match="at most"):
            merge(self.urls()[0], turn_url.read("gid=t&tn=999999&ex=").value)

    def test_a_name_change_may_come_without_a_turn(self):
        first, second, _ = self.urls()
        rename = turn_url.read("gid=t&tn=3&p1n=Zoe").value
        for order in ([first, second, rename], [rename, first, second]):
            history = merge(*order).history
            assert history is not None
            assert names_by_turn(history) == [
                ("Player 1", "Player 2"),
                ("Player 1", "Player 2"),
                ("Zoe", "Player 2"),
            ]
