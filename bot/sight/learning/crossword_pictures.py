"""Made-up pictures of crossword boards whose squares are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from bot.sight.crossword import LETTERS, LOWER, MARKED, OTHER
from bot.sight.learning.spoiling import Colour, Random, colour, mixed, spoil

_ROWS = 15
_OTHERS = (
    "Ä",
    "Ö",
    "Ü",
    "Å",
    "Æ",
    "Ø",
    "Ñ",
    "Ç",
    "É",
    "Ł",
    "Ó",
    "Ś",
    "Ż",
    "Þ",
    "Ð",
    "Á",
    "QU",
    "CH",
    "LL",
    "?",
    "Ő",
)
_LABELS = (
    ("2L", "3L", "2W", "3W"),
    ("DL", "TL", "DW", "TW"),
    ("DLS", "TLS", "DWS", "TWS"),
    ("2×L", "3×L", "2×W", "3×W"),
    ("L2", "L3", "W2", "W3"),
    ("2×", "3×", "2×", "3×"),
    ("DOUBLE\nLETTER\nSCORE", "TRIPLE\nLETTER\nSCORE", "DOUBLE\nWORD\nSCORE", "TRIPLE\nWORD\nSCORE"),
    ("'", '"', "-", "="),
)
"""What programs write on bonus squares."""
_CENTRES = ("★", "✦", "◆", "●", "*", "+")


@dataclass(frozen=True, slots=True)
class Made:
    """A picture and what is on it, row by row from the upper left."""

    picture: Image.Image
    left: float
    top: float
    side: float
    classes: list[int]
    """0 for an empty square, then :data:`LETTERS`, then :data:`OTHER`."""
    ways: list[int]
    """Sums of :data:`LOWER` and :data:`MARKED`; 0 for an empty square."""
    bonus: list[bool]


@dataclass(frozen=True, slots=True)
class _Canvas:
    """Where a board is drawn: its squares' side and the width around them, in pixels."""

    picture: Image.Image
    random: Random
    files: Sequence[Path]
    side: int
    margin: int

    @property
    def pen(self) -> ImageDraw.ImageDraw:
        """What draws on it."""
        return ImageDraw.Draw(self.picture)

    def font(self, size: float) -> ImageFont.FreeTypeFont:
        """Return a font by chance."""
        file = self.files[int(self.random.integers(len(self.files)))]
        return ImageFont.truetype(file, max(5, round(size)))

    def at(self, index: int) -> tuple[int, int]:
        """Return the upper left corner of a square."""
        row, column = divmod(index, _ROWS)
        return self.margin + column * self.side, self.margin + row * self.side


@dataclass(frozen=True, slots=True)
class _Style:
    """How one made-up program draws its tiles."""

    side: int
    face: Colour | None
    """None where tiles have no face of their own."""
    ink: Colour
    inset: float
    radius: float
    relief: float
    letter: ImageFont.FreeTypeFont
    value: ImageFont.FreeTypeFont | None
    value_at: tuple[float, float]
    value_ink: Colour
    lift: tuple[float, float]
    """How far the letter stands from the middle, in squares."""
    rim: Colour | None


@cache
def fonts(packages: Path) -> tuple[Path, ...]:
    """Return the upright fonts under ``packages`` that hold the Latin letters, in order."""
    found = (path for ending in ("*.ttf", "*.otf", "*.t1") for path in packages.rglob(ending))
    return tuple(path for path in sorted(found) if _is_of_use(path))


def _is_of_use(path: Path) -> bool:
    if any(
        part in path.stem
        for part in ("Italic", "Oblique", "Symbols", "Math", "Emoji", "Black-", "-Thin", "Hairline")
    ):
        return False
    try:
        font = ImageFont.truetype(path, 24)
        missing = font.getmask("\uffff")
        masks = [bytes(font.getmask(sign)) for sign in (*LETTERS, *LETTERS.lower(), *"0123456789")]
    except OSError:
        return False
    return bytes(missing) not in masks and len(set(masks)) >= 55 and all(any(mask) for mask in masks)


def crossword_picture(random: Random, files: Sequence[Path]) -> Made:
    """Return a picture of a board with letters by chance, in the fonts of ``files``."""
    side = int(random.choice((random.integers(12, 20), random.integers(16, 30), random.integers(24, 50))))
    margin = int(side * random.uniform(0.3, 1.3))
    base = _soft(random)
    ground = colour(random) if random.random() < 0.5 else mixed(base, (0, 0, 0), random.uniform(0, 0.5))
    size = _ROWS * side + 2 * margin
    canvas = _Canvas(Image.new("RGB", (size, size), ground), random, files, side, margin)
    style = _style(canvas, base)
    bonus, shades = _squares(canvas, base)
    classes, ways = _tiles(canvas, style, shades)
    if random.random() < 0.6:
        _coordinates(canvas, ground)
    picture = spoil(canvas.picture, random)
    return Made(picture, float(margin), float(margin), float(side), classes, ways, bonus)


