"""Draws synthetic pictures of chessboards with known pieces."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import chess
import numpy as np
from numpy.random import Generator
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont, ImageOps

from training.sight.canvas import BLACK, WHITE, Frame, brightness_of
from training.sight.degrading import Colour, degrade, mix, random_colour
from training.sight.pieces import PIECES, SIZE, Design, letter_design
from training.sight.random_designs import random_design

THEMES: tuple[tuple[Colour, Colour], ...] = (
    ((240, 217, 181), (181, 136, 99)),
    ((238, 238, 210), (118, 150, 86)),
    ((222, 227, 230), (140, 162, 173)),
    ((255, 255, 221), (134, 166, 102)),
    ((255, 206, 158), (209, 139, 71)),
    ((233, 231, 244), (131, 118, 175)),
    ((234, 240, 245), (91, 131, 175)),
    ((255, 255, 255), (130, 130, 130)),
    ((255, 255, 255), (200, 200, 200)),
    ((200, 200, 200), (110, 110, 110)),
    ((90, 95, 105), (50, 55, 62)),
    ((250, 228, 220), (200, 90, 80)),
)
"""The colours of light and dark squares in common programs. More than half of the pictures have random colours instead."""

_PIECES_OF_A_SIDE = "KQRRBBNNPPPPPPPP"


def board_picture(
    rng: Generator, designs: Sequence[Design], fonts: Sequence[Path]
) -> tuple[Image.Image, Frame, list[int]]:
    """Return a picture, the frame of its board, and the class of each square, row by row from the upper left.

    A class is 0 for an empty square, or a piece's index in :data:`PIECES` plus 1.
    """
    side = int(rng.choice((rng.integers(18, 34), rng.integers(24, 44), rng.integers(32, 60))))
    margin = int(side * rng.uniform(0.2, 0.8))
    light, dark = _colours(rng)
    picture = Image.new("RGB", (8 * side + 2 * margin,) * 2, random_colour(rng))
    board = _empty_board(rng, side, light, dark)
    classes = _random_classes(rng)
    _tint_squares(board, side, rng)
    if rng.random() < 0.5:
        _draw_coordinates(board, side, rng, (light, dark), fonts)
    if rng.random() < 0.3:
        _draw_move_marks(board, side, rng)
    design = _choose_design(rng, designs, fonts)
    _draw_pieces(board, side, classes, _style_design(design, side, rng), rng)
    if rng.random() < 0.3:
        _draw_arrows(board, side, rng)
    picture.paste(board, (margin, margin))
    if rng.random() < 0.3:
        pen = ImageDraw.Draw(picture)
        pen.rectangle(
            (margin - 2, margin - 2, margin + 8 * side + 1, margin + 8 * side + 1),
            outline=random_colour(rng),
            width=2,
        )
    return degrade(picture, rng), (float(margin), float(margin), float(side)), classes


def _choose_design(rng: Generator, designs: Sequence[Design], fonts: Sequence[Path]) -> Design:
    kind = rng.random()
    if kind < 0.03:
        return letter_design(rng, fonts)
    if kind < 0.3:
        design = random_design(rng)
    else:
        design = designs[int(rng.integers(len(designs)))]
        if kind < 0.36:
            other = designs[int(rng.integers(len(designs)))]
            kinds = set(rng.choice(list("RBNP"), 2, replace=False))
            design = {piece: (other if piece.upper() in kinds else design)[piece] for piece in PIECES}
    if rng.random() < 0.25:
        design = {piece: ImageOps.mirror(picture) for piece, picture in design.items()}
    return design


def _colours(rng: Generator) -> tuple[Colour, Colour]:
    if rng.random() < 0.45:
        light, dark = THEMES[int(rng.integers(len(THEMES)))]
        shift = rng.integers(-12, 13, 3)
        return _shift_colour(light, shift), _shift_colour(dark, shift)
    while True:
        light, dark = random_colour(rng, 60), random_colour(rng, 0, 230)
        if rng.random() < 0.4:
            base = random_colour(rng)
            light, dark = (
                mix(base, (255, 255, 255), rng.uniform(0.3, 1)),
                mix(base, (0, 0, 0), rng.uniform(0, 0.6)),
            )
        if sum(light) - sum(dark) > 45:
            return light, dark


def _shift_colour(base: Colour, shift: np.ndarray) -> Colour:
    red, green, blue = (int(np.clip(part + change, 0, 255)) for part, change in zip(base, shift, strict=True))
    return red, green, blue


def _empty_board(rng: Generator, side: int, light: Colour, dark: Colour) -> Image.Image:
    parity = np.add.outer(np.arange(8), np.arange(8)) % 2
    field = np.where(np.kron(parity, np.ones((side, side)))[..., None] > 0, dark, light).astype(float)
    texture = rng.random()
    if texture < 0.12:
        field += rng.normal(0, rng.uniform(2, 9), field.shape[:2])[..., None]
    elif texture < 0.3:
        grain = rng.normal(0, rng.uniform(4, 14), (int(rng.integers(8, 64)), int(rng.integers(2, 30))))
        wave = Image.fromarray(grain.astype(np.float32)).resize(field.shape[:2], Image.Resampling.BICUBIC)
        field += np.asarray(wave)[..., None]
    elif texture < 0.36:
        stripes = (np.add.outer(np.arange(8 * side), np.arange(8 * side)) // max(2, side // 10)) % 2
        field = np.where(
            (field == np.array(dark)).all(axis=2)[..., None] & (stripes > 0)[..., None], light, field
        )
    elif texture < 0.42:
        field += np.linspace(-1, 1, 8 * side)[:, None, None] * rng.uniform(-25, 25)
    board = Image.fromarray(np.clip(field, 0, 255).astype(np.uint8))
    if rng.random() < 0.1:
        pen = ImageDraw.Draw(board)
        colour = random_colour(rng)
        for step in range(0, 8 * side + 1, side):
            pen.line((step, 0, step, 8 * side), colour)
            pen.line((0, step, 8 * side, step), colour)
    return board


def _random_classes(rng: Generator) -> list[int]:
    kind = rng.random()
    if kind < 0.15:
        empty_share = rng.uniform(0.25, 0.6)
        return [0 if rng.random() < empty_share else int(rng.integers(1, 13)) for _ in range(64)]
    if kind < 0.55:
        return _random_pieces(rng)
    board = chess.Board()
    for _ in range(int(rng.integers(0, 110))):
        # Legal moves take far longer to find, and the positions need not be legal.
        moves = [
            move
            for move in board.generate_pseudo_legal_moves()
            if board.piece_type_at(move.to_square) != chess.KING
        ]
        if not moves:
            break
        board.push(moves[int(rng.integers(len(moves)))])
    pieces = board.piece_map()
    rotation_mask = 63 if rng.random() < 0.5 else 0
    # python-chess counts squares from a1, which is the first square of the last row.
    return [
        PIECES.index(pieces[square].symbol()) + 1 if (square := index ^ 56 ^ rotation_mask) in pieces else 0
        for index in range(64)
    ]


def _random_pieces(rng: Generator) -> list[int]:
    classes, share = [0] * 64, rng.uniform(0.15, 1)
    for piece in f"{_PIECES_OF_A_SIDE}{_PIECES_OF_A_SIDE.lower()}":
        if piece in "Kk" or rng.random() < share:
            squares = [square for square in range(64) if not classes[square]]
            if piece in "Pp":
                squares = [square for square in squares if 8 <= square < 56]
            classes[squares[int(rng.integers(len(squares)))]] = PIECES.index(piece) + 1
    return classes


def _tint_squares(board: Image.Image, side: int, rng: Generator) -> None:
    if rng.random() < 0.4:
        return
    tint = (
        random_colour(rng)
        if rng.random() < 0.5
        else ((255, 255, 50), (155, 199, 0), (100, 160, 255), (255, 90, 60))[int(rng.integers(4))]
    )
    share = rng.uniform(0.25, 0.9)
    for _ in range(int(rng.integers(1, 7))):
        x, y = (int(part) * side for part in rng.integers(0, 8, 2))
        square = board.crop((x, y, x + side, y + side))
        tinted_square = Image.blend(square, Image.new("RGB", square.size, tint), share)
        kind = rng.random()
        if kind < 0.12:
            mask = Image.radial_gradient("L").resize(square.size)
            tinted_square = Image.composite(square, tinted_square, mask)
        elif kind < 0.24:
            mask = Image.new("L", square.size, 255)
            width = max(1, side // 12)
            ImageDraw.Draw(mask).rectangle((width, width, side - width - 1, side - width - 1), 0)
            tinted_square = Image.composite(tinted_square, square, mask)
        board.paste(tinted_square, (x, y))


def _draw_coordinates(
    board: Image.Image,
    side: int,
    rng: Generator,
    square_colours: tuple[Colour, Colour],
    fonts: Sequence[Path],
) -> None:
    light, dark = square_colours
    font = ImageFont.truetype(
        fonts[int(rng.integers(len(fonts)))], max(6, round(side * rng.uniform(0.16, 0.28)))
    )
    pen = ImageDraw.Draw(board)
    gap = max(1, side // 25)
    is_on_right, is_flipped = rng.random() < 0.3, rng.random() < 0.5
    for index in range(8):
        colour = (dark, light)[(index + 7) % 2] if rng.random() < 0.9 else random_colour(rng)
        file = "abcdefgh"[7 - index if is_flipped else index]
        if rng.random() < 0.5 or is_on_right:
            pen.text(((index + 1) * side - gap, 8 * side - gap), file, colour, font, anchor="rd")
        else:
            pen.text((index * side + gap, 8 * side - gap), file, colour, font, anchor="ld")
        rank = "12345678"[index if is_flipped else 7 - index]
        colour = (dark, light)[index % 2] if not is_on_right else (dark, light)[(index + 7) % 2]
        pen.text(
            (8 * side - gap if is_on_right else gap, index * side + gap),
            rank,
            colour,
            font,
            anchor="ra" if is_on_right else "la",
        )


def _draw_move_marks(board: Image.Image, side: int, rng: Generator) -> None:
    dots = Image.new("L", board.size)
    pen = ImageDraw.Draw(dots)
    for _ in range(int(rng.integers(1, 14))):
        x, y = (float(part * side + side / 2) for part in rng.integers(0, 8, 2))
        if rng.random() < 0.75:
            radius = side * rng.uniform(0.1, 0.2)
            pen.ellipse((x - radius, y - radius, x + radius, y + radius), 255)
        else:
            radius = side * rng.uniform(0.42, 0.5)
            pen.ellipse(
                (x - radius, y - radius, x + radius, y + radius), outline=255, width=max(2, side // 12)
            )
    opacity = rng.uniform(0.15, 0.7)
    board.paste(
        Image.new("RGB", board.size, random_colour(rng, 0, 140)),
        (0, 0),
        dots.point([round(value * opacity) for value in range(256)]),
    )


def _style_design(design: Design, side: int, rng: Generator) -> dict[str, Image.Image]:
    size = max(10, round(side * rng.uniform(0.72, 1.02)))
    width = max(8, round(size * rng.uniform(0.88, 1.08))) if rng.random() < 0.3 else size
    colours, colouring = _side_colours(rng), rng.random()
    bend = _bending_mesh(rng) if rng.random() < 0.5 else None
    thickness_change = int(rng.choice((-3, 3))) if rng.random() < 0.15 else 0
    has_rim, has_shadow, has_disc = rng.random() < 0.12, rng.random() < 0.12, rng.random() < 0.05
    styled_design = {}
    for piece in PIECES:
        picture = design[piece]
        fill, ink = colours[piece.isupper()]
        if bend is not None:
            picture = picture.transform(picture.size, Image.Transform.MESH, bend, Image.Resampling.BICUBIC)
        if thickness_change:
            change = ImageFilter.MaxFilter(3) if thickness_change > 0 else ImageFilter.MinFilter(3)
            picture.putalpha(picture.getchannel("A").filter(change))
        if colouring < 0.3:
            # The body of a black piece is the dark part of its picture.
            picture = _map_shades(picture, *((ink, fill) if piece.isupper() else (fill, ink)))
        elif colouring < 0.45:
            picture = _flatten(picture, fill, ink, lined=colouring < 0.37)
        picture = picture.resize((min(width, side), min(size, side)), Image.Resampling.LANCZOS)
        if has_rim:
            picture = _outline(picture, ink if colouring < 0.45 else BLACK if piece.isupper() else WHITE)
        if has_shadow:
            shadow = Image.new("RGBA", picture.size)
            moved_alpha = ImageChops.offset(picture.getchannel("A"), max(1, size // 30), max(1, size // 25))
            blurred_alpha = moved_alpha.filter(ImageFilter.GaussianBlur(max(1, size / 30)))
            shadow.putalpha(blurred_alpha.point([value // 2 for value in range(256)]))
            picture = Image.alpha_composite(shadow, picture)
        if has_disc:
            disc_picture = Image.new("RGBA", picture.size)
            ImageDraw.Draw(disc_picture).ellipse((0, 0, picture.width - 1, picture.height - 1), fill, ink)
            smaller_picture = picture.resize(
                (picture.width * 3 // 4, picture.height * 3 // 4), Image.Resampling.LANCZOS
            )
            disc_picture.alpha_composite(smaller_picture, (picture.width // 8, picture.height // 8))
            picture = disc_picture
        styled_design[piece] = picture
    return styled_design


def _side_colours(rng: Generator) -> tuple[tuple[Colour, Colour], tuple[Colour, Colour]]:
    """Return Black's fill and ink, and White's fill and ink."""
    while True:
        white = mix(WHITE, random_colour(rng), rng.uniform(0, 0.4))
        black = mix(BLACK, random_colour(rng), rng.uniform(0, 0.5))
        if brightness_of(white) - brightness_of(black) > 90:
            break
    white_ink = mix(BLACK, random_colour(rng), rng.uniform(0, 0.6))
    black_ink = mix(*((black, WHITE) if rng.random() < 0.6 else (black, BLACK)), rng.uniform(0.3, 1.0))
    return (black, black_ink), (white, white_ink)


def _bending_mesh(rng: Generator) -> list[tuple[tuple[int, int, int, int], tuple[float, ...]]]:
    corners = np.stack(np.meshgrid(*[np.linspace(0, SIZE, 3)] * 2), axis=2)
    corners += rng.normal(0, SIZE * rng.uniform(0.01, 0.05), corners.shape)
    return [
        (
            (column * SIZE // 2, row * SIZE // 2, (column + 1) * SIZE // 2, (row + 1) * SIZE // 2),
            tuple(
                float(part)
                for down, right in ((0, 0), (1, 0), (1, 1), (0, 1))
                for part in corners[row + down, column + right]
            ),
        )
        for row in range(2)
        for column in range(2)
    ]


def _map_shades(picture: Image.Image, dark: Colour, light: Colour) -> Image.Image:
    shades = picture.convert("L")
    bands = [
        shades.point([round(a + (b - a) * value / 255) for value in range(256)])
        for a, b in zip(dark, light, strict=True)
    ]
    return Image.merge("RGBA", [*bands, picture.getchannel("A")])


def _flatten(picture: Image.Image, fill: Colour, ink: Colour, *, lined: bool) -> Image.Image:
    flat_picture = Image.new("RGB", picture.size, fill)
    if lined:
        edges = (
            picture.convert("L")
            .filter(ImageFilter.FIND_EDGES)
            .point([255 if value > 60 else 0 for value in range(256)])
        )
        flat_picture.paste(ink, (0, 0), edges)
    flat_picture.putalpha(picture.getchannel("A"))
    return flat_picture


def _outline(picture: Image.Image, colour: Colour) -> Image.Image:
    silhouette = Image.new("RGBA", picture.size, colour)
    silhouette.putalpha(picture.getchannel("A").filter(ImageFilter.MaxFilter(3)))
    return Image.alpha_composite(silhouette, picture)


def _draw_pieces(
    board: Image.Image, side: int, classes: list[int], design: dict[str, Image.Image], rng: Generator
) -> None:
    free_share_above = rng.uniform(0.3, 1)
    is_faded = rng.random() < 0.04
    displaced_square = int(rng.integers(64)) if rng.random() < 0.1 else -1
    for index, piece_class in enumerate(classes):
        if not piece_class:
            continue
        picture = design[PIECES[piece_class - 1]]
        if is_faded:
            picture = picture.copy()
            picture.putalpha(picture.getchannel("A").point([round(value * 0.8) for value in range(256)]))
        row, column = divmod(index, 8)
        x = column * side + (side - picture.width) // 2
        y = row * side + round((side - picture.height) * free_share_above)
        if index == displaced_square:
            x += int(rng.integers(-side // 8, side // 8 + 1))
        board.paste(picture, (x, y), picture)


def _draw_arrows(board: Image.Image, side: int, rng: Generator) -> None:
    ink = Image.new("L", board.size)
    pen = ImageDraw.Draw(ink)
    for _ in range(int(rng.integers(1, 4))):
        (x, y), (to_x, to_y) = ((part + 0.5) * side for part in rng.integers(0, 8, (2, 2)).astype(float))
        width = side * rng.uniform(0.08, 0.22)
        vector = np.array((to_x - x, to_y - y))
        length = float(np.hypot(*vector))
        if length < side or rng.random() < 0.2:
            pen.ellipse(
                (x - side * 0.46, y - side * 0.46, x + side * 0.46, y + side * 0.46),
                outline=255,
                width=max(2, side // 14),
            )
            continue
        direction = vector / length
        normal = np.array((-direction[1], direction[0]))
        neck = np.array((to_x, to_y)) - direction * width * 2.2
        pen.line((x, y, *neck), 255, round(width))
        pen.polygon(
            [(to_x, to_y), tuple(neck + normal * width * 1.4), tuple(neck - normal * width * 1.4)], 255
        )
    opacity = rng.uniform(0.3, 0.85)
    colour = (
        ((21, 120, 27), (255, 170, 0), (136, 32, 32), (0, 48, 136))[int(rng.integers(4))]
        if rng.random() < 0.7
        else random_colour(rng)
    )
    board.paste(
        Image.new("RGB", board.size, colour),
        (0, 0),
        ink.point([round(value * opacity) for value in range(256)]),
    )
