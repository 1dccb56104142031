"""Contact sheets of every theme, layout and size: ``python -m render.sheet [DIRECTORY]``.

One sheet a theme, every picture as large as a desktop client shows it. Look at them after a change of colours
or sizes.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from PIL import Image, ImageDraw

from render.board import draw_board
from render.chart import draw_chart
from render.chessboard import draw_chessboard
from render.fonts import Style, font_of
from render.samples import BIG_GAME, GAME, MATE
from render.scene import Arrow, Badge, ChartScene, Layout, Mark, RenderedImage, Series
from render.theme import theme_names

SHOWN = (550, 350)
"""Pixels a desktop client shows an attached picture in, at most."""
_COLUMNS = 3
_GAP = 16
_CAPTION = 22
_SURROUNDINGS = (0x31, 0x33, 0x38)
_INK = (0xDB, 0xDE, 0xE1)


def pictures(theme: str) -> Iterator[tuple[str, RenderedImage]]:
    """Draw the samples in one theme, each with its caption."""
    for name, scene in (("15 × 15", GAME), ("21 × 21", BIG_GAME)):
        for layout in Layout:
            yield f"{name}, {layout.value}", draw_board(replace(scene, theme=theme, layout=layout))
    marks = tuple(
        (Mark.GHOST, Mark.PHONY, Mark.LAST, Mark.NONE)[place // 15 % 4] if face else Mark.NONE
        for place, face in enumerate(GAME.grid.tiles)
    )
    marked = replace(
        GAME,
        theme=theme,
        layout=Layout.BOARD,
        grid=replace(GAME.grid, marks=marks),
        badges=(Badge(0, 0, "1"), Badge(4, 10, "2"), Badge(9, 0, "3")),
        heat=tuple(place % 15 / 14 if place > 179 else 0.0 for place in range(225)),
    )
    yield "marks, badges, heat", draw_board(marked)
    scores = (
        Series("alice", (0, 24, 24, 60, 81, 155, 171, 203, 240, 262, 335)),
        Series("bob", (0, 18, 44, 52, 118, 118, 130, 150, 171, 194, 208)),
    )
    yield "chart", draw_chart(ChartScene("Scores by turn", scores, theme))
    yield "chess", draw_chessboard(replace(MATE, theme=theme, arrows=(Arrow(34, 13),)))


def sheet(theme: str) -> Image.Image:
    """Return one theme's sheet."""
    drawn = list(pictures(theme))
    rows = -(-len(drawn) // _COLUMNS)
    wide, high = SHOWN[0] + _GAP, SHOWN[1] + _GAP + _CAPTION
    page = Image.new("RGB", (_COLUMNS * wide + _GAP, rows * high + _GAP), _SURROUNDINGS)
    pen = ImageDraw.Draw(page)
    for number, (caption, picture) in enumerate(drawn):
        row, column = divmod(number, _COLUMNS)
        x, y = _GAP + column * wide, _GAP + row * high
        pen.text((x, y), f"{theme}: {caption}, {picture.width} × {picture.height}", _INK, font_of(Style(14)))
        with Image.open(io.BytesIO(picture.data)) as image:
            small = image.convert("RGB")
        small.thumbnail(SHOWN, Image.Resampling.LANCZOS)
        page.paste(small, (x, y + _CAPTION))
    return page


def main(arguments: list[str]) -> None:
    """Write the sheets."""
    directory = Path(arguments[0] if arguments else "docs/pictures")
    directory.mkdir(parents=True, exist_ok=True)
    for theme in theme_names():
        # This method keeps rare colours, such as the few squares of a high multiplier.
        page = sheet(theme).quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        page.save(directory / f"{theme}.png", optimize=True)


if __name__ == "__main__":
    main(sys.argv[1:])
