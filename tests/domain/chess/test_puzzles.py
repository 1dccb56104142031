"""Puzzle files: every rule in TI-Chess's documentation."""

import chess
import pytest
from hypothesis import given, strategies as st

from bot.domain.chess.convert import as_annotated_position
from bot.domain.chess.documents import Puzzle, PuzzleSet
from bot.domain.chess.notations import epd, puzzles
from bot.domain.chess.position import position_of
from bot.domain.reading.problems import DomainError, ParseError, RuleError
from tests.domain.chess.strategies import boards
from tests.domain.faults import value_without_faults

MATE = "6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1"
ROOKS = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
FILE = f"""\
// a set
# by alice

[D](c) alice
[D]White mates in one.
[S]1. Re8#
{MATE}

[D]Ladder
[S]1. Rb3 or anything slow
  {ROOKS}
"""


def read_without_faults(text):
    return value_without_faults(puzzles.read(text)).puzzles


def test_the_puzzles_of_a_file_are_separated():
    first, second = read_without_faults(FILE)
    assert first.description == ("(c) alice", "White mates in one.")
    assert first.solution == ("1. Re8#",)
    assert (first.position.fen, first.line_number) == (MATE, 4)
    assert (second.description, second.position.fen, second.line_number) == (("Ladder",), ROOKS, 9)


D, S = "[D]d", "[S]s"


@pytest.mark.parametrize(
    ("lines", "shapes"),
    [
        ([D, S, MATE, D, S, ROOKS], [(1, 1), (1, 1)]),
        ([D, D, D, S, S, S, S, MATE], [(3, 4)]),
        ([D, MATE, S, D, MATE, S, S], [(1, 1), (1, 2)]),
        ([MATE, D, S, ROOKS, D, D], [(1, 1), (2, 0)]),
        ([S, MATE, S, ROOKS], [(0, 1), (0, 1)]),
        ([MATE, ROOKS], [(0, 0), (0, 0)]),
        ([D, S, MATE, S, ROOKS, D, MATE], [(1, 1), (0, 1), (1, 0)]),
        ([S, D, MATE, S, D, MATE], [(1, 1), (1, 1)]),
    ],
)
def test_the_parts_may_come_in_any_unambiguous_order(lines, shapes):
    found = read_without_faults("\n".join(lines))
    assert [(len(puzzle.description), len(puzzle.solution)) for puzzle in found] == shapes


def test_comments_are_stored_and_empty_lines_skipped():
    text = f"//x\n#y\n\n[D]a\n// between\n[S]b\n   \n# and\n{MATE}\n//two  \n\n{ROOKS}\n//end"
    first, second = read_without_faults(text)
    assert (first.description, first.solution) == (("a",), ("b",))
    assert (first.comments, second.comments) == (("//x", "#y", "// between", "# and"), ("//two",))
    assert puzzles.read(text).value.comments == ("//end",)


def test_a_fen_may_be_in_a_tag():
    [puzzle] = read_without_faults(f'[D]a\n[FEN "{MATE}"]')
    assert puzzle.position.fen == MATE


def test_long_lines_are_cut_with_a_warning():
    text = "x" * 32
    assert read_without_faults(f"[D]{text}\n{MATE}")[0].description == (text,)
    reading = puzzles.read(f"[D]short\n[D]{text}yz\n[S] {text}!\n{MATE}")
    assert reading.value.puzzles[0].description == ("short", text)
    assert [(warning.line, warning.column, warning.message) for warning in reading.warnings] == [
        (2, 36, "this line has 34 characters; only the first 32 are kept"),
        (3, 37, "this line has 33 characters; only the first 32 are kept"),
    ]


GOOD = f"[D]good\n{MATE}\n"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[D]a\n[D]b\n[D]c\n[D]e\n" + MATE, 4, "a puzzle has at most 3 description lines"),
        ("[D]a\n[S]1\n[S]2\n[S]3\n[S]4\n[S]5\n" + MATE, 6, "a puzzle has at most 4 solution lines"),
        ("[D]a\n[S]b\n", 1, "the puzzle that starts here has no FEN"),
        ("[D]a\n[S]b\n[D]c\n[S]e\n" + MATE, 1, "the puzzle that starts here has no FEN"),
        ("[D]a\nmate in two\n" + MATE, 2, "this line is neither [D], [S], a FEN nor a comment"),
        ("[D]a\n4k3/8/8/8/8/8/8/8 w - - 0 1", 2, "there is no white king"),
        ("[D]a\n4k3/8/8/8/8/8/8 w - - 0 1", 2, "a chessboard has 8 ranks, not 7"),
    ],
)
def test_reading_ends_at_a_fault_and_reports_its_location(text, line, message):
    with pytest.raises((ParseError, RuleError)) as caught:
        puzzles.read(text)
    assert (caught.value.line, caught.value.message) == (line, message)
    reading = puzzles.read(GOOD + text)
    assert [puzzle.description for puzzle in reading.value.puzzles] == [("good",)]
    assert (reading.error.line, reading.error.message) == (line + 2, message)


