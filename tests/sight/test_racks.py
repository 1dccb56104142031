"""Racks beside boards: read if there is one, doubtful if it may be another row, and never invented."""

from __future__ import annotations

import io
from contextlib import nullcontext
from dataclasses import replace

import pytest
from PIL import Image, ImageDraw

from bot.chat.card import Style, View
from bot.chat.source import Attachment, Source
from bot.domain.crossword.notations import cgp
from bot.domain.reading.problems import ParseError
from bot.features.showing.crossword.board_scene import position_scene
from bot.features.showing.reading.boards import MAX_DOUBTFUL, boards_of
from bot.features.showing.reading.documents import read_file
from bot.sight.crossword import read_crossword
from bot.sight.grids import find_grids
from bot.sight.racks import RackSight, read_rack
from render.layout import draw_board
from render.scene import Layout
from render.theme import theme_names

from .pictures import as_jpeg, scaled

PLACEMENT = "15/15/15/15/15/3F11/3O11/3UNIVERSaL3/3N11/3T11/15/15/15/15/15"


def picture_with_rack(rack: str, theme: str = "light", layout: Layout = Layout.TALL) -> Image.Image:
    position = cgp.read(f"{PLACEMENT} {rack}/ 120/87 0").value
    scene = position_scene(position, Style(View(theme, layout)))
    return Image.open(io.BytesIO(draw_board(scene).data)).convert("RGB")


def rack_of(picture: Image.Image) -> RackSight | None:
    [lattice] = find_grids(picture)
    return read_rack(picture, lattice.grid)


def item_of(picture: Image.Image):
    stream = io.BytesIO()
    picture.save(stream, "PNG")
    [item] = read_file(Attachment("a.png", stream.getvalue()), Source("")).found
    return item


def with_row(letters: str, *, top: int = 30, side: int = 40, gap: int = 4) -> Image.Image:
    """Return a board without a rack, and boxes with letters below the board."""
    board = picture_with_rack("", layout=Layout.BOARD)
    picture = Image.new("RGB", (board.width, board.height + 160), (40, 42, 48))
    picture.paste(board, (0, 0))
    pen = ImageDraw.Draw(picture)
    for number, letter in enumerate(letters):
        x, y = 60 + number * (side + gap), board.height + top
        pen.rectangle((x, y, x + side, y + side), (235, 214, 160))
        pen.text((x + side / 2, y + side / 2), letter, "black", anchor="mm", font_size=26)
    return picture


LAYOUTS = list(zip(theme_names(), [Layout.TALL, Layout.WIDE] * 2, strict=True))


@pytest.mark.parametrize(("theme", "layout"), LAYOUTS)
def test_our_racks_are_read(theme, layout):
    rack = rack_of(picture_with_rack("AEINRST", theme, layout))
    assert rack is not None
    assert rack.tiles == "AEINRST"


def test_a_ring_or_a_missing_value_marks_a_blank_on_a_rack():
    rack = rack_of(picture_with_rack("DIKLMT?"))
    assert rack is not None
    assert sorted(rack.tiles) == sorted("DIKLMT?")


def test_a_rack_is_read_at_other_sizes():
    picture = as_jpeg(scaled(picture_with_rack("ACEHOTW", layout=Layout.WIDE), 0.8), 75)
    rack = rack_of(picture)
    assert rack is not None
    assert rack.tiles == "ACEHOTW"


def test_a_board_alone_has_no_rack():
    assert rack_of(picture_with_rack("AEINRST", layout=Layout.BOARD)) is None
    assert item_of(picture_with_rack("AEINRST", layout=Layout.BOARD)).sight.board_alone


def test_a_rack_becomes_a_part_of_the_position():
    item = item_of(with_row("DEGIOPR"))
    assert item.text == f"{PLACEMENT} DEGIOPR/ 0/0 0"
    assert item.sight.has_rack
    assert not item.sight.rack_doubtful
    assert not item.sight.confident, "a crossword board is never certain"


def test_a_rack_with_more_tiles_than_the_set_has_is_doubtful():
    item = item_of(with_row("ZZZ"))
    assert item.sight.rack_doubtful
    assert not item.sight.confident


def test_a_row_of_ten_boxes_is_not_a_rack():
    assert rack_of(with_row("QWERTUIOPA", side=36, gap=3)) is None


def test_neither_of_two_rows_of_letters_is_certain():
    picture = with_row("DEGIOPR")
    second = with_row("ATVWLNY", top=90)
    picture.paste(second.crop((0, second.height - 80, second.width, second.height)), (0, picture.height - 80))
    rack = rack_of(picture)
    assert rack is None or not rack.confident


def test_racks_and_scores_are_not_read_beside_a_board_that_is_not_shown(monkeypatch):
    # This search takes most of the time for a hostile picture.
    [sight] = read_crossword(picture_with_rack("AEINRST"))
    searches = []
    for name in ("racks.read_rack", "scores.read_scores"):
        monkeypatch.setattr(f"bot.sight.{name}", lambda *_, name=name: searches.append(name))
    for doubtful in (MAX_DOUBTFUL, MAX_DOUBTFUL + 1):
        unsure = replace(sight, doubtful=tuple(range(doubtful)))
        monkeypatch.setattr("bot.sight.crossword.read_crossword", lambda _, unsure=unsure: (unsure,))
        searches.clear()
        with (
            nullcontext() if doubtful == MAX_DOUBTFUL else pytest.raises(ParseError, match="too little of it")
        ):
            boards_of(picture_with_rack("AEINRST"), None, spoiler=False)
        assert len(searches) == (2 if doubtful == MAX_DOUBTFUL else 0)
