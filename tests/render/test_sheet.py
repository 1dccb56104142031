from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image, ImageSequence, features

from render.animate import draw_replay
from render.scene import Layout, ReplayScene
from render.theme import Colour, load_theme, palette_of, theme_names
from tests.render import sheet
from tests.render.conftest import VERSION_FILE
from tests.render.samples import CHESS_REPLAY, REPLAY

DOCS = Path(__file__).parents[2] / "docs" / "pictures"


def test_the_phone_sheet_uses_the_theme_colours():
    page = sheet.phone_sheet("dark")
    assert page.width > 3 * sheet.PHONE_WIDTH
    colours = {colour for _, colour in page.getcolors(1 << 16) or ()}
    assert load_theme("dark")[Colour.PAGE] in colours
    assert len(colours.intersection(palette_of("dark").colours)) > 60


def test_every_layout_is_shown_in_every_size():
    captions = {caption for caption, _ in sheet.pictures("light")}
    for layout in Layout:
        assert {f"{size}, {layout.value}" for size in ("15 × 15", "21 × 21", "chess")} <= captions
        assert {
            f"squares of {cell_size} pixels, {layout.value}" for cell_size in sheet.CELL_SIZES
        } <= captions


def test_every_theme_keeps_its_own_colours_in_a_sheet():
    for theme in theme_names():
        page = Image.new("RGB", (8, 8), load_theme(theme)[Colour.PAGE])
        page.putpixel((3, 3), load_theme(theme)[Colour.WORD_4])
        assert sheet._reduce_colours(theme, page).convert("RGB").tobytes() == page.tobytes()


@pytest.mark.skipif(
    VERSION_FILE.read_text().strip() != features.version("freetype2"),
    reason="another version of FreeType draws letters differently",
)
@pytest.mark.parametrize(("name", "replay"), [("replay", REPLAY), ("chess-replay", CHESS_REPLAY)])
def test_the_replays_in_the_documentation_are_current(name: str, replay: ReplayScene):
    # If pictures have changed, ``python -m tests.render.sheet`` updates the replays and sheets.
    assert frames_of(DOCS / f"{name}.gif") == frames_of(io.BytesIO(draw_replay(replay).data))


def frames_of(file: Path | io.BytesIO) -> list[bytes]:
    with Image.open(file) as image:
        return [frame.convert("RGB").tobytes() for frame in ImageSequence.Iterator(image)]
