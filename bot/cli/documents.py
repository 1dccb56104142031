"""Functions shared by commands: read and write files, find the documents in them, load lexica, and compile the engine."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from bot.chat.markdown import strip_markdown
from bot.chat.source import Attachment, Source, is_picture
from bot.cli.parser import FAILURE, NOTHING_FOUND, SUCCESS, CommandError, freezing_imported_objects
from bot.config import load_settings
from bot.domain.reading.problems import DomainError, ReadWarning
from bot.features.showing.findings import Findings, FoundDocument
from bot.features.showing.reader import Reader
from bot.features.showing.reading.archives import ZIP_SIGNATURE, ArchiveError, files_of
from bot.text import translator

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexica, Lexicon

MAX_TEXT_BYTES = 1_000_000
"""Maximum size of a text file, in bytes."""
MAX_BINARY_BYTES = 8_000_000
"""Maximum size of a picture or a ZIP archive, in bytes."""
MAX_PATHS = 10_000
"""Maximum number of files and folders in a folder and its subfolders, not counting hidden ones."""
MAX_DOCUMENTS = 10_000
"""Maximum number of documents read from one file. A warning states how many more the file has."""


def print_error(*lines: object) -> None:
    for line in lines:
        print(line, file=sys.stderr)


def counted(number: int, noun: str) -> str:
    """Return a number and its noun, such as ``1 game`` or ``2,000 games``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def read_bytes(name: str | Path, max_bytes: int | None = None) -> bytes:
    """Read a file, or standard input for ``-``.

    Raises:
        CommandError: the file is unreadable, or larger than ``max_bytes``. The default limit is :data:`MAX_TEXT_BYTES`, or
            :data:`MAX_BINARY_BYTES` for a picture or an archive.

    """
    byte_limit = MAX_BINARY_BYTES if max_bytes is None else max_bytes
    try:
        with nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb") as file:
            data = file.read(byte_limit + 1)
    except OSError as error:
        raise CommandError(f"{name} can't be read: {error.strerror}") from None
    if max_bytes is None and not (is_picture(data) or data.startswith(ZIP_SIGNATURE)):
        byte_limit = MAX_TEXT_BYTES
    if len(data) > byte_limit:
        raise CommandError(f"{name} is larger than {byte_limit:,} bytes")
    return data


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file, or raise :exc:`CommandError`."""
    try:
        path.write_bytes(data)
    except OSError as error:
        raise CommandError(f"{path} can't be written: {error.strerror}") from None


def write_atomically(path: Path, data: bytes, check: Callable[[Path], None] = lambda _: None) -> None:
    """Write a file atomically: completely or not at all.

    ``check`` may reject the written file by raising an :exc:`OSError`.

    Raises:
        CommandError: the file cannot be written, or ``check`` rejected it.

    """
    temporary_file = None
    try:
        with tempfile.NamedTemporaryFile(prefix=f".{path.name}.", dir=path.parent, delete=False) as file:
            temporary_file = Path(file.name)
            file.write(data)
        check(temporary_file)
        # A temporary file is readable only by its owner, so give the written file the usual permissions.
        umask = os.umask(0)
        os.umask(umask)
        temporary_file.chmod(0o666 & ~umask)
        temporary_file.replace(path)
    except OSError as error:
        if temporary_file is not None:
            temporary_file.unlink(missing_ok=True)
        raise CommandError(f"{path} can't be written: {error.strerror}") from None


@contextmanager
def local_reader(config: Path | None) -> Iterator[Reader]:
    """Yield a document reader with its own thread and the lexica folder from the settings.

    Raises:
        ConfigError: the settings cannot be read.

    """
    with ThreadPoolExecutor(1, thread_name_prefix="kibitz-worker") as executor:
        yield Reader(executor, lexica_folder=load_settings(config).analysis.lexica)


def find_documents(reader: Reader, name: str, data: bytes) -> Findings:
    return asyncio.run(reader.find(Source("", (Attachment(name, data),), max_documents=MAX_DOCUMENTS)))


def find_in_files(
    names: Iterable[str], reader: Reader, *, if_empty: str
) -> Iterator[tuple[str, tuple[FoundDocument, ...], int]]:
    """Find the documents in files, folders and ZIP archives. Print the errors.

    Yield the name, the documents and the exit code of each file. If one of ``names`` has neither documents nor errors, print
    ``if_empty``, such as "no game", and also yield this name, with :data:`NOTHING_FOUND`.
    """
    for name in names:
        is_empty = True
        for inner_name, data in _read_files(name):
            if isinstance(data, str):
                is_empty = False
                print_error(data)
                yield inner_name, (), FAILURE
                continue
            findings = find_documents(reader, inner_name, data)
            if inner_name != name and not findings.documents:
                # A folder or archive of games may also contain binary files.
                findings = replace(
                    findings,
                    unreadable_texts=tuple(
                        found for found in findings.unreadable_texts if found.error.code != "binary"
                    ),
                )
            print_problems(inner_name, findings)
            is_empty = is_empty and not findings.documents and not findings.unreadable_texts
            yield inner_name, findings.documents, FAILURE if findings.unreadable_texts else SUCCESS
        if is_empty:
            print_error(f"{name}: {if_empty}")
            yield name, (), NOTHING_FOUND


def _read_files(name: str) -> Iterator[tuple[str, bytes | str]]:
    """Yield the name and content of a file, or of each file in a folder or archive. A ``str`` is an error, not content.

    Hidden files and pictures in a folder are skipped.
    """
    if name != "-" and Path(name).is_dir():
        visible_paths = (
            path
            for path in Path(name).rglob("*")
            if not any(part.startswith(".") for part in path.relative_to(name).parts)
        )
        if len(paths := list(islice(visible_paths, MAX_PATHS + 1))) > MAX_PATHS:
            yield name, f"{name} contains more than {MAX_PATHS:,} files and folders"
            return
        for path in sorted(filter(Path.is_file, paths)):
            yield from (
                (inner_name, data)
                for inner_name, data in _read_files(str(path))
                if isinstance(data, str) or not is_picture(data)
            )
        return
    try:
        data = read_bytes(name)
        if data.startswith(ZIP_SIGNATURE):
            yield from ((f"{name}/{inner_name}", content) for inner_name, content in files_of(data))
        else:
            yield name, data
    except CommandError as error:
        yield name, str(error)
    except ArchiveError as error:
        yield name, f"{name}: {error.message}"


def problem_lines(name: str, problems: Iterable[DomainError | ReadWarning], kind: str = "") -> list[str]:
    return [f"{name}:{problem.line}:{problem.column}: {kind}{problem.message}" for problem in problems]


def print_problems(name: str, findings: Findings) -> None:
    """Print a line for each error in a file, and the lines of :func:`remarks_on`."""
    print_error(
        *problem_lines(name, (unreadable.error for unreadable in findings.unreadable_texts)),
        *remarks_on(name, findings),
    )


def remarks_on(name: str, findings: Findings) -> list[str]:
    """Return the remarks on documents read from pictures, and a line if documents were left out."""
    lines = []
    if confidences := [
        found.picture_confidence for found in findings.documents if found.picture_confidence is not None
    ]:
        # Most files contain no picture, and the import would slow down short commands by 3%.
        from bot.features.showing.remarks import confidence_remarks  # noqa: PLC0415

        translate = translator("en")
        lines = [
            f"{name}: {strip_markdown(line)}"
            for confidence in confidences
            for line in confidence_remarks(confidence, translate)
        ]
    if unread := findings.left_out_count_with_repeats:
        lines.append(
            f"{name}: {unread:,} more were not read; the limit is {MAX_DOCUMENTS:,} positions and games per file"
        )
    return lines


def lexica_of(arguments: argparse.Namespace) -> Lexica:
    with freezing_imported_objects():
        from bot.engine.lexicon.lexica import Lexica  # noqa: PLC0415 - needs optional packages

    analysis = load_settings(arguments.config).analysis
    return Lexica(analysis.lexica, max_loaded=analysis.lexica_loaded, aliases=analysis.aliases)


def lexicon_of(arguments: argparse.Namespace) -> tuple[Lexicon, Lexica]:
    """Return the lexicon named on the command line or in the settings, and all lexica.

    Raises:
        DomainError: the lexicon is not installed or cannot be read.

    """
    lexica = lexica_of(arguments)
    name = arguments.lexicon or load_settings(arguments.config).analysis.lexicon
    return lexica.load(lexica.find(name)), lexica


def substitution_text(name: str, missing: str, lexicon: str) -> str:
    """Return a warning that ``lexicon`` replaces ``missing``, which is not installed."""
    return f"{name}: {missing} is not installed, so {lexicon} is used; some words may differ"


def compile_parts(*parts: str) -> None:
    """Compile the named parts of the engine, or all parts if none is named. Print the progress to standard error.

    If compiled code cannot be saved, only print a warning.
    """
    from bot.engine.kernel_cache import compile_in_processes, shared_cache_folder  # noqa: PLC0415 - needs optional packages

    if shared_cache_folder() is None:
        print_error(
            "The compiled engine can't be saved because no cache folder is writable, so it is compiled each time. "
            "Set NUMBA_CACHE_DIR to a folder with 10 MB of space."
        )
        return
    progress_text = ""

    def show_progress(fraction: float) -> None:
        nonlocal progress_text
        text = f"Compiling the engine (only once): {fraction:.0%}"
        if sys.stderr.isatty() and text != progress_text:
            print(f"\r{text}", end="", file=sys.stderr, flush=True)
        elif not progress_text:
            print("Compiling the engine (only once) …", file=sys.stderr, flush=True)
        progress_text = text

    with freezing_imported_objects():
        compile_in_processes(*parts, progress=show_progress)
        importlib.import_module("bot.engine.warm_up")
    if progress_text and sys.stderr.isatty():
        print(f"\r{' ' * len(progress_text)}\r", end="", file=sys.stderr, flush=True)
