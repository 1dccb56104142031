from __future__ import annotations

import random

import numpy as np
import pytest
from PIL import Image

from bot.domain.crossword.notations import cgp
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import load_layout
from bot.features.showing.findings import PictureConfidence
from bot.features.showing.remarks import confidence_remarks
from bot.sight.bonus import matching_layout
from bot.sight.crossword import RecognizedCrossword
from bot.sight.squares import Grid
from bot.text import translator

from .pictures import as_jpeg, crossword_picture, read_as_file, scaled
from .test_crossword import PLACEMENT

SQUARES_BY_LAYOUT = {
    name: load_layout(name).squares
    for name in ("CrosswordGame", "Wordfeud", "WordsWithFriends", "Crossplay", "TurnURLDefault")
}
SIDE = 11.5
FEW_WORDS = "15/15/15/15/15/15/15/5MIXeR5/7E7/7B7/6JUT6/7S7/15/15/15"


def coloured_board(
    kinds: str, rng: random.Random, *, grain: int = 6
) -> tuple[Image.Image, RecognizedCrossword]:
    """Return a picture of a grainy board with one colour per kind of square, and the board as read."""
    colours = {kind: tuple(rng.randrange(40, 220) for _ in range(3)) for kind in sorted(set(kinds))}
    contents = [rng.choice("..E") for _ in kinds]
    pixels = np.array(
        [
            (250, 230, 180) if content == "E" else colours[kind]
            for kind, content in zip(kinds, contents, strict=True)
        ]
    )
    noisy_pixels = pixels + np.random.default_rng(grain).integers(-grain, grain + 1, pixels.shape)
    cells = Image.fromarray(noisy_pixels.reshape(15, 15, 3).astype(np.uint8))
    board = cells.resize((round(15 * SIDE), round(15 * SIDE)), Image.Resampling.NEAREST)
    picture = Image.new("RGB", (300, 260), "white")
    picture.paste(board, (40, 30))
    rows = tuple("".join(contents[start : start + 15]) for start in range(0, 225, 15))
    return picture, RecognizedCrossword(rows, (1.0,) * 225, False, (), Grid(40, 30, SIDE, SIDE, 15, 15))


@pytest.mark.parametrize("name", SQUARES_BY_LAYOUT)
def test_the_bonus_squares_identify_the_layout_in_any_colours(name):
    for seed in range(5):
        picture, result = coloured_board(SQUARES_BY_LAYOUT[name], random.Random(seed))
        assert matching_layout(as_jpeg(picture, 60), result.grid, result.rows, SQUARES_BY_LAYOUT) == name


def test_an_unknown_layout_is_not_identified():
    for seed in range(5):
        rng = random.Random(seed)
        kinds = "".join(rng.sample(SQUARES_BY_LAYOUT["CrosswordGame"], 225))
        picture, result = coloured_board(kinds, rng)
        assert matching_layout(picture, result.grid, result.rows, SQUARES_BY_LAYOUT) is None


def test_too_many_tiles_of_a_letter_select_another_distribution():
    words = "PLATA", "TRAMA", "CEARA", "GRASA", "FLAMA"
    placement = (
        "15/15/15/"
        + "/".join(f"5{word}5/7{down_letter}7" for word, down_letter in zip(words, "MNDLA", strict=True))
        + "/15/15"
    )
    found = read_as_file(
        scaled(crossword_picture(placement, opcodes="bdn TurnURLDefault; ld turn-url-es;"), 0.8)
    )
    assert found.text.startswith(f"{placement} ")
    assert found.text.endswith(" bdn TurnURLDefault; ld turn-url-es;")
    assert found.picture_confidence is not None
    assert found.picture_confidence.has_odd_tiles
    assert found.picture_confidence.parts_to_check[-1] == "tiles"
    assert PictureConfidence.from_line(found.picture_confidence.to_line()) == found.picture_confidence
    text = " ".join(confidence_remarks(found.picture_confidence, translator("en")))
    assert "One letter occurs more often than the standard tiles allow" in text


def test_without_evidence_the_usual_layout_is_chosen():
    picture, result = coloured_board("." * 225, random.Random(1), grain=2)
    assert matching_layout(picture, result.grid, result.rows, SQUARES_BY_LAYOUT) == "CrosswordGame"
    full_board = RecognizedCrossword(("E" * 15,) * 15, (1.0,) * 225, False, (), result.grid)
    assert matching_layout(picture, full_board.grid, full_board.rows, SQUARES_BY_LAYOUT) == "CrosswordGame"


@pytest.mark.parametrize(
    ("placement", "opcodes", "layout", "tiles"),
    [
        (PLACEMENT, "ld wordfeud;", "Wordfeud", "wordfeud"),
        (FEW_WORDS, "bdn TurnURLDefault; ld turn-url-en;", "TurnURLDefault", "turn-url-en"),
    ],
)
def test_a_screenshot_of_another_game_becomes_a_position_of_that_game(placement, opcodes, layout, tiles):
    found = read_as_file(as_jpeg(scaled(crossword_picture(placement, opcodes=opcodes), 0.8), 80))
    assert isinstance(found.document, Position)
    rules = found.document.rules
    assert (rules.layout.name, rules.distribution.name) == (layout, tiles)
    assert found.text.split()[0] == placement
    assert cgp.read(cgp.write(found.document)).value == found.document
    assert found.picture_confidence is not None
    assert not found.picture_confidence.has_odd_squares
