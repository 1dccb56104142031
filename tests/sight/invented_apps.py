"""Screenshots of invented apps for crossword games, which share no code with the training pictures."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFilter, ImageFont

from .pictures import as_jpeg

VALUES = dict(
    zip(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (1, 3, 3, 2, 1, 4, 2, 4, 1, 8, 5, 1, 3, 1, 1, 3, 10, 1, 1, 1, 1, 4, 4, 8, 4, 10),
        strict=True,
    )
)
BONUS = {
    "W": {(0, 0), (0, 7), (7, 0)},
    "w": {(1, 1), (2, 2), (3, 3), (4, 4)},
    "L": {(1, 5), (5, 1), (5, 5)},
    "l": {(0, 3), (3, 0), (2, 6), (6, 2), (6, 6), (3, 7), (7, 3)},
}
"""The bonus squares in the upper left quarter, as (row, column) pairs: triple words (``W``), double words (``w``), triple letters
(``L``) and double letters (``l``). The other quarters are symmetric."""
LABELS = (
    None,
    {"W": "TW", "w": "DW", "L": "TL", "l": "DL"},
    {"W": "3W", "w": "2W", "L": "3L", "l": "2L"},
    {"W": "×3", "w": "×2", "L": "×3", "l": "×2"},
    {"W": "3x\nword", "w": "2x\nword", "L": "3x\nletter", "l": "2x\nletter"},
    {"W": "3\nMOT", "w": "2\nMOT", "L": "3\nLET", "l": "2\nLET"},
)
PALETTES = tuple(
    tuple((red, green, blue) for red, green, blue in map(bytes.fromhex, line.split()))
    for line in """\
    cdbea0 b4a587 c83c32 e6968c 326eb4 96c3e1 f0dcaa 281e14 5a3c28
    2e3440 3b4252 bf616a d08770 5e81ac 88c0d0 eceff4 2e3440 1e222a
    e8ece9 ffffff e57373 ffb7b1 64b5f6 bbdefb ffd54f 3e2723 fafafa
    19503c 0f3c2d b42828 d27878 285aaa 78aad2 faf5e1 141414 0a281e
    f4f0e6 d6cdbe f58230 fabe58 46a06e a0d2aa 543a2a fff4dc ffffff
    eeeef5 c8c8d7 9650c8 c8a0e6 3caabe a0dce1 6246a0 ffffff e1e1f0
    121214 323237 781e3c 5a3250 1e3c6e 23505a 3e4048 f0f0f0 000000
