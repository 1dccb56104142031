"""Turn URLs: the format and its replay."""

import re
from dataclasses import replace

import pytest

from bot.domain.crossword.notations import turn_url
from bot.domain.crossword.notations.turn_url.bag import (
    MAX_LETTERS,
    MAX_TILES,
    SPECIFICATION,
    canonical_bag,
    read_bag,
    tile_set,
)
from bot.domain.crossword.notations.turn_url.settings import DEFAULT_BOARD, read_board
from bot.domain.crossword.notations.turn_url.url import MAX_LENGTH, ExchangeTurn, Settings, TurnUrl, WordTurn
from bot.domain.crossword.play import Direction, Exchange, Pass, PlayerName, TurnKind
from bot.domain.reading.problems import ConversionError, ParseError, RuleError
from tests.domain.crossword.notations.live_links import merge

SMALL = "gid=t&v=1&bag=A-60-1.B-30-3.C-10-4&seed=1&tn=1"
"""Player 1 has AAAAABA, player 2 ACAABAA."""


def codes(text: str) -> list[str]:
    return [warning.code for warning in turn_url.read(text).warnings]


def read_error(text: str) -> ParseError:
    with pytest.raises(ParseError) as caught:
        turn_url.read(text)
    return caught.value


def replay_error(text: str) -> RuleError:
    """Return the error that ends the replay of a URL."""
    error = turn_url.replay(turn_url.read(text).value).error
    assert error is not None
    return error


def replay_without_error(text: str) -> turn_url.Replayed:
    reading = turn_url.replay(turn_url.read(text).value)
    assert reading.error is None
    return reading.value


class TestSpecification:
    def test_the_example_of_the_specification(self):
        reading = turn_url.read("https://jtobey.github.io/sw/#gid=123&v=1&bag=en&seed=12345&tn=1")
        expected = TurnUrl(
            "123", settings=Settings(bag="en", seed="12345"), base="https://jtobey.github.io/sw/"
        )
        assert reading.value == expected
        assert reading.warnings == ()

    def test_the_example_with_a_second_hash(self):
        reading = turn_url.read("gid=123&v=1&bag=en&seed=12345#tn=1")
        assert reading.value == TurnUrl("123", settings=Settings(bag="en", seed="12345"))
        assert [warning.code for warning in reading.warnings] == ["second-hash"]

    def test_the_board_of_the_specification(self):
        board = "T.d.d.T-.D.t.D.-d.t.t.d-.t...t.-d.t.t.d-.D.t.D.-T.d.d.T"
        layout = read_board(board)
        assert (layout.rows, layout.columns, layout.start) == (7, 7, (3, 3))
        assert layout.squares[:14] == "=.'.'.=" + '.-.".-.'
        coded = layout.squares.translate(str.maketrans("'\"-=", "dtDT"))
        assert "-".join(re.findall("." * layout.columns, coded)) == board

    def test_a_full_history(self):
        url = (
            "gid=g&pid=2&v=1&p1n=Ann&p2n=Bo&p3n=Cy&board=...-.D.-...&bingo=10&bag=A-30-1.B-9-3&racksize=2"
            "&seed=s&dt=wordlist&ds=https%3A%2F%2Fa.example%2Fen.x.swdict&tn=1&wl=1.1&wh=AA&ex=0&ex="
        )
        reading = turn_url.read(url)
        assert reading.warnings == ()
        value = reading.value
        assert value.settings == Settings(
            ("Ann", "Bo", "Cy"),
            "...-.D.-...",
            10,
            "A-30-1.B-9-3",
            2,
            "s",
            "wordlist",
            "https://a.example/en.x.swdict",
        )
        assert value.player_id == 2
        assert value.turns == (WordTurn(1, 1, Direction.ACROSS, "AA"), ExchangeTurn((0,)), ExchangeTurn())
        assert value.next_turn == 4
        assert turn_url.write(value) == url

    def test_a_delta(self):
        value = turn_url.read("gid=g&tn=7&wl=0.12&bt=0.2&wv=QUA").value
        assert value == TurnUrl("g", 7, (WordTurn(0, 12, Direction.DOWN, "QUA", (0, 2)),))
        assert not value.is_history

    def test_long_tiles(self):
        value = turn_url.read("gid=g&tn=2&wl=1.2&wh=E.Qu.A.L").value
        assert value.turns == (WordTurn(1, 2, Direction.ACROSS, "E.Qu.A.L"),)

    def test_game_params_may_follow_the_turn_number(self):
        before, after = "gid=g&v=1&bag=en&seed=1&tn=1&ex=", "gid=g&tn=1&v=1&bag=en&seed=1&ex="
        assert turn_url.read(after).value == turn_url.read(before).value
        assert codes(after) == ["setting-after-number"] * 3

    def test_form_encoding(self):
        value = turn_url.read("gid=g&p1n=N%C3%A1me+17+%26+co%2b&p2n=%zz&v=1&bag=en&tn=1").value
        assert value.settings.names == ("Náme 17 & co+", "%zz")
        assert "p1n=N%C3%A1me+17+%26+co%2B&p2n=%25zz" in turn_url.write(value)


