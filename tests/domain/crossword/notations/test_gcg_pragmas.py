"""The GCG reader: pragmas and players."""

import pytest

from bot.domain.crossword.notations import gcg
from bot.domain.crossword.play import (
    Comment,
    PlayerName,
    ShownRack,
)
from bot.domain.reading.problems import ParseError
from tests.domain.crossword.games import final_racks, tiles
from tests.domain.crossword.notations.gcg_texts import (
    OPENING,
    PLAYERS,
    read_error,
    read_without_faults,
    warning_codes,
)


class TestPragmas:
    def test_every_setting_in_a_header_is_read(self):
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
        """The author's quote is closed too early. The text up to the semicolon still belongs to the author."""
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
        stored_comment = game.turns[0].comments[0]
        assert stored_comment in {Comment(text), Comment("a and so on")}
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
        assert code in warning_codes(header + OPENING)

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
    def test_the_lexicon_implies_the_tile_set(self, lexicon, distribution):
        game = read_without_faults((f"#lexicon {lexicon}\n" if lexicon else "") + PLAYERS)
        assert game.rules.distribution.name == distribution

    @pytest.mark.parametrize(
        ("word", "distribution"),
        [
            ("ŻÓŁW", "polish"),
            ("NIÑO", "spanish"),
            # This is one LL too many. Yet the Spanish set without LL is not tried: only Turn URLs use it.
            ("LLAÑOLL", "spanish"),
            ("ÇÀ", None),
            ("ЖУК", "russian"),
        ],
    )
    def test_letters_imply_the_tile_set(self, word, distribution):
        reading = gcg.read(PLAYERS + f">alice: {word} 8G {word} +10 10\n")
        if distribution is None:
            assert reading.error is not None
        else:
            assert reading.value.rules.distribution.name == distribution
            assert reading.warnings[0].code == "distribution-by-letters"

    def test_a_spanish_game_has_its_own_exchange_limit(self):
        assert read_without_faults("#lexicon FILE2017\n" + PLAYERS).rules.min_bag_for_exchange == 1

    def test_a_play_beyond_the_usual_board_implies_a_larger_board(self):
        reading = gcg.read(PLAYERS + ">alice: ABDELRW 11K WARBLED +76 76\n>bob: AB Q11 .AB +8 8\n")
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
            gcg.read("#player9 x X\n")

    def test_a_game_may_have_one_player(self):
        game = read_without_faults("#player1 alice Alice\n>alice: AB 8H AB +8 8\n>alice: C - +0 8\n")
        assert game.position_at(1).on_turn == 0

    def test_undeclared_players_are_taken_from_the_events(self):
        reading = gcg.read(">alice: AB 8H AB +8 8\n>bob: AB - +0 0\n")
        assert [name.nick for name in reading.value.names] == ["alice", "bob"]
        assert [warning.code for warning in reading.warnings] == ["undeclared-player"]

    @pytest.mark.parametrize("nick", ["Alice", "ALICE", "Alice_A."])
    def test_a_nick_in_another_form_gives_a_warning(self, nick):
        assert warning_codes(PLAYERS + f">{nick}: AB 8H AB +8 8\n") == ["odd-nick"]

    def test_a_full_name_in_place_of_a_nick_gives_a_warning(self):
        assert warning_codes(PLAYERS + ">Alice A.: AB 8H AB +8 8\n") == ["odd-nick"]

    def test_an_unknown_player_is_rejected(self):
        problem = read_error(OPENING + ">carol: AB - +0 0\n")
        assert (problem.code, problem.line, problem.column) == ("unknown-player", 4, 2)

    def test_players_with_the_same_nick_take_turns(self):
        reading = gcg.read("#player1 x A\n#player2 x B\n>x: AB 8H AB +8 8\n>x: CD - +0 0\n")
        assert [turn.seat for turn in reading.value.turns] == [0, 1]
