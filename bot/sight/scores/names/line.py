"""A line of text cut from a grey picture, as the network that reads names sees it."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image

from bot.sight.squares import Floats

Box: TypeAlias = "tuple[float, float, float, float]"
"""Left, top, right and bottom of a line's ink, in pixels."""

HEIGHT: Final = 24
"""Pixels of a line's height, as it is cut."""
MARGIN: Final = 3
"""Pixels around its ink."""
STEP: Final = 2
"""Pixels for each of which the network tells one sign."""
STRETCHED: Final = 1.3
"""How many times as wide as it is high a line is cut: two narrow letters must not fall into one step."""
WIDEST: Final = 400
"""Pixels of a line's width, as it is cut, at most."""
_FAINT = 8
"""The least difference from the ground that may be ink, of 255."""


def scale_of(box: Box) -> tuple[float, float]:
    """Return how many times as wide and as high a line is cut."""
    scale = (HEIGHT - 2 * MARGIN) / (box[3] - box[1])
    return STRETCHED * scale, scale


def width_of(box: Box) -> int:
    """Return how many pixels wide a line is cut: whole steps."""
    return STEP * -(-round(scale_of(box)[0] * (box[2] - box[0]) + 2 * MARGIN) // STEP)


def cut_line(grey: npt.NDArray[np.uint8], box: Box) -> npt.NDArray[np.uint8]:
    """Return a line of text of a grey picture: :data:`HEIGHT` × :func:`width_of`.

    What lies beyond the picture is filled with its nearest pixels.
    """
    across, down = scale_of(box)
    width = width_of(box)
    left, top = box[0] - MARGIN / across, box[1] - MARGIN / down
    right, bottom = left + width / across, top + HEIGHT / down
    x, y = int(left) - 1, int(top) - 1
    columns = np.clip(np.arange(x, int(right) + 3), 0, grey.shape[1] - 1)
    rows = np.clip(np.arange(y, int(bottom) + 3), 0, grey.shape[0] - 1)
    around = Image.fromarray(np.ascontiguousarray(grey[rows[:, None], columns]))
    place = (left - x, top - y, right - x, bottom - y)
    return np.asarray(around.resize((width, HEIGHT), Image.Resampling.BILINEAR, box=place))


def line_features(line: npt.NDArray[np.uint8]) -> Floats:
    """Return what the network sees of a line: HEIGHT × width, 0 for ground and 1 for ink."""
    away = line.astype(np.float32) - np.float32(np.median(line))
    low, high = np.percentile(away, (3, 97))
    peak = low if abs(low) > abs(high) else high
    if abs(peak) < _FAINT:
        peak = _FAINT
    return np.asarray(np.clip(away / np.float32(peak), -0.5, 1.25), np.float32)
