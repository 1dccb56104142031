from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from bot.sight import blanks
from bot.sight.blanks import collect_evidence, weigh_evidence
from bot.sight.bonus import bonus_square_mask
from bot.sight.crossword import read_crossword
from bot.sight.squares import tile_features
from bot.sight.tiles import OTHER_LETTER, lowercase_probabilities, ring_probabilities

from .invented_apps import PALETTES, InventedApp, as_posted, squares_of
from .pictures import FONT
from .test_crossword import random_placement

ROWS = (
    *["." * 15] * 4,
    "....TREATIES...",
    "....E......A...",
    "....A......T...",
    "....STEERAGE...",
    "....I......E...",
    "....N..RATES...",
    "....G..A.......",
    ".......TREAT...",
    *["." * 15] * 3,
)
BLANK_INDEX = 4 * 15 + 7  # the A of TREATIES


def invented_app(blank: str, *, labels: dict[str, str] | None = None) -> InventedApp:
    app = InventedApp(random.Random(1), [FONT])
    app.board, app.line, *bonus, app.tile, app.ink, app.ground = PALETTES[0]
    app.bonus = dict(zip("WwLl", bonus, strict=True))
    app.side, app.gap, app.surface, app.inset, app.letter_size, app.lift = 36, 1, "flat", 0, 0.62, 0.0
    app.value_position = (0.84, 0.8) if blank in {"no value", "zero"} else None
    app.value_size, app.blank_style, app.labels = 0.28, blank, labels
    app.last_play_colour, app.has_badge, app.coordinates, app.tile_round = None, False, "none", 0
    app.blank_ink = (200, 40, 40)
    return app


def screen(
    blank: str, *, has_blank: bool = True, labels: dict[str, str] | None = None
) -> tuple[Image.Image, str]:
    squares = "".join(ROWS)
    if has_blank:
        squares = squares[:BLANK_INDEX] + "a" + squares[BLANK_INDEX + 1 :]
    return invented_app(blank, labels=labels).draw_screen(squares, "AEINRST"), squares


@pytest.mark.parametrize("blank", ["lower", "no value", "circle", "frame", "ink"])
def test_a_blank_is_recognized_by_comparison(blank):
    picture, squares = screen(blank)
    [result] = read_crossword(picture)
    assert "".join(result.rows) == squares


@pytest.mark.parametrize("blank", ["lower", "no value", "zero", "circle", "ink", "italic", "white"])
def test_no_board_with_a_misread_blank_is_certain(blank):
    picture, squares = screen(blank)
    results = read_crossword(picture)
    assert not any(result.is_confident and "".join(result.rows) != squares for result in results)


def test_no_blank_is_found_on_a_board_without_blanks():
    picture, squares = screen("no value", has_blank=False)
    [result] = read_crossword(picture)
    assert "".join(result.rows) == squares


def test_a_lower_case_l_that_may_be_an_i_is_doubtful():
    squares = "".join(ROWS).replace("STEERAGE", "STEElAGE")
    app = invented_app("lower")
    [result] = read_crossword(app.draw_screen(squares, "AEINRST"))
    index = squares.index("l")
    assert index in result.doubtful_squares
    assert {letter for letter, _ in dict(result.guesses)[index]} >= {"i", "l"}


def test_a_tile_that_differs_only_in_colour_may_belong_to_the_last_play():
    squares = np.full((12, 32, 32, 3), 200, np.uint8)
    squares[:, 10:22, 14:18] = 20
    squares[[3, 4]] = np.where(squares[[3, 4]] == 200, np.uint8(120), squares[[3, 4]])
    letters = np.arange(12)
    rings, lowercase = np.zeros((2, 12), np.float32)
    measurements = tile_features(squares)[:, :, :, 1], rings, lowercase

    def doubtful_indexes(*blank_indexes: int) -> list[int]:
        is_blank = np.isin(letters, blank_indexes)
        return np.flatnonzero(
            is_blank & blanks._may_be_highlighted(squares, letters, measurements, is_blank)
        ).tolist()

    assert doubtful_indexes(7) == []
    assert doubtful_indexes(3) == [3]
    assert doubtful_indexes(3, 4) == [3, 4]
    assert doubtful_indexes(3, 7) == [3, 7], (
        "blanks of different colours were not doubtful, although a program draws all its blanks alike"
    )
    rings[3] = 0.95
    assert doubtful_indexes(3) == []


