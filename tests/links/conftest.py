"""A local server that replaces the supported sites."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.links.sites import Sites, serve_all


@pytest.fixture
def sites(tmp_path: Path) -> Iterator[Sites]:
    server = Sites(tmp_path)
    serve_all(server)
    with server.running():
        yield server
