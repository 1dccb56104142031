"""Draws replays as animated GIFs (CompuServe, "Graphics Interchange Format", version 89a).

Each changed box of a frame is a separate picture (a *sub-frame*). Every sub-frame declares the transparent index, because Discord
fills the rest of a frame with this index when it resizes a replay.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from PIL import Image, ImageChops

from render.drawing import Drawing, Pen
from render.layout import lay_out
from render.scene import Frame, RenderedImage, ReplayScene, evenly_spaced_indexes
from render.theme import RGB, TRANSPARENT, Colour

Box = tuple[int, int, int, int]
"""Left, top, right and bottom. The right and bottom edges are exclusive."""

SUB_FRAME_DELAY = 20
"""Milliseconds between the sub-frames of one frame. Browsers lengthen shorter delays."""
_FLAGS = 1 << 2 | 1  # Disposal method 1 (each picture stays in place), and a transparent index.
_MAX_DELAY = 0xFFFF  # In hundredths of a second.
_SMALL_AREA = 1 << 16  # In pixels. Up to this area, the initial code size depends on the colours.
_SATURATING_SCALE = 1 / 256  # A sum divided by this is 0 or at least 255.
Patch = tuple[Image.Image, tuple[int, int]]
"""A picture of palette indexes (mode L), and the position of its top left corner."""


class GifWriter:
    """Writes an endlessly repeating GIF, frame by frame."""

    __slots__ = ("_colour_bits", "_parts")

    def __init__(self, size: tuple[int, int], colours: Sequence[RGB]) -> None:
        self._colour_bits = max(2, (len(colours) - 1).bit_length())
        table = bytes(part for colour in colours for part in colour)
        self._parts = [
            b"GIF89a",
            struct.pack("<HHBBB", *size, 0xF0 | (self._colour_bits - 1), TRANSPARENT, 0),
            table.ljust(3 << self._colour_bits, b"\0"),
            b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00",
        ]

    def add_frame(self, patches: Sequence[Patch], delay: int) -> None:
        """Add a frame, as patches over the previous frame.

        The frame takes ``delay`` milliseconds, but at least :data:`SUB_FRAME_DELAY` per patch. The first frame must be a
        single patch that covers the whole picture.
        """
        patches = patches or [(Image.new("L", (1, 1), TRANSPARENT), (0, 0))]
        for patch in patches[:-1]:
            self._write(*patch, SUB_FRAME_DELAY)
            delay -= SUB_FRAME_DELAY
        self._write(*patches[-1], max(delay, SUB_FRAME_DELAY))

    def _write(self, picture: Image.Image, position: tuple[int, int], delay: int) -> None:
        hundredths = min(delay // 10, _MAX_DELAY)
        # In a large picture, codes grow quickly, so their initial size hardly matters.
        bits = self._colour_bits
        if picture.width * picture.height <= _SMALL_AREA:
            largest = picture.getextrema()[1]
            assert isinstance(largest, int)
            bits = max(2, largest.bit_length())
        self._parts += (
            struct.pack("<BBBBHBB", 0x21, 0xF9, 4, _FLAGS, hundredths, TRANSPARENT, 0),
            struct.pack("<BHHHHBB", 0x2C, *position, *picture.size, 0, bits),
            picture.tobytes("gif", "L", bits, 0),
            b"\0",
        )

    def finish(self) -> bytes:
        return b"".join((*self._parts, b"\x3b"))


def find_changes(before: Image.Image, after: Image.Image, *, sparse: bool) -> Patch | None:
    """Return the part of ``after`` that differs from ``before``, or None if the pictures are identical. Their sizes must be equal.

    ``sparse`` makes unchanged pixels transparent. This saves bytes only if most pixels are unchanged, because whole tiles compress
    better than differences between tiles.
    """
    difference = ImageChops.difference(before, after)
    box = difference.getbbox()
    if box is None:
        return None
    patch = after if box == (0, 0, *after.size) else after.crop(box)
    if sparse:
        difference = difference.crop(box)
        change_mask = ImageChops.add(difference, difference, scale=_SATURATING_SCALE)
        opaque, patch = patch, Image.new("L", patch.size, TRANSPARENT)
        patch.paste(opaque, (0, 0), change_mask)
    return patch, box[:2]


def merge_boxes(boxes: Sequence[Box], max_boxes: int, max_extra_pixels: int = 1000) -> list[Box]:
    """Merge boxes whose union adds at most ``max_extra_pixels``. Then merge more boxes until at most ``max_boxes`` are left.

    Another sub-frame would cost about as many bytes and as much time as 1000 pixels.
    """
    merged_boxes: list[Box] = []
    for box in boxes:
        merged_boxes.append(box)
        index: int | None = len(merged_boxes) - 1
        while index is not None:
            index = _merge_with_neighbour(merged_boxes, index, max_extra_pixels)
    while len(merged_boxes) > max_boxes:
        _, first, second = min(
            (_extra_pixels(merged_boxes[first], merged_boxes[second]), first, second)
            for second in range(len(merged_boxes))
            for first in range(second)
        )
        merged_boxes[first] = _union(merged_boxes[first], merged_boxes.pop(second))
    return merged_boxes


def _merge_with_neighbour(boxes: list[Box], index: int, max_extra_pixels: int) -> int | None:
    box = boxes[index]
    for other, candidate in enumerate(boxes):
        if other != index and _extra_pixels(box, candidate) <= max_extra_pixels:
            boxes[min(index, other)] = _union(box, candidate)
            del boxes[max(index, other)]
            return min(index, other)
    return None


def _extra_pixels(first: Box, other: Box) -> int:
    left, top, right, bottom = _union(first, other)
    return (
        (right - left) * (bottom - top)
        - (first[2] - first[0]) * (first[3] - first[1])
        - (other[2] - other[0]) * (other[3] - other[1])
    )


def _union(first: Box, other: Box) -> Box:
    # min and max are slower, and this function runs thousands of times for one replay.
    return (
        first[0] if first[0] < other[0] else other[0],  # noqa: FURB136
        first[1] if first[1] < other[1] else other[1],  # noqa: FURB136
        first[2] if first[2] > other[2] else other[2],  # noqa: FURB136
        first[3] if first[3] > other[3] else other[3],  # noqa: FURB136
    )


MAX_SUB_FRAMES = 300
"""Maximum number of sub-frames in a replay. Chat clients stop playing a GIF after a few hundred sub-frames."""
MAX_BYTES = 8_000_000
"""Maximum size of a replay. Every Discord account may upload files of this size."""
_MAX_CHANGED_BOXES = 60  # If more boxes of a frame have changed, one box of the frame's size replaces them.
_MAX_BOXES_WRITTEN = 12
_SMALLER_CELL_SIZES = (34, 24, 16)


class ReplayError(ValueError):
    """The replay is too large."""


TimedDrawing = tuple[Drawing, int]
"""The drawing of a frame, and the milliseconds for which it is shown."""


def draw_replay(replay: ReplayScene, max_bytes: int = MAX_BYTES) -> RenderedImage:
    """Draw a replay as a GIF of at most :data:`MAX_SUB_FRAMES` frames.

    If the GIF would be larger than ``max_bytes``, it gets smaller squares or fewer frames.

    Raises:
        ReplayError: even the smallest replay is too large.
        ValueError: for the same reasons as in :func:`render.layout.draw_board`.

    """
    frames = [replay.frames[index] for index in evenly_spaced_indexes(len(replay.frames), MAX_SUB_FRAMES)]
    image = _draw_frames(frames, frames[0].scene.cell_size)
    normal_cell_size = image.cell_size
    cell_sizes = [normal_cell_size, *(size for size in _SMALLER_CELL_SIZES if size < normal_cell_size)]
    attempts = [
        *((cell_size, len(frames)) for cell_size in cell_sizes[1:]),
        *((cell_sizes[-1], len(frames) // parts) for parts in (2, 4, 8) if len(frames) >= 2 * parts),
    ]
    for cell_size, count in attempts:
        if len(image.data) <= max_bytes:
            break
        frames = [frames[index] for index in evenly_spaced_indexes(len(frames), count)]
        image = _draw_frames(frames, cell_size)
    if len(image.data) <= max_bytes:
        return replace(image, normal_cell_size=normal_cell_size)
    raise ReplayError(f"the replay takes at least {len(image.data)} bytes; {max_bytes} are allowed")


def _draw_frames(frames: Sequence[Frame], cell_size: int | None) -> RenderedImage:
    scenes = [
        frame.scene if cell_size is None else replace(frame.scene, cell_size=cell_size) for frame in frames
    ]
    drawings_and_pens = [lay_out(scene) for scene in scenes]
    smallest_cell_size = min(pen.metrics.cell_size for _, pen in drawings_and_pens)
    if any(pen.metrics.cell_size != smallest_cell_size for _, pen in drawings_and_pens):
        drawings_and_pens = [lay_out(replace(scene, cell_size=smallest_cell_size)) for scene in scenes]
    drawings = [drawing for drawing, _ in drawings_and_pens]
    size = max(drawing.width for drawing in drawings), max(drawing.height for drawing in drawings)
    timed_drawings = [(drawing, frame.delay) for drawing, frame in zip(drawings, frames, strict=True)]
    data = _encode_gif(timed_drawings, size, drawings_and_pens[0][1])
    return RenderedImage(data, *size, "image/gif", smallest_cell_size, smallest_cell_size, len(drawings))


def _changed_boxes(
    before: Drawing, after: Drawing, size: tuple[int, int], max_boxes: int
) -> tuple[list[Box], bool]:
    """Return boxes that contain all changes, and whether most of their pixels may be unchanged."""
    # Equal sprites are one shared object, so an unchanged square has the same sprite object in both drawings.
    old_items, new_items = (
        {(content if isinstance(content, int) else id(content), box) for content, box in drawing.items}
        for drawing in (before, after)
    )
    changed_boxes = sorted({box for _, box in old_items ^ new_items})
    if len(changed_boxes) > _MAX_CHANGED_BOXES:
        return [(0, 0, *size)], True
    close_boxes = merge_boxes(changed_boxes, len(changed_boxes))
    boxes = merge_boxes(close_boxes, max_boxes)
    return boxes, len(boxes) < len(close_boxes)


def _encode_gif(timed_drawings: Sequence[TimedDrawing], size: tuple[int, int], pen: Pen) -> bytes:
    writer = GifWriter(size, pen.palette.colours)
    page = pen.palette.index_of(Colour.PAGE)
    canvas = timed_drawings[0][0].paint_box((0, 0, *size), page)
    writer.add_frame([(canvas, (0, 0))], timed_drawings[0][1])
    max_boxes = min(_MAX_BOXES_WRITTEN, (MAX_SUB_FRAMES - 1) // max(1, len(timed_drawings) - 1))
    for (before, _), (drawing, delay) in pairwise(timed_drawings):
        boxes, sparse = _changed_boxes(before, drawing, size, max_boxes)
        patches = []
        for box in boxes:
            redrawn = drawing.paint_box(box, page)
            patch = find_changes(canvas.crop(box), redrawn, sparse=sparse)
            canvas.paste(redrawn, box)
            if patch is not None:
                picture, (x, y) = patch
                patches.append((picture, (box[0] + x, box[1] + y)))
        writer.add_frame(patches, delay)
    return writer.finish()
