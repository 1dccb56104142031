"""Signs of text beside a board: where letters and digits stand, and how a network sees them."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageFilter

from bot.sight.squares import SIDE, Floats

Boxes: TypeAlias = "npt.NDArray[np.int64]"
"""Signs × (left, top, right, bottom in pixels, and 1 for those that are lighter than what is around them)."""
LEFT, TOP, RIGHT, BOTTOM, LIGHT = range(5)

SQUARE: Final = 32.0
"""Pixels of a square of the board in the picture in which text is searched."""
MOST_SIGNS: Final = 4_000
"""Signs of one colour in a picture, at most: a page that is full of text has no more."""

_LARGEST, _LARGEST_SCALE = 1_200_000, 2.0
"""Pixels of that picture, at most, and how much it may be enlarged."""
_AROUND = 14
"""Pixels on each side of one with which it is compared."""
_CLEAR = 18
"""How much a pixel of ink is darker or lighter than the mean around it, of 255, at least."""
WIDEST: Final = 130
"""Pixels of a sign's width, at most: several letters may touch."""
_LOWEST, _HIGHEST = 2, 52
"""Pixels of a sign, and of its height."""
_MARGIN = 3
"""Pixels around a sign as the network sees it."""
_MOST_RUNS = 200_000
"""Runs of ink in a picture, at most; one with more is noise."""
_FAINT = 8
"""The least difference from the ground that may be ink, of 255."""


def fitted_scale(size: tuple[int, int], square: float) -> float:
    """Return how much a picture is scaled before text is searched in it, by the side of a square of its board."""
    return min(SQUARE / square, _LARGEST_SCALE, float((_LARGEST / (size[0] * size[1])) ** 0.5))


def find_signs(grey: npt.NDArray[np.uint8], board: tuple[float, float, float, float]) -> Boxes:
    """Return the pieces of ink on a grey picture, outside of a box: left, top, right, bottom."""
    around = np.asarray(Image.fromarray(grey).filter(ImageFilter.BoxBlur(_AROUND))).astype(np.int16)
    left, top, right, bottom = (max(0, round(side)) for side in board)
    found = []
    for light in (0, 1):
        ink = (grey > around + _CLEAR) if light else (grey < around - _CLEAR)
        ink[top:bottom, left:right] = False
        boxes = _pieces(ink)
        found.append(np.column_stack((boxes, np.full(len(boxes), light))))
    return np.concatenate(found)


def _pieces(ink: npt.NDArray[np.bool_]) -> Boxes:
    """Return the boxes of connected pieces that may be signs: left, top, right, bottom."""
    padded = np.zeros((ink.shape[0], ink.shape[1] + 2), np.int8)
    padded[:, 1:-1] = ink
    change = np.diff(padded, axis=1)
    rows, starts = np.nonzero(change == 1)
    ends = np.nonzero(change == -1)[1]
    if not 0 < len(rows) <= _MOST_RUNS:
        return np.empty((0, 4), np.int64)
    label = _joined(rows, starts, ends, ink.shape[1])
    order = np.argsort(label, kind="stable")
    firsts = np.flatnonzero(np.diff(label[order], prepend=-1))
    left, right = np.minimum.reduceat(starts[order], firsts), np.maximum.reduceat(ends[order], firsts)
    top, bottom = np.minimum.reduceat(rows[order], firsts), np.maximum.reduceat(rows[order], firsts) + 1
    high, wide = bottom - top, right - left
    kept = (np.maximum(high, wide) >= _LOWEST) & (high <= _HIGHEST) & (wide <= WIDEST)
    boxes: Boxes = np.stack((left, top, right, bottom), axis=1)[kept]
    return boxes if len(boxes) <= MOST_SIGNS else boxes[:0]


def _joined(
    rows: npt.NDArray[np.int64], starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64], width: int
) -> npt.NDArray[np.int64]:
    """Return the number of the piece to which each run of ink belongs: those touch that lie one above the other."""
    step = width + 2
    first = np.searchsorted(rows * step + ends, (rows - 1) * step + starts, side="left")
    last = np.searchsorted(rows * step + starts, (rows - 1) * step + ends, side="right")
    count = np.maximum(last - first, 0)
    below = np.repeat(np.arange(len(rows)), count)
    above = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first, count)
    label = np.arange(len(rows))
    while True:
        before = label.copy()
        least = np.minimum(label[below], label[above])
        np.minimum.at(label, label[below], least)
        np.minimum.at(label, label[above], least)
        np.minimum.at(label, below, least)
        label = label[label]
        label = label[label]
        if (label == before).all():
            return label


def sign_features(crops: npt.NDArray[np.uint8]) -> Floats:
    """Return what the network sees of signs on grey squares: signs × SIDE × SIDE × 1, 0 for ground and 1 for ink."""
    values = crops.astype(np.float32)
    edges = (values[:, :2].reshape(len(values), -1), values[:, -2:].reshape(len(values), -1))
    away = values - np.median(np.concatenate(edges, axis=1), axis=1)[:, None, None]
    inner = away[:, _MARGIN:-_MARGIN, _MARGIN:-_MARGIN].reshape(len(values), -1)
    low, high = np.percentile(inner, (3, 97), axis=1)
    peak = np.where(np.abs(low) > np.abs(high), low, high)
    peak = np.where(np.abs(peak) < _FAINT, _FAINT, peak)[:, None, None]
    return np.clip(away / peak, -0.5, 1.25)[:, :, :, None].astype(np.float32)


def cut_signs(grey: npt.NDArray[np.uint8], boxes: Floats) -> npt.NDArray[np.uint8]:
    """Return signs of a grey picture, each in the middle of a square and as high: signs × SIDE × SIDE.

    ``boxes`` are left, top, right and bottom. What lies beyond the picture is filled with its nearest pixels.
    """
    room = _HIGHEST
    padded = Image.fromarray(np.pad(grey, room, mode="edge"))
    cuts = []
    for left, top, right, bottom in (boxes + room).tolist():
        half = max(bottom - top, right - left) * SIDE / (SIDE - 2 * _MARGIN) / 2
        x, y = (left + right) / 2, (top + bottom) / 2
        # Where in the picture each pixel of the square comes from.
        place = (2 * half / SIDE, 0.0, x - half, 0.0, 2 * half / SIDE, y - half)
        cuts.append(
            np.asarray(
                padded.transform((SIDE, SIDE), Image.Transform.AFFINE, place, Image.Resampling.BILINEAR)
            )
        )
    return np.stack(cuts)
