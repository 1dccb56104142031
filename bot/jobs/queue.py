"""What every place where jobs run offers, and how a job is watched and stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

Request = TypeVar("Request", contravariant=True)  # noqa: PLC0105 - the one name is clear
Result = TypeVar("Result")
Progress = TypeVar("Progress")


class BusyError(Exception):
    """A job is not taken.

    ``reason`` is ``asker`` (has one under way already), ``full`` (too many wait) or ``spent`` (has used up what there
    is for jobs; in so many ``seconds`` there is enough again).
    """

    def __init__(self, reason: str, seconds: float = 0.0) -> None:
        self.reason = reason
        self.seconds = seconds
        super().__init__(f"no job is taken now: {reason}")


class StoppedError(Exception):
    """A job was stopped before it had a result."""


class ClosedError(StoppedError):
    """The place where a job was to run closed before there was a result."""


@dataclass(frozen=True, slots=True)
class Asker:
    """On whose account a job runs: ids of the shell, equal for the same person and for the same server."""

    user: int
    server: int | None = None
    """None outside a server; such askers share no account but their own."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A job waits; ``ahead`` of it are so many others."""

    ahead: int


@dataclass(frozen=True, slots=True)
class Running(Generic[Progress]):
    """A job runs and has come so far; ``progress`` is None until the work has told something."""

    progress: Progress | None


class Control(Generic[Progress]):
    """A job's side of its ticket: how the work, on its own thread, hears that it is to stop and tells its progress."""

    def __init__(self, tell: Callable[[Progress], None]) -> None:
        self._tell = tell
        self._stopped = False

    @property
    def is_stopped(self) -> bool:
        """Whether the work is to end soon with what it has; to be looked at every few milliseconds."""
        return self._stopped

    def stop(self) -> None:
        """Have the work end soon."""
        self._stopped = True

    def tell(self, progress: Progress) -> None:
        """Say how far the work is. Cheap: what nobody has seen yet is replaced."""
        self._tell(progress)


class Ticket(Generic[Progress, Result]):
    """An asker's side of a job. Lives on the event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._state: Waiting | Running[Progress] = Waiting(0)
        self._changed = asyncio.Event()
        self._result: asyncio.Future[Result] = self._loop.create_future()
        # Nobody may be there any more to hear of an error.
        self._result.add_done_callback(lambda done: done.cancelled() or done.exception())
        self.control: Control[Progress] = Control(self._hear)

    @property
    def state(self) -> Waiting | Running[Progress]:
        """How the job stands."""
        return self._state

    def stop(self) -> None:
        """Have the job end: one that waits at once, one that runs soon and with the result it has by then."""
        self.control.stop()
        if isinstance(self._state, Waiting):
            self.fail(StoppedError())

    @property
    def is_done(self) -> bool:
        """Whether there is a result or an error."""
        return self._result.done()

    async def result(self) -> Result:
        """Wait for the result.

        Raises:
            StoppedError: it was stopped before it had any.
            Exception: whatever the work raised.

        """
        return await asyncio.shield(self._result)

    async def ended(self) -> None:
        """Wait until there is a result or an error."""
        await asyncio.wait({self._result})

    async def updates(self) -> AsyncIterator[Waiting | Running[Progress]]:
        """Give the state now and after each change, until the job is done; states nobody had time for are left out."""
        while not self.is_done:
            self._changed.clear()
            yield self._state
            await self._changed.wait()

    async def rest(self, seconds: float) -> None:
        """Let so many seconds pass, fewer when there is a result or an error before."""
        await asyncio.wait({self._result}, timeout=seconds)

    # The queue's side

    def when_done(self, callback: Callable[[], object]) -> None:
        """Have something called once there is a result or an error."""
        self._result.add_done_callback(lambda _: callback())

    def move(self, state: Waiting | Running[Progress]) -> None:
        """Say how the job stands now."""
        if state != self._state:
            self._state = state
            self._changed.set()

    def finish(self, result: Result) -> None:
        """Hand over the result."""
        if not self._result.done():
            self._result.set_result(result)
            self._changed.set()

    def fail(self, error: BaseException) -> None:
        """Hand over an error."""
        if not self._result.done():
            self._result.set_exception(error)
            self._changed.set()

    def _hear(self, progress: Progress) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.move, Running(progress))


class Jobs(Protocol[Request, Progress, Result]):
    """A place where jobs run. Workers on other machines will be another one, with the same five promises.

    1. An asker has one job at a time; a server has a few at once; the others wait in the order they came.
    2. A ticket tells how many are ahead and how far the work is, and stops it.
    3. Closing stops everything and leaves no ticket without an end.
    4. Requests are plain values that can be written down.
    5. Whatever becomes of the work, its ticket ends.
    """

    def submit(self, asker: Asker, request: Request) -> Ticket[Progress, Result]:
        """Take a job.

        Raises:
            BusyError: the asker has one, or too many wait.

        """

    def stop(self) -> None:
        """Take nothing more, and have every ticket end within a few seconds, with what its work has by then."""

    async def close(self) -> None:
        """Stop, and wait for the tickets' end."""
