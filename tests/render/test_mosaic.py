from __future__ import annotations

from dataclasses import replace

import png
import pytest

from render.layout import draw_mosaic
from render.metrics import ImpossibleSizeError
from render.scene import Layout, MosaicPart, MosaicScene
from render.theme import Colour, Scope, palette_of, theme_names
from tests.render.samples import BOARD_ONLY, ENDING, SEVERAL_POSITIONS


@pytest.mark.parametrize(
    ("name", "scene"),
    [
        ("ending", ENDING),
        ("ending_wide", replace(ENDING, layout=Layout.WIDE)),
        ("together", SEVERAL_POSITIONS),
    ],
)
def test_a_picture_matches_its_golden_file(name: str, scene: MosaicScene, check_golden):
    check_golden(f"{name}.png", draw_mosaic(scene).data)


@pytest.mark.parametrize("theme", theme_names())
def test_both_sides_of_the_curve_are_filled(theme: str):
    image = draw_mosaic(replace(ENDING, theme=theme))
    palette = palette_of(theme, Scope.ALL)
    assert len(palette.colours) <= 256
    pixels = b"".join(bytes(row) for row in png.Reader(bytes=image.data).read()[2])
    for colour in (Colour.LETTER_3, Colour.WORD_3):
        assert pixels.count(palette.ramps[Colour.PAGE, colour][85]) > 1000


def test_an_impossible_mosaic_is_refused():
    with pytest.raises(ImpossibleSizeError, match="at most 2000 pixels per side"):
        draw_mosaic(MosaicScene(((MosaicPart(BOARD_ONLY),),) * 4))
    with pytest.raises(ImpossibleSizeError, match="doesn't fit"):
        draw_mosaic(MosaicScene(((MosaicPart(BOARD_ONLY),) * 9,)))
