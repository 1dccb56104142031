from __future__ import annotations

from dataclasses import replace

import png
import pytest

from render.gallery import MOST_BOARDS, GalleryError, draw_gallery, lay_out_gallery
from render.metrics import LONGEST_SIDE
from render.samples import PUZZLES
from render.scene import BoardScene, GalleryScene, Grid, Mark, Square
from render.theme import theme_names

from .scenes import BIG_GAME, GAME, MIDGAME

GAMES = GalleryScene((replace(GAME, caption="alice – bob"), replace(BIG_GAME, caption="carol – dave"), GAME))
HUGE = BoardScene(
    Grid(50, 50, (Square(),) * 2500, (None,) * 2500, (Mark.NONE,) * 2500, ("1",) * 50, ("A",) * 50)
)


@pytest.mark.parametrize(("name", "gallery"), [("puzzles", PUZZLES), ("games", GAMES)])
def test_golden(name: str, gallery: GalleryScene, golden):
    golden(f"gallery_{name}.png", draw_gallery(gallery).data)


@pytest.mark.parametrize("count", range(1, MOST_BOARDS + 1))
@pytest.mark.parametrize("scene", [GAME, BIG_GAME, PUZZLES.scenes[0], HUGE], ids=["15", "21", "chess", "50"])
def test_every_number_of_boards(count: int, scene: BoardScene):
    drawing, pen = lay_out_gallery(GalleryScene((scene,) * count))
    assert max(drawing.width, drawing.height) <= LONGEST_SIDE
    assert pen.cell >= 8
    for _, (left, top, right, bottom) in drawing.items:
        assert 0 <= left <= right <= drawing.width
        assert 0 <= top <= bottom <= drawing.height


@pytest.mark.parametrize("theme", theme_names())
def test_every_theme(theme: str):
    scenes = tuple(replace(scene, theme=theme) for scene in PUZZLES.scenes)
    image = draw_gallery(GalleryScene(scenes))
    assert png.Reader(bytes=image.data).read()[:2] == (image.width, image.height)


@pytest.mark.parametrize(
    ("scenes", "said"),
    [
        ((), "1 to 12 boards, not 0"),
        ((GAME,) * 13, "1 to 12 boards, not 13"),
        ((GAME, replace(GAME, theme="dark")), "board 2 has another theme"),
        ((GAME, PUZZLES.scenes[0]), "board 2 has another theme or is of another kind"),
    ],
)
def test_what_is_no_gallery_is_refused(scenes, said: str):
    with pytest.raises(GalleryError, match=said):
        draw_gallery(GalleryScene(scenes))


def test_what_a_scene_asks_for_alone_does_not_count():
    plain = GalleryScene((BoardScene(MIDGAME), BoardScene(MIDGAME)))
    busy = GalleryScene((replace(GAME, cell=60), GAME))
    assert draw_gallery(busy).data == draw_gallery(plain).data
