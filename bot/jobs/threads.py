"""Work on a thread of its own: whatever becomes of the thread, the waiting caller gets a result or an error."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeVar

Result = TypeVar("Result")

LOOK_SECONDS: Final = 1.0
"""Seconds between two checks whether a silent thread is still alive."""


class ThreadDiedError(Exception):
    """A thread ended before its work had a result or an error."""

    def __init__(self) -> None:
        super().__init__("the thread of a job has died")


async def in_own_thread(name: str, work: Callable[[], Result]) -> Result:
    """Do work on a new daemon thread, so that the process can end without waiting for it.

    Raises:
        ThreadDiedError: the thread ended without a result or an error, or by an exception that is meant to end a thread.
        Exception: whatever the work raised.

    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result] = loop.create_future()

    def settle(outcome: Result | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(outcome)  # type: ignore[arg-type]  # without an error there is a result
        elif isinstance(error, Exception) and not isinstance(error, StopIteration):
            done.set_exception(error)
        else:
            # No future takes these: they would end the event loop, or the coroutine that waits.
            died = ThreadDiedError()
            died.__cause__ = error
            done.set_exception(died)

    def run() -> None:
        outcome: Result | None = None
        failure: BaseException | None = None
        try:
            outcome = work()
        except BaseException as error:  # noqa: BLE001 - it belongs to the waiting caller
            failure = error
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, outcome, failure)

    thread = threading.Thread(target=run, name=name, daemon=True)
    thread.start()
    while not done.done():
        await asyncio.wait({done}, timeout=LOOK_SECONDS)
        if not thread.is_alive():
            # Its last message comes before this.
            loop.call_soon(settle, None, ThreadDiedError())
            await asyncio.wait({done})
    return done.result()
