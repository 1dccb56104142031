"""Finished pictures out of drawings."""

from __future__ import annotations

from threading import local

from PIL import Image

from render.carried import write
from render.drawing import Drawing, Pen
from render.encode import Compression, encode_png
from render.scene import RenderedImage
from render.theme import Colour


def to_png(drawing: Drawing, pen: Pen, compression: Compression, carried: str = "") -> RenderedImage:
    """Return a drawing on its page as a PNG file that carries a text."""
    size = (drawing.width + 1, drawing.height)
    if _spare.canvas is None or _spare.canvas.size != size:
        _spare.canvas = Image.new("L", size)
    _paint(drawing, pen, _spare.canvas)
    rows = _spare.canvas.tobytes()
    colours = pen.palette.colours
    text = b""
    if carried:
        pixels = _spare.canvas.crop((1, 0, *size)).tobytes()
        text = write(carried, pixels, drawing.width, drawing.height, colours)
    data = encode_png(rows, drawing.width, drawing.height, colours, compression, text=text)
    return RenderedImage(data, drawing.width, drawing.height)


def filtered_rows(drawing: Drawing, pen: Pen) -> Image.Image:
    """Return a drawing in palette indexes, with one column more at the left: the filter byte 0 of each row.

    That column is what PNG wants before every row; having it in the picture costs nothing.
    """
    canvas = Image.new("L", (drawing.width + 1, drawing.height))
    _paint(drawing, pen, canvas)
    return canvas


def _paint(drawing: Drawing, pen: Pen, canvas: Image.Image) -> None:
    canvas.paste(0, (0, 0, 1, canvas.height))
    canvas.paste(pen.palette.solid(Colour.PAGE), (1, 0, canvas.width, canvas.height))
    drawing.paint(canvas, 1, 0)


class _Spare(local):
    """Each thread's canvas: fresh memory of that size costs more than drawing on it does."""

    canvas: Image.Image | None = None


_spare = _Spare()
