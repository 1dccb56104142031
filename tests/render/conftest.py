"""Golden pictures: compared pixel by pixel, or by eye when another version of FreeType draws the letters."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageOps, ImageStat, features

GOLDEN = Path(__file__).parent / "golden"
VERSION = GOLDEN / "FREETYPE"

Check = Callable[[str, bytes], None]


@pytest.fixture
def golden(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Check:
    """Check a picture against the golden one of that name."""
    update = request.config.getoption("--update-golden")
    installed = str(features.version("freetype2"))

    def check(name: str, data: bytes) -> None:
        path = GOLDEN / name
        if update:
            GOLDEN.mkdir(exist_ok=True)
            # Another deflate gives other bytes for the same pixels, which are no news.
            if not path.exists() or rgb(path.read_bytes()) != rgb(data):
                path.write_bytes(data)
            VERSION.write_text(installed + "\n")
            return
        assert path.exists(), f"no golden picture {name}; make it with --update-golden"
        exact = VERSION.read_text().strip() == installed
        try:
            compare(path.read_bytes(), data, exact=exact)
        except AssertionError as error:
            stored = keep_difference(tmp_path_factory.mktemp("golden"), path, data)
            error.add_note("look at " + " and ".join(map(str, stored)))
            raise

    return check


def keep_difference(folder: Path, expected: Path, drawn: bytes) -> tuple[Path, Path]:
    """Write what was drawn, and where it differs, as pictures to look at; return where they are."""
    actual = folder / f"{expected.stem}.actual.png"
    actual.write_bytes(drawn)
    first, second = rgb(expected.read_bytes()), rgb(drawn)
    differs = ImageChops.difference(first, second.crop((0, 0, *first.size)))
    difference = folder / f"{expected.stem}.difference.png"
    ImageOps.autocontrast(differs).save(difference)
    return actual, difference


def rgb(data: bytes) -> Image.Image:
    with Image.open(io.BytesIO(data)) as image:
        return image.convert("RGB")


def compare(expected: bytes, drawn: bytes, *, exact: bool) -> None:
    """Fail when two pictures differ: in any pixel, or (not exact) so that one would see it.

    Letters hinted otherwise move by less than a pixel: averaged over 4 × 4 pixels that is a faint difference.
    A missing tile, a wrong colour or a shifted line of text is not.
    """
    first, second = rgb(expected), rgb(drawn)
    assert first.size == second.size
    difference = ImageChops.difference(first, second)
    if exact:
        assert difference.getbbox() is None, f"pixels differ within {difference.getbbox()}"
        return
    averaged = ImageChops.difference(first.reduce(4), second.reduce(4))
    statistics = ImageStat.Stat(averaged)
    assert max(high for _, high in statistics.extrema) <= 110
    assert max(statistics.mean) <= 1.5
