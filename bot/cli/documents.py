"""Files from the command line, and what reads the documents in them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from bot.chat.markdown import plain
from bot.config import load_settings
from bot.features.showing.findings import Findings, Found
from bot.features.showing.reader import Reader
from bot.features.showing.reading import Attachment, Source, is_picture
from bot.features.showing.reading.archives import ArchiveError, files_of, is_archive
from bot.features.showing.remarks import sight_remarks
from bot.text import speaker

FOUND, NOTHING, INVALID = 0, 1, 2
"""Exit codes: something was found, nothing was, or what was found is wrong."""

MAX_BYTES = 1_000_000
MAX_PACKED_BYTES = 8_000_000
"""Bytes of a file that is a picture or a ZIP archive."""
MAX_PATHS = 10_000
"""Files and folders in a folder."""
MAX_DOCUMENTS = 10_000
"""Documents read of one file; a message says how many more it holds."""


class FileError(Exception):
    """A file cannot be read; the message is one sentence."""


def read_bytes(name: str) -> bytes:
    """Read a file, or standard input for ``-``.

    Raises:
        FileError: it is missing, not readable, or larger than :data:`MAX_BYTES`, of a picture or an archive
            :data:`MAX_PACKED_BYTES`.

    """
    try:
        if name == "-":
            data = sys.stdin.buffer.read(MAX_PACKED_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(MAX_PACKED_BYTES + 1)
    except OSError as error:
        raise FileError(f"{name} cannot be read: {error.strerror}") from None
    most = MAX_PACKED_BYTES if is_picture(data) or is_archive(data) else MAX_BYTES
    if len(data) > most:
        raise FileError(f"{name} is larger than {most:,} bytes")
    return data


@dataclass(frozen=True, slots=True)
class InFile:
    """What one file holds, whether it was named or is in a folder or an archive that was."""

    name: str
    found: tuple[Found, ...]
    code: int
    """What it counts for in the exit code; what is wrong has been said."""


def found_in_files(names: Iterable[str], reader: Reader, *, nothing: str) -> Iterator[InFile]:
    """Read files, those in folders and those in ZIP archives, one by one.

    What cannot be read is told on standard error, and so is a name behind which there is ``nothing``.
    """
    for name in names:
        empty = True
        try:
            for inner, data in _files(name):
                findings = asyncio.run(
                    reader.find(Source("", (Attachment(inner, data),), most=MAX_DOCUMENTS))
                )
                refused = findings.refused
                if inner != name and not findings.found:
                    # Beside games there are pictures and programs, too.
                    refused = tuple(one for one in refused if one.error.code != "binary")
                told = refusals(inner, replace(findings, refused=refused))
                for line in (*told, *doubts(inner, findings)):
                    print(line, file=sys.stderr)
                if findings.beyond:
                    print(f"{inner}: {further(findings.beyond)}", file=sys.stderr)
                empty = empty and not findings.found and not refused
                yield InFile(inner, findings.found, INVALID if refused else FOUND)
        except (FileError, ArchiveError) as error:
            print(error if isinstance(error, FileError) else f"{name}: {error.message}", file=sys.stderr)
            yield InFile(name, (), INVALID)
            continue
        if empty:
            print(f"{name}: {nothing}", file=sys.stderr)
            yield InFile(name, (), NOTHING)


def _files(name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files behind a name, each with what it is called.

    Raises:
        FileError: it cannot be read, or there are too many.
        ArchiveError: it is an archive that is not read.

    """
    if name != "-" and Path(name).is_dir():
        paths = sorted(path for path in islice(Path(name).rglob("*"), MAX_PATHS + 1) if _is_shown(path, name))
        if len(paths) > MAX_PATHS:
            raise FileError(f"{name} holds more than {MAX_PATHS:,} files")
        for path in paths:
            yield from (one for one in _files(str(path)) if not is_picture(one[1]))
        return
    data = read_bytes(name)
    if is_archive(data):
        yield from ((f"{name}/{inner}", content) for inner, content in files_of(data))
    else:
        yield name, data


def _is_shown(path: Path, folder: str) -> bool:
    """Return whether a path in a folder is a file that is not hidden."""
    return path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts)


@contextmanager
def local_reader(config: Path | None) -> Iterator[Reader]:
    """Yield what reads documents, on a thread of its own; the lexica of the settings file know what is on pictures.

    Raises:
        ConfigError: the settings cannot be read.

    """
    lexica = load_settings(config).analysis.lexica
    with ThreadPoolExecutor(1, thread_name_prefix="kibitz-worker") as executor:
        yield Reader(executor, lexica=lexica)


def refusals(name: str, findings: Findings) -> list[str]:
    """Say what in a file could not be read, each on a line that begins with its place."""
    return [
        f"{name}:{refused.error.line}:{refused.error.column}: {refused.error.message}"
        for refused in findings.refused
    ]


def doubts(name: str, findings: Findings) -> list[str]:
    """Say of each position that was seen on a picture how sure it is."""
    say = speaker("en")
    return [
        f"{name}: {plain(line)}"
        for item in findings.found
        if item.sight is not None
        for line in sight_remarks(item.sight, say)
    ]


def further(beyond: int) -> str:
    """Say that a file holds more than is read of it."""
    return f"{beyond:,} more not read: of one file, the first {MAX_DOCUMENTS:,} positions and games are"
