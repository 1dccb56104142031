"""Draws the tiles of synthetic boards, and marks their blanks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.random import Generator
from PIL import Image, ImageDraw, ImageFont

from bot.sight.tiles import LETTERS, LOWERCASE, LOWERCASE_OFFSET, OTHER_LETTER, RINGED
from training.sight.canvas import Canvas, brightness_of, contrasting_colour, surface_colour
from training.sight.characters import DIGITS, FOREIGN, QUESTION_MARK, class_of
from training.sight.degrading import Colour, mix, random_colour
from training.sight.fonts import supported_characters

_FOREIGN_LABELS = (*"ÄÖÜÅÆØÑÇÉŁÓŚŻÞÐÁŐ?", "QU", "CH", "LL")
"""Labels of tiles other than the letters A to Z."""
_UNCLASSED_CHARACTERS = (*"ÉÁÍÚÝÞÐŐŰÈÊËÎÏÔÀÂ", "CS", "GY", "SZ", "+", "×", "★", "●", "!", "&", "2W", "3L")
"""Characters without a class of their own: letters of other languages, and labels of bonus squares."""


@dataclass(frozen=True, slots=True)
class TileMix:
    """The mix of tiles on synthetic boards."""

    foreign_letters: float = 0.05
    """Share of tiles whose letter is outside A to Z."""
    lowercase_blanks: float = 0.3
    """Share of boards that show blanks as lowercase letters."""
    blanks: tuple[float, float] = (0.02, 0.35)
    """The lowest and the highest share of blanks among the tiles of a board."""
    all_characters: bool = False
    """Whether tiles without a letter from A to Z may show any character, including digits."""


PLAIN_TILES = TileMix()
CHARACTER_TILES = TileMix(foreign_letters=0.4, lowercase_blanks=0.8, blanks=(0.2, 0.6), all_characters=True)


@dataclass(frozen=True, slots=True)
class Style:
    """The appearance of one program's tiles. Lengths are fractions of a square's side, except :attr:`side`, which is in pixels."""

    side: int
    face: Colour | None
    """The tiles' colour, or None if they have no colour of their own."""
    ink: Colour
    inset: float
    """Distance of the tile from the edge of its square."""
    radius: float
    """Radius of the tile's corners."""
    relief: float
    """The darkness of the lower right edge, from 0 to 1; 0 for a flat tile."""
    letter_font: ImageFont.FreeTypeFont
    value_font: ImageFont.FreeTypeFont | None
    value_position: tuple[float, float]
    """The centre of the point value, measured from the upper left corner of the square."""
    value_ink: Colour
    letter_offset: tuple[float, float]
    """Offset of the letter from the middle."""
    rim: Colour | None
    """The colour of the outline, if any."""
    characters: tuple[str, ...]
    """The characters in ``FOREIGN`` and :data:`_UNCLASSED_CHARACTERS` that the font contains."""


def random_style(canvas: Canvas, base: Colour) -> Style:
    """Return a random tile style for a board whose squares mostly have the colour ``base``."""
    rng, font_files, side = canvas.rng, canvas.font_files, canvas.side
    file = font_files[int(rng.integers(len(font_files)))]
    is_faceless = rng.random() < 0.12
    face = None if is_faceless else surface_colour(rng)
    while face is not None and sum(abs(a - b) for a, b in zip(face, base, strict=True)) < 30:
        face = random_colour(rng)
    ink = contrasting_colour(rng, face or base, 70)
    has_values = rng.random() < 0.62
    size = side * rng.uniform(0.5, 0.88 if not has_values else 0.78)
    positions = (
        (0.83, 0.8),
        (0.85, 0.2),
        (0.17, 0.82),
        (0.78, 0.78),
        (0.9, 0.87),
        (0.12, 0.88),
        (0.81, 0.73),
    )
    # In some programs, points are so large that they touch the letters.
    value_size = side * (rng.uniform(0.3, 0.5) if rng.random() < 0.3 else rng.uniform(0.18, 0.33))
    value_file = file if rng.random() < 0.6 else font_files[int(rng.integers(len(font_files)))]
    return Style(
        side,
        face,
        ink,
        float(rng.choice((0, 0, rng.uniform(0, 0.08)))),
        float(rng.choice((0, rng.uniform(0, 0.3)))),
        float(rng.choice((0, 0, rng.uniform(0.05, 0.4)))),
        ImageFont.truetype(file, max(7, round(size))),
        ImageFont.truetype(value_file, max(5, round(value_size))) if has_values else None,
        positions[int(rng.integers(len(positions)))],
        ink if rng.random() < 0.7 else contrasting_colour(rng, face or base, 50),
        (rng.normal(0, 0.03), rng.normal(-0.02 if has_values else 0, 0.04)),
        mix(face, (0, 0, 0), rng.uniform(0.2, 0.7)) if face is not None and rng.random() < 0.35 else None,
        supported_characters(file, (*FOREIGN, *_UNCLASSED_CHARACTERS)),
    )


