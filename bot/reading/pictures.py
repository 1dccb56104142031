"""Reading pictures: what they carry of a position, see :mod:`render.carried`."""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from typing import Final

from PIL import Image

from bot.answers.findings import PICTURE, Findings, Found, Refused
from bot.domain.notations import NOTATIONS
from bot.domain.reading.problems import DomainError, ParseError
from bot.reading.sources import Attachment
from render import carried

MAX_PIXELS = 24_000_000
"""Pixels of a picture; a large desktop has 15 million."""

_SIGNATURES: Final = (carried.SIGNATURE, b"\xff\xd8\xff", b"RIFF", b"GIF8")
_FORMATS: Final = ("PNG", "JPEG", "WEBP", "GIF")
_CARRIED: Final = ("cgp", "fen")
_BROKEN: Final = (
    OSError,
    ValueError,
    SyntaxError,
    TypeError,
    LookupError,
    OverflowError,
    EOFError,
    struct.error,
    zlib.error,
)
"""What Pillow's decoders raise at what is no picture, or not a whole one."""


def is_picture(data: bytes) -> bool:
    """Tell by its first bytes whether a file is a picture that can be read."""
    return data.startswith(_SIGNATURES) and (not data.startswith(b"RIFF") or data[8:12] == b"WEBP")


def read_picture(attachment: Attachment) -> Findings:
    """Read the position that a picture of ours carries, if it is still as it was drawn."""
    told = carried.read(attachment.data)
    try:
        picture = open_picture(attachment.data)
        if told is None:
            return Findings()
        if not told.is_of(picture):
            raise ParseError(
                "picture-changed", "it was changed after it was drawn, so what it says of itself may be wrong"
            )
        return Findings((_found(told.text, spoiler=attachment.spoiler),))
    except DomainError as error:
        return Findings(refused=(Refused(PICTURE, "", error, "", attachment.spoiler),))


def open_picture(data: bytes) -> Image.Image:
    """Decode a picture.

    Raises:
        ParseError: it is broken or cut off, moves, or has over :data:`MAX_PIXELS`.

    """
    with warnings.catch_warnings():
        # Of pixels this has its own limit, and what a damaged file says beside its pixels does not matter.
        warnings.simplefilter("ignore")
        try:
            picture = Image.open(io.BytesIO(data), formats=_FORMATS)
            if picture.width * picture.height > MAX_PIXELS:
                raise _too_large()
            if getattr(picture, "n_frames", 1) > 1:
                raise ParseError("picture-moves", "it moves; take one that stands still")
            picture.load()
        except DomainError:
            raise
        except Image.DecompressionBombError:
            raise _too_large() from None
        except _BROKEN:
            raise ParseError("picture-broken", "the file is broken or cut off") from None
    return picture


def _too_large() -> ParseError:
    return ParseError("picture-too-large", "it has over {limit:,} pixels", limit=MAX_PIXELS)


def _found(text: str, *, spoiler: bool) -> Found:
    """Read what a picture carries: a notation's name, a space, a position.

    Raises:
        DomainError: it is no position.

    """
    name, _, written = text.partition(" ")
    if name not in _CARRIED:
        raise ParseError("picture-unknown", "it was drawn by a later version of Kibitz")
    reading = NOTATIONS[name].read(written)
    return Found(name, written, reading.value, reading.warnings, spoiler)
