"""Chess pieces, drawn once for a theme and size and kept."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from io import BytesIO

from PIL import Image

from render.drawing import Pen
from render.scene import Piece, PieceKind
from render.theme import Colour

_ATLAS_SIDE = 128
_INSIDE = tuple(255 if coverage >= 230 else 0 for coverage in range(256))
"""Coverage from which a pixel is the piece's own; below, its black outline meets the square."""


def square_sprite(pen: Pen, piece: Piece | None, ground: Colour, cell: int, *, marked: bool) -> Image.Image:
    """Return the picture of a square with what stands on it.

    A square of the last move has a frame, one in check a frame twice as thick: neither is marked by colour alone.
    """

    def draw() -> Image.Image:
        palette = pen.palette
        canvas = Image.new("L", (cell, cell), palette.solid(ground))
        thick = max(1, round(cell / 26)) * (2 if ground is Colour.CHESS_CHECK else 1)
        if marked or ground is Colour.CHESS_CHECK:
            canvas.paste(palette.solid(Colour.CHESS_FRAME), (0, 0, cell, cell))
            canvas.paste(palette.solid(ground), (thick, thick, cell - thick, cell - thick))
        if piece is not None:
            _stamp_piece(pen, canvas, piece, ground)
        return canvas

    return pen.sprites.get((piece, ground, marked, cell), draw)


def _stamp_piece(pen: Pen, canvas: Image.Image, piece: Piece, ground: Colour) -> None:
    """Draw a piece on a square.

    All pieces have black outlines, so that only two ramps are needed: from the square to black at the outline,
    and from black to white within.
    """
    cell = canvas.width
    side = max(4, round(cell * 0.94))
    at = ((cell - side) // 2, (cell - side) // 2)
    brightness, coverage = piece_image(piece).resize((side, side), Image.Resampling.LANCZOS).split()
    pen.stamp(canvas, coverage, at, ground, Colour.CHESS_BLACK)
    inner = brightness.point(pen.palette.ramp(Colour.CHESS_BLACK, Colour.CHESS_WHITE))
    canvas.paste(inner, at, coverage.point(_INSIDE))


@cache
def piece_image(piece: Piece) -> Image.Image:
    """Return a piece as brightness and coverage, mode LA, as large as it is shipped."""
    column = [kind.value for kind in PieceKind].index(piece.kind.value) * _ATLAS_SIDE
    row = 0 if piece.white else _ATLAS_SIDE
    return _atlas().crop((column, row, column + _ATLAS_SIDE, row + _ATLAS_SIDE))


@cache
def _atlas() -> Image.Image:
    data = (files("render") / "assets" / "pieces" / "burnett.png").read_bytes()
    with Image.open(BytesIO(data)) as image:
        return image.convert("LA")
