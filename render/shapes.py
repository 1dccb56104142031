"""Shapes with smooth edges, as coverage masks."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from PIL import Image, ImageDraw

from render.scene import Stroke

OVERSAMPLING = 4


def draw_smooth(width: int, height: int, draw: Callable[[ImageDraw.ImageDraw], None]) -> Image.Image:
    """Return a mask. ``draw`` gets a canvas that is :data:`OVERSAMPLING` times as large."""
    large_mask = Image.new("L", (width * OVERSAMPLING, height * OVERSAMPLING))
    draw(ImageDraw.Draw(large_mask))
    return large_mask.reduce(OVERSAMPLING)


@lru_cache(maxsize=256)
def rounded_rectangle(width: int, height: int, radius: int) -> Image.Image:
    corner = width * OVERSAMPLING - 1, height * OVERSAMPLING - 1
    radius = min(radius, width // 2, height // 2) * OVERSAMPLING
    return draw_smooth(width, height, lambda draw: draw.rounded_rectangle((0, 0, *corner), radius, fill=255))


@lru_cache(maxsize=64)
def disc(diameter: int) -> Image.Image:
    end = diameter * OVERSAMPLING - 1
    return draw_smooth(diameter, diameter, lambda draw: draw.ellipse((0, 0, end, end), fill=255))


_RING_DASHES: dict[Stroke | None, int] = {Stroke.RED: 6, Stroke.YELLOW: 12}
"""Number of dashes or dots in a ring."""
_DASH_PERIOD: dict[Stroke | None, float] = {Stroke.RED: 0.42, Stroke.YELLOW: 0.25}
"""Distance from one dash or dot to the next in an arrow's shaft, as a fraction of a square's side."""
_FILLED_SHARE: dict[Stroke | None, float] = {Stroke.RED: 0.6, Stroke.YELLOW: 0.45}
"""The fraction of a dashed or dotted ring or shaft that is filled."""


@lru_cache(maxsize=64)
def ring(diameter: int, thickness: int, stroke: Stroke | None = None, outline_width: int = 0) -> Image.Image:
    """Return the mask of a ring.

    If ``outline_width`` is not 0, the ring has an outline of this width in pixels, which ``diameter`` and ``thickness`` include.
    Each dash is then longer by this width at each end, and a double ring has no gap.
    """
    large_mask = Image.new("L", (diameter * OVERSAMPLING,) * 2)
    draw = ImageDraw.Draw(large_mask)
    inset = thickness * OVERSAMPLING
    outer_box = (0, 0, large_mask.width - 1, large_mask.height - 1)
    if dashes := _RING_DASHES.get(stroke):
        period, filled_share = 360 / dashes, _FILLED_SHARE[stroke]
        extra = math.degrees(2 * outline_width / diameter)
        for dash in range(dashes):
            start = dash * period - filled_share * period / 2
            draw.pieslice(outer_box, start - extra, start + filled_share * period + extra, fill=255)
    else:
        draw.ellipse(outer_box, fill=255)
    draw.ellipse((inset, inset, large_mask.width - 1 - inset, large_mask.height - 1 - inset), fill=0)
    if stroke is Stroke.BLUE and not outline_width:
        for distance, fill in ((inset * 3 // 10, 0), (inset * 7 // 10, 255), (inset, 0)):
            draw.ellipse(
                (distance, distance, large_mask.width - 1 - distance, large_mask.height - 1 - distance),
                fill=fill,
            )
    return large_mask.reduce(OVERSAMPLING)


@lru_cache(maxsize=64)
def corner_triangle(side: int) -> Image.Image:
    """Return the mask of the upper right half of a square."""
    end = side * OVERSAMPLING - 1
    return draw_smooth(side, side, lambda draw: draw.polygon([(0, 0), (end, 0), (end, end)], fill=255))


@lru_cache(maxsize=64)
def star(diameter: int) -> Image.Image:
    outer = diameter * OVERSAMPLING / 2
    points = []
    for corner in range(10):
        radius = outer * 0.46 if corner % 2 else outer
        angle = math.pi * corner / 5
        # The star has no point at the bottom, so it is moved down by 6% of its radius to look centred.
        points.append((outer + radius * math.sin(angle), outer * 1.06 - radius * math.cos(angle)))
    return draw_smooth(diameter, diameter, lambda draw: draw.polygon(points, fill=255))


Point = tuple[float, float]


@lru_cache(maxsize=256)
def arrow(
    size: int, start: Point, end: Point, unit: int, outline_width: int, *, stroke: Stroke | None = None
) -> Image.Image:
    """Return a mask of the part of an arrow that is on one square.

    ``start`` and ``end`` are relative to the square. The thickness is proportional to ``unit``. ``outline_width`` widens the shape on
    every side.
    """
    large_mask = Image.new("L", (size * OVERSAMPLING,) * 2)
    draw = ImageDraw.Draw(large_mask)
    for index, shape in enumerate(_arrow_shapes(start, end, unit, stroke)):
        # Coordinates are rounded down, not towards zero, so that an arrow's parts on different squares fit together.
        points = [(_whole_pixel(x), _whole_pixel(y)) for x, y in shape]
        # The second polygon of a blue arrow is the gap in its double line.
        hollow = stroke is Stroke.BLUE and index
        if hollow and outline_width:
            continue
        draw.polygon(points, fill=0 if hollow else 255)
        if outline_width:
            draw.line([*points, *points[:2]], fill=255, width=2 * outline_width * OVERSAMPLING, joint="curve")
    return large_mask.reduce(OVERSAMPLING)


def _whole_pixel(coordinate: float) -> int:
    # Round, because floating-point errors differ from square to square.
    return math.floor(round(coordinate * OVERSAMPLING, 6))


def _arrow_shapes(start: Point, end: Point, unit: int, stroke: Stroke | None) -> list[list[Point]]:
    """Return the corners of an arrow's polygons.

    A solid arrow has one polygon. A double-line arrow has a second polygon for the gap in its shaft. A dashed or dotted arrow has one
    for the head, and one for each dash or dot.
    """
    length = math.dist(start, end)
    along = (end[0] - start[0]) / length, (end[1] - start[1]) / length

    def point(forward: float, sideways: float) -> Point:
        return (
            start[0] + along[0] * forward - along[1] * sideways,
            start[1] + along[1] * forward + along[0] * sideways,
        )

    tail, neck, tip = 0.3 * unit, length - 0.3 * unit, length + 0.08 * unit
    half, head = 0.065 * unit, 0.2 * unit

    def bar(first: float, last: float, half: float) -> list[Point]:
        return [point(first, half), point(last, half), point(last, -half), point(first, -half)]

    arrowhead = [point(neck, head), point(tip, 0), point(neck, -head)]
    period, filled_share = _DASH_PERIOD.get(stroke, 0) * unit, _FILLED_SHARE.get(stroke, 1)
    if not period:
        shaft = bar(tail, neck, half)
        outline = [*shaft[:2], *arrowhead, *shaft[2:]]
        return [outline, bar(tail, neck, 0.022 * unit)] if stroke is Stroke.BLUE else [outline]
    parts = [arrowhead]
    last = neck - (1 - filled_share) * period
    while last > tail + filled_share * period / 2:
        parts.append(bar(max(tail, last - filled_share * period), last, half))
        last -= period
    return parts
