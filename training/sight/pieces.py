"""Piece designs to learn from. ``bot/sight/data/README.md`` lists the packages that contain them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TypeAlias, cast

import chess
import numpy as np
from numpy.random import Generator
from PIL import Image, ImageDraw, ImageFont

PIECES = "KQRBNPkqrbnp"
SIZE = 96
"""Width and height of a piece's picture, in pixels."""

Design: TypeAlias = "dict[str, Image.Image]"
"""Pictures with transparency, keyed by the piece's letter in :data:`PIECES`."""

_NAMES = {"k": "king", "q": "queen", "r": "rook", "b": "bishop", "n": "knight", "p": "pawn"}
_SVG_FOLDERS = [
    "alfonso",
    "cburnett",
    "chessicons",
    "chessmonk",
    "freestaunton",
    "kosal",
    "magnetic",
    "maya",
    "merida",
    "merida_new",
    "pirat",
    "regular",
]
"""pychess designs with one file per piece."""
_SVG_SHEETS = ["celtic", "eyes", "fantasy", "fantasy_alt", "spatial"]
"""pychess designs with all pieces in one file."""
_LEFT_OUT = {
    "Alpha",
    "Leipzig",
    "NutBolt",
    "Lcd",
    "Altinov",
    "Primepov",
    "Rastapov",
    "Whitney",
    "Enquil",
    "SadGreen",
}
"""Designs of the program eboard that show the pieces from above, or whose shapes come from fonts that are not free."""
_CHESS_FONTS = (
    "DejaVuSans.ttf",
    "DejaVuSans-Bold.ttf",
    "DejaVuSansMono-Bold.ttf",
    "FreeSerif.ttf",
    "NotoSansSymbols2-Regular.ttf",
    "Symbola_hint.ttf",
    "unifont.otf",
)
LICHESS_DESIGNS = [
    "chessnut",
    "firi",
    "kiwen-suwi",
    "letter",
    "mpchess",
    "pirouetti",
    "pixel",
    "rhosgfx",
    "shapes",
]


def load_designs(packages: Path) -> Iterator[tuple[str, Design]]:
    pychess = packages / "usr/share/pychess/pieces"
    for name in _SVG_FOLDERS:
        yield name, _load_files(lambda piece, name=name: _read_svg(pychess / name / f"{_code(piece)}.svg"))  # type: ignore[misc]
    for name in _SVG_SHEETS:
        sheet = _read_svg(pychess / name / f"{name}.svg", 6 * SIZE)
        yield name, _cut_sheet(sheet, "kqrbnp", 6, white_first=False)
    for path in sorted((packages / "usr/share/games/eboard").glob("*.png")):
        if path.stem not in _LEFT_OUT:
            with Image.open(path) as sheet:
                yield (
                    f"eboard-{path.stem}",
                    _cut_sheet(_remove_background(sheet), "rnbqkp", 7, white_first=True),
                )
    xboard = packages / "usr/share/games/xboard/themes/default"
    yield (
        "xboard",
        _load_files(
            lambda piece: _read_svg(
                xboard / f"{'White' if piece.isupper() else 'Black'}{_NAMES[piece.lower()].title()}.svg"
            )
        ),
    )
    pypi = packages / "pypi"
    yield (
        "mzchess",
        _load_files(
            lambda piece: _read_svg(
                pypi / f"MzChess/pieces/{'white' if piece.isupper() else 'black'}-{_NAMES[piece.lower()]}.svg"
            )
        ),
    )
    yield (
        "pychessview",
        _load_files(
            lambda piece: _read_svg(
                pypi / f"pychessview/assets/themes/default/images/pieces/{_code(piece)}.svg"
            )
        ),
    )
    yield (
        "chess-board",
        _load_files(
            lambda piece: Image.open(pypi / f"chessboard/images/{_side(piece)}{piece.upper()}.png").convert(
                "RGBA"
            )
        ),
    )
    yield (
        "kivy",
        _load_files(
            lambda piece: Image.open(
                pypi / f"kivy_chess_board/assets/{piece if piece.isupper() else piece + '_black'}.png"
            ).convert("RGBA")
        ),
    )
    yield from _load_web_designs(packages)
    for font in _CHESS_FONTS:
        for path in sorted((packages / "usr/share/fonts").rglob(font))[:1]:
            yield font, _draw_symbols(path)


