"""The ``puzzles`` command, run as a user would run it."""

import json

import pytest

from bot.domain.crossword.notations import gcg
from tests.positions import EMPTY_BOARD
from tests.review.games import self_play_game


def _rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[1:]]


MAKE_COMMAND = ("puzzles", "make", "--family", "phony", "--family", "hook", "--count", "2", "--games", "1")


@pytest.mark.slow
def test_generated_puzzles_pass_the_check(run, folder):
    (folder / "known.txt").write_text("hello\nworld\nthe\ninto\n", encoding="utf-8")
    code, out, _ = run(*MAKE_COMMAND, "-o", "a.json", "--json")
    figures = json.loads(out)
    assert code == 0
    assert figures["lexicon"] == "SCOWL95"
    assert figures["puzzles"] >= 1
    head, *rows = map(json.loads, (folder / "a.json").read_text(encoding="utf-8").splitlines())
    assert head == {"format": "kibitz crossword puzzles", "version": 1, **figures}
    assert len(rows) == figures["puzzles"]
    code, out, err = run("puzzles", "check", "a.json")
    assert (code, out, err) == (0, f"{len(rows)} of {len(rows)} puzzles proven in SCOWL95\n", "")
    run(*MAKE_COMMAND, "-o", "c.json", "--besides", "a.json")
    assert not {row["id"] for row in rows} & {row.get("id") for row in _rows(folder / "c.json")}
    assert run(*MAKE_COMMAND, "-o", "c.json", "--besides", "known.txt")[0] == 2
    # With a list of known words, hook puzzles ask only for these words.
    code, out, _ = run(*MAKE_COMMAND, "-o", "b.json", "--known", "known.txt", "--json")
    assert json.loads(out)["families"].get("hook", {"kept": 0})["kept"] == 0

    phony_index = next(number for number, row in enumerate(rows) if row["family"] == "phony")
    rows[phony_index]["answers"] = ["QZQ"]
    lines = [json.dumps(row) for row in (head, *rows)]
    (folder / "wrong.json").write_text("\n".join(lines), encoding="utf-8")
    code, out, err = run("puzzles", "check", "wrong.json", "--json")
    assert code == 2
    assert json.loads(out)["faults"] == {rows[phony_index]["id"]: "phony: a different answer was found"}
    assert "a different answer was found" in err


def test_puzzles_are_made_from_games_in_files(run, folder):
    (folder / "game.gcg").write_text(gcg.write(self_play_game(8)), encoding="utf-8")
    code, out, err = run(*MAKE_COMMAND[:-1], "0", "game.gcg", "-o", "c.json")
    assert (code, err) == (0, "")
    assert out.startswith("c.json: ")
    assert " puzzles from 1 game in SCOWL95\n" in out


def test_unusable_files_are_reported(run, folder):
    (folder / "none.txt").write_text("hello", encoding="utf-8")
    code, _, err = run("puzzles", "check", "none.txt")
    assert (code, err) == (2, "none.txt: line 1 is not the header of a file of crossword puzzles\n")
    assert run("puzzles", "check", "missing.json")[0] == 2
    assert run(*MAKE_COMMAND, "-o", "x.json", "missing.gcg")[0] == 2
    assert run(*MAKE_COMMAND, "-o", "x.json", "--lexicon", "NOSUCH")[0] == 2
    assert run(*MAKE_COMMAND[:-1], "0", "-o", "none.txt/x.json") == (
        2,
        "",
        "none.txt can't be written: File exists\n",
    )
    row = {"position": f"{EMPTY_BOARD} / 0/0 0 lex SCOWL80;"}
    (folder / "bad.json").write_text(
        json.dumps({"format": "kibitz crossword puzzles", "version": 1}) + "\n" + json.dumps(row),
        encoding="utf-8",
    )
    assert run("puzzles", "check", "bad.json")[::2] == (2, "bad.json: line 2 is not a puzzle\n")


def test_puzzles_look_lists_unusable_rows(run, folder):
    head = "PuzzleId,FEN,Moves,Rating"
    mate = "Zmate1,6k1/5ppp/8/7p/8/8/5PPP/R3R1K1 b - - 0 1,h5h4 e1e8,1500"
    (folder / "a.csv").write_text(f"{head}\n{mate}\n", encoding="utf-8")
    assert run("puzzles", "look", "a.csv") == (0, "a.csv: 1 puzzle (lichess), 0 left out\n", "")
    (folder / "a.csv").write_text(f"{head}\n{mate}\n{mate.replace('e1e8', 'e1e9')}\n", encoding="utf-8")
    code, out, err = run("puzzles", "look", "a.csv")
    assert (code, out) == (2, "a.csv: 1 puzzle (lichess), 1 left out\n")
    assert err == "line 3: 'e1e9' is not a chess move\n"
    code, out, _ = run("puzzles", "look", "a.csv", "--json")
    assert json.loads(out)["faults"] == ["line 3: 'e1e9' is not a chess move"]
    (folder / "a.txt").write_text("hello", encoding="utf-8")
    code, out, err = run("puzzles", "look", "a.txt")
    assert (code, out, err) == (1, "", "a.txt: this is not a puzzle file\n")
    assert run("puzzles", "look", "none.csv")[0] == 2
