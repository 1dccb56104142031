"""The ``review`` command, run as a user would run it."""

import csv
import io
import json
import sys
import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from bot.cli.documents import MAX_TEXT_BYTES
from bot.domain.crossword.notations import gcg
from bot.domain.crossword.play import tiles_laid
from bot.domain.crossword.rules import DEFAULT_RACK_SIZE
from bot.features.review.values import PlayerReview, merge_players, players_csv
from tests.review.games import Table, self_play_game


def gcg_with_lexicon(game, lexicon="SCOWL80"):
    return gcg.write(replace(game, rules=replace(game.rules, lexicon=lexicon)))


def test_a_review_is_printed_turn_by_turn_and_as_json(run, folder):
    (folder / "game.gcg").write_text(gcg_with_lexicon(self_play_game(8), "CSW24"), encoding="utf-8")
    code, out, err = run("review", "game.gcg", "--seconds", "1")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("Alice ")
    assert lines[1].startswith("⚠ CSW24 isn't installed")
    assert any(" large, " in line for line in lines[2:4])
    (start,) = [number for number, line in enumerate(lines) if line.startswith("turn ")]
    head, turns = lines[start], lines[start + 1 :]
    assert " ".join(head.split()) == "turn player rack play score class lost % ± points luck best"
    assert len(turns) > 15
    code, out, _ = run(
        "review", "game.gcg", "--seconds", "0.5", "--json", "--lexicon", "scowl80", "-o", "curve.png"
    )
    document = json.loads(out)
    assert code == 0
    assert (document["file"], document["lexicon"], document["depth"]) == ("game.gcg", "SCOWL80", "quick")
    assert [turn["turn"] for turn in document["turns"]] == [int(turn.split()[0]) for turn in turns]
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")
    # The players of this game made the best plays by equity.
    assert all(turn["static"]["played_equity"] == turn["static"]["best_equity"] for turn in document["turns"])


def test_files_that_cannot_be_reviewed_are_reported(run, folder):
    table = Table(5)
    table.play()
    (folder / "running.gcg").write_text(gcg.write(table.game()), encoding="utf-8")
    (folder / "empty.txt").write_text("nothing\n", encoding="utf-8")
    assert run("review", "running.gcg")[::2] == (
        2,
        "running.gcg: the game isn't over, and only finished games can be reviewed\n",
    )
    assert run("review", "empty.txt")[::2] == (1, "empty.txt: no game\n")
    assert run("review", "missing.gcg")[0] == 2
    assert run("review", "running.gcg", "--lexicon", "nonsuch")[0] == 2


def test_an_unsuitable_lexicon_is_reported(run, folder):
    (folder / "words.txt").write_text("cat\ndog\n", encoding="utf-8")
    (folder / "config.toml").write_text('[analysis]\nlexica = "lexica"\n', encoding="utf-8")
    assert run("lexicon", "add", "PETS", "words.txt")[0] == 0
    (folder / "game.gcg").write_text(gcg_with_lexicon(self_play_game(8)), encoding="utf-8")
    code, out, _ = run("review", "game.gcg", "--lexicon", "PETS")
    assert code == 0
    assert "It's probably the wrong lexicon, so the turns aren't judged." in out


FAKE_ENGINE = Path(__file__).parents[1] / "engine" / "fake_engine.py"


def chess_game(white, black):
    """Return a PGN with an evaluation after every move except the last, which is mate."""
    moves = (
        "1. e4 {[%eval 0.25]} e5 {[%eval 0.3]} 2. Bc4 {[%eval 0.0]} Nc6 {[%eval 0.1]}"
        " 3. Qh5 {[%eval -0.9]} Nf6 {[%eval #1]} 4. Qxf7#"
    )
    return f'[White "{white}"]\n[Black "{black}"]\n[Result "1-0"]\n\n{moves} 1-0\n'


