"""Jobs on threads: their order, limits, progress and end."""

import asyncio
import threading
import time
from concurrent.futures import wait

import pytest

from bot.engine.analysis import MeteredThreadPool
from bot.jobs.account import Budget, OverBudgetError, Requester
from bot.jobs.local import JobLimits, LocalJobQueue
from bot.jobs.queue import BusyError, Running, StoppedError, Waiting
from tests.jobs.accounts import charged_to
from tests.jobs.gate import Gate
from tests.waiting import until


@pytest.fixture
async def gate():
    return Gate()


@pytest.fixture
async def jobs(gate):
    jobs = LocalJobQueue(gate, JobLimits(max_running=2, max_running_per_server=1, max_waiting=3))
    yield jobs
    await jobs.close()


async def test_a_failed_job_raises_its_error_for_the_waiter(jobs, gate):
    gate.open("a", "b")
    gate.error = ZeroDivisionError()
    with pytest.raises(ZeroDivisionError):
        await (await jobs.submit(Requester(1), "a")).result()
    gate.error = None
    assert await (await jobs.submit(Requester(1), "b")).result() == "B"


async def test_a_user_has_one_job_at_a_time(jobs, gate):
    first = await jobs.submit(Requester(1, 10), "a")
    with pytest.raises(BusyError) as refused:
        await jobs.submit(Requester(1, 11), "b")
    assert refused.value.reason == "user"
    gate.open("a")
    await first.result()
    gate.open("b")
    assert await (await jobs.submit(Requester(1, 11), "b")).result() == "B"


async def test_a_server_with_a_running_job_does_not_block_other_servers(jobs, gate):
    await jobs.submit(Requester(1, 10), "a")
    second = await jobs.submit(Requester(2, 10), "b")
    other = await jobs.submit(Requester(3, 11), "c")
    await until(lambda: gate.begun == ["a", "c"] or gate.begun == ["c", "a"])
    assert second.state == Waiting(2)
    assert other.state == Running(None)
    gate.open("a")
    await until(lambda: "b" in gate.begun)


async def test_the_queue_position_is_reported(jobs, gate):
    for number in range(2):
        await jobs.submit(Requester(number), f"r{number}")
    waiting = [await jobs.submit(Requester(10 + number), f"w{number}") for number in range(3)]
    assert [ticket.state for ticket in waiting] == [Waiting(2), Waiting(3), Waiting(4)]
    with pytest.raises(BusyError) as refused:
        await jobs.submit(Requester(99), "z")
    assert refused.value.reason == "full"
    waiting[0].stop()
    with pytest.raises(StoppedError):
        await waiting[0].result()
    await until(lambda: waiting[1].state == Waiting(2))
    gate.open("r0")
    await until(lambda: "w1" in gate.begun)
    assert waiting[2].state == Waiting(2)
    assert "w0" not in gate.begun


async def test_only_the_newest_progress_is_kept():
    progress_seen = threading.Event()

    def perform(request, control):
        for number in range(100):
            control.report(number)
        progress_seen.wait(5)
        return request

    jobs = LocalJobQueue(perform)
    ticket = await jobs.submit(Requester(1), "a")
    await until(lambda: ticket.state == Running(99))
    seen = []

    async def watch():
        async for state in ticket.updates():
            seen.append(state)
            progress_seen.set()

    await asyncio.gather(watch(), ticket.result())
    assert seen == [Running(99)]
    await jobs.close()


async def test_a_stopped_job_returns_the_partial_result(jobs):
    ticket = await jobs.submit(Requester(1), "a")
    await until(lambda: ticket.state == Running(None))
    ticket.stop()
    assert await ticket.result() == "a unfinished"


async def test_closing_ends_every_ticket(gate):
    jobs = LocalJobQueue(gate, JobLimits(max_running=1))
    running = await jobs.submit(Requester(1), "a")
    waiting = await jobs.submit(Requester(2), "b")
    await until(lambda: gate.begun == ["a"])
    await jobs.close()
    assert await running.result() == "a unfinished"
    with pytest.raises(StoppedError):
        await waiting.result()
    with pytest.raises(BusyError):
        await jobs.submit(Requester(3), "c")


async def test_a_cancelled_waiter_leaves_the_job_to_others(jobs, gate):
    ticket = await jobs.submit(Requester(1), "a")
    impatient = asyncio.create_task(ticket.result())
    patient = asyncio.create_task(ticket.result())
    await asyncio.sleep(0)
    impatient.cancel()
    gate.open("a")
    assert await patient == "A"


class LimitedBudget(Budget):
    def __init__(self, seconds):
        self.remaining = seconds
        self.charges = []

    def charge(self, account, size):
        if size > self.remaining:
            raise OverBudgetError(90)
        self.spend(account, size)
        return size

    def spend(self, account, seconds):
        self.remaining -= seconds
        self.charges.append((account.user_id, seconds))


def burn(seconds, *, fail=False):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
    if fail:
        raise ZeroDivisionError


def burn_on_threads(request, control):
    """Use 0.02 seconds of CPU time on this thread, and as much in each of three tasks on a thread pool. The third task fails."""
    del control
    burn(0.02)
    with MeteredThreadPool(2) as threads:
        futures = [threads.submit(burn, 0.02, fail=number == 2) for number in range(3)]
        wait(futures)
    if request == "fails":
        burn(0, fail=True)


@pytest.mark.parametrize("request_", ["succeeds", "fails"])
async def test_a_job_is_charged_for_every_thread(request_):
    budget = LimitedBudget(100)
    jobs = LocalJobQueue(burn_on_threads, budget=budget, estimate_seconds=lambda _: 15)
    with charged_to(Requester(7, None, 8)):
        ticket = await jobs.submit(Requester(7), request_)
    await ticket.wait()
    assert budget.charges[0] == (7, 15), "the estimate was not charged in advance"
    assert len(budget.charges) == 2
    assert 0.08 <= 100 - budget.remaining < 15, (
        "a use of 0.02 seconds was not charged, or the unused part of the charge was not refunded"
    )
    await jobs.close()


async def test_a_job_over_the_budget_is_refused(gate):
    budget = LimitedBudget(50)
    jobs = LocalJobQueue(gate, JobLimits(max_running=1), budget=budget, estimate_seconds=lambda _: 20)
    await jobs.submit(Requester(1), "without an account")
    for user in (2, 3):
        with charged_to(Requester(user, None, 8)):
            ticket = await jobs.submit(Requester(user), "waits")
    with charged_to(Requester(4, None, 8)), pytest.raises(BusyError) as refused:
        await jobs.submit(Requester(4), "too much")
    assert (refused.value.reason, refused.value.wait_seconds) == ("spent", 90)
    ticket.stop()
    await until(lambda: budget.remaining == 30)
    await jobs.close()
