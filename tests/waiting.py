"""Polls for events that a test is not notified of, such as a new row in a database."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any


async def until(condition: Callable[[], object], seconds: float = 30.0) -> Any:
    """Wait until ``condition`` returns a truthy value, and return this value. ``condition`` may be a coroutine function.

    Raises:
        TimeoutError: The value is still falsy after ``seconds``.
    """
    async with asyncio.timeout(seconds):
        while True:
            value = condition()
            if inspect.isawaitable(value):
                value = await value
            if value:
                return value
            await asyncio.sleep(0.005)
