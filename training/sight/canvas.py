"""Canvases for synthetic boards, and random colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from numpy.random import Generator
from PIL import Image, ImageDraw, ImageFont

from bot.sight.squares import Grid, Pixels, cut_squares
from training.sight.degrading import Colour, mix, random_colour

BOARD_SIDE = 15
Frame: TypeAlias = "tuple[float, float, float]"
"""A board's left and top edges in a picture, and the side length of a square."""
WHITE, BLACK = (255, 255, 255), (0, 0, 0)


@dataclass(frozen=True, slots=True)
class Canvas:
    """A picture with a board. ``side`` is the side of a square, and ``margin`` the width of the border, in pixels."""

    picture: Image.Image
    rng: Generator
    font_files: Sequence[Path]
    side: int
    margin: int

    @property
    def pen(self) -> ImageDraw.ImageDraw:
        return ImageDraw.Draw(self.picture)

    @property
    def frame(self) -> Frame:
        return float(self.margin), float(self.margin), float(self.side)

    def font(self, size: float) -> ImageFont.FreeTypeFont:
        file = self.font_files[int(self.rng.integers(len(self.font_files)))]
        return ImageFont.truetype(file, max(5, round(size)))

    def corner_of(self, index: int) -> tuple[int, int]:
        row, column = divmod(index, BOARD_SIDE)
        return self.margin + column * self.side, self.margin + row * self.side


def cut_displaced(
    picture: Image.Image, frame: Frame, row_length: int, rng: Generator, deviation: float
) -> Pixels:
    """Cut out the squares of a board, with randomly displaced edges. ``deviation`` is in squares."""
    left, top, side = frame
    offsets = rng.normal(0, deviation, 4) * side
    width, height = ((row_length * side + extra) / row_length for extra in offsets[2:])
    return cut_squares(
        picture, Grid(left + offsets[0], top + offsets[1], width, height, row_length, row_length)
    )


def surface_colour(rng: Generator) -> Colour:
    """Return a random colour for a square, a tile or a background: often pale, sometimes dark."""
    kind = rng.random()
    if kind < 0.4:
        return mix(random_colour(rng), (255, 255, 255), rng.uniform(0.5, 1))
    if kind < 0.6:
        return mix(random_colour(rng), (0, 0, 0), rng.uniform(0.4, 0.95))
    return random_colour(rng)


def contrasting_colour(rng: Generator, other: Colour, min_distance: int) -> Colour:
    """Return a random colour that is darker or lighter than ``other`` by at least ``min_distance``, which must be below 128."""
    for _ in range(60):
        kind = rng.random()
        candidate = (
            ((0, 0, 0), (255, 255, 255), (40, 40, 40))[int(rng.integers(3))]
            if kind < 0.4
            else random_colour(rng)
        )
        if abs(brightness_of(candidate) - brightness_of(other)) >= min_distance:
            return candidate
    return (0, 0, 0) if brightness_of(other) > 127 else (255, 255, 255)


def brightness_of(tint: Colour) -> float:
    """Return the brightness of a colour, from 0 to 255."""
    red, green, blue = tint
    return 0.3 * red + 0.59 * green + 0.11 * blue
