"""Several pictures in one: a finished game with its curve and its moments, or positions that came together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from render.chart import MIN_HEIGHT, MIN_WIDTH, check_chart, lay_out_chart
from render.drawing import Drawing, Pen, line_height, pen_of
from render.layout import block_of
from render.metrics import MAX_CELL, MAX_SIDE, MIN_CELL, ImpossibleSizeError, Metrics, check_size, metrics_of
from render.panel import Kit, cards_row
from render.png import to_png
from render.scene import BoardScene, ChartScene, ChessScene, Layout, MosaicScene, Part, RenderedImage
from render.theme import Colour, Scope
from render.writing import printable

WIDTH = 794
"""Pixels of what stands below each other: as wide as a board with its panel above and below."""
_SMALL = 560
"""Pixels of what stands at the right of the first row, where the layout is wide."""
_UNIT = 50  # Scale of the title and the players.
_CHART_SHARE = 0.36  # A chart's height for its width.


def draw_mosaic(scene: MosaicScene) -> RenderedImage:
    """Draw several pictures in one as a PNG file.

    Raises:
        EmptyChartError: a chart is empty or has too many values.
        ImpossibleSizeError: the picture would be too large.
        UnknownThemeError: there is no such theme.

    """
    return to_png(*lay_out_mosaic(scene))


def lay_out_mosaic(scene: MosaicScene) -> tuple[Drawing, Pen]:
    """Return the whole picture as a drawing; it raises what :func:`draw_mosaic` does."""
    kit = Kit(pen_of(scene.theme, -1, Scope.ALL), Metrics(_UNIT, _UNIT))
    rows = [
        tuple(replace(part, scene=replace(part.scene, theme=scene.theme)) for part in parts)
        for parts in scene.rows
    ]
    margin = kit.metrics.margin
    if scene.layout is Layout.WIDE and len(scene.rows) > 1:
        first, rest = _column(kit, rows[:1], WIDTH, 1), _column(kit, rows[1:], _SMALL, 1)
        head = _head(kit, scene, first.width + margin + rest.width)
        body = Drawing(head.width, max(first.height, rest.height))
        body.add(first, 0, 0)
        body.add(rest, first.width + margin, 0)
    else:
        body = _column(kit, rows, WIDTH, max(map(len, rows)) if scene.even else 1)
        head = _head(kit, scene, body.width)
    picture = Drawing(body.width + 2 * margin, margin)
    picture.add(head, margin, margin)
    picture.add(body, margin, margin + head.height)
    picture.height = margin + head.height + body.height + margin
    if max(picture.width, picture.height) > MAX_SIDE:
        raise ImpossibleSizeError(
            f"these pictures would make one of {picture.width} × {picture.height} pixels;"
            f" at most {MAX_SIDE} a side can be drawn"
        )
    return picture, kit.pen


def _head(kit: Kit, scene: MosaicScene, width: int) -> Drawing:
    """Draw the title, and the players under it."""
    metrics, head = kit.metrics, Drawing(width, 0)
    if printable(scene.title):
        style = metrics.score
        kit.pen.text(head, scene.title, style, (0, 0), (Colour.PAGE, Colour.INK), room=width)
        head.height = line_height(style)
    if scene.players:
        cards = cards_row(kit, scene.players, width)
        head.add(cards, 0, head.height)
        head.height += cards.height
    head.height += metrics.pad if head.height else 0
    return head


def _column(kit: Kit, rows: Sequence[tuple[Part, ...]], width: int, least: int) -> Drawing:
    """Draw rows of parts below each other, each as wide as if a row had at least so many."""
    gap, column = kit.metrics.pad, Drawing(width, 0)
    for number, parts in enumerate(rows):
        column.height += gap if number else 0
        count = max(least, len(parts))
        room = (width - (count - 1) * gap) // count
        drawn = [_part(kit, part, room) for part in parts]
        for place, drawing in enumerate(drawn):
            column.add(drawing, place * (room + gap), column.height)
        column.height += max(drawing.height for drawing in drawn)
    return column


def _part(kit: Kit, part: Part, width: int) -> Drawing:
    """Draw one picture under its title."""
    drawing = Drawing(width, 0)
    if printable(part.title):
        style = kit.metrics.words
        style = style._replace(px=max(14, min(style.px, width // 14)))
        kit.pen.text(drawing, part.title, style, (0, 0), (Colour.PAGE, Colour.INK), room=width)
        drawing.height = line_height(style)
    picture = _picture(part.scene, kit.pen, width)
    drawing.add(picture, (width - picture.width) // 2, drawing.height)
    drawing.height += picture.height
    return drawing


def _picture(scene: BoardScene | ChessScene | ChartScene, pen: Pen, width: int) -> Drawing:
    """Draw one picture within a width: a board with the largest squares that fit."""
    if isinstance(scene, ChartScene):
        size = max(MIN_WIDTH, width), max(MIN_HEIGHT, round(width * _CHART_SHARE))
        scene = replace(scene, width=size[0], height=size[1])
        check_chart(scene)
        return lay_out_chart(pen, scene)
    columns = 8
    if isinstance(scene, BoardScene):
        check_size(scene)
        columns = scene.grid.columns
    for cell in range(min(MAX_CELL, width // columns), MIN_CELL - 1, -1):
        kit = Kit(pen_of(scene.theme, cell, Scope.ALL), metrics_of(scene, cell, apart=True))
        drawing, _ = block_of(kit, scene)
        if drawing.width <= width:
            return drawing
    raise ImpossibleSizeError(f"a board of {columns} columns does not fit into {width} pixels")
