from __future__ import annotations

import pytest

from bot.engine.lexicon.leaves import all_leaves, read_klv
from bot.engine.simulation.win_chances import read_win_chances
from training import leaves as learning, self_play


def main(arguments):
    command, *options = arguments
    return {"leaves": learning.main, "self_play": self_play.main}[command](options)


@pytest.fixture(autouse=True)
def _in_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_leave_values_are_learned_and_used(capsys, tmp_path):
    arguments = [
        "leaves",
        "-o",
        "mine.klv2",
        "--games",
        "6,8",
        "--longest",
        "2",
        "--win-chances",
        "mine.tsv",
    ]
    assert main(arguments) == 0
    assert capsys.readouterr().out == "mine.klv2: 400 leaves\n"
    leaves = read_klv((tmp_path / "mine.klv2").read_bytes())
    assert {len(leave) for leave in all_leaves(leaves)} == {1, 2}
    assert leaves.value([0]) > 5_000, "a blank is worth too little"
    # There is one row per number of unseen tiles. At the beginning of a game, leads vary too little, so these turns share a row.
    # At the first turn, 93 tiles are unseen.
    assert 50 < len(read_win_chances((tmp_path / "mine.tsv").read_text()).scales) < 94
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.klv2", "mine.tsv"]
    assert main(["self_play", "--pairs", "3", "--leaves", "mine.klv2", "--against", "none"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("pairs of games: 3 in SCOWL95, ")
    assert [line.split(":")[0] for line in lines[1:]] == ["wins", "spread per game", "mean scores"]


def test_a_player_who_simulates_is_compared_with_one_who_does_not(capsys):
    arguments = ["self_play", "--pairs", "1", "--simulate", "1", "--against"]
    outputs = []
    for other in ("static", "none"):
        assert main([*arguments, other]) == 0
        outputs.append(capsys.readouterr().out.splitlines())
    assert all(lines[0].startswith("pairs of games: 1 ") for lines in outputs)
    assert outputs[0][3] != outputs[1][3]


def test_interrupted_learning_resumes(capsys, tmp_path, monkeypatch):
    arguments = ["leaves", "-o", "mine.klv", "--games", "2,3", "--longest", "1"]
    assert main(arguments) == 0
    uninterrupted = (tmp_path / "mine.klv").read_bytes()
    (tmp_path / "mine.klv").unlink()

    continue_generation, generations = learning.Learner.continue_generation, []

    def interrupt_fourth_call(self, progress, games):
        generations.append(progress.generation)
        if len(generations) == 4:
            raise KeyboardInterrupt
        continue_generation(self, progress, 1)

    monkeypatch.setattr(learning.Learner, "continue_generation", interrupt_fourth_call)
    assert main(arguments) == 2
    assert "the same command continues from mine.learning.npz" in capsys.readouterr().err
    assert not (tmp_path / "mine.klv").exists()
    assert main(arguments) == 0
    assert "continuing from mine.learning.npz" in capsys.readouterr().err
    assert generations[4] == 1, "the first generation was played again"
    assert (tmp_path / "mine.klv").read_bytes() == uninterrupted
    assert not (tmp_path / "mine.learning.npz").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["leaves", "-o", "mine.txt"], "mine.txt: leave values are written to a .klv2 or .klv file"),
        (["leaves", "-o", "mine.klv", "--lexicon", "NWL23"], "the lexicon 'NWL23' is not installed"),
        (["self_play", "--lexicon", "NWL23"], "the lexicon 'NWL23' is not installed"),
        (["self_play", "--leaves", "none.klv2"], "none.klv2 can't be read: No such file"),
        (["self_play", "--against", "none.klv2"], "none.klv2 can't be read: No such file"),
    ],
)
def test_arguments_that_cannot_be_used_are_reported(capsys, arguments, sentence):
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(sentence)


def test_an_unusable_progress_file_is_reported(capsys, tmp_path):
    (tmp_path / "mine.learning.npz").write_bytes(b"something else")
    assert main(["leaves", "-o", "mine.klv", "--games", "1", "--longest", "1"]) == 2
    assert capsys.readouterr().err == "training can't resume from this file (mine.learning.npz)\n"
    assert (tmp_path / "mine.learning.npz").read_bytes() == b"something else"


@pytest.mark.parametrize(
    "arguments",
    [
        ["leaves", "-o", "x.klv", "--games", "0"],
        ["leaves", "-o", "x.klv", "--games", "1,,2"],
        ["leaves", "-o", "x.klv", "--longest", "7"],
        ["self_play", "--pairs", "-1"],
        ["self_play", "--seed", "½"],
    ],
)
def test_invalid_numbers_are_refused(arguments):
    with pytest.raises(SystemExit):
        main(arguments)
