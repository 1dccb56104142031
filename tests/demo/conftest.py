"""Where the demo's tests find a browser."""

from __future__ import annotations

import pytest

from tests.demo.browser import find_browser

needs_browser = pytest.mark.skipif(
    find_browser() is None, reason="no Chromium on PATH (Debian: the package chromium)"
)