def test_a_few_blanks_with_far_higher_probabilities_are_certain():
    no_rings = np.zeros(9, np.float32)
    blank_probabilities = np.array([0.9, 0.92, *[0.003] * 7], np.float32)
    is_blank, is_doubtful = blanks._choose_blanks(blank_probabilities, no_rings, 2)
    assert np.flatnonzero(is_blank).tolist() == [0, 1]
    assert not is_doubtful.any()
    blank_probabilities[2] = 0.2
    is_blank, is_doubtful = blanks._choose_blanks(blank_probabilities, no_rings, 2)
    assert np.flatnonzero(is_blank).tolist() == [0, 1]
    assert np.flatnonzero(is_doubtful).tolist() == [0, 1, 2]


def test_words_on_bonus_squares_are_not_tiles():
    labels = {"W": "3x\nword", "w": "2x\nword", "L": "3x\nletter", "l": "2x\nletter"}
    picture, squares = screen("lower", labels=labels)
    [result] = read_crossword(picture)
    assert "".join(result.rows) == squares


def test_a_mark_without_mirror_images_is_a_tile():
    squares = np.full((225, 32, 32, 3), 200, np.uint8)
    class_probabilities = np.zeros((225, OTHER_LETTER + 1), np.float32)
    class_probabilities[:, 0] = 1
    for index, marked_rows in (
        (3, slice(8, 24)),
        (11, slice(8, 24)),
        (45, slice(8, 24)),
        (16, slice(4, 12)),
        (40, slice(4, 12)),
    ):
        squares[index, marked_rows, 12:20] = 30
        class_probabilities[index] = 0
        class_probabilities[index, [0, 9]] = 0.4, 0.6
    assert np.flatnonzero(bonus_square_mask(squares, class_probabilities)).tolist() == [3, 11, 45]


def test_more_evidence_for_a_blank_never_makes_it_less_probable():
    rng = np.random.default_rng(4)
    squares = rng.integers(0, 255, (12, 32, 32, 3), dtype=np.uint8)
    features, letters = tile_features(squares), np.arange(12) % 5
    measurements = (
        features[:, :, :, 1],
        ring_probabilities(features),
        lowercase_probabilities(features, letters),
    )
    columns, indicator_count = collect_evidence(squares, letters, *measurements)
    with np.load(Path(blanks.__file__).parent / "data" / "blanks.npz") as stored_weights:
        weights = {name: stored_weights[name].astype(np.float32) for name in stored_weights.files}
    before = weigh_evidence(columns, weights)
    for column in range(indicator_count):
        more = columns.copy()
        more[:, column] += 1
        assert (weigh_evidence(more, weights) >= before - 1e-6).all()


@pytest.mark.long
def test_no_board_of_an_unknown_program_is_certain_but_wrong():
    found_count = correct_count = certain_count = wrong_count = 0
    for seed in range(60):
        rng = random.Random(seed)
        squares = squares_of(random_placement(rng))
        picture = InventedApp(rng, [FONT]).draw_screen(squares, "AEINRST")
        results = read_crossword(as_posted(picture, rng))
        is_correct = bool(results) and "".join(results[0].rows) == squares
        is_confident = bool(results) and results[0].is_confident
        found_count, correct_count, certain_count, wrong_count = (
            found_count + bool(results),
            correct_count + is_correct,
            certain_count + is_confident,
            wrong_count + (is_confident and not is_correct),
        )
    print(
        f"60 screens: {found_count} found, {correct_count} correct, {certain_count} certain, {wrong_count} of them wrong"
    )
    assert wrong_count == 0
    assert correct_count >= 26
