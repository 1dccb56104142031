"""Turn URLs: the format, its bag of tiles, and the names of the players."""

import re

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
from bot.domain.crossword.notations.turn_url.settings import bag_readings, implied_bag, read_board
from bot.domain.crossword.notations.turn_url.url import (
    MAX_LENGTH,
    ExchangeTurn,
    GameSettings,
    TurnUrl,
    WordTurn,
)
from bot.domain.crossword.play import Direction, PlayerName
from bot.domain.reading.problems import ParseError
from tests.domain.crossword.notations.live_links import drawn_racks, names_by_turn

SMALL_GAME = "gid=t&v=1&bag=A-60-1.B-30-3.C-10-4&seed=1&tn=1"
"""Player 1 draws AAAAABA, and player 2 draws ACAABAA."""


def warning_codes(text: str) -> list[str]:
    return [warning.code for warning in turn_url.read(text).warnings]


def read_error(text: str) -> ParseError:
    with pytest.raises(ParseError) as caught:
        turn_url.read(text)
    return caught.value


def replay_without_error(text: str) -> turn_url.ReplayedGame:
    reading = turn_url.replay(turn_url.read(text).value)
    assert reading.error is None
    return reading.value


class TestSpecification:
    def test_the_example_in_the_specification_is_read(self):
        reading = turn_url.read("https://jtobey.github.io/sw/#gid=123&v=1&bag=en&seed=12345&tn=1")
        expected = TurnUrl(
            "123", settings=GameSettings(bag="en", seed="12345"), base="https://jtobey.github.io/sw/"
        )
        assert reading.value == expected
        assert reading.warnings == ()

    def test_a_second_hash_gives_a_warning(self):
        reading = turn_url.read("gid=123&v=1&bag=en&seed=12345#tn=1")
        assert reading.value == TurnUrl("123", settings=GameSettings(bag="en", seed="12345"))
        assert [warning.code for warning in reading.warnings] == ["second-hash"]

    def test_the_board_in_the_specification_is_read(self):
        board = "T.d.d.T-.D.t.D.-d.t.t.d-.t...t.-d.t.t.d-.D.t.D.-T.d.d.T"
        layout = read_board(board)
        assert (layout.rows, layout.columns, layout.start) == (7, 7, (3, 3))
        assert layout.squares[:14] == "=.'.'.=" + '.-.".-.'
        board_codes = layout.squares.translate(str.maketrans("'\"-=", "dtDT"))
        assert "-".join(re.findall("." * layout.columns, board_codes)) == board

    def test_a_history_with_every_param_round_trips(self):
        url = (
            "gid=g&pid=2&v=1&p1n=Ann&p2n=Bo&p3n=Cy&board=...-.D.-...&bingo=10&bag=A-30-1.B-9-3&racksize=2"
            "&seed=s&dt=wordlist&ds=https%3A%2F%2Fa.example%2Fen.x.swdict&tn=1&wl=1.1&wh=AA&ex=0&ex="
        )
        reading = turn_url.read(url)
        assert reading.warnings == ()
        value = reading.value
        assert value.settings == GameSettings(
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
        assert value.next_turn_number == 4
        assert turn_url.write(value) == url

    def test_a_delta_has_only_later_turns(self):
        value = turn_url.read("gid=g&tn=7&wl=0.12&bt=0.2&wv=QUA").value
        assert value == TurnUrl("g", 7, (WordTurn(0, 12, Direction.DOWN, "QUA", (0, 2)),))
        assert not value.is_history

    def test_a_word_with_multi_letter_tiles_has_dots(self):
        value = turn_url.read("gid=g&tn=2&wl=1.2&wh=E.Qu.A.L").value
        assert value.turns == (WordTurn(1, 2, Direction.ACROSS, "E.Qu.A.L"),)

    def test_settings_may_follow_the_turn_number(self):
        before, after = "gid=g&v=1&bag=en&seed=1&tn=1&ex=", "gid=g&tn=1&v=1&bag=en&seed=1&ex="
        assert turn_url.read(after).value == turn_url.read(before).value
        assert warning_codes(after) == ["setting-after-number"] * 3

    def test_a_number_may_have_thousands_of_leading_zeros(self):
        zeros = "0" * 5_000
        value = turn_url.read(f"gid=g&v=1&bag=en&bingo={zeros}35&racksize={zeros}8&tn=1").value
        assert (value.settings.bingo_bonus, value.settings.rack_size) == (35, 8)

    def test_names_are_form_encoded(self):
        value = turn_url.read("gid=g&p1n=N%C3%A1me+17+%26+co%2b&p2n=%zz&v=1&bag=en&tn=1").value
        assert value.settings.names == ("Náme 17 & co+", "%zz")
        assert "p1n=N%C3%A1me+17+%26+co%2B&p2n=%25zz" in turn_url.write(value)


class TestWarnings:
    @pytest.mark.parametrize(
        "text",
        [
            f"#{SMALL_GAME}",
            f"<https://a.example/x?y#{SMALL_GAME}>",
            f"  {SMALL_GAME}\n",
            SMALL_GAME.replace("&", "&amp;"),
            f"https://a.example/?{SMALL_GAME}",
            SMALL_GAME[:20] + "\r\n   " + SMALL_GAME[20:],
            "v=1&" + SMALL_GAME.replace("v=1&", ""),
            SMALL_GAME + "&tn=1",
            SMALL_GAME.replace("seed=1", "seed=1&seed=2"),
            SMALL_GAME + "&gid=t",
            SMALL_GAME.replace("v=1", "v=1&pid=x&bingo=&p2n=Bo"),
            SMALL_GAME + "&wl=7.7",
        ],
    )
    def test_unusual_forms_of_a_url_are_read(self, text):
        value = turn_url.read(text).value
        assert (value.game_id, value.settings, value.turns) == (
            "t",
            turn_url.read(SMALL_GAME).value.settings,
            (),
        )

    @pytest.mark.parametrize("seed", ["", "&seed="])
    def test_the_game_id_replaces_a_missing_seed(self, seed):
        assert warning_codes(f"gid=g&bag=en{seed}&tn=1") == ["missing-seed"]
        assert (
            turn_url.read(f"gid=g&bag=en{seed}&tn=1").value == turn_url.read("gid=g&bag=en&seed=g&tn=1").value
        )
        assert warning_codes("gid=g&tn=2&ex=") == []

    def test_a_missing_bag_is_deduced_from_the_word_list(self):
        assert warning_codes("gid=g&seed=1&tn=1") == ["missing-bag"]
        spanish = "gid=g&dt=wordlist&ds=https://a.example/es.x.swdict&tn=1"
        assert replay_without_error(spanish).game.rules.distribution.name == "turn-url-es"
        assert replay_without_error(spanish).game.rules.lexicon == "es.x"
        assert replay_without_error("gid=g&tn=1").game.rules.distribution.name == "turn-url-en"

    def test_a_missing_bag_is_deduced_from_the_plays(self):
        spanish_replay = replay_without_error("gid=g&bag=es&tn=1")
        rack = drawn_racks(turn_url.read("gid=g&bag=es&tn=1").value)[0]
        distribution = spanish_replay.game.rules.distribution
        word = ".".join(distribution.letters[tile].text for tile in rack if tile)
        reading = turn_url.replay(turn_url.read(f"gid=g&tn=1&wl=7.7&wh={word}").value)
        assert reading.error is None
        assert reading.value.game.rules.distribution.name == "turn-url-es"
        assert [warning.code for warning in reading.warnings] == ["bag-by-turns"]

    def test_the_tiles_that_the_format_lists_are_tried_for_a_missing_bag(self):
        _, (_, warning) = bag_readings(GameSettings(board="..."))[:2]
        assert warning is not None
        assert (
            warning.message
            == "the turns are possible only if the bag holds the 100 tiles that the format lists"
        )

    def test_a_long_address_may_precede_the_word_list(self):
        assert implied_bag(f"https://example.com/{'x' * 300}/es.fw2018.swdict") == "es"

    def test_a_long_address_is_left_out(self):
        reading = turn_url.read(f"https://example.com/{'x' * 2_000}#gid=g&seed=1&bag=en&tn=1")
        assert reading.value.base == ""
        assert [warning.message for warning in reading.warnings] == [
            "the text before the params is not a web address of at most 2,000 characters, so it is ignored"
        ]

    def test_a_letter_without_numbers_is_one_tile(self):
        # In the specification, bag=en.Q has one Q worth one point.
        game = replay_without_error("gid=g&bag=en.Q&tn=1").game
        letter = game.rules.distribution.letters[game.rules.distribution.machine_letters["Q"]]
        assert (letter.count, letter.points) == (1, 1)
        assert warning_codes("gid=g&bag=en.Q&seed=1&tn=1") == ["bare-letter"]

    def test_a_blank_may_stand_for_a_letter_outside_the_bag(self):
        url = "gid=t&v=1&bag=A-60-1.-40-0&seed=1&tn=1&wl=7.7&bt=0&wh=XA"
        reading = turn_url.replay(turn_url.read(url).value)
        assert [warning.code for warning in reading.warnings] == ["unlisted-letter"]
        position = reading.value.game.position_at(1)
        assert position.rules.distribution.text(position.board.at(7, 7)) == "x"
        assert position.players[0].score == 1

    def test_turns_after_the_end_are_left_out(self):
        url = "gid=t&v=1&bag=A-2-1.B-2-3&racksize=2&board=....-....&seed=1&tn=1&wl=1.1&wh=%s&ex="
        rack = drawn_racks(turn_url.read(url.partition("&wl")[0]).value)[0]
        word = "".join("?AB"[tile] for tile in rack)
        reading = turn_url.replay(turn_url.read(url % word).value)
        assert reading.value.is_over
        assert [warning.code for warning in reading.warnings] == ["after-end"]

    def test_unknown_params_are_stored(self):
        url = "gid=g&v=1&bag=en&seed=1&zz=1%26&tn=1&yy=2&ex=&xx=3"
        assert warning_codes(url) == ["unknown-param"] * 3
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
    def test_a_malformed_url_is_rejected(self, text, code):
        assert read_error(text).code == code

    def test_an_error_has_a_location(self):
        error = read_error("https://a.example/#gid=a&v=1&bag=en\n&tn=x")
        assert (error.line, error.column) == (2, 5)


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
    def test_a_bag_is_written_in_its_canonical_form(self, bag, written):
        assert canonical_bag(bag, 225) == written
        assert read_bag(written, 225).letters == read_bag(bag, 225).letters

    def test_a_bag_that_depends_on_the_board_is_not_shortened(self):
        assert canonical_bag("en.Z-4.A--9", 49) == "en.Z-4.A--9"

    def test_a_bag_with_its_letters_in_another_order_is_not_shortened(self):
        # The draws depend on the order, so a shorter form must have the same order.
        letters = read_bag("en", 225).letters
        reversed_bag = ".".join(
            f"{letter.text}-{letter.count}-{letter.points}" for letter in reversed(letters)
        )
        assert canonical_bag(reversed_bag, 225) == reversed_bag

    def test_every_written_tile_is_distinct(self):
        bag = ".".join(
            f"{letter}-2-1" for letter in ("?", "[?]", "é", "É", "[é]", "Qu", "QU", "İ", "ß", "1", "ſ", "S")
        )
        letters = tile_set(read_bag(f"{bag}.-2-3", 225, SPECIFICATION).letters).distribution.letters
        texts = [letter.text for letter in letters] + [letter.blank_text for letter in letters[1:]]
        assert len(set(texts)) == len(texts)
        assert (letters[0].text, letters[0].count, letters[0].points) == ("?", 2, 3)

    def test_a_blank_may_have_points(self):
        url = "gid=t&v=1&bag=A-60-1.-40-3&seed=1&tn=1&wl=7.7&bt=0&wh=AA"
        assert warning_codes(url) == ["blank-with-points"]
        assert replay_without_error(url).game.turns[0].score == 4


class TestNames:
    def test_default_names_are_not_stored(self):
        assert turn_url.read(SMALL_GAME).value.settings.player_names == ("Player 1", "Player 2")
        assert (
            turn_url.read(SMALL_GAME.replace("v=1", "p1n=Player+1&p2n=Player+2")).value.settings.names == ()
        )

    def test_names_may_change_during_a_game(self):
        history = turn_url.read(SMALL_GAME + "&p1n=Zoe&ex=&p2n=Cy&wl=7.7&p1n=Ann+Lee&wv=AA").value
        result = turn_url.replay(history).value
        assert names_by_turn(history) == [("Zoe", "Player 2"), ("Zoe", "Cy"), ("Ann Lee", "Cy")]
        assert result.game.names == (PlayerName("Ann_Lee", "Ann Lee"), PlayerName("Cy", "Cy"))

    def test_identical_names_get_different_nicks(self):
        names = replay_without_error(SMALL_GAME.replace("v=1", "p1n=A+B&p2n=A+B&p3n=A_B")).game.names
        assert [name.nick for name in names] == ["A_B", "A_B_2", "A_B_3"]

    @pytest.mark.parametrize("count", [1, 2, 5, 8])
    def test_any_number_of_players_take_turns(self, count):
        names = "&".join(f"p{number}n=x{number}" for number in range(1, count + 1))
        url = SMALL_GAME.replace("v=1", names) + "&ex=" * (count + 1)
        result = replay_without_error(url)
        assert [turn.seat for turn in result.game.turns] == [*range(count), 0]
        assert len(drawn_racks(turn_url.read(url).value)) == count
