"""Pictures that are designed to be slow to read. The tests check the number of squares and boxes that are examined, not the time."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw

from bot.features.showing.reading import pictures as pictures_module
from bot.sight import rows
from bot.sight.chess import read_chess
from bot.sight.crossword import read_crossword
from bot.sight.network import Network
from bot.sight.squares import Floats, Grid

from .boardless_pictures import LETTERS


def line_picture(side: int, step: int) -> Image.Image:
    pixels = np.full((side, side, 3), 255, np.uint8)
    pixels[::step] = pixels[:, ::step] = 0
    return Image.fromarray(pixels)


def chequered_picture(side: int, step: int) -> Image.Image:
    cells = np.arange(side) // step
    light = np.add.outer(cells, cells) % 2 == 0
    return Image.fromarray(np.where(light, 240, 90).astype(np.uint8)).convert("RGB")


def letter_picture(side: int, step: int) -> Image.Image:
    picture = line_picture(side, step)
    pen = ImageDraw.Draw(picture)
    for number in range((side // step) ** 2):
        row, column = divmod(number, side // step)
        centre = (column + 0.5) * step, (row + 0.5) * step
        pen.text(centre, LETTERS[number * 7 % 26], "black", font_size=step * 0.7, anchor="mm")
    return picture


@pytest.fixture
def counted_squares(monkeypatch):
    """Return a list that collects the number of squares in each call to a network."""
    square_counts: list[int] = []
    original = Network.probabilities

    def counting(network: Network, features: Floats) -> Floats:
        square_counts.append(len(features))
        return original(network, features)

    monkeypatch.setattr(Network, "probabilities", counting)
    return square_counts


@pytest.mark.parametrize(
    ("picture", "limit"),
    [
        (line_picture(480, 30), 60),
        (line_picture(480, 10), 60),
        (chequered_picture(480, 60), 64),
        (chequered_picture(480, 24), 256),
        (letter_picture(480, 24), 120),
    ],
    ids=["lines", "narrow lines", "an empty chessboard", "chequers", "letters"],
)
def test_pictures_without_positions_need_little_work(counted_squares, picture, limit):
    assert read_crossword(picture) == []
    assert read_chess(picture) == []
    assert sum(counted_squares) <= limit


def test_the_search_for_rows_is_limited_on_a_page_full_of_boxes(monkeypatch):
    box_counts: list[int] = []
    original = rows._rows_on_line

    def counting(lefts: list[float], *size: int) -> list[rows.TileRow]:
        box_counts.append(len(lefts))
        return original(lefts, *size)

    monkeypatch.setattr(rows, "_rows_on_line", counting)
    rows.find_rows(line_picture(600, 12), Grid(0, 0, 16, 16, 3, 3))
    assert sum(box_counts) < 20_000, "the search is not limited (319,438 boxes without the limit)"


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "LA", "P", "1", "CMYK"])
def test_reducing_a_large_picture_in_parts_equals_reducing_it_as_a_whole(monkeypatch, mode):
    monkeypatch.setattr(pictures_module, "_MAX_READ_PIXELS", 3_000)
    pixels = np.random.default_rng(1).integers(0, 256, (301, 143, 4), np.uint8)
    picture = Image.fromarray(pixels, "RGBA").convert(mode)
    full_picture = picture.convert("RGB") if mode in "P1" else picture.copy()
    expected = full_picture.reduce(4)
    reduced_picture = pictures_module._reduce(picture, "RGB")
    assert (reduced_picture.mode, reduced_picture.size) == (expected.mode, expected.size)
    assert reduced_picture.tobytes() == expected.tobytes()
    with pytest.raises(ValueError, match="closed"):
        picture.load()
