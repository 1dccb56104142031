"""Where the demo's tests find a browser, and the demo that they visit."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.demo.browser import find_browser
from tests.demo.process import RunningDemo, running_demo

needs_browser = pytest.mark.skipif(
    find_browser() is None, reason="no Chromium on PATH (Debian: the package chromium)"
)
LATE = "preferences cannot be read now: TimeoutError()\n"
"""The log line of a machine without time for the store: the answer ignores the settings."""


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def demo(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningDemo]:
    """Give a demo for all who only visit it; it ends cleanly with their pages closed."""
    folder = tmp_path_factory.mktemp("demo")
    async with running_demo("demo", "--no-browser", folder=folder, analysis=True) as demo:
        yield demo
        code, _, errors = await demo.end()
        assert (code, errors.replace(LATE, "")) == (0, "")
