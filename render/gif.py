"""Writing animated GIFs (CompuServe, "Graphics Interchange Format", version 89a) from pictures in one palette.

A frame is written as the few boxes that changed, each a picture of its own ("sub-frame"). Every sub-frame
declares the transparent index, also one that does not use it: Discord's resizer fills the rest of a partial frame
with it.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from PIL import Image, ImageChops

from render.theme import RGB, TRANSPARENT

Box = tuple[int, int, int, int]
"""Left, top, right and bottom; the last two are outside."""

SUB_FRAME_DELAY = 20
"""Milliseconds between the sub-frames of one frame; browsers show shorter ones more slowly."""
_FLAGS = 1 << 2 | 1  # Disposal 1, "do not dispose", and a transparent index.
_MAX_DELAY = 0xFFFF  # In hundredths of a second.
_SMALL = 1 << 16  # Pixels of a picture small enough to look at its colours.
_FULL = 1 / 256  # A sum divided by this is 0 or at least 255.
Patch = tuple[Image.Image, tuple[int, int]]
"""A picture of palette indexes, mode L, and the place of its top left corner."""


class GifWriter:
    """A GIF that grows frame by frame."""

    __slots__ = ("_colour_bits", "_parts", "sub_frames")

    def __init__(self, size: tuple[int, int], colours: Sequence[RGB], *, repeat: bool) -> None:
        if not 0 < len(colours) <= 256:
            raise ValueError(f"a palette holds 1 to 256 colours, not {len(colours)}")
        self._colour_bits = max(2, (len(colours) - 1).bit_length())
        table = bytes(part for colour in colours for part in colour)
        self._parts = [
            b"GIF89a",
            struct.pack("<HHBBB", *size, 0xF0 | (self._colour_bits - 1), TRANSPARENT, 0),
            table.ljust(3 << self._colour_bits, b"\0"),
        ]
        if repeat:
            self._parts.append(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")
        self.sub_frames = 0
        """Pictures written so far."""

    def add(self, patches: Sequence[Patch], delay: int) -> None:
        """Add a frame of ``delay`` milliseconds, as patches over the frame before it.

        The first frame is one patch of the picture's size. Without patches, only time passes.
        """
        patches = patches or [(Image.new("L", (1, 1), TRANSPARENT), (0, 0))]
        for patch in patches[:-1]:
            self._write(*patch, SUB_FRAME_DELAY)
            delay -= SUB_FRAME_DELAY
        self._write(*patches[-1], max(delay, SUB_FRAME_DELAY))

    def _write(self, picture: Image.Image, at: tuple[int, int], delay: int) -> None:
        hundredths = min(max(delay // 10, 0), _MAX_DELAY)
        bits = self._bits(picture)
        self._parts += (
            struct.pack("<BBBBHBB", 0x21, 0xF9, 4, _FLAGS, hundredths, TRANSPARENT, 0),
            struct.pack("<BHHHHBB", 0x2C, *at, *picture.size, 0, bits),
            picture.tobytes("gif", "L", bits, 0),
            b"\0",
        )
        self.sub_frames += 1

    def _bits(self, picture: Image.Image) -> int:
        """Return the bits of the picture's first codes: for a few tiles, the bits of their largest index."""
        if picture.width * picture.height > _SMALL:
            return self._colour_bits  # Its codes soon outgrow both.
        largest = picture.getextrema()[1]
        assert isinstance(largest, int)  # As in every picture with one channel of bytes.
        return max(2, largest.bit_length())

    def finish(self) -> bytes:
        """Return the file."""
        return b"".join((*self._parts, b"\x3b"))


def changes(before: Image.Image, after: Image.Image, *, sparse: bool) -> Patch | None:
    """Return the difference between two pictures of one size, cut to its bounding box; None when they are equal.

    ``sparse`` makes unchanged pixels transparent. That saves bytes where much stays as it was, and costs bytes where a
    whole tile covers another: the same few letters occur again and again, but not the differences between two.
    """
    difference = ImageChops.difference(before, after)
    box = difference.getbbox()
    if box is None:
        return None
    patch = after if box == (0, 0, *after.size) else after.crop(box)
    if sparse:
        difference = difference.crop(box)
        changed = ImageChops.add(difference, difference, scale=_FULL)
        opaque, patch = patch, Image.new("L", patch.size, TRANSPARENT)
        patch.paste(opaque, (0, 0), changed)
    return patch, box[:2]


def merged(boxes: Sequence[Box], most: int, waste: int = 1000) -> list[Box]:
    """Join boxes whose union has at most ``waste`` pixels more than they have, then more until ``most`` are left.

    ``waste`` is the price of another sub-frame in bytes, time and delay.
    """
    left: list[Box] = []
    for box in boxes:
        left.append(box)
        grown: int | None = len(left) - 1
        while grown is not None:  # A grown box may reach others now.
            grown = _join_one(left, grown, waste)
    while len(left) > most:
        _, first, second = min(
            (_extra(left[first], left[second]), first, second)
            for second in range(len(left))
            for first in range(second)
        )
        left[first] = _union(left[first], left.pop(second))
    return left


def _join_one(boxes: list[Box], place: int, waste: int) -> int | None:
    """Join the box at a place with the first box near enough; return the place of the union, or None."""
    box = boxes[place]
    for other, candidate in enumerate(boxes):
        if other != place and _extra(box, candidate) <= waste:
            boxes[min(place, other)] = _union(box, candidate)
            del boxes[max(place, other)]
            return min(place, other)
    return None


def _extra(one: Box, other: Box) -> int:
    """Return how many more pixels the union has than the two boxes."""
    left, top, right, bottom = _union(one, other)
    return (
        (right - left) * (bottom - top)
        - (one[2] - one[0]) * (one[3] - one[1])
        - (other[2] - other[0]) * (other[3] - other[1])
    )


def _union(one: Box, other: Box) -> Box:
    # Comparisons instead of min and max: this runs thousands of times for one replay.
    return (
        one[0] if one[0] < other[0] else other[0],  # noqa: FURB136
        one[1] if one[1] < other[1] else other[1],  # noqa: FURB136
        one[2] if one[2] > other[2] else other[2],  # noqa: FURB136
        one[3] if one[3] > other[3] else other[3],  # noqa: FURB136
    )
