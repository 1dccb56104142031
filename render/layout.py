"""Lays out pictures: a board with its panel, or a mosaic of several pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from render.board import crossword_drawing
from render.chart import MIN_CHART_HEIGHT, MIN_CHART_WIDTH, lay_out_chart
from render.chessboard import chess_drawing
from render.drawing import Drawing, Pen, line_height, pen_of
from render.fonts import printable_text
from render.metrics import (
    MAX_CELL_SIZE,
    MAX_SIDE,
    MIN_CELL_SIZE,
    ImpossibleSizeError,
    cell_sizes,
    unit_of,
)
from render.panel import (
    MAX_PLAYERS,
    cards_column,
    cards_row,
    draw_rack_or_captured,
    section_drawing,
    titled_block,
)
from render.png import to_png
from render.scene import (
    BoardScene,
    ChartScene,
    ChessScene,
    Layout,
    MosaicPart,
    MosaicScene,
    RenderedImage,
    Section,
)
from render.theme import Colour, Scope

Scene: TypeAlias = BoardScene | ChessScene


def draw_board(scene: Scene) -> RenderedImage:
    """Draw a board with its panel as a PNG file. This function is thread-safe.

    Raises:
        ValueError: there is no such theme.
        ImpossibleSizeError: no picture of this scene can be drawn.

    """
    return to_png(*lay_out(scene), scene.embedded_text)


def lay_out(scene: Scene) -> tuple[Drawing, Pen]:
    """Lay out the whole picture with the largest squares that fit the limits.

    Raises:
        ValueError: there is no such theme.
        ImpossibleSizeError: no picture of this scene can be drawn.

    """
    picture = Drawing()
    sizes_to_try = cell_sizes(scene)
    scope = Scope.BOARD if isinstance(scene, BoardScene) else Scope.CHESS
    for cell_size in sizes_to_try:
        pen = pen_of(scene.theme, cell_size, unit_of(scene, cell_size), scope)
        board, label_sizes = _BOARD_DRAWERS[type(scene)](pen, scene)
        margin = pen.metrics.margin
        # Labels take up half of the margin.
        left, top = (margin // 2 if label_size else margin for label_size in label_sizes)
        if scene.layout is Layout.TALL:
            picture = _lay_out_vertically(pen, scene, board, (left, *label_sizes))
        else:
            picture = _lay_out_horizontally(pen, scene, board, (left, top, top + label_sizes[1]))
        if max(picture.width, picture.height) <= MAX_SIDE:
            return picture, pen
    raise ImpossibleSizeError(
        f"a picture with squares of {sizes_to_try[-1]} pixels would be {picture.width} × {picture.height} pixels;"
        f" at most {MAX_SIDE} pixels per side can be drawn"
    )


_BOARD_DRAWERS: dict[type[Scene], Callable[..., tuple[Drawing, tuple[int, int]]]] = {
    BoardScene: crossword_drawing,
    ChessScene: chess_drawing,
}


def _lay_out_horizontally(pen: Pen, scene: Scene, board: Drawing, edges: tuple[int, int, int]) -> Drawing:
    # ``edges`` are the left and top edges of the board with its coordinates, then the top edge of its squares.
    metrics = pen.metrics
    left, top, y = edges
    x = left + board.width + metrics.margin
    picture = Drawing(x, top + board.height)
    picture.add(board, left, top)
    if scene.layout is Layout.WIDE and (scene.players or scene.sections):
        cards = cards_column(pen, scene.players, metrics.panel_width)
        picture.add(cards, x, y)
        y += cards.height + (metrics.pad if cards.height else 0)
        width = metrics.panel_width - metrics.inset - metrics.pad
        for section in scene.sections:
            block = section_drawing(pen, section, width, MAX_SIDE - metrics.margin - metrics.pad - y)
            if block.height:
                picture.add(block, x + metrics.inset, y)
                y += block.height + metrics.pad
        picture.width = x + metrics.panel_width + metrics.margin
        picture.height = max(picture.height, y)
    picture.height += metrics.margin
    return picture


def _lay_out_vertically(pen: Pen, scene: Scene, board: Drawing, sizes: tuple[int, int, int]) -> Drawing:
    # ``sizes`` are the left margin, the width of the row labels and the height of the column labels.
    metrics = pen.metrics
    width = max(board.width, metrics.panel_width)
    (x, label_width, label_height), y = sizes, metrics.margin // 2
    picture = Drawing(x + width + metrics.margin)
    indent = label_width if width == board.width else 0
    cards = cards_row(pen, scene.players, width - indent)
    picture.add(cards, x + indent, y)
    y += cards.height + (0 if label_height else metrics.margin // 2)
    picture.add(board, x + (width - board.width) // 2, y)
    y = _pack_sections(pen, picture, scene, (x + indent, y + board.height + metrics.pad, width - indent))
    picture.height = y + metrics.margin
    return picture


def _pack_sections(pen: Pen, picture: Drawing, scene: Scene, area: tuple[int, int, int]) -> int:
    """Place racks and sections in rows. Return the lower edge of the last row.

    ``area`` is the rows' left edge, top edge and width.
    """
    metrics = pen.metrics
    left, y, width = area
    gap = metrics.pad * 2
    x, row_height, end = left, 0, y
    racks = (
        (player.name, draw_rack_or_captured(pen, player, width, (Colour.PAGE, Colour.MUTED)))
        for player in scene.players[:MAX_PLAYERS]
    )
    entries: list[Drawing | Section] = [titled_block(pen, name, rack, width) for name, rack in racks if rack]
    entries += scene.sections
    for entry in entries:
        free_width = left + width - x
        max_height = MAX_SIDE - metrics.margin - y
        if isinstance(entry, Drawing):
            block = entry
        else:
            # A section that would need too many lines beside the others gets the full width.
            block = section_drawing(pen, entry, width, max_height)
            if block.width > free_width > width // 3:
                narrow_block = section_drawing(pen, entry, free_width, max_height)
                block = narrow_block if 0 < narrow_block.height <= metrics.rack_tile_sizes.side * 2 else block
        if block.width > free_width:
            x, y, row_height = left, y + row_height + (metrics.pad if row_height else 0), 0
            if isinstance(entry, Section):
                block = section_drawing(pen, entry, width, MAX_SIDE - metrics.margin - y)
        if not block.height:
            continue
        picture.add(block, x, y)
        x += block.width + gap
        row_height = max(row_height, block.height)
        end = y + row_height
    return end


_MOSAIC_WIDTH = 794
"""Width of a mosaic in pixels, without the margins. A board with its panel above and below is about as wide."""
_RIGHT_WIDTH = 560
"""Width in pixels of the rows on the right in the wide layout."""
_CHART_HEIGHT_SHARE = 0.36  # Of the chart's width.


def draw_mosaic(scene: MosaicScene) -> RenderedImage:
    """Draw several pictures as one PNG file.

    Raises:
        ImpossibleSizeError: the picture would be too large.
        ValueError: there is no such theme.

    """
    pen = pen_of(scene.theme, scope=Scope.ALL)
    rows = [
        tuple(replace(part, scene=replace(part.scene, theme=scene.theme)) for part in parts)
        for parts in scene.rows
    ]
    margin = pen.metrics.margin
    if scene.layout is Layout.WIDE and len(scene.rows) > 1:
        left_column, right_column = (
            _stack_rows(pen, rows[:1], _MOSAIC_WIDTH, 1),
            _stack_rows(pen, rows[1:], _RIGHT_WIDTH, 1),
        )
        body = Drawing(
            left_column.width + margin + right_column.width, max(left_column.height, right_column.height)
        )
        body.add(left_column, 0, 0)
        body.add(right_column, left_column.width + margin, 0)
    else:
        body = _stack_rows(pen, rows, _MOSAIC_WIDTH, max(map(len, rows)) if scene.has_equal_widths else 1)
    picture, top = Drawing(body.width + 2 * margin), margin
    if scene.players:
        cards = cards_row(pen, scene.players, body.width)
        picture.add(cards, margin, margin)
        top += cards.height + pen.metrics.pad
    picture.add(body, margin, top)
    picture.height = top + body.height + margin
    if max(picture.width, picture.height) > MAX_SIDE:
        raise ImpossibleSizeError(
            f"a mosaic of these pictures would be {picture.width} × {picture.height} pixels;"
            f" at most {MAX_SIDE} pixels per side can be drawn"
        )
    return to_png(picture, pen)


def _stack_rows(pen: Pen, rows: Sequence[tuple[MosaicPart, ...]], width: int, min_parts: int) -> Drawing:
    # In a row of fewer than ``min_parts`` parts, the rest of the width is empty.
    gap, column = pen.metrics.pad, Drawing(width, 0)
    for number, parts in enumerate(rows):
        column.height += gap if number else 0
        count = max(min_parts, len(parts))
        part_width = (width - (count - 1) * gap) // count
        drawings = [_draw_part(pen, part, part_width) for part in parts]
        for index, drawing in enumerate(drawings):
            column.add(drawing, index * (part_width + gap), column.height)
        column.height += max(drawing.height for drawing in drawings)
    return column


def _draw_part(pen: Pen, part: MosaicPart, width: int) -> Drawing:
    drawing = Drawing(width, 0)
    if printable_text(part.title):
        font = pen.metrics.section_font
        font = font._replace(px=max(14, min(font.px, width // 14)))
        pen.draw_text(drawing, part.title, font, (0, 0), (Colour.PAGE, Colour.INK), max_width=width)
        drawing.height = line_height(font)
    picture = _draw_picture(part.scene, pen, width)
    drawing.add(picture, (width - picture.width) // 2, drawing.height)
    drawing.height += picture.height
    return drawing


def _draw_picture(scene: BoardScene | ChessScene | ChartScene, pen: Pen, width: int) -> Drawing:
    if isinstance(scene, ChartScene):
        height = max(MIN_CHART_HEIGHT, round(width * _CHART_HEIGHT_SHARE))
        return lay_out_chart(pen, replace(scene, width=max(MIN_CHART_WIDTH, width), height=height))
    columns = scene.columns if isinstance(scene, BoardScene) else 8
    for cell_size in range(min(MAX_CELL_SIZE, width // columns), MIN_CELL_SIZE - 1, -1):
        board_pen = pen_of(scene.theme, cell_size, unit_of(scene, cell_size, has_panel=False), Scope.ALL)
        drawing, _ = _BOARD_DRAWERS[type(scene)](board_pen, scene)
        if drawing.width <= width:
            return drawing
    raise ImpossibleSizeError(f"a board of {columns} columns doesn't fit into {width} pixels")
