"""Reading GCG as its specification describes it and as programs write it."""

import pytest

from bot.domain.crossword.notations import gcg
from bot.domain.crossword.notations.gcg.lines import MAX_LENGTH, MAX_LINES
from bot.domain.crossword.play import (
    THROUGH,
    Comment,
    Coordinate,
    Direction,
    Exchange,
    Pass,
    Placement,
    PlayerName,
    ShownRack,
    Turn,
    TurnKind,
)
from bot.domain.crossword.position import empty_board
from bot.domain.crossword.rules import (
    EndCount,
    load_distribution,
)
from bot.domain.reading.problems import ParseError
from tests.domain.crossword.games import final_racks

PLAYERS = "#player1 alice Alice A.\n#player2 bob Bob B.\n"
OPENING = PLAYERS + ">alice: ABDELRW 8D WARBLED +84 84\n"


def read(text):
    return gcg.read(text)


def read_without_faults(text):
    """Read a text that has no faults."""
    reading = gcg.read(text)
    assert reading.error is None
    assert reading.warnings == ()
    return reading.value


def codes(text):
    reading = gcg.read(text)
    assert reading.error is None
    return [warning.code for warning in reading.warnings]


def error(text):
    found = gcg.read(text).error
    assert found is not None
    return found


def tiles(text, name="english"):
    distribution = load_distribution(name)
    return tuple(distribution.numbers[letter] for letter in text)


def board_row(game, row):
    """Return a row of the last position as text, with dots for empty squares."""
    board = game.position_at(len(game.turns)).board
    return "".join(game.rules.distribution.text(tile) if tile else "." for tile in board.row(row))


class TestEvents:
    """Every event of the specification."""

    def test_a_play_is_read_with_its_rack_and_place(self):
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
            ("-2", Exchange(unknown=2)),
            ("-Q_", Exchange(tiles("Q"), 1)),
            ("-__", Exchange(unknown=2)),
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
        assert position.players[0].rack == (), "the other player does not know the drawn tiles"

    @pytest.mark.parametrize("rack", ["", "UNKNOWN"])
    def test_a_challenge_bonus_may_lack_a_rack(self, rack):
        assert read_without_faults(OPENING + f">alice: {rack} (challenge) +10 94\n").turns[1].rack == ()

    def test_points_for_the_tiles_left_are_read(self):
        turn = read_without_faults(OPENING + ">alice: (G) +4 88\n").turns[1]
        assert (turn.kind, turn.tiles, turn.score) == (TurnKind.END_RACK_POINTS, tiles("G"), 4)

    def test_points_for_the_tiles_left_show_the_rule(self):
        game = read_without_faults(OPENING + ">alice: (G) +2 86\n>bob: G (G) -2 -2\n")
        assert game.rules.end_count is EndCount.EACH_WAY
        assert read_without_faults(OPENING + ">alice: (G) +4 88\n").rules.end_count is EndCount.TWICE

    def test_a_penalty_for_the_tiles_left_is_read(self):
        turn = read_without_faults(OPENING + ">bob: FWLI (FWLI) -10 -10\n").turns[1]
        assert (turn.kind, turn.rack, turn.tiles) == (TurnKind.END_RACK_PENALTY, tiles("FWLI"), tiles("FWLI"))

    @pytest.mark.parametrize("line", [" ISBALI (time) -10 74", "  (time) -10 74", " (TIME) +-10 74"])
    def test_a_time_penalty_is_read_in_every_spelling(self, line):
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
        assert (game.turns[1].kind, game.turns[1].tiles) == (kind, tiles("TIME"))
        assert gcg.read(gcg.write(game)).value == game

    def test_unknown_tiles_on_a_rack_are_counted(self):
        turn = read_without_faults(PLAYERS + ">alice: AB_ 8H AB +8 8\n").turns[0]
        assert (turn.rack, turn.rack_unknown) == (tiles("AB"), 1)

    def test_racks_may_be_missing(self):
        game = read_without_faults(
            PLAYERS + ">alice:  8H AB +8 8\n>bob:  - +0 0\n>alice: -3 +0 8\n>bob: - +0 0\n"
        )
        assert [turn.rack for turn in game.turns] == [()] * 4


