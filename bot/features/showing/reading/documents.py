"""Finding and reading the documents in a source: in its text, its files, the files of a ZIP archive, an opening book."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from bot.chat.source import Attachment, Source, is_picture
from bot.domain.chess.documents import BookSource, ChessGame
from bot.domain.chess.notations import polyglot
from bot.domain.chess.notations.polyglot import PolyglotBook
from bot.domain.crossword.notations import turn_url
from bot.domain.notations import NOTATIONS, detect, is_clearly_notation, nearly, whole_text
from bot.domain.reading.encoding import decode
from bot.domain.reading.notation import Detection
from bot.domain.reading.problems import DomainError, Piece, location
from bot.features.showing.findings import Findings, Found, Link, Refused

MAX_FILES = 1_000
"""Maximum number of files in an archive."""
MAX_FILE_BYTES = 1_000_000
"""Maximum size of a file in an archive, in bytes."""
MAX_BYTES = 8_000_000
"""Maximum size of all files in an archive together, in bytes."""

_ZIP_SIGNATURE = b"PK\x03\x04"
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""The common compression methods; others may need much memory."""
_ENCRYPTED_FLAG = 1
_ZIP_ERRORS = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, LookupError, ArithmeticError, TypeError,
    RuntimeError,
)  # fmt: skip
"""The errors of the standard library for a damaged archive."""


SheetReader: TypeAlias = Callable[[str, bool], Any]
"""Reads the text of a file as a sheet of puzzles, with whether it is a spoiler; None if it is not a sheet."""


class ArchiveError(DomainError):
    """An archive that is not read."""


def is_archive(data: bytes) -> bool:
    """Return whether bytes are those of a ZIP archive."""
    return data.startswith(_ZIP_SIGNATURE)


