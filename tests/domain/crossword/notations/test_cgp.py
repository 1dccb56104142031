"""CGPs as the specification, programs and people write them."""

from dataclasses import replace

import pytest
from hypothesis import given

from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import Coordinate, Direction, Exchange, Pass, Placement
from bot.domain.crossword.position import Board, LastPlay, Player, Position, empty_board
from bot.domain.crossword.rules import (
    Letter,
    LetterDistribution,
    default_rules,
    distribution_names,
    load_distribution,
    load_layout,
)
from bot.domain.reading.problems import ConversionError, DomainError, ParseError, RuleError
from tests.domain.crossword.games import tiles
from tests.domain.crossword.strategies import cgp_positions, positions
from tests.positions import EMPTY_BOARD, MAVEN, one_row_board


def warning_codes(text: str) -> list[str]:
    return [warning.code for warning in cgp.read(text).warnings]


class TestFields:
    def test_the_example_in_the_specification_round_trips(self):
        reading = cgp.read(MAVEN)
        position = reading.value
        assert reading.warnings == ()
        assert position.board.row(0) == (0,) * 5 + tiles("BERGS") + (0,) * 5
        assert position.board.at(5, 9) == -3  # a blank that stands for C
        assert [player.rack for player in position.players] == [tiles("IKLMTZ"), tiles("AEINRU?")]
        assert position.rules.lexicon == "OSPD1"
        assert position.rules.layout == load_layout("CrosswordGame")
        assert position.unseen.total == 0
        assert cgp.write(position) == MAVEN

    def test_unknown_and_partial_racks_and_negative_scores_round_trip(self):
        position = cgp.read(f"{EMPTY_BOARD} /ABCDEF -5/−12 3").value
        assert position.players == (Player(-5), Player(-12, tiles("ABCDEF")))
        assert position.scoreless_turns == 3
        assert cgp.write(position) == f"{EMPTY_BOARD} /ABCDEF -5/-12 3"

    @pytest.mark.parametrize("count", [1, 2, 3, 4, 8])
    def test_any_number_of_players_round_trips(self, count):
        racks = "/".join("ABCDEFGH"[:count])
        scores = "/".join(str(number) for number in range(count))
        text = f"{EMPTY_BOARD} {racks} {scores} 0"
        assert [player.score for player in cgp.read(text).value.players] == list(range(count))
        assert cgp.write(cgp.read(text).value) == text

    @pytest.mark.parametrize("prefix", ["", "cgp ", "load cgp ", "CGP: ", "  ", "\n"])
    @pytest.mark.parametrize("gap", [" ", "   ", "\t", "\n", "\r\n"])
    def test_a_prefix_and_any_spaces_are_accepted(self, prefix, gap):
        fields = [EMPTY_BOARD, "AB/AA?", "357/289", "5", "lex", "NWL23;", "ld", "english;"]
        assert (
            cgp.write(cgp.read(prefix + gap.join(fields)).value)
            == f"{EMPTY_BOARD} AB/AA? 357/289 5 lex NWL23;"
        )

    def test_a_board_alone_is_enough(self):
        reading = cgp.read(EMPTY_BOARD)
        assert reading.value.players == (Player(), Player())
        assert reading.warnings == ()
        assert cgp.read(f"{EMPTY_BOARD} lex CSW21;").value.rules.lexicon == "CSW21"

    def test_racks_alone_are_read_with_a_warning(self):
        reading = cgp.read(f"{EMPTY_BOARD} ABC/DE")
        assert [player.rack for player in reading.value.players] == [tiles("ABC"), tiles("DE")]
        assert [(warning.code, warning.column) for warning in reading.warnings] == [
            ("missing-scores", len(EMPTY_BOARD) + 8)
        ]

    @pytest.mark.parametrize("side", [*range(1, 51)])
    def test_every_size_of_board_round_trips(self, side):
        text = "/".join([str(side)] * side) + " A/B 0/0 0"
        position = cgp.read(text).value
        assert (position.board.rows, position.board.columns) == (side, side)
        assert cgp.write(position) == text


