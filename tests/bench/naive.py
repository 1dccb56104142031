"""The obvious way to draw a board: ImageDraw on RGB, every time anew, saved by Pillow. A yardstick."""

from __future__ import annotations

import io
from functools import cache
from importlib.resources import files

from PIL import Image, ImageDraw, ImageFont

from render.scene import BoardScene, Mark, SquareKind
from render.theme import Colour, Theme, load_theme

CELL = 45
SIZE = (1083, 727)


@cache
def font(px: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(files("render.assets") / "fonts" / "noto-sans-bold.ttf"), px)


def draw(scene: BoardScene) -> Image.Image:
    theme = load_theme(scene.theme)
    image = Image.new("RGB", SIZE, theme.colours[Colour.PAGE])
    pen = ImageDraw.Draw(image)
    draw_squares(pen, scene, theme)
    draw_panel(pen, scene, theme)
    return image


def draw_squares(pen: ImageDraw.ImageDraw, scene: BoardScene, theme: Theme) -> None:
    grid, colours = scene.grid, theme.colours
    for number, label in enumerate(grid.column_labels):
        pen.text((57 + number * CELL, 19), label, colours[Colour.QUIET], font(16), "mm")
    for number, label in enumerate(grid.row_labels):
        pen.text((17, 54 + number * CELL), label, colours[Colour.QUIET], font(16), "mm")
    for place, square in enumerate(grid.squares):
        row, column = divmod(place, grid.columns)
        x, y = 36 + column * CELL, 33 + row * CELL
        box = (x, y, x + CELL - 2, y + CELL - 2)
        face = grid.tiles[place]
        if face is None:
            kind = square.kind.name if square.kind is not SquareKind.MISSING else "PLAIN"
            pen.rectangle(box, colours[Colour[kind]], colours[Colour.LINE])
            if square.label:
                pen.text((x + 22, y + 22), square.label, colours[Colour[kind + "_INK"]], font(15), "mm")
            continue
        draw_tile(pen, (x, y), face, theme, last=grid.marks[place] is Mark.LAST)


def draw_tile(pen, at, face, theme, *, last=False) -> None:
    (x, y), colours = at, theme.colours
    ground, edge = (Colour.LAST, Colour.LAST_EDGE) if last else (Colour.TILE, Colour.TILE_EDGE)
    box = (x, y, x + CELL - 2, y + CELL - 2)
    pen.rounded_rectangle(box, 6, colours[ground], colours[edge], 3 if last else 1)
    if face.blank:
        pen.ellipse((x + 5, y + 5, x + 38, y + 38), colours[Colour.DISC])
        pen.text((x + 22, y + 22), face.text, colours[Colour.DISC_INK], font(23), "mm")
        return
    pen.text((x + 20, y + 21), face.text, colours[Colour.TILE_INK], font(30), "mm")
    if face.points is not None:
        pen.text((x + 40, y + 40), str(face.points), colours[Colour.TILE_INK], font(12), "rs")


def draw_panel(pen: ImageDraw.ImageDraw, scene: BoardScene, theme: Theme) -> None:
    colours, y = theme.colours, 40
    for player in scene.players:
        if player.to_move:
            pen.rounded_rectangle((730, y, 1066, y + 125), 6, colours[Colour.TURN])
        pen.text((747, y + 5), player.name, colours[Colour.INK], font(25))
        pen.text((747, y + 35), player.note or player.rack_note, colours[Colour.QUIET], font(19))
        pen.text((1053, y + 10), player.score, colours[Colour.INK], font(40), "ra")
        for number, face in enumerate(player.rack or ()):
            draw_tile(pen, (747 + number * 44, y + 72), face, theme)
        y += 80 + (50 if player.rack else 0)
    for section in scene.sections:
        pen.text((747, y), section.title, colours[Colour.QUIET], font(19))
        y, x = y + 28, 747
        for word in section.words:
            width = pen.textlength(word, font(23))
            if x + width > 1053:
                x, y = 747, y + 32
            pen.text((x, y), word, colours[Colour.INK], font(23))
            x += width + 8
        y += 44


def picture(scene: BoardScene) -> bytes:
    out = io.BytesIO()
    draw(scene).save(out, "PNG")
    return out.getvalue()