def files_of(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file in an archive, in its order; archives in it are not looked into.

    Raises:
        ArchiveError: it is damaged, encrypted, packed in an unusual way, or holds too much.

    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield from _files(archive)
    except ArchiveError:
        raise
    except _ZIP_ERRORS:
        raise ArchiveError("archive-damaged", "the archive is damaged") from None


def _files(archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    files = [member for member in archive.infolist() if not member.filename.endswith("/")]
    if len(files) > MAX_FILES:
        raise ArchiveError("archive-files", "the archive contains more than {most} files", most=MAX_FILES)
    left = MAX_BYTES
    for member in files:
        content = _content(archive, member)
        left -= len(content)
        if left < 0:
            raise ArchiveError("archive-large", "the archive contains more than {most} bytes", most=MAX_BYTES)
        yield member.filename, content


def _content(archive: zipfile.ZipFile, file: zipfile.ZipInfo) -> bytes:
    if file.flag_bits & _ENCRYPTED_FLAG or file.compress_type not in _METHODS:
        raise ArchiveError(
            "archive-packed",
            "{file} in the archive is encrypted, or packed in an unusual way",
            file=file.filename[:80],
        )
    with archive.open(file) as opened:
        content = opened.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise ArchiveError(
            "archived-file-large",
            "{file} in the archive is larger than {most} bytes",
            file=file.filename[:80],
            most=MAX_FILE_BYTES,
        )
    return content


MAX_INLINE = 4_000
"""Maximum length of a text that is searched on the event loop and read on a thread. Longer texts and files are read in a separate process."""


def detect_text(text: str, *, on_request: bool, in_file: bool = False) -> tuple[Detection, ...]:
    """Detect notations, and broken texts clearly meant as one; where an answer is expected, any text meant as one.

    An early end of the search is reported for files, and where an answer is expected.
    """
    detections = detect(text, ends=on_request or in_file) or nearly(text)
    if on_request and not any(detection.text for detection in detections) and (whole := whole_text(text)):
        return (whole,)
    return detections


def read_source(source: Source) -> Findings:
    """Find and read the documents of a source's text and files."""
    findings = read_text(source.text, source)
    for attachment in source.attachments:
        findings += read_file(attachment, source)
    return findings


def read_text(text: str, source: Source) -> Findings:
    """Find and read the documents of a source's text."""
    return read_first(
        text, detect_text(text, on_request=source.on_request), source.limit, spoiler=source.spoiler
    )


def read_first(
    text: str, detections: tuple[Detection, ...], limit: int, *, spoiler: bool = False
) -> Findings:
    """Read the first documents that were detected; the others are only counted, each once."""
    found = tuple(detection for detection in detections if detection.text)
    read, rest = found[:limit], found[limit:]
    further = {detection.text for detection in rest} - {detection.text for detection in read}
    findings = read_detections(text, read, spoiler=spoiler)
    ends = tuple(
        _end_of_search(text, detection, spoiler=spoiler) for detection in detections if not detection.text
    )
    return replace(findings, refused=findings.refused + ends, unread=len(further), beyond=len(rest))


def _end_of_search(text: str, detection: Detection, *, spoiler: bool) -> Refused:
    """Return the error that a search ended early, with its place."""
    error = Piece("", detection.start, text).malformed(
        "search-ended",
        "the search stopped here because too much text before it only looked like a position or a game",
    )
    return Refused(detection.format, "", error, text, spoiler or detection.spoiler)


def read_document(format_name: str, text: str) -> Found:
    """Read a text that was recognized before; ``format_name`` is among the notations.

    Raises:
        DomainError: it cannot be read.

    """
    reading = NOTATIONS[format_name].read(text)
    return Found(format_name, text, reading.value, reading.warnings, error=reading.error)


def read_file(
    attachment: Attachment,
    source: Source,
    lexica: Path | None = None,
    read_sheet: SheetReader | None = None,
) -> Findings:
    """Find and read the documents of one of a source's files; of a ZIP archive, those of the files in it.

    ``lexica`` is the folder of a host's lexica, whose words are asked about what is doubtful on a picture; ``read_sheet``
    looks for what another feature makes of a whole file.
    """
    if is_picture(attachment.data):
        # Most files are texts, which need nothing that decodes pictures.
        from bot.features.showing.reading.pictures import read_picture  # noqa: PLC0415

        return read_picture(attachment, lexica)
    if not is_archive(attachment.data):
        return _read_text_file(attachment, source, read_sheet)
    findings = Findings()
    try:
        for name, data in files_of(attachment.data):
            left = source.limit - len(findings.found)
            inner = Attachment(name, data, attachment.spoiler)
            found = _read_text_file(inner, replace(source, limit=max(0, left)), read_sheet)
            # An archive may also hold pictures and programs.
            refused = tuple(refused for refused in found.refused if refused.error.code != "binary")
            findings += replace(found, refused=refused)
    except ArchiveError as error:
        findings += Findings(refused=(Refused("gcg", "", error, ""),))
    return findings


def _read_text_file(attachment: Attachment, source: Source, read_sheet: SheetReader | None) -> Findings:
    try:
        text, warnings = decode(attachment.data)
    except DomainError as error:
        # A program holds nothing; a text in an unknown encoding may be a GCG that names it.
        refused = () if error.code == "binary" else (Refused("gcg", "", error, ""),)
        return Findings(refused=refused)
    detections = _to_the_end(text, detect_text(text, on_request=source.on_request, in_file=True))
    findings = read_first(text, detections, source.limit, spoiler=attachment.spoiler)
    found = tuple(replace(item, warnings=warnings + item.warnings) for item in findings.found)
    sheet = read_sheet(text, attachment.spoiler) if read_sheet is not None else None
    return replace(findings, found=found, sheets=() if sheet is None else (sheet,))


def _to_the_end(text: str, detections: tuple[Detection, ...]) -> tuple[Detection, ...]:
    """Return what was detected in a file; games that fill it from its start on reach to the next one or to its end.

    In a message an empty line ends the last note; in a file the note continues. The reader reports anything else.
    """
    found = tuple(detection for detection in detections if detection.text)
    if not found or text[: found[0].start].strip(" \t\r\n\ufeff"):
        return detections
    ends = (*(detection.start for detection in found[1:]), len(text))
    whole = tuple(
        replace(detection, end=end, text=text[detection.start : end].rstrip())
        if detection.format == "gcg" and detection.text == text[detection.start : detection.end]
        else detection
        for detection, end in zip(found, ends, strict=True)
    )
    return whole + detections[len(found) :]


def read_detections(text: str, detections: tuple[Detection, ...], *, spoiler: bool = False) -> Findings:
    """Read what was detected; places of warnings and errors are those in the whole text."""
    found: list[Found] = []
    refused: list[Refused] = []
    links: list[Link] = []
    for detection in detections:
        hidden = spoiler or detection.spoiler
        link: list[Link] = []
        if detection.format == "turn-url":
            with suppress(DomainError):  # reported with the other unreadable texts
                link = [Link(turn_url.read(detection.text).value, detection.text, hidden)]
        links += link
        try:
            reading = NOTATIONS[detection.format].read(detection.text)
        except DomainError as error:
            moved = error.within(*location(text, detection.start))
            # A link of a later turn is whole, though it tells no board by itself.
            is_explicit = not link and is_clearly_notation(detection.text)
            refused.append(Refused(detection.format, detection.text, moved, text, hidden, is_explicit))
            continue
        start = location(text, detection.start) if reading.warnings or reading.error else (1, 1)
        warnings = tuple(warning.within(*start) for warning in reading.warnings)
        stop = reading.error.within(*start) if reading.error else None
        found.append(Found(detection.format, detection.text, reading.value, warnings, hidden, stop))
        if stop is not None:
            refused.append(Refused(detection.format, detection.text, stop, text, hidden))
    return Findings(tuple(found), tuple(refused), tuple(links))


def _is_text(attachment: Attachment) -> bool:
    with suppress(DomainError):
        decode(attachment.data)
        return True
    return False


def read_book(source: Source) -> PolyglotBook | Found | Findings:
    """Return the first Polyglot book among a source's files, else its first book source, else what it holds instead."""
    for attachment in source.attachments:
        if attachment.name.lower().endswith(".bin") or not _is_text(attachment):
            with suppress(DomainError):
                return polyglot.read(attachment.data)
    findings = read_source(source)
    books = [item for item in findings.found if isinstance(item.document, BookSource)]
    if books:
        return books[0]
    # A single line looks like a game, but here a book is meant.
    texts = [source.text, *(item.text for item in findings.found if isinstance(item.document, ChessGame))]
    for text in filter(str.strip, texts):
        with suppress(DomainError):
            return read_document("book", text)
    return findings
