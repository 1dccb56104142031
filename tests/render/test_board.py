from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import png
import pytest
from PIL import Image, ImageChops

from bot.chat.card import ReplyContext
from bot.domain.crossword.notations import cgp
from bot.features.showing.crossword.board_scene import position_scene
from bot.text import translator
from render.drawing import pen_of
from render.layout import draw_board, lay_out
from render.metrics import MAX_SIDE, ImpossibleSizeError, TileSizes
from render.scene import (
    Badge,
    BoardScene,
    Layout,
    Mark,
    PlayerRow,
    Section,
    Square,
    SquareKind,
    TileFace,
)
from render.sprites import tile_sprite
from render.theme import Colour, theme_names
from tests.render.samples import (
    BIG_GAME,
    EMPTY,
    GAME,
    MIDGAME,
    NAMES,
    PLAYER_TO_MOVE,
    PLAYERS,
    PROPOSAL,
    SECTIONS,
    TURN_SCENE,
    face,
    paint_scene,
    rack,
    rows_by_letter,
)


def plain_board(
    rows: int,
    columns: int,
    faces: tuple[TileFace | None, ...] = (None,),
    mark: Mark = Mark.NONE,
    label: str = "15",
) -> BoardScene:
    size = rows * columns
    return BoardScene(
        rows,
        columns,
        (Square(),) * size,
        tuple(faces[index % len(faces)] for index in range(size)),
        (mark,) * size,
        (label,) * rows,
        (label,) * columns,
    )


MANY_PLAYERS = tuple(
    PlayerRow(f"player {number}", str(100 * number), rack=rack("ABCDEFG"[:number])) for number in range(10)
)
OVERLAY_MARKS = tuple(
    Mark.NONE if face is None else (Mark.GHOST, Mark.PHONY, Mark.NONE, Mark.LAST)[index % 4]
    for index, face in enumerate(MIDGAME.tiles)
)
CROSSPLAY = (
    "15/15/15/15/15/15/4JOUSTED4/5WAX2RAN2/11Y3/11I3/9HOME2/11L3/15/15/15 AEIK?T?/ 124/98 0 ld crossplay;"
)
GOLDEN_SCENES = {
    "crossplay": position_scene(cgp.read(CROSSPLAY).value, ReplyContext(translate=translator("en"))),
    "game": GAME,
    "tall": replace(GAME, layout=Layout.TALL),
    "board": replace(GAME, layout=Layout.BOARD, theme="dark"),
    "super": replace(BIG_GAME, theme="dark"),
    "empty": replace(EMPTY, theme="contrast"),
    "colourblind": replace(GAME, theme="colourblind", cell_size=34),
    "many_players": replace(EMPTY, players=(*MANY_PLAYERS, PLAYER_TO_MOVE), sections=SECTIONS, theme="dark"),
    "overlays": replace(
        MIDGAME,
        marks=OVERLAY_MARKS,
        badges=(Badge(6, 7, "1"), Badge(4, 10, "2"), Badge(14, 14, "128"), Badge(0, 5, "3")),
        layout=Layout.BOARD,
    ),
    "doubts": replace(GAME, layout=Layout.BOARD, theme="dark", doubtful_squares=(0, 47, 112, 113, 224)),
    "phone": replace(GAME, layout=Layout.TALL, theme="dark", cell_size=24),
    "proposal": replace(PROPOSAL, coordinates=False),
    "rows_by_letter": replace(rows_by_letter(TURN_SCENE), layout=Layout.WIDE),
    "names": replace(
        EMPTY,
        players=tuple(PlayerRow(name, str(100 + seat), to_move=seat == 1) for seat, name in enumerate(NAMES)),
        sections=(Section("שלום", ("דוד", "محمد", "א×3")),),
    ),
    "tall_bare": replace(GAME, layout=Layout.TALL, coordinates=False, theme="colourblind"),
}


@pytest.mark.parametrize("name", GOLDEN_SCENES)
def test_a_picture_matches_its_golden_file(name: str, check_golden):
    check_golden(f"{name}.png", draw_board(GOLDEN_SCENES[name]).data)


def test_a_difference_from_a_golden_image_is_saved(check_golden, request):
    if request.config.getoption("--update-golden", default=False):
        pytest.skip("the golden image would be replaced")
    first, second = sorted(GOLDEN_SCENES)[:2]
    with pytest.raises(AssertionError) as raised:
        check_golden(f"{first}.png", draw_board(GOLDEN_SCENES[second]).data)
    paths = [Path(word) for word in raised.value.__notes__[0].split() if word.endswith(".png")]
    assert [path.name for path in paths] == [f"{first}.actual.png", f"{first}.difference.png"]
    assert paths[0].read_bytes() == draw_board(GOLDEN_SCENES[second]).data
    with Image.open(paths[1]) as difference:
        assert difference.getbbox() is not None


def test_an_independent_decoder_finds_the_painted_pixels():
    image = draw_board(GAME)
    canvas, pen = paint_scene(GAME)
    width, height, rows, info = png.Reader(bytes=image.data).read()
    assert (width, height, image.mime) == (image.width, image.height, "image/png")
    assert b"".join(map(bytes, rows)) == canvas.tobytes()
    assert info["palette"] == pen.palette.colours


