from __future__ import annotations

from pathlib import Path

from PIL import Image

from render import sheet
from render.theme import theme_names


def test_a_sheet_for_every_theme(tmp_path: Path):
    sheet.main([str(tmp_path / "new")])
    written = sorted((tmp_path / "new").iterdir())
    assert [path.stem for path in written] == list(theme_names())
    for path in written:
        with Image.open(path) as image:
            assert image.width > 3 * sheet.SHOWN[0]
            assert len(image.convert("RGB").getcolors(1 << 16) or ()) > 60
