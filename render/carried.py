"""The text a picture carries: what it shows, for programs, with a digest of its pixels.

It stands in an iTXt chunk of the PNG (PNG, third edition, §11.3.3.4) under :data:`KEYWORD`: the digest, a space, the
text. Whoever scales, crops or paints over the picture changes its pixels, and the digest tells.
"""

from __future__ import annotations

import hashlib
import struct
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PIL import Image

from render.theme import RGB

KEYWORD = b"Kibitz"
MAX_TEXT = 8_192
"""Bytes of a text."""
SIGNATURE = b"\x89PNG\r\n\x1a\n"

_MAX_CHUNKS = 4_096
"""Chunks that are looked at; a large picture has some hundreds."""
_DIGEST = 16
"""Bytes of a digest."""
_TEXTS = (b"iTXt", b"zTXt", b"tEXt")
"""Who writes a picture anew may turn one kind of text into another."""


@dataclass(frozen=True, slots=True)
class Carried:
    """A text and the digest of the picture it was written for."""

    text: str
    digest: str

    def is_of(self, picture: Image.Image) -> bool:
        """Tell whether a picture still has the pixels it was written for."""
        grey = picture.convert("RGB").convert("L")
        return _digest(grey.tobytes(), *grey.size) == self.digest


def write(text: str, indexes: bytes, width: int, height: int, colours: Sequence[RGB]) -> bytes:
    """Return the content of an iTXt chunk for a picture in palette indexes.

    Raises:
        ValueError: the text is longer than :data:`MAX_TEXT`.

    """
    data = text.encode()
    if len(data) > MAX_TEXT:
        raise ValueError(f"a picture carries up to {MAX_TEXT} bytes of text, not {len(data)}")
    digest = _digest(indexes.translate(_greys(colours)), width, height)
    return b"".join((KEYWORD, b"\0\0\0\0\0", digest.encode(), b" ", data))


def read(data: bytes) -> Carried | None:
    """Return what a PNG file carries; None where it carries nothing, or is broken before it would."""
    for kind, content in _chunks(data):
        if kind in _TEXTS and content.startswith(KEYWORD + b"\0"):
            return _carried(kind, content[len(KEYWORD) + 1 :])
    return None


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield kind and content of the texts of a PNG file, up to the first chunk that is broken."""
    if not data.startswith(SIGNATURE):
        return
    place = len(SIGNATURE)
    for _ in range(_MAX_CHUNKS):
        if place + 12 > len(data):
            return
        (length,) = struct.unpack_from(">I", data, place)
        kind, end = data[place + 4 : place + 8], place + 8 + length
        if kind == b"IEND" or end + 4 > len(data):
            return
        if kind in _TEXTS and length <= 2 * MAX_TEXT:
            content = data[place + 8 : end]
            if zlib.crc32(content, zlib.crc32(kind)) != struct.unpack_from(">I", data, end)[0]:
                return
            yield kind, content
        place = end + 4


def _carried(kind: bytes, content: bytes) -> Carried | None:
    """Read what follows the keyword."""
    compressed = kind == b"zTXt"
    if kind == b"iTXt":
        flags, (_, separator, rest) = content[:2], content[2:].partition(b"\0")
        _, other, rest = rest.partition(b"\0")
        if flags not in (b"\0\0", b"\1\0") or not separator or not other:
            return None
        content, compressed = rest, flags[0] == 1
    elif compressed:
        if content[:1] != b"\0":
            return None
        content = content[1:]
    if compressed:
        unpacking = zlib.decompressobj()
        try:
            content = unpacking.decompress(content, MAX_TEXT + 64)
        except zlib.error:
            return None
    try:
        digest, _, text = content.decode().partition(" ")
    except UnicodeDecodeError:
        return None
    # What is written here has one line.
    is_ours = len(digest) == 2 * _DIGEST and text and not any(map(_is_control, text))
    return Carried(text, digest) if is_ours and len(content) <= MAX_TEXT + 2 * _DIGEST + 1 else None


def _is_control(sign: str) -> bool:
    return unicodedata.category(sign) == "Cc"


def _digest(greys: bytes, width: int, height: int) -> str:
    """Return the digest of a picture in shades of grey: colours that people tell apart differ in brightness, too."""
    return hashlib.blake2b(greys, digest_size=_DIGEST, salt=struct.pack(">II", width, height)).hexdigest()


def _greys(colours: Sequence[RGB]) -> bytes:
    """Return the brightness of each colour of a palette, as Pillow computes it."""
    palette = Image.new("RGB", (len(colours), 1))
    palette.putdata(list(colours))
    return palette.convert("L").tobytes().ljust(256, b"\0")