class TestWarnings:
    @pytest.mark.parametrize(
        "text",
        [
            f"#{SMALL}",
            f"<https://a.example/x?y#{SMALL}>",
            f"  {SMALL}\n",
            SMALL.replace("&", "&amp;"),
            f"https://a.example/?{SMALL}",
            SMALL[:20] + "\r\n   " + SMALL[20:],
            "v=1&" + SMALL.replace("v=1&", ""),
            SMALL + "&tn=1",
            SMALL.replace("seed=1", "seed=1&seed=2"),
            SMALL + "&gid=t",
            SMALL.replace("v=1", "v=1&pid=x&bingo=&p2n=Bo"),
            SMALL + "&wl=7.7",
        ],
    )
    def test_odd_spellings(self, text):
        value = turn_url.read(text).value
        assert (value.game_id, value.settings, value.turns) == ("t", turn_url.read(SMALL).value.settings, ())

    @pytest.mark.parametrize("seed", ["", "&seed="])
    def test_a_missing_seed(self, seed):
        assert codes(f"gid=g&bag=en{seed}&tn=1") == ["missing-seed"]
        assert (
            turn_url.read(f"gid=g&bag=en{seed}&tn=1").value == turn_url.read("gid=g&bag=en&seed=g&tn=1").value
        )
        assert codes("gid=g&tn=2&ex=") == []

    def test_a_missing_bag(self):
        assert codes("gid=g&seed=1&tn=1") == ["missing-bag"]
        spanish = "gid=g&dt=wordlist&ds=https://a.example/es.x.swdict&tn=1"
        assert replay_without_error(spanish).game.rules.distribution.name == "turn-url-es"
        assert replay_without_error(spanish).game.rules.lexicon == "es.x"
        assert replay_without_error("gid=g&tn=1").game.rules.distribution.name == "turn-url-en"

    def test_a_language_found_from_the_plays(self):
        # Without a bag the tiles may be those of any language; the plays determine it.
        whole = replay_without_error("gid=g&bag=es&tn=1")
        rack, distribution = whole.racks[0][0], whole.game.rules.distribution
        word = ".".join(distribution.letters[tile].text for tile in rack if tile)
        reading = turn_url.replay(turn_url.read(f"gid=g&tn=1&wl=7.7&wh={word}").value)
        assert reading.error is None
        assert reading.value.game.rules.distribution.name == "turn-url-es"
        assert [warning.code for warning in reading.warnings] == ["bag-by-turns"]

    def test_a_letter_without_numbers(self):
        # In the specification, bag=en.Q has one Q worth one point; Q is not removed.
        game = replay_without_error("gid=g&bag=en.Q&tn=1").game
        letter = game.rules.distribution.letters[game.rules.distribution.numbers["Q"]]
        assert (letter.count, letter.points) == (1, 1)
        assert codes("gid=g&bag=en.Q&seed=1&tn=1") == ["bare-letter"]

    def test_a_blank_for_a_letter_outside_the_bag(self):
        url = "gid=t&v=1&bag=A-60-1.-40-0&seed=1&tn=1&wl=7.7&bt=0&wh=XA"
        reading = turn_url.replay(turn_url.read(url).value)
        assert [warning.code for warning in reading.warnings] == ["unlisted-letter"]
        position = reading.value.game.position_at(1)
        assert position.rules.distribution.text(position.board.at(7, 7)) == "x"
        assert position.players[0].score == 1

    def test_turns_after_the_end(self):
        url = "gid=t&v=1&bag=A-2-1.B-2-3&racksize=2&board=....-....&seed=1&tn=1&wl=1.1&wh=%s&ex="
        rack = replay_without_error(url.partition("&wl")[0]).racks[0][0]
        word = "".join("?AB"[tile] for tile in rack)
        reading = turn_url.replay(turn_url.read(url % word).value)
        assert reading.value.over
        assert [warning.code for warning in reading.warnings] == ["after-end"]

    def test_unknown_params_are_stored(self):
        url = "gid=g&v=1&bag=en&seed=1&zz=1%26&tn=1&yy=2&ex=&xx=3"
        assert codes(url) == ["unknown-param"] * 3
        assert turn_url.write(turn_url.read(url).value) == url

    def test_warnings_have_locations(self):
        (warning,) = turn_url.read("https://a.example/#gid=g&v=1&seed=1&zz=1&bag=en&tn=1").warnings
        assert (warning.line, warning.column) == (1, 40)