def _load_web_designs(packages: Path) -> Iterator[tuple[str, Design]]:
    for name in LICHESS_DESIGNS:
        pictures = packages / "lichess" / name / "4.0x"
        yield (
            f"lichess-{name}",
            {
                piece: _fit_into_square(Image.open(pictures / f"{_side(piece)}{piece.upper()}.webp"))
                for piece in PIECES
            },
        )
    skulls = packages / "npm/kokopu-react/src/chessboard/sprites"
    yield "skulls", _load_files(lambda piece: Image.open(skulls / f"skulls-{_code(piece)}.png"))


def _side(piece: str) -> str:
    return "w" if piece.isupper() else "b"


def _code(piece: str) -> str:
    return _side(piece) + piece.lower()


def _read_svg(path: Path, width: int = SIZE) -> Image.Image:
    drawing = path.read_bytes()
    convert = cast("Callable[..., bytes]", import_module("cairosvg").svg2png)
    return Image.open(io.BytesIO(convert(drawing, output_width=width))).convert("RGBA")


def _load_files(read_picture: Callable[[str], Image.Image]) -> Design:
    return {piece: _fit_into_square(read_picture(piece)) for piece in PIECES}


def _cut_sheet(sheet: Image.Image, order: str, columns: int, *, white_first: bool) -> Design:
    width, height = sheet.width / columns, sheet.height / 2
    design = {}
    for piece in PIECES:
        column, row = order.index(piece.lower()), int(piece.islower() == white_first)
        box = (
            round(column * width),
            round(row * height),
            round((column + 1) * width),
            round((row + 1) * height),
        )
        design[piece] = _fit_into_square(sheet.crop(box))
    return design


def _remove_background(sheet: Image.Image) -> Image.Image:
    """Make the colour of a sheet's first pixel transparent."""
    sheet = sheet.convert("RGBA")
    background = cast("tuple[int, ...]", sheet.getpixel((0, 0)))[:3]
    is_foreground = (np.asarray(sheet.convert("RGB")) != np.array(background)).any(axis=2)
    mask = Image.fromarray(is_foreground.astype(np.uint8) * 255)
    sheet.putalpha(mask)
    return sheet


def letter_design(rng: Generator, fonts: Sequence[Path]) -> Design:
    """Return the pieces as letters in a random font, half the time with dots for the pawns."""
    has_dots, outline_width = rng.random() < 0.5, int(rng.integers(2, 6))
    font = ImageFont.truetype(fonts[int(rng.integers(len(fonts)))], round(SIZE * 0.8))
    design = {}
    for piece in PIECES:
        picture = Image.new("RGBA", (SIZE, SIZE))
        fill, ink = ("white", "black") if piece.isupper() else ("black", "white")
        pen = ImageDraw.Draw(picture)
        if has_dots and piece.upper() == "P":
            pen.ellipse((SIZE * 0.36, SIZE * 0.36, SIZE * 0.64, SIZE * 0.64), fill, ink, outline_width)
        else:
            pen.text(
                (SIZE / 2, SIZE / 2),
                piece.upper(),
                fill,
                font,
                anchor="mm",
                stroke_width=outline_width,
                stroke_fill=ink,
            )
        design[piece] = picture
    return design


def _draw_symbols(path: Path) -> Design:
    # White's symbols are filled with white inside their outlines.
    font = ImageFont.truetype(path, 4 * SIZE // 5)
    design = {}
    for piece in PIECES:
        ink = Image.new("L", (2 * SIZE, 2 * SIZE))
        ImageDraw.Draw(ink).text((SIZE, SIZE), chess.UNICODE_PIECE_SYMBOLS[piece], 255, font, anchor="mm")
        ink = ink.crop(ink.getbbox())
        field = Image.new("L", (ink.width + 8, ink.height + 8))
        field.paste(ink, (4, 4))
        outside_mask = field.point([0 if value < 100 else 255 for value in range(256)])
        ImageDraw.floodfill(outside_mask, (0, 0), 128)
        inside_mask = outside_mask.point([255 if value == 0 else 0 for value in range(256)])
        picture = Image.new("RGBA", field.size)
        if piece.isupper():
            picture.paste((255, 255, 255, 255), (0, 0), inside_mask)
        picture.paste((0, 0, 0, 255), (0, 0), field)
        design[piece] = _fit_into_square(picture)
    return design


def _fit_into_square(picture: Image.Image) -> Image.Image:
    picture = picture.convert("RGBA")
    side = max(picture.size)
    square = Image.new("RGBA", (side, side))
    square.paste(
        picture, ((side - picture.width) // 2, side - picture.height if picture.height < side else 0)
    )
    return square.resize((SIZE, SIZE), Image.Resampling.LANCZOS)
