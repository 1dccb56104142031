"""The commands that read files, run as a user would run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import png
import pytest

from bot import __version__
from bot.__main__ import main
from bot.cli import documents
from bot.domain.crossword.notations import cgp, json_document
from bot.observe import logs
from tests.domain.shared import needs_corpus, read_table
from tests.positions import EMPTY_BOARD, MAVEN

ROOT = Path(__file__).parents[2]


def test_inspect_prints_a_line_for_a_missing_file(set_stdin, tmp_path, inspect_json):
    set_stdin(MAVEN)
    missing_path = str(tmp_path / "missing.gcg")
    code, [first, second] = inspect_json(missing_path, "-")
    assert code == 2
    assert (first["file"], first["items"], first["error"]["code"]) == (missing_path, [], "unreadable-file")
    assert set(first["error"]) == {"format", "line", "column", "code", "message"}
    assert second["items"]


def test_inspect_names_no_notation_for_an_unreadable_file(run):
    Path("a.zip").write_bytes(b"PK\3\4 cut off")
    assert run("inspect", "a.zip")[1] == "a.zip: file: the archive is damaged\n"


@pytest.mark.parametrize("command", ["show -o board.png", "convert --to fen"])
def test_documents_after_the_first_are_not_reported_as_unread(run, command):
    games = (f'[White "White {number}"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n\n' for number in range(30))
    Path("games.pgn").write_text("".join(games), encoding="utf-8")
    code, _, errors = run(*command.split(), "games.pgn")
    assert code == 0
    assert "not read" not in errors


def test_names_are_printed_as_utf_8_in_any_locale(tmp_path):
    game = tmp_path / "a.gcg"
    game.write_text("#player1 a Ĉiu\n#player2 b Bob\n>a: AEINRST 8D NASTIER +66 66\n", encoding="utf-8")
    completed = subprocess.run(
        [sys.executable, "-m", "bot", "inspect", str(game)],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=True,
    )
    assert "Ĉiu 66" in completed.stdout.decode("utf-8")


def test_the_version_is_defined_in_one_place(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"Kibitz {__version__}\n"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["hatch"]["version"] == {"path": "bot/__init__.py"}
    newest_heading = re.search(
        r"^## (?:Unreleased|([0-9.]+))", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert newest_heading
    assert newest_heading[1] in {None, __version__}


def test_inspect_lists_the_documents_in_a_file(set_stdin, inspect_json):
    set_stdin(f"what now? `{MAVEN}`\nor cgp {EMPTY_BOARD} ZZ/ 3/-5 0")
    code, [inspected_file] = inspect_json("-")
    assert code == 0
    assert inspected_file["file"] == "-"
    assert inspected_file["error"] is None
    first, second = inspected_file["items"]
    assert first == {
        "format": "cgp",
        "kind": "position",
        "cgp": MAVEN,
        "scores": [0, 0],
        "racks": ["IKLMTZ", "AEINRU?"],
        "warnings": [],
    }
    assert second["scores"] == [3, -5]
    [warning] = second["warnings"]
    assert (warning["line"], warning["column"], warning["code"]) == (2, 54, "too-many-tiles")


JSON = json_document.write(cgp.read(MAVEN).value)
SHORT_FEN = "k7/8/8/8/8/8/8/K7 w\n"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (SHORT_FEN * 64, 64),
        (SHORT_FEN.replace("K7", "K6R") * 500, 500),
        (SHORT_FEN.replace("\n", " - - ce 1;\n") * 200, 200),
        ("7/7/7/7/7/7/7 / 0/0 0\n" * 300, 300),
        (JSON * 50, 50),
        ("1. e4 e5 1-0\n" * 300, 300),
        ("and then\n1. e4 e5 2. Nf3 Nc6\n" * 300, 300),
        ("https://x.org/#gid=a&tn=1\n" * 300, 300),
    ],
)
def test_a_file_of_short_documents_is_read_completely(set_stdin, text, count, inspect_json):
    set_stdin(text)
    _, [inspected_file] = inspect_json("-")
    assert inspected_file["unread"] == 0
    assert inspected_file["error"] is None
    assert len(inspected_file["items"]) == count


def test_the_unread_part_of_a_file_is_reported(set_stdin, capsys, monkeypatch, inspect_json):
    monkeypatch.setattr(documents, "MAX_DOCUMENTS", 40)
    set_stdin(SHORT_FEN * 60)
    _, [inspected_file] = inspect_json("-")
    assert (len(inspected_file["items"]), inspected_file["unread"], inspected_file["error"]) == (40, 20, None)
    set_stdin(SHORT_FEN * 60)
    assert main(["inspect", "-"]) == 0
    assert "20 more were not read" in capsys.readouterr().out.splitlines()[-1]


@pytest.mark.parametrize(
    ("format_name", "decoy", "after", "place"),
    [
        ("pgn", "so 1. e4 e5 it is said to be\n", "1. d4 d5 2. c4 e6 1-0\n", (101, 4)),
        ("pgn", "1. e4 e5 2. Ke8 no\n1. Ka8 Kb9\n", "1. d4 d5 2. c4 e6 1-0\n", None),
        ("json", '{"format": "kibitz", \n', JSON, (5, 1)),
    ],
)
def test_an_abandoned_search_is_reported_with_its_location(
    set_stdin, format_name, decoy, after, place, inspect_json
):
    set_stdin(SHORT_FEN + decoy * (1_200 if place is None else place[0] + 20) + after)
    code, [inspected_file] = inspect_json("-")
    assert code == 2
    assert [item["format"] for item in inspected_file["items"]] == ["fen"]
    assert (inspected_file["error"]["format"], inspected_file["error"]["code"]) == (
        format_name,
        "search-ended",
    )
    assert place is None or (inspected_file["error"]["line"], inspected_file["error"]["column"]) == (
        place[0] + 1,
        place[1],
    )


def test_inspect_prints_a_line_for_each_file(tmp_path, inspect_json):
    good_file, without_document, bad_file = (tmp_path / name for name in ("good.cgp", "none.txt", "bad.cgp"))
    good_file.write_text(MAVEN)
    without_document.write_text("hello")
    bad_file.write_text(f"{EMPTY_BOARD}/15 / 0/0 0")
    code, lines = inspect_json(str(good_file), str(without_document), str(bad_file))
    assert code == 2
    assert [len(line["items"]) for line in lines] == [1, 0, 0]
    assert lines[1]["error"] is None
    assert lines[2]["error"] == {
        "format": "cgp",
        "line": 1,
        "column": 46,
        "code": "row-count",
        "message": "the board has 16 rows of 15 squares; it needs 15 rows",
    }
    assert main(["inspect", str(without_document)]) == 1


def test_inspect_without_json_prints_sentences(set_stdin, capsys):
    set_stdin(f"{EMPTY_BOARD} ZZ/ 3/-5 0")
    assert main(["inspect", "-"]) == 0
    out = capsys.readouterr().out
    assert "Player 1 to move · 3–−5 (+8)" in out
    assert "-:1:47: warning: the board and racks have 2 × Z" in out


@pytest.mark.parametrize(
    ("content", "code", "sentence"),
    [
        (None, 2, "No such file"),
        (b"15/" * 400_000, 2, "larger than 1,000,000 bytes"),
        (bytes(range(256)), 1, "file: nothing found"),
    ],
    ids=["missing", "huge", "binary"],
)
def test_an_unusable_file_is_reported(run, tmp_path, content, code, sentence):
    if content is not None:
        (tmp_path / "file").write_bytes(content)
    result, out, err = run("inspect", "file")
    assert result == code
    assert sentence in out + err


@pytest.mark.parametrize("layout", ["wide", "tall", "board"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_show_draws_each_theme_and_layout(set_stdin, capsys, tmp_path, layout, theme):
    set_stdin(MAVEN)
    path = tmp_path / "board.png"
    assert main(["show", "-", "-o", str(path), "--theme", theme, "--layout", layout]) == 0
    width, height, *_ = png.Reader(bytes=path.read_bytes()).read()
    assert (width > height) == (layout == "wide") or layout == "board"
    assert "rack IKLMTZ" in capsys.readouterr().out


def test_show_numbers_the_pictures_of_further_positions(set_stdin, tmp_path):
    set_stdin(f"{MAVEN}\n{EMPTY_BOARD} A/B 0/0 0")
    assert main(["show", "-", "-o", str(tmp_path / "board.png")]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["board-2.png", "board.png"]


def test_show_keeps_existing_pictures(set_stdin, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    set_stdin(f"{MAVEN}\n{EMPTY_BOARD} A/B 0/0 0")
    (tmp_path / "position-2.png").touch()
    assert main(["show", "-"]) == 0
    assert (tmp_path / "position-2.png").stat().st_size == 0
    assert (tmp_path / "position-3.png").stat().st_size


def test_show_reports_why_nothing_is_drawn(set_stdin, capsys, tmp_path):
    set_stdin(f"{EMPTY_BOARD}/15 / 0/0 0")
    assert main(["show", "-", "-o", str(tmp_path / "board.png")]) == 2
    assert "16 rows" in capsys.readouterr().err
    set_stdin("hello")
    assert main(["show", "-", "-o", str(tmp_path / "board.png")]) == 1
    assert not (tmp_path / "board.png").exists()


def test_convert_writes_the_canonical_text(set_stdin, capsys):
    set_stdin(f"see: {EMPTY_BOARD}   abc/  3/5 0 -lex CSW21 -ld english thanks")
    assert main(["convert", "--to", "cgp", "-"]) == 0
    assert capsys.readouterr().out == f"{EMPTY_BOARD} ABC/ 3/5 0 lex CSW21;\n"


# MAGPIE's errors (the column `expected`) that Kibitz reports as warnings, with reasons.
ONLY_WARNINGS = {
    "ERROR_STATUS_CGP_PARSE_BOARD_LETTERS_NOT_IN_BAG": "two extra Zs are probably a typing error",
    "ERROR_STATUS_CGP_PARSE_RACK_LETTERS_NOT_IN_BAG": "two extra Zs are probably a typing error",
}


@needs_corpus
@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.long) for part in range(1, 6))])
def test_inspect_agrees_with_the_corpus(set_stdin, part, inspect_json):
    rows = [
        row
        for row in read_table("corpus/cgp.tsv")
        if row["kind"].startswith(("cgp", "board-only")) and "-spec-" not in row["kind"]
    ]
    assert len(rows) > 300
    for row in rows[part::6]:
        set_stdin(row["cgp"])
        code, [inspected_file] = inspect_json("-")
        if row["expected"].startswith("ERROR") and row["expected"] not in ONLY_WARNINGS:
            # A text without a slash contains no position. Any other text is a CGP with an error.
            assert code == (2 if "/" in row["cgp"] else 1), row
            assert inspected_file["items"] == []
        else:
            assert code == 0, row
            [item] = inspected_file["items"]
            assert item["format"] == "cgp"
            assert bool(item["warnings"]) or row["expected"] not in ONLY_WARNINGS
            fields = row["cgp"].split()
            if len(fields) > 3:
                assert item["scores"] == [int(score) for score in fields[2].split("/")]
            set_stdin(item["cgp"])
            _, [second_inspection] = inspect_json("-")
            assert second_inspection["items"][0] | {"warnings": []} == item | {"warnings": []}


@pytest.mark.parametrize(
    ("token", "sentence"),
    [
        (None, "no token: set DISCORD_TOKEN"),
        ("", "no token: set DISCORD_TOKEN"),
        (" ", "no token: set DISCORD_TOKEN"),
        ("secret\nlines", "DISCORD_TOKEN contains characters that aren't allowed in a token"),
        ("secret key", "DISCORD_TOKEN contains characters that aren't allowed in a token"),
        ("ключ", "DISCORD_TOKEN contains characters that aren't allowed in a token"),
    ],
)
def test_an_invalid_token_is_reported_in_one_sentence(token, sentence, tmp_path, monkeypatch, capsys):
    if token is not None:
        monkeypatch.setenv("DISCORD_TOKEN", token)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/k.sqlite3")
    monkeypatch.setenv("PORT", "")
    monkeypatch.setattr(logs, "set_up", lambda *_: None)  # keep the log handlers of the test
    assert main(["run"]) == 2
    output, errors = capsys.readouterr()
    assert errors.startswith(f"kibitz: {sentence}")
    assert len(errors.splitlines()) == 1
    assert "secret" not in errors + output


def test_a_missing_settings_file_is_named(capsys):
    assert main(["run", "--config", "none.toml"]) == 2
    output, errors = capsys.readouterr()
    assert (output, errors.count("\n")) == ("", 1)
    assert errors.startswith("kibitz: ")
    assert "none.toml" in errors