class TestTiles:
    @pytest.mark.parametrize("name", distribution_names())
    def test_every_tile_and_blank_of_every_set_round_trips(self, name):
        distribution = load_distribution(name)
        for number in range(1, len(distribution.letters)):
            squares = [0] * 225
            squares[:2] = (number, -number) if distribution.counts[number] else (-number, -number)
            position = Position(
                default_rules(distribution, load_layout("CrosswordGame")),
                Board(15, 15, tuple(squares)),
                (Player(), Player()),
            )
            text = cgp.write(position)
            assert cgp.read(text).value == position, text

    @pytest.mark.parametrize(
        ("written", "distribution", "expected"),
        [
            ("[CH]A[rr]12", "spanish", ("CH", "A", "rr")),
            ("CHArr12", "spanish", ("CH", "A", "rr")),  # fits only with multi-letter tiles
            ("CHArr10", "spanish", ("C", "H", "A", "r", "r")),  # fits only with single-letter tiles
            ("[CH]CH12", "spanish", ("CH", "C", "H")),
            ("[[CH]]A[[rr]]12", "spanish", ("CH", "A", "rr")),  # as one program writes them
            ("C[H]13", "spanish", ("C", "H")),  # brackets separate two letters
            ("QU1L·L12", "catalan", ("QU", None, "L·L")),
            ("[qu]1[l·l]12", "catalan", ("qu", None, "l·l")),
            ("Qu14", "catalan", ("qu",)),
            ("[Qu]14", "catalan", ("qu",)),  # mixed case is a blank
            ("ÇÀ13", "catalan", None),
            ("[CHA]12", "spanish", None),
            ("[CH", "spanish", None),
            ("[]15", "spanish", None),
        ],
    )
    def test_multi_letter_tiles_are_read_in_every_form(self, written, distribution, expected):
        text = f"{one_row_board(8, written)} / 0/0 0 ld {distribution};"
        if expected is None:
            with pytest.raises(ParseError) as caught:
                cgp.read(text)
            assert caught.value.code == "unknown-tile"
            return
        numbers = load_distribution(distribution).machine_letters
        expected_squares = tuple(0 if tile is None else numbers[tile] for tile in expected)
        assert cgp.read(text).value.board.row(7)[: len(expected_squares)] == expected_squares

    def test_multi_letter_tiles_on_racks_round_trip(self):
        position = cgp.read(f"{EMPTY_BOARD} [CH][LL]?A/C[H][[RR]] 0/0 0 ld spanish;").value
        numbers = load_distribution("spanish").machine_letters
        assert position.players[0].rack == (numbers["CH"], numbers["LL"], 0, numbers["A"])
        assert position.players[1].rack == (numbers["C"], numbers["H"], numbers["RR"])
        assert cgp.write(position) == f"{EMPTY_BOARD} [CH][LL]?A/CH[RR] 0/0 0 ld spanish;"

    @pytest.mark.parametrize(
        ("rack", "expected"),
        [
            ("ELLRRST", ("E", "L", "L", "R", "R", "S", "T")),
            ("AELLRRSTO", ("A", "E", "LL", "RR", "S", "T", "O")),  # nine single-letter tiles are not a rack
            ("[CH]AELLRST", ("CH", "A", "E", "L", "L", "R", "S", "T")),
        ],
    )
    def test_spanish_racks_may_lack_brackets(self, rack, expected):
        position = cgp.read(f"{EMPTY_BOARD} {rack}/ 0/0 0 ld spanish;").value
        numbers = load_distribution("spanish").machine_letters
        assert position.players[0].rack == tuple(numbers[tile] for tile in expected)

    def test_two_tiles_on_a_rack_are_not_read_as_one_multi_letter_tile(self):
        spanish = load_distribution("spanish")
        rack = (spanish.machine_letters["L"], spanish.machine_letters["L"])
        position = Position(
            default_rules(spanish, load_layout("CrosswordGame")),
            empty_board(15, 15),
            (Player(0, rack), Player()),
        )
        assert cgp.read(cgp.write(position)).value == position

    @pytest.mark.parametrize(
        ("lexicon", "letters", "name"),
        [
            ("OSPS49", "A", "polish"),
            ("RD28", "A", "german"),
            ("FRA24", "A", "french"),
            ("FISE2", "A", "spanish"),
            ("CSW21", "A", "english"),
            ("unheard of", "A", "english"),
            ("", "Ñ", "spanish"),
            ("", "Ä", "german"),
            ("", "ŻÓŁĆ", "polish"),
            ("", "[L·L]", "catalan"),
            ("", "ΑΒΓ", "greek"),
            ("", "ДОМ", "russian"),
            ("", "ĞŞİ", "turkish"),
            ("", "Ø", "norwegian"),
            ("", "Č", "slovene"),
        ],
    )
    def test_the_lexicon_or_the_letters_imply_the_tile_set(self, lexicon, letters, name):
        opcode = f" lex {lexicon};" if lexicon else ""
        reading = cgp.read(f"{EMPTY_BOARD} {letters}/ 0/0 0{opcode}")
        assert reading.value.rules.distribution.name == name
        assert [warning.code for warning in reading.warnings] == (
            [] if lexicon else ["distribution-by-letters"]
        )

    def test_a_21_by_21_board_implies_the_super_tile_set(self):
        empty = "/".join(["21"] * 21)
        assert cgp.read(f"{empty} / 0/0 0").value.rules.distribution.name == "english_super"
        assert cgp.read(f"{empty} / 0/0 0 lex DISC2;").value.rules.distribution.name == "catalan_super"
        assert cgp.read(f"{empty} / 0/0 0 ld english;").value.rules.distribution.name == "english"
        assert cgp.read(f"{empty} [L·L]ÇÇ/ 0/0 0").value.rules.distribution.name == "catalan_super"

    def test_letters_on_a_15_by_15_board_never_imply_a_super_tile_set(self):
        reading = cgp.read(f"{EMPTY_BOARD} [L·L]ÇÇ/ 0/0 0")  # the usual set has only one Ç
        assert reading.value.rules.distribution.name == "catalan"
        assert [warning.code for warning in reading.warnings] == ["distribution-by-letters", "too-many-tiles"]

    def test_error_columns_count_combining_accents(self):
        board = one_row_board(8, "CAN\u0303A11")
        reading = cgp.read(f"{board} 0A/ 0/0 0 lex FISE2;")
        assert reading.value.board.at(7, 2) == load_distribution("spanish").machine_letters["Ñ"]
        assert [(warning.code, warning.column) for warning in reading.warnings] == [
            ("combining-accents", board.index("N") + 1),
            ("digit-on-rack", len(board) + 2),
        ]
        with pytest.raises(ParseError) as caught:
            cgp.read(f"{board} Ж/ 0/0 0 lex FISE2;")
        assert caught.value.column == len(board) + 2

    def test_lowercase_letters_and_dots_on_a_rack_give_warnings(self):
        reading = cgp.read(f"{EMPTY_BOARD} aB./ 0/0 0")
        assert reading.value.players[0].rack == tiles("AB?")
        assert [(warning.code, warning.column) for warning in reading.warnings] == [
            ("small-letter-on-rack", len(EMPTY_BOARD) + 2),
            ("dot-on-rack", len(EMPTY_BOARD) + 4),
        ]


