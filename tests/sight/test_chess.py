from __future__ import annotations

import random

import pytest
from PIL import Image, ImageDraw, ImageFilter

from bot.sight.chess import read_chess
from bot.sight.chessboards import find_chessboards
from render.scene import Layout
from render.theme import theme_names

from .pictures import (
    OPENING,
    as_jpeg,
    chessboard_picture,
    on_a_desktop,
    photographed,
    position_after_moves,
    scaled,
)

PLACEMENT = OPENING.split()[0]


@pytest.mark.parametrize("theme", theme_names())
@pytest.mark.parametrize("white_at_bottom", [True, False])
def test_kibitz_boards_are_read_from_both_sides(theme, white_at_bottom):
    [result] = read_chess(chessboard_picture(theme=theme, white_at_bottom=white_at_bottom))
    assert result.placement == PLACEMENT
    assert result.is_orientation_certain


@pytest.mark.parametrize("factor", [0.6, 0.85, 1.4])
def test_a_board_is_read_at_any_size(factor):
    [result] = read_chess(as_jpeg(scaled(chessboard_picture(layout=Layout.WIDE), factor), 70))
    assert result.placement == PLACEMENT


def test_a_board_without_its_frame_is_read():
    picture = chessboard_picture(layout=Layout.BOARD)
    [board] = find_chessboards(picture)
    left, top, right, bottom = map(round, board.grid.box)
    [result] = read_chess(picture.crop((left, top, right, bottom)))
    assert result.placement == PLACEMENT


def test_a_board_with_lines_between_squares_is_found():
    picture = chessboard_picture()
    [result] = read_chess(picture)
    [board] = find_chessboards(picture)
    pen = ImageDraw.Draw(picture)
    left, top, right, bottom = board.grid.box
    for line in range(9):
        x, y = left + line * board.grid.square_width, top + line * board.grid.square_height
        pen.line((x, top, x, bottom), "black", 3)
        pen.line((left, y, right, y), "black", 3)
    [found] = find_chessboards(picture)
    assert found.grid.box == pytest.approx(board.grid.box, abs=2)
    assert read_chess(picture)[0].placement == result.placement


def test_several_boards_in_a_picture_are_separated():
    other = "8/8/4k3/8/3P4/4K3/8/8 w - - 0 1"
    desktop = on_a_desktop(
        chessboard_picture(layout=Layout.BOARD), chessboard_picture(other, "dark", Layout.BOARD)
    )
    assert {result.placement for result in read_chess(desktop)} == {PLACEMENT, other.split(maxsplit=1)[0]}


def test_the_highlighted_last_move_determines_the_side_to_move():
    for text in ("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2", OPENING):
        [result] = read_chess(chessboard_picture(text))
        assert result.white_to_move is None, "Kibitz named the side to move, although nothing is highlighted"
    picture = chessboard_picture(layout=Layout.BOARD)
    [board] = find_chessboards(picture)
    for row, column in ((7, 3), (5, 5)):  # the queen came from d1
        x, y = (
            board.grid.left + column * board.grid.square_width,
            board.grid.top + row * board.grid.square_height,
        )
        square = (round(x), round(y), round(x + board.grid.square_width), round(y + board.grid.square_height))
        tint = Image.new("RGB", (square[2] - square[0], square[3] - square[1]), (255, 255, 0))
        picture.paste(Image.blend(picture.crop(square), tint, 0.3), square[:2])
    [result] = read_chess(picture)
    assert result.white_to_move is False


def test_an_empty_board_is_not_a_position():
    picture = Image.new("RGB", (640, 640), (240, 217, 181))
    pen = ImageDraw.Draw(picture)
    for square in range(64):
        if sum(divmod(square, 8)) % 2:
            x, y = square % 8 * 80, square // 8 * 80
            pen.rectangle((x, y, x + 79, y + 79), (181, 136, 99))
    assert find_chessboards(picture)
    assert read_chess(picture) == []


@pytest.mark.parametrize(
    "picture",
    [
        Image.new("RGB", (1, 1)),
        Image.new("RGB", (3_000, 20)),
        Image.new("RGB", (400, 400), "red"),
        Image.effect_noise((300, 300), 80).convert("RGB"),
        Image.effect_mandelbrot((500, 400), (-2, -1.5, 1, 1.5), 40).convert("RGB"),
        on_a_desktop(),
    ],
    ids=["dot", "strip", "plain", "noise", "fractal", "desktop"],
)
def test_no_board_is_read_confidently_from_a_picture_without_one(picture):
    assert not any(result.is_confident for result in read_chess(picture))


def test_an_unreadable_board_is_not_read_confidently():
    picture = chessboard_picture().filter(ImageFilter.GaussianBlur(14))
    assert not any(result.is_confident for result in read_chess(picture))
    covered_picture = chessboard_picture(layout=Layout.BOARD)
    [board] = find_chessboards(covered_picture)
    left, top, right, bottom = board.grid.box
    ImageDraw.Draw(covered_picture).rectangle((left, top, right, (top + bottom) / 2), (120, 120, 120))
    assert not any(result.is_confident for result in read_chess(covered_picture))


@pytest.mark.parametrize(("max_shift", "min_correct"), [(0.02, 3), (0.05, 0), (0.1, 0)])
def test_a_photographed_board_is_read_or_rejected(max_shift, min_correct):
    rng = random.Random(7)
    correct = 0
    for _ in range(3):
        text = position_after_moves(rng, rng.randrange(80))
        picture = photographed(chessboard_picture(text, white_at_bottom=rng.random() < 0.5), rng, max_shift)
        results = read_chess(as_jpeg(scaled(picture, rng.uniform(0.6, 1.5)), 80))
        is_correct = bool(results) and results[0].placement == text.split()[0]
        assert is_correct or not any(result.is_confident for result in results)
        correct += is_correct
    assert correct >= min_correct


@pytest.mark.long
def test_kibitz_pictures_are_read_after_cropping_scaling_and_compression():
    rng = random.Random(20)
    correct_count = certain_count = wrong_count = 0
    for _ in range(120):
        text = position_after_moves(rng, rng.randrange(80))
        picture = chessboard_picture(
            text,
            rng.choice(theme_names()),
            rng.choice(list(Layout)),
            white_at_bottom=rng.random() < 0.5,
        )
        if rng.random() < 0.5:
            edges = [rng.randrange(1, 12) for _ in range(4)]
            picture = picture.crop((edges[0], edges[1], picture.width - edges[2], picture.height - edges[3]))
        picture = as_jpeg(scaled(picture, rng.uniform(0.6, 2)), rng.randrange(60, 96))
        results = read_chess(picture)
        is_correct = bool(results) and results[0].placement == text.split()[0]
        is_certain = bool(results) and results[0].is_confident
        correct_count, certain_count = correct_count + is_correct, certain_count + is_certain
        wrong_count += is_certain and not is_correct
    print(f"{correct_count} of 120 correct, {certain_count} certain, {wrong_count} of them wrong")
    assert wrong_count == 0
    assert correct_count >= 119
