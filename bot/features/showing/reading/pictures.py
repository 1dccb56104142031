"""Reads pictures within bounds: the position that a picture of Kibitz contains, or else the boards on the picture.

See :mod:`render.png`. Reading boards requires the extra ``sight``; without it, only pictures of Kibitz are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.chat.source import Attachment
from bot.domain.notations import NOTATIONS
from bot.domain.reading.problems import DomainError, ParseError
from bot.features.showing.findings import PICTURE, Findings, Found, Refused
from bot.features.showing.reading.boards import boards_of
from render.png import read_embedded_text

if TYPE_CHECKING:
    from pathlib import Path
import io
import struct
import warnings
import zlib

from PIL import Image, ImageOps, WebPImagePlugin  # noqa: F401 - what it opens is registered

_CARRIED_NOTATIONS: Final = ("cgp", "fen")
MAX_PIXELS = 24_000_000
"""Maximum number of pixels of a picture; a large desktop has 15 million."""
MAX_SIDE = 32_000
"""Maximum length of a side, in pixels. Each row needs memory of its own: a picture of one column took ten times that of a square one."""

_SEEN_PIXELS: Final = 9_000_000
"""Pixels of a picture that is read at full size: the squares of a larger picture are large enough at half its size."""
_INDEXED_MODES: Final = ("P", "PA", "1")
"""Modes of pictures that cannot be reduced directly."""
_BAND_ROWS: Final = 64
"""Rows of a picture that are made at once from those of a larger one."""
_FORMATS: Final = ("PNG", "JPEG", "WEBP", "GIF")
# Else Pillow imports what opens them with the first picture, and everything it has with the first GIF or WebP.
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
"""The errors of Pillow's decoders for a broken or incomplete picture."""


def read_picture(attachment: Attachment, lexica: Path | None = None) -> Findings:
    """Read the position in an unchanged picture of Kibitz, or else the positions of the boards on the picture."""
    try:
        picture = open_picture(attachment.data)
        embedded = read_embedded_text(picture)
        if embedded is None or not embedded.matches(picture):
            seen = boards_of(flat(picture), lexica, spoiler=attachment.spoiler)
            if seen or embedded is None:
                return Findings(seen)
            raise ParseError(
                "picture-changed",
                "it was edited after Kibitz drew it, so the position stored in it may be wrong",
            )
        return Findings((_parse_embedded_text(embedded.text, spoiler=attachment.spoiler),))
    except DomainError as error:
        return Findings(refused=(Refused(PICTURE, "", error, "", attachment.spoiler),))


def _parse_embedded_text(text: str, *, spoiler: bool) -> Found:
    """Parse the text of a picture: a notation's name, a space, a position.

    Raises:
        DomainError: it is not a position.

    """
    name, _, written = text.partition(" ")
    if name not in _CARRIED_NOTATIONS:
        raise ParseError("picture-unknown", "it was drawn by a later version of Kibitz")
    reading = NOTATIONS[name].read(written)
    return Found(name, written, reading.value, reading.warnings, spoiler)


def open_picture(data: bytes) -> Image.Image:
    """Decode a picture.

    Raises:
        ParseError: it is broken or cut off, moves, or is larger than :data:`MAX_PIXELS` and :data:`MAX_SIDE` allow.

    """
    with warnings.catch_warnings():
        # Of pixels this has its own limit, and what a damaged file says beside its pixels does not matter.
        warnings.simplefilter("ignore")
        try:
            picture = Image.open(io.BytesIO(data), formats=_FORMATS)
            if picture.width * picture.height > MAX_PIXELS:
                raise _too_large()
            if max(picture.size) > MAX_SIDE:
                raise ParseError(
                    "picture-too-large", "it is more than {limit:,} pixels wide or high", limit=MAX_SIDE
                )
            # Not how many there are: to count them takes as long as there are some.
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


def flat(picture: Image.Image) -> Image.Image:
    """Return a picture as people see it: RGB, upright, without transparency, of at most :data:`_SEEN_PIXELS` pixels.

    A larger picture is closed, so that its memory is freed.
    """
    if picture.mode.startswith("I;16"):
        # Pillow takes all but the darkest of 65,536 shades for white.
        picture = picture.point(lambda shade: shade * (1 / 256)).convert("L")
    see_through = picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info
    mode = "RGBA" if see_through else "RGB"
    picture = _upright(_reduce(picture, mode)).convert(mode)
    if see_through:
        whole = Image.new("RGBA", picture.size, "white")
        whole.alpha_composite(picture)
        picture = whole.convert("RGB")
    return picture


def _reduce(picture: Image.Image, mode: str) -> Image.Image:
    """Return a picture that is not too large, before any further copy; an indexed picture in another mode."""
    width, height = picture.size
    share = 1
    while width * height > _SEEN_PIXELS * share * share:
        share += 1
    if share == 1:
        return picture.convert(mode) if picture.mode in _INDEXED_MODES else picture
    # As a whole, an indexed picture would need four times the memory, and a see-through one twice.
    indexed = picture.mode in _INDEXED_MODES
    small = Image.new(mode if indexed else picture.mode, (-(-width // share), -(-height // share)))
    for top in range(0, height, _BAND_ROWS * share):
        band = picture.crop((0, top, width, min(height, top + _BAND_ROWS * share)))
        small.paste((band.convert(mode) if indexed else band).reduce(share), (0, top // share))
    small.info = picture.info
    picture.close()
    return small


def _upright(picture: Image.Image) -> Image.Image:
    """Rotate a picture by the orientation that its camera stored, if that can be read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ImageOps.exif_transpose(picture)
        except _PICTURE_ERRORS:
            return picture


def _too_large() -> ParseError:
    return ParseError("picture-too-large", "it has more than {limit:,} pixels", limit=MAX_PIXELS)
