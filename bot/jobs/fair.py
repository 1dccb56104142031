"""Threads that serve people in turn: round robin over servers, and within a server over its people."""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Hashable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from bot.jobs.account import Account, Budget, current_account

Parameters = ParamSpec("Parameters")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of work that waits."""

    account: Account | None
    future: Future[Any]
    work: Callable[[], Any]

    @property
    def person(self) -> Hashable:
        return self.account and self.account.user

    @property
    def server(self) -> Hashable:
        """The server that takes turns with others; outside servers a person."""
        if self.account is None or self.account.server is not None:
            return self.account and self.account.server
        return "person", self.account.user


class FairQueue:
    """Pieces of work in the order in which they are taken. Not safe to share between threads.

    A single piece waits for at most one piece of everybody else: a server that had its turn goes behind all other
    servers that wait, and a person behind all others of the server.
    """

    def __init__(self, each: int | None = None) -> None:
        self._each = each
        self._servers: OrderedDict[Hashable, OrderedDict[Hashable, deque[_Piece]]] = OrderedDict()
        self._running: Counter[Hashable] = Counter()
        self._length = 0

    def __len__(self) -> int:
        """Return how many pieces wait."""
        return self._length

    def put(self, piece: _Piece) -> None:
        """Add a piece behind the others of its person."""
        people = self._servers.setdefault(piece.server, OrderedDict())
        people.setdefault(piece.person, deque()).append(piece)
        self._length += 1

    def take(self) -> _Piece | None:
        """Take the next piece; None when all waiting people have enough pieces running."""
        for server, people in self._servers.items():
            for person, pieces in people.items():
                if person is not None and self._each is not None and self._running[person] >= self._each:
                    continue
                piece = pieces.popleft()
                self._to_the_end(people, person, pieces)
                self._to_the_end(self._servers, server, people)
                self._running[person] += 1
                self._length -= 1
                return piece
        return None

    def done(self, piece: _Piece) -> None:
        """Mark a piece that was taken as done."""
        self._running[piece.person] -= 1
        if not self._running[piece.person]:
            del self._running[piece.person]

    def clear(self) -> list[_Piece]:
        """Remove and return all pieces."""
        pieces = [
            piece for people in self._servers.values() for waiting in people.values() for piece in waiting
        ]
        self._servers.clear()
        self._length = 0
        return pieces

    @staticmethod
    def _to_the_end(queue: OrderedDict[Hashable, Any], key: Hashable, content: object) -> None:
        if content:
            queue.move_to_end(key)
        else:
            del queue[key]


class FairExecutor(Executor):
    """An executor whose threads serve accounts in turn; work belongs to the account of the task that submits it.

    ``each`` is the number of pieces of a person that may run at once. The processor time of a piece is charged to its account.
    Threads start when they are needed, and do not keep the process alive.
    """

    def __init__(
        self,
        threads: int,
        *,
        each: int | None = None,
        name: str = "kibitz-worker",
        budget: Budget | None = None,
    ) -> None:
        self._most = threads
        self._name = name
        self._budget = budget or Budget()
        self._queue = FairQueue(each)
        self._change = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._idle = 0
        self._closed = False

    def submit(
        self, fn: Callable[Parameters, Value], /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Future[Value]:
        """Do work when it is the turn of the current account.

        Raises:
            RuntimeError: the executor is shut down.

        """
        future: Future[Value] = Future()
        piece = _Piece(current_account(), future, lambda: fn(*args, **kwargs))
        with self._change:
            if self._closed:
                raise RuntimeError("no work is taken after the end")
            self._queue.put(piece)
            if self._idle < len(self._queue) and len(self._threads) < self._most:
                thread = threading.Thread(
                    target=self._serve, name=f"{self._name}_{len(self._threads)}", daemon=True
                )
                self._threads.append(thread)
                thread.start()
            self._change.notify()
        return future

    @property
    def waiting(self) -> int:
        """Pieces of work that no thread has taken yet."""
        return len(self._queue)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - as inherited
        """Refuse further work; what waits is still done, or cancelled with ``cancel_futures``."""
        with self._change:
            self._closed = True
            dropped = self._queue.clear() if cancel_futures else []
            self._change.notify_all()
        for piece in dropped:
            piece.future.cancel()
        if wait:
            for thread in self._threads:
                thread.join()

    def _serve(self) -> None:
        while (piece := self._next()) is not None:
            try:
                self._do(piece)
            finally:
                with self._change:
                    self._queue.done(piece)
                    # Another piece of this person may run now.
                    self._change.notify_all()
            del piece  # holds the result, maybe for long

    def _next(self) -> _Piece | None:
        """Wait for the next piece; None when there will be no more."""
        with self._change:
            while True:
                piece = self._queue.take()
                if piece is not None or (self._closed and not self._queue):
                    return piece
                self._idle += 1
                self._change.wait()
                self._idle -= 1

    def _do(self, piece: _Piece) -> None:
        if not piece.future.set_running_or_notify_cancel():
            return
        begun = time.thread_time()
        try:
            result = piece.work()
        except BaseException as error:  # noqa: BLE001 - it belongs to the waiting caller
            self._settle(piece, begun)
            piece.future.set_exception(error)
        else:
            self._settle(piece, begun)
            piece.future.set_result(result)

    def _settle(self, piece: _Piece, begun: float) -> None:
        if piece.account is not None:
            self._budget.spend(piece.account, time.thread_time() - begun)
