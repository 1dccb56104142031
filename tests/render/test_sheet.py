from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from PIL.GifImagePlugin import GifImageFile

from render.scene import Layout
from render.theme import Colour, load_theme, palette_of, theme_names
from tests.render import sheet
from tests.render.samples import CHESS_REPLAY, REPLAY


def test_the_phone_sheet_uses_the_theme_colours():
    page = sheet.phone_sheet("dark")
    assert page.width > 3 * sheet.PHONE_WIDTH
    colours = {colour for _, colour in page.getcolors(1 << 16) or ()}
    assert load_theme("dark")[Colour.PAGE] in colours
    assert len(colours.intersection(palette_of("dark").colours)) > 60


@pytest.mark.long
def test_two_sheets_for_every_theme(tmp_path: Path, monkeypatch):
    # The sheets of one theme are as good as those of all; every theme is drawn in other tests.
    monkeypatch.setattr(sheet, "theme_names", lambda: ("dark",))
    sheet.main([str(tmp_path / "new")])
    files = {path.stem: path for path in (tmp_path / "new").iterdir()}
    assert set(files) == {"dark", "dark-phone", "replay", "chess-replay"}
    for name, replay in (("replay", REPLAY), ("chess-replay", CHESS_REPLAY)):
        with Image.open(files[name]) as image:
            assert isinstance(image, GifImageFile)
            assert image.n_frames >= len(replay.frames)
    for name, width in (("dark", 3 * sheet.DESKTOP_SIZE[0]), ("dark-phone", 3 * sheet.PHONE_WIDTH)):
        with Image.open(files[name]) as image:
            assert image.width > width
            colours = {colour for _, colour in image.convert("RGB").getcolors(1 << 16) or ()}
        assert load_theme("dark")[Colour.PAGE] in colours
        assert len(colours.intersection(palette_of("dark").colours)) > 60


def test_every_layout_is_shown_in_every_size():
    captions = {caption for caption, _ in sheet.pictures("light")}
    for layout in Layout:
        assert {f"{size}, {layout.value}" for size in ("15 × 15", "21 × 21", "chess")} <= captions
        assert {f"squares of {cell} pixels, {layout.value}" for cell in sheet.CELLS} <= captions


def test_every_theme_keeps_its_own_colours_in_a_sheet():
    for theme in theme_names():
        page = Image.new("RGB", (8, 8), load_theme(theme)[Colour.PAGE])
        page.putpixel((3, 3), load_theme(theme)[Colour.WORD_4])
        assert sheet._in_colours_of(theme, page).convert("RGB").tobytes() == page.tobytes()