def test_identical_scenes_produce_identical_bytes():
    first = draw_board(GAME).data
    pen_of.cache_clear()
    draw_board(BIG_GAME)
    assert draw_board(replace(GAME, sections=tuple(SECTIONS))).data == first


def test_threads_produce_the_same_bytes():
    scenes = [replace(GAME, theme=theme, layout=layout) for theme in theme_names() for layout in Layout]
    expected = [draw_board(scene).data for scene in scenes]
    pen_of.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        assert [image.data for image in pool.map(draw_board, scenes * 2)] == expected * 2


@pytest.mark.parametrize("layout", Layout)
@pytest.mark.parametrize(
    ("rows", "columns"), [(1, 1), (1, 50), (50, 1), (50, 50), (15, 15), (21, 21), (2, 9)]
)
def test_boards_of_every_size_stay_within_the_limit(rows: int, columns: int, layout: Layout):
    board = plain_board(rows, columns, (face("Q"), None, face("z")))
    image = draw_board(replace(board, players=PLAYERS, sections=SECTIONS, layout=layout))
    assert max(image.width, image.height) <= MAX_SIDE
    assert Image.open(io.BytesIO(image.data)).size == (image.width, image.height)


def test_an_ordinary_game_is_at_most_1100_pixels_wide():
    assert draw_board(GAME).width <= 1100


@pytest.mark.parametrize(
    ("scene", "message"),
    [
        (replace(GAME, cell_size=7), "squares must be 8 to 128 pixels wide, not 7"),
        (replace(GAME, cell_size=129), "pixels wide, not 129"),
        (replace(BIG_GAME, cell_size=128), "pixels; at most 2000 pixels per side"),
        (plain_board(0, 0), "a board must have 1 × 1 to 50 × 50 squares, not 0 × 0"),
        (plain_board(1, 51), "a board must have 1 × 1 to 50 × 50 squares, not 1 × 51"),
    ],
)
def test_impossible_sizes_are_refused(scene: BoardScene, message: str):
    with pytest.raises(ImpossibleSizeError, match=message):
        draw_board(scene)


def test_an_unknown_theme_is_refused():
    with pytest.raises(ValueError, match="there is no theme 'sepia'"):
        draw_board(replace(GAME, theme="sepia"))


@pytest.mark.parametrize("theme", theme_names())
@pytest.mark.parametrize("size", [9, 20, 34, 45, 68])
def test_letters_stay_inside_their_tiles(theme: str, size: int):
    # The outermost pixels of a tile are the same whatever is printed on it.
    pen = pen_of(theme, size, size)
    for text in ("W", "Q", "Ś", "Ҥ", "Щ", "Å", "L·L", "DZSDZSDZS", "ᄐ", "\ufffd"):
        for printed in (
            TileFace(text, 10),
            TileFace(text),
            TileFace(text, is_blank=True),
            TileFace(text, 12345),
        ):
            for mark in Mark:
                bare_sprite = tile_sprite(pen, TileFace(""), mark, TileSizes(size))
                full_sprite = tile_sprite(pen, printed, mark, TileSizes(size))
                for box in (
                    (0, 0, size, 1),
                    (0, 0, 1, size),
                    (size - 1, 0, size, size),
                    (0, size - 1, size, size),
                ):
                    assert full_sprite.crop(box).tobytes() == bare_sprite.crop(box).tobytes(), (text, mark)


def test_an_added_tile_changes_only_the_inside_of_its_cell():
    index = 7 * 15 + 11
    assert MIDGAME.tiles[index] is None
    tiles = (*MIDGAME.tiles[:index], face("Z"), *MIDGAME.tiles[index + 1 :])
    before, pen = paint_scene(GAME)
    after, _ = paint_scene(replace(GAME, tiles=tiles))
    box = ImageChops.difference(before, after).getbbox()
    sprite = tile_sprite(pen, face("Z"), Mark.NONE, _tile_sizes())
    assert box is not None
    assert box[2] - box[0] <= sprite.width
    assert box[3] - box[1] <= sprite.height
    before.paste(sprite, _cell_position(index))
    assert before.tobytes() == after.tobytes()


def _tile_sizes():
    return pen_of(GAME.theme, 45, 45).metrics.square_sizes


def _cell_position(index: int) -> tuple[int, int]:
    drawing, pen = lay_out(GAME)
    first = tile_sprite(pen, face("W"), Mark.NONE, _tile_sizes())
    left, top = next(box[:2] for content, box in drawing.items if content is first)
    row, column = divmod(index, 15)
    return left + column * 45, top + row * 45


def test_a_picture_with_too_many_words_stays_within_the_limit():
    long_section = Section("Many", tuple(f"WORD{number}" for number in range(5000)))
    for layout in (Layout.WIDE, Layout.TALL):
        image = draw_board(replace(GAME, sections=(long_section,), layout=layout))
        assert 1500 < image.height <= MAX_SIDE


