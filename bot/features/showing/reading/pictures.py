"""Reads pictures: the position that Kibitz embedded (see :mod:`render.png`), otherwise the boards.

Reading boards requires the ``sight`` extra.
"""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from typing import TYPE_CHECKING, Final

from PIL import Image, ImageOps, WebPImagePlugin  # noqa: F401 - importing the plugin registers WebP

from bot.chat.source import Attachment
from bot.domain.notations import NOTATIONS
from bot.domain.reading.problems import DomainError, ParseError
from bot.features.showing.findings import UNREADABLE_PICTURE, Findings, FoundDocument, UnreadableText
from bot.features.showing.reading.boards import read_boards
from render.png import read_embedded_text

if TYPE_CHECKING:
    from pathlib import Path

_EMBEDDED_NOTATIONS: Final = ("cgp", "fen")
MAX_PIXELS = 24_000_000
"""Maximum number of pixels. A screenshot of a large desktop has 15 million."""
MAX_SIDE = 32_000
"""Maximum width and height in pixels. Each row needs extra memory, so a very tall picture can need ten times as much as a
square picture."""

_MAX_READ_PIXELS: Final = 9_000_000
"""Larger pictures are scaled down to about this size. Board squares are then still large enough to read."""
_INDEXED_MODES: Final = ("P", "PA", "1")
"""Pictures with a palette or two colours. Pillow cannot reduce them directly."""
_BAND_ROWS: Final = 64
_FORMATS: Final = ("PNG", "JPEG", "WEBP", "GIF")
# Import Pillow's common plugins now. Otherwise, the first picture would have to wait for them.
Image.preinit()
_PICTURE_ERRORS: Final = (
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


def read_picture(attachment: Attachment, lexica_folder: Path | None = None) -> Findings:
    try:
        picture = open_picture(attachment.data)
        embedded = read_embedded_text(picture)
        if embedded is None or not embedded.matches(picture):
            boards = read_boards(normalize_picture(picture), lexica_folder, spoiler=attachment.spoiler)
            if boards or embedded is None:
                return Findings(boards)
            raise ParseError(
                "picture-changed",
                "it was edited after Kibitz drew it, so the position stored in it may be wrong",
            )
        return Findings((_parse_embedded_text(embedded.text, spoiler=attachment.spoiler),))
    except DomainError as error:
        return Findings(
            unreadable_texts=(UnreadableText(UNREADABLE_PICTURE, "", error, "", attachment.spoiler),)
        )


def _parse_embedded_text(text: str, *, spoiler: bool) -> FoundDocument:
    """Parse embedded text: the name of a notation, a space, and a position."""
    name, _, position_text = text.partition(" ")
    if name not in _EMBEDDED_NOTATIONS:
        raise ParseError("picture-unknown", "it was drawn by a later version of Kibitz")
    reading = NOTATIONS[name].read(position_text)
    return FoundDocument(name, position_text, reading.value, reading.warnings, spoiler)


def open_picture(data: bytes) -> Image.Image:
    """Decode a picture.

    Raises:
        ParseError: the picture is corrupt, truncated, animated, or larger than :data:`MAX_PIXELS` or :data:`MAX_SIDE`.

    """
    with warnings.catch_warnings():
        # Pillow warns about large pictures and damaged metadata. The size is checked below, and metadata does not matter.
        warnings.simplefilter("ignore")
        try:
            picture = Image.open(io.BytesIO(data), formats=_FORMATS)
            if picture.width * picture.height > MAX_PIXELS:
                raise _too_large_error()
            if max(picture.size) > MAX_SIDE:
                raise ParseError(
                    "picture-too-large", "it is more than {limit:,} pixels wide or high", limit=MAX_SIDE
                )
            # ``is_animated`` reads only the second frame, but ``n_frames`` would read every frame.
            if getattr(picture, "is_animated", False):
                raise ParseError("picture-moves", "it is animated; use a still picture")
            picture.load()
        except DomainError:
            raise
        except Image.DecompressionBombError:
            raise _too_large_error() from None
        except _PICTURE_ERRORS:
            raise ParseError("picture-broken", "the file is damaged or incomplete") from None
    return picture


def normalize_picture(picture: Image.Image) -> Image.Image:
    """Return a picture as people see it: RGB, upright and opaque.

    A picture with more than :data:`_MAX_READ_PIXELS` pixels is scaled down, and the original is closed to free memory.
    """
    if picture.mode.startswith("I;16"):
        # Otherwise, Pillow would turn all shades white except the darkest 256 of 65,536.
        picture = picture.point(lambda shade: shade * (1 / 256)).convert("L")
    is_transparent = picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info
    mode = "RGBA" if is_transparent else "RGB"
    picture = _turn_upright(_reduce(picture, mode)).convert(mode)
    if is_transparent:
        background = Image.new("RGBA", picture.size, "white")
        background.alpha_composite(picture)
        picture = background.convert("RGB")
    return picture


def _reduce(picture: Image.Image, mode: str) -> Image.Image:
    width, height = picture.size
    factor = 1
    while width * height > _MAX_READ_PIXELS * factor * factor:
        factor += 1
    if factor == 1:
        return picture.convert(mode) if picture.mode in _INDEXED_MODES else picture
    # Reduce the picture in bands of rows to save memory. Converting a whole picture with a palette would take four times as much
    # memory.
    is_indexed = picture.mode in _INDEXED_MODES
    reduced = Image.new(mode if is_indexed else picture.mode, (-(-width // factor), -(-height // factor)))
    for top in range(0, height, _BAND_ROWS * factor):
        band = picture.crop((0, top, width, min(height, top + _BAND_ROWS * factor)))
        reduced.paste((band.convert(mode) if is_indexed else band).reduce(factor), (0, top // factor))
    reduced.info = picture.info
    picture.close()
    return reduced


def _turn_upright(picture: Image.Image) -> Image.Image:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ImageOps.exif_transpose(picture)
        except _PICTURE_ERRORS:
            return picture


def _too_large_error() -> ParseError:
    return ParseError("picture-too-large", "it has more than {limit:,} pixels", limit=MAX_PIXELS)