class TestOpcodes:
    @pytest.mark.parametrize(
        ("opcode", "field", "value"),
        [
            ("bb 35", "bingo_bonus", 35),
            ("cr 5pt", "challenge_rule", "5pt"),
            ("cr FIVE_POINT", "challenge_rule", "5pt"),
            ("cr triple", "challenge_rule", "triple"),
            ("etl 1", "min_bag_for_exchange", 1),
            ("lex CSW21", "lexicon", "CSW21"),
            ("mcnz 4", "scoreless_limit", 4),
            ("mncz 4", "scoreless_limit", 4),
            ("ti 3000", "increment_ms", 3000),
            ("to 60000", "max_overtime_ms", 60000),
            ("var WordSmog", "variant", "wordsmog"),
        ],
    )
    def test_opcodes_set_the_rules(self, opcode, field, value):
        reading = cgp.read(f"{EMPTY_BOARD} / 0/0 0 {opcode};")
        assert getattr(reading.value.rules, field) == value
        assert reading.warnings == ()
        assert cgp.read(cgp.write(reading.value)).value == reading.value

    def test_opcodes_set_clocks_game_id_and_last_play(self):
        text = f"{EMPTY_BOARD} / 0/0 0 tmr 10000/-2500; gid RSwBsyCj; oru; lm -;"
        position = cgp.read(text).value
        assert [player.clock_ms for player in position.players] == [10000, -2500]
        assert (position.game_id, position.ignore_opponent_racks) == ("RSwBsyCj", True)
        assert cgp.write(position) == text

    def test_the_bdn_opcode_names_the_board(self):
        assert cgp.read(f"{EMPTY_BOARD} / 0/0 0 bdn worldwildlifefund;").value.rules.layout == load_layout(
            "WorldWildlifeFund"
        )
        assert cgp.read(f"{EMPTY_BOARD} / 0/0 0 bdn standard15;").value.rules.layout == load_layout(
            "CrosswordGame"
        )

    @pytest.mark.parametrize(
        ("name", "code"), [("Cloverleaf", "unknown-layout"), ("SuperCrosswordGame", "layout-size")]
    )
    def test_an_unusable_board_name_is_stored(self, name, code):
        reading = cgp.read(f"{EMPTY_BOARD} / 0/0 0 bdn {name};")
        assert [warning.code for warning in reading.warnings] == [code]
        assert reading.value.rules.layout.squares == load_layout("CrosswordGame").squares
        assert cgp.write(reading.value).endswith(f"bdn {name};")

    @pytest.mark.parametrize(
        ("operand", "last_play"),
        [
            ("-", LastPlay(Pass())),
            ("pass", LastPlay(Pass())),
            ("-2", LastPlay(Exchange(unknown_count=2))),
            ("ex.2", LastPlay(Exchange(unknown_count=2))),
            ("-QO", LastPlay(Exchange(tiles("QO")))),
            ("ex.QO?", LastPlay(Exchange(tiles("QO?")))),
            ("8D W.RD", LastPlay(Placement(Coordinate(7, 3, Direction.ACROSS), (23, 0, 18, 4)))),
            ("8D.WORD", LastPlay(Placement(Coordinate(7, 3, Direction.ACROSS), tiles("WORD")))),
            ("d8 W.Rd", LastPlay(Placement(Coordinate(7, 3, Direction.DOWN), (23, 0, 18, -4)))),
            ("8D W.RD +5", LastPlay(Placement(Coordinate(7, 3, Direction.ACROSS), (23, 0, 18, 4)), 5)),
            ("8D W.RD +0", LastPlay(Placement(Coordinate(7, 3, Direction.ACROSS), (23, 0, 18, 4)), 0)),
            (
                "challenge 8D WORD",
                LastPlay(Placement(Coordinate(7, 3, Direction.ACROSS), tiles("WORD")), withdrawn=True),
            ),
            (
                "phony.8D.WORD",
                LastPlay(Placement(Coordinate(7, 3, Direction.ACROSS), tiles("WORD")), withdrawn=True),
            ),
        ],
    )
    def test_every_form_of_a_last_play_is_read(self, operand, last_play):
        reading = cgp.read(f"{one_row_board(8, '3WORD8')} / 0/0 0 lm {operand};")
        assert reading.value.last_play == last_play
        assert cgp.read(cgp.write(reading.value)).value.last_play == last_play

    @pytest.mark.parametrize(
        "operand", ["8D", "99Z WORD", "8N WORD", "8D WORD7", "ex.", "-0", "-999", "to win"]
    )
    def test_an_invalid_last_play_is_stored(self, operand):
        reading = cgp.read(f"{EMPTY_BOARD} / 0/0 0 lm {operand};")
        assert reading.value.last_play is None
        assert reading.value.extra == (("lm", operand),)
        assert "bad-operand" in [warning.code for warning in reading.warnings]
        assert cgp.write(reading.value).endswith(f"lm {operand};")

    def test_a_last_play_that_is_not_on_the_board_gives_a_warning(self):
        assert warning_codes(f"{EMPTY_BOARD} / 0/0 0 lm 8D WORD;") == ["last-play-differs"]
        assert warning_codes(f"{EMPTY_BOARD} / 0/0 0 lm challenge 8D WORD;") == []
        assert warning_codes(f"{one_row_board(8, '3WORD8')} / 0/0 0 lm 8D W..D;") == []

    def test_opcodes_with_dashes_are_read(self):
        text = f"{EMPTY_BOARD} AB/ 0/0 0 -lex CSW21 -bb 40 -bdn CrosswordGame -ld english -var wordsmog"
        reading = cgp.read(text)
        assert reading.warnings == ()
        assert cgp.write(reading.value) == f"{EMPTY_BOARD} AB/ 0/0 0 lex CSW21; bb 40; var wordsmog;"

    def test_a_missing_semicolon_gives_a_warning(self):
        reading = cgp.read(f"{EMPTY_BOARD} / 0/0 0 lex CSW21 bb 40")
        assert cgp.write(reading.value) == f"{EMPTY_BOARD} / 0/0 0 lex CSW21; bb 40;"
        assert [(warning.code, warning.column) for warning in reading.warnings] == [("missing-semicolon", 64)]

    def test_unknown_opcodes_are_stored_and_written_back(self):
        reading = cgp.read(f"{EMPTY_BOARD} / 0/0 0 foo  bar   baz; l1 NWL23; l2 CSW21; qux;")
        assert reading.value.extra == (("foo", "bar baz"), ("l1", "NWL23"), ("l2", "CSW21"), ("qux", ""))
        assert [warning.code for warning in reading.warnings] == ["unknown-opcode"] * 2
        assert cgp.write(reading.value) == f"{EMPTY_BOARD} / 0/0 0 foo bar baz; l1 NWL23; l2 CSW21; qux;"

    def test_an_unknown_tile_set_is_stored_and_written_back(self):
        text = f"{one_row_board(8, '7Ż7')} AB/ 0/0 0 lex Weird Name; ld klingon;"
        reading = cgp.read(text)
        assert reading.value.rules.distribution.name == "polish"
        assert "unknown-distribution" in warning_codes(text)
        assert cgp.write(reading.value) == text
        assert cgp.read(cgp.write(reading.value)).value == reading.value

    def test_the_last_value_of_a_repeated_opcode_counts(self):
        reading = cgp.read(f"{EMPTY_BOARD} / 0/0 0 lex NWL23; lex CSW21;")
        assert reading.value.rules.lexicon == "CSW21"
        assert [warning.code for warning in reading.warnings] == ["repeated-opcode"]

    @pytest.mark.parametrize(
        "opcode", ["bb x", "bb", "tmr 1/2/3", "tmr", "cr maybe", "var", "oru yes", "bb 9999999999"]
    )
    def test_an_invalid_operand_is_stored(self, opcode):
        reading = cgp.read(f"{EMPTY_BOARD} / 0/0 0 {opcode};")
        assert [warning.code for warning in reading.warnings] == ["bad-operand"]
        assert cgp.write(reading.value) == f"{EMPTY_BOARD} / 0/0 0 {opcode};"

    def test_only_the_first_64_unknown_opcodes_are_stored(self):
        reading = cgp.read(f"{EMPTY_BOARD} / 0/0 0 " + " ".join(f"o{number} x;" for number in range(3000)))
        assert len(reading.value.extra) == 64
        assert len(reading.warnings) <= 100

    def test_written_values_cannot_break_the_line(self):
        position = cgp.read(f"{EMPTY_BOARD} / 0/0 0").value
        position = replace(
            position, rules=replace(position.rules, lexicon="words to live;\nby; mcnz"), game_id=" \n "
        )
        reread_position = cgp.read(cgp.write(position)).value
        assert reread_position.rules.lexicon == "words to live, by, mcnz"
        assert reread_position.rules.bingo_bonus == 50


