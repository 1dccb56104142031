"""Chess boards."""

from __future__ import annotations

import math

from PIL import Image

from render import shapes
from render.drawing import Drawing, Pen, cached_sprite, line_height
from render.fonts import printable, text_width
from render.scene import ChessScene, Piece, Stroke
from render.sprites import badge_sprite
from render.sprites import chess_square_sprite as _square
from render.theme import CHESS_GROUNDS, Colour

_SIDE = 8
_LIGHT_SQUARE, _DARK_SQUARE, _LIGHT_LAST, _DARK_LAST, _CHECK_SQUARE = CHESS_GROUNDS
_HALF_COVERED = tuple(255 if coverage >= 128 else 0 for coverage in range(256))

_BEST_ARROW = (Colour.CHESS_WHITE, Colour.GHOST)
"""Edge and face of the best move's arrow, as on the tiles of a proposed play."""

_LABEL_AT = 0.55
"""Place of a label on its arrow, as a share of the length."""

_Square = tuple[Piece | None, Colour, int, bool]
"""A square's piece, its colour, its side, and whether it belongs to the last move."""
_Place = tuple[int, int]
"""Row and column, from the top left corner of the picture of the board."""
_Line = tuple[_Place, _Place, bool, Stroke | None]
"""An arrow's first and last place, whether it is the best move's, and its kind."""

_FACES = {
    None: Colour.CHESS_ARROW,
    Stroke.GREEN: Colour.CHESS_GREEN,
    Stroke.RED: Colour.CHESS_RED,
    Stroke.YELLOW: Colour.CHESS_YELLOW,
    Stroke.BLUE: Colour.CHESS_ARROW,
}
"""The face of arrows and circles."""


