"""The ``analyze`` command, run as a user would run it."""

import gzip
import json
import shutil

import pytest

from bot.__main__ import main
from bot.cli.documents import compile_parts
from tests.domain.shared import SHARED, needs_corpus

POSITION = (
    "15/15/15/15/15/3OUZO2PANTO1/5I1CHID4/5NTH2OFTER/2I2SOAK6/2N4MAY5/2CROWDS7/2L12/EQUALIsE7/2D12/PREYING8 "
    "DGILSTV/AABEJST 209/176 0"
)


def expected_plays(numbers):
    """Return another engine's plays, by the CGP of the position. ``numbers`` selects the positions."""
    positions = {}
    with gzip.open(SHARED / "corpus" / "engine" / "plays.txt.gz", "rt") as lines:
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            if fields[0].startswith("#"):
                rows = positions.setdefault(fields[1], []) if int(fields[0][1:]) in numbers else None
            elif rows is not None:
                rows.append((fields[0], int(fields[1]), float(fields[2])))
    return positions


@needs_corpus
def test_plays_with_an_added_lexicon_match_those_of_another_engine(run, folder, write_file):
    lexica = SHARED / "lexica"
    (folder / "lexica").mkdir()
    for name in ("enable1.kwg", "enable1.klv2"):
        shutil.copyfile(lexica / name, folder / "lexica" / name)
    positions = expected_plays({0, 1, 37})
    files = [write_file(text, f"{number}.cgp") for number, text in enumerate(positions)]
    code, out, err = run("analyze", *files, "--lexicon", "enable1", "--plays", "all", "--json")
    assert (code, err) == (0, "")
    results = [json.loads(line) for line in out.splitlines()]
    assert len(results) == len(positions) == 3
    for result, (text, plays) in zip(results, positions.items(), strict=True):
        assert result["cgp"].split(" ")[:2] == text.split(" ")[:2]
        assert result["lexicon"] == "enable1"
        found_plays = {(play["play"], play["score"], round(play["equity"], 3)) for play in result["plays"]}
        assert found_plays == set(plays)
        assert result["count"] + result["exchanges"] + 1 == len(result["plays"]) == len(plays)


def test_the_best_plays_are_printed_as_a_table(run, write_file):
    code, out, err = run("analyze", write_file(POSITION), "--plays", "2")
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0] == POSITION
    assert lines[1].startswith("SCOWL95: ")
    assert lines[2].split() == ["play", "pts", "equity", "leave"]
    assert lines[3].split()[:4] == ["1", "I13", "DIV", "29"]
    assert lines[3].split()[-1] == "GLST"
    assert len(lines) == 5


def test_a_simulation_reports_its_plies_and_rollouts(run, write_file):
    options = ("--plays", "3", "--simulate", "0.5", "--plies", "1", "--json")
    code, out, err = run("analyze", write_file(POSITION), *options)
    assert (code, err) == (0, "")
    simulation = json.loads(out)["simulation"]
    assert simulation["plies"] == 1
    assert simulation["rollouts"] == sum(play["iterations"] for play in simulation["plays"]) > 0
    assert {play["play"] for play in simulation["plays"]} == {
        play["play"] for play in json.loads(out)["plays"]
    }
    for play in simulation["plays"]:
        assert 0 <= play["win"] <= 1
        assert play["plies"]


GAME = """\
#player1 alice alice
#player2 bob bob
>alice: ACEHRT? 8D CHARTEr +78 78
>bob: AEILNOS 9C AN +10 10
"""


def test_a_turn_of_a_game_is_ranked_as_in_chat(run, write_file):
    path = write_file(GAME, "game.gcg")
    code, out, err = run("analyze", path, "--turn", "1", "--plays", "4")
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0].split(" ")[1] == "ACEHRT?/", "the analyzed position is not the position before the turn"
    assert [line.split()[0] for line in lines[3:8]] == ["1", "2", "3", "4", "→"], (
        "the play that was made is missing"
    )
    merged_rows = [line for line in lines if "·" in line]
    assert merged_rows, "plays that differ only in which tile is the blank have separate rows"
    assert any(line.startswith("Played: 8D CHARTEr +78") for line in lines)
    assert "\\" not in out
    assert "**" not in out
    assert run("analyze", path, "--turn", "9") == (2, "", f"{path}: there is no turn 9; the last turn is 2\n")
    code, out, err = run("analyze", path, "--plays", "1")
    assert "Played: 9C AN +" in out, "without --turn, the last turn that can be analyzed is not used"


