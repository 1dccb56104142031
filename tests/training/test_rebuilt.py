"""The commands in ``bot/engine/data/README.md`` rebuild SCOWL95 from its sources, byte for byte."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from bot.engine.lexicon.installed import BUILT_IN_FOLDER

ROOT = Path(__file__).parents[2]
OS_RELEASE = Path("/etc/os-release")


@pytest.mark.long
@pytest.mark.skipif(
    not OS_RELEASE.exists()
    or 'VERSION_ID="12"' not in OS_RELEASE.read_text(encoding="utf-8")
    or not shutil.which("apt-get"),
    reason="the sources are packages of Debian 12",
)
def test_the_documented_commands_rebuild_the_shipped_word_list(tmp_path):
    readme = (BUILT_IN_FOLDER / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^    (.+)$", readme[: readme.index("\n## SCOWL80")], re.MULTILINE)
    fetch_commands = [command for command in commands if " download " in command]
    build_commands = [command for command in commands if command not in fetch_commands]
    assert (len(fetch_commands), len(build_commands)) == (2, 4)
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": str(ROOT),
    }

    def run(lines: list[str]) -> subprocess.CompletedProcess[str]:
        script = "\n".join(["set -euo pipefail", *lines]).replace("=bot/engine/data ", "=built ")
        return subprocess.run(
            ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    fetch_result = run(fetch_commands)
    if fetch_result.returncode:
        pytest.skip(f"the sources can't be fetched: {fetch_result.stderr[-200:]}")
    (tmp_path / "built").mkdir()
    build_result = run(build_commands)
    assert build_result.returncode == 0, build_result.stderr[-2_000:]
    [digest] = re.findall(r"`([0-9a-f]{64})`", readme[: readme.index("\n## SCOWL80")])
    assert sha256((tmp_path / "scowl95.txt").read_bytes()).hexdigest() == digest
    assert (tmp_path / "built/SCOWL95.kwg").read_bytes() == (BUILT_IN_FOLDER / "SCOWL95.kwg").read_bytes()
