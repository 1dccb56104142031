"""Contact sheets of every theme, for desktops and phones, and two replays: ``python -m tests.render.sheet [DIRECTORY]``.

Look at all of them after you change colours or sizes.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw

from render.animate import draw_replay
from render.chart import draw_chart
from render.fonts import load_font
from render.layout import draw_board, draw_mosaic
from render.scene import Arrow, Badge, Layout, Mark, PlayerRow, RenderedImage
from render.theme import Scope, palette_of, theme_names
from tests.render.samples import (
    BIG_GAME,
    CHANCES,
    CHESS_REPLAY,
    EMPTY,
    ENDING,
    GAME,
    MATE,
    NAMES,
    PROPOSAL,
    REPLAY,
    SCORES,
    SEVERAL_POSITIONS,
    SPREAD,
    TURN_SCENE,
    rows_by_letter,
)

DESKTOP_SIZE = (550, 350)
"""Maximum size in pixels at which a desktop client displays an attached picture."""
PHONE_WIDTH = 360
"""Width of a phone's chat column in pixels."""
CELL_SIZES = (24, 34, 60)
"""Square sizes in pixels that are drawn in addition to the default size."""
_COLUMNS = 3
_GAP = 16
_CAPTION_HEIGHT = 22
_BACKGROUND = (0x31, 0x33, 0x38)
_INK = (0xDB, 0xDE, 0xE1)
Picture = tuple[str, RenderedImage]


def pictures(theme: str) -> Iterator[Picture]:
    for name, scene in (("15 × 15", GAME), ("21 × 21", BIG_GAME)):
        for layout in Layout:
            yield f"{name}, {layout.value}", draw_board(replace(scene, theme=theme, layout=layout))
    for cell_size in CELL_SIZES:
        for layout in Layout:
            picture = draw_board(replace(GAME, theme=theme, layout=layout, cell_size=cell_size))
            yield f"squares of {cell_size} pixels, {layout.value}", picture
    yield "a play proposed, others numbered", draw_board(replace(PROPOSAL, theme=theme))
    yield "marks, badges", _draw_marks(theme)
    yield (
        "turn, clocks, rows by letter",
        draw_board(rows_by_letter(replace(TURN_SCENE, theme=theme))),
    )
    yield (
        "no coordinates",
        draw_board(replace(GAME, theme=theme, layout=Layout.BOARD, coordinates=False)),
    )
    players = tuple(PlayerRow(name, str(100 + seat), seat == 1) for seat, name in enumerate(NAMES))
    yield "eight names", draw_board(replace(EMPTY, theme=theme, players=players))
    for name, chart in (("scores", SCORES), ("spread", SPREAD), ("chances", CHANCES)):
        yield name, draw_chart(replace(chart, theme=theme))
    for name, mosaic in (("a finished game", ENDING), ("several positions", SEVERAL_POSITIONS)):
        yield name, draw_mosaic(replace(mosaic, theme=theme))
    for layout in Layout:
        flipped = layout is Layout.TALL
        board = replace(
            MATE, theme=theme, layout=layout, flipped=flipped, arrows=(Arrow(34, 13, is_proposed=True),)
        )
        yield f"chess, {layout.value}", draw_board(board)