def _soft(random: Random) -> Colour:
    """Return a colour as boards have: pale, dark, or any."""
    kind = random.random()
    if kind < 0.4:
        return mixed(colour(random), (255, 255, 255), random.uniform(0.5, 1))
    if kind < 0.6:
        return mixed(colour(random), (0, 0, 0), random.uniform(0.4, 0.95))
    return colour(random)


def _apart(random: Random, from_: Colour, least: int) -> Colour:
    """Return a colour that is clearly brighter or darker than another."""
    for _ in range(60):
        kind = random.random()
        found = (
            ((0, 0, 0), (255, 255, 255), (40, 40, 40))[int(random.integers(3))]
            if kind < 0.4
            else colour(random)
        )
        if abs(_shade(found) - _shade(from_)) >= least:
            return found
    return (0, 0, 0) if _shade(from_) > 127 else (255, 255, 255)


def _shade(one: Colour) -> float:
    red, green, blue = one
    return 0.3 * red + 0.59 * green + 0.11 * blue


def _style(canvas: _Canvas, base: Colour) -> _Style:
    random, files, side = canvas.random, canvas.files, canvas.side
    file = files[int(random.integers(len(files)))]
    faceless = random.random() < 0.12
    face = None if faceless else _soft(random)
    while face is not None and sum(abs(a - b) for a, b in zip(face, base, strict=True)) < 30:
        face = colour(random)
    ink = _apart(random, face or base, 70)
    valued = random.random() < 0.62
    size = side * random.uniform(0.5, 0.88 if not valued else 0.78)
    places = ((0.83, 0.8), (0.85, 0.2), (0.17, 0.82), (0.78, 0.78), (0.9, 0.87), (0.12, 0.88))
    value_file = file if random.random() < 0.6 else files[int(random.integers(len(files)))]
    return _Style(
        side,
        face,
        ink,
        float(random.choice((0, 0, random.uniform(0, 0.08)))),
        float(random.choice((0, random.uniform(0, 0.3)))),
        float(random.choice((0, 0, random.uniform(0.05, 0.4)))),
        ImageFont.truetype(file, max(7, round(size))),
        ImageFont.truetype(value_file, max(5, round(side * random.uniform(0.18, 0.33)))) if valued else None,
        places[int(random.integers(len(places)))],
        ink if random.random() < 0.7 else _apart(random, face or base, 50),
        (random.normal(0, 0.03), random.normal(-0.02 if valued else 0, 0.04)),
        mixed(face, (0, 0, 0), random.uniform(0.2, 0.7))
        if face is not None and random.random() < 0.35
        else None,
    )