def chess_block(pen: Pen, scene: ChessScene) -> tuple[Drawing, tuple[int, int]]:
    """Draw the board with its coordinates; also return the width of their left strip and the height of their upper one."""
    metrics, cell = pen.metrics, pen.metrics.cell
    left = top = 0
    if scene.coordinates:
        style = metrics.coordinates
        left = max(text_width(digit, style) for digit in "12345678") + max(3, metrics.pad // 2)
        top = line_height(style)
    frame = max(1, round(cell / 22))
    side = _SIDE * cell + 2 * frame
    block = Drawing(left + side, top + side)
    block.put(_draw_frame(pen, side, frame), left, top)
    lines = [
        (_row_and_column(scene, arrow.start), _row_and_column(scene, arrow.end), arrow.best, arrow.stroke)
        for arrow in scene.arrows
    ]
    circles = {circle.square: circle.stroke for circle in scene.circles}
    for index, piece in enumerate(scene.pieces):
        row, column = _row_and_column(scene, index)
        arrows_here = tuple(_relative_to(line, row, column) for line in lines if _passes(line, row, column))
        square = piece, _background(scene, index), cell, index in scene.last
        circle = (circles[index],) if index in circles else ()
        drawn = (
            _annotate_square(pen, square, arrows_here, circle)
            if arrows_here or circle
            else _square(pen, *square)
        )
        block.put(drawn, left + frame + column * cell, top + frame + row * cell)
    _add_labels(pen, block, scene, (left + frame, top + frame))
    if scene.coordinates:
        _add_coordinates(pen, block, (left, top, frame), flipped=scene.flipped)
    return block, (left, top)


def _add_labels(pen: Pen, block: Drawing, scene: ChessScene, corner: _Place) -> None:
    """Put the labels of arrows over everything, a little past the middle of each arrow."""
    cell = pen.metrics.cell
    for arrow in scene.arrows:
        if not printable(arrow.label):
            continue
        sprite = badge_sprite(pen, arrow.label, pen.metrics.square)
        (start_row, start_column), (end_row, end_column) = (
            _row_and_column(scene, index) for index in (arrow.start, arrow.end)
        )
        x, y = (
            start + (end - start) * _LABEL_AT + 0.5
            for start, end in ((start_column, end_column), (start_row, end_row))
        )
        block.put(
            sprite,
            corner[0] + round(x * cell - sprite.width / 2),
            corner[1] + round(y * cell - sprite.height / 2),
        )


def _add_coordinates(pen: Pen, block: Drawing, edges: tuple[int, int, int], *, flipped: bool) -> None:
    """Write the files above the board and the ranks left of it."""
    metrics, cell = pen.metrics, pen.metrics.cell
    left, top, frame = edges
    style, inks = metrics.coordinates, (Colour.PAGE, Colour.QUIET)
    middle = max(0, (cell - line_height(style)) // 2)
    for number in range(0, _SIDE, metrics.label_stride):
        file = "abcdefgh"[7 - number if flipped else number]
        pen.text(block, file, style, (left + frame + number * cell, 0), inks, room=cell, align=0.5)
        rank = str(number + 1 if flipped else 8 - number)
        y = top + frame + number * cell + middle
        pen.text(block, rank, style, (0, y), inks, room=left - max(3, metrics.pad // 2), align=1.0)


def _row_and_column(scene: ChessScene, index: int) -> _Place:
    """Return a square's row and column in the picture."""
    return divmod(63 - index if scene.flipped else index, _SIDE)


def _relative_to(line: _Line, row: int, column: int) -> _Line:
    """Return an arrow with its endpoints relative to a square."""
    (start_row, start_column), (end_row, end_column), best, stroke = line
    return (start_row - row, start_column - column), (end_row - row, end_column - column), best, stroke


def _passes(line: _Line, row: int, column: int) -> bool:
    """Return whether an arrow can reach into a square, whose middle is less than a side away from the line."""
    (start_row, start_column), (end_row, end_column), *_ = _relative_to(line, row, column)
    down, right = end_row - start_row, end_column - start_column
    share = -(start_row * down + start_column * right) / (down * down + right * right)
    share = min(max(share, 0.0), 1.0)
    return math.hypot(start_row + share * down, start_column + share * right) < 1


@cached_sprite
def _annotate_square(
    pen: Pen, square: _Square, lines: tuple[_Line, ...], circles: tuple[Stroke | None, ...]
) -> Image.Image:
    """Return a square with its circle and its parts of arrows, so that no sprite reaches beyond its square.

    Both are outlined in black like the pieces, the best move's arrow in white.
    """
    _, ground, cell, _ = square
    canvas = _square(pen, *square).copy()
    for stroke in circles:
        face = _FACES[stroke]
        contour = max(1, round(cell / 40))
        size = cell - 2 * contour
        thick = cell // (6 if stroke is Stroke.BLUE else 10)
        thickness = min(max(3 * contour, thick), (size - 1) // 2)  # The middle stays free.
        masks = (
            _in_square(shapes.ring(size, thickness, stroke, contour), cell),
            _in_square(shapes.ring(size - 2 * contour, thickness - 2 * contour, stroke), cell),
        )
        _lay_over(pen, canvas, ground, masks, (Colour.CHESS_BLACK, face))
    for (start_row, start_column), (end_row, end_column), best, stroke in lines:
        edge, face = _BEST_ARROW if best else (Colour.CHESS_BLACK, _FACES[stroke])
        contour = max(1, round(cell / (20 if best else 40)))
        unit = cell * 4 // 3 if best else cell
        start = (start_column + 0.5) * cell, (start_row + 0.5) * cell
        end = (end_column + 0.5) * cell, (end_row + 0.5) * cell
        outline = shapes.arrow(cell, start, end, unit, contour, line=stroke)
        inside = shapes.arrow(cell, start, end, unit, 0, line=stroke)
        _lay_over(pen, canvas, ground, (outline, inside), (edge, face))
    return canvas


def _in_square(mask: Image.Image, side: int) -> Image.Image:
    """Return a mask centred in a square."""
    whole = Image.new("L", (side, side))
    whole.paste(mask, ((side - mask.width) // 2,) * 2)
    return whole


def _lay_over(
    pen: Pen,
    canvas: Image.Image,
    ground: Colour,
    masks: tuple[Image.Image, Image.Image],
    colours: tuple[Colour, Colour],
) -> None:
    """Lay an outlined shape over a square: masks of all of it and of its inside, colours for its edge and its face.

    The outline is smooth on the empty ground; over a piece, whose every colour would need a ramp of its own, it is not.
    """
    outline, inside = masks
    edge, face = colours
    palette = pen.palette
    bare = palette.solid(ground)
    smooth = canvas.point([255 if index == bare else 0 for index in range(256)])
    canvas.paste(palette.solid(edge), (0, 0), outline.point(_HALF_COVERED))
    canvas.paste(outline.point(palette.ramps[ground, edge]), (0, 0), smooth)
    pen.stamp(canvas, inside, (0, 0), edge, face)


@cached_sprite
def _draw_frame(pen: Pen, side: int, frame: int) -> Image.Image:
    """Return the board's frame with its rounded corners."""
    canvas = Image.new("L", (side, side), pen.palette.solid(Colour.PAGE))
    pen.stamp(canvas, shapes.rounded_rectangle(side, side, frame * 2), (0, 0), Colour.PAGE, Colour.LINE)
    return canvas


def _background(scene: ChessScene, index: int) -> Colour:
    """Return the colour of a square, which does not depend on the side at the bottom."""
    if index == scene.check:
        return _CHECK_SQUARE
    dark = sum(divmod(index, _SIDE)) % 2 == 1
    if index in scene.last:
        return _DARK_LAST if dark else _LIGHT_LAST
    return _DARK_SQUARE if dark else _LIGHT_SQUARE
