from __future__ import annotations

from dataclasses import replace

import png
import pytest

from render import shapes
from render.layout import draw_board, lay_out
from render.scene import Arrow, ChessScene, Circle, Layout, Piece, PieceKind, Stroke
from render.sprites import piece_images
from render.theme import Colour, theme_names
from tests.render.samples import MATE, pieces

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"


GOLDEN_SCENES = {
    "mate": MATE,
    "mate_tall": replace(MATE, layout=Layout.TALL, theme="dark", flipped=True),
    "start": ChessScene(pieces(START), layout=Layout.BOARD, theme="colourblind", cell_size=50),
    "contrast": replace(MATE, layout=Layout.BOARD, theme="contrast"),
    "bare": replace(MATE, layout=Layout.BOARD, cell_size=48, coordinates=False),
    "arrows": replace(
        MATE,
        layout=Layout.BOARD,
        cell_size=60,
        arrows=(Arrow(31, 13, is_proposed=True), Arrow(57, 40), Arrow(0, 63)),
    ),
    "marks": ChessScene(
        (None,) * 64,
        layout=Layout.BOARD,
        cell_size=46,
        arrows=tuple(Arrow(row * 16 + 1, row * 16 + 5, stroke=stroke) for row, stroke in enumerate(Stroke))
        + tuple(Arrow(60, 47 - 16 * row, stroke=stroke) for row, stroke in enumerate(Stroke) if row < 2),
        circles=tuple(Circle(row * 16 + 6, stroke) for row, stroke in enumerate(Stroke)),
    ),
    "circles": replace(
        MATE,
        layout=Layout.BOARD,
        cell_size=60,
        circles=tuple(map(Circle, (3, 13, 36, 60))),
        arrows=(Arrow(36, 13),),
        theme="dark",
    ),
}


@pytest.mark.parametrize("name", GOLDEN_SCENES)
def test_a_picture_matches_its_golden_file(name: str, check_golden):
    check_golden(f"chess_{name}.png", draw_board(GOLDEN_SCENES[name]).data)


def test_every_piece_is_in_the_atlas():
    assert len({picture.tobytes() for picture in piece_images().values()}) == 12
    for kind in PieceKind:
        brightness, coverage = piece_images()[Piece(kind, white=True)].split()
        assert coverage.getbbox() is not None
        assert max(brightness.tobytes()) > 250


@pytest.mark.parametrize("theme", theme_names())
@pytest.mark.parametrize("layout", Layout)
@pytest.mark.parametrize("cell_size", [None, 8, 33, 128])
def test_a_chessboard_has_its_stated_size_in_every_theme_and_layout(
    theme: str, layout: Layout, cell_size: int | None
):
    image = draw_board(replace(MATE, theme=theme, layout=layout, cell_size=cell_size))
    assert png.Reader(bytes=image.data).read()[:2] == (image.width, image.height)


def test_flipping_turns_the_board_by_180_degrees():
    boards = []
    for flipped in (False, True):
        drawing, _ = lay_out(replace(MATE, layout=Layout.BOARD, cell_size=40, flipped=flipped))
        squares = [
            (box, id(content))
            for content, box in drawing.items
            if box[2] - box[0] == 40 and box[3] - box[1] == 40
        ]
        boards.append([sprite for _, sprite in sorted(squares)])
    assert len(boards[0]) == 64
    assert boards[0] == boards[1][::-1]


def draw_squares(arrow: Arrow | None, *, flipped: bool = False) -> list[bytes]:
    arrows = () if arrow is None else (arrow,)
    scene = ChessScene(pieces(START), flipped, layout=Layout.BOARD, cell_size=40, arrows=arrows)
    drawing, _ = lay_out(scene)
    found = sorted(
        (box[1], box[0], content.tobytes()) for content, box in drawing.items if content.size == (40, 40)
    )
    return [data for _, _, data in found][:: -1 if flipped else 1]


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize(
    ("arrow", "crossed"),
    [
        (Arrow(52, 36), {52, 44, 36}),
        (Arrow(36, 52), {52, 44, 36}),
        (Arrow(24, 31), set(range(24, 32))),
        (Arrow(62, 45), {62, 54, 53, 45}),
        (Arrow(63, 56), set(range(56, 64))),
    ],
)
def test_an_arrow_changes_the_squares_it_crosses(arrow: Arrow, crossed: set[int], flipped: bool):
    squares_without_arrow, squares_with_arrow = (
        draw_squares(None, flipped=flipped),
        draw_squares(arrow, flipped=flipped),
    )
    assert {
        index for index in range(64) if squares_without_arrow[index] != squares_with_arrow[index]
    } == crossed


@pytest.mark.parametrize("cell_size", [8, 9, 40, 128])
def test_a_circle_changes_only_its_square_and_leaves_the_middle_free(cell_size: int):
    bare, circled = (
        lay_out(ChessScene(pieces(START), layout=Layout.BOARD, cell_size=cell_size, circles=circles))[0]
        for circles in ((), (Circle(12),))
    )
    changed_squares = [
        (before.tobytes(), after.tobytes())
        for (before, _), (after, _) in zip(bare.items, circled.items, strict=True)
        if before.tobytes() != after.tobytes()
    ]
    assert len(changed_squares) == 1
    before, after = changed_squares[0]
    middle = (cell_size // 2) * cell_size + cell_size // 2
    assert before[middle] == after[middle]


@pytest.mark.parametrize("cell_size", [8, 20, 86])
@pytest.mark.parametrize(
    ("stroke", "colour"),
    [
        (None, Colour.CHESS_ARROW),
        (Stroke.RED, Colour.CHESS_RED),
        (Stroke.YELLOW, Colour.CHESS_YELLOW),
        (Stroke.BLUE, Colour.CHESS_ARROW),
    ],
)
def test_arrows_have_no_seams_in_any_direction(cell_size: int, stroke: Stroke | None, colour: Colour):
    # An arrow drawn square by square has the same pixels as an arrow drawn as a whole.
    for end in (0, 7, 21, 29, 50, 56, 63):
        start = divmod(28, 8)
        scene = ChessScene(
            (None,) * 64, layout=Layout.BOARD, cell_size=cell_size, arrows=(Arrow(28, end, stroke=stroke),)
        )
        drawing, pen = lay_out(scene)
        board = drawing.paint_box(drawing.items[0][1], 0)
        frame = (board.width - 8 * cell_size) // 2
        squares = board.crop((frame, frame, frame + 8 * cell_size, frame + 8 * cell_size))
        ink = pen.palette.index_of(colour)
        centres = [
            ((column + 0.5) * cell_size, (row + 0.5) * cell_size) for row, column in (start, divmod(end, 8))
        ]
        large_arrow = shapes.arrow(8 * cell_size, *centres, cell_size, 0, stroke=stroke)
        has_ink = [pixel == ink for pixel in squares.tobytes()]
        # The ramp has four steps, so its last colour begins at a coverage of 7/8.
        assert has_ink == [pixel * 8 > 255 * 7 for pixel in large_arrow.tobytes()]
        assert any(has_ink)
