"""An executor in which Discord servers take turns, and so do the users within each server."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any, ParamSpec, TypeVar

from bot.jobs.account import ACCOUNT, Budget, Requester

Parameters = ParamSpec("Parameters")
Value = TypeVar("Value")


class _WorkItem(Future[Value]):
    def __init__(self, account: Requester | None, work: Callable[[], Value]) -> None:
        super().__init__()
        self.account = account
        self.work = work
        self.user_id = None if account is None else account.user_id
        server: Hashable = (account and account.server_id) or ("user", self.user_id)
        self.turn_keys = server, (server, self.user_id)
        """Two keys: the server, and the user within the server. In direct messages, each user counts as a server."""


class FairExecutor(Executor):
    """An executor in which accounts take turns. The CPU time is charged to the account of the task that submits the work.

    At most ``max_per_user`` pieces of a user's work run at once. Threads start when they are needed, and do not keep the process
    alive.
    """

    def __init__(
        self,
        max_threads: int,
        *,
        max_per_user: int | None = None,
        name: str = "kibitz-worker",
        budget: Budget | None = None,
    ) -> None:
        self._max_threads = max_threads
        self._max_per_user = max_per_user or max_threads
        self._name = name
        self._budget = budget or Budget()
        self._waiting: list[_WorkItem[Any]] = []
        """The waiting items, next item first."""
        self._running: Counter[int | None] = Counter()
        self._change = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._idle_count = 0
        self._closed = False

    def submit(
        self, fn: Callable[Parameters, Value], /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Future[Value]:
        """Submit work, which runs when it is the account's turn.

        Raises:
            RuntimeError: the executor is shut down.

        """
        with self._change:
            if self._closed:
                raise RuntimeError("the executor is shut down")
            item = _WorkItem(ACCOUNT.get(), partial(fn, *args, **kwargs))
            self._waiting.append(item)
            if self._idle_count < len(self._waiting) and len(self._threads) < self._max_threads:
                thread = threading.Thread(
                    target=self._serve, name=f"{self._name}_{len(self._threads)}", daemon=True
                )
                thread.start()
                self._threads.append(thread)
            self._change.notify()
        return item

    @property
    def waiting_count(self) -> int:
        return len(self._waiting)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - as inherited
        with self._change:
            self._closed = True
            while cancel_futures and self._waiting:
                self._waiting.pop().cancel()
            self._change.notify_all()
        for thread in self._threads if wait else ():
            thread.join()

    def _serve(self) -> None:
        while (item := self._take_next_item()) is not None:
            try:
                self._run_item(item)
            finally:
                with self._change:
                    self._running -= Counter([item.user_id])
            del item  # otherwise, the waiting thread would keep the result in memory

    def _take_next_item(self) -> _WorkItem[Any] | None:
        """Wait for the next item. Return None after shutdown if no item is left."""
        with self._change:
            while not (
                allowed_items := [
                    item
                    for item in self._waiting
                    if item.account is None or self._running[item.user_id] < self._max_per_user
                ]
            ):
                if self._closed and not self._waiting:
                    self._change.notify_all()  # so that the other threads end as well
                    return None
                self._idle_count += 1
                self._change.wait()
                self._idle_count -= 1
            item = allowed_items[0]
            self._waiting.remove(item)
            # The other items of this server move to the end of the list, and those of this user to its very end.
            self._waiting.sort(key=lambda other: [key in item.turn_keys for key in other.turn_keys])
            self._running[item.user_id] += 1
            return item

    def _run_item(self, item: _WorkItem[Any]) -> None:
        if not item.set_running_or_notify_cancel():
            return
        start = time.thread_time()
        try:
            result = item.work()
        except BaseException as error:  # noqa: BLE001 - passed to the waiting caller
            deliver_outcome = partial(item.set_exception, error)
        else:
            deliver_outcome = partial(item.set_result, result)
        if item.account is not None:
            self._budget.spend(item.account, time.thread_time() - start)
        deliver_outcome()
