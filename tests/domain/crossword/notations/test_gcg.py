"""GCGs as the specification and programs write them."""

import pytest

from bot.domain.crossword.notations import gcg
from bot.domain.crossword.notations.gcg.lines import MAX_LENGTH, MAX_LINES
from bot.domain.crossword.play import (
    THROUGH,
    Coordinate,
    Direction,
    Exchange,
    Pass,
    Placement,
    Turn,
    TurnKind,
)
from bot.domain.crossword.position import empty_board
from bot.domain.crossword.rules import EndScoring, load_distribution
from bot.domain.reading.problems import ParseError
from tests.domain.crossword.games import tiles
from tests.domain.crossword.notations.gcg_texts import (
    OPENING,
    PLAYERS,
    board_row,
    read_error,
    read_without_faults,
    warning_codes,
)


class TestEvents:
    def test_a_play_is_read_with_its_rack_and_coordinate(self):
        game = read_without_faults(PLAYERS + ">alice: ANTHER? 8D ANoTHER +70 70\n")
        turn = game.turns[0]
        assert turn == Turn(
            0,
            TurnKind.PLAY,
            tiles("ANTHER?"),
            play=Placement(Coordinate(7, 3, Direction.ACROSS), (*tiles("AN"), -15, *tiles("THER"))),
            score=70,
            cumulative=70,
        )
        assert turn.line == 3
        assert board_row(game, 7) == "...ANoTHER....."

    def test_a_pass_counts_as_a_scoreless_turn(self):
        game = read_without_faults(PLAYERS + ">alice: U - +0 0\n")
        assert game.turns[0].play == Pass()
        assert game.position_at(1).scoreless_turns == 1

    @pytest.mark.parametrize(
        ("written", "exchange"),
        [
            ("-QO", Exchange(tiles("QO"))),
            ("-2", Exchange(unknown_count=2)),
            ("-Q_", Exchange(tiles("Q"), 1)),
            ("-__", Exchange(unknown_count=2)),
            ("-Q?", Exchange(tiles("Q?"))),
        ],
    )
    def test_an_exchange_names_or_counts_its_tiles(self, written, exchange):
        game = read_without_faults(PLAYERS + f">alice: SEQSPO? {written} +0 0\n")
        assert game.turns[0].play == exchange

    def test_a_withdrawn_phony_leaves_the_board(self):
        game = read_without_faults(OPENING + ">alice: ABDELRW -- -84 0\n>bob: HI 8G HI +10 10\n")
        assert game.turns[1].kind is TurnKind.PHONY_WITHDRAWN
        before, after = game.position_at(1), game.position_at(2)
        assert before.board.tile_count == 7
        assert after.board == empty_board(15, 15)
        assert after.last_play is not None
        assert after.last_play.withdrawn
        assert after.last_play.score == 84
        assert after.scoreless_turns == 1
        assert after.on_turn == before.on_turn == 1
        assert sorted(after.players[0].rack) == sorted(tiles("WARBLED"))
        assert [player.score for player in after.players] == [0, 0]

    def test_a_challenge_bonus_is_added_to_the_score(self):
        game = read_without_faults(OPENING + ">alice: DROWNUG (challenge) +5 89\n")
        assert game.turns[1].rack == tiles("DROWNUG")
        position = game.position_at(2)
        assert position.last_play is not None
        assert position.last_play.challenge_bonus == 5
        assert position.on_turn == 1
        assert position.players[0].score == 89
        assert position.players[0].rack == (), "the drawn tiles must stay hidden from the opponent"

    @pytest.mark.parametrize("rack", ["", "UNKNOWN"])
    def test_a_challenge_bonus_may_lack_a_rack(self, rack):
        assert read_without_faults(OPENING + f">alice: {rack} (challenge) +10 94\n").turns[1].rack == ()

    def test_points_for_the_tiles_left_are_read(self):
        turn = read_without_faults(OPENING + ">alice: (G) +4 88\n").turns[1]
        assert (turn.kind, turn.counted_tiles, turn.score) == (TurnKind.END_RACK_POINTS, tiles("G"), 4)

    def test_points_for_the_tiles_left_imply_the_end_scoring(self):
        game = read_without_faults(OPENING + ">alice: (G) +2 86\n>bob: G (G) -2 -2\n")
        assert game.rules.end_scoring is EndScoring.EACH_WAY
        assert read_without_faults(OPENING + ">alice: (G) +4 88\n").rules.end_scoring is EndScoring.TWICE

    def test_a_penalty_for_the_tiles_left_is_read(self):
        turn = read_without_faults(OPENING + ">bob: FWLI (FWLI) -10 -10\n").turns[1]
        assert (turn.kind, turn.rack, turn.counted_tiles) == (
            TurnKind.END_RACK_PENALTY,
            tiles("FWLI"),
            tiles("FWLI"),
        )

    @pytest.mark.parametrize(
        "line", [" ISBALI (time) -10 74", "  (time) -10 74", " (TIME) +-10 74", " (TIME) +−10 74"]
    )
    def test_a_time_penalty_is_read_in_every_form(self, line):
        turn = read_without_faults(OPENING + f">alice:{line}\n").turns[1]
        assert (turn.kind, turn.score, turn.cumulative) == (TurnKind.TIME_PENALTY, -10, 74)

    @pytest.mark.parametrize(
        ("line", "kind"),
        [
            (">alice: (TIME) +12 96", TurnKind.END_RACK_POINTS),
            (">bob: TIME (TIME) -6 -6", TurnKind.END_RACK_PENALTY),
            (">bob: EIMT (TIME) -6 -6", TurnKind.END_RACK_PENALTY),
        ],
    )
    def test_tiles_that_spell_time_are_not_a_time_penalty(self, line, kind):
        game = gcg.read(OPENING + line).value
        assert (game.turns[1].kind, game.turns[1].counted_tiles) == (kind, tiles("TIME"))
        assert gcg.read(gcg.write(game)).value == game

    def test_unknown_tiles_on_a_rack_are_counted(self):
        turn = read_without_faults(PLAYERS + ">alice: AB_ 8H AB +8 8\n").turns[0]
        assert (turn.rack, turn.rack_unknown_count) == (tiles("AB"), 1)

    def test_racks_may_be_missing(self):
        game = read_without_faults(
            PLAYERS + ">alice:  8H AB +8 8\n>bob:  - +0 0\n>alice: -3 +0 8\n>bob: - +0 0\n"
        )
        assert [turn.rack for turn in game.turns] == [()] * 4