def test_all_faults_in_a_file_are_reported():
    text = "[D]a\n[D]b\n[D]c\n[D]e\n" + MATE + "\n[D]x\n[D]y\n[S]z\n[D]w\nfoo\n" + MATE + "\n[D]end"
    assert [(fault.line, fault.code) for fault in puzzles.faults(text)] == [
        (4, "puzzle-description"),
        (6, "puzzle-fen"),
        (10, "puzzle-line"),
        (12, "puzzle-fen"),
    ]
    assert puzzles.faults(FILE) == ()
    assert [fault.code for fault in puzzles.faults("// nothing\n")] == ["puzzle-empty"]


def test_a_warning_about_a_missing_fen_field_has_the_line_of_the_fen():
    reading = puzzles.read("[D]a\n6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - -")
    [warning] = reading.warnings
    assert (warning.line, warning.code) == (2, "fen-four-fields")


def test_a_written_file_round_trips():
    original = puzzles.read(FILE).value
    reread = puzzles.read(puzzles.write(original)).value
    assert puzzles.write(reread) == puzzles.write(original)
    assert [puzzle.solution for puzzle in reread.puzzles] == [puzzle.solution for puzzle in original.puzzles]


def test_a_puzzle_is_written_as_an_epd():
    first, second = puzzles.read(FILE).value.puzzles
    text = epd.write(as_annotated_position(first, 1))
    assert text == (
        '6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - id "puzzle 1"; bm Re8#; pv Re8#; '
        'c0 "(c) alice"; c1 "White mates in one."; c3 "1. Re8#";'
    )
    assert epd.read(text).warnings == ()
    _, operations = chess.Board.from_epd(text)
    assert operations["bm"] == [chess.Move.from_uci("e1e8")]
    assert operations["c1"] == "White mates in one."
    assert ("bm", "Rb3") in as_annotated_position(second, 2).operations


TEXTS = st.text(st.sampled_from("abc Nf3+1.é"), max_size=32).map(str.strip)
COMMENTS = st.lists(st.text().map(puzzles.as_comment), max_size=3).map(tuple)
PUZZLE_SETS = st.lists(
    st.builds(
        Puzzle,
        boards.map(position_of),
        st.lists(TEXTS, max_size=3).map(tuple),
        st.lists(TEXTS, max_size=4).map(tuple),
        comments=COMMENTS,
    ),
    min_size=1,
    max_size=4,
)


@given(PUZZLE_SETS, COMMENTS)
def test_any_puzzle_set_is_written_and_read(entries, last_comments):
    reread = puzzles.read(puzzles.write(PuzzleSet(tuple(entries), last_comments))).value
    assert [(p.position.fen, p.description, p.solution, p.comments) for p in reread.puzzles] == [
        (p.position.fen, p.description, p.solution, p.comments) for p in entries
    ]
    assert reread.comments == last_comments
    for number, puzzle in enumerate(reread.puzzles, start=1):
        chess.Board.from_epd(epd.write(as_annotated_position(puzzle, number)))


FILE_LINES = [
    "[D]a",
    "[S]b",
    MATE,
    ROOKS,
    "//c",
    "#d",
    "",
    "[D]" + "x" * 40,
    "4k3/8 w",
    "[E]x",
    "\ufeff",
    "[S]1. Re8#",
]


@given(st.lists(st.sampled_from(FILE_LINES), max_size=14).map("\n".join))
def test_any_file_is_read_or_rejected(text):
    faults = puzzles.faults(text)
    try:
        reading = puzzles.read(text)
    except DomainError as error:
        assert faults[0].message == error.message  # noqa: PT017 - compares the error with the first fault
        return
    assert (reading.error is None) == (not faults)
    written = puzzles.write(reading.value)
    assert puzzles.read(written).error is None
