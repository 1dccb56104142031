"""Second opinions over UCGI, from engines that work well and engines that do not."""

import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import Coordinate, Direction, Exchange, Pass, Placement
from bot.engine import ucgi
from bot.engine.analysis import AnalysisOptions, StoppedError
from bot.engine.lexicon.lexica import Lexica
from bot.engine.plays.generate import find_plays
from bot.engine.ucgi import Opinion, UcgiError, ask
from bot.features.analysis.crossword.analyze import analyze_position
from bot.features.analysis.crossword.rankings import describe_opinion
from bot.features.analysis.crossword.request import AnalysisRequest, Method
from bot.jobs.queue import JobControl
from bot.text import translator
from tests.review.games import scowl_lexicon

ENGINE = Path(__file__).with_name("ucgi_engine.py")
CGP = "15/15/15/15/15/15/15/5CATS6/15/15/15/15/15/15/15 QUIZERS/ 12/20 0 lex SCOWL80;"
POSITION = cgp.read(CGP).value
DOWN, ACROSS = Direction.DOWN, Direction.ACROSS


@pytest.fixture
def engine(tmp_path, monkeypatch):
    """Return a function that returns an engine's command. Give engines enough time to start on a busy machine."""
    monkeypatch.setattr(ucgi, "START_SECONDS", 120.0)
    monkeypatch.setattr(ucgi, "GRACE_SECONDS", 120.0)
    return lambda behaviour: (sys.executable, str(ENGINE), behaviour, str(tmp_path / "received"))


@pytest.mark.parametrize("behaviour", ["normal", "by the draft"])
def test_an_engine_reports_a_best_play(engine, tmp_path, behaviour):
    best = find_plays(POSITION, scowl_lexicon().graph, scowl_lexicon().leaves, top=1)[0]
    opinion = ask(POSITION, engine(behaviour), seconds=0.5)
    assert opinion == Opinion("Fake 1", best.play, best.score, None, round(best.equity / 1000, 1))
    assert (tmp_path / "received").read_text(encoding="utf-8") == f"position cgp {CGP}\n"


def test_no_pipe_is_closed_while_it_is_read(engine, monkeypatch):
    """A late read from a closed pipe could take the output of the next engine."""
    read, closed_pipes = os.read, []
    answered, returned = threading.Event(), threading.Event()

    def read_late(descriptor, size):
        if answered.is_set():
            returned.wait(60)
        try:
            part = read(descriptor, size)
        except OSError:
            closed_pipes.append(descriptor)
            raise
        if b"bestmove" in part:
            answered.set()
        return part

    monkeypatch.setattr(os, "read", read_late)
    ask(POSITION, engine("pass"), seconds=0.1)
    returned.set()
    for thread in threading.enumerate():
        if "_listen" in thread.name:
            thread.join(60)
    assert answered.is_set()
    assert closed_pipes == []


@pytest.mark.parametrize(
    ("move", "play"),
    [
        ("pass", Pass()),
        ("ex.QZ", Exchange((17, 26))),
        ("ex.4", Exchange(unknown_count=4)),
        ("8E.SCATS", Placement(Coordinate(7, 4, ACROSS), (19, 0, 0, 0, 0))),
        (
            "h7.SUQ",
            Placement(Coordinate(6, 7, ACROSS), (19, 21, 17)),
        ),  # legal only with the draft's coordinates
        ("8J.S", Placement(Coordinate(7, 9, DOWN), (19,))),  # across, it would start inside a word
        ("8E.SCATS.QUIZERS.0", Placement(Coordinate(7, 4, ACROSS), (19, 0, 0, 0, 0))),
        (
            "e8.SCATS",
            Placement(Coordinate(7, 4, ACROSS), (19, 0, 0, 0, 0)),
        ),  # legal only with the draft's coordinates
        ("i8.SI", Placement(Coordinate(7, 8, DOWN), (0, 9))),
        ("8i.SI", Placement(Coordinate(7, 8, DOWN), (0, 9))),
        ("8K.QUIZ", None),  # touches nothing
        ("8E.BCATS", None),  # not on the rack
        ("8Z.CATS", None),
        ("99A.X", None),
        ("ex.AB", None),
        ("ex.0", None),
        ("ex.8", None),  # more tiles than the rack has
        ("0000", None),
    ],
)
def test_moves_are_read_with_the_coordinates_that_make_them_legal(engine, move, play):
    if play is None:
        with pytest.raises(UcgiError, match="the UCGI engine suggested an illegal play"):
            ask(POSITION, engine(move), seconds=0.1)
        return
    opinion = ask(POSITION, engine(move), seconds=0.1)
    assert (opinion.play, opinion.equity) == (play, None)
    assert opinion.win == (0.6125 if move == "pass" else None)


