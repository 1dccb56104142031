"""A naive drawing of a board with Pillow's ImageDraw in RGB, for comparison with the renderer.

The picture is about as large as the renderer's picture of the same scene, but lacks details that need smooth edges.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from render.scene import BoardScene, Layout, Mark, SquareKind
from render.theme import Colour, Theme, load_theme

COMPLETE_FONT = Path("/usr/share/fonts/truetype/noto/NotoSans-Bold.ttf")
"""From Debian's package ``fonts-noto-core``. The renderer ships a subset of this font."""


@dataclass(frozen=True)
class Places:
    """The positions (x, y) and sizes of a picture's parts, in pixels."""

    size: tuple[int, int]
    cell: int
    board: tuple[int, int]
    cards: tuple[tuple[int, int], ...]
    card_size: tuple[int, int]
    rack: tuple[int, int]
    sections: tuple[tuple[int, int], ...]
    right: int
    """The right edge of the sections."""


PLACES = {
    Layout.WIDE: Places(
        size=(1083, 727),
        cell=45,
        board=(36, 33),
        cards=((730, 32), (730, 112)),
        card_size=(336, 126),
        rack=(747, 187),
        sections=((747, 253), (747, 325), (747, 430)),
        right=1053,
    ),
    Layout.TALL: Places(
        size=(762, 977),
        cell=47,
        board=(38, 105),
        cards=((36, 8), (396, 8)),
        card_size=(349, 70),
        rack=(34, 825),
        sections=((373, 825), (34, 899), (623, 899)),
        right=745,
    ),
}


@cache
def font(px: int) -> ImageFont.FreeTypeFont:
    shipped = files("render") / "assets" / "fonts" / "noto-sans-bold.ttf"
    return ImageFont.truetype(str(COMPLETE_FONT if COMPLETE_FONT.exists() else shipped), px)


def draw(scene: BoardScene) -> Image.Image:
    colours, places = load_theme(scene.theme), PLACES[scene.layout]
    image = Image.new("RGB", places.size, colours[Colour.PAGE])
    pen = ImageDraw.Draw(image)
    draw_squares(pen, scene, colours, places)
    draw_panel(pen, scene, colours, places)
    return image


def draw_squares(pen: ImageDraw.ImageDraw, scene: BoardScene, colours: Theme, places: Places) -> None:
    cell, (left, top) = places.cell, places.board
    for number, label in enumerate(scene.column_labels):
        pen.text(
            (left + cell * (number + 0.5), top - 14), label, colours[Colour.MUTED], font(cell * 9 // 25), "mm"
        )
    for number, label in enumerate(scene.row_labels):
        pen.text(
            (left - 18, top + cell * (number + 0.5)), label, colours[Colour.MUTED], font(cell * 9 // 25), "mm"
        )
    for index, square in enumerate(scene.squares):
        row, column = divmod(index, scene.columns)
        x, y = left + column * cell, top + row * cell
        box = (x, y, x + cell - 2, y + cell - 2)
        face = scene.tiles[index]
        if face is None:
            kind = square.kind.name if square.kind is not SquareKind.MISSING else "PLAIN"
            pen.rectangle(box, colours[Colour[kind]], colours[Colour.LINE])
            if square.label:
                middle = (x + cell // 2, y + cell // 2)
                pen.text(middle, square.label, colours[Colour[kind + "_INK"]], font(cell // 3), "mm")
            continue
        draw_tile(pen, (x, y), face, colours, cell, is_last_play=scene.marks[index] is Mark.LAST)


def draw_tile(pen, position, face, colours, cell, *, is_last_play=False) -> None:
    x, y = position
    fill, outline = (Colour.LAST, Colour.LAST_EDGE) if is_last_play else (Colour.TILE, Colour.TILE_EDGE)
    box = (x, y, x + cell - 2, y + cell - 2)
    pen.rounded_rectangle(box, 6, colours[fill], colours[outline], 3 if is_last_play else 1)
    if face.is_blank:
        pen.ellipse((x + 5, y + 5, x + cell - 7, y + cell - 7), colours[Colour.DISC])
        pen.text((x + cell // 2, y + cell // 2), face.text, colours[Colour.DISC_INK], font(cell // 2), "mm")
        return
    middle = (x + cell * 4 // 9, y + cell * 4 // 9)
    pen.text(middle, face.text, colours[Colour.TILE_INK], font(cell * 2 // 3), "mm")
    if face.points is not None:
        corner = (x + cell - 5, y + cell - 5)
        pen.text(corner, str(face.points), colours[Colour.TILE_INK], font(cell * 4 // 15), "rs")


def draw_panel(pen: ImageDraw.ImageDraw, scene: BoardScene, colours: Theme, places: Places) -> None:
    for player, (x, y) in zip(scene.players, places.cards, strict=True):
        width, height = places.card_size
        if player.to_move:
            pen.rounded_rectangle((x, y, x + width, y + height), 6, colours[Colour.TURN])
        pen.text((x + 17, y + 5), player.name, colours[Colour.INK], font(27))
        pen.text((x + 17, y + 41), player.note or player.rack_note, colours[Colour.MUTED], font(21))
        pen.text((x + width - 13, y + 12), player.score, colours[Colour.INK], font(42), "ra")
        for number, face in enumerate(player.rack or ()):
            draw_tile(pen, (places.rack[0] + number * 44, places.rack[1]), face, colours, 44)
    for section, (left, y) in zip(scene.sections, places.sections, strict=True):
        pen.text((left, y), section.title, colours[Colour.MUTED], font(20))
        word_left: float = left
        line = y + 28
        for word in section.words:
            length = pen.textlength(word, font(24))
            if word_left + length > places.right:
                word_left, line = left, line + 32
            pen.text((word_left, line), word, colours[Colour.INK], font(24))
            word_left += length + 7


def picture(scene: BoardScene) -> bytes:
    out = io.BytesIO()
    draw(scene).save(out, "PNG")
    return out.getvalue()
