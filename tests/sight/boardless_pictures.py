"""Random pictures without a readable board."""

from __future__ import annotations

import random
from collections.abc import Callable

from PIL import Image, ImageDraw, ImageFilter, ImageFont

from .pictures import FONT, as_jpeg

WORDS = "the of and a to in is you that it he was for on are as with his they at be this have from".split()  # noqa: SIM905
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Sheet:
    def __init__(self, rng: random.Random, *, dark: float = 0.3) -> None:
        self.rng = rng
        self.size = rng.choice(
            ((390, 844), (1080, 1920), (1280, 800), (1600, 900), (800, 600), (640, 640), (1024, 768))
        )
        is_dark = rng.random() < dark
        self.ground = self.shade(10, 60) if is_dark else self.shade(215, 255)
        self.ink = self.shade(200, 255) if is_dark else self.shade(0, 70)
        self.picture = Image.new("RGB", self.size, self.ground)
        self.pen = ImageDraw.Draw(self.picture)

    def shade(self, minimum: int, maximum: int) -> tuple[int, ...]:
        grey = self.rng.randint(minimum, maximum)
        return tuple(max(0, min(255, grey + self.rng.randint(-14, 14))) for _ in range(3))

    def colour(self) -> tuple[int, ...]:
        return tuple(self.rng.randrange(256) for _ in range(3))

    def write(self, place: tuple[float, float], text: str, size: float, ink=None, anchor: str = "mm") -> None:
        font = ImageFont.truetype(FONT, max(6, round(size)))
        self.pen.text(place, text, self.ink if ink is None else ink, font, anchor=anchor)

    def write_lines(self, left: float, top: float, width: float, count: int, size: float) -> None:
        for line in range(count):
            words = " ".join(self.rng.choices(WORDS, k=max(1, int(width / size / 2.6))))
            self.write((left, top + line * size * 1.5), words, size, anchor="la")

    def place_grid(
        self, columns: int, rows: int, share: float = 0.92, *, cell: tuple[float, float] = (1, 1)
    ) -> tuple[float, float, float, float]:
        """Return a random place for a grid: left, top, and the width and height of a cell."""
        width, height = self.size
        side = min(width * share / columns / cell[0], height * share / rows / cell[1])
        side = max(9, int(side * self.rng.uniform(0.55, 1)))
        cell_width, cell_height = side * cell[0], side * cell[1]
        left = self.rng.uniform(0, max(0, width - columns * cell_width))
        top = self.rng.uniform(0, max(0, height - rows * cell_height))
        return round(left), round(top), cell_width, cell_height

    def draw_grid(
        self, columns: int, rows: int, place: tuple[float, float, float, float], thick_interval: int = 0
    ) -> None:
        # Lines at multiples of ``thick_interval`` are thick. If it is 0, all lines are thin.
        left, top, cell_width, cell_height = place
        ink, thin = self.shade(60, 190), self.rng.choice((1, 1, 2))
        for column in range(columns + 1):
            thickness = thin * 2 + 1 if thick_interval and column % thick_interval == 0 else thin
            x = left + column * cell_width
            self.pen.line((x, top, x, top + rows * cell_height), ink, thickness)
        for row in range(rows + 1):
            thickness = thin * 2 + 1 if thick_interval and row % thick_interval == 0 else thin
            y = top + row * cell_height
            self.pen.line((left, y, left + columns * cell_width, y), ink, thickness)


def _paint_cells(
    sheet: Sheet, columns: int, rows: int, place, paint: Callable[[int, int, tuple], None]
) -> None:
    left, top, cell_width, cell_height = place
    for row in range(rows):
        for column in range(columns):
            x, y = left + column * cell_width, top + row * cell_height
            paint(row, column, (x, y, x + cell_width, y + cell_height))


def _middle(box: tuple) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _inset(box: tuple, margin: float) -> tuple[float, float, float, float]:
    left, top, right, bottom = box
    return left + margin, top + margin, right - margin, bottom - margin


