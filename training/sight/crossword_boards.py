"""Draws synthetic pictures of crossword boards with known tiles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.random import Generator
from PIL import Image

from bot.sight.tiles import LETTERS
from training.sight.canvas import BOARD_SIDE, Canvas, Frame, brightness_of, contrasting_colour, surface_colour
from training.sight.degrading import Colour, degrade, mix, random_colour
from training.sight.tiles import PLAIN_TILES, TileMix, draw_tiles, random_style

_BONUS_LABELS = (
    ("2L", "3L", "2W", "3W"),
    ("DL", "TL", "DW", "TW"),
    ("DLS", "TLS", "DWS", "TWS"),
    ("2×L", "3×L", "2×W", "3×W"),
    ("L2", "L3", "W2", "W3"),
    ("2×", "3×", "2×", "3×"),
    ("DOUBLE\nLETTER\nSCORE", "TRIPLE\nLETTER\nSCORE", "DOUBLE\nWORD\nSCORE", "TRIPLE\nWORD\nSCORE"),
    ("'", '"', "-", "="),
)
_CENTRE_CHARACTERS = "★✦◆●*+"
_CENTRE_SQUARE = BOARD_SIDE**2 // 2
_MIN_PLAIN_TILES = 12


@dataclass(frozen=True, slots=True)
class CrosswordPicture:
    """A picture of a board, and the contents of its squares, row by row from the upper left."""

    picture: Image.Image
    frame: Frame
    classes: list[int]
    """0 for an empty square, a letter's index in :data:`LETTERS` plus 1, or :data:`OTHER_LETTER`."""
    styles: list[int]
    """Sums of :data:`LOWERCASE` and :data:`RINGED`; 0 for a plain tile or an empty square."""
    characters: list[int]
    """Classes of :mod:`training.sight.characters`. For an empty square, the number has no meaning."""
    is_bonus: list[bool]


def crossword_picture(
    rng: Generator, font_files: Sequence[Path], tile_mix: TileMix = PLAIN_TILES
) -> CrosswordPicture:
    canvas, background, base = _new_canvas(rng, font_files)
    style = random_style(canvas, base)
    bonus, square_colours = _draw_squares(canvas, base)
    classes, styles, characters = draw_tiles(canvas, style, square_colours, tile_mix)
    if rng.random() < 0.6:
        _draw_coordinates(canvas, background)
    return CrosswordPicture(degrade(canvas.picture, rng), canvas.frame, classes, styles, characters, bonus)


def empty_board(rng: Generator, font_files: Sequence[Path]) -> tuple[Canvas, list[Colour], Colour]:
    """Return a board without tiles, the colours of its squares, and the most common colour."""
    canvas, background, base = _new_canvas(rng, font_files)
    _, square_colours = _draw_squares(canvas, base)
    if rng.random() < 0.6:
        _draw_coordinates(canvas, background)
    return canvas, square_colours, base


def _new_canvas(rng: Generator, font_files: Sequence[Path]) -> tuple[Canvas, Colour, Colour]:
    """Return a canvas without a board, the colour around the board, and the colour of most squares."""
    side = int(rng.choice((rng.integers(12, 20), rng.integers(16, 30), rng.integers(24, 50))))
    margin = int(side * rng.uniform(0.3, 1.3))
    base = surface_colour(rng)
    background = random_colour(rng) if rng.random() < 0.5 else mix(base, (0, 0, 0), rng.uniform(0, 0.5))
    size = BOARD_SIDE * side + 2 * margin
    return Canvas(Image.new("RGB", (size, size), background), rng, font_files, side, margin), background, base