class TestWords:
    """Words with tiles played through, long tiles, and every form of coordinate."""

    @pytest.mark.parametrize("word", [".EE", "(W)EE", "WEE", "wEE", "|W|E|E|", "|(W)|E|E|", "|.|E|E|"])
    def test_tiles_played_through_have_several_spellings(self, word):
        game = read_without_faults(OPENING + f">bob: EE D8 {word} +6 6\n")
        assert game.turns[1].play == Placement(Coordinate(7, 3, Direction.DOWN), (THROUGH, *tiles("EE")))

    @pytest.mark.parametrize("coordinate", ["D8", "d8"])
    def test_coordinates_may_be_in_lowercase(self, coordinate):
        read_without_faults(OPENING + f">bob: EE {coordinate} .EE +6 6\n")

    def test_a_word_includes_the_tile_right_before_it(self):
        text = OPENING + ">bob: EE D9 EE +6 6\n"
        assert codes(text) == ["word-goes-on"]
        assert str(read(text).value.turns[1].play.start) == "D8"

    def test_rows_may_have_letters(self):
        across = read_without_faults(
            "#orientation lettered-rows\n" + PLAYERS + ">alice: ABDELRW H4 WARBLED +84 84\n"
        )
        assert across.turns == read_without_faults(OPENING).turns
        down = read_without_faults(
            "#orientation lettered-rows\n" + PLAYERS + ">alice: ABDELRW 8D WARBLED +84 84\n"
        )
        assert down.turns[0].play.start == Coordinate(3, 7, Direction.DOWN)

    def test_a_list_of_the_words_may_follow_the_scores(self):
        read_without_faults(OPENING.rstrip() + "  WARBLED\n>bob: AX 9D AX +23 23 AX, WA, ax.\n")

    @pytest.mark.parametrize("after", ["WARBLED, AX", "nice", "84", "#note nice"])
    def test_other_text_after_the_scores_is_reported(self, after):
        assert codes(f"{PLAYERS}>alice: ABDELRW 8D WARBLED +84 84 {after}\n") == ["text-after-scores"]

    @pytest.mark.parametrize("word", ["GORIL·LA", "|G|O|R|I|L·L|A|", "G|O|R|I|L·L|A", "GORI[L·L]A"])
    def test_long_tiles_are_read_in_every_spelling(self, word):
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
    def test_a_declaration_that_is_not_written_gives_a_warning(self, name, declaration, code):
        text = f"#tile-distribution {name}\n#tile {declaration}\n{PLAYERS}"
        assert [(warning.code, warning.line) for warning in read(text).warnings] == [(code, 2)]
        assert f"#tile {declaration}\n" not in gcg.write(read(text).value)

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
    def test_a_needed_declaration_is_written_again(self, name, declaration, written):
        game = read_without_faults(f"#tile-distribution {name}\n#tile {declaration}\n{PLAYERS}")
        assert f"#tile {written}\n" in gcg.write(game)

    def test_a_blank_may_stand_for_a_long_tile(self):
        game = read_without_faults("#tile-distribution catalan\n" + PLAYERS + ">alice: ?A 8G quA +2 2\n")
        number = load_distribution("catalan").numbers["QU"]
        assert game.turns[0].play.tiles == (-number, *tiles("A", "catalan"))

    def test_combining_accents_are_joined_to_their_letters(self):
        text = "#lexicon OSPS49\n" + PLAYERS + ">alice: S\u0301OZA 8G S\u0301OZA +16 16\n"
        reading = read(text)
        assert [warning.code for warning in reading.warnings] == ["combining-accents"]
        assert board_row(reading.value, 7) == "......ŚOZA....."


