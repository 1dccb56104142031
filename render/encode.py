"""Writing pictures: indexed PNG, straight from rows that already carry their filter bytes.

The stock encoders convert, quantize or try filters; flat pictures in palette indexes need none of that
(PNG, second edition, §9.6: filter 0 is best for indexed colour).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from enum import Enum
from importlib import import_module
from typing import Protocol, cast

from render.theme import RGB

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


class Compression(Enum):
    """What a picture's bytes are optimized for."""

    SMALL = "small"
    """Few bytes at a moderate cost: for pictures that are sent over a network."""
    STANDARD = "standard"
    """Like SMALL, with the standard library's deflate alone: the same bytes whatever is installed."""
    FAST = "fast"
    """Little time: about a third more bytes."""


class _Compress(Protocol):
    def __call__(self, data: bytes, /, level: int) -> bytes: ...


def _best(*modules: tuple[str, int]) -> tuple[_Compress, int] | None:
    """Return the compress function and level of the first module that is installed."""
    for module, level in modules:
        try:
            return cast("_Compress", import_module(module).compress), level
        except ImportError:
            continue
    return None


_STANDARD: tuple[_Compress, int] = (zlib.compress, 6)
_COMPRESS: dict[Compression, tuple[_Compress, int]] = {
    Compression.SMALL: _best(("zlib_ng.zlib_ng", 6)) or _STANDARD,
    Compression.STANDARD: _STANDARD,
    Compression.FAST: _best(("isal.isal_zlib", 2), ("zlib_ng.zlib_ng", 1)) or (zlib.compress, 1),
}


def _chunk(kind: bytes, data: bytes) -> bytes:
    return b"".join(
        (struct.pack(">I", len(data)), kind, data, struct.pack(">I", zlib.crc32(data, zlib.crc32(kind))))
    )


def encode_png(
    rows: bytes,
    width: int,
    height: int,
    colours: Sequence[RGB],
    compression: Compression = Compression.SMALL,
    *,
    text: bytes = b"",
) -> bytes:
    """Return a PNG file of an indexed picture.

    ``rows`` holds ``height`` rows of 1 + ``width`` bytes: the filter byte 0, then one index a pixel. ``text`` is the
    content of an iTXt chunk; see :mod:`render.carried`.
    Raises :exc:`ValueError` when the number of bytes or of colours cannot be right.
    """
    if len(rows) != (width + 1) * height or not rows:
        raise ValueError(f"{len(rows)} bytes are not {height} rows of 1 + {width}")
    if not 0 < len(colours) <= 256:
        raise ValueError(f"a palette holds 1 to 256 colours, not {len(colours)}")
    compress, level = _COMPRESS[compression]
    return b"".join(
        (
            _SIGNATURE,
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            _chunk(b"PLTE", bytes(part for colour in colours for part in colour)),
            _chunk(b"iTXt", text) if text else b"",
            _chunk(b"IDAT", compress(rows, level)),
            _chunk(b"IEND", b""),
        )
    )
