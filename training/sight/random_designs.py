"""Random piece designs, built from the parts that published sets have in common: a foot, a body and a head."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from PIL import Image, ImageDraw, ImageFilter

from training.sight.pieces import SIZE, Design

_SCALE = 4
"""Pieces are drawn this many times larger, and then scaled down."""
_HORSE_HEAD: tuple[tuple[float, float], ...] = (
    (0.9, 0.0),
    (0.95, 0.3),
    (0.6, 0.62),
    (0.3, 0.8),
    (0.15, 1.0),
    (0.02, 0.86),
    (-0.25, 0.74),
    (-0.6, 0.52),
    (-0.85, 0.36),
    (-0.75, 0.2),
    (-0.5, 0.24),
    (-0.15, 0.36),
    (-0.3, 0.2),
    (-0.7, 0.0),
)
"""The origin is the middle of the base; x goes right and y goes up."""


class _DesignParameters:
    """The proportions and features of a design. Lengths are fractions of a square."""

    def __init__(self, rng: Generator) -> None:
        self.rng = rng
        self.foot_half_width = rng.uniform(0.24, 0.4)
        self.foot_height = rng.uniform(0.06, 0.14)
        self.waist_share = rng.uniform(0.25, 0.75)
        self.has_collar = rng.random() < 0.5
        self.has_steps = rng.random() < 0.4
        self.bottom_margin = rng.uniform(0.03, 0.12)
        self.line_width = rng.uniform(0.012, 0.045)
        self.has_details = rng.random() < 0.75
        self.heights = {
            "K": rng.uniform(0.78, 0.92),
            "Q": rng.uniform(0.72, 0.9),
            "B": rng.uniform(0.66, 0.86),
            "N": rng.uniform(0.66, 0.84),
            "R": rng.uniform(0.58, 0.8),
            "P": rng.uniform(0.48, 0.7),
        }
        self.crown_point_count = int(rng.integers(3, 8))
        self.has_balls = rng.random() < 0.6
        self.has_plain_queen = rng.random() < 0.25
        self.king_top = str(rng.choice(("cross", "cross", "cross", "wide", "spire")))
        self.has_king_dome = rng.random() < 0.6
        self.slit = str(rng.choice(("slant", "cross", "none", "slant")))
        self.tooth_count = int(rng.integers(3, 6))
        self.head = np.array(_HORSE_HEAD) + rng.normal(0, 0.035, (len(_HORSE_HEAD), 2))


class _Pen:
    """Draws the mask of a piece and the lines inside it. The origin is the middle of the base; x goes right and y goes up."""

    def __init__(self, parameters: _DesignParameters) -> None:
        self.side = SIZE * _SCALE
        self.bottom_margin = parameters.bottom_margin
        self.mask = Image.new("L", (self.side, self.side))
        self.inner = Image.new("L", (self.side, self.side))
        self._shape, self._line = ImageDraw.Draw(self.mask), ImageDraw.Draw(self.inner)
        self._width = max(2, round(parameters.line_width * self.side))

    def _at(self, x: float, y: float) -> tuple[float, float]:
        return self.side * (0.5 + x), self.side * (1 - self.bottom_margin - y)

    def shape(self, *points: tuple[float, float]) -> None:
        self._shape.polygon([self._at(*point) for point in points], 255)

    def mirrored_shape(self, *points: tuple[float, float]) -> None:
        """Fill the shape between a profile on the right and its mirror image."""
        self.shape(*points, *((-x, y) for x, y in reversed(points)))

    def ball(self, x: float, y: float, radius: float, height_factor: float = 1) -> None:
        left, top = self._at(x - radius, y + radius * height_factor)
        right, bottom = self._at(x + radius, y - radius * height_factor)
        self._shape.ellipse((left, top, right, bottom), 255)

    def line(self, *points: tuple[float, float]) -> None:
        self._line.line([self._at(*point) for point in points], 255, self._width)


def _draw_foot(pen: _Pen, parameters: _DesignParameters, neck: float, width_factor: float = 1.0) -> float:
    """Draw the foot, and the body up to the height ``neck``. Return half the width of the body there."""
    half_width, foot_height = parameters.foot_half_width * width_factor, parameters.foot_height
    waist_half_width = half_width * parameters.waist_share
    pen.mirrored_shape((half_width, 0), (half_width, foot_height))
    if parameters.has_steps:
        pen.mirrored_shape((half_width * 0.82, foot_height), (half_width * 0.82, foot_height * 1.7))
        pen.line((-half_width * 0.82, foot_height), (half_width * 0.82, foot_height))
    pen.mirrored_shape(
        (half_width * 0.85, foot_height),
        (waist_half_width * 1.1, (foot_height + neck) / 2),
        (waist_half_width, neck),
    )
    if parameters.has_collar:
        pen.mirrored_shape((waist_half_width * 1.35, neck - 0.035), (waist_half_width * 1.35, neck))
        pen.line((-waist_half_width, neck - 0.04), (waist_half_width, neck - 0.04))
    pen.line((-half_width * 0.8, foot_height), (half_width * 0.8, foot_height))
    return waist_half_width


def _draw_pawn(pen: _Pen, parameters: _DesignParameters) -> None:
    top = parameters.heights["P"]
    radius = top * parameters.rng.uniform(0.17, 0.24)
    _draw_foot(pen, parameters, top - 1.7 * radius, 0.8)
    pen.ball(0, top - radius, radius)


def _draw_rook(pen: _Pen, parameters: _DesignParameters) -> None:
    top = parameters.heights["R"]
    neck, half_width = top * 0.66, parameters.foot_half_width * 0.8
    _draw_foot(pen, parameters, neck)
    pen.mirrored_shape((half_width * 0.8, neck), (half_width, neck + 0.04), (half_width, top * 0.9))
    step = 2 * half_width / (2 * parameters.tooth_count - 1)
    for tooth in range(parameters.tooth_count):
        left = -half_width + 2 * tooth * step
        pen.shape((left, top * 0.85), (left, top), (left + step, top), (left + step, top * 0.85))
    pen.line((-half_width, neck + 0.05), (half_width, neck + 0.05))


def _draw_bishop(pen: _Pen, parameters: _DesignParameters) -> None:
    top = parameters.heights["B"]
    neck, half_width = top * 0.48, parameters.foot_half_width * 0.55
    _draw_foot(pen, parameters, neck, 0.9)
    pen.ball(0, neck + (top - neck) * 0.42, half_width, (top - neck) * 0.42 / half_width)
    pen.mirrored_shape((half_width * 0.75, neck + (top - neck) * 0.6), (0.01, top * 0.96))
    if parameters.has_balls:
        pen.ball(0, top * 0.97, 0.035)
    middle = neck + (top - neck) * 0.45
    if parameters.slit == "slant":
        pen.line((0, middle), (half_width * 0.7, middle + half_width))
    elif parameters.slit == "cross":
        pen.line((0, middle - half_width * 0.5), (0, middle + half_width * 0.5))
        pen.line((-half_width * 0.4, middle), (half_width * 0.4, middle))


def _draw_queen(pen: _Pen, parameters: _DesignParameters) -> None:
    top = parameters.heights["Q"]
    neck, half_width = top * 0.55, parameters.foot_half_width * 0.95
    body = _draw_foot(pen, parameters, neck)
    if parameters.has_plain_queen:
        pen.mirrored_shape((body, neck), (half_width, top * 0.85), (half_width * 0.3, top * 0.9))
        pen.ball(0, top * 0.95, 0.05)
        return
    positions = np.linspace(-half_width, half_width, parameters.crown_point_count)
    crown = [(-body, neck)]
    for number, position in enumerate(positions):
        crown.append((float(position), top - 0.06 * abs(number - (parameters.crown_point_count - 1) / 2)))
        if number + 1 < parameters.crown_point_count:
            crown.append((float(position + positions[number + 1]) / 2 * 0.9, neck + (top - neck) * 0.4))
    pen.shape(*crown, (body, neck))
    if parameters.has_balls:
        for x, y in crown[1::2]:
            pen.ball(x, y, 0.035)
    pen.line((-body, neck + 0.06), (body, neck + 0.06))


def _draw_king(pen: _Pen, parameters: _DesignParameters) -> None:
    top = parameters.heights["K"]
    neck, half_width = top * 0.55, parameters.foot_half_width * 0.9
    body, crown = _draw_foot(pen, parameters, neck), top * 0.82
    if parameters.has_king_dome:
        for sign in (-1, 1):
            pen.ball(
                sign * half_width * 0.5,
                neck + (crown - neck) * 0.55,
                half_width * 0.52,
                (crown - neck) / half_width * 0.85,
            )
        pen.line((0, neck), (0, crown * 0.92))
        pen.mirrored_shape((body, neck - 0.02), (half_width * 0.7, neck + 0.06))
    else:
        pen.mirrored_shape((body, neck), (half_width, crown * 0.95), (half_width * 0.2, crown))
    bar_half_width = parameters.rng.uniform(0.02, 0.04)
    if parameters.king_top == "spire":
        pen.mirrored_shape((half_width * 0.25, crown * 0.95), (0.01, top))
        return
    arm = 0.12 if parameters.king_top == "wide" else 0.075
    pen.mirrored_shape((bar_half_width, crown * 0.9), (bar_half_width, top))
    level = (crown + top) / 2 + 0.01
    pen.mirrored_shape((arm, level - bar_half_width), (arm, level + bar_half_width))


def _draw_knight(pen: _Pen, parameters: _DesignParameters) -> None:
    top, half_width, foot_height = (
        parameters.heights["N"],
        parameters.foot_half_width * 0.95,
        parameters.foot_height,
    )
    pen.mirrored_shape((parameters.foot_half_width, 0), (parameters.foot_half_width, foot_height))
    pen.shape(*((x * half_width, foot_height * 0.9 + y * (top - foot_height)) for x, y in parameters.head))
    pen.line(
        (-parameters.foot_half_width * 0.8, foot_height), (parameters.foot_half_width * 0.8, foot_height)
    )
    pen.line(
        (-half_width * 0.2, foot_height + (top - foot_height) * 0.66),
        (-half_width * 0.1, foot_height + (top - foot_height) * 0.68),
    )


_DRAW_FUNCTIONS = tuple(
    zip("KQRBNP", (_draw_king, _draw_queen, _draw_rook, _draw_bishop, _draw_knight, _draw_pawn), strict=True)
)


def random_design(rng: Generator) -> Design:
    # Black's pieces have light lines, or dark lines like White's.
    parameters = _DesignParameters(rng)
    has_dark_lines = rng.random() < 0.4
    has_outline = rng.random() < 0.8
    grey = int(rng.integers(20, 120)) if has_dark_lines else int(rng.integers(0, 60))
    design = {}
    for name, draw in _DRAW_FUNCTIONS:
        pen = _Pen(parameters)
        draw(pen, parameters)
        size = (SIZE, SIZE)
        mask, inner = (layer.resize(size, Image.Resampling.BOX) for layer in (pen.mask, pen.inner))
        rim = mask.filter(ImageFilter.MaxFilter(3)) if has_outline else mask
        edge = mask.filter(ImageFilter.MinFilter(3)) if has_outline else mask
        for piece, face, ink in ((name, 255, 0), (name.lower(), grey, 0 if has_dark_lines else 255)):
            picture = Image.new("RGBA", size, (0 if piece.isupper() or has_dark_lines else grey,) * 3)
            picture.paste((face, face, face), (0, 0), edge)
            if parameters.has_details:
                picture.paste((ink, ink, ink), (0, 0), Image.composite(inner, Image.new("L", size), edge))
            picture.putalpha(rim)
            design[piece] = picture
    return design
