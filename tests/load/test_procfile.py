"""The Procfile as hosting platforms run it, with PostgreSQL: the release process, then a gateway and a worker."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.wire.kibitz import ROOT, environment, free_port, program, until_logged_in
from tests.wire.test_interrupted import start_simulation

from .conftest import MAX_START_SECONDS
from .test_kills import check_result

if TYPE_CHECKING:
    from tests.wire.server import WireServer

pytestmark = [pytest.mark.load, pytest.mark.long]


async def test_the_procfile_runs_a_gateway_and_a_worker(
    wire: WireServer, tmp_path: Path, postgres_url: str
) -> None:
    shutil.copy(ROOT / "Procfile", tmp_path)
    variables = environment(
        wire,
        tmp_path,
        DATABASE_URL=postgres_url,
        KIBITZ_SHARDS="auto",
        KIBITZ_ANALYSIS__ENABLED="true",
        KIBITZ_ANALYSIS__JOBS="0",
    )
    variables["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), variables["PATH"]])
    honcho = ("-m", "honcho", "start", "--no-colour", "-p", str(free_port()))
    async with program(*honcho, "release", environment=variables, folder=tmp_path) as release:
        assert await release.until_ended(within=MAX_START_SECONDS) == 0, release.output
    async with program(*honcho, "web", "worker", environment=variables, folder=tmp_path) as manager:
        await until_logged_in(wire, manager)
        await manager.until_printed("running up to ", within=MAX_START_SECONDS)
        await check_result(wire, await start_simulation(wire, wire.world.alice, "▰"))
        manager.process.send_signal(signal.SIGTERM)
        await manager.until_ended(within=20.0)
        assert manager.exception_lines == [], manager.output
        for name in ("web", "worker"):
            assert any(
                line.split()[1].startswith(f"{name}.1") for line in manager.lines if len(line.split()) > 1
            )
