"""SCOWL95 is made again from its sources by the commands beside it, byte for byte."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from bot.engine.lexicon.installed import BUILT_IN

ROOT = Path(__file__).parents[2]
RELEASE = Path("/etc/os-release")


@pytest.mark.long
@pytest.mark.skipif(
    not RELEASE.exists()
    or 'VERSION_ID="12"' not in RELEASE.read_text(encoding="utf-8")
    or not shutil.which("apt-get"),
    reason="the sources are packages of Debian 12",
)
def test_the_noted_commands_rebuild_the_shipped_word_list(tmp_path):
    notes = (BUILT_IN / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^    (.+)$", notes[: notes.index("\n## SCOWL80")], re.MULTILINE)
    fetching = [command for command in commands if " download " in command]
    making = [command for command in commands if command not in fetching]
    assert (len(fetching), len(making)) == (2, 4)
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": str(ROOT),
    }

    def run(lines: list[str]) -> subprocess.CompletedProcess[str]:
        script = "\n".join(["set -euo pipefail", *lines]).replace("=bot/engine/data ", "=made ")
        return subprocess.run(
            ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    fetched = run(fetching)
    if fetched.returncode:
        pytest.skip(f"the sources can't be fetched: {fetched.stderr[-200:]}")
    (tmp_path / "made").mkdir()
    made = run(making)
    assert made.returncode == 0, made.stderr[-2_000:]
    [digest] = re.findall(r"`([0-9a-f]{64})`", notes[: notes.index("\n## SCOWL80")])
    assert sha256((tmp_path / "scowl95.txt").read_bytes()).hexdigest() == digest
    assert (tmp_path / "made/SCOWL95.kwg").read_bytes() == (BUILT_IN / "SCOWL95.kwg").read_bytes()
