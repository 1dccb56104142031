"""PNG files of drawings, and the text that is embedded in a picture.

A picture holds palette indexes from its first pixel to its file. Each row is written as its difference from the row
above (PNG, third edition, §9.2, filter 2): the rows of tiles and squares are mostly alike, so that deflate has long
runs of zeros to pack and needs half the time.

The text is the content of the picture in a form for programs. It is in an iTXt chunk (§11.3.3.4) under
:data:`KEYWORD`: a digest of the pixels, a space, the text. Scaling, cropping or painting over the picture changes its
pixels, and the digest no longer matches. The digest is a checksum: it detects changes, but does not prove the origin.
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

    _LEVEL = 5
except ImportError:  # There is no wheel for this machine.
    from zlib import adler32, compress, crc32

    _LEVEL = 6

SIGNATURE = b"\x89PNG\r\n\x1a\n"
KEYWORD = b"Kibitz"
MAX_TEXT = 8_192
"""Maximum size of a carried text, in bytes."""
_WINDOW_BITS = 13
"""Deflate looks back 8 KiB, some ten rows: matches further away take more bits than they save."""
_UP = b"\2"
"""The filter of every row: the difference from the row above."""
_BLAKE_DIGITS = 32
"""Digits of a digest of the first releases, BLAKE2b; pictures with it are still read."""
_DIGITS = 16


class Canvas:
    """Pixels in palette indexes, in memory that the filter and the digest read without copying it."""

    __slots__ = ("_above", "_filtered", "_rows", "image", "indexes", "size")

    def __init__(self, width: int, height: int) -> None:
        # Pillow would copy pictures over foreign memory before changing them; what follows uses its core, which does not.
        self.size = width, height
        self.indexes = bytearray(width * (height + 1))
        """The pixels, after a row of zeros."""
        self._rows = bytearray((_UP + bytes(width)) * height)
        memory = memoryview(self.indexes)
        self.image, self._above, self._filtered = (
            Image.frombuffer("L", size, data, "raw", "L", 0, 1)  # type: ignore[arg-type]  # any buffer serves
            for size, data in (
                (self.size, memory[width:]),
                (self.size, memory[:-width]),
                ((width + 1, height), self._rows),
            )
        )

    def encode(self, colours: Sequence[RGB], carried: str = "") -> bytes:
        """Return the pixels as a PNG file with a palette, which carries a text.

        Raises:
            ValueError: the text is longer than :data:`MAX_TEXT`.

        """
        width, height = self.size
        text = b""
        if carried:
            data = carried.encode()
            if len(data) > MAX_TEXT:
                raise ValueError(f"a picture carries up to {MAX_TEXT} bytes of text, not {len(data)}")
            greys = memoryview(self.indexes.translate(_greys(tuple(colours))))[width:]
            digest = _digest(greys, self.size).encode()
            text = _chunk(b"iTXt", b"".join((KEYWORD, b"\0\0\0\0\0", digest, b" ", data)))
        difference = self.image.im.chop_subtract_modulo(self._above.im)
        self._filtered.im.paste(difference, (1, 0, width + 1, height))
        return b"".join(
            (
                SIGNATURE,
                _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
                _chunk(b"PLTE", bytes(chain.from_iterable(colours))),
                text,
                _chunk(b"IDAT", compress(self._rows, _LEVEL, _WINDOW_BITS)),
                _chunk(b"IEND", b""),
            )
        )


_spare = local()
"""Each thread's canvas: fresh memory of that size costs more than drawing on it does."""


def to_png(drawing: Drawing, pen: Pen, carried: str = "") -> RenderedImage:
    """Return a drawing on its page as a PNG file that carries a text."""
    size = drawing.width, drawing.height
    canvas: Canvas | None = getattr(_spare, "canvas", None)
    if canvas is None or canvas.size != size:
        canvas = _spare.canvas = Canvas(*size)
    canvas.image.im.paste(pen.palette.solid(Colour.PAGE), (0, 0, *size))
    drawing.paint(canvas.image, 0, 0)
    return RenderedImage(canvas.encode(pen.palette.colours, carried), *size)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return b"".join((struct.pack(">I", len(data)), kind, data, struct.pack(">I", crc32(data, crc32(kind)))))


@lru_cache(maxsize=64)
def _greys(colours: tuple[RGB, ...]) -> bytes:
    """Return the brightness of each colour of a palette, as Pillow computes it."""
    palette = Image.new("RGB", (len(colours), 1))
    palette.putdata(colours)
    return palette.convert("L").tobytes().ljust(256, b"\0")


def _digest(greys: bytes | memoryview, size: tuple[int, int]) -> str:
    """Return the digest of a picture in shades of grey: colours that people tell apart also differ in brightness."""
    return f"{crc32(greys, crc32(struct.pack('>II', *size))):08x}{adler32(greys):08x}"


@dataclass(frozen=True, slots=True)
class Carried:
    """A text and the digest of the picture it was written for."""

    text: str
    digest: str

    def is_of(self, picture: Image.Image) -> bool:
        """Return whether a picture still has the pixels it was written for."""
        grey = picture.convert("RGB").convert("L")
        pixels = grey.tobytes()
        if len(self.digest) == _DIGITS:
            return _digest(pixels, grey.size) == self.digest
        blake = hashlib.blake2b(pixels, digest_size=_BLAKE_DIGITS // 2, salt=struct.pack(">II", *grey.size))
        return blake.hexdigest() == self.digest


def read_carried(picture: Image.Image) -> Carried | None:
    """Return what a picture carries, opened from a PNG file and loaded; None if it carries nothing, or the text of another program."""
    carried = picture.info.get(KEYWORD.decode())
    if not isinstance(carried, str):
        return None
    digest, _, text = carried.partition(" ")
    if not text or len(digest) not in (_DIGITS, _BLAKE_DIGITS) or len(text.encode()) > MAX_TEXT:
        return None
    has_lines = any(unicodedata.category(character) == "Cc" for character in text)
    return None if has_lines else Carried(text, digest)
