"""The command that makes the documentation's picture of the demo."""

from pathlib import Path

import png

from tests.demo.conftest import needs_browser
from tests.demo.screenshot import main, take


@needs_browser
async def test_the_picture_has_the_size_asked_for(tmp_path: Path):
    target = tmp_path / "demo.png"
    await take(target, width=800, height=600, scale=1.5)
    width, height, rows, _ = png.Reader(bytes=target.read_bytes()).asRGB8()
    assert (width, height) == (1200, 900)
    assert len({bytes(row) for row in rows}) > height // 3, "the page is expected to show something"


def test_without_a_browser_it_says_so(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["screenshot", str(tmp_path / "demo.png")])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main() == 1
    assert "no Chromium found" in capsys.readouterr().err
