"""The ASCII draft of CGP: reading, writing, and finding records in chat, where bars and tildes have other meanings."""

import contextlib
import string
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from bot.domain.crossword.notations import cgp, cgp_ascii
from bot.domain.crossword.notations.cgp_ascii import EARLIER_PLAYS_KEY
from bot.domain.crossword.notations.fields import MIN_ROWS
from bot.domain.crossword.play import Coordinate, Direction, Exchange, Pass, Placement
from bot.domain.crossword.position import LastPlay, Player, Position
from bot.domain.crossword.rules import (
    Letter,
    LetterDistribution,
    distribution_names,
    load_distribution,
)
from bot.domain.reading.problems import ConversionError, DomainError
from tests.domain.crossword.games import tiles
from tests.domain.crossword.strategies import cgp_positions
from tests.domain.growth import find_superlinear_growth
from tests.positions import EMPTY_BOARD as CGP_EMPTY

EMPTY_BOARD = "|".join(["~~/"] * 15)


def with_row(row: str) -> str:
    return "|".join(["~~/"] * 7 + [row] + ["~~/"] * 7)


class TestDraft:
    def test_the_empty_board_in_the_draft_is_read(self):
        position = cgp_ascii.read(EMPTY_BOARD).value
        assert position == cgp.read(CGP_EMPTY).value
        assert cgp_ascii.write(position) == f"{EMPTY_BOARD} | 0|0 0"

    def test_the_example_row_in_the_draft_is_read(self):
        board = cgp_ascii.read(with_row("~~':~~'")).value.board
        assert board.row(7) == (0,) * 7 + tiles("Z") + (0,) * 7

    def test_the_racks_and_scores_in_the_draft_round_trip(self):
        text = f'{EMPTY_BOARD} !"|!!~ 357|289 5'
        position = cgp_ascii.read(text).value
        assert position.players == (Player(357, tiles("AB")), Player(289, tiles("AA?")))
        assert position.scoreless_turns == 5
        assert cgp_ascii.write(position) == text

    def test_a_capital_r_is_a_blank_b_and_a_tilde_is_an_empty_square(self):
        board = cgp_ascii.read(with_row("!~R~~,")).value.board
        assert board.row(7) == (1, 0, -2) + (0,) * 12

    @pytest.mark.parametrize("name", distribution_names())
    def test_every_tile_of_every_set_round_trips(self, name):
        distribution = load_distribution(name)
        position = cgp.read(f"{CGP_EMPTY} / 0/0 0 ld {name};").value
        tile_kind_count = len(distribution.letters) - 1
        if tile_kind_count > 42:
            with pytest.raises(ConversionError):
                cgp_ascii.write(position)
            return
        used_tiles = [number for number in range(1, tile_kind_count + 1) if distribution.counts[number]]
        board = position.board.with_tiles(enumerate(used_tiles))
        position_with_blanks = replace(
            position, board=position.board.with_tiles([(0, -1), (224, -tile_kind_count)])
        )
        for filled_position in (replace(position, board=board), position_with_blanks):
            text = cgp_ascii.write(filled_position)
            assert text.isascii()
            assert cgp_ascii.read(text).value == filled_position

    def test_every_opcode_in_the_draft_round_trips(self):
        text = f"{EMPTY_BOARD} | 0|0 0 bb 35|bdn WorldWildlifeFund|ld french|etl 5|mncz 4|lm 8D !~Q"
        reading = cgp_ascii.read(text)
        rules = reading.value.rules
        assert (rules.bingo_bonus, rules.min_bag_for_exchange, rules.scoreless_limit) == (35, 5, 4)
        assert (rules.layout.name, rules.distribution.name) == ("WorldWildlifeFund", "french")
        assert reading.value.last_play == LastPlay(Placement(Coordinate(7, 3, Direction.ACROSS), (1, 0, -1)))
        assert cgp_ascii.write(reading.value) == text
        assert cgp_ascii.read(text.replace("|bdn", " | bdn").replace("mncz", "mcnz")).value == reading.value

    @pytest.mark.parametrize(
        ("operand", "play"),
        [
            ("pass", Pass()),
            ("exchange ~~", Exchange(unknown_count=2)),
            ('exchange !"', Exchange(tiles("AB"))),
            ("exchange !~", Exchange(tiles("A?"))),
            ("D8 !!", Placement(Coordinate(7, 3, Direction.DOWN), tiles("AA"))),
        ],
    )
    def test_last_plays_round_trip(self, operand, play):
        position = cgp_ascii.read(f"{EMPTY_BOARD} | 0|0 0 lm {operand}").value
        assert position.last_play == LastPlay(play)
        assert cgp_ascii.read(cgp_ascii.write(position)).value == position

    def test_earlier_plays_are_stored_and_written_back(self):
        text = f"{EMPTY_BOARD} | 0|0 0 lm pass|lm exchange ~~|lm 8D !!"
        position = cgp_ascii.read(text).value
        assert position.last_play == LastPlay(Pass())
        assert position.extra == ((EARLIER_PLAYS_KEY, "exchange ~~ | 8D !!"),)
        assert cgp_ascii.write(position) == text

    def test_an_invalid_last_play_is_stored(self):
        reading = cgp_ascii.read(f"{EMPTY_BOARD} | 0|0 0 lm 8D|lm pass")
        assert reading.value.last_play is None
        assert [warning.code for warning in reading.warnings] == ["bad-operand"]
        assert cgp_ascii.write(reading.value) == f"{EMPTY_BOARD} | 0|0 0 lm 8D|lm pass"

    def test_operations_with_bars_or_non_ascii_letters_are_left_out(self):
        position = cgp.read(f"{CGP_EMPTY} / 0/0 0 lex Słownik; foo ą; bar a|b;").value
        assert cgp_ascii.write(position) == f"{EMPTY_BOARD} | 0|0 0"

    def test_a_set_with_too_many_kinds_of_tiles_cannot_be_written(self):
        letters = tuple(Letter(chr(0x4E00 + number), f"[{number}]", 2, 1) for number in range(43))
        position = cgp.read(CGP_EMPTY).value
        large_distribution = LetterDistribution("wide", (Letter("?", "?", 2, 0), *letters))
        with pytest.raises(ConversionError) as caught:
            cgp_ascii.write(replace(position, rules=replace(position.rules, distribution=large_distribution)))
        assert caught.value.code == "too-many-kinds"


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("", "missing-fields", 1),
        (f"{EMPTY_BOARD} |", "missing-field", 62),
        (f"{EMPTY_BOARD} | 0|0", "missing-field", 66),
        (with_row("~~.") + " | 0|0 0", "row-width", 29),
        (with_row("~~"), "malformed-run", 29),
        (with_row("~~z"), "malformed-run", 29),
        (with_row("!;~~-"), "unknown-tile", 30),
        (with_row("Aż~~-"), "unknown-tile", 29),
        (f"{EMPTY_BOARD} !|a 0|0 0", "unknown-tile", 63),
        (f"{EMPTY_BOARD} !|!|! 0|0 0", "player-count", 61),
        (f"{EMPTY_BOARD} ! x 0", "malformed-score", 63),
        (f"{EMPTY_BOARD} | 0|0 x", "malformed-scoreless-turns", 67),
        (f"{EMPTY_BOARD} ::::|: 0|0 0", "too-many-tiles", 1),
        ("~" * 40_001, "too-long", 1),
        ("|" * 4_000, "too-many-rows", 51),
    ],
)
def test_a_fault_has_a_code_and_a_location(text, code, column):
    with pytest.raises(DomainError) as caught:
        cgp_ascii.read(text)
    assert (caught.value.code, caught.value.line, caught.value.column) == (code, 1, column)


