"""Jobs over PostgreSQL: gateways and workers in one process, with a real database and Procrastinate."""

import asyncio
from functools import partial

import pytest

from bot.domain.reading.problems import RuleError
from bot.jobs.account import ACCOUNT, Requester
from bot.jobs.kinds import JobFailedError
from bot.jobs.local import JobLimits
from bot.jobs.queue import BusyError, DetachedError, Running, StoppedError, Waiting
from tests.waiting import until
from tests.wire.kibitz import uses_programs

from .conftest import GateRequest, Result

pytestmark = uses_programs


async def test_only_errors_for_users_are_sent_with_details(jobs, running_worker, gate):
    gate.open("a", "b")
    async with running_worker():
        gate.error = RuleError("no-lexicon", "no lexicon for {name}", name="english")
        with pytest.raises(RuleError, match="no lexicon for english"):
            await (await jobs.submit(Requester(1), GateRequest("a"))).result()
        gate.error = ZeroDivisionError("secret")
        with pytest.raises(JobFailedError) as caught:
            await (await jobs.submit(Requester(1), GateRequest("b"))).result()
        assert "secret" not in str(caught.value)


async def test_progress_and_the_position_in_the_queue_are_reported(jobs, running_worker, gate):
    gate.reports["a"] = "half"
    first = await jobs.submit(Requester(1), GateRequest("a"))
    second = await jobs.submit(Requester(2), GateRequest("b"))
    await until(lambda: second.state == Waiting(1))
    async with running_worker(slots=1):
        await until(lambda: first.state == Running(Result("half")))
        assert second.state == Waiting(1)
        gate.open("a", "b")
        assert await second.result() == Result("B")


async def test_a_user_has_one_job_across_all_gateways(open_queue, running_worker, gate):
    first_gateway, second_gateway = await open_queue(), await open_queue()
    first = await first_gateway.submit(Requester(1, 10), GateRequest("a"))
    with pytest.raises(BusyError) as refused:
        await second_gateway.submit(Requester(1, 11), GateRequest("b"))
    assert refused.value.reason == "user"
    async with running_worker():
        gate.open("a", "b")
        await first.result()
        assert await (await second_gateway.submit(Requester(1, 11), GateRequest("b"))).result() == Result("B")


async def test_all_gateways_share_the_hourly_budget_of_a_user(open_queue, running_worker, gate, sql):
    allowances = (100, 1000)
    first_gateway, second_gateway = [
        await open_queue(allowances=allowances, estimate_seconds=lambda _: 60.0) for _ in range(2)
    ]
    ACCOUNT.set(Requester(1, 10, 5))
    first = await first_gateway.submit(Requester(1, 10), GateRequest("a"))
    async with running_worker():
        gate.open("a")
        assert await first.result() == Result("A")
    await until(lambda: sql("SELECT 1 FROM job_means WHERE kind = 'user' AND id = 1 AND \"left\" > 99"))
    await sql('UPDATE job_means SET "left" = "left" - 60')
    with pytest.raises(BusyError) as refused:
        await second_gateway.submit(Requester(1, 10), GateRequest("b"))
    assert refused.value.reason == "spent"
    # The job costs 60 seconds, 40 are left, and 100 are added each hour.
    assert 600 < refused.value.wait_seconds <= 20 / 100 * 3600
    assert await sql("SELECT count(*) FROM jobs") == [(1,)]
    ACCOUNT.set(Requester(2, 10, 5))
    await second_gateway.submit(Requester(2, 10), GateRequest("b"))
    ACCOUNT.set(Requester(3, 10, 6))
    await first_gateway.submit(Requester(3, 10), GateRequest("b"))
    remaining_seconds = await sql('SELECT kind, id, round("left") FROM job_means WHERE id IN (2, 3, 6)')
    assert remaining_seconds == [("user", 2, 40)], "a user who joined an existing job was charged"


async def test_a_channel_budget_gets_unused_seconds_back(open_queue, sql):
    jobs = await open_queue(allowances=(1000, 100), estimate_seconds=lambda _: 60.0)
    ACCOUNT.set(Requester(1, 10, 5))
    ticket = await jobs.submit(Requester(1, 10), GateRequest("a"))
    ACCOUNT.set(Requester(2, 10, 5))
    with pytest.raises(BusyError, match="spent"):
        await jobs.submit(Requester(2, 10), GateRequest("b"))
    ticket.stop()
    with pytest.raises(StoppedError):
        await ticket.result()
    await until(lambda: sql("SELECT 1 FROM job_means WHERE kind = 'channel' AND \"left\" > 99"))
    await jobs.submit(Requester(2, 10), GateRequest("b"))


async def test_a_hundred_requests_for_one_position_share_one_job(open_queue, running_worker, gate, sql):
    gateways = [await open_queue() for _ in range(2)]
    tickets = await asyncio.gather(
        *(gateways[user % 2].submit(Requester(user, user % 7), GateRequest("a")) for user in range(1, 101))
    )
    assert await sql("SELECT count(*), (SELECT count(*) FROM job_askers) FROM jobs") == [(1, 100)]
    async with running_worker():
        gate.open("a")
        assert {await ticket.result() for ticket in tickets} == {Result("A")}
        assert gate.begun == ["a"]
        late_ticket = await gateways[0].submit(Requester(999), GateRequest("a"))
        assert await late_ticket.result() == Result("A")
    assert gate.begun == ["a"], "the job ran again, although its result is stored"
    assert await sql("SELECT count(*) FROM job_askers") == [(0,)]


