"""ZIP archives: the files in them, read under bounds, for an archive of a few bytes may hold gigabytes."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator

from bot.domain.reading.problems import DomainError

MAX_FILES = 1_000
"""Files in an archive."""
MAX_FILE_BYTES = 1_000_000
"""Bytes of a file in an archive."""
MAX_BYTES = 8_000_000
"""Bytes of all of them together."""

_SIGN = b"PK\x03\x04"
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""How files are packed by what people use; others may take much memory."""
_ENCRYPTED = 1
_BROKEN = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, LookupError, ArithmeticError, TypeError,
    RuntimeError,
)  # fmt: skip
"""What the standard library raises at an archive that is damaged."""


class ArchiveError(DomainError):
    """An archive that is not read."""


def is_archive(data: bytes) -> bool:
    """Return whether bytes are those of a ZIP archive."""
    return data.startswith(_SIGN)


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
    except _BROKEN:
        raise ArchiveError("archive-damaged", "the archive is damaged") from None


def _files(archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    files = [one for one in archive.infolist() if not one.filename.endswith("/")]
    if len(files) > MAX_FILES:
        raise ArchiveError("archive-files", "the archive holds more than {most} files", most=MAX_FILES)
    left = MAX_BYTES
    for one in files:
        content = _content(archive, one)
        left -= len(content)
        if left < 0:
            raise ArchiveError("archive-large", "the archive holds more than {most} bytes", most=MAX_BYTES)
        yield one.filename, content


def _content(archive: zipfile.ZipFile, file: zipfile.ZipInfo) -> bytes:
    if file.flag_bits & _ENCRYPTED or file.compress_type not in _METHODS:
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