def test_every_position_of_a_file_is_analyzed(run, write_file):
    text = f"{POSITION}\n\nand\n\n{POSITION.replace('DGILSTV', 'AEINRST')}\n"
    code, out, _ = run("analyze", write_file(text), "--plays", "1", "--json")
    assert code == 0
    assert [json.loads(line)["cgp"].split(" ")[1].split("/")[0] for line in out.splitlines()] == [
        "DGILSTV",
        "AEINRST",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (POSITION.replace("DGILSTV", ""), "the rack of the player to move is not known"),
        ("8/8/8/8/8/8/8/K6k w - - 0 1", "not chess"),
        ("good morning", "no position"),
    ],
)
def test_unsuitable_input_is_reported(run, text, problem, write_file):
    code, out, err = run("analyze", write_file(text))
    assert code in (1, 2)
    assert out == ""
    assert problem in err


def test_a_position_with_a_missing_lexicon_is_analyzed_with_a_warning(run, tmp_path, write_file):
    path = write_file(POSITION + " lex NWL23;")
    code, out, err = run("analyze", path, "--plays", "1")
    assert (code, err) == (0, f"{path}: NWL23 is not installed, so SCOWL95 is used; some words may differ\n")
    assert "SCOWL95: " in out
    settings = tmp_path / "aliases.toml"
    settings.write_text('[analysis.aliases]\nNWL23 = "CROSSWD"\n')
    code, out, err = run("analyze", path, "--plays", "1", "--config", str(settings))
    assert (code, err) == (0, "")
    assert "CROSSWD: " in out
    refusal = (2, "", "the lexicon 'NWL23' is not installed; the closest installed lexicon is SCOWL95\n")
    assert run("analyze", path, "--lexicon", "NWL23") == refusal, (
        "a lexicon that the user requested was replaced"
    )


@pytest.mark.parametrize(
    "option", [("--plays", "0"), ("--plays", "many"), ("--simulate", "0"), ("--simulate", "nan")]
)
def test_invalid_numbers_are_refused(option, capsys, write_file):
    with pytest.raises(SystemExit) as exit_info:
        main(["analyze", write_file(POSITION), *option])
    assert exit_info.value.code == 2
    assert "argument --" in capsys.readouterr().err


@needs_corpus
def test_a_solved_endgame_is_reported_with_its_best_line(run, folder, write_file):
    (folder / "lexica").mkdir()
    shutil.copyfile(SHARED / "lexica" / "enable1.kwg", folder / "lexica" / "enable1.kwg")
    rows = (SHARED / "corpus" / "engine" / "endgames.tsv").read_text(encoding="utf-8").splitlines()
    text, _, value, best, status, *_ = next(row.split("\t") for row in rows if "\tEXACT\t" in row)
    assert status == "EXACT"
    code, out, err = run(
        "analyze", write_file(text), "--lexicon", "enable1", "--plays", "3", "--solve", "20", "--json"
    )
    assert (code, err) == (0, "")
    endgame = json.loads(out)["endgame"]
    assert (endgame["value"], endgame["exact"], endgame["line"][0]) == (int(value), True, best)
    assert endgame["plays"][0] == {"play": endgame["line"][0], "value": int(value), "exact": True}
    assert [play["value"] for play in endgame["plays"]] == sorted(
        (play["value"] for play in endgame["plays"]), reverse=True
    )


def test_a_four_player_game_is_simulated(run, write_file):
    four_player_position = POSITION.replace("DGILSTV/AABEJST 209/176", "DGILSTV/AABEJST// 209/176/200/208")
    options = ("--plays", "3", "--simulate", "0.5")
    code, out, err = run("analyze", write_file(four_player_position), *options, "--json")
    assert (code, err) == (0, "")
    simulation = json.loads(out)["simulation"]
    assert simulation["plies"] == 4
    assert all(len(play["plies"]) == 5 for play in simulation["plays"] if play["iterations"])
    code, out, _ = run("analyze", write_file(four_player_position + " "), *options)
    assert "the next player scores" in out
    assert "Win chances with 4 players are estimated" in out


@pytest.mark.parametrize(
    ("is_terminal", "output"),
    [
        (False, "Compiling the engine (only once) …\n"),
        (
            True,
            "\rCompiling the engine (only once): 40%\rCompiling the engine (only once): 99%\r"
            + " " * 37
            + "\r",
        ),
    ],
)
def test_compilation_shows_its_progress(monkeypatch, capsys, is_terminal, output):
    def compile_in_processes(*parts, progress):
        assert parts == ("plays", "endgame")
        for share in (0.4, 0.4, 0.99):
            progress(share)

    monkeypatch.setattr("bot.engine.kernel_cache.compile_in_processes", compile_in_processes)
    monkeypatch.setattr("sys.stderr.isatty", lambda: is_terminal)
    compile_parts("plays", "endgame")
    assert capsys.readouterr().err == output


def test_compiled_code_that_cannot_be_saved_is_reported(monkeypatch, capsys):
    monkeypatch.setattr("bot.engine.kernel_cache.shared_cache_folder", lambda: None)
    compile_parts("plays")
    assert capsys.readouterr().err.startswith(
        "The compiled engine can't be saved because no cache folder is writable"
    )
