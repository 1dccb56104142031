"""The corpus beside the project, and a mark for tests that need it."""

from pathlib import Path

import pytest

SHARED = Path(__file__).parents[3] / "shared"

needs_corpus = pytest.mark.skipif(
    not SHARED.is_dir(), reason="there is no folder named shared beside the project"
)


def read_table(name: str) -> list[dict[str, str]]:
    """Return the rows of a tab-separated file in the shared folder, or an empty list if there is no such file."""
    path = SHARED / name
    if not path.exists():
        return []
    header, *lines = path.read_text(encoding="utf-8").split("\n")
    keys = header.split("\t")
    return [dict(zip(keys, line.split("\t"), strict=True)) for line in lines if line]