class TestErrors:
    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("", "missing-fragment"),
            ("hello", "missing-fragment"),
            ("https://a.example/#v=1&tn=1", "missing-game-id"),
            ("gid=&tn=1", "missing-game-id"),
            ("gid=a&tn=1&gid=b", "duplicate-game-id"),
            ("gid=a&v=2&tn=1", "unsupported-version"),
            ("gid=a&bag=en&tn=0", "malformed-turn-number"),
            ("gid=a&bag=en&tn=1.5", "malformed-turn-number"),
            ("gid=a&bag=en&tn=" + "9" * 5000, "malformed-turn-number"),
            ("gid=a&bag=en&tn=٣", "malformed-turn-number"),
            ("gid=a&bag=en&tn=1&tn=2", "duplicate-turn-number"),
            ("gid=a&bag=en&wl=7.7&wh=AA&tn=1", "turn-before-number"),
            ("gid=a&bag=en&racksize=0&tn=1", "malformed-number"),
            ("gid=a&bag=en&racksize=101&tn=1", "malformed-number"),
            ("gid=a&bag=en&bingo=abc&tn=1", "malformed-number"),
            ("gid=a&bag=en&bingo=" + "1" * 5000 + "&tn=1", "malformed-number"),
            ("gid=a&bag=fr&tn=1", "unknown-language"),
            ("gid=a&bag=A-1-1.A-2&tn=1", "duplicate-letter"),
            ("gid=a&bag=A-9999999-1&tn=1", "number-too-large"),
            (f"gid=a&bag=A-{MAX_TILES + 1}-1&tn=1", "too-many-tiles"),
            ("gid=a&bag=" + "X" * 60 + "-1-1&tn=1", "letter-too-long"),
            (
                "gid=a&bag=" + ".".join(f"A{n}-1-1" for n in range(MAX_LETTERS + 1)) + "&tn=1",
                "too-many-letters",
            ),
            ("gid=a&bag=en&board=..-.&tn=1", "row-width"),
            ("gid=a&bag=en&board=..-.x&tn=1", "unknown-square"),
            ("gid=a&bag=en&board=" + "." * 51 + "&tn=1", "board-size"),
            ("gid=a&bag=en&board=" + "-".join("." * 51) + "&tn=1", "board-size"),
            ("gid=a&bag=en&tn=1&wh=AA", "word-without-location"),
            ("gid=a&bag=en&tn=1&ex=&wh=AA", "word-without-location"),
            ("gid=a&bag=en&tn=1&wl=7.7&wh=AA&wv=AA", "duplicate-word"),
            ("gid=a&bag=en&tn=1&wl=7.7&bt=0&bt=1&wv=AA", "duplicate-blanks"),
            ("gid=a&bag=en&tn=1&wl=7.7&bt=x&wv=AA", "malformed-positions"),
            ("gid=a&bag=en&tn=1&wl=7.7&bt=1.1&wv=AA", "duplicate-position"),
            ("gid=a&bag=en&tn=1&wl=H8&wv=AA", "malformed-location"),
            ("gid=a&bag=en&tn=1&wl=7.7777&wv=AA", "malformed-location"),
            ("gid=a&bag=en&tn=1&wl=7.7&wv=", "malformed-word"),
            ("gid=a&bag=en&tn=1&ex=0.0", "duplicate-position"),
            ("gid=a&bag=en&tn=1&ex=-1", "malformed-positions"),
            ("gid=a&bag=en&tn=1" + "&ex=" * 2001, "too-many-turns"),
            ("gid=a&bag=en&tn=1" + "&a=" * 10_001, "too-many-params"),
            ("gid=" + "a" * MAX_LENGTH, "too-long"),
        ],
    )
    def test_malformed(self, text, code):
        assert read_error(text).code == code

    def test_the_location_of_an_error(self):
        error = read_error("https://a.example/#gid=a&v=1&bag=en\n&tn=x")
        assert (error.line, error.column) == (2, 5)

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
    def test_turns_that_break_the_rules(self, turns, code):
        assert replay_error(SMALL + turns).code == code

    @pytest.mark.parametrize("word", ["BB", "AAAAAAA"])
    def test_a_word_tried_against_a_hidden_rack_reveals_nothing(self, word):
        error = replay_error(SMALL + f"&ex=&wl=7.7&wh={word}")
        assert error.message == "turn 2 doesn't fit the draws of this game"
        assert set(error.values) == {"turn"}

    def test_the_turns_before_an_error_are_returned(self):
        reading = turn_url.replay(turn_url.read(SMALL + "&wl=7.7&wh=AA&ex=0&wl=0.0&wh=AA&ex=").value)
        assert len(reading.value.game.turns) == 2
        assert reading.error is not None
        assert (reading.error.code, reading.error.line) == ("not-touching", 1)
        assert reading.error.column == len(SMALL + "&wl=7.7&wh=AA&ex=0&wl=") + 1
        assert not reading.value.over

    def test_too_few_tiles(self):
        error = replay_error("gid=g&bag=A-13-1&tn=1")
        assert (error.code, error.column) == ("too-few-tiles", 11)

    def test_an_exchange_of_more_than_the_bag(self):
        assert replay_error("gid=g&bag=A-15-1&tn=1&ex=0.1").code == "exchange-bag"
        assert replay_without_error("gid=g&bag=A-15-1&tn=1&ex=0").bag_counts == (1, 1)

    def test_nine_players(self):
        names = "&".join(f"p{number}n=x" for number in range(1, 10))
        with pytest.raises(RuleError) as caught:
            turn_url.replay(turn_url.read(f"gid=g&{names}&bag=en&tn=1").value)
        assert caught.value.code == "too-many-players"
        assert caught.value.column == len("gid=g&" + names)

    def test_a_delta_without_its_history(self):
        with pytest.raises(ConversionError, match="starts at turn 2"):
            turn_url.replay(turn_url.read("gid=g&tn=2&ex=").value)


