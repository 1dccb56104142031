"""Files from the command line, and the service that reads the documents in them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from bot.answers.findings import Findings
from bot.reading import is_picture
from bot.service import Service
from bot.service.desk import Desk

FOUND, NOTHING, INVALID = 0, 1, 2
"""Exit codes: something was found, nothing was, or what was found is wrong."""

MAX_BYTES = 1_000_000
MAX_PICTURE_BYTES = 8_000_000
"""Bytes of a file that is a picture."""
MAX_DOCUMENTS = 10_000
"""Documents read of one file; a message says how many more it holds."""


class FileError(Exception):
    """A file cannot be read; the message is one sentence."""


def read_bytes(name: str) -> bytes:
    """Read a file, or standard input for ``-``.

    Raises:
        FileError: it is missing, not readable, or larger than :data:`MAX_BYTES`, of a picture
            :data:`MAX_PICTURE_BYTES`.

    """
    try:
        if name == "-":
            data = sys.stdin.buffer.read(MAX_PICTURE_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(MAX_PICTURE_BYTES + 1)
    except OSError as error:
        raise FileError(f"{name} cannot be read: {error.strerror}") from None
    most = MAX_PICTURE_BYTES if is_picture(data) else MAX_BYTES
    if len(data) > most:
        raise FileError(f"{name} is larger than {most:,} bytes")
    return data


@contextmanager
def local_service() -> Iterator[Service]:
    """Yield a service that keeps nothing."""
    with ThreadPoolExecutor(1, thread_name_prefix="kibitz-worker") as executor:
        yield Service(Desk(executor))


def refusals(name: str, findings: Findings) -> list[str]:
    """Say what in a file could not be read, each on a line that begins with its place."""
    return [
        f"{name}:{refused.error.line}:{refused.error.column}: {refused.error.message}"
        for refused in findings.refused
    ]


def further(beyond: int) -> str:
    """Say that a file holds more than is read of it."""
    return f"{beyond:,} more not read: of one file, the first {MAX_DOCUMENTS:,} positions and games are"
