"""Analysis by UCI engines: Stockfish, if installed, and fake engines that misbehave."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from bot.domain.chess.notations import fen
from bot.domain.chess.position import START_POSITION
from bot.engine import uci as engine
from bot.engine.uci import EngineError, EngineLine, analyze, find_engine
from tests.waiting import until

FAKE = Path(__file__).with_name("fake_engine.py")
STOCKFISH = find_engine("stockfish")
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1"

needs_stockfish = pytest.mark.skipif(
    STOCKFISH is None, reason="the Debian package stockfish is not installed"
)


def fake_engine(*arguments):
    return (sys.executable, str(FAKE), *map(str, arguments))


def is_alive(process_id):
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


def process_id_in(path):
    return int(path.read_text(encoding="utf-8").split("\n")[0])


@needs_stockfish
async def test_stockfish_finds_the_mate():
    analysis = await analyze(fen.read(MATE_IN_ONE).value, STOCKFISH, seconds=0.2, line_count=2)
    assert analysis.engine.startswith("Stockfish")
    best, second = analysis.lines
    assert (best.san, best.uci, best.mate, best.score) == (("Re8#",), ("e1e8",), 1, "#1")
    assert second.mate is None or second.mate > 1
    assert analysis.nodes > 0


@needs_stockfish
async def test_scores_are_from_whites_point_of_view_on_blacks_turn():
    black_wins = fen.read("4k3/8/8/8/8/8/q7/4K3 b - - 0 1").value
    [line] = (await analyze(black_wins, STOCKFISH, seconds=0.1, line_count=1)).lines
    assert line.mate is not None or line.centipawns < -300
    assert line.score.startswith(("-", "#-"))


async def test_an_engines_output_is_parsed():
    analysis = await analyze(START_POSITION, fake_engine("normal"), seconds=0.1, line_count=5)
    assert analysis.engine == "Fake 1"
    assert analysis.nodes == 99
    assert analysis.lines == (
        EngineLine(("e4", "e5", "Nf3"), ("e2e4", "e7e5", "g1f3"), 35, None, 3),
        EngineLine(("f3",), ("f2f3",), None, -4, 3),
    )
    assert [line.score for line in analysis.lines] == ["+0.35", "#-4"]


async def test_a_finished_game_needs_no_engine():
    mated = fen.read("r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4").value
    assert (await analyze(mated, ("/no/such/engine",))).lines == ()


@pytest.mark.parametrize("behaviour", ["dead", "dies"])
async def test_the_error_of_a_failed_engine_does_not_reveal_its_path(behaviour, tmp_path):
    with pytest.raises(EngineError, match="the chess engine doesn't work") as caught:
        await analyze(START_POSITION, fake_engine(behaviour, tmp_path / "id"), seconds=0.1)
    assert str(tmp_path) not in caught.value.message
    assert not is_alive(process_id_in(tmp_path / "id"))


async def test_a_missing_engine_is_reported():
    with pytest.raises(EngineError, match="the chess engine doesn't work"):
        await analyze(START_POSITION, ("/no/such/engine",))


@pytest.mark.parametrize("behaviour", ["deaf", "endless"])
async def test_an_engine_that_takes_too_long_is_ended(behaviour, tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "START_AND_STOP_SECONDS", 1.0)
    with pytest.raises(EngineError, match="the chess engine took too long"):
        await analyze(START_POSITION, fake_engine(behaviour, tmp_path / "id"), seconds=0.1)
    assert not is_alive(process_id_in(tmp_path / "id"))


async def test_an_engine_that_does_not_start_cannot_delay_a_review(tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "START_AND_STOP_SECONDS", 1.0)
    with pytest.raises(EngineError, match="the chess engine took too long"):
        await anext(engine.analyze_each([START_POSITION], fake_engine("deaf", tmp_path / "id"), nodes=100))
    assert not is_alive(process_id_in(tmp_path / "id"))


async def test_cancelling_an_analysis_ends_its_engine(tmp_path):
    task = asyncio.create_task(analyze(START_POSITION, fake_engine("endless", tmp_path / "id"), seconds=30))
    await until(lambda: (tmp_path / "id").exists() and (tmp_path / "id").read_text(encoding="utf-8"))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not is_alive(process_id_in(tmp_path / "id"))


async def test_only_asyncio_reads_the_exit_code_of_an_engine(monkeypatch):
    poll = mock.Mock(return_value=None)
    monkeypatch.setattr(subprocess.Popen, "poll", poll)
    await analyze(START_POSITION, fake_engine("normal"), seconds=0.1)
    assert not poll.called, "asyncio may miss the exit code, and print a warning"


async def test_impossible_moves_from_an_engine_are_dropped():
    analysis = await analyze(START_POSITION, fake_engine("talks nonsense"), seconds=0.1)
    assert all(line.san[0] == "e4" for line in analysis.lines)


async def test_the_engine_gets_no_secrets(tmp_path, monkeypatch):
    monkeypatch.setenv("DISCORD_TOKEN", "secret")
    await analyze(START_POSITION, fake_engine("normal", tmp_path / "id"), seconds=0.1)
    assert "DISCORD_TOKEN" not in (tmp_path / "id").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("command", "arguments"),
    [(f"{sys.executable} -u x", ("-u", "x")), ("", None), ("no-such-engine", None), ("'open", None)],
)
def test_a_command_line_is_split_if_its_program_is_installed(command, arguments):
    found = find_engine(command)
    assert (None if found is None else found[1:]) == arguments


def test_auto_selects_an_installed_stockfish(tmp_path, monkeypatch):
    monkeypatch.setattr("bot.engine.uci._DEBIAN_ENGINES", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_engine("auto") is None
    stockfish = tmp_path / "stockfish"
    stockfish.write_text("#!/bin/sh\n")
    stockfish.chmod(0o755)
    assert find_engine("auto") == (str(stockfish),)


@pytest.mark.parametrize("variant", ["atomic", "chess960"])
def test_variants_that_the_engine_supports_are_analyzed(variant):
    position = fen.read(START_POSITION.fen, variant).value
    analysis = asyncio.run(analyze(position, fake_engine("normal"), seconds=0.1))
    assert analysis.position.variant == variant
    assert analysis.lines


def test_variants_that_the_engine_lacks_are_refused():
    position = fen.read(START_POSITION.fen, "threeCheck").value
    with pytest.raises(EngineError, match="the chess engine doesn't play Three-check"):
        asyncio.run(analyze(position, fake_engine("normal"), seconds=0.1))