def _draw_marks(theme: str) -> RenderedImage:
    marks = tuple(
        (Mark.GHOST, Mark.PHONY, Mark.LAST, Mark.CROSS, Mark.NONE)[index // 15 % 5] if face else Mark.NONE
        for index, face in enumerate(GAME.tiles)
    )
    return draw_board(
        replace(
            GAME,
            theme=theme,
            layout=Layout.BOARD,
            marks=marks,
            badges=(Badge(0, 0, "1"), Badge(4, 10, "2"), Badge(9, 0, "+78", word_end=(9, 7))),
        )
    )


def phone_pictures(theme: str) -> Iterator[Picture]:
    yield "tall", draw_board(replace(GAME, theme=theme, layout=Layout.TALL))
    yield "chess", draw_board(replace(MATE, theme=theme, layout=Layout.TALL))
    yield "21 × 21", draw_board(replace(BIG_GAME, theme=theme, layout=Layout.TALL))
    yield "who was ahead", draw_chart(replace(SPREAD, theme=theme))
    yield "a finished game", draw_mosaic(replace(ENDING, theme=theme))
    yield "a play proposed", draw_board(replace(PROPOSAL, theme=theme))


def _scaled_down(picture: RenderedImage, box: tuple[int, int]) -> Image.Image:
    with Image.open(io.BytesIO(picture.data)) as image:
        small_image = image.convert("RGB")
    small_image.thumbnail(box, Image.Resampling.LANCZOS)
    return small_image


def sheet(theme: str) -> Image.Image:
    captioned_pictures = list(pictures(theme))
    rows = -(-len(captioned_pictures) // _COLUMNS)
    cell_width, cell_height = DESKTOP_SIZE[0] + _GAP, DESKTOP_SIZE[1] + _GAP + _CAPTION_HEIGHT
    page = Image.new("RGB", (_COLUMNS * cell_width + _GAP, rows * cell_height + _GAP), _BACKGROUND)
    for number, picture in enumerate(captioned_pictures):
        row, column = divmod(number, _COLUMNS)
        _paste_with_caption(
            page, theme, picture, (_GAP + column * cell_width, _GAP + row * cell_height), DESKTOP_SIZE
        )
    return page


def phone_sheet(theme: str) -> Image.Image:
    captioned_pictures = list(phone_pictures(theme))
    heights = [
        _scaled_down(picture, (PHONE_WIDTH, 10 * PHONE_WIDTH)).height + _CAPTION_HEIGHT + _GAP
        for _, picture in captioned_pictures
    ]
    height = max(map(sum, zip(heights[::2], heights[1::2], strict=True)))
    page = Image.new("RGB", (3 * (PHONE_WIDTH + _GAP) + _GAP, height + _GAP), _BACKGROUND)
    for number, picture in enumerate(captioned_pictures):
        column, row = divmod(number, 2)
        corner = (_GAP + column * (PHONE_WIDTH + _GAP), _GAP + (heights[number - 1] if row else 0))
        _paste_with_caption(page, theme, picture, corner, (PHONE_WIDTH, 10 * PHONE_WIDTH))
    return page


def _paste_with_caption(
    page: Image.Image, theme: str, picture: Picture, corner: tuple[int, int], box: tuple[int, int]
) -> None:
    caption, image = picture
    text = f"{theme}: {caption}, {image.width} × {image.height}"
    ImageDraw.Draw(page).text(corner, text, _INK, load_font("noto-sans-bold.ttf", 14))
    page.paste(_scaled_down(image, box), (corner[0], corner[1] + _CAPTION_HEIGHT))


def _reduce_colours(theme: str, page: Image.Image) -> Image.Image:
    # The theme's own colours stay exact. Mixed colours, which come from scaling, may change a little.
    theme_colours = {*palette_of(theme).colours, *palette_of(theme, Scope.CHESS).colours, _BACKGROUND, _INK}
    mixed_colours = page.quantize(256 - len(theme_colours), Image.Quantize.MEDIANCUT).getpalette() or []
    table = [part for colour in sorted(theme_colours) for part in colour] + mixed_colours
    palette = Image.new("P", (1, 1))
    palette.putpalette(table[: 3 * 256])
    reduced_page = page.quantize(palette=palette, dither=Image.Dither.NONE)
    # Pillow compares only the most significant bits, so it may replace a colour with a similar one.
    for index, colour in enumerate(sorted(theme_colours)):
        red, green, blue = ImageChops.difference(page, Image.new("RGB", page.size, colour)).split()
        difference = ImageChops.lighter(ImageChops.lighter(red, green), blue)
        reduced_page.paste(index, mask=difference.point([255] + [0] * 255))
    return reduced_page


def main(arguments: list[str]) -> None:
    directory = Path(arguments[0] if arguments else "docs/pictures")
    directory.mkdir(parents=True, exist_ok=True)
    for theme in theme_names():
        for name, page in ((theme, sheet(theme)), (f"{theme}-phone", phone_sheet(theme))):
            _reduce_colours(theme, page).save(directory / f"{name}.png", optimize=True)
    for name, replay in (("replay", REPLAY), ("chess-replay", CHESS_REPLAY)):
        (directory / f"{name}.gif").write_bytes(draw_replay(replay).data)


if __name__ == "__main__":
    main(sys.argv[1:])
