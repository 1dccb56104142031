"""The commands for chess files, such as compile-puzzles and compile-book, run as a user would run them."""

from __future__ import annotations

import json

import chess
import chess.polyglot
import png
import pytest

from bot.domain.chess.notations import polyglot
from tests.positions import EMPTY_BOARD

MATE = "6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1"
PUZZLES = f"// set\n[D](c) alice\n[D]White mates in one.\n[S]1. Re8#\n{MATE}\n\n[D]{'x' * 40}\n4k3/8/8/8/8/8/4P3/4K3 w - - 5 39\n"
BOOK = "// Open\n1. e4 e5 2. Nf3\n1. e4 c5\n// Queen\n1. d4 d5\n"
GAME = '[White "alice"]\n[Black "bob"]\n\n1. e4 {best} e5 (1... c5) 2. Nf3 1-0\n'


@pytest.mark.parametrize("command", ["compile-puzzles", "compile-book"])
def test_a_command_without_a_source_prints_its_help(run, command):
    code, out, err = run(command)
    assert (code, err) == (0, "")
    assert out.startswith(f"usage: python -m bot {command}")
    assert "their format is not documented" in out


@pytest.mark.parametrize(
    ("output", "written"),
    [
        (["-o", "out.epd"], {"out.epd"}),
        (["-o", "out.json"], {"out.json"}),
        (["-o", "out"], {"out.epd", "out.json"}),
        (["-o", "out.v1"], {"out.v1.epd", "out.v1.json"}),
        ([], {"in.epd", "in.json"}),
    ],
)
def test_puzzles_become_epd_and_json(run, tmp_path, output, written):
    (tmp_path / "in.txt").write_text(PUZZLES)
    code, out, err = run("compile-puzzles", "in.txt", *output)
    assert code == 0
    assert {path.name for path in tmp_path.iterdir()} == written | {"in.txt"}
    assert "2 puzzles" in out
    assert err == "in.txt:7:36: warning: this line has 40 characters; only the first 32 are kept\n"


def test_compiled_puzzles_keep_every_part(run, tmp_path):
    (tmp_path / "in.txt").write_text(PUZZLES)
    run("compile-puzzles", "in.txt")
    first, second = (tmp_path / "in.epd").read_text().splitlines()
    board, operations = chess.Board.from_epd(first)
    assert board.fen() == MATE
    assert operations["bm"] == [chess.Move.from_uci("e1e8")]
    assert chess.Board.from_epd(second)[0].fen() == "4k3/8/8/8/8/8/4P3/4K3 w - - 5 39"
    document = json.loads((tmp_path / "in.json").read_text())
    assert document["kind"] == "chess-puzzles"
    assert document["puzzles"][0] == {
        "fen": MATE,
        "description": ["(c) alice", "White mates in one."],
        "solution": ["1. Re8#"],
        "comments": ["// set"],
    }


def test_a_book_becomes_a_polyglot_file(run, tmp_path):
    (tmp_path / "in.txt").write_text(BOOK)
    code, out, err = run("compile-book", "in.txt", "-o", "out.bin")
    assert (code, err) == (0, "")
    assert out == "out.bin: 3 lines, 7 positions, 6 moves, 3 half-moves deep, 0 transpositions\n"
    with chess.polyglot.open_reader(tmp_path / "out.bin") as reader:
        assert [(entry.move.uci(), entry.weight) for entry in reader.find_all(chess.Board())] == [
            ("e2e4", 2),
            ("d2d4", 1),
        ]


def test_a_null_move_ends_a_line_of_a_compiled_book_with_a_warning(run, tmp_path):
    (tmp_path / "in.txt").write_text("// Open\n1. e4 -- 2. d4\n")
    code, out, err = run("compile-book", "in.txt", "-o", "out.bin")
    assert code == 0
    assert err == "in.txt:2:7: warning: a compiled book can't hold the null move --; the line ends there\n"
    assert out.startswith("out.bin: 1 line, 2 positions, 1 move, 1 half-move deep")


def test_the_default_output_name_comes_from_the_source(run, tmp_path):
    (tmp_path / "in.txt").write_text(BOOK)
    assert run("compile-book", "in.txt")[0] == 0
    assert (tmp_path / "in.bin").exists()
    (tmp_path / "my.book.txt").write_text(BOOK)
    assert run("compile-book", "my.book.txt")[0] == 0
    assert {path.name for path in tmp_path.iterdir()} == {"in.txt", "in.bin", "my.book.txt", "my.book.bin"}


