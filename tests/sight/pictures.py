"""Kibitz's own pictures of boards, and changes that a picture may undergo before it is posted."""

from __future__ import annotations

import io
import random
from pathlib import Path
from typing import Any

import chess
import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from bot.chat.card import Appearance, ReplyContext
from bot.chat.source import Attachment, Source
from bot.domain.chess.notations import fen
from bot.domain.crossword.notations import cgp
from bot.features.showing.chess.board_scene import chess_scene
from bot.features.showing.crossword.board_scene import position_scene
from bot.features.showing.findings import FoundDocument
from bot.features.showing.reading.documents import read_file
from render.layout import draw_board
from render.scene import Layout
from render.theme import theme_names

FONT = Path(__file__).parents[2] / "render" / "assets" / "fonts" / "noto-sans-medium.ttf"
OPENING = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 3 3"


def chessboard_picture(
    text: str = OPENING, theme: str = "light", layout: Layout = Layout.TALL, *, white_at_bottom: bool = True
) -> Image.Image:
    """Return Kibitz's picture of a position, without the embedded text."""
    scene = chess_scene(
        fen.read(text).value, ReplyContext(Appearance(theme, layout)), white_at_bottom=white_at_bottom
    )
    return Image.open(io.BytesIO(draw_board(scene).data)).convert("RGB")


UNIVERSAL = "15/15/15/15/15/3F11/3O11/3UNIVERSaL3/3N11/3T11/15/15/15/15/15"
THEMES_AND_LAYOUTS = list(zip(theme_names(), [Layout.TALL, Layout.WIDE] * 2, strict=True))


def crossword_picture(
    placement: str = UNIVERSAL,
    theme: str = "light",
    layout: Layout = Layout.TALL,
    *,
    rack: str = "AEINRST",
    scores: str = "120/87",
    opcodes: str = "",
) -> Image.Image:
    """Return Kibitz's picture of a position, without the embedded text."""
    position = cgp.read(f"{placement} {rack}/ {scores} 0 {opcodes}").value
    scene = position_scene(position, ReplyContext(Appearance(theme, layout)))
    return Image.open(io.BytesIO(draw_board(scene).data)).convert("RGB")


def encode(picture: Image.Image, kind: str, **options: Any) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, kind, **options)
    return stream.getvalue()


def read_as_file(picture: Image.Image, lexica_folder: Path | None = None) -> FoundDocument:
    [found] = read_file(Attachment("a.png", encode(picture, "PNG")), Source(""), lexica_folder).documents
    return found


def as_jpeg(picture: Image.Image, quality: int) -> Image.Image:
    return Image.open(io.BytesIO(encode(picture, "JPEG", quality=quality))).convert("RGB")


def scaled(picture: Image.Image, factor: float) -> Image.Image:
    return picture.resize(
        (round(picture.width * factor), round(picture.height * factor)), Image.Resampling.LANCZOS
    )


def photographed(picture: Image.Image, rng: random.Random, max_shift: float) -> Image.Image:
    """Return a picture as a camera sees it. Corners are shifted by up to ``max_shift`` times the length of the sides."""
    width, height = picture.size
    corners = ((0, 0), (width, 0), (width, height), (0, height))
    equations: list[tuple[float, ...]] = []
    values: list[float] = []
    for x, y in corners:
        seen_x = x + width * (0.1 + rng.uniform(-max_shift, max_shift))
        seen_y = y + height * (0.1 + rng.uniform(-max_shift, max_shift))
        equations.append((seen_x, seen_y, 1, 0, 0, 0, -x * seen_x, -x * seen_y))
        equations.append((0, 0, 0, seen_x, seen_y, 1, -y * seen_x, -y * seen_y))
        values += [x, y]
    return picture.transform(
        (round(width * 1.2), round(height * 1.2)),
        Image.Transform.PERSPECTIVE,
        tuple(np.linalg.solve(np.array(equations), np.array(values))),
        Image.Resampling.BICUBIC,
        fillcolor=(40, 38, 36),
    ).filter(ImageFilter.GaussianBlur(rng.uniform(0, 1)))


def on_a_desktop(*pictures: Image.Image) -> Image.Image:
    width = sum(picture.width + 60 for picture in pictures) + 300
    desktop = Image.new(
        "RGB", (width, max((picture.height for picture in pictures), default=600) + 160), (43, 45, 49)
    )
    pen = ImageDraw.Draw(desktop)
    pen.rectangle((0, 0, 240, desktop.height), (30, 31, 34))
    for line in range(12):
        pen.text((20, 40 + 44 * line), f"# channel-{line}", "white")
        pen.rounded_rectangle((12, 30 + 44 * line, 228, 62 + 44 * line), 6, outline=(80, 80, 90))
    left = 280
    for picture in pictures:
        desktop.paste(picture, (left, 110))
        left += picture.width + 60
    return desktop


def position_after_moves(rng: random.Random, plies: int) -> str:
    board = chess.Board()
    for _ in range(plies):
        moves = sorted(board.legal_moves, key=str)
        if not moves:
            break
        board.push(rng.choice(moves))
    return board.fen()