async def test_stopping_a_shared_job_detaches_only_one_requester(jobs, running_worker, gate):
    first = await jobs.submit(Requester(1), GateRequest("a"))
    second = await jobs.submit(Requester(2), GateRequest("a"))
    async with running_worker():
        await until(lambda: gate.begun == ["a"])
        first.stop()
        with pytest.raises(DetachedError):
            await first.result()
        assert not second.is_done
        gate.open("a")
        assert await second.result() == Result("A")


async def test_a_stopped_job_returns_a_partial_result_that_is_not_stored(jobs, running_worker, gate):
    async with running_worker():
        ticket = await jobs.submit(Requester(1), GateRequest("a"))
        await until(lambda: gate.begun == ["a"])
        ticket.stop()
        assert await ticket.result() == Result("a unfinished")
        gate.open("a")
        assert await (await jobs.submit(Requester(1), GateRequest("a"))).result() == Result("A")


async def test_a_job_stopped_while_waiting_never_starts(jobs, running_worker, gate, sql):
    ticket = await jobs.submit(Requester(1), GateRequest("a"))
    ticket.stop()
    with pytest.raises(StoppedError):
        await ticket.result()
    async with running_worker():
        gate.open("b")
        await (await jobs.submit(Requester(1), GateRequest("b"))).result()
    assert gate.begun == ["b"]
    assert await sql("SELECT count(*) FROM procrastinate.procrastinate_jobs") == [(0,)]


async def test_stopping_a_job_that_just_ended_leaves_no_trace(jobs, running_worker, gate, sql):
    async with running_worker(slots=4):
        for number in range(20):
            ticket = await jobs.submit(Requester(1), GateRequest(f"a{number}"))
            await until(partial(gate.has_begun, f"a{number}"))
            gate.open(f"a{number}")
            if number % 2:
                await asyncio.sleep(0.002 * (number % 5))
            ticket.stop()
            assert await ticket.result() in {Result(f"A{number}"), Result(f"a{number} unfinished")}
    assert await sql("SELECT count(*) FROM jobs WHERE state IN ('waiting', 'running')") == [(0,)]
    assert await sql("SELECT count(*) FROM job_askers") == [(0,)]
    assert await sql("SELECT count(*) FROM procrastinate.procrastinate_jobs") == [(0,)]


async def test_a_full_queue_refuses_jobs_and_reports_a_waiting_time(open_queue, running_worker, gate):
    jobs = await open_queue(JobLimits(max_waiting=2, max_running_per_server=2))
    async with running_worker(slots=1):
        gate.open("quick")
        await (await jobs.submit(Requester(9), GateRequest("quick"))).result()
        await jobs.submit(Requester(1), GateRequest("a"))
        await until(lambda: "a" in gate.begun)
        await jobs.submit(Requester(2), GateRequest("b"))
        await jobs.submit(Requester(3), GateRequest("c"))
        with pytest.raises(BusyError) as refused:
            await jobs.submit(Requester(4), GateRequest("d"))
        assert refused.value.reason == "full"
        assert refused.value.wait_seconds > 0
        gate.open("a", "b", "c")


async def test_a_quiet_server_precedes_a_server_with_running_jobs(jobs, running_worker, gate):
    """A server has at most two of the three slots, so the third slot goes to a user of another server."""
    crowd = [await jobs.submit(Requester(user, 10), GateRequest(f"c{user:02}")) for user in range(1, 13)]
    quiet = await jobs.submit(Requester(100, 11), GateRequest("quiet"))
    async with running_worker(slots=3):
        await until(lambda: len(gate.begun) == 3)
        assert "quiet" in gate.begun, "the third slot went to a server that already has two"
        gate.open("quiet")
        assert await quiet.result() == Result("QUIET")
        await asyncio.sleep(0.6)  # the worker looks for more jobs
        assert len(gate.begun) == 3
        gate.open(*(f"c{user:02}" for user in range(1, 13)))
        assert {await ticket.result() for ticket in crowd} == {Result(f"C{user:02}") for user in range(1, 13)}


async def test_jobs_of_an_ending_worker_go_to_another_worker(jobs, running_worker, gate, monkeypatch):
    monkeypatch.setattr("bot.jobs.hosted.worker.GRACE_SECONDS", 0.1)
    async with running_worker():
        ticket = await jobs.submit(Requester(1), GateRequest("a"))
        await until(lambda: gate.begun == ["a"])
    assert not ticket.is_done
    async with running_worker():
        await until(lambda: gate.begun == ["a", "a"])
        gate.open("a")
        assert await ticket.result() == Result("A")


async def test_jobs_of_a_stopped_gateway_are_reused(open_queue, running_worker, gate):
    first_gateway = await open_queue()
    ticket = await first_gateway.submit(Requester(1), GateRequest("a"))
    first_gateway.stop()
    with pytest.raises(asyncio.CancelledError):
        await ticket.result()
    with pytest.raises(BusyError):
        await first_gateway.submit(Requester(2), GateRequest("b"))
    second_gateway = await open_queue()
    new_ticket = await second_gateway.submit(Requester(1), GateRequest("a"))
    async with running_worker():
        gate.open("a")
        assert await new_ticket.result() == Result("A")
    assert gate.begun == ["a"]


async def test_a_cut_notification_connection_delays_no_job(jobs, running_worker, gate, sql):
    async with running_worker():
        for number in range(20):
            await sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%%'")
            gate.open(f"a{number}")
            ticket = await jobs.submit(Requester(1), GateRequest(f"a{number}"))
            assert await asyncio.wait_for(ticket.result(), 20) == Result(f"A{number}")
    assert gate.begun == [f"a{number}" for number in range(20)]