class TestFaults:
    @pytest.mark.parametrize(
        ("text", "code", "column", "message"),
        [
            ("", "missing-fields", 1, "the text is empty; a CGP starts with the rows of the board"),
            (
                "15/15/15/15/15/15/1234567890123456/15 / 0/0 0",
                "run-too-long",
                19,
                "123456789012… consecutive empty squares, but a board is at most 50 squares wide",
            ),
            (
                "15/15/15/15/15/15/5BERGSTR4/15/15/15/15/15/15/15/15 / 0/0 0",
                "row-width",
                19,
                "row 7 should have 15 squares, but has 16",
            ),
            (
                f"{EMPTY_BOARD}/15 / 0/0 0",
                "row-count",
                46,
                "the board has 16 rows of 15 squares; it needs 15 rows",
            ),
            (
                f"{EMPTY_BOARD} ABC 0/0 0",
                "player-count",
                46,
                "the number of racks is 1, but the number of scores is 2",
            ),
            (
                f"{EMPTY_BOARD} {'/' * 100} {'/'.join('0' * 101)} 0",
                "player-count",
                146,
                "the game has 101 players; Kibitz reads games of up to 100",
            ),
            (
                f"{EMPTY_BOARD} A1/B 0/x 0",
                "malformed-score",
                53,
                "'x' is not a score; a score is a whole number of at most 6 digits",
            ),
            (
                f"{EMPTY_BOARD} A/B 0/0 zero",
                "malformed-scoreless-turns",
                54,
                "'zero' is not a number of scoreless turns (0 to 999)",
            ),
            (
                f"{EMPTY_BOARD} A/B 0/0 -1",
                "malformed-scoreless-turns",
                54,
                "'-1' is not a number of scoreless turns (0 to 999)",
            ),
            (
                f"{EMPTY_BOARD} A/B 0/0 1000",
                "malformed-scoreless-turns",
                54,
                "'1000' is not a number of scoreless turns (0 to 999)",
            ),
            ("0/0/0", "row-width", 1, "row 1 should have 3 squares, but has 0"),
            (f"{EMPTY_BOARD} A/Ж ld", "missing-fields", 52, None),
            (
                f"{EMPTY_BOARD} A/Ж 0/0 0 ld english;",
                "unknown-tile",
                48,
                "'Ж' is not a tile of the 'english' set",
            ),
            (f"{EMPTY_BOARD} A/Ж% 0/0 0", "unknown-tile", 48, "'Ж' is not a tile of the 'english' set"),
            (one_row_board(8, "7?7"), "blank-without-letter", 23, None),
            (
                one_row_board(8, "7ZZZZ4") + " / 0/0 0",
                "too-many-tiles",
                24,
                "the board and racks have 4 × Z; the 'english' set has 1",
            ),
            (f"{EMPTY_BOARD} ABC/ZZZZ 0/0 0", "too-many-tiles", 51, None),
        ],
    )
    def test_a_fault_has_a_message_and_a_location(self, text, code, column, message):
        with pytest.raises(DomainError) as caught:
            cgp.read(text)
        error = caught.value
        assert (error.code, error.line, error.column) == (code, 1, column)
        assert message is None or str(error) == message
        assert isinstance(error, RuleError if code == "too-many-tiles" else ParseError)

    def test_a_fault_on_a_later_line_is_located_there(self):
        with pytest.raises(ParseError) as caught:
            cgp.read(f"{EMPTY_BOARD}\nA/B\n0/x 0")
        assert (caught.value.line, caught.value.column) == (3, 3)

    def test_two_surplus_tiles_give_a_warning(self):
        text = one_row_board(8, "6ZZZ6") + " / 0/0 0"
        reading = cgp.read(text)
        assert [(warning.code, warning.column) for warning in reading.warnings] == [("too-many-tiles", 24)]
        assert reading.warnings[0].message == "the board and racks have 3 × Z; the 'english' set has 1"
        assert cgp.write(reading.value) == text

    @pytest.mark.parametrize("run", ["9999999999", "9" * 5000, "51", "00000000000000000000051", "٣"])
    def test_an_invalid_run_is_rejected_with_a_short_message(self, run):
        with pytest.raises(ParseError) as caught:
            cgp.read(one_row_board(8, run))
        assert caught.value.column == 22
        assert len(str(caught.value)) < 120

    def test_a_leading_zero_gives_a_warning(self):
        reading = cgp.read(one_row_board(8, "007A07"))
        assert reading.value.board.at(7, 7) == 1
        assert [warning.code for warning in reading.warnings] == ["leading-zero", "leading-zero"]

    @pytest.mark.parametrize(
        "text",
        [
            "15/" * 20_000,
            "/" * 39_999,
            "A" * 39_999,
            "[" * 39_999,
            "1" * 39_999,
            f"{EMPTY_BOARD} " + "/" * 30_000 + " 0/0 0",
            f"{EMPTY_BOARD} " + "A" * 30_000 + "/ 0/0 0",
            f"{EMPTY_BOARD} A/B " + "0/" * 15_000 + " 0",
            "x" * 50_000,
            "é" * 30_000,
            "e\u0301" * 19_000,
            "\u0301" * 39_000,
        ],
        ids=lambda text: f"{text[:3]!r}x{len(text)}",
    )
    def test_absurd_lengths_are_rejected(self, text):
        with pytest.raises(DomainError) as caught:
            cgp.read(text)
        assert len(str(caught.value)) < 200


