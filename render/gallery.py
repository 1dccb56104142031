"""Several boards in one picture, each with its caption: the games of a message, the puzzles of a set."""

from __future__ import annotations

import math
from dataclasses import replace

from render.board import lay_out
from render.chessboard import lay_out_chess
from render.drawing import Drawing, Pen, line_height
from render.encode import Compression
from render.fonts import Style
from render.metrics import LARGEST_CELL, LONGEST_SIDE, SMALLEST_CELL, ImpossibleSizeError
from render.picture import to_png
from render.scene import BoardScene, GalleryScene, Layout, RenderedImage
from render.theme import Colour
from render.writing import printable

MOST_BOARDS = 12
_MOST_COLUMNS = 4
_WIDTH = 1200
"""Pixels all boards of a row have together, about twice what a client shows."""


class GalleryError(ValueError):
    """The boards do not make a gallery."""


def draw_gallery(gallery: GalleryScene, compression: Compression = Compression.SMALL) -> RenderedImage:
    """Draw boards side by side, without panels, as a PNG file.

    Layouts and sizes of squares that the scenes ask for do not count. Raises :exc:`GalleryError` when there are no
    boards or more than :data:`MOST_BOARDS`, or when they share no theme and kind; for the rest see
    :func:`render.board.draw_board`.
    """
    return to_png(*lay_out_gallery(gallery), compression)


def lay_out_gallery(gallery: GalleryScene) -> tuple[Drawing, Pen]:
    """Return the whole picture as a drawing."""
    _check(gallery)
    columns = min(math.ceil(math.sqrt(len(gallery.scenes))), _MOST_COLUMNS)
    for width in (_WIDTH // columns, _WIDTH * 3 // 4 // columns, _WIDTH // 2 // columns, 0):
        boards, pen = _boards(gallery, width)
        picture = _in_rows(boards, columns)
        if max(picture.width, picture.height) <= LONGEST_SIDE:
            return picture, pen
    raise ImpossibleSizeError(
        f"{len(gallery.scenes)} such boards do not fit a picture of {LONGEST_SIDE} × {LONGEST_SIDE} pixels"
    )


def _in_rows(boards: list[Drawing], columns: int) -> Drawing:
    wide = max(board.width for board in boards)
    high = max(board.height for board in boards)
    picture = Drawing(wide * columns, high * -(-len(boards) // columns))
    for number, board in enumerate(boards):
        row, column = divmod(number, columns)
        picture.add(board, column * wide + (wide - board.width) // 2, row * high)
    return picture


def _check(gallery: GalleryScene) -> None:
    if not 1 <= len(gallery.scenes) <= MOST_BOARDS:
        raise GalleryError(f"a gallery has 1 to {MOST_BOARDS} boards, not {len(gallery.scenes)}")
    first = gallery.scenes[0]
    for number, scene in enumerate(gallery.scenes, start=1):
        if (type(scene), scene.theme) != (type(first), first.theme):
            raise GalleryError(f"board {number} has another theme or is of another kind than the first one")


def _boards(gallery: GalleryScene, width: int) -> tuple[list[Drawing], Pen]:
    """Lay out every board about so wide, its caption below it. Pens of one theme have one palette: any will do."""
    style = Style(max(16, _WIDTH // 40))
    done = []
    for scene in gallery.scenes:
        side = max(scene.grid.rows, scene.grid.columns) if isinstance(scene, BoardScene) else 8
        cell = min(max(width // (side + 1), SMALLEST_CELL), LARGEST_CELL // 2)
        alone = replace(scene, layout=Layout.BOARD, cell=cell, players=(), sections=(), caption="")
        board, pen = lay_out(alone) if isinstance(alone, BoardScene) else lay_out_chess(alone)
        if printable(scene.caption):
            inks = (Colour.PAGE, Colour.INK)
            pen.text(board, scene.caption, style, (0, board.height), inks, room=board.width, align=0.5)
            board.height += line_height(style) + style.px // 2
        done.append((board, pen))
    return [board for board, _ in done], done[0][1]
