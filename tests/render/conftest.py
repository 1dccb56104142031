"""Compares pictures with golden images, with a tolerance if the version of FreeType differs."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageOps, ImageStat, features

GOLDEN_FOLDER = Path(__file__).parent / "golden"
VERSION_FILE = GOLDEN_FOLDER / "FREETYPE"

Check = Callable[[str, bytes], None]


@pytest.fixture
def check_golden(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Check:
    update = request.config.getoption("--update-golden")
    installed_version = str(features.version("freetype2"))

    def check(name: str, data: bytes) -> None:
        path = GOLDEN_FOLDER / name
        if update:
            GOLDEN_FOLDER.mkdir(exist_ok=True)
            # With another deflate library, the same pixels give different bytes, so a file with the same pixels is kept.
            if not path.exists() or rgb(path.read_bytes()) != rgb(data):
                path.write_bytes(data)
            VERSION_FILE.write_text(installed_version + "\n")
            return
        assert path.exists(), f"no golden image {name}; create it with --update-golden"
        exact = VERSION_FILE.read_text().strip() == installed_version
        try:
            compare(path.read_bytes(), data, exact=exact)
        except AssertionError as error:
            saved_paths = save_difference(tmp_path_factory.mktemp("golden"), path, data)
            error.add_note("look at " + " and ".join(map(str, saved_paths)))
            raise

    return check


def save_difference(folder: Path, expected: Path, drawn: bytes) -> tuple[Path, Path]:
    """Save the drawn picture and its difference from the golden image. Return the paths."""
    actual_path = folder / f"{expected.stem}.actual.png"
    actual_path.write_bytes(drawn)
    first, second = rgb(expected.read_bytes()), rgb(drawn)
    difference = ImageChops.difference(first, second.crop((0, 0, *first.size)))
    difference_path = folder / f"{expected.stem}.difference.png"
    ImageOps.autocontrast(difference).save(difference_path)
    return actual_path, difference_path


def rgb(data: bytes) -> Image.Image:
    with Image.open(io.BytesIO(data)) as image:
        return image.convert("RGB")


def compare(expected: bytes, drawn: bytes, *, exact: bool) -> None:
    """If ``exact``, fail if any pixel differs. Otherwise, fail if a person would notice the difference.

    Averaged over 4 × 4 pixels, differences in hinting are faint. A missing tile, a wrong colour or a shifted line of text
    causes large differences.
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