@dataclass(frozen=True, slots=True)
class _BlankStyle:
    """The look of a program's blanks. Lengths are in squares."""

    is_lowercase: bool
    has_ring: bool
    has_frame: bool
    is_valueless: bool
    face: Colour | None
    ink: Colour
    mark: Colour
    """The colour of a frame, or of a ring without a disc."""
    disc: Colour | None
    """The colour inside a ring, or None if rings are not filled. Letters on it have the colour :attr:`disc_ink`."""
    disc_ink: Colour
    tilt: float
    """Maximum rotation of letters in rings and frames, in degrees."""
    gap: float
    """Distance of the ring or the frame from the edge of the square."""
    width: float
    """Line width of the ring or the frame."""
    size: float
    """Font size of a letter in a ring or a frame."""
    corner_radius: float
    """Radius of a frame's corners."""


def _random_blank_style(rng: Generator, style: Style, background: Colour, tile_mix: TileMix) -> _BlankStyle:
    is_lowercase, has_ring, has_frame, is_valueless, has_own_ink, has_own_face = (
        rng.random() < probability for probability in (tile_mix.lowercase_blanks, 0.3, 0.6, 0.65, 0.4, 0.25)
    )
    blank_face = surface_colour(rng) if has_own_face else style.face
    disc = contrasting_colour(rng, blank_face or background, 30) if rng.random() < 0.65 else None
    # A mark in the tile's own colour would be invisible, and the network would learn to take plain tiles for blanks.
    mark = style.ink if rng.random() < 0.6 else contrasting_colour(rng, blank_face or background, 40)
    gap = rng.uniform(0.03, 0.16) if has_ring else rng.uniform(0.04, 0.24)
    return _BlankStyle(
        is_lowercase,
        has_ring,
        has_frame and not has_ring,
        is_valueless or (has_frame and rng.random() < 0.6),
        blank_face,
        contrasting_colour(rng, blank_face or background, 45) if has_own_ink or has_own_face else style.ink,
        mark,
        disc,
        contrasting_colour(rng, disc or background, 70),
        rng.uniform(0, 25) if rng.random() < 0.4 else 0.0,
        gap,
        rng.uniform(0.02, 0.09),
        rng.uniform(0.42, 0.62) if has_ring else rng.uniform(0.6, 0.95) * (1 - 2 * gap),
        rng.uniform(0, 0.15) if rng.random() < 0.4 else 0.0,
    )


def draw_tiles(
    canvas: Canvas, style: Style, square_colours: Sequence[Colour], tile_mix: TileMix
) -> tuple[list[int], list[int], list[int]]:
    """Draw tiles on random squares. Return the class, the style and the character of each square."""
    pen, rng = canvas.pen, canvas.rng
    filled_share = rng.uniform(0.2, 0.6)
    blank_share = rng.uniform(*tile_mix.blanks)
    blank_style = _random_blank_style(rng, style, square_colours[0], tile_mix)
    highlight_share = rng.uniform(0, 0.2) if rng.random() < 0.5 else 0.0
    has_only_lowercase = rng.random() < 0.04
    highlight_face = None if style.face is None and rng.random() < 0.3 else surface_colour(rng)
    highlight_ink = style.ink if highlight_face is None else contrasting_colour(rng, highlight_face, 70)
    classes, tile_styles, characters = [], [], []
    for index, background in enumerate(square_colours):
        if rng.random() >= filled_share:
            classes.append(0)
            tile_styles.append(0)
            characters.append(0)
            continue
        letter_class = (
            int(rng.integers(1, OTHER_LETTER)) if rng.random() > tile_mix.foreign_letters else OTHER_LETTER
        )
        text = (
            LETTERS[letter_class - 1] if letter_class < OTHER_LETTER else _other_label(rng, style, tile_mix)
        )
        is_blank = bool(rng.random() < blank_share)
        face, ink = (
            (highlight_face, highlight_ink) if rng.random() < highlight_share else (style.face, style.ink)
        )
        tile_style = 0
        if is_blank:
            face, ink = blank_style.face, blank_style.ink
            tile_style |= RINGED if blank_style.has_ring or blank_style.has_frame else 0
        character = class_of(text)
        if ((is_blank and blank_style.is_lowercase) or has_only_lowercase) and character < QUESTION_MARK:
            text = text.lower()
            tile_style |= LOWERCASE
            character += LOWERCASE_OFFSET if letter_class < OTHER_LETTER else 0
        corner = canvas.corner_of(index)
        draw_face(pen, style, corner, face, background)
        if face is None and abs(brightness_of(ink) - brightness_of(background)) < 40:
            ink = (0, 0, 0) if brightness_of(background) > 127 else (255, 255, 255)
        if tile_style & RINGED:
            _draw_marked_letter(canvas, style, blank_style, corner, (text, ink))
        else:
            _draw_plain_letter(canvas, style, corner, (text, ink))
        if style.value_font is not None and not (is_blank and blank_style.is_valueless):
            value = str(int(rng.choice((1, 1, 1, 2, 3, 4, 5, 8, 10))))
            position = (
                corner[0] + style.value_position[0] * style.side,
                corner[1] + style.value_position[1] * style.side,
            )
            pen.text(
                position, value, style.value_ink if face == style.face else ink, style.value_font, anchor="mm"
            )
        classes.append(letter_class)
        tile_styles.append(tile_style)
        characters.append(character)
    return classes, tile_styles, characters