def test_folders_archives_and_collections_share_one_table(run, folder):
    games = folder / "games"
    games.mkdir()
    (games / ".hidden.pgn").write_text("nothing\n", encoding="utf-8")
    (games / "board.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    collection = chess_game("alice", "bob") + "\n" + chess_game("bob", "Carol")
    (games / "club.pgn").write_text(collection, encoding="utf-8")
    with zipfile.ZipFile(folder / "more.zip", "w") as archive:
        archive.writestr("round/1.pgn", chess_game("carol", "ALICE"))
    code, out, err = run("review", "games", "more.zip", "--csv", "players.csv", "-o", "curve.png")
    assert (code, err) == (0, "")
    header, *table = out.rstrip("\n").partition("\n\n")[2].split("\n")
    assert out.count("based on the game's own evaluations") == 3
    assert "% accuracy" in out.splitlines()[1]
    assert header.split() == ["player", "games", "won", "accuracy", "centipawns", "blunders"]
    assert [line.split()[:3] for line in table] == [
        ["Carol", "2", "1"],
        ["alice", "2", "1"],
        ["bob", "2", "1"],
    ]
    with (folder / "players.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["player"], row["games"], row["judged"], row["won"], row["blunders"]) for row in rows] == [
        ("Carol", "2", "2", "1", "1"),
        ("alice", "2", "2", "1", "1"),
        ("bob", "2", "2", "1", "1"),
    ]
    assert {row["mistake_index"] for row in rows} == {""}
    assert sorted(path.name for path in folder.glob("curve*.png")) == [
        "curve-2.png",
        "curve-3.png",
        "curve.png",
    ]
    code, out, _ = run("review", "more.zip", "games", "--json")
    assert (code, [json.loads(line)["file"] for line in out.splitlines()]) == (
        0,
        ["more.zip/round/1.pgn", "games/club.pgn", "games/club.pgn"],
    )


def test_an_unreadable_file_in_a_folder_does_not_stop_the_review_of_others(run, folder):
    games = folder / "games"
    games.mkdir()
    (games / "a.txt").write_text("a" * (MAX_TEXT_BYTES + 1), encoding="utf-8")
    (games / "b.zip").write_bytes(b"PK\x03\x04damaged")
    (games / "c.pgn").write_text(chess_game("alice", "bob"), encoding="utf-8")
    code, out, err = run("review", "games", "--json")
    assert [json.loads(line)["file"] for line in out.splitlines()] == ["games/c.pgn"]
    assert code == 2
    assert err.splitlines() == [
        "games/a.txt is larger than 1,000,000 bytes",
        "games/b.zip: the archive is damaged",
    ]


def test_a_folder_with_too_many_paths_is_refused_as_a_whole(run, folder, monkeypatch):
    monkeypatch.setattr("bot.cli.documents.MAX_PATHS", 3)
    for name in ("a/1.pgn", "b/2.pgn"):
        path = folder / "games" / name
        path.parent.mkdir(parents=True)
        path.write_text(chess_game("alice", "bob"), encoding="utf-8")
    assert run("review", "games") == (2, "", "games contains more than 3 files and folders\n")
    (folder / "games" / "b" / "2.pgn").rename(folder / "games" / "b" / ".hidden.pgn")
    assert run("review", "games")[0] == 0


def test_the_table_of_crossword_games_counts_wins_and_bingos(run, folder):
    games = {seed: self_play_game(seed) for seed in (8, 9)}
    for seed, game in games.items():
        (folder / f"{seed}.gcg").write_text(gcg_with_lexicon(game), encoding="utf-8")
    code, out, _ = run("review", "8.gcg", "9.gcg", "--seconds", "0.5", "--csv", "players.csv")
    assert code == 0
    header, *table = out.rstrip("\n").partition("\n\n")[2].split("\n")
    assert header.split()[:3] == ["player", "games", "judged"] or header.split()[:3] == [
        "player",
        "games",
        "won",
    ]
    assert {line.split()[0] for line in table} == {"Alice", "Bob"}
    with (folder / "players.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["player"]: row for row in csv.DictReader(file)}
    assert float(rows["Alice"]["won"]) + float(rows["Bob"]["won"]) == 2
    bingos = Counter(
        game.names[turn.seat].name
        for game in games.values()
        for turn in game.turns
        if turn.play is not None and len(tiles_laid(turn.play)) == DEFAULT_RACK_SIZE
    )
    assert {player: int(row["bingos"]) for player, row in rows.items()} == bingos
    assert {row["centipawns_lost"] for row in rows.values()} == {""}


def test_chess_is_reviewed_without_analysis_packages(run, folder, monkeypatch):
    monkeypatch.setattr("bot.cli.review.is_installed", lambda: False)
    monkeypatch.setitem(sys.modules, "bot.engine.lexicon.lexica", None)
    (folder / "game.pgn").write_text(chess_game("alice", "bob"), encoding="utf-8")
    (folder / "game.gcg").write_text(gcg_with_lexicon(self_play_game(8)), encoding="utf-8")
    code, out, err = run("review", "game.pgn", "--json")
    assert (code, err) == (0, "")
    phases = [player["phases"] for player in json.loads(out)["players"]]
    assert all(
        phase["opening"]["moves"] >= 3 and 0 <= phase["opening"]["accuracy"] <= 100 for phase in phases
    )
    code, _, err = run("review", "game.gcg")
    assert (code, err) == (
        2,
        "game.gcg: reviewing crossword games needs more packages: pip install 'kibitz[analysis]'\n",
    )


def test_a_deep_chess_review_ignores_evaluations_in_the_text(run, folder, monkeypatch):
    monkeypatch.setenv("KIBITZ_CHESS__ENGINE", f"{sys.executable} {FAKE_ENGINE} legal")
    (folder / "game.pgn").write_text(chess_game("alice", "bob"), encoding="utf-8")
    _, out, _ = run("review", "game.pgn")
    assert "based on the game's own evaluations" in out
    code, out, err = run("review", "game.pgn", "--deep")
    assert (code, err) == (0, "")
    assert "deep review" in out
    assert "based on the game's own evaluations" not in out


def test_names_in_a_csv_file_cannot_be_formulas():
    games = [PlayerReview("=1+1", 1.0, None), PlayerReview('a "b", c', 0.5, 90.123456)]
    rows = list(csv.reader(io.StringIO(players_csv(merge_players(games)))))
    assert [row[0] for row in rows[1:]] == ['a "b", c', "'=1+1"]
    assert rows[1][5] == "90.12"


def test_names_that_differ_only_in_case_and_spaces_are_one_player():
    games = [
        PlayerReview("Ann  Lee", 1.0, 80.0, 2.0, 1, 0, 5.0),
        PlayerReview("ann lee", 0.0, None, None, 2, 1, None),
    ]
    assert merge_players(games) == (
        PlayerReview("Ann  Lee", 1.0, 80.0, 2.0, 3, 1, 5.0, game_count=2, judged_game_count=1),
    )