class TestWords:
    @pytest.mark.parametrize("word", [".EE", "(W)EE", "WEE", "wEE", "|W|E|E|", "|(W)|E|E|", "|.|E|E|"])
    def test_tiles_played_through_have_several_forms(self, word):
        game = read_without_faults(OPENING + f">bob: EE D8 {word} +6 6\n")
        assert game.turns[1].play == Placement(Coordinate(7, 3, Direction.DOWN), (THROUGH, *tiles("EE")))

    @pytest.mark.parametrize("coordinate", ["D8", "d8"])
    def test_coordinates_may_be_in_lowercase(self, coordinate):
        read_without_faults(OPENING + f">bob: EE {coordinate} .EE +6 6\n")

    def test_a_word_includes_the_tile_right_before_it(self):
        text = OPENING + ">bob: EE D9 EE +6 6\n"
        assert warning_codes(text) == ["word-goes-on"]
        assert str(gcg.read(text).value.turns[1].play.start) == "D8"

    def test_rows_may_have_letters(self):
        across = read_without_faults(
            "#orientation lettered-rows\n" + PLAYERS + ">alice: ABDELRW H4 WARBLED +84 84\n"
        )
        assert across.turns == read_without_faults(OPENING).turns
        down = read_without_faults(
            "#orientation lettered-rows\n" + PLAYERS + ">alice: ABDELRW 8D WARBLED +84 84\n"
        )
        assert down.turns[0].play.start == Coordinate(3, 7, Direction.DOWN)

    def test_a_list_of_words_may_follow_the_scores(self):
        read_without_faults(OPENING.rstrip() + "  WARBLED\n>bob: AX 9D AX +23 23 AX, WA, ax.\n")

    @pytest.mark.parametrize("after", ["WARBLED, AX", "nice", "84", "#note nice"])
    def test_other_text_after_the_scores_is_reported(self, after):
        assert warning_codes(f"{PLAYERS}>alice: ABDELRW 8D WARBLED +84 84 {after}\n") == ["text-after-scores"]

    @pytest.mark.parametrize("word", ["GORIL·LA", "|G|O|R|I|L·L|A|", "G|O|R|I|L·L|A", "GORI[L·L]A"])
    def test_multi_letter_tiles_are_read_in_every_form(self, word):
        game = read_without_faults(
            "#tile-distribution catalan\n#tile L·L l·l\n" + PLAYERS + f">alice: AGIL·LOR 8D {word} +40 40\n"
        )
        distribution = load_distribution("catalan")
        play = game.turns[0].play
        assert [distribution.text(tile) for tile in play.tiles] == ["G", "O", "R", "I", "L·L", "A"]

    def test_a_tile_may_be_declared_in_brackets(self):
        game = read_without_faults(
            "#lexicon FISE2\n#tile [CH] [ch]\n" + PLAYERS + ">alice: ?A[CH] 8G [CH]As +12 12\n"
        )
        assert [game.rules.distribution.text(tile) for tile in game.turns[0].play.tiles] == ["CH", "A", "s"]

    @pytest.mark.parametrize(
        ("name", "declaration", "code"),
        [
            ("english", "QU qu", "tile-not-in-set"),
            ("english", "T t", "needless-tile"),
            ("english", "T", "needless-tile"),
            ("catalan", "L·L ll", "needless-tile"),
        ],
    )
    def test_an_unneeded_tile_declaration_is_left_out_with_a_warning(self, name, declaration, code):
        text = f"#tile-distribution {name}\n#tile {declaration}\n{PLAYERS}"
        assert [(warning.code, warning.line) for warning in gcg.read(text).warnings] == [(code, 2)]
        assert f"#tile {declaration}\n" not in gcg.write(gcg.read(text).value)

    @pytest.mark.parametrize(
        ("name", "declaration", "written"),
        [
            ("catalan", "L·L l·l", "L·L l·l"),
            ("catalan", "[L·L]", "L·L l·l"),
            ("spanish", "CH ch", "[CH] [ch]"),
            ("spanish", "[CH] [ch]", "[CH] [ch]"),
            ("korean", "ᅱ [ᅱ]", "ᅱ [ᅱ]"),
        ],
    )
    def test_a_needed_tile_declaration_is_written_back(self, name, declaration, written):
        game = read_without_faults(f"#tile-distribution {name}\n#tile {declaration}\n{PLAYERS}")
        assert f"#tile {written}\n" in gcg.write(game)

    def test_a_blank_may_stand_for_a_multi_letter_tile(self):
        game = read_without_faults("#tile-distribution catalan\n" + PLAYERS + ">alice: ?A 8G quA +2 2\n")
        assert game.turns[0].play.tiles == tiles("quA", load_distribution("catalan"))

    def test_combining_accents_are_joined_to_their_letters(self):
        text = "#lexicon OSPS49\n" + PLAYERS + ">alice: S\u0301OZA 8G S\u0301OZA +16 16\n"
        reading = gcg.read(text)
        assert [warning.code for warning in reading.warnings] == ["combining-accents"]
        assert board_row(reading.value, 7) == "......ŚOZA....."


