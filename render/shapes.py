"""Shapes with smooth edges, as coverage masks: drawn four times as large, then averaged."""

from __future__ import annotations

import math
from functools import lru_cache

from PIL import Image, ImageDraw

_OVERSAMPLING = 4


@lru_cache(maxsize=256)
def rounded(width: int, height: int, radius: int) -> Image.Image:
    """Return the mask of a rectangle with rounded corners; the radius is cut to what fits."""
    size = (width * _OVERSAMPLING, height * _OVERSAMPLING)
    large = Image.new("L", size)
    radius = min(radius, width // 2, height // 2)
    ImageDraw.Draw(large).rounded_rectangle(
        (0, 0, size[0] - 1, size[1] - 1), radius * _OVERSAMPLING, fill=255
    )
    return large.reduce(_OVERSAMPLING)


@lru_cache(maxsize=64)
def disc(diameter: int) -> Image.Image:
    """Return the mask of a disc."""
    large = Image.new("L", (diameter * _OVERSAMPLING,) * 2)
    ImageDraw.Draw(large).ellipse((0, 0, large.width - 1, large.height - 1), fill=255)
    return large.reduce(_OVERSAMPLING)


@lru_cache(maxsize=64)
def ring(diameter: int, thickness: int) -> Image.Image:
    """Return the mask of a ring, ``thickness`` pixels thick."""
    large = Image.new("L", (diameter * _OVERSAMPLING,) * 2)
    draw = ImageDraw.Draw(large)
    inset = thickness * _OVERSAMPLING
    draw.ellipse((0, 0, large.width - 1, large.height - 1), fill=255)
    draw.ellipse((inset, inset, large.width - 1 - inset, large.height - 1 - inset), fill=0)
    return large.reduce(_OVERSAMPLING)


@lru_cache(maxsize=64)
def corner(side: int) -> Image.Image:
    """Return the mask of a triangle that fills the upper right half of a square."""
    large = Image.new("L", (side * _OVERSAMPLING,) * 2)
    end = large.width - 1
    ImageDraw.Draw(large).polygon([(0, 0), (end, 0), (end, end)], fill=255)
    return large.reduce(_OVERSAMPLING)


@lru_cache(maxsize=64)
def star(diameter: int) -> Image.Image:
    """Return the mask of a five-pointed star, point upwards."""
    large = Image.new("L", (diameter * _OVERSAMPLING,) * 2)
    outer = large.width / 2
    inner = outer * 0.46
    points = []
    for corner in range(10):
        radius = inner if corner % 2 else outer
        angle = math.pi * corner / 5
        # The star's middle lies lower than its circle's, because it has no point downwards.
        points.append((outer + radius * math.sin(angle), outer * 1.06 - radius * math.cos(angle)))
    ImageDraw.Draw(large).polygon(points, fill=255)
    return large.reduce(_OVERSAMPLING)


Point = tuple[float, float]


@lru_cache(maxsize=256)
def arrow(size: int, start: Point, end: Point, unit: int, contour: int) -> Image.Image:
    """Return what an arrow covers of a square mask whose corner is the origin of the arrow's points.

    ``unit`` is the side of a square it lies on, which its thickness goes by; ``contour`` is how many pixels it is
    wider all around.
    """
    large = Image.new("L", (size * _OVERSAMPLING,) * 2)
    # Whole numbers, rounded down on either side of 0: so the parts of an arrow on different squares fit together.
    points = [
        (math.floor(x * _OVERSAMPLING), math.floor(y * _OVERSAMPLING))
        for x, y in _arrow_points(start, end, unit)
    ]
    draw = ImageDraw.Draw(large)
    draw.polygon(points, fill=255)
    if contour:
        draw.line([*points, *points[:2]], fill=255, width=2 * contour * _OVERSAMPLING, joint="curve")
    return large.reduce(_OVERSAMPLING)


def _arrow_points(start: Point, end: Point, unit: int) -> list[Point]:
    """Return the corners of an arrow; it leaves the middle of the square it starts from free."""
    length = math.dist(start, end)
    along = (end[0] - start[0]) / length, (end[1] - start[1]) / length

    def at(forward: float, aside: float) -> Point:
        return (
            start[0] + along[0] * forward - along[1] * aside,
            start[1] + along[1] * forward + along[0] * aside,
        )

    tail, neck, tip = 0.3 * unit, length - 0.3 * unit, length + 0.08 * unit
    half, head = 0.065 * unit, 0.2 * unit
    return [
        at(tail, half),
        at(neck, half),
        at(neck, head),
        at(tip, 0),
        at(neck, -head),
        at(neck, -half),
        at(tail, -half),
    ]
