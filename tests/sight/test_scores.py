from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw

from bot.sight.numbers import find_glyphs
from bot.sight.scores import RecognizedScores, read_scores
from bot.sight.squares import Grid
from render.scene import Layout

from .invented_apps import squares_of
from .pictures import THEMES_AND_LAYOUTS, UNIVERSAL, as_jpeg, crossword_picture, read_as_file, scaled

SQUARES = squares_of(UNIVERSAL)
ROWS = tuple(SQUARES[start : start + 15] for start in range(0, 225, 15))
EMPTY = ("." * 15,) * 15
BOARD = Grid(40, 140, 32, 32, 15, 15)


def with_text(
    *texts: tuple[int, int, str, int], dark: bool = False, boxes: tuple[tuple[int, ...], ...] = ()
) -> Image.Image:
    """Return a page with texts (left, top, text and size), coloured boxes, and a plain rectangle in the place of a board."""
    background, ink = ((24, 26, 30), (235, 235, 235)) if dark else ((250, 250, 250), (20, 20, 20))
    picture = Image.new("RGB", (900, 640), background)
    pen = ImageDraw.Draw(picture)
    for left, top, right, bottom, *colour in boxes:
        pen.rectangle((left, top, right, bottom), tuple(colour))
    pen.rectangle(BOARD.box, (120, 150, 130))
    for left, top, text, size in texts:
        pen.text((left, top), text, ink, font_size=size)
    return picture


def scores_of(picture: Image.Image, rows: tuple[str, ...] = ROWS) -> RecognizedScores | None:
    return read_scores(picture, BOARD, rows)


@pytest.mark.parametrize(("theme", "layout"), THEMES_AND_LAYOUTS)
def test_kibitz_scores_and_the_player_to_move_are_read(theme, layout):
    found = read_as_file(
        as_jpeg(scaled(crossword_picture(theme=theme, layout=layout, scores="96/83"), 0.8), 80)
    )
    assert found.text.split(" ")[2] == "96/83"
    assert found.picture_confidence.has_scores
    assert not found.picture_confidence.are_scores_doubtful
    assert found.picture_confidence.is_mover_highlighted
    assert found.picture_confidence.is_turn_certain


def test_numbers_beside_names_are_scores():
    result = scores_of(
        with_text((580, 160, "alice", 22), (780, 160, "108", 24), (580, 220, "bob", 22), (780, 220, "71", 24))
    )
    assert result == RecognizedScores((108, 71), is_confident=True, highlighted_index=None)


def test_numbers_after_colons_are_scores():
    result = scores_of(with_text((60, 90, "alice: 108", 20), (330, 90, "bob: 71", 20), dark=True))
    assert result is not None
    assert result.scores == (108, 71)


def test_a_highlighted_score_marks_the_player_to_move():
    boxes = ((570, 205, 860, 260, 250, 215, 205),)
    texts = (580, 160, "alice", 22), (780, 160, "108", 24), (580, 220, "bob", 22), (780, 220, "71", 24)
    result = scores_of(with_text(*texts, boxes=boxes))
    assert result is not None
    assert result.highlighted_index == 1
    assert result.mover_first == (71, 108)


@pytest.mark.parametrize(
    "texts",
    [
        [(580, 160, "12:34", 24), (580, 220, "10:58", 24)],
        [(580, 160, "00:00.0", 24), (580, 220, "25:10.7", 24)],
        [(580, 160, "+24", 24), (580, 220, "+38", 24)],
        [(580, 160, "24/60", 24), (580, 220, "38/72", 24)],
        [(580, 160, "(47)", 24), (580, 220, "(48)", 24)],
        [(560, 160, "38 vowels", 24), (720, 160, "41 consonants", 24)],
        [(580, 160, "alice", 24), (580, 220, "bob", 24)],
        [(580, 160, "87%", 24), (580, 220, "1,250", 24)],
        [(580, 160 + 40 * number, str(37 + 13 * number), 24) for number in range(5)],
        [(580, 160, "108", 24)],
        [],
    ],
    ids=lambda texts: " ".join(text for *_, text, _ in texts) or "nothing",
)
def test_other_numbers_are_not_scores(texts):
    assert scores_of(with_text(*texts)) is None


def test_coordinates_are_not_scores():
    rows = [(12, 146 + 32 * row, str(row + 1), 15) for row in range(15)]
    columns = [(50 + 32 * column, 118, letter, 15) for column, letter in enumerate("ABCDEFGHIJKLMNO")]
    assert scores_of(with_text(*rows, *columns)) is None
    # In some pictures, only a few coordinates can be read.
    assert scores_of(with_text(rows[9], columns[8])) is None


def test_scores_that_are_impossible_for_the_board_are_rejected():
    texts = (580, 160, "alice", 22), (780, 160, "3", 24), (580, 220, "bob", 22), (780, 220, "5", 24)
    assert scores_of(with_text(*texts)) is None, (
        "Kibitz read scores, although the words on the board are worth more"
    )
    assert scores_of(with_text(*texts), EMPTY) is None, "Kibitz read scores, although no tile has been played"
    high_scores = (580, 160, "alice", 22), (780, 160, "910", 24), (580, 220, "bob", 22), (780, 220, "830", 24)
    assert scores_of(with_text(*high_scores)) is None
    zero_scores = (580, 160, "alice", 22), (780, 160, "0", 24), (580, 220, "bob", 22), (780, 220, "0", 24)
    assert scores_of(with_text(*zero_scores), EMPTY) == RecognizedScores(
        (0, 0), is_confident=True, highlighted_index=None
    )


def test_neither_of_two_pairs_of_numbers_is_certain():
    first = (580, 160, "108", 24), (580, 220, "71", 24)
    second = (700, 400, "88", 24), (700, 460, "93", 24)
    assert scores_of(with_text(*first)).is_confident
    assert scores_of(with_text(*second)).is_confident
    result = scores_of(with_text(*first, *second))
    assert result is None or not result.is_confident


def test_scores_become_part_of_the_position():
    board = crossword_picture(layout=Layout.BOARD)
    picture = Image.new("RGB", (board.width, board.height + 120), "white")
    picture.paste(board, (0, 120))
    pen = ImageDraw.Draw(picture)
    pen.text((40, 40), "alice", "black", font_size=30)
    pen.text((300, 40), "108", "black", font_size=34)
    pen.text((460, 40), "bob", "black", font_size=30)
    pen.text((700, 40), "71", "black", font_size=34)
    found = read_as_file(picture)
    assert found.text == f"{UNIVERSAL} / 108/71 0"
    assert not found.picture_confidence.is_turn_certain, (
        "the turn is certain, although no player is highlighted"
    )
    assert found.picture_confidence.parts_to_check[-1] == "scores", (
        "the user is not asked to check which score is whose"
    )
    assert not found.picture_confidence.is_board_alone


def test_noise_and_chequers_contain_no_glyphs():
    grey = np.random.default_rng(1).integers(0, 256, (1000, 1200), np.uint8)
    assert len(find_glyphs(grey, (0, 0, 0, 0))) == 0
    for side in (1, 2, 5):
        rows, columns = np.indices((1000, 1200)) // side
        assert len(find_glyphs(((rows + columns) % 2 * 255).astype(np.uint8), (0, 0, 0, 0))) == 0