class TestFaults:
    @pytest.mark.parametrize(
        ("events", "code", "column"),
        [
            (">alice: ABDELRW 8D WARBLED +85 85", "score-differs", 28),
            (">alice: ABDELRW 8D WARBLED +84 85", "cumulative-differs", 32),
            (">alice: ABDELRX 8D WARBLED +84 84", "not-on-rack", 9),
            (">alice: AABDELRW 8D WARBLED +84 84", "long-rack", 9),
            (">alice: ZZA 8H ZA +22 22", "too-many-tiles", 9),
            (">alice: aBDELRW 8D WARBLED +84 84", "small-letter-on-rack", 9),
            (">alice: AB#DELRW 8D WARBLED +84 84", "malformed-rack", 11),
            (">alice: ABC -ABCD +0 0", "not-on-rack", 9),
            (">alice: ABDELRW 8D WARBLED", "missing-score", 1),
            (">alice: ABC - +3 3", "score-differs", 15),
        ],
    )
    def test_a_fault_in_the_first_event_gives_a_warning(self, events, code, column):
        reading = gcg.read(PLAYERS + events + "\n")
        assert reading.error is None
        assert [(warning.code, warning.line, warning.column) for warning in reading.warnings] == [
            (code, 3, column)
        ]

    @pytest.mark.parametrize("rack", ["A" * 101, "_" * 101, "A" * 5_000])
    def test_a_rack_of_too_many_tiles_is_ignored(self, rack):
        reading = gcg.read(f"{PLAYERS}>alice: {rack} 8D WARBLED +84 84\n#rack2 {rack}\n")
        assert [(warning.line, warning.message) for warning in reading.warnings] == [
            (3, "a rack of more than 100 tiles is ignored"),
            (4, "a rack of more than 100 tiles is ignored"),
        ]

    @pytest.mark.parametrize("length", [16, 101, 5_000])
    def test_a_word_longer_than_the_board_runs_off_the_board(self, length):
        reading = gcg.read(f"{PLAYERS}>alice: ABDELRW 8A {'A' * length} +84 84\n")
        assert str(reading.error) == "the play at 8A runs off the 15 × 15 board"

    @pytest.mark.parametrize("tiles", ["-101", "-" + "_" * 101])
    def test_an_exchange_of_more_tiles_than_the_set_has_is_rejected(self, tiles):
        reading = gcg.read(f"{PLAYERS}>alice: ABDELRW {tiles} +0 0\n")
        assert str(reading.error) == "101 tiles can't be exchanged; a rack has 7"

    def test_leading_zeros_do_not_change_the_number_of_exchanged_tiles(self):
        reading = gcg.read(f"{PLAYERS}>alice: ABDELRW -{'0' * 5_000}3 +0 0\n")
        assert reading.error is None
        assert reading.value.turns[0].play == Exchange(unknown_count=3)

    def test_a_wrong_stated_score_is_stored_with_a_warning(self):
        reading = gcg.read(PLAYERS + ">alice: ABDELRW 8D WARBLED +85 85\n")
        assert reading.warnings[0].message == "the score is 84, not 85"
        assert reading.value.turns[0].score == 85

    @pytest.mark.parametrize(
        ("events", "code"),
        [
            (">alice: AB - +0 84", "off-turn"),
            (">bob: ABDELRW (challenge) +5 5", "no-play-to-challenge"),
            (">alice: (G) +3 87", "score-differs"),
            (">bob: G (H) -4 -4", "end-rack-differs"),
            (">alice: (time) -10 74\n>alice: (time) -10 64", "second-time-penalty"),
            (">alice: (time) -10 74\n>bob: AB - +0 0", "after-time-penalty"),
            (">alice: (time) +10 94", "positive-penalty"),
            (">alice: ABDELRX -- -84 0", "phony-rack"),
            (">alice: ABDELRW -- +0 0", "score-differs"),
        ],
    )
    def test_a_fault_in_a_later_event_gives_a_warning(self, events, code):
        assert warning_codes(OPENING + events + "\n") == [code]

    def test_an_exchange_of_more_tiles_than_a_rack_holds_gives_a_warning(self):
        events = ">alice: AB 8H AB +8 8\n>bob: AB - +0 0\n"
        reading = gcg.read("#tile-distribution english\n" + PLAYERS + events + ">alice: AB -8 +0 8\n")
        assert [warning.code for warning in reading.warnings] == ["exchange-count"]

    @pytest.mark.parametrize(
        ("event", "code", "column"),
        [
            (">bob: AB 8O AB +8 8", "off-board", 10),
            (">bob: AB 99AA AB +8 8", "off-board", 10),
            (">bob: AB 0A AB +8 8", "malformed-coordinate", 10),
            (">bob: AB 15A AB +8 8", "not-touching", 10),
            (">bob: AB D8 AB +8 8", "occupied", 13),
            (">bob: AB D9 .A +8 8", "gap", 13),
            (">bob: AB D9 (E)A +8 8", "gap", 14),
            (">bob: AB 8D WARBLED +8 8", "no-tiles", 10),
            (">bob: AB 8D W4B +8 8", "unknown-tile", 14),
            (">bob: AB 8D W?B +8 8", "unknown-tile", 14),
            (">bob: A -- -5 0", "nothing-to-withdraw", 7),
            (">bob: AB WORD +8 8", "malformed-event", 7),
            (">bob:", "malformed-event", 6),
            (">bob: AB -0 +0 0", "exchange-count", 11),
            (">bob: AB 9A ABCDEFGHI +8 8", "too-many-tiles-laid", 10),
        ],
    )
    def test_a_game_ends_before_an_unplayable_event(self, event, code, column):
        reading = gcg.read(OPENING + event + "\n>bob: AB - +0 0\n")
        assert reading.error is not None
        assert (reading.error.code, reading.error.line, reading.error.column) == (code, 4, column)
        assert reading.value == read_without_faults(OPENING)

    @pytest.mark.parametrize(
        ("event", "code"), [("8A AB +8 8", "not-on-start"), ("8H A +1 1", "single-tile")]
    )
    def test_an_unplayable_first_play_is_rejected(self, event, code):
        assert read_error(PLAYERS + f">alice: AB {event}\n").code == code

    @pytest.mark.parametrize("text", ["", "\n\n", "hello there", "> quoted\n> text", "#title x"])
    def test_a_text_without_players_is_rejected(self, text):
        with pytest.raises(ParseError) as caught:
            gcg.read(text)
        assert caught.value.code == "no-players"

    def test_texts_over_the_limits_are_rejected(self):
        with pytest.raises(ParseError, match="characters"):
            gcg.read("x" * (MAX_LENGTH + 1))
        with pytest.raises(ParseError, match="lines") as caught:
            gcg.read("\n" + "x\n" * (MAX_LINES + 1))
        assert caught.value.line == MAX_LINES + 2

    @pytest.mark.parametrize(
        "text",
        [
            PLAYERS + "\n" * 200_000,
            OPENING + "#note x\n" + "\n" * 200_000 + "y",
            PLAYERS + ">alice: " + "A" * 900_000 + " 8D WARBLED +1 1",
            PLAYERS + ">alice: A 8D " + "A" * 900_000 + " +1 1",
            PLAYERS + ">alice: " + " -" * 400_000,
            PLAYERS + ">" + "a:" * 400_000,
            PLAYERS + "#comment " + 'text="\\' * 100_000,
            PLAYERS + ">alice: " + "[" * 900_000 + " - +0 0",
            PLAYERS + "#tile A a\n" * 1_900,
            (OPENING + ">bob: Ж - +0 0\n" * 1_900),
            "#player1 " + "x" * 900_000,
        ],
        ids=range(11),
    )
    def test_hostile_texts_give_a_limited_number_of_warnings(self, text):
        reading = gcg.read(text)
        assert len(reading.warnings) <= 100

    def test_overlong_numbers_are_rejected(self):
        assert read_error(OPENING + ">bob: AB - +0 " + "9" * 5_000 + "\n").code == "malformed-event"
        assert read_error(OPENING + ">bob: AB -" + "9" * 5_000 + " +0 0\n").code == "exchange-count"


@pytest.mark.parametrize("ending", ["\r\n", "\r", "\n", "\n\r\n", "\r\r\n"])
def test_every_kind_of_line_ending_is_read(ending):
    assert read_without_faults(OPENING.replace("\n", ending)) == read_without_faults(OPENING)


def test_a_byte_order_mark_is_ignored():
    assert read_without_faults("\ufeff" + OPENING) == read_without_faults(OPENING)
