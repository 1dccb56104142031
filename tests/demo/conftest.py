"""The demo that several tests visit, and a marker for tests that need a browser."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.demo.browser import find_browser
from tests.demo.process import RunningDemo, running_demo

needs_browser = pytest.mark.skipif(
    find_browser() is None, reason="no Chromium on PATH (Debian: install the chromium package)"
)
LATE_STORE_LINE = "preferences could not be read: TimeoutError()\n"
"""Logged on a busy machine if the store does not respond in time. The reply then ignores the settings."""


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def demo(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningDemo]:
    folder = tmp_path_factory.mktemp("demo")
    async with running_demo("demo", "--no-browser", folder=folder, analysis=True) as demo:
        yield demo
        code, _, errors = await demo.end()
        assert (code, errors.replace(LATE_STORE_LINE, "")) == (0, "")