def _draw_squares(canvas: Canvas, base: Colour) -> tuple[list[bool], list[Colour]]:
    """Draw the empty board. For each square, return whether it is a bonus square, and its colour."""
    pen, rng, side, margin = canvas.pen, canvas.rng, canvas.side, canvas.margin
    line = (
        contrasting_colour(rng, base, 12)
        if rng.random() < 0.5
        else mix(base, (0, 0, 0), rng.uniform(0.05, 0.5))
    )
    gap = int(rng.choice((0, 1, 1, 1, 2, max(1, side // 12))))
    radius = side * rng.uniform(0, 0.25) if rng.random() < 0.25 else 0
    has_bevel = rng.random() < 0.15
    pen.rectangle(
        (margin - gap, margin - gap, margin + BOARD_SIDE * side, margin + BOARD_SIDE * side),
        line if gap else base,
    )
    bonus_colours = [surface_colour(rng) if rng.random() < 0.3 else random_colour(rng) for _ in range(4)]
    if rng.random() < 0.25:
        bonus_colours = [mix(base, colour, rng.uniform(0.15, 0.5)) for colour in bonus_colours]
    labels = _BONUS_LABELS[int(rng.integers(len(_BONUS_LABELS)))]
    has_labels = rng.random() < 0.65
    has_long_labels = "\n" in labels[0]
    font = canvas.font(side * (rng.uniform(0.16, 0.22) if has_long_labels else rng.uniform(0.25, 0.6)))
    has_faint_labels = rng.random() < 0.4
    share = rng.uniform(0.15, 0.4)
    centre_kind = rng.random()
    bonus, square_colours = [], []
    for index in range(BOARD_SIDE * BOARD_SIDE):
        x, y = canvas.corner_of(index)
        is_bonus = bool(rng.random() < share) or (index == _CENTRE_SQUARE and centre_kind < 0.7)
        kind = int(rng.integers(4))
        colour = bonus_colours[kind] if is_bonus else base
        box = (x, y, x + side - 1 - gap, y + side - 1 - gap)
        if radius:
            pen.rounded_rectangle(box, radius, colour)
        else:
            pen.rectangle(box, colour)
        if has_bevel:
            pen.line((x, y, x + side - gap, y), mix(colour, (255, 255, 255), 0.5))
            pen.line((x, y, x, y + side - gap), mix(colour, (255, 255, 255), 0.5))
        if is_bonus and (has_labels or index == _CENTRE_SQUARE):
            ink = mix(
                colour,
                (255, 255, 255) if brightness_of(colour) < 128 else (0, 0, 0),
                rng.uniform(0.15, 0.5) if has_faint_labels else 0.9,
            )
            text = labels[kind]
            if index == _CENTRE_SQUARE and centre_kind < 0.5:
                text = _CENTRE_CHARACTERS[int(rng.integers(len(_CENTRE_CHARACTERS)))]
            lines = text.split("\n")
            for number, part in enumerate(lines):
                y_offset = (number - (len(lines) - 1) / 2) * font.size * 1.05
                pen.text((x + side / 2, y + side / 2 + y_offset), part, ink, font, anchor="mm")
        bonus.append(is_bonus)
        square_colours.append(colour)
    return bonus, square_colours


def _draw_coordinates(canvas: Canvas, background: Colour) -> None:
    pen, rng, side, margin = canvas.pen, canvas.rng, canvas.side, canvas.margin
    font = canvas.font(min(margin * 0.8, side * rng.uniform(0.3, 0.6)))
    ink = contrasting_colour(rng, background, 60)
    for number in range(BOARD_SIDE):
        middle = margin + (number + 0.5) * side
        pen.text((middle, margin / 2), LETTERS[number], ink, font, anchor="mm")
        pen.text((margin / 2, middle), str(number + 1), ink, font, anchor="mm")


def squares_to_learn(board: CrosswordPicture, rng: Generator) -> Iterator[int]:
    """Yield all tiles of a picture, and about half as many empty squares."""
    tiles = [square for square, square_class in enumerate(board.classes) if square_class]
    empty_squares = [square for square, square_class in enumerate(board.classes) if not square_class]
    # Bonus squares are chosen more often, because their labels look like letters.
    weights = np.array([3.0 if board.is_bonus[square] else 1.0 for square in empty_squares])
    yield from tiles
    count = min(len(empty_squares), len(tiles) // 2 + 4)
    yield from (
        int(square) for square in rng.choice(empty_squares, count, replace=False, p=weights / weights.sum())
    )


def tiles_to_learn(board: CrosswordPicture, rng: Generator) -> Iterator[int]:
    """Yield all tiles with a special style, and twice as many plain tiles, but at least :data:`_MIN_PLAIN_TILES` if possible."""
    special_tiles = [square for square, style in enumerate(board.styles) if style]
    plain_tiles = [
        square
        for square, square_class in enumerate(board.classes)
        if square_class and not board.styles[square]
    ]
    yield from special_tiles
    # A few plain tiles suffice, because most tiles of a picture look alike.
    count = min(len(plain_tiles), max(2 * len(special_tiles), _MIN_PLAIN_TILES))
    yield from (int(square) for square in rng.choice(plain_tiles, count, replace=False))
