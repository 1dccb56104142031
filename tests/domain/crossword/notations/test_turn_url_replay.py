"""Replays of Turn URLs: errors, changed settings, secrets, the end of a game, and conversion back to the URL."""

from dataclasses import replace

import pytest

from bot.domain.crossword.notations import turn_url
from bot.domain.crossword.notations.turn_url.settings import DEFAULT_BOARD
from bot.domain.crossword.play import Exchange, Pass, TurnKind
from bot.domain.reading.problems import ConversionError, RuleError
from tests.domain.crossword.notations.live_links import drawn_racks, merge
from tests.domain.crossword.notations.test_turn_url import SMALL_GAME, replay_without_error


def replay_error(text: str) -> RuleError:
    error = turn_url.replay(turn_url.read(text).value).error
    assert error is not None
    return error


class TestErrors:
    @pytest.mark.parametrize(
        ("turns", "code"),
        [
            ("&wl=0.0&wh=AA", "not-on-start"),
            ("&wl=7.7&wh=A", "single-tile"),
            ("&wl=7.14&wh=AA", "off-board"),
            ("&wl=40.7&wh=AA", "off-board"),
            ("&wl=7.7&wh=AQ", "unknown-letter"),
            ("&wl=7.7&wh=Aa", "unknown-letter"),
            ("&wl=7.7&wh=A.Qu", "unknown-letter"),
            ("&wl=7.7&bt=2&wh=AA", "blank-outside-word"),
            ("&wl=7.7&bt=0&wh=AA", "other-draws"),
            ("&wl=7.7&wh=BB", "other-draws"),
            ("&wl=7.7&wh=AA&wl=7.7&wv=BAA", "letter-differs"),
            ("&wl=7.7&wh=AA&wl=7.7&bt=0&wv=AAA", "blank-on-board"),
            ("&wl=7.7&wh=AA&wl=7.7&wh=AA", "no-tiles"),
            ("&wl=7.7&wh=AA&wl=0.0&wh=AA", "not-touching"),
            ("&wl=7.7&wh=AA&wl=7.7&wh=A..A", "lost-letter"),
            ("&ex=7", "no-such-place"),
            ("&p3n=Cy", "no-such-player"),
            ("&ex=&p9n=Cy", "no-such-player"),
        ],
    )
    def test_a_turn_that_breaks_the_rules_ends_the_replay(self, turns, code):
        assert replay_error(SMALL_GAME + turns).code == code

    @pytest.mark.parametrize("word", ["BB", "AAAAAAA"])
    def test_a_word_tried_against_a_hidden_rack_reveals_nothing(self, word):
        error = replay_error(SMALL_GAME + f"&ex=&wl=7.7&wh={word}")
        assert error.message == "turn 2 doesn't match the tiles drawn in this game"
        assert set(error.values) == {"turn"}

    def test_the_turns_before_an_error_are_returned(self):
        reading = turn_url.replay(turn_url.read(SMALL_GAME + "&wl=7.7&wh=AA&ex=0&wl=0.0&wh=AA&ex=").value)
        assert len(reading.value.game.turns) == 2
        assert reading.error is not None
        assert (reading.error.code, reading.error.line) == ("not-touching", 1)
        assert reading.error.column == len(SMALL_GAME + "&wl=7.7&wh=AA&ex=0&wl=") + 1
        assert not reading.value.is_over

    def test_a_game_that_stopped_at_an_error_is_not_over(self):
        url = "gid=g&bag=A-1-1&racksize=1&p1n=a&p2n=b&tn=1"
        reading = turn_url.replay(turn_url.read(url).value)
        assert reading.error is not None
        assert not reading.value.is_over

    def test_a_game_with_too_few_tiles_is_rejected(self):
        error = replay_error("gid=g&bag=A-13-1&tn=1")
        assert (error.code, error.column) == ("too-few-tiles", 11)

    def test_an_exchange_of_more_tiles_than_the_bag_holds_is_rejected(self):
        assert replay_error("gid=g&bag=A-15-1&tn=1&ex=0.1").code == "exchange-bag"
        game = replay_without_error("gid=g&bag=A-15-1&tn=1&ex=0").game
        assert [position.bag_count for position in game.positions()] == [1, 1]

    def test_nine_players_are_too_many(self):
        names = "&".join(f"p{number}n=x" for number in range(1, 10))
        with pytest.raises(RuleError) as caught:
            turn_url.replay(turn_url.read(f"gid=g&{names}&bag=en&tn=1").value)
        assert caught.value.code == "too-many-players"
        assert caught.value.column == len("gid=g&" + names)

    def test_a_delta_alone_cannot_be_replayed(self):
        with pytest.raises(ConversionError, match="starts at turn 2"):
            turn_url.replay(turn_url.read("gid=g&tn=2&ex=").value)


class TestSettingChanges:
    def test_the_bingo_bonus_may_change(self):
        rack = "AAAAABA"
        usual_score = replay_without_error(f"{SMALL_GAME}&wl=7.7&wh={rack}").game.turns[0].score
        assert (
            replay_without_error(f"{SMALL_GAME}&wl=7.7&bingo=0&wh={rack}").game.turns[0].score
            == usual_score - 42
        )

    def warning_codes_after_change(self, change):
        first, second = (
            turn_url.read(SMALL_GAME + "&ex=").value,
            turn_url.read(f"gid=t&{change}&tn=2&ex=").value,
        )
        history = merge(first, second).history
        assert history is not None
        assert len(history.turns) == 2
        return [warning.code for warning in turn_url.replay(history).warnings]

    @pytest.mark.parametrize("change", ["bag=es", "bag=zz", "board=...-...", "racksize=9", "seed=2"])
    def test_other_settings_cannot_change(self, change):
        assert self.warning_codes_after_change(change) == ["setting-kept"]

    @pytest.mark.parametrize(
        "change",
        [
            "v=1",
            "bag=A-60-1.B-30-3.C-10-4",
            f"board={DEFAULT_BOARD}",
            "racksize=7",
            "seed=1",
            "bingo=50",
            "dt=wordlist",
            "ds=x",
        ],
    )
    def test_unchanged_or_changeable_settings_give_no_warning(self, change):
        assert self.warning_codes_after_change(change) == []