class TestBag:
    @pytest.mark.parametrize(
        ("bag", "written"),
        [
            ("en", "en"),
            ("en.Z-4.A--9.Q-", "en.A--9.Q-.Z-4"),
            ("es.-12-0.Qu-9", "es.-12.Qu-9"),
            ("A-1-1.B--2.C-3", "A-1-1.B-1-2.C-3-1"),
            ("en.A", "en.A"),
            ("A-1-1.-2-0", "A-1-1.-2-0"),
        ],
    )
    def test_canonical(self, bag, written):
        assert canonical_bag(bag, 225) == written
        assert read_bag(written, 225).letters == read_bag(bag, 225).letters

    def test_a_bag_that_the_board_changes_stays(self):
        assert canonical_bag("en.Z-4.A--9", 49) == "en.Z-4.A--9"

    def test_the_order_of_letters_is_the_order_of_the_bag(self):
        # The draws depend on it, so a shorter spelling with another order is not a spelling.
        letters = read_bag("en", 225).letters
        turned = ".".join(f"{letter.text}-{letter.count}-{letter.points}" for letter in reversed(letters))
        assert canonical_bag(turned, 225) == turned

    def test_every_written_tile_is_distinct(self):
        bag = ".".join(
            f"{letter}-2-1" for letter in ("?", "[?]", "é", "É", "[é]", "Qu", "QU", "İ", "ß", "1", "ſ", "S")
        )
        letters = tile_set(read_bag(f"{bag}.-2-3", 225, SPECIFICATION).letters).distribution.letters
        texts = [letter.text for letter in letters] + [letter.blank_text for letter in letters[1:]]
        assert len(set(texts)) == len(texts)
        assert (letters[0].text, letters[0].count, letters[0].points) == ("?", 2, 3)

    def test_a_blank_with_points(self):
        url = "gid=t&v=1&bag=A-60-1.-40-3&seed=1&tn=1&wl=7.7&bt=0&wh=AA"
        assert codes(url) == ["blank-with-points"]
        assert replay_without_error(url).game.turns[0].score == 4


