"""Reads pictures of limited size. It reads the position embedded in a picture that Kibitz drew, or else the boards in the picture.

For embedded positions, see :mod:`render.png`. Reading boards requires the extra ``sight``. Without this extra, only pictures that
Kibitz drew are read.
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
from bot.features.showing.findings import PICTURE, Findings, FoundDocument, UnreadableText
from bot.features.showing.reading.boards import boards_of
from render.png import read_embedded_text

if TYPE_CHECKING:
    from pathlib import Path

_EMBEDDED_NOTATIONS: Final = ("cgp", "fen")
MAX_PIXELS = 24_000_000
"""Maximum number of pixels of a picture. A screenshot of a large desktop has 15 million."""
MAX_SIDE = 32_000
"""Maximum width and height, in pixels. Each row needs some extra memory. A picture one pixel wide took ten times as much memory as
a square picture with the same number of pixels."""

_MAX_READ_PIXELS: Final = 9_000_000
"""Maximum number of pixels of a picture that is read at full size. A larger picture is reduced. Even then, the squares of a
board are large enough to read."""
_INDEXED_MODES: Final = ("P", "PA", "1")
"""Pillow's modes for pictures with a palette or two colours. Pillow cannot reduce the size of such pictures directly."""
_BAND_ROWS: Final = 64
"""Number of rows of a reduced picture that are computed in one step."""
_FORMATS: Final = ("PNG", "JPEG", "WEBP", "GIF")
# Import the common plugins now. Otherwise, Pillow would import them when it opens the first picture, and all its other plugins
# when it opens the first GIF or WebP.
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
"""The exceptions that Pillow's decoders raise for a broken or incomplete picture."""


def read_picture(attachment: Attachment, lexica: Path | None = None) -> Findings:
    """Read the position embedded in a picture that Kibitz drew. If the picture has none or was changed, read the boards in it."""
    try:
        picture = open_picture(attachment.data)
        embedded = read_embedded_text(picture)
        if embedded is None or not embedded.matches(picture):
            boards = boards_of(flatten(picture), lexica, spoiler=attachment.spoiler)
            if boards or embedded is None:
                return Findings(boards)
            raise ParseError(
                "picture-changed",
                "it was edited after Kibitz drew it, so the position stored in it may be wrong",
            )
        return Findings((_parse_embedded_text(embedded.text, spoiler=attachment.spoiler),))
    except DomainError as error:
        return Findings(refused=(UnreadableText(PICTURE, "", error, "", attachment.spoiler),))


def _parse_embedded_text(text: str, *, spoiler: bool) -> FoundDocument:
    """Parse the text embedded in a picture: the name of a notation, a space, and a position.

    Raises:
        DomainError: the text is not a position.

    """
    name, _, position_text = text.partition(" ")
    if name not in _EMBEDDED_NOTATIONS:
        raise ParseError("picture-unknown", "it was drawn by a later version of Kibitz")
    reading = NOTATIONS[name].read(position_text)
    return FoundDocument(name, position_text, reading.value, reading.warnings, spoiler)


def open_picture(data: bytes) -> Image.Image:
    """Decode a picture.

    Raises:
        ParseError: the picture is broken, cut off, animated, or larger than :data:`MAX_PIXELS` or :data:`MAX_SIDE`.

    """
    with warnings.catch_warnings():
        # Pillow warns of large pictures, whose size is checked below, and of damaged metadata, which does not matter.
        warnings.simplefilter("ignore")
        try:
            picture = Image.open(io.BytesIO(data), formats=_FORMATS)
            if picture.width * picture.height > MAX_PIXELS:
                raise _too_large()
            if max(picture.size) > MAX_SIDE:
                raise ParseError(
                    "picture-too-large", "it is more than {limit:,} pixels wide or high", limit=MAX_SIDE
                )
            # ``is_animated`` looks only for a second frame. Counting all frames (``n_frames``) would take time for each.
            if getattr(picture, "is_animated", False):
                raise ParseError("picture-moves", "it is animated; use a still picture")
            picture.load()
        except DomainError:
            raise
        except Image.DecompressionBombError:
            raise _too_large() from None
        except _PICTURE_ERRORS:
            raise ParseError("picture-broken", "the file is broken or cut off") from None
    return picture


def flatten(picture: Image.Image) -> Image.Image:
    """Return a picture as people see it: RGB, upright, without transparency, with at most :data:`_MAX_READ_PIXELS` pixels.

    If a picture has more pixels, it is reduced, and the original is closed to free its memory.
    """
    if picture.mode.startswith("I;16"):
        # Pillow would convert all except the 256 darkest of the 65,536 shades to white, so the shades are scaled first.
        picture = picture.point(lambda shade: shade * (1 / 256)).convert("L")
    is_transparent = picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info
    mode = "RGBA" if is_transparent else "RGB"
    picture = _upright(_reduce(picture, mode)).convert(mode)
    if is_transparent:
        background = Image.new("RGBA", picture.size, "white")
        background.alpha_composite(picture)
        picture = background.convert("RGB")
    return picture


def _reduce(picture: Image.Image, mode: str) -> Image.Image:
    """Return a picture with at most :data:`_MAX_READ_PIXELS` pixels. A picture with a palette is converted to ``mode``."""
    width, height = picture.size
    factor = 1
    while width * height > _MAX_READ_PIXELS * factor * factor:
        factor += 1
    if factor == 1:
        return picture.convert(mode) if picture.mode in _INDEXED_MODES else picture
    # The picture is reduced in bands of rows to save memory. As a whole, a converted picture with a palette would need four times the
    # memory, and a transparent picture twice the memory.
    has_palette = picture.mode in _INDEXED_MODES
    reduced = Image.new(mode if has_palette else picture.mode, (-(-width // factor), -(-height // factor)))
    for top in range(0, height, _BAND_ROWS * factor):
        band = picture.crop((0, top, width, min(height, top + _BAND_ROWS * factor)))
        reduced.paste((band.convert(mode) if has_palette else band).reduce(factor), (0, top // factor))
    reduced.info = picture.info
    picture.close()
    return reduced


def _upright(picture: Image.Image) -> Image.Image:
    """Rotate a picture as its metadata says, if the metadata can be read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ImageOps.exif_transpose(picture)
        except _PICTURE_ERRORS:
            return picture


def _too_large() -> ParseError:
    return ParseError("picture-too-large", "it has more than {limit:,} pixels", limit=MAX_PIXELS)
