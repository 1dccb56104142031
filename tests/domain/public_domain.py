"""Prose in the public domain, read from installed Debian packages.

- the King James Bible, 1611, one verse per line: package ``bible-kjv`` (copyright expired, according to the package)
- the Jargon File, programmers' jargon, with code, paths and abbreviations: ``dict-jargon`` (public domain)
- The Devil's Dictionary by Ambrose Bierce, 1911, with a lot of verse: ``dict-devil`` (public domain)

The texts are not stored in the project. ``.ci/packages.sh`` installs the three packages.
"""

import gzip
import shutil
import subprocess
from pathlib import Path

PACKAGES = ("bible-kjv", "dict-jargon", "dict-devil")

_DICTIONARIES = Path("/usr/share/dictd")


def lines_of(package: str) -> list[str] | None:
    """Return the non-empty lines of a package's text, or None if the package is not installed."""
    text = _bible() if package == "bible-kjv" else _dictionary(package.removeprefix("dict-"))
    return None if text is None else [line for line in text.splitlines() if line.strip()]


def _bible() -> str | None:
    program = shutil.which("bible")
    if program is None:
        return None
    command = [program, "-f", "gen1:1-rev22:21"]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
    ).stdout


def _dictionary(name: str) -> str | None:
    path = _DICTIONARIES / f"{name}.dict.dz"
    if not path.exists():
        return None
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
        return file.read()