def test_an_exchange_is_refused_if_the_bag_has_too_few_tiles(engine):
    rules = replace(POSITION.rules, min_bag_for_exchange=POSITION.bag_count + 1)
    with pytest.raises(UcgiError, match="the UCGI engine suggested an illegal play"):
        ask(replace(POSITION, rules=rules), engine("ex.QZ"), seconds=0.1)


@pytest.mark.parametrize("behaviour", ["dies", "floods", "missing"])
def test_a_broken_engine_raises_an_error(engine, behaviour):
    command = ("/nowhere/engine",) if behaviour == "missing" else engine(behaviour)
    with pytest.raises(UcgiError, match="the UCGI engine doesn't work"):
        ask(POSITION, command, seconds=0.1)


def test_a_silent_engine_raises_an_error(engine, monkeypatch):
    monkeypatch.setattr(ucgi, "START_SECONDS", 0.2)
    with pytest.raises(UcgiError, match="the UCGI engine took too long"):
        ask(POSITION, engine("deaf"), seconds=0.1)


@pytest.mark.parametrize("behaviour", ["endless", "chatty"])
def test_an_engine_that_never_finishes_is_told_to_stop(engine, behaviour):
    """The chatty engine sends lines without a pause while it thinks."""
    assert ask(POSITION, engine(behaviour), seconds=0.1).play == Pass()


def test_cancelling_ends_the_engine_process(engine, monkeypatch):
    processes = []
    popen = subprocess.Popen

    def record_popen(*arguments, **options):
        processes.append(popen(*arguments, **options))
        return processes[-1]

    monkeypatch.setattr(subprocess, "Popen", record_popen)
    cancellations = iter([False] * 3)
    with pytest.raises(StoppedError):
        ask(POSITION, engine("endless"), seconds=20, cancelled=lambda: next(cancellations, True))
    assert processes[0].returncode is not None
    with pytest.raises(ProcessLookupError):
        os.kill(processes[0].pid, 0)


def test_the_engine_gets_no_secrets(engine, tmp_path, monkeypatch):
    monkeypatch.setenv("DISCORD_TOKEN", "secret")
    environment_path = tmp_path / "environment"
    script = f"import os; open({str(environment_path)!r}, 'w').write(repr(sorted(os.environ)))"
    with pytest.raises(UcgiError):
        ask(POSITION, (sys.executable, "-c", script), seconds=0.1)
    names = environment_path.read_text(encoding="utf-8")
    assert "PATH" in names
    assert "DISCORD_TOKEN" not in names


@pytest.mark.parametrize(
    ("behaviour", "text"),
    [
        ("pass", "Fake 1 plays **pass +0**, win chance 61.3%."),
        ("8E.SCATS", "Fake 1 plays **8E S(CATS) +7**."),
        ("dies", "No second opinion: the UCGI engine doesn't work."),
        ("", ""),
    ],
)
def test_the_second_opinion_is_shown_beside_the_simulation(engine, behaviour, text):
    options = AnalysisOptions(iterations=1, seconds=0.5, plays=2, plies=1)
    request = AnalysisRequest(POSITION, method=Method.SIMULATION, options=options)
    command = engine(behaviour) if behaviour else ()
    result = analyze_position(request, Lexica(), JobControl(), command)
    assert result.simulation is not None
    assert (describe_opinion(result, translator("en")) if command else "") == text
    assert command or (result.opinion, result.no_opinion_reason) == (None, None)
    equity = analyze_position(replace(request, method=Method.EQUITY), Lexica(), JobControl(), command)
    assert (equity.opinion, equity.no_opinion_reason) == (None, None), "an equity analysis used the engine"
