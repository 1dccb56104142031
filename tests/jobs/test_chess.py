"""Chess analyses as jobs."""

from __future__ import annotations

import asyncio
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from bot.chat.card import Moment, RefusalError, ReplyContext
from bot.domain.chess.notations import pgn
from bot.domain.chess.position import START_POSITION
from bot.engine.uci import EngineError
from bot.features.analysis.chess import ChessAnalysisService, ChessRequest, analyze_position
from bot.features.analysis.fairness import Fairness
from bot.features.review.chess import service as chess_review
from bot.features.review.chess.review import ChessReviewRequest
from bot.features.showing.document_service import DocumentService
from bot.features.showing.findings import FoundDocument
from bot.jobs.account import Requester
from bot.jobs.local import LocalJobQueue
from bot.jobs.queue import Running, StoppedError
from tests.service.memory_store import MemoryStore

FAKE = Path(__file__).parent.parent / "engine" / "fake_engine.py"
ALICE, BOB = Requester(1), Requester(2)


def jobs_with(behaviour, *arguments):
    return LocalJobQueue(
        partial(analyze_position, (sys.executable, str(FAKE), behaviour, *map(str, arguments)))
    )


async def ends_within_ten_seconds(pid):
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        await asyncio.sleep(0.05)
    return False


async def wait_for_pid(path):
    for _ in range(500):
        if path.exists() and (written := path.read_text(encoding="utf-8")).endswith("]"):
            return int(written.split("\n")[0])
        await asyncio.sleep(0.02)
    raise AssertionError("no engine was started")


@pytest.mark.parametrize("behaviour", ["deaf", "endless"])
async def test_a_hanging_engine_is_killed(behaviour, tmp_path, monkeypatch):
    monkeypatch.setattr("bot.engine.uci.START_AND_STOP_SECONDS", 2)
    jobs = jobs_with(behaviour, tmp_path / "id")
    try:
        with pytest.raises(EngineError, match="too long"):
            await (await jobs.submit(ALICE, ChessRequest(START_POSITION, 0.1))).result()
        assert await ends_within_ten_seconds(await wait_for_pid(tmp_path / "id"))
    finally:
        await jobs.close()


async def test_stopping_ends_the_engine_and_starts_the_next_job(tmp_path):
    jobs = jobs_with("endless", tmp_path / "id")
    try:
        ticket = await jobs.submit(ALICE, ChessRequest(START_POSITION, 20))
        waiting = await jobs.submit(BOB, ChessRequest(START_POSITION, 20))
        pid = await wait_for_pid(tmp_path / "id")
        ticket.stop()
        with pytest.raises(StoppedError):
            await ticket.result()
        assert await ends_within_ten_seconds(pid)
        assert isinstance(waiting.state, Running)
    finally:
        await jobs.close()
    with pytest.raises(StoppedError):
        await waiting.result()


async def test_a_stopped_review_ends_its_engine(tmp_path):
    command = (sys.executable, str(FAKE), "endless", str(tmp_path / "id"))
    jobs = LocalJobQueue(partial(chess_review.review_game, command))
    game = pgn.read("1. e4 e5 2. Nf3 1-0").value
    try:
        ticket = await jobs.submit(ALICE, ChessReviewRequest(game))
        pid = await wait_for_pid(tmp_path / "id")
        ticket.stop()
        async with asyncio.timeout(30):  # half of the time limit for one position
            review = await ticket.result()
        assert not any(move.is_judged for move in review.moves)
        assert await ends_within_ten_seconds(pid)
    finally:
        await jobs.close()


@pytest.fixture
async def open_service():
    """Return a function that opens an analysis service with an engine, and returns a function for analyses."""
    opened = []

    async def open_with_engine(behaviour, *arguments):
        executor = ThreadPoolExecutor(1)
        jobs = jobs_with(behaviour, *arguments)
        opened.append((executor, jobs))
        documents = DocumentService(executor, MemoryStore())  # type: ignore[arg-type]  # it has the methods that documents need
        found = FoundDocument("fen", START_POSITION.fen, START_POSITION)
        await documents.save((found,), None)
        analyses = ChessAnalysisService(documents, jobs, Fairness(documents))
        moment = Moment(found.digest, 0)
        return lambda requester, seconds=None: analyses.analyze(
            moment, requester, ReplyContext(), seconds=seconds
        )

    yield open_with_engine
    for executor, jobs in opened:
        await jobs.close()
        executor.shutdown()


async def test_a_result_is_stored_for_the_next_request(open_service, tmp_path):
    analyze = await open_service("normal", tmp_path / "id")
    first = await analyze(ALICE)
    await wait_for_pid(tmp_path / "id")
    (tmp_path / "id").unlink()
    second = await analyze(BOB)
    assert first == second
    assert not (tmp_path / "id").exists(), "an engine was started"
    assert "20 seconds" in (await analyze(BOB, 20)).note
    assert (tmp_path / "id").exists()


async def test_a_user_has_one_analysis_at_a_time(open_service, tmp_path):
    analyze = await open_service("endless", tmp_path / "id")
    first = asyncio.create_task(analyze(ALICE))
    await wait_for_pid(tmp_path / "id")
    with pytest.raises(RefusalError, match="One analysis at a time: yours is still running"):
        await analyze(ALICE)
    first.cancel()
    with suppress(asyncio.CancelledError, RefusalError):
        await first


async def test_an_unusable_engine_result_is_reported(open_service):
    reply = await (await open_service("talks nonsense"))(ALICE)
    assert reply.text == "The chess engine returned no usable result."