class TestNames:
    def test_default_names(self):
        assert turn_url.read(SMALL).value.settings.player_names == ("Player 1", "Player 2")
        assert turn_url.read(SMALL.replace("v=1", "p1n=Player+1&p2n=Player+2")).value.settings.names == ()

    def test_names_changed_in_the_game(self):
        result = replay_without_error(SMALL + "&p1n=Zoe&ex=&p2n=Cy&wl=7.7&p1n=Ann+Lee&wv=AA")
        assert result.names == (("Zoe", "Player 2"), ("Zoe", "Cy"), ("Ann Lee", "Cy"))
        assert result.game.names == (PlayerName("Ann_Lee", "Ann Lee"), PlayerName("Cy", "Cy"))

    def test_equal_names_get_different_nicks(self):
        names = replay_without_error(SMALL.replace("v=1", "p1n=A+B&p2n=A+B&p3n=A_B")).game.names
        assert [name.nick for name in names] == ["A_B", "A_B_2", "A_B_3"]

    @pytest.mark.parametrize("count", [1, 2, 5, 8])
    def test_any_number_of_players(self, count):
        names = "&".join(f"p{number}n=x{number}" for number in range(1, count + 1))
        result = replay_without_error(SMALL.replace("v=1", names) + "&ex=" * (count + 1))
        assert [turn.player for turn in result.game.turns] == [*range(count), 0]
        assert len(result.racks[0]) == count


class TestSettingsInTheGame:
    def test_the_bonus(self):
        rack = "AAAAABA"
        usual_score = replay_without_error(f"{SMALL}&wl=7.7&wh={rack}").game.turns[0].score
        assert (
            replay_without_error(f"{SMALL}&wl=7.7&bingo=0&wh={rack}").game.turns[0].score == usual_score - 42
        )

    def codes_of_change(self, change):
        """Return the warning codes for a change in the second turn of a game."""
        first, second = turn_url.read(SMALL + "&ex=").value, turn_url.read(f"gid=t&{change}&tn=2&ex=").value
        history = merge(first, second).history
        assert history is not None
        assert len(history.turns) == 2
        return [warning.code for warning in turn_url.replay(history).warnings]

    @pytest.mark.parametrize("change", ["bag=es", "bag=zz", "board=...-...", "racksize=9", "seed=2"])
    def test_settings_that_cannot_change(self, change):
        assert self.codes_of_change(change) == ["setting-kept"]

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
    def test_settings_that_stay_or_may_change(self, change):
        assert self.codes_of_change(change) == []