class TestPragmas:
    """Every pragma of the specification, and the pragmas that programs add."""

    def test_every_setting_of_a_header_is_read(self):
        game = read_without_faults(
            "#character-encoding UTF-8\n#title Sample Game\n#description This is &amp; was\n#description a game.\n"
            "#id io.woogles RSwBsyCj\n#lexicon CSW21\n#game-type wordsmog\n#board-layout SuperCrosswordGame\n"
            "#tile-distribution english_super\n#tile-set plastic\n#style wsc2001\n#htarget x y\n"
            "#player1 alice Alice de la A.\n#player2 bob(2):x Bob\n"
        )
        assert game.title == "Sample Game"
        assert game.description == "This is & was\na game."
        assert (game.authority, game.game_id) == ("io.woogles", "RSwBsyCj")
        assert (game.rules.lexicon, game.rules.variant) == ("CSW21", "wordsmog")
        assert game.rules.layout.name == "SuperCrosswordGame"
        assert game.rules.distribution.name == "english_super"
        assert game.extra == (("tile-set", "plastic"), ("style", "wsc2001"), ("htarget", "x y"))
        assert game.names == (PlayerName("alice", "Alice de la A."), PlayerName("bob(2):x", "Bob"))
        assert read_without_faults(gcg.write(game)) == game

    def test_unknown_pragmas_are_stored(self):
        game = read_without_faults("#weather fine and dry\n" + OPENING)
        assert game.extra == (("weather", "fine and dry"),)
        assert "#weather fine and dry\n" in gcg.write(game)

    def test_a_note_continues_on_further_lines(self):
        game = read_without_faults(
            PLAYERS
            + "#note before\n#note it all\n>alice: AB 8H AB +8 8\n#note one\n#note two\nthree\n\n\nfour\n"
            "#knowledgesad five\n\n>bob: AB - +0 0\n#note\n"
        )
        assert game.note == "before\nit all"
        assert game.turns[0].note == "one\ntwo\nthree\n\nfour\n#knowledgesad five"
        assert game.turns[1].note == ""
        assert read_without_faults(gcg.write(game)) == game

    def test_a_comment_may_have_two_lines(self):
        game = read_without_faults(
            OPENING + '#comment date="2006-06-02 13:05"; author="John Chew\n  <jjchew@math.example>"; '
            'text="\\"Hello, world!\\""\n#comment plain\n'
        )
        assert game.turns[0].comments == (
            Comment('"Hello, world!"', "John Chew\n<jjchew@math.example>", "2006-06-02 13:05"),
            Comment("plain"),
        )
        assert read_without_faults(gcg.write(game)) == game

    def test_the_comment_in_the_specification_is_read(self):
        """The quote is closed too early there: the text before the semicolon belongs to the author."""
        [comment] = (
            read_without_faults(
                OPENING
                + '#comment date="2006-06-02 13:05"; author="John Chew\n  <jjchew@math.utoronto.ca">; '
                'text="\\"Hello, world!\\""\n'
            )
            .turns[0]
            .comments
        )
        assert comment == Comment(
            '"Hello, world!"', "John Chew\n<jjchew@math.utoronto.ca>", "2006-06-02 13:05"
        )

    @pytest.mark.parametrize(
        "text",
        [
            'text="a"; mood="glad"',
            'text="a"; text="b"',
            'text="a" and so on',
            'text="a',
            'well; text="a"',
            'text="C:\\temp"; x',
            'text=a; date="2006-06-02"',
        ],
    )
    def test_a_comment_in_another_form_is_stored_as_text(self, text):
        game = read_without_faults(f"{OPENING}#comment {text}\n")
        stored = game.turns[0].comments[0]
        assert stored in {Comment(text), Comment("a and so on")}
        assert read_without_faults(gcg.write(game)) == game

    def test_racks_shown_between_turns_are_read(self):
        game = read_without_faults(OPENING + "#rack1 RETAIN?\n#rack2 ABC_\n>bob: ABC - +0 0\n#rack1 EE\n")
        assert game.shown_racks == (
            ShownRack(1, 0, tiles("RETAIN?")),
            ShownRack(1, 1, tiles("ABC"), 1),
            ShownRack(2, 0, tiles("EE")),
        )
        assert final_racks(game) == (tiles("EE"), None)
        assert game.position_at(1).players[0].rack == tiles("RETAIN?")
        assert game.position_at(2).players[0].rack == tiles("EE")
        assert read_without_faults(gcg.write(game)) == game

    def test_the_rack_of_an_incomplete_game_is_read(self):
        game = read_without_faults("#incomplete AEINRST\n" + OPENING)
        assert game.incomplete
        assert final_racks(game) == (None, tiles("AEINRST"))
        assert read_without_faults(gcg.write(game)) == game

    def test_a_rack_line_overrides_an_incomplete_line(self):
        assert final_racks(read_without_faults(OPENING + "#incomplete AB\n#rack2 CD\n")) == (
            None,
            tiles("CD"),
        )
        assert final_racks(read_without_faults(OPENING + "#rack2 CD\n#incomplete AB\n")) == (
            None,
            tiles("CD"),
        )

    def test_a_finished_game_is_not_incomplete(self):
        assert not read_without_faults("#incomplete \n" + OPENING + ">alice: (G) +4 88\n").incomplete

    @pytest.mark.parametrize(
        ("lines", "codes", "written"),
        [
            ("#title x\n#title y\n", ["repeated-pragma"], "#title y\n"),
            ("#title x\n#title x\n#title\n", [], "#title x\n"),
            ("#id a b\n#id c d\n", ["repeated-pragma"], "#id c d\n"),
            ("#rack1 AB\n#rack1 CD\n", ["repeated-pragma"], "#rack1 CD\n"),
            ("#rack1 AB\n#rack1 AB\n", [], "#rack1 AB\n"),
            ("#rack1 AB CD\n", ["text-after-rack"], "#rack1 AB\n"),
            ("#rack100 AB\n#player0 c\n", [], "#rack100 AB\n#player0 c\n"),
            ("#orientation slanting\n", [], "#orientation slanting\n"),
            ("#orientation numbered-rows\n", [], ""),
        ],
    )
    def test_repeated_and_unusual_pragmas_are_read(self, lines, codes, written):
        reading = gcg.read(PLAYERS + lines)
        assert [warning.code for warning in reading.warnings] == codes
        assert gcg.write(reading.value) == "#character-encoding UTF-8\n" + PLAYERS + written

    def test_old_notes_are_read_as_settings(self):
        game = read_without_faults(
            PLAYERS
            + "#note LetterDistribution: polish\n#note BoardLayout: SuperCrosswordGame\n#note Variant: wordsmog\n"
        )
        assert game.rules.distribution.name == "polish"
        assert game.rules.layout.rows == 21
        assert game.rules.variant == "wordsmog"

    @pytest.mark.parametrize(
        ("header", "code"),
        [
            ("#game-type lonify\n", "unknown-variant"),
            ("#board-layout moon\n", "unknown-layout"),
            ("#tile-distribution klingon\n", "unknown-distribution"),
            ("#tile\n", "malformed-tile"),
            ("#player1 x\n", "player-twice"),
            ("#rack3 ABC\n", "rack-without-player"),
            ("#rack1 A1C\n", "malformed-rack"),
            ("hello\n", "stray-line"),
        ],
    )
    def test_odd_headers_give_a_warning(self, header, code):
        assert code in codes(header + OPENING)

    @pytest.mark.parametrize(
        ("lexicon", "distribution"),
        [
            ("CSW2019", "english"),
            ("OTCWL2016", "english"),
            ("ODS5", "french"),
            ("OSPS49", "polish"),
            ("", "english"),
        ],
    )
    def test_the_lexicon_implies_the_tiles(self, lexicon, distribution):
        game = read_without_faults((f"#lexicon {lexicon}\n" if lexicon else "") + PLAYERS)
        assert game.rules.distribution.name == distribution

    @pytest.mark.parametrize(
        ("word", "distribution"), [("ŻÓŁW", "polish"), ("NIÑO", "spanish"), ("ÇÀ", None), ("ЖУК", "russian")]
    )
    def test_letters_imply_the_tiles(self, word, distribution):
        reading = read(PLAYERS + f">alice: {word} 8G {word} +10 10\n")
        if distribution is None:
            assert reading.error is not None
        else:
            assert reading.value.rules.distribution.name == distribution
            assert reading.warnings[0].code == "distribution-by-letters"

    def test_a_spanish_game_has_its_own_exchange_limit(self):
        assert read_without_faults("#lexicon FILE2017\n" + PLAYERS).rules.exchange_limit == 1

    def test_a_play_beyond_the_usual_board_implies_a_larger_board(self):
        reading = read(PLAYERS + ">alice: ABDELRW 11K WARBLED +76 76\n>bob: AB Q11 .AB +8 8\n")
        assert reading.value.rules.layout.name == "SuperCrosswordGame"
        assert "layout-by-plays" in [warning.code for warning in reading.warnings]