""".splitlines()
)
"""The colours of board, line, triple word, double word, triple letter, double letter, tile, ink and background."""


def squares_of(placement: str) -> str:
    return re.sub(r"\d+", lambda run: "." * int(run[0]), placement).replace("/", "")


class InventedApp:
    def __init__(self, rng: random.Random, fonts: Sequence[Path]) -> None:
        self.rng = rng
        colours = list(rng.choice(PALETTES))
        self.board, self.line, *bonus, self.tile, self.ink, self.ground = colours
        self.bonus = dict(zip("WwLl", bonus, strict=True))
        self.side = rng.choice((24, 28, 32, 36, 42, 50, 60))
        self.gap = rng.choice((0, 1, 1, 2, 3))
        self.corner_radius = rng.choice((0, 0, 0.1, 0.2))
        self.font_file = rng.choice(fonts)
        self.small_font_file = rng.choice((self.font_file, rng.choice(fonts)))
        self.labels = rng.choice(LABELS)
        self.letter_size = rng.uniform(0.5, 0.74)
        self.lift = rng.choice((0.0, -0.04, 0.03))
        self.value_position = rng.choice((None, (0.84, 0.8), (0.84, 0.2), (0.8, 0.82), (0.16, 0.82)))
        self.value_size = rng.uniform(0.2, 0.32)
        self.surface = rng.choice(("flat", "flat", "bevel", "gradient", "grain", "shadow", "rim"))
        self.tile_round = rng.choice((0, 0.08, 0.18, 0.3))
        self.inset = rng.choice((0, 0, 1, 2))
        self.blank_style = rng.choice(
            ("lower", "no value", "ink", "circle", "frame", "lower ink", "white", "zero", "italic")
        )
        if self.blank_style in {"no value", "zero"} and self.value_position is None:
            self.blank_style = "ink"
        self.blank_ink = rng.choice(((200, 40, 40), (30, 130, 60), (130, 130, 130), (60, 90, 210)))
        self.last_play_colour = rng.choice((None, None, (255, 235, 130), (255, 190, 90), (170, 220, 255)))
        self.coordinates = rng.choice(("none", "around", "around", "inside"))
        self.star = rng.choice(("★", "✦", "", "+"))
        self.has_badge = rng.random() < 0.25
        self.is_phone = rng.random() < 0.6
        self.rack_size = rng.choice((0.95, 1.15, 1.4, 1.8))
        self.rack_gap = rng.choice((1, 2, 4, 8))

    def font(self, size: float, file: Path | None = None) -> ImageFont.FreeTypeFont:
        return ImageFont.truetype(file or self.font_file, max(6, round(size)))

    def draw_tile(
        self, picture: Image.Image, position: tuple[int, int], side: int, letter: str, face=None
    ) -> None:
        """Draw a tile. A lower-case letter or a question mark is a blank."""
        blank = self.blank_style if letter.islower() else ""
        face, ink = face or self.tile, self.ink
        if sum(abs(a - b) for a, b in zip(face, ink, strict=True)) < 240:
            ink = (20, 20, 20) if sum(face) > 380 else (250, 250, 250)
        if blank == "white":
            face = (255, 255, 255) if sum(self.tile) < 640 else (190, 190, 190)
            ink = (20, 20, 20)
        if blank in {"ink", "lower ink"}:
            is_legible = sum(abs(a - b) for a, b in zip(face, self.blank_ink, strict=True)) > 150
            ink = self.blank_ink if is_legible else (255, 255, 255)
        self._draw_body(picture, position, side, face)
        if letter != "?":
            self._draw_letter(picture, position, side, (letter, blank, ink))

    def _draw_body(self, picture: Image.Image, position: tuple[int, int], side: int, face) -> None:
        pen, radius, inset = ImageDraw.Draw(picture), self.tile_round * side, self.inset
        box = left, top, right, bottom = (
            *(coordinate + inset for coordinate in position),
            *(coordinate + side - 1 - inset for coordinate in position),
        )
        if self.surface == "shadow":
            shade = tuple(part // 2 for part in self.board)
            pen.rounded_rectangle((left + 2, top + 2, right + 2, bottom + 2), radius, shade)
        rim = tuple(round(part * 0.7) for part in face) if self.surface == "rim" else None
        pen.rounded_rectangle(box, radius, face, outline=rim)
        if self.surface in {"gradient", "grain"}:
            mask = Image.new("L", (side, side))
            ImageDraw.Draw(mask).rounded_rectangle(
                (inset, inset, side - 1 - inset, side - 1 - inset), radius, 255
            )
            overlay = Image.new("RGB", (side, side), face)
            brush = ImageDraw.Draw(overlay)
            for row in range(side):
                shift = (12 - 24 * row // side) if self.surface == "gradient" else self.rng.randrange(-7, 8)
                brush.line((0, row, side, row), tuple(max(0, min(255, part + shift)) for part in face))
            picture.paste(overlay, position, mask)
        if self.surface == "bevel":
            light = tuple(min(255, part + 35) for part in face)
            dark = tuple(max(0, part - 45) for part in face)
            pen.line((left, bottom, left, top, right, top), light, 2)
            pen.line((left, bottom, right, bottom, right, top), dark, 2)

    def _draw_letter(self, picture: Image.Image, position: tuple[int, int], side: int, styled_letter) -> None:
        letter, blank, ink = styled_letter
        pen, (x, y) = ImageDraw.Draw(picture), position
        text = letter if blank in {"lower", "lower ink"} else letter.upper()
        font = self.font(self.letter_size * side * (0.8 if blank in {"circle", "frame"} else 1))
        outline_width = max(1, side // 20)
        if blank == "circle":
            pen.ellipse(
                (x + side * 0.1, y + side * 0.1, x + side * 0.9, y + side * 0.9),
                outline=ink,
                width=outline_width,
            )
        if blank == "frame":
            pen.rectangle(
                (x + side * 0.14, y + side * 0.14, x + side * 0.86, y + side * 0.86),
                outline=ink,
                width=outline_width,
            )
        mask = Image.new("L", (side, side))
        ImageDraw.Draw(mask).text((side / 2, side * (0.5 + self.lift)), text, 255, font, anchor="mm")
        if blank == "italic":
            slant = (1, 0.25, -0.125 * side, 0, 1, 0)
            mask = mask.transform((side, side), Image.Transform.AFFINE, slant, Image.Resampling.BICUBIC)
        picture.paste(ink, position, mask)
        if self.value_position and (not blank or blank == "zero"):
            value = "0" if blank else str(VALUES[letter])
            corner = (x + side * self.value_position[0], y + side * self.value_position[1])
            pen.text(corner, value, ink, self.font(self.value_size * side, self.small_font_file), anchor="mm")

    def draw_screen(self, squares: str, rack: str) -> Image.Image:
        rng, side = self.rng, self.side
        width = 15 * side
        margin = round(side * (0.8 if self.coordinates == "around" else 0.2))
        head = round(side * rng.uniform(1, 4))
        rack_side = round(side * self.rack_size)
        panel = 0 if self.is_phone else round(side * rng.uniform(5, 10))
        size = (
            width + 2 * margin + panel,
            head + width + 2 * margin + rack_side * 2 + round(side * rng.uniform(1, 4)),
        )
        picture = Image.new("RGB", size, self.ground)
        pen = ImageDraw.Draw(picture)
        text_colour = (20, 20, 20) if sum(self.ground) > 380 else (235, 235, 235)
        small_font = self.font(side * 0.5, self.small_font_file)
        pen.text((8, head * 0.3), "9:41", text_colour, small_font, anchor="lm")
        pen.text(
            (size[0] - 8, head * 0.3),
            f"{rng.randrange(20, 400)} : {rng.randrange(20, 400)}",
            text_colour,
            small_font,
            anchor="rm",
        )
        top = head + margin
        pen.rectangle(
            (margin - self.gap, top - self.gap, margin + width, top + width),
            self.line if self.gap else self.board,
        )
        for index in range(225):
            self._draw_square(pen, index, (margin + index % 15 * side, top + index // 15 * side))
        filled_squares = [index for index, content in enumerate(squares) if content != "."]
        last_play = set()
        if self.last_play_colour and filled_squares:
            start = rng.choice(filled_squares)
            last_play = {start + step for step in range(rng.randrange(2, 5))}
        for index in filled_squares:
            position = (margin + index % 15 * side, top + index // 15 * side)
            edge = self.gap if self.surface != "shadow" else self.gap + 1
            self.draw_tile(
                picture,
                position,
                side - edge,
                squares[index],
                self.last_play_colour if index in last_play else None,
            )
        pen = ImageDraw.Draw(picture)
        if self.has_badge and last_play & set(filled_squares):
            index = max(last_play & set(filled_squares))
            x, y = margin + (index % 15 + 1) * side, top + index // 15 * side
            pen.ellipse((x - side * 0.3, y - side * 0.3, x + side * 0.25, y + side * 0.25), (220, 50, 50))
            pen.text((x, y), str(rng.randrange(8, 70)), "white", self.font(side * 0.25), anchor="mm")
        if self.coordinates == "around":
            for number in range(15):
                middle = margin + (number + 0.5) * side
                pen.text(
                    (middle, top - margin * 0.5),
                    "ABCDEFGHIJKLMNO"[number],
                    text_colour,
                    small_font,
                    anchor="mm",
                )
                pen.text(
                    (margin * 0.5, top + (number + 0.5) * side),
                    str(number + 1),
                    text_colour,
                    small_font,
                    anchor="mm",
                )
        self._draw_rack(picture, rack, (margin, top + width + round(side * 0.6)), rack_side)
        if panel:
            for number in range(10):
                line = f"{number + 1}. {rng.choice(('8D', 'H4', 'C12'))} {rng.choice(('alice', 'bob'))} {rng.randrange(10, 90)}"
                pen.text((width + 2 * margin + 8, head + (number + 1) * side), line, text_colour, small_font)
        return picture

    def _draw_square(self, pen: ImageDraw.ImageDraw, index: int, position: tuple[int, int]) -> None:
        row, column = divmod(index, 15)
        octant_coordinate = tuple(sorted((min(row, 14 - row), min(column, 14 - column))))
        kind = next(
            (
                kind
                for kind, squares in BONUS.items()
                if octant_coordinate in {tuple(sorted(coordinate)) for coordinate in squares}
            ),
            "",
        )
        (x, y), side = position, self.side - self.gap
        pen.rounded_rectangle(
            (x, y, x + side - 1, y + side - 1), self.corner_radius * side, self.bonus.get(kind, self.board)
        )
        label = self.star if index == 112 else self.labels[kind] if self.labels and kind else ""
        if label:
            shade = self.bonus.get(kind, self.board)
            ink = (255, 255, 255) if sum(shade) < 420 else (70, 60, 60)
            font = self.font(side * (0.26 if "\n" in label else 0.4), self.small_font_file)
            pen.multiline_text(
                (x + side / 2, y + side / 2), label, ink, font, anchor="mm", align="center", spacing=0
            )
        if self.coordinates == "inside" and (row == 14 or column == 0):
            font = self.font(side * 0.22, self.small_font_file)
            ink = (120, 120, 120)
            if column == 0:
                pen.text((x + 2, y + 1), str(row + 1), ink, font)
            if row == 14:
                pen.text((x + side - 2, y + side - 1), "abcdefghijklmno"[column], ink, font, anchor="rd")

    def _draw_rack(self, picture: Image.Image, rack: str, position: tuple[int, int], side: int) -> None:
        rack_width = len(rack) * (side + self.rack_gap)
        if rack_width > 15 * self.side:
            side = 15 * self.side // len(rack) - self.rack_gap
            rack_width = 15 * self.side
        left = position[0] + (15 * self.side - rack_width) // 2
        for number, letter in enumerate(rack):
            self.draw_tile(picture, (left + number * (side + self.rack_gap), position[1]), side, letter)


def as_posted(picture: Image.Image, rng: random.Random) -> Image.Image:
    if rng.random() < 0.4:
        factor = rng.uniform(0.7, 1.5)
        size = (round(picture.width * factor), round(picture.height * factor))
        picture = picture.resize(size, rng.choice((Image.Resampling.BILINEAR, Image.Resampling.LANCZOS)))
    if rng.random() < 0.6:
        picture = as_jpeg(picture, rng.choice((60, 75, 85, 92)))
    if rng.random() < 0.1:
        picture = picture.filter(ImageFilter.GaussianBlur(0.6))
    return picture