@pytest.mark.parametrize(("rows", "columns"), [(50, 50), (1, 50), (50, 1), (1, 1)])
@pytest.mark.parametrize("layout", Layout)
def test_the_fullest_panels_stay_within_the_limit(rows: int, columns: int, layout: Layout):
    full_player = PlayerRow("W" * 300, "9" * 30, True, "note" * 20, rack("Q" * 60), "unknown " * 20)
    long_section = Section("title " * 30, ("WORDWORDWORD",) * 700)
    board = plain_board(rows, columns, label="A" * 30)
    drawing, _ = lay_out(
        replace(board, players=(full_player,) * 9, sections=(long_section,) * 30, layout=layout)
    )
    assert max(drawing.width, drawing.height) <= MAX_SIDE


@pytest.mark.parametrize("cell_size", range(8, 24))
def test_the_smallest_squares_can_be_drawn(cell_size: int):
    board = BoardScene(
        1,
        4,
        tuple(Square(SquareKind.LETTER_2, "2L", is_start=start) for start in (True, False, False, False)),
        (None, face("?"), face("q"), face("W")),
        (Mark.NONE, Mark.GHOST, Mark.PHONY, Mark.LAST),
        ("1",),
        tuple("ABCD"),
    )
    image = draw_board(replace(board, cell_size=cell_size, layout=Layout.BOARD, badges=(Badge(0, 0, "12"),)))
    assert image.width > 4 * cell_size


@pytest.mark.parametrize("layout", Layout)
def test_coordinates_can_be_left_out(layout: Layout):
    # Empty labels give the same picture as no coordinates.
    labelled_drawing, pen = lay_out(replace(GAME, layout=layout, cell_size=45))
    bare_drawing, _ = lay_out(replace(GAME, layout=layout, cell_size=45, coordinates=False))
    unlabelled_scene = replace(GAME, layout=layout, row_labels=("",) * 15, column_labels=("",) * 15)
    assert (
        draw_board(replace(GAME, layout=layout, coordinates=False)).data == draw_board(unlabelled_scene).data
    )
    first = tile_sprite(pen, face("W"), Mark.NONE, _tile_sizes())
    corners = [
        next(box for content, box in drawing.items if content is first)
        for drawing in (bare_drawing, labelled_drawing)
    ]
    assert corners[0][0] < corners[1][0]
    assert corners[0][1] < corners[1][1]


@pytest.mark.parametrize("cell_size", [8, 12, 20, 45, 128])
@pytest.mark.parametrize("side", [1, 2])
def test_scores_of_plays_stay_on_the_board(cell_size: int, side: int):
    board = plain_board(side, side, (face("Q"),), Mark.GHOST, label="")
    indices = range(side**2)
    badges = tuple(
        Badge(*divmod(index, side), text, word_end=divmod(index, side))
        for index in indices
        for text in ("+8", "W" * 60)
    )
    drawing, _ = lay_out(replace(board, layout=Layout.BOARD, cell_size=cell_size, badges=badges))
    board_box = drawing.items[0][1]
    for _, (left, top, right, bottom) in drawing.items[1:]:
        assert board_box[0] <= left < right <= board_box[2]
        assert board_box[1] <= top < bottom <= board_box[3]


@pytest.mark.parametrize(
    ("row", "column", "down"), [(7, 3, False), (7, 10, False), (0, 8, True), (9, 14, True)]
)
def test_the_score_of_a_play_hides_no_tile(row: int, column: int, down: bool):
    squares = {(row + step * down, column + step * (not down)) for step in range(5)}
    tiles = [face("Q") if divmod(index, 15) in squares else None for index in range(225)]
    tiles[7 * 15 + 8] = tiles[7 * 15 + 2] = face("W")
    marks = tuple(Mark.GHOST if tile else Mark.NONE for tile in tiles)
    board = replace(EMPTY, tiles=tuple(tiles), marks=marks)
    badge = Badge(*min(squares), "+102", word_end=max(squares))
    drawing, _ = lay_out(replace(board, layout=Layout.BOARD, badges=(badge,), cell_size=50))
    *placed_tiles, (_, (left, top, right, bottom)) = drawing.items[1:]
    assert len(placed_tiles) == sum(tile is not None for tile in tiles)
    for _, (tile_left, tile_top, tile_right, tile_bottom) in placed_tiles:
        assert right <= tile_left or left >= tile_right or bottom <= tile_top or top >= tile_bottom


def test_longer_lists_make_the_picture_taller():
    few, many = (Section("Words", ("FILEMOT",) * count) for count in (3, 90))
    heights = [draw_board(replace(GAME, sections=(section,))).height for section in (few, many)]
    assert heights[0] < heights[1]


def test_the_page_shows_through_missing_squares():
    board_of_missing_squares = replace(EMPTY, squares=(Square(SquareKind.MISSING),) * 225)
    canvas, pen = paint_scene(replace(board_of_missing_squares, layout=Layout.BOARD))
    middle = canvas.getpixel((canvas.width // 2, canvas.height // 2))
    assert middle == pen.palette.index_of(Colour.PAGE)
