"""Chessboards with pieces that the network was not trained on: drawn here, or from Debian's package ``knights``."""

from __future__ import annotations

import gzip
import importlib
import io
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias
from xml.etree import ElementTree as ET

import chess
from PIL import Image, ImageDraw

from .pictures import as_jpeg, position_after_moves, scaled

THEMES = Path(os.environ.get("KNIGHTS_THEMES", "/usr/share/knights/themes"))
"""Piece designs of the package ``knights``, licensed under GPL-2+."""
SIDE = 120
"""Side of a drawn piece, in pixels. The piece is then scaled down to its square."""
Design: TypeAlias = "dict[str, Image.Image]"
"""Pictures of the pieces on a transparent background, by their FEN letters."""
Colour: TypeAlias = "tuple[int, int, int]"
Points: TypeAlias = "list[tuple[float, float]]"

_NAMES = {"P": "Pawn", "N": "Knight", "B": "Bishop", "R": "Rook", "Q": "Queen", "K": "King"}


class Pen:
    """Draws the parts of a piece, with outlines. Coordinates are in hundredths of a square."""

    def __init__(self, face: Colour, line: Colour, width: float) -> None:
        self.picture = Image.new("RGBA", (2 * SIDE, 2 * SIDE))
        self._pen = ImageDraw.Draw(self.picture)
        self._face, self._line, self._width = face, line, round(width * SIDE / 50)

    def shape(self, points: Points) -> None:
        scaled_points = [(x * SIDE / 50, y * SIDE / 50) for x, y in points]
        self._pen.polygon(scaled_points, self._face, self._line, self._width)

    def ball(self, x: float, y: float, radius: float) -> None:
        box = [part * SIDE / 50 for part in (x - radius, y - radius, x + radius, y + radius)]
        self._pen.ellipse(box, self._face, self._line, self._width)

    def finish(self) -> Image.Image:
        return self.picture.resize((SIDE, SIDE), Image.Resampling.BOX)


def _draw_foot(pen: Pen, half_width: float, waist: float, top: float) -> None:
    pen.shape(
        [(50 - waist, top), (50 + waist, top), (50 + half_width * 0.7, 80), (50 - half_width * 0.7, 80)]
    )
    pen.shape([(50 - half_width, 80), (50 + half_width, 80), (50 + half_width, 90), (50 - half_width, 90)])


def _draw_pawn(pen: Pen, half_width: float) -> None:
    _draw_foot(pen, half_width * 0.85, half_width * 0.3, 48)
    pen.ball(50, 38, half_width * 0.5)


def _draw_rook(pen: Pen, half_width: float) -> None:
    _draw_foot(pen, half_width, half_width * 0.6, 38)
    teeth: Points = [(50 - half_width * 0.8, 40), (50 - half_width * 0.8, 20)]
    for left in (-0.8, -0.2, 0.4):
        teeth += [(50 + half_width * left, 20), (50 + half_width * (left + 0.4), 20)]
        if left < 0.4:
            teeth += [(50 + half_width * (left + 0.4), 27), (50 + half_width * (left + 0.6), 27)]
    pen.shape([*teeth, (50 + half_width * 0.8, 40)])


def _draw_bishop(pen: Pen, half_width: float) -> None:
    _draw_foot(pen, half_width * 0.9, half_width * 0.35, 58)
    pen.shape(
        [
            (50, 20),
            (50 + half_width * 0.6, 46),
            (50 + half_width * 0.35, 62),
            (50 - half_width * 0.35, 62),
            (50 - half_width * 0.6, 46),
        ]
    )
    pen.ball(50, 17, half_width * 0.16)
    pen.shape([(49, 30), (51, 30), (51, 50), (49, 50)])


def _draw_queen(pen: Pen, half_width: float) -> None:
    _draw_foot(pen, half_width, half_width * 0.7, 62)
    crown: Points = [(50 - half_width * 0.75, 65)]
    for number in range(5):
        x = 50 + half_width * (number - 2) * 0.5
        crown.append((x, 24 + 3 * abs(number - 2)))
        if number < 4:
            crown.append((x + half_width * 0.25, 50))
    pen.shape([*crown, (50 + half_width * 0.75, 65)])
    for number in range(5):
        pen.ball(50 + half_width * (number - 2) * 0.5, 21 + 3 * abs(number - 2), half_width * 0.15)


def _draw_king(pen: Pen, half_width: float) -> None:
    _draw_foot(pen, half_width, half_width * 0.6, 62)
    pen.shape(
        [
            (50 - half_width * 0.95, 40),
            (50 - half_width * 0.3, 32),
            (50, 42),
            (50 + half_width * 0.3, 32),
            (50 + half_width * 0.95, 40),
            (50 + half_width * 0.6, 65),
            (50 - half_width * 0.6, 65),
        ]
    )
    pen.shape(
        [
            (47, 10),
            (53, 10),
            (53, 16),
            (59, 16),
            (59, 22),
            (53, 22),
            (53, 38),
            (47, 38),
            (47, 22),
            (41, 22),
            (41, 16),
            (47, 16),
        ]
    )


