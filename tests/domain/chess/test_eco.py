"""The order of moves does not affect the name of an opening. The table of openings can be rebuilt."""

import hashlib
import json
from pathlib import Path

import pytest

from bot.domain.chess import eco
from bot.domain.chess.notations import fen, pgn
from bot.domain.chess.position import START_POSITION
from training import openings

TABLE = Path(eco.__file__).with_name("data") / "openings.tsv"


@pytest.mark.parametrize(
    ("moves", "turn", "name"),
    [
        ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. b4 a6 5. bxc5", 9, "C51 Italian Game: Evans Gambit"),
        ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. b4 a6 5. bxc5", 1, "B00 King's Pawn Game"),
        ("1. Nf3 Nc6 2. e4 e5 3. Bc4 Bc5 4. b4", 7, "C51 Italian Game: Evans Gambit"),
        ("1. d4 Nf6 2. c4 g6 3. Nc3 d5 4. cxd5 Nxd5 5. Bd2", 9, "D85 Grünfeld Defense: Exchange Variation"),
    ],
)
def test_a_game_has_the_name_of_its_last_opening(moves, turn, name):
    assert eco.opening_at(pgn.read(moves).value, turn).startswith(name)


def test_only_positions_in_the_table_have_an_opening_name():
    assert not eco.opening_of(START_POSITION)
    assert eco.opening_at(pgn.read('[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n1. e4 Kd7').value, 2) == ""
    position = fen.read("rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2").value
    assert eco.opening_of(position) == "B20 Sicilian Defense"


def test_the_table_can_be_rebuilt_and_states_its_licence(tmp_path, capsys):
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "key\teco\tname"
    assert len(lines) == 3866
    assert lines[1:] == sorted(set(lines[1:]))
    notes = TABLE.with_suffix(".md").read_text(encoding="utf-8")
    assert "CC0" in notes
    source = tmp_path / "book.json"
    entry = {"eco": "B20", "name": "Sicilian Defense", "uci": ["e2e4", "c7c5"]}
    source.write_text(json.dumps({"positions": {"x": entry}}))
    assert openings.main([str(source)]) == 0
    lines_written = capsys.readouterr().out.splitlines()
    assert lines_written[1] in lines
    source.write_text(json.dumps({"positions": {"x": {**entry, "uci": ["e2e5"]}}}))
    assert openings.main([str(source)]) == 1
    assert "e2e5" in capsys.readouterr().err
    assert hashlib.sha256(TABLE.read_bytes()).hexdigest().startswith("ec331ba0cc1057305")