class TestWriting:
    def test_the_player_on_turn_comes_first(self):
        position = cgp.read(f"{EMPTY_BOARD} A/B/C 1/2/3 0").value
        assert cgp.write(replace(position, on_turn=2)) == f"{EMPTY_BOARD} C/A/B 3/1/2 0"

    def test_only_square_boards_can_be_written(self):
        position = cgp.read(EMPTY_BOARD).value
        with pytest.raises(ConversionError) as caught:
            cgp.write(replace(position, board=empty_board(15, 10)))
        assert caught.value.code == "board-not-square"

    @pytest.mark.parametrize("tile", ["", "/", "A B", "7", "[", ";"])
    def test_a_tile_like_a_symbol_cannot_be_written(self, tile):
        letters = (Letter("?", "?", 2, 0), Letter(tile, "x", 5, 1))
        position = cgp.read(EMPTY_BOARD).value
        odd_distribution = LetterDistribution("odd", letters)
        with pytest.raises(ConversionError) as caught:
            cgp.write(replace(position, rules=replace(position.rules, distribution=odd_distribution)))
        assert caught.value.code == "tile-not-writable"

    @pytest.mark.parametrize("players", [(), (Player(12),)])
    def test_a_position_with_fewer_than_two_players_is_readable(self, players):
        position = replace(cgp.read(EMPTY_BOARD).value, players=players)
        reread_position = cgp.read(cgp.write(position)).value
        assert [player.score for player in reread_position.players] == [
            *(player.score for player in players),
            0,
            0,
        ][:2]

    def test_a_polish_position_names_its_tile_set(self):
        text = f"{EMPTY_BOARD} Ż/ 0/0 0"
        assert cgp.write(cgp.read(text).value) == f"{text} ld polish;"


class TestProperties:
    @given(cgp_positions())
    def test_a_written_position_round_trips(self, position):
        text = cgp.write(position)
        assert cgp.read(text).value == position
        assert cgp.write(cgp.read(text).value) == text

    @given(positions(is_square=True))
    def test_writing_is_idempotent_for_any_position(self, position):
        text = cgp.write(position)
        assert cgp.write(cgp.read(text).value) == text
