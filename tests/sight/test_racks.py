from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import pytest
from PIL import Image, ImageDraw

from bot.domain.reading.problems import ParseError
from bot.features.showing.reading.boards import MAX_DOUBTFUL_SQUARES, read_boards
from bot.sight.crossword import read_crossword
from bot.sight.grids import find_lattices
from bot.sight.racks import RecognizedRack, read_rack
from render.scene import Layout

from .pictures import THEMES_AND_LAYOUTS, UNIVERSAL, as_jpeg, crossword_picture, read_as_file, scaled


def rack_of(picture: Image.Image) -> RecognizedRack | None:
    [lattice] = find_lattices(picture)
    return read_rack(picture, lattice.grid)


def with_row(letters: str, *, top: int = 30, side: int = 40, gap: int = 4) -> Image.Image:
    """Return a picture of a board without a rack, with a row of lettered boxes below the board."""
    board = crossword_picture(rack="", layout=Layout.BOARD)
    picture = Image.new("RGB", (board.width, board.height + 160), (40, 42, 48))
    picture.paste(board, (0, 0))
    pen = ImageDraw.Draw(picture)
    for number, letter in enumerate(letters):
        x, y = 60 + number * (side + gap), board.height + top
        pen.rectangle((x, y, x + side, y + side), (235, 214, 160))
        pen.text((x + side / 2, y + side / 2), letter, "black", anchor="mm", font_size=26)
    return picture


@pytest.mark.parametrize(("theme", "layout"), THEMES_AND_LAYOUTS)
def test_kibitz_racks_are_read(theme, layout):
    rack = rack_of(crossword_picture(theme=theme, layout=layout))
    assert rack is not None
    assert rack.tiles == "AEINRST"


def test_a_blank_on_a_rack_is_read():
    rack = rack_of(crossword_picture(rack="DIKLMT?"))
    assert rack is not None
    assert sorted(rack.tiles) == sorted("DIKLMT?")


def test_a_rack_is_read_at_other_sizes():
    picture = as_jpeg(scaled(crossword_picture(rack="ACEHOTW", layout=Layout.WIDE), 0.8), 75)
    rack = rack_of(picture)
    assert rack is not None
    assert rack.tiles == "ACEHOTW"


def test_a_board_alone_has_no_rack():
    assert rack_of(crossword_picture(layout=Layout.BOARD)) is None
    assert read_as_file(crossword_picture(layout=Layout.BOARD)).picture_confidence.is_board_alone


def test_a_rack_becomes_part_of_the_position():
    found = read_as_file(with_row("DEGIOPR"))
    assert found.text == f"{UNIVERSAL} DEGIOPR/ 0/0 0"
    assert found.picture_confidence.has_rack
    assert not found.picture_confidence.is_rack_doubtful
    assert not found.picture_confidence.is_confident, "the user is not asked to check a crossword board"


def test_a_rack_with_more_tiles_than_the_set_has_is_doubtful():
    found = read_as_file(with_row("ZZZ"))
    assert found.picture_confidence.is_rack_doubtful
    assert not found.picture_confidence.is_confident


def test_a_row_of_ten_boxes_is_not_a_rack():
    assert rack_of(with_row("QWERTUIOPA", side=36, gap=3)) is None


def test_neither_of_two_rows_of_letters_is_certain():
    picture = with_row("DEGIOPR")
    second_picture = with_row("ATVWLNY", top=90)
    picture.paste(
        second_picture.crop((0, second_picture.height - 80, second_picture.width, second_picture.height)),
        (0, picture.height - 80),
    )
    rack = rack_of(picture)
    assert rack is None or not rack.is_confident


def test_racks_and_scores_are_not_read_beside_a_board_that_is_not_shown(monkeypatch):
    # On a hostile picture, these searches take most of the time.
    [result] = read_crossword(crossword_picture())
    searches = []
    for name in ("racks.read_rack", "scores.read_scores"):
        monkeypatch.setattr(f"bot.sight.{name}", lambda *_, name=name: searches.append(name))
    for doubtful_count in (MAX_DOUBTFUL_SQUARES, MAX_DOUBTFUL_SQUARES + 1):
        unsure_result = replace(result, doubtful_squares=tuple(range(doubtful_count)))
        monkeypatch.setattr(
            "bot.sight.crossword.read_crossword", lambda _, unsure_result=unsure_result: (unsure_result,)
        )
        searches.clear()
        with (
            nullcontext()
            if doubtful_count == MAX_DOUBTFUL_SQUARES
            else pytest.raises(ParseError, match="too little of it")
        ):
            read_boards(crossword_picture(), None, spoiler=False)
        assert len(searches) == (2 if doubtful_count == MAX_DOUBTFUL_SQUARES else 0)
