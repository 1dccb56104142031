"""Threads that serve users in turn."""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError

import pytest
from hypothesis import given, strategies as st

from bot.jobs.account import Budget, Requester
from bot.jobs.fair import FairExecutor
from tests.jobs.accounts import charged_to

ALICE, BOB = Requester(1, 100, 10), Requester(2, 100, 10)
CAROL = Requester(3, 200, 20)
DAVE, ERIN = Requester(4, None, 30), Requester(5, None, 31)


def order_of_service(accounts, threads=1, max_per_user=None):
    """Submit work for each account while all threads are blocked. Return the accounts in the order of service."""
    order, gate, begun = [], threading.Event(), threading.Event()

    def hold():
        begun.set()
        gate.wait()

    with FairExecutor(threads, max_per_user=max_per_user) as executor:
        for _ in range(threads):
            begun.clear()
            executor.submit(hold)
            begun.wait()
        for account in accounts:
            with charged_to(account):
                executor.submit(order.append, account)
        assert executor.waiting_count == len(accounts)
        gate.set()
    return order


def test_servers_take_turns_and_so_do_the_users_of_a_server():
    crowd = [ALICE] * 3 + [BOB] * 2 + [CAROL] * 2 + [DAVE, ERIN]
    assert order_of_service(crowd) == [ALICE, CAROL, DAVE, ERIN, BOB, CAROL, ALICE, BOB, ALICE]


@given(st.lists(st.sampled_from([ALICE, BOB, CAROL, DAVE, ERIN]), max_size=30))
def test_a_single_job_waits_for_at_most_one_job_per_server(accounts):
    newcomer = Requester(9, 900, 90)
    order = order_of_service([*accounts, newcomer])
    before = [account.server_id or account.user_id for account in order[: order.index(newcomer)]]
    assert len(before) == len(set(before))
    assert sorted(map(hash, order)) == sorted(map(hash, [*accounts, newcomer])), "some work was not done"


def test_running_jobs_per_user_are_limited():
    running, maximum, lock = 0, 0, threading.Lock()

    def work():
        nonlocal running, maximum
        with lock:
            running, maximum = running + 1, max(maximum, running + 1)
        threading.Event().wait(0.002)
        with lock:
            running -= 1

    with FairExecutor(4, max_per_user=2) as executor, charged_to(ALICE):
        futures = [executor.submit(work) for _ in range(20)]
    assert all(future.done() for future in futures)
    assert maximum == 2


def test_a_thread_reuses_thread_local_data():
    buffers = threading.local()

    def count():
        buffers.uses = getattr(buffers, "uses", 0) + 1
        return buffers.uses

    with FairExecutor(1) as executor:
        assert [executor.submit(count).result() for _ in range(3)] == [1, 2, 3]


def test_cpu_time_is_charged_to_the_account():
    spent = {}

    class RecordingBudget(Budget):
        def charge(self, account, size):
            raise AssertionError

        def spend(self, account, seconds):
            spent[account] = spent.get(account, 0) + seconds

    with FairExecutor(2, budget=RecordingBudget()) as executor:
        with charged_to(ALICE):
            executor.submit(sum, range(2_000_000))
        with charged_to(BOB):
            failing = executor.submit(int, "x")
        executor.submit(sum, range(100))
    with pytest.raises(ValueError, match="invalid literal"):
        failing.result()
    assert spent.keys() == {ALICE, BOB}
    assert spent[ALICE] > spent[BOB]


def test_shutdown_can_cancel_waiting_jobs():
    gate = threading.Event()
    executor = FairExecutor(1)
    first, second = executor.submit(gate.wait), executor.submit(int)
    while not first.running():
        threading.Event().wait(0.001)
    executor.shutdown(wait=False, cancel_futures=True)
    gate.set()
    assert first.result() is True
    with pytest.raises(CancelledError):
        second.result()
    with pytest.raises(RuntimeError):
        executor.submit(int)
