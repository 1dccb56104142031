"""If the thread of a job dies, the caller gets an error, and the next job runs."""

import asyncio
import ctypes
import threading
import time

import pytest

from bot.jobs.account import Requester
from bot.jobs.local import JobLimits, LocalJobQueue, ThreadDiedError
from bot.jobs.queue import ClosedError


def kill_own_thread():
    me = ctypes.c_ulong(threading.get_ident())
    assert ctypes.pythonapi.PyThreadState_SetAsyncExc(me, ctypes.py_object(SystemExit)) == 1
    while True:
        time.sleep(0.001)


def perform(request, control):
    if request == "killed":
        kill_own_thread()
    if isinstance(request, type):
        raise request
    return request.upper()


@pytest.mark.parametrize("end", ["killed", SystemExit, KeyboardInterrupt, GeneratorExit, StopIteration])
async def test_a_job_ends_if_its_thread_dies_and_the_next_job_runs(end):
    jobs = LocalJobQueue(perform, JobLimits(max_running=1))
    async with asyncio.timeout(20):
        with pytest.raises(ThreadDiedError):
            await (await jobs.submit(Requester(1), end)).result()
        assert await (await jobs.submit(Requester(1), "next")).result() == "NEXT"
    await jobs.close()


async def test_closing_does_not_wait_for_uncancellable_work(monkeypatch):
    monkeypatch.setattr("bot.jobs.local.STOP_SECONDS", 0.05)
    release, begun = threading.Event(), threading.Event()

    def work(request, control):
        del request, control
        begun.set()
        release.wait(60)

    jobs = LocalJobQueue(work, JobLimits(max_running=1))
    running, waiting = await jobs.submit(Requester(1), "a"), await jobs.submit(Requester(2), "b")
    await asyncio.to_thread(begun.wait, 20)
    async with asyncio.timeout(20):
        await jobs.close()
    release.set()
    for ticket in (running, waiting):
        with pytest.raises(ClosedError):
            await ticket.result()
