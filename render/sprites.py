"""Pictures of tiles, squares and chess pieces, cached by theme and size.

The sprite of a square or tile stays within its cell, so a single cell can be redrawn.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from PIL import Image

from render import shapes
from render.drawing import Pen, cached_sprite, centred_baseline, ink_mask
from render.fonts import Font, printable_text, shorten, text_width
from render.metrics import TileSizes
from render.scene import GHOSTS, Mark, Piece, PieceKind, Square, SquareKind, TileFace
from render.theme import Colour

_SQUARE_COLOURS: dict[SquareKind, tuple[Colour, Colour]] = {
    kind: (Colour[kind.name], Colour[f"{kind.name}_INK"])
    for kind in SquareKind
    if kind is not SquareKind.MISSING
}
_TINTS = {
    mark: (Colour[name], Colour[f"{name}_INK"])
    for mark, name in zip(GHOSTS[1:], ("LETTER_3", "WORD_3", "DISC", "LETTER_4", "WORD_4"), strict=True)
}
"""The background and ink of the second and later proposed plays. Boards use these colours anyway, so the palette does not grow."""
_TILE_COLOURS = {
    **{mark: (Colour.GHOST_EDGE, background, ink) for mark, (background, ink) in _TINTS.items()},
    Mark.NONE: (Colour.TILE_EDGE, Colour.TILE, Colour.TILE_INK),
    Mark.LAST: (Colour.LAST_EDGE, Colour.LAST, Colour.TILE_INK),
    Mark.GHOST: (Colour.GHOST_EDGE, Colour.GHOST, Colour.GHOST_INK),
    Mark.PHONY: (Colour.PHONY_EDGE, Colour.PHONY, Colour.PHONY_INK),
    Mark.CROSS: (Colour.TILE_EDGE, Colour.TILE, Colour.TILE_INK),
}
"""The colours of a tile's edge, its background and its letter, by mark."""
_FLAT_MARKS = frozenset({Mark.LAST, Mark.PHONY, *GHOSTS})
"""Marks that give a tile a thick edge all around instead of the lip at the bottom."""
_PIECE_SIDE = 128
"""Width and height of a chess piece in the sprite sheet, in pixels."""
_INNER_COVERAGE_TABLE = tuple(255 if coverage >= 230 else 0 for coverage in range(256))
"""Maps nearly full coverage to 255, and anything less to 0."""