def page(sheet: Sheet) -> None:
    rng, (width, height) = sheet.rng, sheet.size
    size = rng.uniform(11, 22)
    top = 20.0
    while top < height - 120:
        sheet.write((20, top), " ".join(rng.choices(WORDS, k=4)).title(), size * 1.6, anchor="la")
        line_count = rng.randrange(3, 9)
        sheet.write_lines(20, top + size * 2.4, width * rng.uniform(0.5, 0.9), line_count, size)
        top += size * (line_count * 1.5 + 4)
        if rng.random() < 0.5:
            sheet.pen.rectangle((20, top, width * 0.6, top + 100), sheet.colour())
            top += 120


def table(sheet: Sheet) -> None:
    rng = sheet.rng
    columns, rows = rng.randrange(3, 9), rng.randrange(6, 25)
    place = sheet.place_grid(columns, rows, cell=(rng.uniform(2, 5), 1))
    stripe = sheet.shade(120, 240) if rng.random() < 0.5 else None

    def paint(row, column, box):
        if stripe and row % 2:
            sheet.pen.rectangle(box, stripe)
        sheet.write(_middle(box), str(rng.randrange(10_000)), place[3] * 0.5)

    _paint_cells(sheet, columns, rows, place, paint)
    if rng.random() < 0.7:
        sheet.draw_grid(columns, rows, place)


def spreadsheet(sheet: Sheet) -> None:
    rng = sheet.rng
    columns, rows = rng.randrange(8, 26), rng.randrange(15, 40)
    place = sheet.place_grid(columns, rows, 1, cell=(rng.choice((1, 1, 1.5, 2, 3)), 1))
    filled_share, mark_colour = rng.uniform(0, 0.6), sheet.colour()

    def paint(row, column, box):
        if rng.random() < 0.03:
            sheet.pen.rectangle(box, mark_colour)
        if row == 0 or column == 0:
            sheet.pen.rectangle(box, sheet.shade(200, 230))
            sheet.write(_middle(box), str(row) if column == 0 else LETTERS[column - 1], place[3] * 0.5)
        elif rng.random() < filled_share:
            sheet.write(_middle(box), str(rng.randrange(1000)), place[3] * 0.5)

    _paint_cells(sheet, columns, rows, place, paint)
    sheet.draw_grid(columns, rows, place)