class TestPlayers:
    def test_a_game_has_up_to_eight_players(self):
        header = "".join(f"#player{number} p{number} Player {number}\n" for number in range(1, 9))
        game = read_without_faults(header + "".join(f">p{number}: AB - +0 0\n" for number in range(1, 6)))
        assert len(game.names) == 8
        assert game.position_at(5).on_turn == 5
        assert read_without_faults(gcg.write(game)) == game

    def test_nine_players_are_too_many(self):
        with pytest.raises(ParseError, match="player 9"):
            read("#player9 x X\n")

    def test_a_game_may_have_one_player(self):
        game = read_without_faults("#player1 alice Alice\n>alice: AB 8H AB +8 8\n>alice: C - +0 8\n")
        assert game.position_at(1).on_turn == 0

    def test_undeclared_players_are_taken_from_the_events(self):
        reading = read(">alice: AB 8H AB +8 8\n>bob: AB - +0 0\n")
        assert [name.nick for name in reading.value.names] == ["alice", "bob"]
        assert [warning.code for warning in reading.warnings] == ["undeclared-player"]

    @pytest.mark.parametrize("nick", ["Alice", "ALICE", "Alice_A."])
    def test_a_nick_in_another_spelling_gives_a_warning(self, nick):
        assert codes(PLAYERS + f">{nick}: AB 8H AB +8 8\n") == ["odd-nick"]

    def test_a_full_name_in_place_of_a_nick_gives_a_warning(self):
        assert codes(PLAYERS + ">Alice A.: AB 8H AB +8 8\n") == ["odd-nick"]

    def test_an_unknown_player_is_an_error(self):
        found = error(OPENING + ">carol: AB - +0 0\n")
        assert (found.code, found.line, found.column) == ("unknown-player", 4, 2)

    def test_players_with_the_same_nick_take_turns(self):
        reading = read("#player1 x A\n#player2 x B\n>x: AB 8H AB +8 8\n>x: CD - +0 0\n")
        assert [turn.player for turn in reading.value.turns] == [0, 1]


