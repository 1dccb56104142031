"""Chessboards."""

from __future__ import annotations

import math

from PIL import Image, ImageOps

from render import shapes
from render.drawing import Drawing, Pen, cached_sprite, line_height
from render.fonts import printable_text, text_width
from render.scene import ChessScene, Piece, Stroke
from render.sprites import badge_sprite, chess_square_sprite
from render.theme import CHESS_BACKGROUNDS, Colour

_SQUARES_PER_SIDE = 8
_LIGHT_SQUARE, _DARK_SQUARE, _LIGHT_LAST_MOVE, _DARK_LAST_MOVE, _CHECK_SQUARE = CHESS_BACKGROUNDS
_HALF_COVERAGE_TABLE = tuple(255 if coverage >= 128 else 0 for coverage in range(256))
"""Maps coverage to 255 if a shape covers at least half of a pixel, otherwise to 0."""

_PROPOSED_ARROW_COLOURS = (Colour.CHESS_WHITE, Colour.GHOST)
"""Outline and fill colour, as on the tiles of a proposed play."""

_LABEL_POSITION = 0.55  # As a fraction of the arrow's length.

_Square = tuple[Piece | None, Colour, int, bool]
"""The piece, the square's colour, its side in pixels, and whether it belongs to the last move."""
_RowAndColumn = tuple[int, int]
"""A square's row and column in the picture of the board, counted from its top left corner."""
_PlacedArrow = tuple[_RowAndColumn, _RowAndColumn, bool, Stroke | None]
"""The two ends of an arrow, whether it shows the proposed move, and its stroke."""

_STROKE_COLOURS = {
    None: Colour.CHESS_ARROW,
    Stroke.GREEN: Colour.CHESS_GREEN,
    Stroke.RED: Colour.CHESS_RED,
    Stroke.YELLOW: Colour.CHESS_YELLOW,
    Stroke.BLUE: Colour.CHESS_ARROW,
}


def chess_drawing(pen: Pen, scene: ChessScene) -> tuple[Drawing, tuple[int, int]]:
    """Draw the board and its coordinates. Also return the width of the row labels and the height of the column labels."""
    metrics, cell_size = pen.metrics, pen.metrics.cell_size
    left = top = 0
    if scene.coordinates:
        font = metrics.coordinate_font
        left = max(text_width(digit, font) for digit in "12345678") + metrics.pad // 2
        top = line_height(font)
    frame_width = max(1, round(cell_size / 22))
    side = _SQUARES_PER_SIDE * cell_size + 2 * frame_width
    drawing = Drawing(left + side, top + side)
    drawing.put(_draw_frame(pen, side, frame_width), left, top)
    arrows = [
        (
            _row_and_column(scene, arrow.start),
            _row_and_column(scene, arrow.end),
            arrow.is_proposed,
            arrow.stroke,
        )
        for arrow in scene.arrows
    ]
    circles = {circle.square: circle.stroke for circle in scene.circles}
    for index, piece in enumerate(scene.pieces):
        row, column = _row_and_column(scene, index)
        arrows_here = tuple(
            _relative_to(arrow, row, column) for arrow in arrows if _may_cover(arrow, row, column)
        )
        square = piece, _background(scene, index), cell_size, index in scene.last_move
        circle = (circles[index],) if index in circles else ()
        square_picture = (
            _annotate_square(pen, square, arrows_here, circle)
            if arrows_here or circle
            else chess_square_sprite(pen, *square)
        )
        drawing.put(
            square_picture, left + frame_width + column * cell_size, top + frame_width + row * cell_size
        )
    _add_arrow_labels(pen, drawing, scene, (left + frame_width, top + frame_width))
    if scene.coordinates:
        _add_coordinates(pen, drawing, (left, top, frame_width), flipped=scene.flipped)
    return drawing, (left, top)


def _add_arrow_labels(pen: Pen, drawing: Drawing, scene: ChessScene, corner: tuple[int, int]) -> None:
    cell_size = pen.metrics.cell_size
    for arrow in scene.arrows:
        if not printable_text(arrow.label):
            continue
        sprite = badge_sprite(pen, arrow.label, pen.metrics.square_sizes)
        (start_row, start_column), (end_row, end_column) = (
            _row_and_column(scene, index) for index in (arrow.start, arrow.end)
        )
        x, y = (
            start + (end - start) * _LABEL_POSITION + 0.5
            for start, end in ((start_column, end_column), (start_row, end_row))
        )
        drawing.put(
            sprite,
            corner[0] + round(x * cell_size - sprite.width / 2),
            corner[1] + round(y * cell_size - sprite.height / 2),
        )