class TestSecrecy:
    """Other players' racks are secret during the game, although the seed determines them."""

    URL = SMALL_GAME + "&wl=7.7&wh=AAB&ex=0.1&ex="

    def test_racks_are_hidden_during_a_game(self):
        game = replay_without_error(self.URL).game
        play, exchange, pass_turn = game.turns
        assert (play.rack, play.rack_unknown_count) == ((1, 1, 2), 4)
        assert (exchange.rack, exchange.rack_unknown_count, exchange.play) == (
            (),
            7,
            Exchange(unknown_count=2),
        )
        assert (pass_turn.rack, pass_turn.rack_unknown_count, pass_turn.play) == ((), 7, Pass())
        assert game.shown_racks == ()
        for position in game.positions():
            assert all(len(player.rack) in {0, 3} for player in position.players)
        assert [player.rack for player in game.position_at(3).players] == [(), ()]

    def test_players_see_only_their_own_rack(self):
        history = turn_url.read(self.URL).value
        result = turn_url.replay(history, [1]).value
        play, exchange, pass_turn = result.game.turns
        assert (play.rack_unknown_count, pass_turn.rack_unknown_count) == (4, 7)
        assert len(exchange.rack) == 7
        position = result.game.position_at(3)
        assert position.players[1].rack == drawn_racks(history)[1]
        assert position.players[0].rack == ()

    def test_an_unknown_seat_reveals_nothing(self):
        history = turn_url.read(self.URL).value
        assert turn_url.replay(history, [7, -1]) == turn_url.replay(history)


class TestEndOfGame:
    def test_a_player_who_goes_out_wins_points_for_the_tiles_left(self):
        head = "gid=t&v=1&p1n=a&p2n=b&p3n=c&bag=A-5-1.B-1-3.-0-2&racksize=2&board=....-....&seed=1&tn=1"
        racks = drawn_racks(turn_url.read(head).value)
        word = "".join("?AB"[tile] for tile in racks[0])
        result = replay_without_error(f"{head}&wl=1.1&wh={word}")
        end_points, second, third = result.game.turns[1:]
        points = [sum((0, 1, 3)[tile] for tile in rack) for rack in racks]
        assert result.is_over
        assert (end_points.seat, end_points.kind, end_points.score) == (
            0,
            TurnKind.END_RACK_POINTS,
            points[1] + points[2],
        )
        assert end_points.counted_tiles == racks[1] + racks[2]
        assert [(turn.seat, turn.kind, turn.counted_tiles, turn.score) for turn in (second, third)] == [
            (1, TurnKind.END_RACK_PENALTY, racks[1], -points[1]),
            (2, TurnKind.END_RACK_PENALTY, racks[2], -points[2]),
        ]
        assert result.game.turns[0].rack == racks[0]

    def test_passes_do_not_end_a_game(self):
        result = replay_without_error(SMALL_GAME + "&ex=" * 20)
        assert not result.is_over
        assert not result.game.position_at(20).is_over

    def test_a_pass_changes_the_next_draws(self):
        url = "gid=t&bag=en&seed={}&tn=1{}&ex=0.1.2.3.4.5.6"
        assert any(
            drawn_racks(turn_url.read(url.format(seed, "&ex=&ex=")).value)[0]
            != drawn_racks(turn_url.read(url.format(seed, "")).value)[0]
            for seed in range(20)
        )


class TestConversionBackToUrl:
    def test_a_game_keeps_its_history(self):
        for url in (
            SMALL_GAME,
            SMALL_GAME + "&wl=7.7&p1n=Zoe&wh=AA&ex=0",
            "https://a.example/x#" + SMALL_GAME + "&ex=",
        ):
            history = turn_url.read(url).value
            assert turn_url.write(turn_url.history_of(turn_url.replay(history).value.game)) == url

    def test_only_the_playable_turns_are_written(self):
        game = turn_url.replay(turn_url.read(SMALL_GAME + "&ex=&wl=0.0&wh=AA").value).value.game
        assert turn_url.write(turn_url.history_of(game)) == SMALL_GAME + "&ex="

    def test_a_game_from_elsewhere_has_no_history(self):
        game = turn_url.replay(turn_url.read(SMALL_GAME).value).value.game
        with pytest.raises(ConversionError, match="its draws don't come from a seed"):
            turn_url.history_of(replace(game, extra=()))

    def test_a_changed_game_has_no_history(self):
        game = turn_url.replay(turn_url.read(SMALL_GAME + "&wl=7.7&wh=AA").value).value.game
        other = turn_url.replay(turn_url.read(SMALL_GAME + "&wl=7.7&wv=AA").value).value.game
        with pytest.raises(ConversionError):
            turn_url.history_of(replace(game, turns=other.turns))
        with pytest.raises(ConversionError):
            turn_url.history_of(replace(game, extra=(("turn-url", "no link"),)))