def _other_label(rng: Generator, style: Style, tile_mix: TileMix) -> str:
    if not tile_mix.all_characters:
        return str(_FOREIGN_LABELS[int(rng.integers(len(_FOREIGN_LABELS)))])
    kind = rng.random()
    if kind < 0.2:
        return DIGITS[int(rng.integers(len(DIGITS)))]
    if kind < 0.26 or not style.characters:
        return "?"
    possible_characters = [
        character for character in style.characters if (character in FOREIGN) == (kind < 0.9)
    ]
    return possible_characters[int(rng.integers(len(possible_characters)))] if possible_characters else "?"


def draw_face(
    pen: ImageDraw.ImageDraw, style: Style, corner: tuple[int, int], face: Colour | None, background: Colour
) -> None:
    (x, y), side = corner, style.side
    if face is None:
        # The square's colour remains visible, but its label is covered.
        pen.rectangle((x + 2, y + 2, x + side - 4, y + side - 4), background)
        return
    inset = style.inset * side
    box = (x + inset, y + inset, x + side - 1 - inset, y + side - 1 - inset)
    if style.relief:
        pen.rounded_rectangle(
            (box[0], box[1], box[2], box[3] + 1), style.radius * side, mix(face, (0, 0, 0), style.relief)
        )
        box = (box[0], box[1], box[2] - max(1, side // 24), box[3] - max(1, side // 16))
    pen.rounded_rectangle(box, style.radius * side, face, outline=style.rim)


def _draw_plain_letter(
    canvas: Canvas, style: Style, corner: tuple[int, int], letter: tuple[str, Colour]
) -> None:
    pen, rng = canvas.pen, canvas.rng
    text, ink = letter
    font = style.letter_font
    if len(text) > 1:
        font = font.font_variant(size=max(6, round(font.size * 0.72)))
    middle = (
        corner[0] + style.side * (0.5 + style.letter_offset[0]),
        corner[1] + style.side * (0.5 + style.letter_offset[1]),
    )
    if rng.random() < 0.5:
        pen.text(middle, text, ink, font, anchor="mm")
    else:
        # Centre the ink of the letter. The anchor would centre its font metrics.
        left, top, right, bottom = font.getbbox(text)
        pen.text((middle[0] - (left + right) / 2, middle[1] - (top + bottom) / 2), text, ink, font)


def _draw_marked_letter(
    canvas: Canvas,
    style: Style,
    blank_style: _BlankStyle,
    corner: tuple[int, int],
    letter: tuple[str, Colour],
) -> None:
    pen, rng, side = canvas.pen, canvas.rng, canvas.side
    text, ink = letter
    gap, width = blank_style.gap * side, max(1, round(blank_style.width * side))
    box = (corner[0] + gap, corner[1] + gap, corner[0] + side - 1 - gap, corner[1] + side - 1 - gap)
    if blank_style.has_ring:
        pen.ellipse(box, blank_style.disc, outline=blank_style.disc or blank_style.mark, width=width)
    else:
        pen.rounded_rectangle(box, blank_style.corner_radius * side, outline=blank_style.mark, width=width)
    font = style.letter_font.font_variant(size=max(6, round(side * blank_style.size)))
    mask = Image.new("L", (side, side))
    ImageDraw.Draw(mask).text((side / 2, side / 2), text, 255, font, anchor="mm")
    if blank_style.tilt:
        mask = mask.rotate(rng.uniform(-blank_style.tilt, blank_style.tilt), Image.Resampling.BICUBIC)
    canvas.picture.paste(
        blank_style.disc_ink if blank_style.has_ring and blank_style.disc else ink, corner, mask
    )
