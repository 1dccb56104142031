"""Rebuilds the shipped chess pieces: ``python -m training.pieces``.

It requires CairoSVG and python-chess, which contains the drawings. The drawings are by Colin M. L. Burnett and are available
under several licences, including the BSD licence.
"""

from __future__ import annotations

import importlib
import io
from pathlib import Path

from PIL import Image

ATLAS_PATH = Path(__file__).parents[1] / "render" / "assets" / "pieces" / "burnett.png"
PIECE_SIDE = 128
"""Width and height of a piece in pixels, and of the largest square that the bot draws."""
PIECE_ORDER = "KQRBNP"
"""The pieces from left to right, white in the upper row and black in the lower row."""


def rasterize(letter: str) -> Image.Image:
    """Return a piece, by its letter in FEN notation, as luminance and alpha (mode LA)."""
    # These packages have no type hints, so they are imported through importlib.
    drawings: dict[str, str] = importlib.import_module("chess.svg").PIECES
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 45 45">{drawings[letter]}</svg>'
    data = importlib.import_module("cairosvg").svg2png(
        svg.encode(), output_width=PIECE_SIDE, output_height=PIECE_SIDE
    )
    return Image.open(io.BytesIO(data)).convert("LA")


def main() -> None:
    atlas = Image.new("LA", (PIECE_SIDE * len(PIECE_ORDER), PIECE_SIDE * 2))
    for row, letters in enumerate((PIECE_ORDER, PIECE_ORDER.lower())):
        for column, letter in enumerate(letters):
            atlas.paste(rasterize(letter), (column * PIECE_SIDE, row * PIECE_SIDE))
    ATLAS_PATH.parent.mkdir(exist_ok=True)
    atlas.save(ATLAS_PATH, optimize=True)


if __name__ == "__main__":
    main()