@pytest.mark.parametrize(
    ("command", "name", "text", "output"),
    [
        ("compile-book", "set.bin", BOOK, []),
        ("compile-puzzles", "set.epd", PUZZLES, []),
        ("compile-puzzles", "set.json", PUZZLES, ["-o", "set"]),
        ("compile-puzzles", "set.txt", PUZZLES, ["-o", "link.epd"]),
    ],
)
def test_no_source_is_overwritten(run, tmp_path, command, name, text, output):
    (tmp_path / name).write_text(text)
    (tmp_path / "link.epd").symlink_to(tmp_path / name)
    before = {path.name for path in tmp_path.iterdir()}
    code, out, err = run(command, name, *output)
    assert (code, out) == (2, "")
    assert err.endswith("can't be written: it is also the source. Give the output another name with -o\n")
    assert (tmp_path / name).read_text() == text
    assert {path.name for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("command", "text", "faults"),
    [
        (
            "compile-book",
            "1. e4 e5 2. Ke3\n1. d4 Nf3\n",
            [
                "in:1:13: Ke3 isn't a legal move; White is to move",
                "in:2:7: Nf3 isn't a legal move; Black is to move",
            ],
        ),
        (
            "compile-puzzles",
            "[D]a\n[D]b\n[D]c\n[D]d\n" + MATE + "\n[D]e\n",
            [
                "in:4:1: a puzzle has at most 3 description lines",
                "in:6:1: the puzzle that starts here has no FEN",
            ],
        ),
        ("compile-book", "", ['in:1:1: no move sequence found in this text; a sequence starts with "1."']),
        ("compile-puzzles", "// nothing", ["in:1:1: no puzzle found in this text"]),
    ],
)
def test_every_error_is_reported_and_no_file_is_written(run, tmp_path, command, text, faults):
    (tmp_path / "in").write_text(text)
    code, out, err = run(command, "in", "-o", "out")
    assert (code, out) == (2, "")
    assert err.splitlines() == [*faults, "in: nothing was written"]
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_files_that_cannot_be_read_or_written_are_reported(run, tmp_path, monkeypatch):
    code, _, err = run("compile-book", "missing")
    assert (code, err) == (2, "missing can't be read: No such file or directory\n")
    (tmp_path / "in").write_text(BOOK)
    code, _, err = run("compile-book", "in", "-o", "no/such/out.bin")
    assert (code, err) == (2, "no/such/out.bin can't be written: No such file or directory\n")
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    assert run("compile-puzzles", "binary")[0] == 2
    monkeypatch.setattr(polyglot, "count_wrong_moves", lambda *_: 3)
    code, _, err = run("compile-book", "in", "-o", "out.bin")
    assert (code, err) == (2, "out.bin can't be written: 3 moves differ when the file is read again\n")
    assert {path.name for path in tmp_path.iterdir()} == {"in", "binary"}


def test_compiling_standard_input_needs_an_output_name(run, set_stdin):
    set_stdin(BOOK)
    error = "the output needs a name (-o) when the source is standard input\n"
    assert run("compile-book", "-") == (2, "", error)
    assert run("compile-book", "-", "-o", "x.bin")[0] == 0


def test_inspect_lists_chess_documents(run, tmp_path):
    for name, text in {"a": MATE, "b": GAME, "c": PUZZLES, "d": BOOK, "e": f"{MATE[:-4]} bm Re8#;"}.items():
        (tmp_path / name).write_text(text)
    code, out, _ = run("inspect", "a", "b", "c", "d", "e", "--json")
    items = [json.loads(line)["items"] for line in out.splitlines()]
    assert code == 0
    assert [[(item["format"], item["kind"]) for item in file_items] for file_items in items] == [
        [("fen", "chess-position")],
        [("pgn", "chess-game")],
        [("puzzles", "chess-puzzles")],
        [("book", "chess-book")],
        [("epd", "chess-position")],
    ]
    assert items[1][0]["turns"][0] == {"san": "e4", "uci": "e2e4", "comment": "best"}
    assert items[3][0]["names"] == ["Open", "Queen"]
    code, out, _ = run("inspect", "b", "d")
    assert "b: PGN: alice – bob · 1–0 · 3 turns" in out
    assert "d: TI-Chess opening book: Opening book · 3 lines" in out


def test_show_draws_a_chess_game(run, tmp_path):
    (tmp_path / "a").write_text(GAME)
    code, out, _ = run("show", "a", "-o", "a.png")
    assert code == 0
    assert "alice against bob" in out
    width, height, *_ = png.Reader(bytes=(tmp_path / "a.png").read_bytes()).read()
    assert 600 < width < height


@pytest.mark.parametrize(
    ("text", "arguments", "written", "lost"),
    [
        (MATE, ["epd"], MATE[:-4], []),
        (GAME, ["fen", "--turn", "1"], "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
         ["the moves before the position (1)", "comments and annotations", "the tags White, Black"]),
        (GAME, ["uci"], "e2e4 e7e5 g1f3",
         ["comments and annotations", "variations", "the tags White, Black", "the result"]),
        (PUZZLES, ["fen"], f"{MATE}\n4k3/8/8/8/8/8/4P3/4K3 w - - 5 39", ["descriptions and solutions", "comments and annotations"]),
    ],
)  # fmt: skip
def test_convert_writes_chess_and_reports_what_is_lost(run, tmp_path, text, arguments, written, lost):
    (tmp_path / "a").write_text(text)
    code, out, err = run("convert", "a", "--to", *arguments)
    assert (code, out) == (0, written + "\n")
    assert err.splitlines() == [f"a: lost: {loss}" for loss in lost]


def test_a_refused_conversion_is_reported(run, tmp_path):
    (tmp_path / "a").write_text(MATE)
    assert (
        run("convert", "a", "--to", "cgp")[2]
        == "a: this is a chess document, and CGP is for crossword games\n"
    )
    (tmp_path / "b").write_text(EMPTY_BOARD)
    assert (
        run("convert", "b", "--to", "fen")[2] == "b: this is a crossword game, and FEN is a chess notation\n"
    )
