"""Reads ZIP archives, with limits on their size."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator

from bot.domain.reading.problems import DomainError

MAX_FILES = 1_000
MAX_FILE_BYTES = 1_000_000
MAX_TOTAL_BYTES = 8_000_000
"""Maximum total size of the files in an archive, in bytes."""

ZIP_SIGNATURE = b"PK\x03\x04"

_COMPRESSION_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""Other methods are rare, and may need a lot of memory."""
_ENCRYPTED_FLAG = 1
_ZIP_ERRORS = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, LookupError, ArithmeticError, TypeError,
    RuntimeError,
)  # fmt: skip


class ArchiveError(DomainError):
    """An archive cannot be read."""


def files_of(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file, in archive order. Nested archives are not opened.

    Raises:
        ArchiveError: the archive is damaged, encrypted or compressed with an unsupported method, or exceeds a limit.

    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield from _read_files(archive)
    except ArchiveError:
        raise
    except _ZIP_ERRORS:
        raise ArchiveError("archive-damaged", "the archive is damaged") from None


def _read_files(archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    files = [member for member in archive.infolist() if not member.filename.endswith("/")]
    if len(files) > MAX_FILES:
        raise ArchiveError("archive-files", "the archive contains more than {limit} files", limit=MAX_FILES)
    remaining_bytes = MAX_TOTAL_BYTES
    for member in files:
        content = _read_content(archive, member)
        remaining_bytes -= len(content)
        if remaining_bytes < 0:
            raise ArchiveError(
                "archive-large", "the archive contains more than {limit} bytes", limit=MAX_TOTAL_BYTES
            )
        yield member.filename, content


def _read_content(archive: zipfile.ZipFile, file: zipfile.ZipInfo) -> bytes:
    if file.flag_bits & _ENCRYPTED_FLAG or file.compress_type not in _COMPRESSION_METHODS:
        raise ArchiveError(
            "archive-packed",
            "{file} in the archive is encrypted, or compressed with an unsupported method",
            file=file.filename[:80],
        )
    with archive.open(file) as stream:
        content = stream.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise ArchiveError(
            "archived-file-large",
            "{file} in the archive is larger than {limit} bytes",
            file=file.filename[:80],
            limit=MAX_FILE_BYTES,
        )
    return content
