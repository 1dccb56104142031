"""The commands in the documentation lead from a checkout to a bot that replies."""

from __future__ import annotations

import asyncio
import re
import subprocess
from pathlib import Path
from shutil import copyfile
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from .kibitz import ROOT, Program, uses_programs

if TYPE_CHECKING:
    from .conftest import Serve

pytestmark = [pytest.mark.long, uses_programs]

PAGES = {"docs/hosting.md": "## First steps", "README.md": "## Run it for your server"}
#: According to the hosting page, the first steps take about this many seconds.
PROMISED_SECONDS = 600


def section(page: str) -> str:
    """Return the section of a page below its heading in ``PAGES``."""
    _, _, text = (ROOT / page).read_text(encoding="utf-8").partition(f"{PAGES[page]}\n")
    return text.partition("\n## ")[0]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a copy of this checkout that has only the files in the repository."""
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listing.stdout.splitlines():
        copy = tmp_path / "kibitz" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copyfile(ROOT / name, copy)
    return tmp_path / "kibitz"


async def test_the_documented_commands_start_a_bot_that_replies(
    serve: Serve, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DATABASE_URL")
    [position] = re.findall(r"Paste `([^`]+)`", section("docs/hosting.md"))
    for page in PAGES:
        # The server of the first page is still running while the commands of the second page are tested.
        wire = await serve(lifetime=3 * PROMISED_SECONDS)
        [script] = re.findall(r"^ *```sh\n(.*?)^ *```", section(page), re.MULTILINE | re.DOTALL)
        assert "DISCORD_TOKEN=…" in script
        script = dedent(script).replace("DISCORD_TOKEN=…", f"DISCORD_TOKEN={wire.token}")
        shell = Program(
            await asyncio.create_subprocess_exec(
                *("bash", "-euo", "pipefail", "-c", script),
                cwd=checkout,
                env=wire.environment(),
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
        )
        end = asyncio.create_task(shell.process.wait())
        ready = asyncio.create_task(wire.gateway.wait_until_ready(within=PROMISED_SECONDS))
        try:
            await asyncio.wait({ready, end}, return_when=asyncio.FIRST_COMPLETED)
            assert not end.done(), f"{page}: {shell.output}"
            await ready
            reply = await wire.wait_for_reply(await wire.post(position))
        finally:
            ready.cancel()
            await shell.end()
        assert ".......CAT....." in (reply.files[0].description or "")
        assert "❌" not in shell.output
        assert wire.token not in shell.output
        (checkout / "config.toml").unlink()