def fit_text(text: str, font: Font, max_width: int, min_size: int = 6) -> tuple[str, Font]:
    """Reduce the font size until a string fits. If it is too wide even at ``min_size``, shorten it. Return the string and the font."""
    needed_width = text_width(text, font)
    if needed_width > max_width:
        font = Font(max(min(min_size, font.px), font.px * max_width // needed_width), font.bold)
        while font.px > min_size and text_width(text, font) > max_width:
            font = Font(font.px - 1, font.bold)
    return shorten(text, font, max_width) if text_width(text, font) > max_width else text, font


_MIN_EM = 3  # In pixels. The font size is not reduced further.


def _fit_ink(text: str, font: Font, max_size: tuple[int, int]) -> tuple[Image.Image, int, Font]:
    """Reduce the font size until the ink of a string fits. Return its mask, the row of its baseline, and the font."""
    while True:
        mask, baseline = ink_mask(text, font)
        if (mask.width <= max_size[0] and mask.height <= max_size[1]) or font.px <= _MIN_EM:
            return mask, baseline, font
        font = Font(font.px - 1, font.bold)


def _stamp_centred(
    pen: Pen,
    canvas: Image.Image,
    text: tuple[str, Font],
    band: tuple[int, int],
    colours: tuple[Colour, Colour],
) -> None:
    """Stamp text centred horizontally, with its capitals in the middle of a band (top and height)."""
    mask, baseline, font = _fit_ink(*text, (canvas.width, band[1]))
    left = max(0, round((canvas.width - mask.width) / 2))
    top = centred_baseline(*band, font) - baseline
    top = max(band[0], min(top, band[0] + band[1] - mask.height))
    pen.stamp(canvas, mask, (left, top), *colours)


@cached_sprite
def square_sprite(pen: Pen, square: Square, sizes: TileSizes) -> Image.Image:
    # The square must not be a hole.
    side, colours = sizes.side, _SQUARE_COLOURS[square.kind]
    canvas = Image.new("L", (side, side), pen.palette.index_of(colours[0]))
    if square.is_start:
        diameter = round(side * 0.62)
        position = ((side - diameter) // 2, (side - diameter) // 2)
        pen.stamp(canvas, shapes.star(diameter), position, *colours)
        return canvas
    label = printable_text(square.label)
    if label and sizes.label_font is not None:
        text, font = fit_text(label, sizes.label_font, round(side * 0.86))
        _stamp_centred(pen, canvas, (text, font), (0, side), colours)
    return canvas


@cached_sprite
def tile_sprite(
    pen: Pen, face: TileFace, mark: Mark, sizes: TileSizes, corner_colour: Colour = Colour.LINE
) -> Image.Image:
    """Return the picture of a tile. ``corner_colour`` is the colour outside its rounded corners."""
    side = sizes.side
    canvas = Image.new("L", (side, side), pen.palette.index_of(corner_colour))
    edge, background, ink = _TILE_COLOURS[mark]
    pen.stamp(canvas, shapes.rounded_rectangle(side, side, sizes.radius), (0, 0), corner_colour, edge)
    flat = mark in _FLAT_MARKS
    border = sizes.thick_edge if flat else 1
    bottom_border = border if flat else border + sizes.lip - 1
    inner = shapes.rounded_rectangle(
        side - 2 * border, side - border - bottom_border, max(1, sizes.radius - border)
    )
    if mark in _TINTS:
        # The palette has no colours between this edge and this background.
        canvas.paste(pen.palette.index_of(background), (border, border), inner.point(_INNER_COVERAGE_TABLE))
    else:
        pen.stamp(canvas, inner, (border, border), edge, background)
    if mark is Mark.PHONY:
        fold = max(3, round(side * 0.26))
        pen.stamp(canvas, shapes.corner_triangle(fold), (side - border - fold, border), background, edge)
    elif mark is Mark.CROSS:
        _draw_brackets(pen, canvas, sizes)
    height = side - (0 if flat else sizes.lip)
    if face.is_blank:
        _draw_blank(pen, canvas, face, sizes, mark=mark, height=height)
        return canvas
    points = None if face.points is None else _place_points(face.points, sizes, height, border)
    if text := printable_text(face.text):
        max_width = round(side * (0.84 if len(text) == 1 else 0.76))
        text, font = fit_text(text, sizes.letter_font, min(max_width, side - 2 * border))
        letter = _place_letter(text, font, sizes, points, height=height, border=border)
        pen.stamp(canvas, *letter, background, ink)
    if points:
        pen.stamp(canvas, *points, background, ink)
    return canvas


def _draw_brackets(pen: Pen, canvas: Image.Image, sizes: TileSizes) -> None:
    side, thickness = sizes.side, max(1, sizes.thick_edge // 2)
    inset, arm = thickness + 1, max(3, round(side * 0.22))
    edge = pen.palette.index_of(Colour.TILE_EDGE)
    bottom = side - inset - sizes.lip
    for box in (
        (inset, inset, inset + arm, inset + thickness),
        (inset, inset, inset + thickness, inset + arm),
        (inset, bottom - thickness, inset + arm, bottom),
        (inset, bottom - arm, inset + thickness, bottom),
    ):
        canvas.paste(edge, box)


@cached_sprite
def score_sprite(pen: Pen, text: str, sizes: TileSizes, max_size: tuple[int, int]) -> Image.Image:
    height = min(max(16, round(sizes.side * 0.8)), max_size[1])
    border = max(1, height // 14)
    font = Font(max(5, round(height * 0.7)))
    label, font = fit_text(printable_text(text), font, max(1, max_size[0] - height // 2 - 2 * border))
    mask, _, font = _fit_ink(label, font, (max_size[0] - 2 * border, height - 2 * border))
    return _draw_tag(
        pen, (label, font), (min(mask.width + height // 2 + 2 * border, max_size[0]), height), border
    )


def _draw_tag(pen: Pen, text: tuple[str, Font], size: tuple[int, int], border: int) -> Image.Image:
    # The light border stands out against dark squares.
    width, height = size
    canvas = Image.new("L", size, pen.palette.index_of(Colour.DISC_INK))
    canvas.paste(pen.palette.index_of(Colour.DISC), (border, border, width - border, height - border))
    _stamp_centred(pen, canvas, text, (border, height - 2 * border), (Colour.DISC, Colour.DISC_INK))
    return canvas


@cached_sprite
def badge_sprite(pen: Pen, text: str, sizes: TileSizes) -> Image.Image:
    height = max(7, round(sizes.side * 0.42))
    label, font = fit_text(printable_text(text), Font(max(5, round(height * 0.8))), sizes.side - 4)
    mask, _, font = _fit_ink(label, font, (sizes.side - 2, height - 2))
    return _draw_tag(pen, (label, font), (min(max(height, mask.width + 6), sizes.side), height), 1)


def _draw_blank(
    pen: Pen, canvas: Image.Image, face: TileFace, sizes: TileSizes, *, mark: Mark, height: int
) -> None:
    _, background, ink = _TILE_COLOURS[mark]
    disc, letter = (Colour.GHOST_INK, Colour.GHOST) if mark is Mark.GHOST else (Colour.DISC, Colour.DISC_INK)
    diameter = min(sizes.disc_diameter, height - 2)
    position = ((canvas.width - diameter) // 2, (height - diameter + 1) // 2)
    text = printable_text(face.text)
    if mark in _TINTS:  # The palette has only one ink for this background.
        disc, paper, letter = ink, background, ink
    else:
        paper = disc
    if not text or mark in _TINTS:
        thickness = max(2, diameter // 9) if diameter > 8 else 1
        pen.stamp(canvas, shapes.ring(diameter, thickness), position, background, disc)
    else:
        pen.stamp(canvas, shapes.disc(diameter), position, background, disc)
    if text:
        text, font = fit_text(text, sizes.blank_letter_font, round(diameter * 0.80))
        _stamp_centred(pen, canvas, (text, font), (position[1], diameter), (paper, letter))


_PlacedMask = tuple[Image.Image, tuple[int, int]]
"""A mask and the position of its top left corner."""


def _place_points(points: int, sizes: TileSizes, height: int, border: int) -> _PlacedMask | None:
    if sizes.points_font is None:
        return None
    number, font = fit_text(str(points), sizes.points_font, round(sizes.side * 0.6), min_size=7)
    mask, baseline = ink_mask(number, font)
    inset = border + max(1, round(sizes.side * 0.045))
    return mask, (sizes.side - inset - mask.width, height - inset - baseline)


def _place_letter(
    text: str, font: Font, sizes: TileSizes, points: _PlacedMask | None, *, height: int, border: int
) -> _PlacedMask:
    # A letter that would touch the points moves to the left and upwards. If that is not enough, it shrinks a little.
    side, lift = sizes.side, round(sizes.side * 0.03) if points else 0
    mask, _, font = _fit_ink(text, font, (side - 2 * border, height - 2 * border))
    placed: _PlacedMask = mask, (0, 0)
    for px in range(font.px, max(font.px * 6 // 7, 5) - 1, -1):
        smaller_font = Font(px, font.bold)
        mask, baseline = ink_mask(text, smaller_font)
        x = round(side * (0.46 if points else 0.5) - mask.width / 2)
        y = centred_baseline(0, height, smaller_font) - lift - baseline
        for step in range(max(2, side // 9)):
            left = max(border, min(x - step, side - border - mask.width))
            top = max(border, min(y - step // 2, height - border - mask.height))
            placed = mask, (left, top)
            if points is None or not _touches(placed, points):
                return placed
    return placed


def _touches(first: _PlacedMask, second: _PlacedMask) -> bool:
    """Return whether the first mask has ink in the box of the second, or directly beside that box."""
    (mask, (x, y)), (other, (left, top)) = first, second
    box = (left - 1 - x, top - y, left + other.width + 1 - x, top + other.height - y)
    box = (max(0, box[0]), max(0, box[1]), min(mask.width, box[2]), min(mask.height, box[3]))
    return box[0] < box[2] and box[1] < box[3] and mask.crop(box).getbbox() is not None


@cached_sprite
def chess_square_sprite(
    pen: Pen,
    piece: Piece | None,
    background: Colour,
    cell_size: int,
    marked: bool = False,  # noqa: FBT001, FBT002 - part of a cache key
) -> Image.Image:
    """Return the picture of a chess square with its piece. Nothing is marked by colour alone."""
    palette = pen.palette
    canvas = Image.new("L", (cell_size, cell_size), palette.index_of(background))
    thickness = max(1, round(cell_size / 26)) * (2 if background is Colour.CHESS_CHECK else 1)
    if marked or background is Colour.CHESS_CHECK:
        canvas.paste(palette.index_of(Colour.CHESS_FRAME), (0, 0, cell_size, cell_size))
        canvas.paste(
            palette.index_of(background), (thickness, thickness, cell_size - thickness, cell_size - thickness)
        )
    if piece is not None:
        # All pieces have black outlines, so two ramps suffice: from the square to black, and from black to white.
        side = round(cell_size * 0.94)
        position = ((cell_size - side) // 2, (cell_size - side) // 2)
        brightness, coverage = piece_images()[piece].resize((side, side), Image.Resampling.LANCZOS).split()
        pen.stamp(canvas, coverage, position, background, Colour.CHESS_BLACK)
        inner = brightness.point(palette.ramps[Colour.CHESS_BLACK, Colour.CHESS_WHITE])
        canvas.paste(inner, position, coverage.point(_INNER_COVERAGE_TABLE))
    return canvas


@cache
def piece_images() -> dict[Piece, Image.Image]:
    """Return the pictures of the pieces as brightness and coverage (mode LA)."""
    path = files("render") / "assets" / "pieces" / "burnett.png"
    with path.open("rb") as file, Image.open(file) as image:
        atlas = image.convert("LA")
    return {
        Piece(kind, white): atlas.crop(
            (column * _PIECE_SIDE, row * _PIECE_SIDE, (column + 1) * _PIECE_SIDE, (row + 1) * _PIECE_SIDE)
        )
        for column, kind in enumerate(PieceKind)
        for row, white in enumerate((True, False))
    }