class TestFinding:
    RECORD = f'{EMPTY_BOARD} !"|!!~ 357|289 5 ld english|lm 8D !"'

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("", ""),
            ("look: ", " what now?"),
            ("||", "||"),
            ("|| ", " ||"),
            ("`", "`"),
            ("```\n", "\n```"),
            ("> ", "\nnice"),
            ("**", "** wow"),
        ],
    )
    def test_a_record_is_found_in_text(self, before, after):
        text = before + self.RECORD + after
        assert [text[start:end] for start, end, _ in cgp_ascii.find(text)] == [self.RECORD]

    @pytest.mark.parametrize(
        ("before", "after"),
        [("", ""), ("||", "||"), ("`", "`"), ("(", ")"), ('"', '".'), ("_", "_"), ("is ", "?")],
    )
    def test_a_board_without_fields_is_found(self, before, after):
        text = before + EMPTY_BOARD + after
        assert [text[start:end] for start, end, _ in cgp_ascii.find(text)] == [EMPTY_BOARD]

    def test_records_between_spoiler_bars_are_found(self):
        text = f"||{EMPTY_BOARD}||{self.RECORD}||{EMPTY_BOARD} | 1|2 0||"
        assert [text[start:end] for start, end, _ in cgp_ascii.find(text)] == [
            EMPTY_BOARD,
            self.RECORD,
            f"{EMPTY_BOARD} | 1|2 0",
        ]

    @pytest.mark.parametrize(
        "text",
        [
            "~~struck out~~ | a | b | c | d | e | f | g",
            "|a|b|c|d|e|f|g|h|~~/|",
            "||spoiler|| ~~x~~ ||another|| |||||||||||||",
            "|---|---|---|---|---|---|---|---|~~~",
            "~|~|~|~|~|~|~|~|~",
            "cat /etc/passwd | sort | uniq | head|tail|less|more|wc|~/bin/x",
            "~~/|" * 14,
            "~~/|" * 16 + "~~/",
        ],
    )
    def test_text_without_a_record_is_ignored(self, text):
        assert [text[start:end] for start, end, _ in cgp_ascii.find(text)] == []

    @pytest.mark.parametrize("unit", ["~", "|", "~|", "~~/|", "a|", "||~~/|", "`~~/|", " |~", "!" * 50 + "|"])
    def test_hostile_text_takes_linear_time(self, unit):
        def find_all(text):
            return list(cgp_ascii.find(text))

        assert not find_superlinear_growth(find_all, lambda size: (unit * size)[:size], 250_000)

    @given(cgp_positions(), st.sampled_from(("", "see ", "||", "\n", "(")))
    def test_a_written_record_is_found(self, position, before):
        text = cgp_ascii.write(replace(position, rules=replace(position.rules, lexicon="")))
        if position.board.rows < MIN_ROWS or "~" not in text.split()[0]:
            return
        found = list(cgp_ascii.find(before + text))
        assert found[0][0] == len(before)
        fields = text.split(" ")
        assert found[0][1] >= len(before) + len(" ".join(fields[:4]))


def without_inexpressible_parts(position: Position) -> Position:
    """Return a position without the parts that the ASCII draft of CGP cannot express."""
    last_play = position.last_play
    if last_play is not None:
        last_play = None if last_play.withdrawn else replace(last_play, challenge_bonus=None)
    if last_play is not None and isinstance(last_play.play, Exchange) and not any(last_play.play.tiles):
        last_play = replace(last_play, play=Exchange(unknown_count=last_play.play.size))
    extra = tuple((name, operand) for name, operand in position.extra if operand.isascii())
    return replace(position, last_play=last_play, extra=extra)


class TestProperties:
    @given(cgp_positions())
    def test_a_written_record_round_trips(self, position):
        text = cgp_ascii.write(position)
        assert text.isascii()
        assert set(text) <= set(string.printable)
        assert cgp_ascii.read(text).value == without_inexpressible_parts(position)
        assert cgp_ascii.write(cgp_ascii.read(text).value) == text

    @given(st.text(alphabet="~|!/Az 0\n`", max_size=400))
    def test_any_text_raises_only_domain_errors(self, text):
        list(cgp_ascii.find(text))
        with contextlib.suppress(DomainError):
            cgp_ascii.read(text)
