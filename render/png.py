"""Writes drawings as PNG files, and reads the text embedded in a picture.

Each row of palette indexes is written as its difference from the row above (PNG, third edition, §9.2, filter 2), which halves the
time that deflate takes.

The embedded text describes the picture in a notation that programs can read. An iTXt chunk (§11.3.3.4) with the keyword
:data:`KEYWORD` contains a digest of the pixels, a space, and the text. The digest detects changes to the picture, but does not
prove who made it.
"""

from __future__ import annotations

import hashlib
import struct
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from threading import local

from PIL import Image

from render.drawing import Drawing, Pen
from render.scene import RenderedImage
from render.theme import RGB, Colour

try:
    from zlib_ng.zlib_ng import adler32, compress, crc32

    _COMPRESSION_LEVEL = 5
except ImportError:  # zlib-ng has no wheel for this machine.
    from zlib import adler32, compress, crc32

    _COMPRESSION_LEVEL = 6

SIGNATURE = b"\x89PNG\r\n\x1a\n"
KEYWORD = b"Kibitz"
MAX_TEXT_BYTES = 8_192
_WINDOW_BITS = 13
"""Deflate searches the last 8 KiB, about ten rows. References to earlier rows would take more bits than they save."""
_UP_FILTER = b"\2"
"""PNG's filter "Up": each byte of a row is stored as its difference from the byte above."""
_BLAKE_DIGITS = 32
"""Hexadecimal digits in the BLAKE2b digests of early releases, whose pictures are still accepted."""
_DIGEST_DIGITS = 16
"""Hexadecimal digits in a current digest."""


class Canvas:
    """Pixels as palette indexes, in memory that the filter and the digest read without copying."""

    __slots__ = ("_filtered", "_rows", "_rows_above", "image", "indexes", "size")

    def __init__(self, width: int, height: int) -> None:
        # Pillow does not own this memory, so the methods of ``Image`` would copy it. The methods of ``Image.im`` change it in place.
        self.size = width, height
        self.indexes = bytearray(width * (height + 1))
        """The pixels, after a row of zeros."""
        self._rows = bytearray((_UP_FILTER + bytes(width)) * height)
        memory = memoryview(self.indexes)
        self.image, self._rows_above, self._filtered = (
            Image.frombuffer("L", size, data, "raw", "L", 0, 1)  # type: ignore[arg-type]  # any buffer will do
            for size, data in (
                (self.size, memory[width:]),
                (self.size, memory[:-width]),
                ((width + 1, height), self._rows),
            )
        )

    def encode(self, colours: Sequence[RGB], embedded_text: str = "") -> bytes:
        """Return the pixels as a PNG file with a palette and an embedded text.

        Raises:
            ValueError: the text is longer than :data:`MAX_TEXT_BYTES`.

        """
        width, height = self.size
        text_chunk = b""
        if embedded_text:
            data = embedded_text.encode()
            if len(data) > MAX_TEXT_BYTES:
                raise ValueError(
                    f"a picture can contain up to {MAX_TEXT_BYTES} bytes of text, not {len(data)}"
                )
            greys = memoryview(self.indexes.translate(_palette_brightness(tuple(colours))))[width:]
            digest = _digest(greys, self.size).encode()
            text_chunk = _chunk(b"iTXt", b"".join((KEYWORD, b"\0\0\0\0\0", digest, b" ", data)))
        difference = self.image.im.chop_subtract_modulo(self._rows_above.im)
        self._filtered.im.paste(difference, (1, 0, width + 1, height))
        return b"".join(
            (
                SIGNATURE,
                _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
                _chunk(b"PLTE", bytes(chain.from_iterable(colours))),
                text_chunk,
                _chunk(b"IDAT", compress(self._rows, _COMPRESSION_LEVEL, _WINDOW_BITS)),
                _chunk(b"IEND", b""),
            )
        )


_thread_local = local()
"""Each thread's canvas, reused because allocating its memory takes longer than drawing."""


def to_png(drawing: Drawing, pen: Pen, embedded_text: str = "") -> RenderedImage:
    size = drawing.width, drawing.height
    canvas: Canvas | None = getattr(_thread_local, "canvas", None)
    if canvas is None or canvas.size != size:
        canvas = _thread_local.canvas = Canvas(*size)
    canvas.image.im.paste(pen.palette.index_of(Colour.PAGE), (0, 0, *size))
    drawing.paint(canvas.image, 0, 0)
    return RenderedImage(canvas.encode(pen.palette.colours, embedded_text), *size)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return b"".join((struct.pack(">I", len(data)), kind, data, struct.pack(">I", crc32(data, crc32(kind)))))


@lru_cache(maxsize=64)
def _palette_brightness(colours: tuple[RGB, ...]) -> bytes:
    palette = Image.new("RGB", (len(colours), 1))
    palette.putdata(colours)
    return palette.convert("L").tobytes().ljust(256, b"\0")


def _digest(greys: bytes | memoryview, size: tuple[int, int]) -> str:
    # Brightness suffices, because colours that people can distinguish also differ in brightness.
    return f"{crc32(greys, crc32(struct.pack('>II', *size))):08x}{adler32(greys):08x}"


@dataclass(frozen=True, slots=True)
class EmbeddedText:
    """The text embedded in a picture, and the digest of the pixels that the text describes."""

    text: str
    digest: str

    def matches(self, picture: Image.Image) -> bool:
        grey = picture.convert("RGB").convert("L")
        pixels = grey.tobytes()
        if len(self.digest) == _DIGEST_DIGITS:
            return _digest(pixels, grey.size) == self.digest
        blake = hashlib.blake2b(pixels, digest_size=_BLAKE_DIGITS // 2, salt=struct.pack(">II", *grey.size))
        return blake.hexdigest() == self.digest


def read_embedded_text(picture: Image.Image) -> EmbeddedText | None:
    """Return the text that Kibitz embedded in a PNG picture, or None. The picture must be fully loaded."""
    content = picture.info.get(KEYWORD.decode())
    if not isinstance(content, str):
        return None
    digest, _, text = content.partition(" ")
    if not text or len(digest) not in (_DIGEST_DIGITS, _BLAKE_DIGITS) or len(text.encode()) > MAX_TEXT_BYTES:
        return None
    has_control_characters = any(unicodedata.category(character) == "Cc" for character in text)
    return None if has_control_characters else EmbeddedText(text, digest)
