"""Debian's pngcheck verifies that every picture conforms to the PNG specification."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from render.chart import draw_chart
from render.layout import draw_board
from render.scene import ChartScene, Layout, Series
from render.theme import theme_names
from tests.render.samples import GAME, MATE

PNGCHECK = shutil.which("pngcheck")
PROJECT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(
    PNGCHECK is None, reason="pngcheck is not installed (Debian's package pngcheck)"
)


def pngcheck_output(*paths: Path) -> str:
    """Return the output of pngcheck, which is empty for a valid file."""
    assert PNGCHECK is not None
    completed = subprocess.run(
        [PNGCHECK, "-q", *map(str, paths)], capture_output=True, text=True, check=False
    )
    return (
        completed.stdout
        + completed.stderr
        + (f"exit code {completed.returncode}" if completed.returncode else "")
    )


def test_the_pictures_of_the_project_are_valid():
    pictures = sorted({*PROJECT.glob("tests/render/golden/*.png"), *PROJECT.glob("docs/**/*.png")})
    pictures += sorted(PROJECT.glob("render/assets/**/*.png"))
    assert len(pictures) > 20
    assert pngcheck_output(*pictures) == ""


def test_pictures_are_valid_in_every_theme_and_layout(tmp_path: Path):
    series = (Series("alice", (0, 24, 60, 335)),)
    for theme in theme_names():
        images = [draw_chart(ChartScene("Scores", series, theme))]
        for layout in Layout:
            images.append(draw_board(replace(GAME, theme=theme, layout=layout)))
            images.append(draw_board(replace(MATE, theme=theme, layout=layout, embedded_text="fen 8/8")))
        for number, picture in enumerate(images):
            path = tmp_path / f"{theme}-{number}.png"
            path.write_bytes(picture.data)
    assert len(list(tmp_path.iterdir())) == len(theme_names()) * 7
    assert pngcheck_output(*tmp_path.iterdir()) == ""


def test_pngcheck_reports_a_damaged_picture(tmp_path: Path):
    data = bytearray(draw_board(GAME).data)
    data[len(data) // 2] ^= 0xFF
    broken_file = tmp_path / "broken.png"
    broken_file.write_bytes(data)
    assert "error" in pngcheck_output(broken_file).lower()
