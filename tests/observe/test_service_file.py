"""systemd understands every line of the documented unit, which runs the bot in a tight sandbox."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bot.observe.process import MAX_EXIT_SECONDS

UNIT = Path(__file__).parents[2] / "docs" / "kibitz.service"
needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None,
    reason="systemd-analyze is missing: Debian's systemd package contains it",
)


@pytest.fixture
def unit(tmp_path):
    """Return a copy of the unit that runs this Python, because systemd checks that the program exists."""
    path = tmp_path / UNIT.name
    text = UNIT.read_text(encoding="utf-8")
    assert "/opt/kibitz/.venv/bin/python" in text
    path.write_text(text.replace("/opt/kibitz/.venv/bin/python", sys.executable), encoding="utf-8")
    return path


def analyze(*arguments):
    return subprocess.run(
        ["systemd-analyze", *map(str, arguments)], capture_output=True, text=True, check=False
    )


@needs_systemd
def test_systemd_understands_every_line(unit):
    verification = analyze("verify", unit)
    complaints = [line for line in verification.stderr.splitlines() if UNIT.name in line]
    assert (verification.returncode, complaints) == (0, [])
    unit.write_text(unit.read_text().replace("ProtectSystem=", "ProtectSistem="))
    assert UNIT.name in analyze("verify", unit).stderr, "systemd-analyze missed a deliberate mistake"


@needs_systemd
def test_the_service_is_sandboxed(unit):
    report = analyze("security", "--offline=true", unit)
    exposure = re.search(r"exposure level for kibitz\.service: ([0-9.]+)", report.stdout)
    if exposure is None:
        pytest.skip(f"this version of systemd-analyze can't rate unit files: {report.stderr.strip()[:200]}")
    assert float(exposure[1]) < 2.0


def test_systemd_waits_longer_than_the_bot_takes_to_stop():
    stop = re.search(r"^TimeoutStopSec=(\d+)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE)
    assert stop is not None
    assert int(stop[1]) > MAX_EXIT_SECONDS
