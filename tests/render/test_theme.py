from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib.resources import files
from itertools import combinations, product
from typing import Any

import pytest

from render.theme import (
    BOARD_TEXT_PAIRS,
    CHESS_BACKGROUNDS,
    CHESS_MARK_COLOURS,
    LINE_COLOURS,
    TRANSPARENT,
    Colour,
    Scope,
    load_theme,
    palette_of,
    theme_names,
)

from .colour import VISION_MATRICES, colour_difference, contrast

SQUARE_COLOURS = [
    Colour[kind] for kind in ("PLAIN", "LETTER_2", "LETTER_3", "LETTER_4", "WORD_2", "WORD_3", "WORD_4")
]
MIN_DIFFERENCE = {"light": 20, "dark": 20, "contrast": 25, "colourblind": 30}
MIN_CONTRAST = {"contrast": 7.0}

every_theme = pytest.mark.parametrize("name", theme_names())


def test_four_themes_are_shipped():
    assert theme_names() == ("colourblind", "contrast", "dark", "light")


@every_theme
@pytest.mark.parametrize("vision", VISION_MATRICES)
def test_kinds_of_squares_differ_with_every_colour_vision(name: str, vision: str):
    colours = load_theme(name)
    for first, second in combinations(SQUARE_COLOURS, 2):
        distance = colour_difference(colours[first], colours[second], vision)
        assert distance >= MIN_DIFFERENCE[name], (first, second)


@every_theme
def test_text_has_enough_contrast(name: str):
    colours = load_theme(name)
    for background, ink in BOARD_TEXT_PAIRS:
        assert contrast(colours[background], colours[ink]) >= MIN_CONTRAST.get(name, 4.5), (background, ink)


@every_theme
def test_chart_lines_have_enough_contrast(name: str):
    colours = load_theme(name)
    assert all(contrast(colours[Colour.PAGE], colours[line]) >= 3 for line in LINE_COLOURS)


@every_theme
def test_edges_of_marked_tiles_and_discs_have_enough_contrast(name: str):
    colours = load_theme(name)
    for face, edge in ((Colour.LAST, Colour.LAST_EDGE), (Colour.PHONY, Colour.PHONY_EDGE)):
        assert contrast(colours[face], colours[edge]) >= 3
    assert contrast(colours[Colour.GHOST], colours[Colour.GHOST_EDGE]) >= 3
    assert contrast(colours[Colour.TILE], colours[Colour.DISC]) >= 7


@every_theme
@pytest.mark.parametrize("vision", VISION_MATRICES)
def test_the_last_play_differs_from_other_tiles(name: str, vision: str):
    colours = load_theme(name)
    assert colour_difference(colours[Colour.TILE], colours[Colour.LAST], vision) >= 20


@every_theme
@pytest.mark.parametrize("vision", VISION_MATRICES)
def test_a_proposed_play_differs_from_everything_else_on_the_board(name: str, vision: str):
    colours = load_theme(name)
    others = [Colour.TILE, Colour.LAST, Colour.PHONY, *SQUARE_COLOURS]
    assert all(colour_difference(colours[Colour.GHOST], colours[other], vision) >= 24 for other in others)
    assert all(colour_difference(colours[Colour.GHOST], colours[tile], vision) >= 40 for tile in others[:3])


MAX_COLOURS = 128
"""Maximum number of colours in the palette of one kind of board. Fewer colours compress better, and GIF codes need only seven
bits."""


@every_theme
def test_a_palette_is_small_and_reserves_the_transparent_index(name: str):
    palette = palette_of(name)
    board = [colour for colour in Colour if not colour.value.startswith("chess.")]
    assert len(palette.colours) <= MAX_COLOURS
    assert len(palette_of(name, Scope.CHESS).colours) <= MAX_COLOURS
    assert all(palette.index_of(colour) != TRANSPARENT for colour in board)
    for background, ink in BOARD_TEXT_PAIRS:
        ramp = palette.ramps[background, ink]
        assert (ramp[0], ramp[255]) == (palette.index_of(background), palette.index_of(ink))


@every_theme
@pytest.mark.parametrize("vision", VISION_MATRICES)
def test_chess_squares_differ_from_each_other_and_from_the_pieces(name: str, vision: str):
    colours = load_theme(name)
    light, dark, light_last, dark_last, check = (colours[background] for background in CHESS_BACKGROUNDS)
    for first, second in ((light, dark), (light, light_last), (dark, dark_last)):
        assert colour_difference(first, second, vision) >= 15
    for background in (light, dark, light_last, dark_last, check):
        assert contrast(background, colours[Colour.CHESS_BLACK]) >= 4
        assert contrast(background, colours[Colour.CHESS_FRAME]) >= 1.5
        assert colour_difference(background, colours[Colour.CHESS_ARROW], vision) >= 30


@every_theme
def test_arrow_colours_differ_from_outlines_squares_and_each_other(name: str):
    colours = load_theme(name)
    for mark in CHESS_MARK_COLOURS:
        assert contrast(colours[Colour.CHESS_BLACK], colours[mark]) >= 4
    for first, second in combinations(CHESS_MARK_COLOURS, 2):
        assert colour_difference(colours[first], colours[second], "normal") >= 30
    # For colour-blind people, and on squares of a similar colour, outlines and line styles distinguish the marks.
    for background, mark in product(CHESS_BACKGROUNDS, CHESS_MARK_COLOURS):
        assert colour_difference(colours[background], colours[mark], "normal") >= 20


@every_theme
def test_a_theme_has_exactly_the_known_colours(name: str):
    def key_paths(table: dict[str, Any], prefix: str = "") -> Iterator[str]:
        for key, value in table.items():
            yield from key_paths(value, f"{prefix}{key}.") if isinstance(value, dict) else (prefix + key,)

    text = (files("render") / "themes" / f"{name}.toml").read_text(encoding="utf-8")
    # ``load_theme`` ignores unknown colours.
    assert sorted(key_paths(tomllib.loads(text))) == sorted(colour.value for colour in Colour)


def test_the_error_for_an_unknown_theme_lists_the_themes():
    with pytest.raises(ValueError, match=r"no theme '\.\./light'; the themes are colourblind, contrast"):
        load_theme("../light")
