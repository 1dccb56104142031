"""Posted puzzle files: which files are recognized, what is left out, and how damaged and hostile files are handled."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, strategies as st

from bot.chat.card import ReplyContext
from bot.features.puzzles.chess.solving import ShownPostedPuzzle
from bot.features.puzzles.crossword import document
from bot.features.puzzles.sheets import MAX_FAULTS, RowFormat, puzzle_at, read_sheet

DATA = files("bot.features.puzzles") / "data"
MADE_BY_KIBITZ = (DATA / "SCOWL80-2041.json").read_text(encoding="utf-8")
LICHESS = "".join((DATA / "lichess.csv").read_text(encoding="utf-8").splitlines(keepends=True)[:6])
EPD = "6k1/8/8/8/8/8/R7/1R4K1 w - - bm Ra7; pv Ra7 Kf8 Rb8;\n"
PGN = '[Event "a"]\n[FEN "6k1/8/8/8/8/8/R7/1R4K1 w - - 0 1"]\n\n1. Ra7 Kf8 2. Rb8# *\n\n'
SHEETS_BY_FORMAT = {
    RowFormat.CROSSWORD: MADE_BY_KIBITZ,
    RowFormat.LICHESS: LICHESS,
    RowFormat.POSITIONS: EPD * 3,
}


def test_sheets_are_read_completely_from_files_and_from_stored_text():
    for row_format, text in SHEETS_BY_FORMAT.items():
        sheet = read_sheet(text)
        assert sheet is not None
        assert (sheet.row_format, sheet.left_out_count) == (row_format, 0)
        stored_text = sheet.to_text()
        stored_puzzles = [puzzle_at(stored_text, index) for index in range(len(sheet.rows))]
        assert [found[2] for found in stored_puzzles if found is not None] == [len(sheet.rows)] * len(
            sheet.rows
        )
        assert puzzle_at(stored_text, len(sheet.rows)) is None
    assert {puzzle.id for puzzle in document.read(MADE_BY_KIBITZ)} == {
        puzzle_at(read_sheet(MADE_BY_KIBITZ).to_text(), index)[1].id for index in range(4)
    }


def test_the_first_faults_are_listed_and_all_are_counted():
    sheet = read_sheet(LICHESS + "x\n" * 10)
    assert len(sheet.rows) == 5
    assert [fault.line for fault in sheet.faults] == [7, 8, 9][:MAX_FAULTS]
    assert sheet.left_out_count == 10
    assert not sheet.ends_early


def test_files_are_read_only_up_to_the_limit(monkeypatch):
    monkeypatch.setattr("bot.features.puzzles.sheets.MAX_PUZZLES", 10)
    monkeypatch.setattr("bot.features.puzzles.sheets.MAX_LEFT_OUT", 20)
    long_sheet = read_sheet(EPD * 11)
    assert (len(long_sheet.rows), long_sheet.ends_early) == (10, True)
    faulty_sheet = read_sheet(LICHESS + "x\n" * 25)
    assert (len(faulty_sheet.rows), faulty_sheet.left_out_count, faulty_sheet.ends_early) == (5, 20, True)
    assert read_sheet(LICHESS + " " * 1_000_000) is None


@pytest.mark.parametrize(
    "text",
    [
        EPD,  # a single position is shown as a position
        PGN,  # a single game is shown as a game
        PGN + '[Event "b"]\n\n1. e4 e5 *\n',
        PGN.replace("[Event", '[TimeControl "300"]\n[Event') * 2,
        PGN.replace("[Event", '[WhiteElo "1500"]\n[Event') * 2,
        PGN.replace("2. Rb8#", "2. Rb8# {" + "very " * 400 + "}") * 2,
        PGN.replace("[Event", '[Annotator "alice"]\n[Event') * 2,
        "PuzzleId,FEN\n",
        '{"format": "kibitz"}\n',
        "[" * 100_000,
        '{"a":' * 5_000,
        "",
    ],
)
def test_other_files_are_not_read_as_puzzle_sheets(text):
    assert read_sheet(text) is None


def test_a_drop_is_described_by_its_target_square_only():
    drop = "6k1/5ppp/8/8/8/8/8/6K1[Q] w - - bm Q@e8;\n"
    posted_puzzle: Any = puzzle_at(read_sheet(drop * 2).to_text(), 0)[1]
    puzzle, context = ShownPostedPuzzle(posted_puzzle), ReplyContext()
    assert puzzle.hints(0, context.translate) == ("The best move ends on e8.",)
    assert puzzle.solution(context)[1].alt.startswith("The best move ends on e8. White to move.")


HOSTILE_VALUES: dict[str, list[object]] = {
    "rating": [1e300, -1e9, "1500", None, True, float("inf")],
    "ranking": [
        [["B9 AWE", 1e300, 0, 0]],
        [["B9 AWE", 1]],
        [["-", 0, float("nan"), 0]] * 2,
        [[]] * 1000,
        {},
        [],
    ],
    "answers": [[], [""], ["x" * 19_000], [None], ["-"] * 101, "B9 AWE"],
    "themes": [["**"], [1], None],
    "why": [[["spread", 1e308, 0, 0, 0]], [["x", 0, 0, 0, 0]], [[]], [["spread", 1, 0, 0, 0]] * 13],
    "family": ["hook", "best", None, ["hook"]],
    "position": ["", "15/" * 14 + "15 / 0/0 0", "x" * 19_000, None],
    "lexicon": [None, 5, {}, "x" * 33],
    "iterations": ["1", -1e9, float("nan")],
}


def test_every_field_of_a_row_is_validated():
    head, line = MADE_BY_KIBITZ.splitlines()[:2]
    for name, values in HOSTILE_VALUES.items():
        for value in values:
            text = f"{head}\n{json.dumps({**json.loads(line), name: value})}\n{line}"
            sheet = read_sheet(text)
            assert (len(sheet.rows), sheet.left_out_count) == (1, 1), (name, str(value)[:40])
            assert [fault.line for fault in sheet.faults] == [2]


@given(
    st.sampled_from([MADE_BY_KIBITZ, LICHESS, EPD * 2, PGN * 2]),
    st.integers(0, 400),
    st.text(max_size=8),
    st.integers(0, 9),
)
def test_puzzles_read_from_a_damaged_file_can_be_stored(text, offset, inserted, removed_count):
    sheet = read_sheet(text[:offset] + inserted + text[offset + removed_count :], posted_with_command=True)
    if sheet is not None:
        assert len(sheet.faults) == min(sheet.left_out_count, MAX_FAULTS)
        stored_text = sheet.to_text()
        assert all(puzzle_at(stored_text, index) is not None for index in range(len(sheet.rows)))