def _add_coordinates(pen: Pen, drawing: Drawing, insets: tuple[int, int, int], *, flipped: bool) -> None:
    metrics, cell_size = pen.metrics, pen.metrics.cell_size
    left, top, frame_width = insets
    font, colours = metrics.coordinate_font, (Colour.PAGE, Colour.MUTED)
    middle = max(0, (cell_size - line_height(font)) // 2)
    for number in range(0, _SQUARES_PER_SIDE, metrics.label_stride):
        file = "abcdefgh"[7 - number if flipped else number]
        pen.draw_text(
            drawing,
            file,
            font,
            (left + frame_width + number * cell_size, 0),
            colours,
            max_width=cell_size,
            align=0.5,
        )
        rank = str(number + 1 if flipped else 8 - number)
        y = top + frame_width + number * cell_size + middle
        pen.draw_text(drawing, rank, font, (0, y), colours, max_width=left - metrics.pad // 2, align=1.0)


def _row_and_column(scene: ChessScene, index: int) -> _RowAndColumn:
    return divmod(63 - index if scene.flipped else index, _SQUARES_PER_SIDE)


def _relative_to(arrow: _PlacedArrow, row: int, column: int) -> _PlacedArrow:
    (start_row, start_column), (end_row, end_column), is_proposed, stroke = arrow
    return (start_row - row, start_column - column), (end_row - row, end_column - column), is_proposed, stroke


def _may_cover(arrow: _PlacedArrow, row: int, column: int) -> bool:
    (start_row, start_column), (end_row, end_column), *_ = _relative_to(arrow, row, column)
    down, right = end_row - start_row, end_column - start_column
    share = -(start_row * down + start_column * right) / (down * down + right * right)
    share = min(max(share, 0.0), 1.0)
    return math.hypot(start_row + share * down, start_column + share * right) < 1


@cached_sprite
def _annotate_square(
    pen: Pen, square: _Square, arrows: tuple[_PlacedArrow, ...], circle_strokes: tuple[Stroke | None, ...]
) -> Image.Image:
    """Return a square with its circle and the parts of arrows that are on it.

    ``circle_strokes`` has the circle's stroke (None for the default), or is empty if the square has no circle.
    """
    _, background, cell_size, _ = square
    canvas = chess_square_sprite(pen, *square).copy()
    for stroke in circle_strokes:
        outline_width = max(1, round(cell_size / 40))
        size = cell_size - 2 * outline_width
        usual_thickness = cell_size // (6 if stroke is Stroke.BLUE else 10)
        thickness = min(max(3 * outline_width, usual_thickness), (size - 1) // 2)
        outline = ImageOps.expand(shapes.ring(size, thickness, stroke, outline_width), outline_width)
        inside = shapes.ring(size - 2 * outline_width, thickness - 2 * outline_width, stroke)
        masks = outline, ImageOps.expand(inside, 2 * outline_width)
        _stamp_outlined(pen, canvas, background, masks, (Colour.CHESS_BLACK, _STROKE_COLOURS[stroke]))
    for (start_row, start_column), (end_row, end_column), is_proposed, stroke in arrows:
        colours = _PROPOSED_ARROW_COLOURS if is_proposed else (Colour.CHESS_BLACK, _STROKE_COLOURS[stroke])
        outline_width = max(1, round(cell_size / (20 if is_proposed else 40)))
        unit = cell_size * 4 // 3 if is_proposed else cell_size
        start = (start_column + 0.5) * cell_size, (start_row + 0.5) * cell_size
        end = (end_column + 0.5) * cell_size, (end_row + 0.5) * cell_size
        outline = shapes.arrow(cell_size, start, end, unit, outline_width, stroke=stroke)
        inside = shapes.arrow(cell_size, start, end, unit, 0, stroke=stroke)
        _stamp_outlined(pen, canvas, background, (outline, inside), colours)
    return canvas


def _stamp_outlined(
    pen: Pen,
    canvas: Image.Image,
    background: Colour,
    masks: tuple[Image.Image, Image.Image],
    colours: tuple[Colour, Colour],
) -> None:
    """Draw an outlined shape over a square.

    The first mask and colour belong to the outline, the second to the inside. The first mask includes the inside.

    The outline is not anti-aliased over a piece, because each colour of the piece would need its own ramp.
    """
    outline, inside = masks
    edge, fill = colours
    palette = pen.palette
    background_index = palette.index_of(background)
    background_mask = canvas.point([255 if index == background_index else 0 for index in range(256)])
    canvas.paste(palette.index_of(edge), (0, 0), outline.point(_HALF_COVERAGE_TABLE))
    canvas.paste(outline.point(palette.ramps[background, edge]), (0, 0), background_mask)
    pen.stamp(canvas, inside, (0, 0), edge, fill)


@cached_sprite
def _draw_frame(pen: Pen, side: int, frame_width: int) -> Image.Image:
    canvas = Image.new("L", (side, side), pen.palette.index_of(Colour.PAGE))
    pen.stamp(canvas, shapes.rounded_rectangle(side, side, frame_width * 2), (0, 0), Colour.PAGE, Colour.LINE)
    return canvas


def _background(scene: ChessScene, index: int) -> Colour:
    if index == scene.king_in_check:
        return _CHECK_SQUARE
    is_dark = sum(divmod(index, _SQUARES_PER_SIDE)) % 2 == 1
    if index in scene.last_move:
        return _DARK_LAST_MOVE if is_dark else _LIGHT_LAST_MOVE
    return _DARK_SQUARE if is_dark else _LIGHT_SQUARE
