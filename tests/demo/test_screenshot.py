"""The command that takes the pictures of the demo for the documentation."""

from pathlib import Path

import png
import pytest

from tests.demo.conftest import needs_browser
from tests.demo.screenshot import main, take_pictures
from tests.demo.shots import SHOTS

DEMO = SHOTS[0]


@pytest.mark.long
@needs_browser
async def test_a_shot_has_the_requested_scale_and_the_last_two_messages(tmp_path: Path):
    await take_pictures(tmp_path, [DEMO], width=700, height=1200, scale=1.5)
    width, height, rows, _ = png.Reader(bytes=(tmp_path / "demo.png").read_bytes()).asRGB8()
    assert width == 1050
    assert 600 < height < 1800, "the picture's height does not fit two messages"
    assert len({bytes(row) for row in rows}) > height // 3, "the picture is almost blank"


def test_a_missing_browser_is_reported(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["screenshot", str(tmp_path), "demo"])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main() == 1
    assert "no Chromium found" in capsys.readouterr().err


def test_an_unknown_shot_is_reported(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["screenshot", str(tmp_path), "demo", "holiday"])
    with pytest.raises(SystemExit):
        main()
    assert "there is no shot holiday" in capsys.readouterr().err