def _draw_knight(pen: Pen, half_width: float) -> None:
    head: Points = [
        (0.35, 80),
        (0.45, 45),
        (0.1, 24),
        (-0.05, 14),
        (-0.2, 24),
        (-0.55, 34),
        (-1.0, 54),
        (-0.85, 62),
        (-0.45, 54),
        (-0.1, 52),
        (-0.6, 80),
    ]
    pen.shape([(50 + half_width * x + 4, y) for x, y in head])
    _draw_foot(pen, half_width, half_width * 0.75, 78)
    pen.ball(50 - half_width * 0.3 + 4, 34, 1.5)


_DRAW_FUNCTIONS: dict[str, Callable[[Pen, float], None]] = {
    "P": _draw_pawn,
    "R": _draw_rook,
    "B": _draw_bishop,
    "Q": _draw_queen,
    "K": _draw_king,
    "N": _draw_knight,
}


def drawn_design(rng: random.Random) -> Design:
    half_width, line_width = rng.uniform(21, 29), rng.uniform(1.5, 3.5)
    light, dark = rng.randrange(225, 256), rng.randrange(0, 70)
    ink = (rng.randrange(0, 40),) * 3
    tint = rng.choice((0, 0, 12))
    faces = {True: (light, light - tint, light - 2 * tint), False: (dark, dark + tint, dark + tint)}
    edge = ink if rng.random() < 0.6 else (210, 210, 210)
    design = {}
    for name, draw in _DRAW_FUNCTIONS.items():
        for white in (True, False):
            pen = Pen(faces[white], ink if white else edge, line_width)
            draw(pen, half_width)
            design[name if white else name.lower()] = pen.finish()
    return design


def knights_design(name: str) -> Design:
    svg = importlib.import_module("cairosvg").svg2png
    design = {}
    for letter, piece in _NAMES.items():
        for colour in ("White", "Black"):
            root = ET.fromstring(gzip.decompress((THEMES / f"{name}.svgz").read_bytes()))
            element_id = f"{colour}{piece}"
            _keep_only(root, element_id)
            picture = Image.open(io.BytesIO(svg(ET.tostring(root), output_width=1600))).convert("RGBA")
            cropped_picture = picture.crop(picture.getchannel("A").getbbox())
            factor = 0.86 * SIDE / max(cropped_picture.size)
            cropped_picture = cropped_picture.resize(
                (round(cropped_picture.width * factor), round(cropped_picture.height * factor)),
                Image.Resampling.LANCZOS,
            )
            canvas = Image.new("RGBA", (SIDE, SIDE))
            canvas.paste(
                cropped_picture,
                ((SIDE - cropped_picture.width) // 2, SIDE - cropped_picture.height - SIDE // 14),
            )
            design[letter if colour == "White" else letter.lower()] = canvas
    return design


def _keep_only(parent: ET.Element, element_id: str) -> bool:
    """Keep only the definitions, the element with the id ``element_id`` and its ancestors. Return whether the element exists."""
    is_found = False
    for child in list(parent):
        if child.tag.endswith("}defs") or child.get("id") == element_id:
            is_found = is_found or child.get("id") == element_id
        elif _keep_only(child, element_id):
            is_found = True
        else:
            parent.remove(child)
    return is_found


def chess_picture(rng: random.Random, design: Design) -> tuple[Image.Image, str]:
    """Return a picture of a random position, and the first field of its FEN."""
    placement = position_after_moves(rng, rng.randrange(0, 90)).split()[0]
    board, square_side = chess.Board(f"{placement} w - - 0 1"), rng.randrange(44, 90)
    light, dark = _square_colours(rng)
    white_at_bottom = rng.random() < 0.7
    left, top = rng.randrange(10, 160), rng.randrange(10, 120)
    size = (left + 8 * square_side + rng.randrange(10, 200), top + 8 * square_side + rng.randrange(10, 120))
    picture = Image.new("RGB", size, tuple(rng.randrange(256) for _ in range(3)))
    pen = ImageDraw.Draw(picture)
    for place in chess.SQUARES:
        column, row = chess.square_file(place), 7 - chess.square_rank(place)
        if not white_at_bottom:
            column, row = 7 - column, 7 - row
        x, y = left + column * square_side, top + row * square_side
        pen.rectangle((x, y, x + square_side - 1, y + square_side - 1), dark if (column + row) % 2 else light)
        piece = board.piece_at(place)
        if piece is not None:
            figure = design[piece.symbol()].resize((square_side, square_side), Image.Resampling.LANCZOS)
            picture.paste(figure, (x, y), figure)
    picture = scaled(picture, rng.uniform(0.7, 1.3))
    return (as_jpeg(picture, rng.randrange(60, 96)) if rng.random() < 0.6 else picture), placement


def _square_colours(rng: random.Random) -> tuple[Colour, Colour]:
    # Light and dark squares are darker than white pieces and lighter than black pieces.
    base = [rng.randrange(150, 236) for _ in range(3)]
    depth = rng.uniform(0.5, 0.78)
    dark = [round(part * depth * rng.uniform(0.9, 1.05)) for part in base]
    return (base[0], base[1], base[2]), (dark[0], dark[1], dark[2])
