"""``review`` on the command line, run as a person runs it."""

import json
from dataclasses import replace

import pytest

from bot.__main__ import main
from bot.domain.crossword.notations import gcg
from tests.review.games import Table, self_played


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


def named(game, lexicon="SCOWL80"):
    return gcg.write(replace(game, rules=replace(game.rules, lexicon=lexicon)))


def test_a_game_is_told_turn_by_turn_and_as_json(run, folder):
    (folder / "game.gcg").write_text(named(self_played(8), "CSW24"), encoding="utf-8")
    code, out, err = run("review", "game.gcg", "--seconds", "5")
    assert (code, err) == (0, "game.gcg: CSW24 is not installed: SCOWL80, words may differ\n")
    lines = out.splitlines()
    assert lines[0].startswith("Alice ")
    assert " large, " in lines[1]
    (start,) = [number for number, line in enumerate(lines) if line.startswith("turn ")]
    head, turns = lines[start], lines[start + 1 :]
    assert head.split() == [
        "turn",
        "player",
        "rack",
        "play",
        "score",
        "class",
        "lost",
        "%",
        "±",
        "points",
        "luck",
        "best",
    ]
    assert len(turns) > 15
    code, out, _ = run(
        "review", "game.gcg", "--seconds", "0.5", "--json", "--lexicon", "scowl80", "-o", "curve.png"
    )
    document = json.loads(out)
    assert code == 0
    assert (document["file"], document["lexicon"], document["depth"]) == ("game.gcg", "SCOWL80", "quick")
    assert [turn["turn"] for turn in document["turns"]] == [int(turn.split()[0]) for turn in turns]
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")
    # The engine plays what is best by equity; so do its reviews as long as nothing else is known.
    assert all(turn["static"]["played_equity"] == turn["static"]["best_equity"] for turn in document["turns"])


def test_what_is_not_reviewed_says_why(run, folder):
    table = Table(5)
    table.play()
    (folder / "running.gcg").write_text(gcg.write(table.game()), encoding="utf-8")
    (folder / "empty.txt").write_text("nothing\n", encoding="utf-8")
    assert run("review", "running.gcg")[::2] == (
        2,
        "running.gcg: the game is not over, and only finished games are reviewed\n",
    )
    assert run("review", "empty.txt")[::2] == (1, "empty.txt: no game\n")
    assert run("review", "missing.gcg")[0] == 2
    assert run("review", "running.gcg", "--lexicon", "nonsuch")[0] == 2


def test_a_lexicon_that_does_not_fit_is_told(run, folder):
    (folder / "words.txt").write_text("cat\ndog\n", encoding="utf-8")
    (folder / "config.toml").write_text('[analysis]\nlexica = "lexica"\n', encoding="utf-8")
    assert run("lexicon", "add", "PETS", "words.txt")[0] == 0
    (folder / "game.gcg").write_text(named(self_played(8)), encoding="utf-8")
    code, out, _ = run("review", "game.gcg", "--lexicon", "PETS")
    assert code == 0
    assert "it seems to be the wrong lexicon, so nothing is graded" in out
