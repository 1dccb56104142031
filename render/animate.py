"""Replays: scenes one after the other, as an animated GIF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from render.drawing import Drawing, Pen
from render.gif import Box, GifWriter, changes, merged
from render.layout import Scene, lay_out
from render.scene import BoardScene, Frame, RenderedImage, ReplayScene
from render.theme import Colour

MAX_SUB_FRAMES = 300
"""Pictures in one GIF; chat clients stop after some hundred."""
MAX_BYTES = 8_000_000
"""Bytes of a replay by default: what every account may upload."""
_MAX_BOXES = 60  # Boxes of one frame that are looked at one by one; more of them are one box.
_MAX_BOXES_WRITTEN = 12
_SMALLER_CELLS = (34, 24, 16)


class ReplayError(ValueError):
    """The frames do not make a replay."""


Step = tuple[Drawing, int]
"""A laid-out frame, and how many milliseconds it stands."""


def draw_replay(replay: ReplayScene, most_bytes: int = MAX_BYTES) -> RenderedImage:
    """Draw a replay as a GIF; each of its frames looks exactly like the still picture of its scene.

    Frames of different height get the tallest one's. A replay of more than ``most_bytes`` is drawn again with
    smaller squares, then with fewer frames, but always with the last; the result records that.

    Raises:
        ReplayError: there are no frames, they do not share layout, theme and size, or the replay stays too large.
        UnknownThemeError, ImpossibleSizeError: as of :func:`render.layout.draw_board`.

    """
    check_replay(replay)
    frames = _at_most(replay.frames, MAX_SUB_FRAMES)
    image = _encode(frames, frames[0].scene.cell, repeat=replay.repeat)
    full_cell = image.cell
    smaller = [cell for cell in _SMALLER_CELLS if cell < full_cell]
    fewer = [len(frames) // parts for parts in (2, 4, 8) if len(frames) >= 2 * parts]
    least = min(full_cell, *_SMALLER_CELLS)
    attempts = [*((cell, len(frames)) for cell in smaller), *((least, count) for count in fewer)]
    smallest = len(image.data)
    for cell, count in attempts:
        if smallest <= most_bytes:
            break
        frames = _at_most(frames, count)
        image = _encode(frames, cell, repeat=replay.repeat)
        smallest = len(image.data)
    if smallest <= most_bytes:
        return replace(image, full_cell=full_cell, left_out=len(replay.frames) - len(frames))
    raise ReplayError(f"the replay takes {smallest} bytes at least; {most_bytes} are allowed")


def check_replay(replay: ReplayScene) -> None:
    """Raise :exc:`ReplayError` when the frames do not belong together."""
    if not replay.frames:
        raise ReplayError("a replay needs at least one frame")
    wanted = _kind_of(replay.frames[0].scene)
    for number, frame in enumerate(replay.frames, start=1):
        if _kind_of(frame.scene) != wanted:
            raise ReplayError(f"frame {number} has another layout, theme or size than the first one")
        if frame.delay < 0:
            raise ReplayError(f"frame {number} cannot stand for {frame.delay} milliseconds")


def _kind_of(scene: Scene) -> tuple[object, ...]:
    """Return what all the frames of a replay have in common."""
    size = (scene.grid.rows, scene.grid.columns) if isinstance(scene, BoardScene) else (scene.flipped,)
    return type(scene), scene.layout, scene.theme, scene.cell, *size


def _at_most(frames: Sequence[Frame], most: int) -> tuple[Frame, ...]:
    """Leave out frames evenly; the first and the last stay."""
    if len(frames) <= max(1, most):
        return tuple(frames)
    if most <= 1:
        return (frames[-1],)
    return tuple(frames[number * (len(frames) - 1) // (most - 1)] for number in range(most))


def _laid_out(frames: Sequence[Frame], cell: int | None) -> tuple[list[Step], Pen]:
    """Lay out all frames with squares of one size: the one given, or the smallest that any frame needs."""
    scenes = [frame.scene if cell is None else replace(frame.scene, cell=cell) for frame in frames]
    done = [lay_out(scene) for scene in scenes]
    smallest = min(pen.cell for _, pen in done)
    if any(pen.cell != smallest for _, pen in done):
        done = [lay_out(replace(scene, cell=smallest)) for scene in scenes]
    steps = [(drawing, frame.delay) for (drawing, _), frame in zip(done, frames, strict=True)]
    return steps, done[0][1]


def _encode(frames: Sequence[Frame], cell: int | None, *, repeat: bool) -> RenderedImage:
    steps, pen = _laid_out(frames, cell)
    size = max(drawing.width for drawing, _ in steps), max(drawing.height for drawing, _ in steps)
    data = encode_gif(steps, size, pen, repeat=repeat)
    return RenderedImage(data, *size, "image/gif", pen.cell, pen.cell, len(steps))


def changed_boxes(before: Drawing, after: Drawing) -> list[Box]:
    """Return boxes outside of which two drawings look the same.

    Sprites are shared, so it is enough to see which are new and which are gone.
    """
    old, new = (
        {(what if isinstance(what, int) else id(what), box) for what, box in drawing.items}
        for drawing in (before, after)
    )
    return sorted({box for _, box in old ^ new})


def _boxes(before: Drawing, after: Drawing, size: tuple[int, int], most: int) -> tuple[list[Box], bool]:
    """Return at most so many boxes to draw again, and whether much in them stays as it was."""
    changed = changed_boxes(before, after)
    if len(changed) > _MAX_BOXES:
        return [(0, 0, *size)], True
    near = merged(changed, len(changed))
    boxes = merged(near, most)
    return boxes, len(boxes) < len(near)


def encode_gif(steps: Sequence[Step], size: tuple[int, int], pen: Pen, *, repeat: bool) -> bytes:
    """Return a GIF of drawings, each on an empty page of that size."""
    writer = GifWriter(size, pen.palette.colours, repeat=repeat)
    page = pen.palette.solid(Colour.PAGE)
    shown = steps[0][0].part((0, 0, *size), page)
    writer.add([(shown, (0, 0))], steps[0][1])
    per_frame = max(1, min(_MAX_BOXES_WRITTEN, (MAX_SUB_FRAMES - 1) // max(1, len(steps) - 1)))
    for (before, _), (drawing, delay) in pairwise(steps):
        boxes, sparse = _boxes(before, drawing, size, per_frame)
        patches = []
        for box in boxes:
            redrawn = drawing.part(box, page)
            patch = changes(shown.crop(box), redrawn, sparse=sparse)
            shown.paste(redrawn, box)
            if patch is not None:
                picture, (x, y) = patch
                patches.append((picture, (box[0] + x, box[1] + y)))
        writer.add(patches, delay)
    return writer.finish()
