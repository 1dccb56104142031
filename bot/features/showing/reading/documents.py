"""Finds and reads documents in text, files and ZIP archives. Also reads opening books."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from bot.chat.source import Attachment, Source, is_picture
from bot.domain.chess.documents import BookSource, ChessGame
from bot.domain.chess.notations import polyglot
from bot.domain.chess.notations.polyglot import PolyglotBook
from bot.domain.crossword.notations import turn_url
from bot.domain.notations import NOTATIONS, detect, detect_leniently, detect_whole
from bot.domain.reading.encoding import decode
from bot.domain.reading.notation import Detection
from bot.domain.reading.problems import DomainError, TextPiece, location
from bot.features.showing.findings import Findings, FoundDocument, TurnLink, UnreadableText
from bot.features.showing.reading.archives import ZIP_SIGNATURE, ArchiveError, files_of

SheetReader: TypeAlias = Callable[[str, bool], Any]
"""Takes the text of a file, and whether it is a spoiler. Returns a sheet of puzzles, or None."""

MAX_INLINE_SIZE = 4_000
"""Maximum size (in characters, or in bytes for a file) to search and read in this process. Larger text goes to a worker process."""


def detect_text(text: str, *, on_request: bool, is_file: bool = False) -> tuple[Detection, ...]:
    """Detect notations in text. If there are none, detect broken text that is clearly meant to be in a notation.

    In a request (``on_request``) in which nothing is detected, the whole text counts as a detection if it resembles a notation. In
    requests and files, a detection with an empty text marks each place where the search took too long and was abandoned.
    """
    detections = detect(text, include_abandoned=on_request or is_file) or detect_leniently(text)
    if (
        on_request
        and not any(detection.text for detection in detections)
        and (whole_text := detect_whole(text))
    ):
        return (whole_text,)
    return detections


def read_source(source: Source) -> Findings:
    findings = read_text(source.text, source)
    for attachment in source.attachments:
        findings += read_file(attachment, source)
    return findings


def read_text(text: str, source: Source) -> Findings:
    return read_first(
        text, detect_text(text, on_request=source.on_request), source.max_documents, spoiler=source.spoiler
    )


def read_first(
    text: str, detections: tuple[Detection, ...], limit: int, *, spoiler: bool = False
) -> Findings:
    nonempty = tuple(detection for detection in detections if detection.text)
    to_read, others = nonempty[:limit], nonempty[limit:]
    left_out_texts = {detection.text for detection in others} - {detection.text for detection in to_read}
    findings = read_detections(text, to_read, spoiler=spoiler)
    abandoned = tuple(
        _abandoned_search(text, detection, spoiler=spoiler) for detection in detections if not detection.text
    )
    return replace(
        findings,
        unreadable_texts=findings.unreadable_texts + abandoned,
        left_out_count=len(left_out_texts),
        left_out_count_with_repeats=len(others),
    )


def _abandoned_search(text: str, detection: Detection, *, spoiler: bool) -> UnreadableText:
    error = TextPiece("", detection.start, text).parse_error(
        "search-ended",
        "the search stopped here, after too much text that looks like a position or a game but is not one",
    )
    return UnreadableText(detection.format, "", error, text, spoiler or detection.spoiler)


def read_document(format_name: str, text: str) -> FoundDocument:
    """Read text in a notation. ``format_name`` is a key of ``NOTATIONS``.

    Raises:
        DomainError: the text cannot be read.

    """
    reading = NOTATIONS[format_name].read(text)
    return FoundDocument(format_name, text, reading.value, reading.warnings, error=reading.error)


def read_file(
    attachment: Attachment,
    source: Source,
    lexica_folder: Path | None = None,
    read_sheet: SheetReader | None = None,
) -> Findings:
    """Find and read the documents in a file or a ZIP archive.

    The host's lexica in ``lexica_folder`` help read doubtful letters in pictures. ``read_sheet`` tries to read each text
    file as a sheet of puzzles.
    """
    if is_picture(attachment.data):
        # Import the decoders only for pictures, because importing them takes time and most files are text.
        from bot.features.showing.reading.pictures import read_picture  # noqa: PLC0415

        return read_picture(attachment, lexica_folder)
    if not attachment.data.startswith(ZIP_SIGNATURE):
        return _read_text_file(attachment, source, read_sheet)
    findings = Findings()
    try:
        for name, data in files_of(attachment.data):
            remaining = max(0, source.max_documents - len(findings.documents))
            archived_file = Attachment(name, data, attachment.spoiler)
            findings += _read_text_file(archived_file, replace(source, max_documents=remaining), read_sheet)
    except ArchiveError as error:
        findings += Findings(unreadable_texts=(UnreadableText("gcg", "", error, "", attachment.spoiler),))
    return findings


def _read_text_file(attachment: Attachment, source: Source, read_sheet: SheetReader | None) -> Findings:
    try:
        text, warnings = decode(attachment.data)
    except DomainError as error:
        # Ignore binary files. Report any other unreadable file as a GCG, because a GCG can name its encoding.
        return Findings(
            unreadable_texts=()
            if error.code == "binary"
            else (UnreadableText("gcg", "", error, "", attachment.spoiler),)
        )
    detections = _extend_to_end(text, detect_text(text, on_request=source.on_request, is_file=True))
    findings = read_first(text, detections, source.max_documents, spoiler=attachment.spoiler)
    documents = tuple(replace(found, warnings=warnings + found.warnings) for found in findings.documents)
    sheet = read_sheet(text, attachment.spoiler) if read_sheet is not None else None
    return replace(findings, documents=documents, sheets=() if sheet is None else (sheet,))


def _extend_to_end(text: str, detections: tuple[Detection, ...]) -> tuple[Detection, ...]:
    """Extend each GCG to the next detection or to the end of the file, unless the file starts with other text.

    In a message, an empty line ends the last note of a GCG. In a file, the note continues.
    """
    nonempty = tuple(detection for detection in detections if detection.text)
    if not nonempty or text[: nonempty[0].start].strip(" \t\r\n\ufeff"):
        return detections
    ends = (*(detection.start for detection in nonempty[1:]), len(text))
    extended_detections = tuple(
        replace(detection, end=end, text=text[detection.start : end].rstrip())
        if detection.format == "gcg" and detection.text == text[detection.start : detection.end]
        else detection
        for detection, end in zip(nonempty, ends, strict=True)
    )
    return extended_detections + detections[len(nonempty) :]


def read_detections(text: str, detections: tuple[Detection, ...], *, spoiler: bool = False) -> Findings:
    """Read detected documents. Line and column numbers in warnings and errors refer to the whole text."""
    documents: list[FoundDocument] = []
    unreadable_texts: list[UnreadableText] = []
    links: list[TurnLink] = []
    for detection in detections:
        is_spoiler = spoiler or detection.spoiler
        link: TurnLink | None = None
        if detection.format == "turn-url":
            with suppress(DomainError):  # the error is reported below
                link = TurnLink(turn_url.read(detection.text).value, detection.text, is_spoiler)
                links.append(link)
        try:
            reading = NOTATIONS[detection.format].read(detection.text)
        except DomainError as error:
            placed_error = error.within(*location(text, detection.start))
            is_explicit = link is None and bool(detect_leniently(detection.text))
            unreadable_texts.append(
                UnreadableText(detection.format, detection.text, placed_error, text, is_spoiler, is_explicit)
            )
            continue
        start = location(text, detection.start) if reading.warnings or reading.error else (1, 1)
        warnings = tuple(warning.within(*start) for warning in reading.warnings)
        stop_error = reading.error.within(*start) if reading.error else None
        documents.append(
            FoundDocument(detection.format, detection.text, reading.value, warnings, is_spoiler, stop_error)
        )
        if stop_error is not None:
            unreadable_texts.append(
                UnreadableText(detection.format, detection.text, stop_error, text, is_spoiler)
            )
    return Findings(tuple(documents), tuple(unreadable_texts), tuple(links))


def _is_text(attachment: Attachment) -> bool:
    with suppress(DomainError):
        decode(attachment.data)
        return True
    return False


def read_book(source: Source) -> PolyglotBook | FoundDocument | Findings:
    """Return the first Polyglot book in a source, otherwise the first book in text form, otherwise the findings."""
    for attachment in source.attachments:
        if attachment.name.lower().endswith(".bin") or not _is_text(attachment):
            with suppress(DomainError):
                return polyglot.read(attachment.data)
    findings = read_source(source)
    books = [found for found in findings.documents if isinstance(found.document, BookSource)]
    if books:
        return books[0]
    # A book with only one line of moves has been detected as a game.
    texts = [
        source.text,
        *(found.text for found in findings.documents if isinstance(found.document, ChessGame)),
    ]
    for text in filter(str.strip, texts):
        with suppress(DomainError):
            return read_document("book", text)
    return findings