def sudoku(sheet: Sheet) -> None:
    rng = sheet.rng
    side = rng.choice((9, 9, 9, 6, 16))
    place = sheet.place_grid(side, side)
    filled_share, player_ink = rng.uniform(0.3, 1), sheet.colour()

    def paint(row, column, box):
        if rng.random() < filled_share:
            sheet.write(
                _middle(box), str(rng.randrange(1, side + 1)), place[2] * 0.6, rng.choice((None, player_ink))
            )
        elif rng.random() < 0.3:
            for digit in range(1, 10):
                spot = (
                    box[0] + place[2] * ((digit - 1) % 3 + 0.5) / 3,
                    box[1] + place[3] * ((digit - 1) // 3 + 0.5) / 3,
                )
                sheet.write(spot, str(digit), place[2] * 0.24)

    _paint_cells(sheet, side, side, place, paint)
    sheet.draw_grid(side, side, place, 4 if side == 16 else 3)


def nonogram(sheet: Sheet) -> None:
    rng = sheet.rng
    side = rng.choice((10, 15, 15, 20, 25))
    place = sheet.place_grid(side, side, 0.75)
    share, ink = rng.uniform(0, 0.7), sheet.shade(0, 90)

    def paint(row, column, box):
        if rng.random() < share:
            sheet.pen.rectangle(box, ink)
        elif rng.random() < 0.2:
            sheet.write(_middle(box), "×", place[2] * 0.6)

    _paint_cells(sheet, side, side, place, paint)
    sheet.draw_grid(side, side, place, 5)
    for number in range(side):
        x, y = place[0] + (number + 0.5) * place[2], place[1] + (number + 0.5) * place[3]
        sheet.write((place[0] - place[2], y), f"{rng.randrange(1, 9)} {rng.randrange(1, 9)}", place[2] * 0.5)
        sheet.write((x, place[1] - place[3] * 0.7), str(rng.randrange(1, 9)), place[2] * 0.5)


def newspaper(sheet: Sheet) -> None:
    rng = sheet.rng
    side = rng.choice((13, 15, 15, 15, 21, 11))
    place = sheet.place_grid(side, side)
    filled_share, white = rng.choice((0, 0, 0.3, 0.7, 1)), sheet.shade(235, 255)
    black_squares = {(row, column) for row in range(side) for column in range(side) if rng.random() < 0.16}
    black_squares |= {(side - 1 - row, side - 1 - column) for row, column in black_squares}

    def paint(row, column, box):
        if (row, column) in black_squares:
            sheet.pen.rectangle(box, (15, 15, 15))
            return
        sheet.pen.rectangle(box, white)
        if rng.random() < 0.3:
            sheet.write((box[0] + 2, box[1] + 1), str(rng.randrange(1, 99)), place[2] * 0.28, (0, 0, 0), "la")
        if rng.random() < filled_share:
            sheet.write(_middle(box), rng.choice(LETTERS), place[2] * 0.6, (20, 20, 60))

    _paint_cells(sheet, side, side, place, paint)
    sheet.draw_grid(side, side, place)


def word_search(sheet: Sheet) -> None:
    rng = sheet.rng
    side = rng.choice((10, 12, 15, 15, 20))
    place = sheet.place_grid(side, side)
    _paint_cells(
        sheet,
        side,
        side,
        place,
        lambda row, column, box: sheet.write(_middle(box), rng.choice(LETTERS), place[2] * 0.6),
    )
    if rng.random() < 0.6:
        sheet.draw_grid(side, side, place)


def calendar(sheet: Sheet) -> None:
    rng = sheet.rng
    place = sheet.place_grid(7, 6, cell=(1, rng.choice((1, 0.8, 1.3))))

    def paint(row, column, box):
        day = row * 7 + column - 2
        if rng.random() < 0.1:
            sheet.pen.ellipse(box, sheet.colour())
        if 1 <= day <= 31:
            sheet.write(_middle(box), str(day), place[3] * 0.4)

    _paint_cells(sheet, 7, 6, place, paint)
    if rng.random() < 0.6:
        sheet.draw_grid(7, 6, place)


def keyboard(sheet: Sheet) -> None:
    face = sheet.shade(40, 250)
    width, height = sheet.size
    step = width / 10.5
    for row, letters in enumerate(("QWERTYUIOP", "ASDFGHJKL", "ZXCVBNM")):
        for column, letter in enumerate(letters):
            x, y = 4 + column * step + row * step / 2, height - (4 - row) * step * 1.3
            sheet.pen.rounded_rectangle((x, y, x + step * 0.88, y + step * 1.1), 5, face)
            sheet.write((x + step * 0.44, y + step * 0.55), letter, step * 0.5)
    sheet.write_lines(20, 40, width * 0.8, 6, 18)


def noise(sheet: Sheet) -> None:
    rng = sheet.rng
    picture = Image.effect_noise(sheet.size, rng.uniform(10, 100)).convert("RGB")
    if rng.random() < 0.5:
        picture = picture.filter(ImageFilter.GaussianBlur(rng.uniform(0.5, 6)))
    sheet.picture.paste(Image.blend(picture, sheet.picture, rng.uniform(0, 0.6)))


def photo(sheet: Sheet) -> None:
    rng = sheet.rng
    small = Image.new("RGB", (rng.randrange(4, 24), rng.randrange(4, 24)))
    small.putdata([sheet.colour() for _ in range(small.width * small.height)])
    filter_ = rng.choice((Image.Resampling.BICUBIC, Image.Resampling.BILINEAR, Image.Resampling.NEAREST))
    sheet.picture.paste(small.resize(sheet.size, filter_))
    for _ in range(rng.randrange(30)):
        x, y = (rng.randrange(part) for part in sheet.size)
        size = rng.randrange(5, 200)
        getattr(sheet.pen, rng.choice(("ellipse", "rectangle")))((x, y, x + size, y + size), sheet.colour())
    grain = Image.effect_noise(sheet.size, 40).convert("RGB")
    sheet.picture.paste(Image.blend(sheet.picture, grain, rng.uniform(0, 0.3)))


def bricks(sheet: Sheet) -> None:
    """Draw a wall, a tiled floor or a tablecloth."""
    rng = sheet.rng
    side, kind = rng.randrange(12, 90), rng.choice(("bricks", "tiles", "cloth", "chequered"))
    main, other = sheet.shade(60, 255), sheet.shade(30, 220)
    width, height = sheet.size
    for row in range(height // side + 1):
        for column in range(-1, width // side + 1):
            x = column * side + (side // 2 if kind == "bricks" and row % 2 else 0)
            face = main if kind in {"bricks", "tiles"} or (row + column) % 2 else other
            if kind == "cloth":
                face = tuple(
                    (a + b) // 2 if row % 2 != column % 2 else a if row % 2 else b
                    for a, b in zip(main, other, strict=True)
                )
            face = tuple(max(0, min(255, part + rng.randint(-8, 8))) for part in face)
            gap = 0 if kind in {"cloth", "chequered"} else 2
            sheet.pen.rectangle((x, row * side, x + side - 1 - gap, row * side + side - 1 - gap), face)


def chat(sheet: Sheet) -> None:
    rng, (width, height) = sheet.rng, sheet.size
    size, top = rng.uniform(12, 26), 10.0
    while top < height:
        line_count = rng.randrange(1, 5)
        bubble_width, is_on_right = width * rng.uniform(0.3, 0.75), rng.random() < 0.5
        left = width - bubble_width - 12 if is_on_right else 50
        if not is_on_right:
            sheet.pen.ellipse((8, top, 42, top + 34), sheet.colour())
        sheet.pen.rounded_rectangle(
            (left, top, left + bubble_width, top + line_count * size * 1.5 + 16), 14, sheet.shade(60, 220)
        )
        sheet.write_lines(left + 10, top + 8, bubble_width - 20, line_count, size)
        top += line_count * size * 1.5 + 30


def icons(sheet: Sheet) -> None:
    rng = sheet.rng
    columns, rows = rng.randrange(4, 16), rng.randrange(5, 16)
    place = sheet.place_grid(columns, rows, 1)
    has_names, inset = rng.random() < 0.4, place[2] * rng.uniform(0.03, 0.2)

    def paint(row, column, box):
        inner = _inset(box, inset)
        shape = rng.choice(("ellipse", "rounded", "rectangle"))
        if shape == "rounded":
            sheet.pen.rounded_rectangle(inner, place[2] * 0.2, sheet.colour())
        else:
            getattr(sheet.pen, shape)(inner, sheet.colour())
        if rng.random() < 0.5:
            sheet.write(_middle(box), rng.choice("☺★♥♦♣♠✓+AZ19"), place[2] * 0.4, sheet.colour())
        if has_names:
            sheet.write((_middle(box)[0], box[3]), rng.choice(WORDS), place[2] * 0.16)

    _paint_cells(sheet, columns, rows, place, paint)


def editor(sheet: Sheet) -> None:
    rng, size = sheet.rng, sheet.rng.uniform(11, 20)
    for line in range(int(sheet.size[1] / size / 1.4)):
        y = line * size * 1.4
        sheet.write((30, y), str(line + 1), size, sheet.shade(110, 140), "ra")
        left = 44 + size * 2 * rng.randrange(4)
        for _ in range(rng.randrange(8)):
            word = rng.choice(WORDS) + rng.choice((" = ", "(", ") ", ": ", "_", "."))
            sheet.write((left, y), word, size, sheet.colour(), "la")
            left += size * 0.62 * len(word)


def go(sheet: Sheet) -> None:
    rng = sheet.rng
    side = rng.choice((9, 13, 19, 15, 16))
    place = sheet.place_grid(side, side)
    left, top, cell_width, cell_height = place
    sheet.pen.rectangle((left, top, left + side * cell_width, top + side * cell_height), (222, 184, 120))
    for line in range(side):
        x, y = left + (line + 0.5) * cell_width, top + (line + 0.5) * cell_height
        sheet.pen.line((x, top + cell_height / 2, x, top + (side - 0.5) * cell_height), (40, 30, 20))
        sheet.pen.line((left + cell_width / 2, y, left + (side - 0.5) * cell_width, y), (40, 30, 20))
    share = rng.uniform(0, 0.5)

    def paint(row, column, box):
        if rng.random() < share:
            sheet.pen.ellipse(box, rng.choice(((10, 10, 10), (245, 245, 245))), outline=(60, 60, 60))

    _paint_cells(sheet, side, side, place, paint)


def shogi_or_xiangqi(sheet: Sheet) -> None:
    """Draw a shogi board of 9 × 9 cells with five-sided pieces, or a board of 9 × 10 cells with round pieces, as in xiangqi."""
    rng = sheet.rng
    has_round_pieces = rng.random() < 0.5
    columns, rows = (9, 10) if has_round_pieces else (9, 9)
    place = sheet.place_grid(columns, rows)
    left, top, cell_width, cell_height = place
    sheet.pen.rectangle((left, top, left + columns * cell_width, top + rows * cell_height), (235, 200, 140))
    sheet.draw_grid(columns, rows, place)

    def paint(row, column, box):
        if rng.random() < 0.4:
            x, y = _middle(box)
            radius = cell_width * 0.42
            if has_round_pieces:
                sheet.pen.ellipse(
                    (x - radius, y - radius, x + radius, y + radius), (250, 235, 200), outline=(150, 30, 30)
                )
            else:
                up = 1 if row > 4 else -1
                points = [
                    (x - radius, y + up * radius),
                    (x + radius, y + up * radius),
                    (x + radius * 0.7, y - up * radius * 0.6),
                ]
                points += [(x, y - up * radius), (x - radius * 0.7, y - up * radius * 0.6)]
                sheet.pen.polygon(points, (250, 225, 170), outline=(90, 60, 30))
            sheet.write(
                (x, y), rng.choice("ЖФЮЩЯДЭЪ"), radius * 1.1, rng.choice(((150, 20, 20), (20, 20, 20)))
            )

    _paint_cells(sheet, columns, rows, place, paint)


def draughts(sheet: Sheet) -> None:
    rng = sheet.rng
    side = rng.choice((8, 8, 8, 10, 12))
    place = sheet.place_grid(side, side)
    light, dark = sheet.shade(190, 250), tuple(part // 2 for part in sheet.colour())
    colours = rng.choice(
        (((240, 230, 210), (40, 30, 30)), ((200, 30, 30), (20, 20, 20)), ((250, 250, 250), (180, 20, 20)))
    )
    share, has_rim = rng.uniform(0, 0.8), rng.random() < 0.7

    def paint(row, column, box):
        sheet.pen.rectangle(box, dark if (row + column) % 2 else light)
        if (row + column) % 2 and rng.random() < share:
            margin = place[2] * 0.12
            face = colours[row < side // 2]
            inner = _inset(box, margin)
            sheet.pen.ellipse(inner, face, outline=(90, 80, 70), width=max(1, int(place[2] * 0.05)))
            if has_rim:
                sheet.pen.ellipse(_inset(inner, margin), None, (120, 110, 100))

    _paint_cells(sheet, side, side, place, paint)


def reversi(sheet: Sheet) -> None:
    rng = sheet.rng
    place = sheet.place_grid(8, 8)
    left, top, cell_width, cell_height = place
    sheet.pen.rectangle(
        (left, top, left + 8 * cell_width, top + 8 * cell_height), (20, rng.randrange(90, 150), 50)
    )
    sheet.draw_grid(8, 8, place)
    share = rng.uniform(0.05, 1)

    def paint(row, column, box):
        if rng.random() < share:
            sheet.pen.ellipse(_inset(box, 0.1 * cell_width), rng.choice(((10, 10, 10), (245, 245, 245))))

    _paint_cells(sheet, 8, 8, place, paint)


def sliding_or_guessing_game(sheet: Sheet) -> None:
    rng = sheet.rng
    columns, rows = rng.choice(((4, 4), (5, 6), (5, 5), (3, 3), (6, 8)))
    place = sheet.place_grid(columns, rows)
    gap, faces = place[2] * 0.05, [sheet.colour() for _ in range(4)]
    has_numbers = columns == rows == 4

    def paint(row, column, box):
        sheet.pen.rounded_rectangle(_inset(box, gap), gap, rng.choice(faces))
        if rng.random() < 0.8:
            text = str(2 ** rng.randrange(1, 11)) if has_numbers else rng.choice(LETTERS)
            sheet.write(_middle(box), text, place[2] * (0.35 if has_numbers else 0.6))

    _paint_cells(sheet, columns, rows, place, paint)


def mines(sheet: Sheet) -> None:
    rng = sheet.rng
    columns, rows = rng.choice(((9, 9), (16, 16), (30, 16), (10, 10), (15, 15), (21, 21)))
    place = sheet.place_grid(columns, rows)
    open_share, closed_colour = rng.uniform(0.1, 0.9), sheet.shade(120, 220)

    def paint(row, column, box):
        if rng.random() < open_share:
            sheet.pen.rectangle(box, sheet.shade(180, 200))
            if rng.random() < 0.5:
                sheet.write(_middle(box), str(rng.randrange(1, 5)), place[2] * 0.6, sheet.colour())
        else:
            sheet.pen.rectangle(box, closed_colour)
            sheet.pen.line((box[0], box[3], box[0], box[1], box[2], box[1]), (250, 250, 250), 2)
            if rng.random() < 0.1:
                sheet.write(_middle(box), rng.choice("PX?"), place[2] * 0.6, (200, 0, 0))

    _paint_cells(sheet, columns, rows, place, paint)
    sheet.draw_grid(columns, rows, place)


def floor_plan(sheet: Sheet) -> None:
    rng, (width, height) = sheet.rng, sheet.size
    if rng.random() < 0.6:
        step = rng.randrange(10, 50)
        for x in range(0, width, step):
            sheet.pen.line((x, 0, x, height), sheet.shade(170, 210))
        for y in range(0, height, step):
            sheet.pen.line((0, y, width, y), sheet.shade(170, 210))
    for _ in range(rng.randrange(4, 14)):
        left, top = rng.randrange(width), rng.randrange(height)
        box = (left, top, left + rng.randrange(60, 400), top + rng.randrange(60, 400))
        sheet.pen.rectangle(box, None, sheet.ink, rng.randrange(2, 8))
        sheet.write(_middle(box), rng.choice(WORDS).title(), 18)


def heat_map(sheet: Sheet) -> None:
    rng = sheet.rng
    side = rng.choice((8, 12, 15, 15, 16, 21, 25, 29))
    place = sheet.place_grid(side, side)
    kind, base = rng.choice(("heat", "pixels", "code")), sheet.colour()

    def paint(row, column, box):
        if kind == "code":
            face: tuple[int, ...] = rng.choice(((0, 0, 0), (255, 255, 255)))
        elif kind == "heat":
            share = rng.random()
            face = tuple(round(part * share + 255 * (1 - share)) for part in base)
        else:
            face = sheet.colour()
        sheet.pen.rectangle(box, face)
        if kind == "heat" and place[2] > 26 and rng.random() < 0.8:
            sheet.write(_middle(box), str(rng.randrange(10)), place[2] * 0.4)

    _paint_cells(sheet, side, side, place, paint)


def plate_with_holes(sheet: Sheet) -> None:
    rng = sheet.rng
    columns, rows = rng.choice(((7, 6), (8, 8), (12, 4), (15, 15)))
    place = sheet.place_grid(columns, rows)
    left, top, cell_width, cell_height = place
    sheet.pen.rectangle((left, top, left + columns * cell_width, top + rows * cell_height), sheet.colour())
    faces = [sheet.colour(), sheet.colour(), sheet.ground]

    def paint(row, column, box):
        sheet.pen.ellipse(_inset(box, 0.1 * cell_width), rng.choice(faces))

    _paint_cells(sheet, columns, rows, place, paint)


KINDS = (
    page, table, spreadsheet, sudoku, nonogram, newspaper, word_search, calendar, keyboard, noise, photo, bricks, chat,
    icons, editor, go, shogi_or_xiangqi, draughts, reversi, sliding_or_guessing_game, mines, floor_plan, heat_map,
    plate_with_holes,
)  # fmt: skip


def boardless_picture(rng: random.Random, kind: Callable[[Sheet], None]) -> Image.Image:
    sheet = Sheet(rng)
    kind(sheet)
    picture = sheet.picture
    if rng.random() < 0.1:
        picture = picture.filter(ImageFilter.GaussianBlur(0.7))
    return as_jpeg(picture, rng.choice((60, 75, 90))) if rng.random() < 0.5 else picture
