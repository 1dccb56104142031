"""Rebuild the shipped chess pieces: ``python -m training.pieces``.

Needs python-chess, whose drawings by Colin M. L. Burnett their author also gives under the BSD licence, and
CairoSVG, which turns them into pixels. None of this runs in the bot; the atlas is committed.
"""

from __future__ import annotations

import importlib
import io
from pathlib import Path

from PIL import Image

ATLAS = Path(__file__).parents[1] / "render" / "assets" / "pieces" / "burnett.png"
SIDE = 128
"""Pixels of one piece: as large as the largest square that is drawn."""
ORDER = "KQRBNP"
"""The pieces from left to right; white above, black below."""


def rasterize(letter: str) -> Image.Image:
    """Return one piece as brightness and coverage, mode LA; ``letter`` in FEN notation."""
    # By name, because they are wanted here alone: neither is needed to draw.
    drawings: dict[str, str] = importlib.import_module("chess.svg").PIECES
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 45 45">{drawings[letter]}</svg>'
    data = importlib.import_module("cairosvg").svg2png(svg.encode(), output_width=SIDE, output_height=SIDE)
    return Image.open(io.BytesIO(data)).convert("LA")


def main() -> None:
    """Draw the atlas."""
    atlas = Image.new("LA", (SIDE * len(ORDER), SIDE * 2))
    for row, letters in enumerate((ORDER, ORDER.lower())):
        for column, letter in enumerate(letters):
            atlas.paste(rasterize(letter), (column * SIDE, row * SIDE))
    ATLAS.parent.mkdir(exist_ok=True)
    atlas.save(ATLAS, optimize=True)


if __name__ == "__main__":
    main()
