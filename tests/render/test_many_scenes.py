"""Random boards, charts and replays: no text is cropped on a board or chart, and no two texts on a board overlap."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from typing import Any
from unittest.mock import patch

import png
import pytest
from PIL import Image
from PIL.GifImagePlugin import GifImageFile

from render import drawing
from render.animate import draw_replay
from render.chart import draw_chart
from render.drawing import MAX_BLOCK_BYTES, MAX_SPRITE_BYTES, Drawing, Pen, pen_of
from render.fonts import Font, ascent, glyph, overhang, text_width
from render.layout import draw_board, lay_out
from render.metrics import MAX_SIDE, ImpossibleSizeError
from render.scene import BoardScene, ChartScene, ChessScene, RenderedImage, ReplayScene
from tests.examples import try_examples, usual_and_long
from tests.render.samples import cached_bytes
from tests.render.strategies import charts, chess_scenes, replays, scenes


def count_ink(mask: Image.Image) -> int:
    return mask.width * mask.height - mask.histogram()[0]


class TextRecorder:
    """Records drawn texts, and checks that none is cropped."""

    def __init__(self) -> None:
        self.lines: dict[int, Image.Image] = {}
        """Sprites of lines of text, by their ``id()``."""

    def text_mask(self, text: str, font: Font) -> Image.Image:
        """Draw a line as usual, and again with a margin all around: the ink must be the same."""
        mask = original_text_mask(text, font)
        margin = 3 * font.px
        with_margin = Image.new("L", (text_width(text, font) + 2 * margin, mask.height + 2 * margin))
        left = overhang(text, font)[0]
        drawing._add_glyphs(with_margin, text, font, margin + left, margin + ascent(font))
        assert count_ink(mask) == count_ink(with_margin), f"{text!r} loses ink in {font}"
        return mask

    def text_sprite(self, pen: Pen, text: str, *rest: Any) -> Image.Image:
        sprite = original_text_sprite(pen, text, *rest)
        self.lines[id(sprite)] = sprite
        return sprite

    def stamp(
        self, pen: Pen, canvas: Image.Image, mask: Image.Image, position: tuple[int, int], *inks: Any
    ) -> None:
        assert position[0] >= 0
        assert position[1] >= 0
        assert position[0] + mask.width <= canvas.width, "a mask extends beyond the right edge"
        assert position[1] + mask.height <= canvas.height, "a mask extends beyond the bottom edge"
        original_stamp(pen, canvas, mask, position, *inks)


original_text_mask, original_text_sprite, original_stamp = drawing.text_mask, Pen.text_sprite, Pen.stamp


@contextmanager
def recorded_texts() -> Iterator[TextRecorder]:
    recorder = TextRecorder()

    def recorded_text_sprite(pen: Pen, *rest: Any) -> Image.Image:
        return recorder.text_sprite(pen, *rest)

    def recorded_stamp(pen: Pen, *rest: Any) -> None:
        recorder.stamp(pen, *rest)

    pen_of.cache_clear()
    with (
        patch.object(drawing, "text_mask", recorder.text_mask),
        patch.object(Pen, "text_sprite", recorded_text_sprite),
        patch.object(Pen, "stamp", recorded_stamp),
    ):
        yield recorder


def check_drawing(recorder: TextRecorder, drawn: Drawing, pen: Pen) -> None:
    """Check that everything is within the picture, and that no line of text covers another."""
    assert max(drawn.width, drawn.height) <= MAX_SIDE
    for _, (left, top, right, bottom) in drawn.items:
        assert 0 <= left <= right <= drawn.width
        assert 0 <= top <= bottom <= drawn.height
    lines = [box for content, box in drawn.items if id(content) in recorder.lines]
    for first, second in combinations(lines, 2):
        are_beside = first[2] <= second[0] or second[2] <= first[0]
        are_above = first[3] <= second[1] or second[3] <= first[1]
        assert are_beside or are_above, f"text at {first} and at {second}"
    assert cached_bytes(pen.sprites) <= MAX_SPRITE_BYTES
    assert cached_bytes(pen.blocks) <= MAX_BLOCK_BYTES


def check_still(image: RenderedImage) -> None:
    width, height, rows, info = png.Reader(bytes=image.data).read()
    assert (width, height) == (image.width, image.height)
    assert sum(len(row) for row in rows) == width * height
    assert 0 < len(info["palette"]) <= 128


def check_board(scene: BoardScene | ChessScene) -> None:
    with recorded_texts() as recorder:
        try:
            drawn = lay_out(scene)
        except ImpossibleSizeError:
            assert scene.cell_size is not None
            return
        check_drawing(recorder, *drawn)
        check_still(draw_board(scene))


def check_chart(scene: ChartScene) -> None:
    with recorded_texts():
        image = draw_chart(scene)
    assert (image.width, image.height) == (scene.width, scene.height)
    check_still(image)


def check_replay(replay: ReplayScene) -> None:
    try:
        image = draw_replay(replay)
    except ImpossibleSizeError:
        assert replay.frames[0].scene.cell_size is not None
        return
    with Image.open(io.BytesIO(image.data)) as moving:
        assert moving.size == (image.width, image.height)
        assert isinstance(moving, GifImageFile)
        assert moving.n_frames <= 300
        for number in range(moving.n_frames):
            moving.seek(number)
            moving.load()


@usual_and_long(240, 1_000)
def test_no_text_is_cropped_or_covered_on_any_board(number: int):
    try_examples(number, check_board, scenes)


@usual_and_long(60, 300)
def test_no_text_is_cropped_or_covered_on_any_chessboard(number: int):
    try_examples(number, check_board, chess_scenes)


@usual_and_long(100, 500)
def test_no_text_is_cropped_in_any_chart(number: int):
    try_examples(number, check_chart, charts)


@usual_and_long(32, 100)
def test_any_replay_can_be_drawn(number: int):
    try_examples(number, check_replay, replays())


@pytest.mark.parametrize("text", ["josh", "Thoď", "ť", "J", "⁄"])
def test_the_sum_of_advances_is_too_narrow_for_a_text_mask(text: str):
    TextRecorder().text_mask(text, Font(40))
    with patch.object(drawing, "overhang", lambda text, font: (0, 0)):
        narrow = Image.new("L", (max(1, sum(glyph(char, Font(40)).advance for char in text)), 60))
        drawing._add_glyphs(narrow, text, Font(40), 0, 45)
    assert count_ink(narrow) < count_ink(original_text_mask(text, Font(40)))
