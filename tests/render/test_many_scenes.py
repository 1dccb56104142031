"""Random scenes of every kind, and what their texts look like: nothing cut, nothing over each other."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from typing import Any
from unittest.mock import patch

import png
import pytest
from hypothesis import HealthCheck, given, settings
from PIL import Image
from PIL.GifImagePlugin import GifImageFile

from render import drawing
from render.animate import draw_replay
from render.chart import draw_chart
from render.drawing import BLOCK_BYTES, SPRITE_BYTES, Drawing, Pen, pen_of
from render.fonts import Font, ascent, glyph, overhang, text_width
from render.layout import draw_board, lay_out
from render.metrics import MAX_SIDE, ImpossibleSizeError
from render.scene import BoardScene, ChartScene, ChessScene, RenderedImage, ReplayScene

from .scenes import charts, chess_scenes, replays, scenes


def ink_of(mask: Image.Image) -> int:
    """Pixels that are not quite empty."""
    return mask.width * mask.height - mask.histogram()[0]


class Watch:
    """The texts written while it was recording."""

    def __init__(self) -> None:
        self.lines: dict[int, Image.Image] = {}
        """Sprites of lines of text, by their identity."""

    def coverage(self, text: str, font: Font) -> Image.Image:
        """Set a line as usual, and again with room all around: the ink must be the same."""
        mask = text_mask(text, font)
        pad = 3 * font.px
        roomy = Image.new("L", (text_width(text, font) + 2 * pad, mask.height + 2 * pad))
        left = overhang(text, font)[0]
        drawing._add_glyphs(roomy, text, font, pad + left, pad + ascent(font))
        assert ink_of(mask) == ink_of(roomy), f"{text!r} loses ink at {font}"
        return mask

    def text_sprite(self, pen: Pen, text: str, *rest: Any) -> Image.Image:
        sprite = text_sprite(pen, text, *rest)
        self.lines[id(sprite)] = sprite
        return sprite

    def stamp(
        self, pen: Pen, canvas: Image.Image, mask: Image.Image, at: tuple[int, int], *inks: Any
    ) -> None:
        assert at[0] >= 0
        assert at[1] >= 0
        assert at[0] + mask.width <= canvas.width, "a mask is cut at the right"
        assert at[1] + mask.height <= canvas.height, "a mask is cut below"
        stamp(pen, canvas, mask, at, *inks)


text_mask, text_sprite, stamp = drawing.text_mask, Pen.text_sprite, Pen.stamp


@contextmanager
def watched() -> Iterator[Watch]:
    """Look on while texts are set; what was kept of earlier ones is forgotten."""
    watch = Watch()

    def watched_text_sprite(pen: Pen, *rest: Any) -> Image.Image:
        return watch.text_sprite(pen, *rest)

    def watched_stamp(pen: Pen, *rest: Any) -> None:
        watch.stamp(pen, *rest)

    pen_of.cache_clear()
    with (
        patch.object(drawing, "text_mask", watch.coverage),
        patch.object(Pen, "text_sprite", watched_text_sprite),
        patch.object(Pen, "stamp", watched_stamp),
    ):
        yield watch


def check_drawing(watch: Watch, drawn: Drawing, pen: Pen) -> None:
    """Everything lies within the picture, and no line of text on another one."""
    assert max(drawn.width, drawn.height) <= MAX_SIDE
    for _, (left, top, right, bottom) in drawn.items:
        assert 0 <= left <= right <= drawn.width
        assert 0 <= top <= bottom <= drawn.height
    lines = [box for what, box in drawn.items if id(what) in watch.lines]
    for first, second in combinations(lines, 2):
        apart = (
            first[2] <= second[0] or second[2] <= first[0] or first[3] <= second[1] or second[3] <= first[1]
        )
        assert apart, f"text at {first} and at {second}"
    assert pen.sprites.total_bytes <= SPRITE_BYTES
    assert pen.blocks.total_bytes <= BLOCK_BYTES


def check_still(image: RenderedImage) -> None:
    width, height, rows, info = png.Reader(bytes=image.data).read()
    assert (width, height) == (image.width, image.height)
    assert sum(len(row) for row in rows) == width * height
    assert 0 < len(info["palette"]) <= 128


def check_board(scene: BoardScene) -> None:
    with watched() as watch:
        try:
            drawn = lay_out(scene)
        except ImpossibleSizeError:
            assert scene.cell is not None  # Otherwise the metrics find a size.
            return
        check_drawing(watch, *drawn)
        check_still(draw_board(scene))


def check_chess(scene: ChessScene) -> None:
    with watched() as watch:
        try:
            drawn = lay_out(scene)
        except ImpossibleSizeError:
            assert scene.cell is not None
            return
        check_drawing(watch, *drawn)
        check_still(draw_board(scene))


def check_chart(scene: ChartScene) -> None:
    with watched():
        image = draw_chart(scene)
    assert (image.width, image.height) == (scene.width, scene.height)
    check_still(image)


def check_replay(replay: ReplayScene) -> None:
    try:
        image = draw_replay(replay)
    except ImpossibleSizeError:
        assert replay.frames[0].scene.cell is not None
        return
    with Image.open(io.BytesIO(image.data)) as moving:
        assert moving.size == (image.width, image.height)
        assert isinstance(moving, GifImageFile)
        assert moving.n_frames <= 300
        for number in range(moving.n_frames):
            moving.seek(number)
            moving.load()


def many(examples: int):
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
    return settings(max_examples=examples, deadline=None, suppress_health_check=checks)


@given(scenes)
@many(60)
def test_any_board(scene: BoardScene):
    check_board(scene)


@given(chess_scenes)
@many(15)
def test_any_chessboard(scene: ChessScene):
    check_chess(scene)


@given(charts)
@many(25)
def test_any_chart(scene: ChartScene):
    check_chart(scene)


@given(replays())
@many(8)
def test_any_replay(replay: ReplayScene):
    check_replay(replay)


@pytest.mark.long
@given(scenes)
@many(1_000)
def test_a_thousand_boards(scene: BoardScene):
    check_board(scene)


@pytest.mark.long
@given(chess_scenes)
@many(300)
def test_hundreds_of_chessboards(scene: ChessScene):
    check_chess(scene)


@pytest.mark.long
@given(charts)
@many(500)
def test_hundreds_of_charts(scene: ChartScene):
    check_chart(scene)


@pytest.mark.long
@given(replays())
@many(100)
def test_a_hundred_replays(replay: ReplayScene):
    check_replay(replay)


@pytest.mark.parametrize("text", ["josh", "Thoď", "ť", "J", "⁄"])
def test_the_measure_sees_what_is_cut(text: str):
    """Lines as wide as their advances, as they once were, lose ink."""
    Watch().coverage(text, Font(40))
    with patch.object(drawing, "overhang", lambda text, font: (0, 0)):
        narrow = Image.new("L", (max(1, sum(glyph(char, Font(40)).advance for char in text)), 60))
        drawing._add_glyphs(narrow, text, Font(40), 0, 45)
    assert ink_of(narrow) < ink_of(text_mask(text, Font(40)))