def _squares(canvas: _Canvas, base: Colour) -> tuple[list[bool], list[Colour]]:
    """Draw the empty board; return which squares are bonus squares, and the colours of all."""
    pen, random, side, margin = canvas.pen, canvas.random, canvas.side, canvas.margin
    line = (
        _apart(random, base, 12)
        if random.random() < 0.5
        else mixed(base, (0, 0, 0), random.uniform(0.05, 0.5))
    )
    gap = int(random.choice((0, 1, 1, 1, 2, max(1, side // 12))))
    radius = side * random.uniform(0, 0.25) if random.random() < 0.25 else 0
    bevel = random.random() < 0.15
    pen.rectangle(
        (margin - gap, margin - gap, margin + _ROWS * side, margin + _ROWS * side), line if gap else base
    )
    shades = [_soft(random) if random.random() < 0.3 else colour(random) for _ in range(4)]
    if random.random() < 0.25:
        shades = [mixed(base, shade, random.uniform(0.15, 0.5)) for shade in shades]
    labels = _LABELS[int(random.integers(len(_LABELS)))]
    labelled = random.random() < 0.65
    small = "\n" in labels[0]
    font = canvas.font(side * (random.uniform(0.16, 0.22) if small else random.uniform(0.25, 0.6)))
    soft = random.random() < 0.4
    share = random.uniform(0.15, 0.4)
    centre = random.random()
    bonus, grounds = [], []
    for index in range(_ROWS * _ROWS):
        x, y = canvas.at(index)
        is_bonus = bool(random.random() < share) or (index == 112 and centre < 0.7)
        kind = int(random.integers(4))
        shade = shades[kind] if is_bonus else base
        box = (x, y, x + side - 1 - gap, y + side - 1 - gap)
        if radius:
            pen.rounded_rectangle(box, radius, shade)
        else:
            pen.rectangle(box, shade)
        if bevel:
            pen.line((x, y, x + side - gap, y), mixed(shade, (255, 255, 255), 0.5))
            pen.line((x, y, x, y + side - gap), mixed(shade, (255, 255, 255), 0.5))
        if is_bonus and (labelled or index == 112):
            ink = mixed(
                shade,
                (255, 255, 255) if _shade(shade) < 128 else (0, 0, 0),
                random.uniform(0.15, 0.5) if soft else 0.9,
            )
            text = labels[kind]
            if index == 112 and centre < 0.5:
                text = _CENTRES[int(random.integers(len(_CENTRES)))]
            # Words on a bonus square stand in three lines.
            lines = text.split("\n")
            for number, part in enumerate(lines):
                below = (number - (len(lines) - 1) / 2) * font.size * 1.05
                pen.text((x + side / 2, y + side / 2 + below), part, ink, font, anchor="mm")
        bonus.append(is_bonus)
        grounds.append(shade)
    return bonus, grounds


@dataclass(frozen=True, slots=True)
class _Blanks:
    """How one made-up program draws its blanks."""

    lower: bool
    ring: bool
    frame: bool
    valueless: bool
    face: Colour | None
    ink: Colour
    mark: Colour
    """The colour of the ring or the frame."""
    disc: Colour | None
    """What fills the ring, with letters of :attr:`disc_ink` on it; None where nothing does."""
    disc_ink: Colour
    tilt: float
    """How far letters in rings may be turned, in degrees."""
    gap: float
    """How far the ring or the frame is from the edge of the square, in squares."""
    size: float
    """How large a marked letter is, in squares."""


def _blank_style(random: Random, style: _Style, ground: Colour) -> _Blanks:
    lower, ring, frame, valueless, ink, face = (
        random.random() < share for share in (0.35, 0.3, 0.35, 0.65, 0.4, 0.25)
    )
    blank_face = _soft(random) if face else style.face
    disc = _apart(random, blank_face or ground, 30) if random.random() < 0.65 else None
    return _Blanks(
        lower,
        ring,
        frame and not ring,
        valueless,
        blank_face,
        _apart(random, blank_face or ground, 45) if ink or face else style.ink,
        style.ink if random.random() < 0.5 else colour(random),
        disc,
        _apart(random, disc or ground, 70),
        random.uniform(0, 25) if random.random() < 0.4 else 0.0,
        random.uniform(0.03, 0.16) if ring else random.uniform(0.05, 0.22),
        random.uniform(0.42, 0.62),
    )


def _tiles(canvas: _Canvas, style: _Style, grounds: Sequence[Colour]) -> tuple[list[int], list[int]]:
    """Draw tiles on some squares; return their classes and how they are written."""
    pen, random = canvas.pen, canvas.random
    full = random.uniform(0.2, 0.6)
    share = random.uniform(0.02, 0.35)
    blanks = _blank_style(random, style, grounds[0])
    moved = random.uniform(0, 0.2) if random.random() < 0.5 else 0.0
    all_lower = random.random() < 0.04
    moved_face = None if style.face is None and random.random() < 0.3 else _soft(random)
    moved_ink = style.ink if moved_face is None else _apart(random, moved_face, 70)
    classes, ways = [], []
    for index, ground in enumerate(grounds):
        if random.random() >= full:
            classes.append(0)
            ways.append(0)
            continue
        number = int(random.integers(1, OTHER)) if random.random() > 0.05 else OTHER
        text = LETTERS[number - 1] if number < OTHER else _OTHERS[int(random.integers(len(_OTHERS)))]
        blank = bool(random.random() < share)
        face, ink = (moved_face, moved_ink) if random.random() < moved else (style.face, style.ink)
        way = 0
        if blank:
            face, ink = blanks.face, blanks.ink
            way |= MARKED if blanks.ring or blanks.frame else 0
        if (blank and blanks.lower) or all_lower:
            text = text.lower()
            way |= LOWER
        at = canvas.at(index)
        _face(pen, style, at, face, ground)
        if face is None and abs(_shade(ink) - _shade(ground)) < 40:
            ink = (0, 0, 0) if _shade(ground) > 127 else (255, 255, 255)
        if way & MARKED:
            _marked(canvas, style, blanks, at, (text, ink))
        else:
            _plain(canvas, style, at, (text, ink))
        if style.value is not None and not (blank and blanks.valueless):
            worth = str(int(random.choice((1, 1, 1, 2, 3, 4, 5, 8, 10))))
            place = (at[0] + style.value_at[0] * style.side, at[1] + style.value_at[1] * style.side)
            pen.text(place, worth, style.value_ink if face == style.face else ink, style.value, anchor="mm")
        classes.append(number)
        ways.append(way)
    return classes, ways


def _face(
    pen: ImageDraw.ImageDraw, style: _Style, at: tuple[int, int], face: Colour | None, ground: Colour
) -> None:
    """Draw a tile without its letter."""
    (x, y), side = at, style.side
    if face is None:
        # Its square's colour stays, what was written on it does not.
        pen.rectangle((x + 2, y + 2, x + side - 4, y + side - 4), ground)
        return
    inset = style.inset * side
    box = (x + inset, y + inset, x + side - 1 - inset, y + side - 1 - inset)
    if style.relief:
        pen.rounded_rectangle(
            (box[0], box[1], box[2], box[3] + 1), style.radius * side, mixed(face, (0, 0, 0), style.relief)
        )
        box = (box[0], box[1], box[2] - max(1, side // 24), box[3] - max(1, side // 16))
    pen.rounded_rectangle(box, style.radius * side, face, outline=style.rim)


def _plain(canvas: _Canvas, style: _Style, at: tuple[int, int], letter: tuple[str, Colour]) -> None:
    pen, random = canvas.pen, canvas.random
    text, ink = letter
    font = style.letter
    if len(text) > 1:
        font = font.font_variant(size=max(6, round(font.size * 0.72)))
    middle = (at[0] + style.side * (0.5 + style.lift[0]), at[1] + style.side * (0.5 + style.lift[1]))
    if random.random() < 0.5:
        pen.text(middle, text, ink, font, anchor="mm")
    else:
        # Centred by what is seen of the letter, not by the font's own lines.
        left, top, right, bottom = font.getbbox(text)
        pen.text((middle[0] - (left + right) / 2, middle[1] - (top + bottom) / 2), text, ink, font)


def _marked(
    canvas: _Canvas, style: _Style, blanks: _Blanks, at: tuple[int, int], letter: tuple[str, Colour]
) -> None:
    """Draw a blank's letter in a ring, a disc or a frame."""
    pen, random, side = canvas.pen, canvas.random, canvas.side
    text, ink = letter
    gap, width = blanks.gap * side, max(1, round(side * random.uniform(0.03, 0.07)))
    box = (at[0] + gap, at[1] + gap, at[0] + side - 1 - gap, at[1] + side - 1 - gap)
    if blanks.ring:
        pen.ellipse(box, blanks.disc, outline=blanks.disc or blanks.mark, width=width)
    else:
        pen.rectangle(box, outline=blanks.mark, width=width)
    font = style.letter.font_variant(size=max(6, round(side * blanks.size)))
    mask = Image.new("L", (side, side))
    ImageDraw.Draw(mask).text((side / 2, side / 2), text, 255, font, anchor="mm")
    if blanks.tilt:
        mask = mask.rotate(random.uniform(-blanks.tilt, blanks.tilt), Image.Resampling.BICUBIC)
    canvas.picture.paste(blanks.disc_ink if blanks.ring and blanks.disc else ink, at, mask)


def _coordinates(canvas: _Canvas, ground: Colour) -> None:
    pen, random, side, margin = canvas.pen, canvas.random, canvas.side, canvas.margin
    font = canvas.font(min(margin * 0.8, side * random.uniform(0.3, 0.6)))
    ink = _apart(random, ground, 60)
    for number in range(_ROWS):
        middle = margin + (number + 0.5) * side
        pen.text((middle, margin / 2), LETTERS[number], ink, font, anchor="mm")
        pen.text((margin / 2, middle), str(number + 1), ink, font, anchor="mm")


def squares_to_learn(made: Made, random: Random) -> Iterator[int]:
    """Yield the squares of a picture to learn from: those with tiles, and as many of the empty ones."""
    tiles = [square for square, number in enumerate(made.classes) if number]
    empty = [square for square, number in enumerate(made.classes) if not number]
    # What may be taken for a letter is what stands on bonus squares.
    weights = np.array([3.0 if made.bonus[square] else 1.0 for square in empty])
    yield from tiles
    count = min(len(empty), len(tiles) // 2 + 4)
    yield from (int(one) for one in random.choice(empty, count, replace=False, p=weights / weights.sum()))
