"""Canvases for synthetic boards, and random colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from PIL import Image, ImageDraw, ImageFont

from bot.sight.squares import Grid, Pixels, cut
from training.sight.spoiling import Colour, Random, colour, mix

ROWS = 15
Frame: TypeAlias = "tuple[float, float, float]"
"""Where a board is in a picture: its left and upper edge, and the side of a square."""
WHITE, BLACK = (255, 255, 255), (0, 0, 0)


@dataclass(frozen=True, slots=True)
class Canvas:
    """A picture with a board. ``side`` is the side of a square, and ``margin`` the width around the board, in pixels."""

    picture: Image.Image
    random: Random
    files: Sequence[Path]
    """The fonts to choose from."""
    side: int
    margin: int

    @property
    def pen(self) -> ImageDraw.ImageDraw:
        """A pen for this canvas."""
        return ImageDraw.Draw(self.picture)

    @property
    def frame(self) -> Frame:
        """The frame of the board."""
        return float(self.margin), float(self.margin), float(self.side)

    def font(self, size: float) -> ImageFont.FreeTypeFont:
        """Return a random font."""
        file = self.files[int(self.random.integers(len(self.files)))]
        return ImageFont.truetype(file, max(5, round(size)))

    def at(self, index: int) -> tuple[int, int]:
        """Return the upper left corner of a square."""
        row, column = divmod(index, ROWS)
        return self.margin + column * self.side, self.margin + row * self.side


def cut_near(picture: Image.Image, frame: Frame, count: int, random: Random, deviation: float) -> Pixels:
    """Cut out a board of ``count`` × ``count`` squares, displaced by a standard deviation in squares."""
    left, top, side = frame
    offsets = random.normal(0, deviation, 4) * side
    width, height = ((count * side + more) / count for more in offsets[2:])
    return cut(picture, Grid(left + offsets[0], top + offsets[1], width, height, count, count))


def soft_colour(random: Random) -> Colour:
    """Return a colour for a board or a tile, often pale or dark."""
    kind = random.random()
    if kind < 0.4:
        return mix(colour(random), (255, 255, 255), random.uniform(0.5, 1))
    if kind < 0.6:
        return mix(colour(random), (0, 0, 0), random.uniform(0.4, 0.95))
    return colour(random)


def distant_colour(random: Random, other: Colour, min_distance: int) -> Colour:
    """Return a colour that is clearly brighter or darker than another."""
    for _ in range(60):
        kind = random.random()
        found = (
            ((0, 0, 0), (255, 255, 255), (40, 40, 40))[int(random.integers(3))]
            if kind < 0.4
            else colour(random)
        )
        if abs(shade_of(found) - shade_of(other)) >= min_distance:
            return found
    return (0, 0, 0) if shade_of(other) > 127 else (255, 255, 255)


def shade_of(tint: Colour) -> float:
    """Return how bright a colour looks, from 0 to 255."""
    red, green, blue = tint
    return 0.3 * red + 0.59 * green + 0.11 * blue
