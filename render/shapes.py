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
