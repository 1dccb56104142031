"""The sites, played by a server on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.links.sites import Sites, served


@pytest.fixture
def sites(tmp_path: Path) -> Iterator[Sites]:
    server = Sites(tmp_path)
    served(server)
    with server.running():
        yield server