class TestFaults:
    """A wrong number gives a warning that states the right one. An unplayable turn is an error with its location."""

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
        reading = read(PLAYERS + events + "\n")
        assert reading.error is None
        assert [(warning.code, warning.line, warning.column) for warning in reading.warnings] == [
            (code, 3, column)
        ]

    def test_a_wrong_stated_score_is_stored_with_a_warning(self):
        reading = read(PLAYERS + ">alice: ABDELRW 8D WARBLED +85 85\n")
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
        assert codes(OPENING + events + "\n") == [code]

    def test_an_exchange_of_more_than_a_rack_gives_a_warning(self):
        words = ">alice: AB 8H AB +8 8\n>bob: AB - +0 0\n"
        reading = read("#tile-distribution english\n" + PLAYERS + words + ">alice: AB -8 +0 8\n")
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
    def test_an_unplayable_event_ends_the_reading(self, event, code, column):
        reading = read(OPENING + event + "\n>bob: AB - +0 0\n")
        assert reading.error is not None
        assert (reading.error.code, reading.error.line, reading.error.column) == (code, 4, column)
        assert reading.value == read_without_faults(OPENING)

    @pytest.mark.parametrize(
        ("event", "code"), [("8A AB +8 8", "not-on-start"), ("8H A +1 1", "single-tile")]
    )
    def test_an_unplayable_first_play_is_an_error(self, event, code):
        assert error(PLAYERS + f">alice: AB {event}\n").code == code

    @pytest.mark.parametrize("text", ["", "\n\n", "hello there", "> quoted\n> text", "#title x"])
    def test_a_text_without_players_is_an_error(self, text):
        with pytest.raises(ParseError) as caught:
            read(text)
        assert caught.value.code == "no-players"

    def test_texts_over_the_limits_are_refused(self):
        with pytest.raises(ParseError, match="characters"):
            read("x" * (MAX_LENGTH + 1))
        with pytest.raises(ParseError, match="lines"):
            read("x\n" * (MAX_LINES + 1))

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
        reading = read(text)
        assert len(reading.warnings) <= 100

    def test_numbers_are_bounded(self):
        assert error(OPENING + ">bob: AB - +0 " + "9" * 5_000 + "\n").code == "malformed-event"
        assert error(OPENING + ">bob: AB -" + "9" * 5_000 + " +0 0\n").code == "exchange-count"


@pytest.mark.parametrize("ending", ["\r\n", "\r", "\n", "\n\r\n", "\r\r\n"])
def test_every_kind_of_line_end_is_read(ending):
    assert read_without_faults(OPENING.replace("\n", ending)) == read_without_faults(OPENING)


def test_a_byte_order_mark_is_ignored():
    assert read_without_faults("\ufeff" + OPENING) == read_without_faults(OPENING)
