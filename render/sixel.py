"""Pictures as sixels, for terminals that support them.

Sixels are specified in chapter 9 of DEC STD 070, and described in https://www.vt100.net/docs/vt3xx-gp/chapter14.html.
"""

from __future__ import annotations

from io import BytesIO
from itertools import groupby

from PIL import Image

_MAX_COLOURS = 256
_SIXEL_ROWS = 6


def to_sixels(png: bytes) -> str:
    """Return a PNG picture as one sixel string; transparent pixels become white.

    Raises:
        OSError: the data is not a picture.

    """
    with Image.open(BytesIO(png)) as opened:
        picture = Image.new("RGB", opened.size, "white")
        rgba = opened.convert("RGBA")
        picture.paste(rgba, mask=rgba)
    reduced_picture = picture.quantize(_MAX_COLOURS)
    width, height = reduced_picture.size
    palette = reduced_picture.getpalette() or []
    pixels = reduced_picture.tobytes()
    colours = sorted(set(pixels))
    # A device control string. Its parameters leave uncoloured pixels unchanged, make pixels square and set the size.
    parts = [f'\x1bP0;1q"1;1;{width};{height}']
    for colour in colours:
        red, green, blue = (round(part * 100 / 255) for part in palette[3 * colour : 3 * colour + 3])
        parts.append(f"#{colour};2;{red};{green};{blue}")
    for top in range(0, height, _SIXEL_ROWS):
        rows = [pixels[width * y : width * (y + 1)] for y in range(top, min(top + _SIXEL_ROWS, height))]
        lines = []
        for colour in sorted(set().union(*rows)):
            bits = bytearray(width)
            for bit, row in enumerate(rows):
                index = row.find(colour)
                while index >= 0:
                    bits[index] |= 1 << bit
                    index = row.find(colour, index + 1)
            lines.append(f"#{colour}{_runs(bits)}")
        parts.append("$".join(lines) + "-")
    return "".join(parts) + "\x1b\\"


def _runs(bits: bytearray) -> str:
    parts = []
    for value, run in groupby(bits):
        length = len(list(run))
        character = chr(63 + value)
        parts.append(f"!{length}{character}" if length > 3 else character * length)
    return "".join(parts)
