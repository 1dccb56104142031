"""``puzzles`` on the command line, run as a person runs it."""

import json

import pytest

from bot.__main__ import main
from bot.domain.crossword.notations import gcg
from tests.puzzles.crossword.test_puzzles import EMPTY
from tests.review.games import self_played


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KIBITZ_ANALYSIS__LEXICA", raising=False)
    return tmp_path


@pytest.fixture
def run(capsys):
    def command(*arguments):
        code = main(arguments)
        written = capsys.readouterr()
        return code, written.out, written.err

    return command


MAKE = ("puzzles", "make", "--family", "phony", "--family", "hook", "--count", "2", "--games", "1")


def test_puzzles_are_made_and_proved_again(run, folder):
    (folder / "known.txt").write_text("hello\nworld\nthe\ninto\n", encoding="utf-8")
    code, out, _ = run(*MAKE, "-o", "a.json", "--json")
    figures = json.loads(out)
    assert code == 0
    assert figures["lexicon"] == "SCOWL80"
    assert figures["puzzles"] >= 1
    head, *rows = map(json.loads, (folder / "a.json").read_text(encoding="utf-8").splitlines())
    assert head == {"format": "kibitz crossword puzzles", "version": 1, **figures}
    assert len(rows) == figures["puzzles"]
    code, out, err = run("puzzles", "check", "a.json")
    assert (code, out, err) == (0, f"{len(rows)} of {len(rows)} puzzles hold in SCOWL80\n", "")
    # With words that people know, hooks are asked of these only.
    code, out, _ = run(*MAKE, "-o", "b.json", "--known", "known.txt", "--json")
    assert json.loads(out)["families"].get("hook", {"kept": 0})["kept"] == 0

    phony = next(number for number, row in enumerate(rows) if row["family"] == "phony")
    rows[phony]["answers"] = ["QZQ"]
    lines = [json.dumps(row) for row in (head, *rows)]
    (folder / "wrong.json").write_text("\n".join(lines), encoding="utf-8")
    code, out, err = run("puzzles", "check", "wrong.json", "--json")
    assert code == 2
    assert json.loads(out)["faults"] == {rows[phony]["id"]: "phony: another answer was found"}
    assert "another answer was found" in err


def test_puzzles_are_made_of_games_in_files(run, folder):
    (folder / "game.gcg").write_text(gcg.write(self_played(8)), encoding="utf-8")
    code, out, err = run(*MAKE[:-1], "0", "game.gcg", "-o", "c.json")
    assert (code, err) == (0, "")
    assert out.startswith("c.json: ")
    assert " puzzles of 1 games in SCOWL80\n" in out


def test_what_cannot_be_used_is_said(run, folder):
    (folder / "none.txt").write_text("hello", encoding="utf-8")
    code, _, err = run("puzzles", "check", "none.txt")
    assert (code, err) == (2, "none.txt: line 1 does not say that this is a file of crossword puzzles\n")
    assert run("puzzles", "check", "missing.json")[0] == 2
    assert run(*MAKE, "-o", "x.json", "missing.gcg")[0] == 2
    assert run(*MAKE, "-o", "x.json", "--lexicon", "NOSUCH")[0] == 2
    row = {"position": f"{EMPTY} / 0/0 0 lex SCOWL80;"}
    (folder / "bad.json").write_text(
        json.dumps({"format": "kibitz crossword puzzles", "version": 1}) + "\n" + json.dumps(row),
        encoding="utf-8",
    )
    assert run("puzzles", "check", "bad.json")[::2] == (2, "bad.json: line 2 is no puzzle\n")
