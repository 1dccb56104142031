"""Decodes the bytes of a file, and joins combining accents to their letters.

The GCG specification prescribes ISO 8859-1, but most programs write UTF-8. Without a byte order
mark or a ``#character-encoding`` line, the encoding is guessed from the bytes.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import repeat

from bot.domain.reading.problems import DomainError, ParseError, Reading, ReadWarning, Value, location

MAX_BYTES = 1_000_000

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# The encodings that a header may name, in lowercase without punctuation, and Python's codecs for them.
_CODECS = {
    "utf8": "utf-8",
    "ascii": "utf-8",
    "usascii": "utf-8",
    "latin1": "cp1252",
    "iso88591": "cp1252",
    "latin2": "iso8859-2",
    "latin9": "iso8859-15",
    "koi8r": "koi8-r",
    "koi8u": "koi8-u",
    "macroman": "mac-roman",
    **{f"iso8859{part}": f"iso8859-{part}" for part in (*range(2, 12), *range(13, 17))},
    **{f"{prefix}125{page}": f"cp125{page}" for prefix in ("cp", "windows") for page in range(9)},
}

_USUAL_ENCODINGS = frozenset({"utf8", "latin1", "iso88591"})

_HEADER = re.compile(rb"(?:\A|[\r\n])[ \t]*#character-encoding[ \t]+([^\r\n]*)", re.IGNORECASE)
_LINE_END = re.compile(rb"\r\n|\r|\n")
_PUNCTUATION = re.compile("[^a-z0-9]")
_CONTROL_CHARACTER = re.compile(rb"[\x01-\x08\x0e-\x19\x1b-\x1f]")


def decode(data: bytes) -> tuple[str, tuple[ReadWarning, ...]]:
    """Decode a file. Return its text and warnings.

    Raises:
        ParseError: the file is too large, is not text, or names an unknown encoding.

    """
    if len(data) > MAX_BYTES:
        raise ParseError(
            "too-long",
            "the file has {size} bytes; at most {limit} are allowed",
            size=len(data),
            limit=MAX_BYTES,
        )
    for mark, codec in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _decode(data[len(mark) :], codec, "utf-8", 1)
    if b"\0" in data or len(_CONTROL_CHARACTER.findall(data[:10_000])) * 20 > len(data[:10_000]):
        raise ParseError("binary", "the file is not text")
    header = _HEADER.search(data, 0, 100_000)
    if header is None:
        return _decode_by_guess(data), ()
    name = header[1].decode("ascii", "replace").strip()
    line = len(_LINE_END.split(data[: header.start(1)]))
    key = _PUNCTUATION.sub("", name.lower())
    if key not in _CODECS:
        raise ParseError(
            "unsupported-encoding",
            "the character encoding {name!r} is unknown; save the file as UTF-8",
            (line, 1),
            name=name[:40],
        )
    text, warnings = _decode(data, _CODECS[key], name[:40], line)
    if key not in _USUAL_ENCODINGS:
        unusual_encoding = ReadWarning(
            "unusual-encoding",
            "many programs can't read the encoding {name}; use UTF-8",
            line,
            1,
            (("name", name[:40]),),
        )
        warnings = (unusual_encoding, *warnings)
    return text, warnings


def _decode(data: bytes, codec: str, name: str, line: int) -> tuple[str, tuple[ReadWarning, ...]]:
    try:
        return data.decode(codec), ()
    except UnicodeDecodeError as error:
        if codec.startswith("utf-16"):
            raise ParseError("binary", "the file is not text") from error
    warning = ReadWarning(
        "wrong-encoding",
        "the file says that its encoding is {name}, but that is wrong; the encoding was guessed from the letters",
        line,
        1,
        (("name", name),),
    )
    return _decode_by_guess(data), (warning,)


def _decode_by_guess(data: bytes) -> str:
    for codec in ("utf-8", "cp1252"):  # Windows-1252 has more letters than Latin-1
        with suppress(UnicodeDecodeError):
            return data.decode(codec)
    return data.decode("latin-1")


_ACCENTED_LETTER = re.compile("[^\u0300-\u036f][\u0300-\u036f]+")


def read_with_joined_accents(text: str, read: Callable[[str], Reading[Value]]) -> Reading[Value]:
    """Join combining accents to their letters, and read the text. Locations refer to the given text."""
    if text.isascii() or not _ACCENTED_LETTER.search(text):
        return read(text)
    pieces: list[str] = []
    origins: list[int] = []
    """The offset in the given text for each offset in the joined text."""
    end = 0
    for match in _ACCENTED_LETTER.finditer(text):
        joined_letter = unicodedata.normalize("NFC", match[0])
        pieces += (text[end : match.start()], joined_letter)
        origins += (*range(end, match.start()), *repeat(match.start(), len(joined_letter)))
        end = match.end()
    joined_text = "".join((*pieces, text[end:]))
    origins += range(end, len(text) + 1)

    def location_in_input(problem: DomainError | ReadWarning) -> tuple[int, int]:
        start = 0
        for _ in range(problem.line - 1):
            start = joined_text.find("\n", start) + 1
        return location(text, origins[min(start + problem.column - 1, len(joined_text))])

    try:
        reading = read(joined_text)
    except DomainError as error:
        raise error.at(*location_in_input(error)) from None
    first_shifted_offset = next(offset for offset, origin in enumerate((*origins, -1)) if offset != origin)
    warnings = (
        ReadWarning(
            "combining-accents",
            "accents are separate characters; they were combined with their letters",
            *location(text, origins[first_shifted_offset - 1]),
        ),
        *(warning.at(*location_in_input(warning)) for warning in reading.warnings),
    )
    return replace(
        reading,
        warnings=warnings,
        error=reading.error and reading.error.at(*location_in_input(reading.error)),
    )