class TestSecrecy:
    """Other players' racks are secret during the game, although they follow from the seed."""

    URL = SMALL + "&wl=7.7&wh=AAB&ex=0.1&ex="

    def test_hidden_racks(self):
        game = replay_without_error(self.URL).game
        play, exchange, passed = game.turns
        assert (play.rack, play.rack_unknown) == ((1, 1, 2), 4)
        assert (exchange.rack, exchange.rack_unknown, exchange.play) == ((), 7, Exchange(unknown=2))
        assert (passed.rack, passed.rack_unknown, passed.play) == ((), 7, Pass())
        assert game.shown_racks == ()
        for position in game.positions():
            assert all(len(player.rack) in {0, 3} for player in position.players)
        assert [player.rack for player in game.position_at(3).players] == [(), ()]

    def test_the_repr_has_no_racks(self):
        result = replay_without_error(self.URL)
        assert "racks=" not in repr(result).replace("shown_racks=", "")

    def test_a_player_sees_the_own_rack(self):
        history = turn_url.read(self.URL).value
        result = turn_url.replay(history, reveal=[1]).value
        play, exchange, passed = result.game.turns
        assert (play.rack_unknown, passed.rack_unknown) == (4, 7)
        assert len(exchange.rack) == 7
        position = result.game.position_at(3)
        assert position.players[1].rack == result.racks[3][1]
        assert position.players[0].rack == ()

    def test_an_unknown_seat_reveals_nothing(self):
        history = turn_url.read(self.URL).value
        assert turn_url.replay(history, reveal=[7, -1]) == turn_url.replay(history)

    def test_a_game_that_stopped_at_an_error_stays_hidden(self):
        url = "gid=g&bag=A-1-1&racksize=1&p1n=a&p2n=b&tn=1"
        reading = turn_url.replay(turn_url.read(url).value)
        assert reading.error is not None
        assert not reading.value.over


class TestTheEnd:
    def test_a_player_goes_out(self):
        head = "gid=t&v=1&p1n=a&p2n=b&p3n=c&bag=A-5-1.B-1-3.-0-2&racksize=2&board=....-....&seed=1&tn=1"
        racks = replay_without_error(head).racks[0]
        word = "".join("?AB"[tile] for tile in racks[0])
        result = replay_without_error(f"{head}&wl=1.1&wh={word}")
        out, second, third = result.game.turns[1:]
        points = [sum((0, 1, 3)[tile] for tile in rack) for rack in racks]
        assert result.over
        assert (out.player, out.kind, out.score) == (0, TurnKind.END_RACK_POINTS, points[1] + points[2])
        assert out.tiles == racks[1] + racks[2]
        assert [(turn.player, turn.kind, turn.tiles, turn.score) for turn in (second, third)] == [
            (1, TurnKind.END_RACK_PENALTY, racks[1], -points[1]),
            (2, TurnKind.END_RACK_PENALTY, racks[2], -points[2]),
        ]
        assert result.game.turns[0].rack == racks[0]

    def test_passes_do_not_end_a_game(self):
        result = replay_without_error(SMALL + "&ex=" * 20)
        assert not result.over
        assert not result.game.position_at(20).is_over

    def test_a_pass_changes_the_next_draws(self):
        # The same exchange after a pass draws other tiles than without it.
        seeds = range(20)
        url = "gid=t&bag=en&seed={}&tn=1{}&ex=0.1.2.3.4.5.6"
        assert any(
            replay_without_error(url.format(seed, "&ex=&ex=")).racks[-1][0]
            != replay_without_error(url.format(seed, "")).racks[-1][0]
            for seed in seeds
        )


class TestBackToTheUrl:
    def test_a_game_keeps_its_history(self):
        for url in (SMALL, SMALL + "&wl=7.7&p1n=Zoe&wh=AA&ex=0", "https://a.example/x#" + SMALL + "&ex="):
            history = turn_url.read(url).value
            assert turn_url.write(turn_url.history_of(turn_url.replay(history).value.game)) == url

    def test_only_the_playable_turns_are_written(self):
        game = turn_url.replay(turn_url.read(SMALL + "&ex=&wl=0.0&wh=AA").value).value.game
        assert turn_url.write(turn_url.history_of(game)) == SMALL + "&ex="

    def test_a_game_from_elsewhere(self):
        game = turn_url.replay(turn_url.read(SMALL).value).value.game
        with pytest.raises(ConversionError, match="its draws don't come from a seed"):
            turn_url.history_of(replace(game, extra=()))

    def test_a_game_that_was_changed(self):
        game = turn_url.replay(turn_url.read(SMALL + "&wl=7.7&wh=AA").value).value.game
        other = turn_url.replay(turn_url.read(SMALL + "&wl=7.7&wv=AA").value).value.game
        with pytest.raises(ConversionError):
            turn_url.history_of(replace(game, turns=other.turns))
        with pytest.raises(ConversionError):
            turn_url.history_of(replace(game, extra=(("turn-url", "no link"),)))
