"""Crossword boards."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from operator import is_

from PIL import Image

from render import shapes
from render.drawing import MAX_SPRITE_BYTES, Drawing, Pen, line_height
from render.fonts import Font, printable_text, text_width
from render.metrics import Metrics
from render.scene import Badge, BoardScene, SquareKind
from render.sprites import badge_sprite, score_sprite, square_sprite, tile_sprite
from render.theme import Colour


def crossword_drawing(pen: Pen, scene: BoardScene) -> tuple[Drawing, tuple[int, int]]:
    """Draw the board and its coordinates. Also return the width of the row labels and the height of the column labels."""
    metrics = pen.metrics
    if not scene.coordinates:
        scene = replace(
            scene, row_labels=_empty_labels(scene.rows), column_labels=_empty_labels(scene.columns)
        )
    font = _coordinate_font(metrics, scene)
    widest = max(text_width(printable_text(label), font) for label in scene.row_labels)
    left = min(widest, metrics.unit * 2) + metrics.pad // 2 if widest else 0
    top = line_height(font) if any(map(printable_text, scene.column_labels)) else 0
    frame = metrics.frame
    width = scene.columns * metrics.cell_size - metrics.gap + 2 * frame
    height = scene.rows * metrics.cell_size - metrics.gap + 2 * frame
    drawing = Drawing(left + width, top + height)
    drawing.put(_empty_board(pen, scene, (drawing.width, drawing.height), (left, top)), 0, 0)
    corner = left + frame, top + frame
    sizes, cell_size, side = metrics.square_sizes, metrics.cell_size, metrics.square_sizes.side
    add_item = drawing.items.append
    for index, (face, mark) in enumerate(zip(scene.tiles, scene.marks, strict=True)):
        if face is not None:
            x, y = (
                corner[0] + index % scene.columns * cell_size,
                corner[1] + index // scene.columns * cell_size,
            )
            add_item((tile_sprite(pen, face, mark, sizes), (x, y, x + side, y + side)))
    if scene.badges:
        _add_badges(pen, drawing, scene, corner)
    if scene.doubtful_squares:
        _mark_doubtful_squares(pen, drawing, scene, corner)
    return drawing, (left, top)


@cache
def _empty_labels(count: int) -> tuple[str, ...]:
    # The cache of empty boards compares labels by identity.
    return ("",) * count


def _add_badges(pen: Pen, drawing: Drawing, scene: BoardScene, corner: tuple[int, int]) -> None:
    cell_size, sizes = pen.metrics.cell_size, pen.metrics.square_sizes
    for badge in sorted(scene.badges, key=lambda badge: badge.word_end is not None):
        if not printable_text(badge.text):
            continue
        if badge.word_end is None:
            sprite = badge_sprite(pen, badge.text, sizes)
            drawing.put(sprite, corner[0] + badge.column * cell_size, corner[1] + badge.row * cell_size)
        else:
            sprite = score_sprite(pen, badge.text, sizes, (drawing.width, drawing.height))
            drawing.put(sprite, *_score_position(pen, drawing, scene, badge, corner=corner, size=sprite.size))


def _mark_doubtful_squares(pen: Pen, drawing: Drawing, scene: BoardScene, corner: tuple[int, int]) -> None:
    # Dark brackets with a light outline are visible on any colour.
    cell_size, side, palette = pen.metrics.cell_size, pen.metrics.square_sizes.side, pen.palette
    thickness = max(2, side // 8)
    outset, arm = thickness // 2, max(4, side * 2 // 5)
    for index in scene.doubtful_squares:
        row, column = divmod(index, scene.columns)
        x, y = corner[0] + column * cell_size, corner[1] + row * cell_size
        for colour, outline in ((Colour.DISC_INK, max(1, thickness // 3)), (Colour.DISC, 0)):
            total_outset, width = outset + outline, thickness + 2 * outline
            length = arm + 2 * outline
            for bar_width, bar_height in ((length, width), (width, length)):
                for left in (x - total_outset, x + side + total_outset - bar_width):
                    for top in (y - total_outset, y + side + total_outset - bar_height):
                        drawing.fill(palette.index_of(colour), left, top, bar_width, bar_height)


def _score_position(
    pen: Pen,
    drawing: Drawing,
    scene: BoardScene,
    badge: Badge,
    *,
    corner: tuple[int, int],
    size: tuple[int, int],
) -> tuple[int, int]:
    (left, top), (width, height), cell_size = corner, size, pen.metrics.cell_size
    side, gap = pen.metrics.square_sizes.side, pen.metrics.gap
    end_row, end_column = badge.word_end or (badge.row, badge.column)
    x, y = left + badge.column * cell_size, top + badge.row * cell_size
    right, bottom = left + end_column * cell_size + side, top + end_row * cell_size + side
    middle_x, middle_y = right - (side + width) // 2, y + (side - height) // 2
    horizontal_positions = [(right + gap, bottom - (side + height) // 2), (x - gap - width, middle_y)]
    vertical_positions = [(middle_x, bottom + gap), (x + (side - width) // 2, y - gap - height)]
    corner_positions = [
        (corner_x, corner_y)
        for corner_x in (right - width, x, right + gap)
        for corner_y in (y - gap - height, bottom + gap)
    ]
    is_across = end_row == badge.row
    positions = (
        [*horizontal_positions, *vertical_positions]
        if is_across
        else [*vertical_positions, *horizontal_positions]
    )
    positions_on_board = [
        (a, b)
        for a, b in (*positions, *corner_positions)
        if left <= a <= drawing.width - width and top <= b <= drawing.height - height
    ]
    if not positions_on_board:
        return max(0, min(right - width, drawing.width - width)), max(0, min(y, drawing.height - height))
    return min(
        positions_on_board,
        key=lambda position: _hidden_pixels(pen, scene, corner, (*position, width, height)),
    )


def _hidden_pixels(
    pen: Pen, scene: BoardScene, corner: tuple[int, int], box: tuple[int, int, int, int]
) -> int:
    cell_size, (x, y, width, height) = pen.metrics.cell_size, box
    x, y = x - corner[0], y - corner[1]
    hidden_count = 0
    for row in range(max(0, y // cell_size), min(scene.rows, -(-(y + height) // cell_size))):
        for column in range(max(0, x // cell_size), min(scene.columns, -(-(x + width) // cell_size))):
            if scene.tiles[row * scene.columns + column] is not None:
                overlap_width = min(x + width, (column + 1) * cell_size) - max(x, column * cell_size)
                overlap_height = min(y + height, (row + 1) * cell_size) - max(y, row * cell_size)
                hidden_count += overlap_width * overlap_height
    return hidden_count


def _empty_board(pen: Pen, scene: BoardScene, size: tuple[int, int], corner: tuple[int, int]) -> Image.Image:
    key = (scene.squares, scene.row_labels, scene.column_labels)
    last_board = pen.last_board
    # Compare identities first, because a lookup in the sprite cache hashes hundreds of squares.
    if last_board is not None and all(map(is_, last_board[0], key)):
        return last_board[1]
    board = pen.sprites.get(key, lambda: _draw_empty_board(pen, scene, size, corner))
    # The sprite cache accepts nothing larger than this, so a larger board is not kept here either. Boards in chat are smaller.
    if board.width * board.height <= MAX_SPRITE_BYTES // 2:
        pen.last_board = key, board
    return board


def _coordinate_font(metrics: Metrics, scene: BoardScene) -> Font:
    font = metrics.coordinate_font
    return font._replace(px=min(font.px, scene.rows * metrics.cell_size * 2 // 3))


def _draw_empty_board(
    pen: Pen, scene: BoardScene, size: tuple[int, int], corner: tuple[int, int]
) -> Image.Image:
    metrics = pen.metrics
    left, top = corner
    frame, cell_size = metrics.frame, metrics.cell_size
    canvas = Image.new("L", size, pen.palette.index_of(Colour.PAGE))
    mask = shapes.rounded_rectangle(size[0] - left, size[1] - top, frame * 2)
    pen.stamp(canvas, mask, corner, Colour.PAGE, Colour.LINE)
    drawing = Drawing()
    for index, square in enumerate(scene.squares):
        row, column = divmod(index, scene.columns)
        x, y = left + frame + column * cell_size, top + frame + row * cell_size
        if square.kind is SquareKind.MISSING:
            _fill_hole(pen, drawing, scene, index, (x, y))
        else:
            drawing.put(square_sprite(pen, square, metrics.square_sizes), x, y)
    _add_coordinates(pen, drawing, scene, size, corner)
    drawing.paint(canvas, 0, 0)
    return canvas


def _fill_hole(pen: Pen, drawing: Drawing, scene: BoardScene, index: int, position: tuple[int, int]) -> None:
    metrics = pen.metrics
    side = metrics.square_sizes.side
    row, column = divmod(index, scene.columns)
    has_hole_right = column + 1 < scene.columns and scene.squares[index + 1].kind is SquareKind.MISSING
    page = pen.palette.index_of(Colour.PAGE)
    drawing.fill(page, *position, metrics.cell_size if has_hole_right else side, side)
    if row + 1 < scene.rows and scene.squares[index + scene.columns].kind is SquareKind.MISSING:
        drawing.fill(page, *position, side, metrics.cell_size)
        if has_hole_right and scene.squares[index + scene.columns + 1].kind is SquareKind.MISSING:
            drawing.fill(page, *position, metrics.cell_size, metrics.cell_size)


def _add_coordinates(
    pen: Pen, drawing: Drawing, scene: BoardScene, size: tuple[int, int], corner: tuple[int, int]
) -> None:
    metrics = pen.metrics
    left, top = corner
    font, frame, cell_size, side = (
        _coordinate_font(metrics, scene),
        metrics.frame,
        metrics.cell_size,
        metrics.square_sizes.side,
    )
    colours = (Colour.PAGE, Colour.MUTED)
    stride = metrics.label_stride
    column_width = min(stride * cell_size - metrics.gap, size[0])
    for column in range(0, scene.columns, stride):
        x = left + frame + column * cell_size + side // 2 - column_width // 2
        x = max(0, min(x, size[0] - column_width))
        pen.draw_text(
            drawing, scene.column_labels[column], font, (x, 0), colours, max_width=column_width, align=0.5
        )
    row_width = left - metrics.pad // 2
    for row in range(0, scene.rows, stride):
        y = top + frame + row * cell_size + (side - line_height(font)) // 2
        y = max(top, min(y, size[1] - line_height(font)))
        pen.draw_text(drawing, scene.row_labels[row], font, (0, y), colours, max_width=row_width, align=1.0)
