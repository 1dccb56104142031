"""Pictures on the command line: Kibitz reads its own pictures exactly, and lists the doubtful squares of screenshots."""

from __future__ import annotations

import json
import re

import pytest
from PIL import Image

from bot.__main__ import main
from bot.features.showing.reading.pictures import open_picture
from bot.sight.chessboards import find_chessboards
from bot.sight.squares import Grid
from render.png import read_embedded_text
from render.scene import Layout
from tests.positions import MAVEN
from tests.reading.german import BOARD, picture_of, write_german
from tests.sight.pictures import OPENING, chessboard_picture

VISIBLE_FEN = OPENING.replace("KQkq - 3 3", "- - 0 1")


@pytest.fixture
def save_picture(tmp_path):
    """Return a function that saves a picture without embedded text."""

    def save(picture: Image.Image, name: str = "board.png") -> str:
        path = tmp_path / name
        picture.save(path)
        return str(path)

    return save


def square_box(grid: Grid, row: int, column: int) -> tuple[int, int, int, int]:
    left, top = round(grid.left + column * grid.square_width), round(grid.top + row * grid.square_height)
    return left, top, left + round(grid.square_width), top + round(grid.square_height)


def test_every_command_reads_a_picture_drawn_by_show(tmp_path, capsys, inspect_json):
    text, picture = tmp_path / "a.cgp", tmp_path / "a.png"
    text.write_text(MAVEN)
    assert main(["show", str(text), "-o", str(picture)]) == 0
    assert main(["show", str(picture), "-o", str(tmp_path / "b.png")]) == 0
    assert (tmp_path / "b.png").read_bytes() == picture.read_bytes()
    capsys.readouterr()
    assert main(["convert", "--to", "cgp", str(picture)]) == 0
    output = capsys.readouterr()
    assert output.out.strip() == read_embedded_text(open_picture(picture.read_bytes())).text.removeprefix(
        "cgp "
    )
    assert output.err == ""
    _, [inspected_file] = inspect_json(str(picture))
    [item] = inspected_file["items"]
    assert "sight" not in item, "the position was guessed from the pixels"


def test_a_screenshot_is_read_and_reported_as_read_from_a_picture(save_picture, capsys, inspect_json):
    path = save_picture(chessboard_picture())
    _, [inspected_file] = inspect_json(path)
    [item] = inspected_file["items"]
    assert item["fen"].split()[0] == VISIBLE_FEN.split()[0]
    assert item["sight"]["doubtful"] == [] or not item["sight"]["confident"]
    assert main(["convert", "--to", "fen", path]) == 0
    output = capsys.readouterr()
    assert output.out.split()[0] == VISIBLE_FEN.split()[0]
    assert f"{path}: 👁 Read from a picture" in output.err


def test_doubtful_squares_are_listed(save_picture, capsys, inspect_json):
    picture = chessboard_picture(layout=Layout.BOARD)
    [board] = find_chessboards(picture)
    e4, c6 = square_box(board.grid, 4, 4), square_box(board.grid, 2, 2)
    picture.paste(Image.blend(picture.crop(e4), picture.crop(c6), 0.5), e4[:2])
    path = save_picture(picture)
    _, [inspected_file] = inspect_json(path)
    [item] = inspected_file["items"]
    assert item["sight"]["confident"] is False
    assert "e4" in item["sight"]["doubtful"]
    assert main(["show", path, "-o", path + ".out.png"]) == 0
    assert re.search(r"Please check \d squares?: .*e4", capsys.readouterr().err)


def test_no_document_is_read_from_a_picture_without_a_board(save_picture, inspect_json):
    _, [inspected_file] = inspect_json(save_picture(Image.effect_noise((200, 200), 60)))
    assert inspected_file["items"] == []
    assert inspected_file["error"] is None
    assert main(["show", save_picture(Image.new("L", (20, 20)), "a.png"), "-o", "/dev/null"]) == 1


def test_an_animated_picture_is_refused(tmp_path, capsys):
    path = tmp_path / "moving.gif"
    frames = [Image.new("L", (20, 20), shade) for shade in (0, 255)]
    frames[0].save(path, save_all=True, append_images=frames[1:])
    assert main(["show", str(path), "-o", str(tmp_path / "a.png")]) == 2
    assert capsys.readouterr().err == f"{path}:1:1: it is animated; use a still picture\n"


def test_every_command_uses_the_lexica_of_the_settings(tmp_path, capsys, monkeypatch):
    folder = tmp_path / "words"
    folder.mkdir()
    write_german(folder)
    settings, picture = tmp_path / "set.toml", tmp_path / "board.png"
    settings.write_text(f'[analysis]\nlexica = "{folder.as_posix()}"\n')
    picture.write_bytes(picture_of(BOARD, " ld german;"))
    config = ["--config", str(settings)]
    main(["inspect", "--json", str(picture), *config])
    [item] = json.loads(capsys.readouterr().out)["items"]
    assert item["cgp"].split()[0] == BOARD
    assert item["cgp"].endswith(" ld german;")
    assert main(["convert", "--to", "cgp", str(picture), *config]) == 0
    assert BOARD in capsys.readouterr().out
    assert main(["show", str(picture), "-o", str(tmp_path / "a.png"), *config]) == 0
    assert "KÄSE" in capsys.readouterr().out
    monkeypatch.chdir(tmp_path)
    folder.rename("lexica")
    capsys.readouterr()
    assert main(["convert", "--to", "cgp", str(picture)]) == 0, (
        "without a settings file, the folder lexica was not used"
    )
    assert BOARD in capsys.readouterr().out
