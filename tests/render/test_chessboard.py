from __future__ import annotations

from dataclasses import replace

import png
import pytest

from render.chessboard import draw_chessboard, lay_out_chess, piece_image
from render.metrics import ImpossibleSizeError
from render.samples import MATE, pieces
from render.scene import ChessScene, Layout, Piece, PieceKind
from render.theme import UnknownThemeError, theme_names

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"


GOLDEN = {
    "mate": MATE,
    "mate_tall": replace(MATE, layout=Layout.TALL, theme="dark", flipped=True),
    "start": ChessScene(pieces(START), layout=Layout.BOARD, theme="colourblind", cell=50),
    "contrast": replace(MATE, layout=Layout.BOARD, theme="contrast"),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name: str, golden):
    golden(f"chess_{name}.png", draw_chessboard(GOLDEN[name]).data)


def test_every_piece_is_in_the_atlas():
    seen = {piece_image(Piece(kind, white)).tobytes() for kind in PieceKind for white in (True, False)}
    assert len(seen) == 12
    for kind in PieceKind:
        brightness, coverage = piece_image(Piece(kind, white=True)).split()
        assert coverage.getbbox() is not None
        assert brightness.getextrema()[1] > 250


@pytest.mark.parametrize("theme", theme_names())
@pytest.mark.parametrize("layout", Layout)
@pytest.mark.parametrize("cell", [None, 8, 33, 128])
def test_every_theme_layout_and_size(theme: str, layout: Layout, cell: int | None):
    image = draw_chessboard(replace(MATE, theme=theme, layout=layout, cell=cell))
    assert png.Reader(bytes=image.data).read()[:2] == (image.width, image.height)


def test_flipping_turns_the_board_by_half():
    """The same square sprites, at the places turned by 180 degrees."""
    boards = []
    for flipped in (False, True):
        drawing, _ = lay_out_chess(replace(MATE, layout=Layout.BOARD, cell=40, flipped=flipped))
        squares = [
            (box, id(what)) for what, box in drawing.items if box[2] - box[0] == 40 and box[3] - box[1] == 40
        ]
        boards.append([sprite for _, sprite in sorted(squares)])
    assert len(boards[0]) == 64
    assert boards[0] == boards[1][::-1]


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"theme": "sepia"}, UnknownThemeError, "no theme 'sepia'"),
        ({"cell": 129}, ImpossibleSizeError, "squares of 129 pixels"),
        ({"pieces": (None,) * 63}, ValueError, "64 squares, not 63"),
        ({"last": (64,)}, ValueError, "no square 64"),
        ({"check": -1}, ValueError, "no square -1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(change: dict[str, object], error: type[ValueError], said: str):
    with pytest.raises(error, match=said):
        draw_chessboard(replace(MATE, **change))
