"""Signs on a chart: of lines and of marked turns, bars at the foot, and a vertical line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw

from render import shapes
from render.drawing import Pen
from render.fonts import Font, text_width
from render.scene import ChartScene
from render.theme import LINES, Colour
from render.writing import printable

MARKS = 3
"""Kinds of marks: each has a shape, a size and a colour of its own."""
_SHAPES = ((0, Colour.QUIET, 0.5), (2, Colour.WORD_3, 0.64), (3, Colour.INK, 0.8))
"""The sign, its colour, and its size in units: disc, diamond, triangle."""
_MARK = 0.55
_HALO = 0.55 * 1.45
"""A mark's radius, and that of its light edge, as shares of half its sprite."""
_BARS = 5
"""The part of the height that bars take: a fifth."""
_PALE = 110
SOLID = tuple(255 if coverage >= 32 else 0 for coverage in range(256))


@dataclass(frozen=True, slots=True)
class Plot:
    """The area of a chart's lines, and its span of values."""

    left: int
    top: int
    width: int
    height: int
    low: int
    high: int
    step: int
    """From one line across to the next."""
    last: int
    """Number of the last turn."""
    base: int
    """The value with the thicker line."""

    def x(self, turn: float) -> float:
        """Return the place of a turn."""
        return self.left + self.width * turn / max(1, self.last)

    def y(self, value: float) -> float:
        """Return the place of a value; larger ones are higher up."""
        return self.top + self.height * (self.high - value) / (self.high - self.low)


def draw_sign(draw: ImageDraw.ImageDraw, at: tuple[float, float], radius: float, number: int) -> None:
    """Draw the sign of a line: disc, square, diamond, triangle; with a hole from the fifth line on."""
    x, y = at
    shape = number % 4
    for reach, fill in ((radius, 255), (radius * 0.5, 0 if number >= len(LINES) else 255)):
        square, wide = reach * 0.9, reach * 1.2
        if shape == 0:
            draw.ellipse((x - reach, y - reach, x + reach, y + reach), fill=fill)
        elif shape == 1:
            draw.rectangle((x - square, y - square, x + square, y + square), fill=fill)
        elif shape == 2:
            draw.polygon([(x, y - wide), (x + wide, y), (x, y + wide), (x - wide, y)], fill=fill)
        else:
            draw.polygon([(x, y - wide), (x + wide, y + reach), (x - wide, y + reach)], fill=fill)


def sign_sprite(pen: Pen, number: int, side: int) -> Image.Image:
    """Return a line's sign, as large as its name."""
    return _mask(number, side, 0.66).point(pen.palette.ramp(Colour.PAGE, LINES[number % len(LINES)]))


def star_sprite(pen: Pen, side: int) -> Image.Image:
    """Return the sign of a marked turn, such as a bingo."""
    return shapes.star(side).point(pen.palette.ramp(Colour.PAGE, Colour.INK))


def mark_sprite(pen: Pen, kind: int, side: int) -> Image.Image:
    """Return the sign of a kind of mark on the page."""
    number, colour, _ = _SHAPES[kind]
    return _mask(number, side, _MARK).point(pen.palette.ramp(Colour.PAGE, colour))


def _mask(number: int, side: int, scale: float) -> Image.Image:
    """Return the mask of a sign whose radius is a share of half its side."""
    middle = side * shapes.OVERSAMPLING / 2
    return shapes.smooth(side, side, lambda draw: draw_sign(draw, (middle, middle), middle * scale, number))


def add_marks(
    pen: Pen, canvas: Image.Image, points: Sequence[tuple[float, float]], scene: ChartScene, unit: int
) -> None:
    """Draw the marks on the first line, the last kind over the others, each with a light edge."""
    for turn, kind in sorted(scene.marks, key=lambda mark: mark[1]):
        if not 0 <= turn < len(points):
            continue
        number, _, size = _SHAPES[kind]
        side = max(11, round(unit * size)) | 1
        x, y = (round(value) - side // 2 for value in points[turn])
        canvas.paste(mark_sprite(pen, kind, side), (x, y), _mask(number, side, _HALO).point(SOLID))


def add_bars(pen: Pen, canvas: Image.Image, plot: Plot, scene: ChartScene) -> None:
    """Draw a bar for each turn at the foot of the chart, the highest a fifth of it."""
    most = max(scene.bars, default=0)
    if not most or not plot.last:
        return
    width = max(2, round(plot.width / plot.last * 0.5))
    ink = pen.palette.ramp(Colour.PAGE, Colour.QUIET)[_PALE]
    for turn, value in enumerate(scene.bars[: plot.last], start=1):
        height = round(plot.height / _BARS * value / most)
        if height:
            x = round(plot.x(turn) - width / 2)
            canvas.paste(ink, (x, plot.top + plot.height - height, x + width, plot.top + plot.height))


def add_bound(pen: Pen, canvas: Image.Image, plot: Plot, scene: ChartScene, unit: int) -> None:
    """Draw a dashed line from top to bottom at a turn, with its name beside it."""
    if scene.bound is None or not 0 <= scene.bound[0] <= plot.last:
        return
    turn, name = scene.bound
    x, dash = round(plot.x(turn)), max(3, unit // 5)
    ink = pen.palette.solid(Colour.QUIET)
    for y in range(plot.top, plot.top + plot.height, 2 * dash):
        canvas.paste(ink, (x, y, x + 2, min(y + dash, plot.top + plot.height)))
    font = Font(round(unit * 0.45), strong=False)
    if printable(name):
        sprite = pen.line(name, font, Colour.PAGE, Colour.QUIET)
        beside = x - text_width(name, font) - dash if turn * 2 > plot.last else x + dash
        foot = plot.top + plot.height - plot.height // _BARS
        canvas.paste(sprite, (max(0, beside), foot - sprite.height))
