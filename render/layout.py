"""Where the board and its panel stand in the picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from render.drawing import Drawing, Pen, line_height
from render.metrics import MAX_SIDE, ImpossibleSizeError
from render.panel import Kit, cards_column, cards_row, inset, rack_blocks, section_drawing
from render.scene import Layout, PlayerRow, Section
from render.theme import Colour
from render.writing import printable


@dataclass(frozen=True, slots=True)
class BoardBlock:
    """A board with its coordinates."""

    drawing: Drawing
    left: int
    """Width of the row labels' strip in pixels; the board begins right of it."""
    top: int
    """Height of the column labels' strip in pixels."""


@dataclass(frozen=True, slots=True)
class Panel:
    """What stands beside a board."""

    players: tuple[PlayerRow, ...]
    sections: tuple[Section, ...]
    caption: str = ""
    """One line below everything."""


def largest_that_fits(
    cells: Sequence[int], at_size: Callable[[int], tuple[Drawing, Pen]]
) -> tuple[Drawing, Pen]:
    """Return the picture with the first of the sizes of squares that keeps it within the limits.

    Raises :exc:`render.metrics.ImpossibleSizeError` when none does.
    """
    drawing, pen = at_size(cells[0])
    for cell in cells[1:]:
        if max(drawing.width, drawing.height) <= MAX_SIDE:
            break
        drawing, pen = at_size(cell)
    if max(drawing.width, drawing.height) > MAX_SIDE:
        raise ImpossibleSizeError(
            f"a picture with squares of {pen.cell} pixels would be {drawing.width} × {drawing.height} pixels;"
            f" at most {MAX_SIDE} a side can be drawn"
        )
    return drawing, pen


def arrange(kit: Kit, layout: Layout, board: BoardBlock, panel: Panel) -> Drawing:
    """Return the whole picture. It grows with what is in it, as far as a picture may."""
    picture = _LAYOUTS[layout](kit, board, panel)
    if printable(panel.caption):
        _add_caption(kit, picture, panel.caption, _before(kit, board.left) + board.left)
    return picture


def _before(kit: Kit, strip: int) -> int:
    """Return the margin before a board: a strip of coordinates is half of it."""
    margin = kit.metrics.margin
    return margin // 2 if strip else margin


def _add_caption(kit: Kit, picture: Drawing, caption: str, x: int) -> None:
    """Write a line below everything, under the board's left edge."""
    metrics = kit.metrics
    style = metrics.words
    y = picture.height - metrics.margin // 2
    room = picture.width - x - metrics.margin
    kit.pen.text(picture, caption, style, (x, y), (Colour.PAGE, Colour.INK), room=max(0, room))
    picture.height = y + line_height(style) + metrics.margin // 2


def _stack_sections(
    kit: Kit, drawing: Drawing, sections: tuple[Section, ...], place: tuple[int, int], width: int
) -> None:
    """Put sections below each other from a place on, as far as a picture can grow."""
    metrics = kit.metrics
    x, y = place
    for section in sections:
        block = section_drawing(kit, section, width, MAX_SIDE - metrics.margin - metrics.pad - y)
        if block.height:
            drawing.add(block, x, y)
            y += block.height + metrics.pad
            drawing.height = max(drawing.height, y)


def _wide(kit: Kit, board: BoardBlock, panel: Panel) -> Drawing:
    metrics = kit.metrics
    if not panel.players and not panel.sections:
        return _board_alone(kit, board, panel)
    picture = Drawing()
    left, top = _before(kit, board.left), _before(kit, board.top)
    picture.add(board.drawing, left, top)
    x = left + board.drawing.width + metrics.margin
    y = top + board.top
    cards = cards_column(kit, panel.players, metrics.panel)
    picture.add(cards, x, y)
    y += cards.height + (metrics.pad if cards.height else 0)
    picture.height = max(board.drawing.height + top, y)
    width = metrics.panel - inset(metrics) - metrics.pad
    _stack_sections(kit, picture, panel.sections, (x + inset(metrics), y), width)
    picture.width = x + metrics.panel + metrics.margin
    picture.height += metrics.margin
    return picture


def _tall(kit: Kit, board: BoardBlock, panel: Panel) -> Drawing:
    metrics = kit.metrics
    width = max(board.drawing.width, metrics.panel)
    x, y = _before(kit, board.left), metrics.margin // 2
    picture = Drawing(x + width + metrics.margin)
    strip = board.left if width == board.drawing.width else 0
    cards = cards_row(kit, panel.players, width - strip)
    picture.add(cards, x + strip, y)
    y += cards.height + (0 if board.top else metrics.margin // 2)
    picture.add(board.drawing, x + (width - board.drawing.width) // 2, y)
    y += board.drawing.height + metrics.pad
    y = _pack(
        kit, picture, rack_blocks(kit, panel.players, width - strip), panel, (x + strip, y, width - strip)
    )
    picture.height = y - metrics.pad + metrics.margin
    return picture


def _pack(kit: Kit, picture: Drawing, blocks: list[Drawing], panel: Panel, area: tuple[int, int, int]) -> int:
    """Put racks and sections side by side as long as they fit, then below; return where they end."""
    metrics = kit.metrics
    left, y, width = area
    gap = metrics.pad * 2
    x, row_height, end = left, 0, y
    queue: list[Drawing | Section] = [*blocks, *panel.sections]
    for entry in queue:
        room = left + width - x
        height = MAX_SIDE - metrics.margin - y
        block = entry if isinstance(entry, Drawing) else _section_within(kit, entry, room, width, height)
        if block.width > room:
            x, y, row_height = left, y + row_height + (metrics.pad if row_height else 0), 0
            if isinstance(entry, Section):
                block = section_drawing(kit, entry, width, MAX_SIDE - metrics.margin - y)
        if not block.height:
            continue
        picture.add(block, x, y)
        x += block.width + gap
        row_height = max(row_height, block.height)
        end = y + row_height
    return end + metrics.pad


def _section_within(kit: Kit, section: Section, room: int, width: int, height: int) -> Drawing:
    """Draw a section in the room beside others when one line is enough for it there, else over the full width."""
    full = section_drawing(kit, section, width, height)
    if full.width <= room:
        return full
    half = section_drawing(kit, section, room, height) if room > width // 3 else full
    return half if half.height and half.height <= kit.metrics.rack.size * 2 else full


def _board_alone(kit: Kit, board: BoardBlock, panel: Panel) -> Drawing:
    del panel
    left, top, margin = _before(kit, board.left), _before(kit, board.top), kit.metrics.margin
    picture = Drawing(left + board.drawing.width + margin, top + board.drawing.height + margin)
    picture.add(board.drawing, left, top)
    return picture


_LAYOUTS = {
    Layout.WIDE: _wide,
    Layout.TALL: _tall,
    Layout.BOARD: _board_alone,
}
