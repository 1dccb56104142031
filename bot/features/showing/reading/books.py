"""Finding the opening book in what somebody sent as one."""

from __future__ import annotations

from bot.domain.chess.documents import BookSource
from bot.domain.chess.game import ChessGame
from bot.domain.chess.notations import book as book_reader
from bot.domain.chess.notations import polyglot
from bot.domain.chess.notations.polyglot import PolyglotBook
from bot.domain.reading.encoding import decode
from bot.domain.reading.problems import DomainError
from bot.features.showing.findings import Findings, Found
from bot.features.showing.reading.documents import read_source
from bot.features.showing.reading.sources import Attachment, Source


def read_book(source: Source) -> PolyglotBook | Found | Findings:
    """Return the first Polyglot book among a source's files, else its first book source, else what it holds instead."""
    return _polyglot(source) or _book_source(source)


def _polyglot(source: Source) -> PolyglotBook | None:
    """Return the first Polyglot book among a source's files."""
    for attachment in source.attachments:
        if _is_text(attachment) and not attachment.name.lower().endswith(".bin"):
            continue
        try:
            return polyglot.read(attachment.data)
        except DomainError:
            continue
    return None


def _is_text(attachment: Attachment) -> bool:
    try:
        decode(attachment.data)
    except DomainError:
        return False
    return True


def _book_source(source: Source) -> Found | Findings:
    """Return the first book source among a source's texts and files; what was found instead when there is none."""
    findings = read_source(source)
    books = [item for item in findings.found if isinstance(item.document, BookSource)]
    if books:
        return books[0]
    # One line alone looks like a game; to who looks for a book it is one.
    texts = [source.text, *(item.text for item in findings.found if isinstance(item.document, ChessGame))]
    for text in texts:
        if not text.strip():
            continue
        try:
            reading = book_reader.read(text)
        except DomainError:
            continue
        return Found("book", text, reading.value, reading.warnings, error=reading.error)
    return findings
