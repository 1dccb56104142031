"""Draws synthetic boards with tiles of an English set on random squares. At most two tiles are blanks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from numpy.random import Generator
from PIL import Image, ImageDraw

from bot.domain.crossword.rules import load_distribution
from bot.sight.tiles import LETTERS
from training.sight.canvas import Canvas, Frame, brightness_of, contrasting_colour, surface_colour
from training.sight.crossword_boards import empty_board
from training.sight.degrading import Colour, degrade, mix
from training.sight.tiles import Style, draw_face, random_style

_BLANK_STYLES = ("lower", "ring", "frame", "valueless", "nought", "ink", "face", "italic")
"""Ways to show that a tile is a blank. With "nought", the points are written as 0."""
_TEXTURES = ("flat", "flat", "bevel", "gradient", "grain")


@dataclass(frozen=True, slots=True)
class PlayedBoard:
    """A picture of a board. For each tile: its square, its letter (0 for A), and whether it is a blank."""

    picture: Image.Image
    frame: Frame
    squares: tuple[int, ...]
    letters: tuple[int, ...]
    blanks: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class _Look:
    style: Style
    texture: str
    blank_styles: frozenset[str]
    blank_face: Colour | None
    blank_ink: Colour
    ring_gap: float
    """Distance of a ring or a frame from the edge of the tile, in squares. The line's width is a third of this distance, but
    at least one pixel."""
    ring_fill: Colour | None
    """The colour inside a ring, or None if rings are not filled."""
    slant: float
    """The shift of an italic letter per unit of height."""
    last_play_colour: Colour | None
    value_colours: tuple[Colour, ...]
    """Colours of tiles by points; empty if all tiles have the same colour."""

    def face(self, points: int) -> Colour | None:
        return (
            self.value_colours[min(points - 1, len(self.value_colours) - 1)]
            if self.value_colours
            else self.style.face
        )


def played_board(rng: Generator, font_files: Sequence[Path]) -> PlayedBoard:
    canvas, square_colours, base = empty_board(rng, font_files)
    look = _random_look(canvas, base)
    english = load_distribution("english")
    bag = [tile - 1 for tile, count in enumerate(english.counts) if tile for _ in range(count)]
    rng.shuffle(bag)
    count = int(4 + 94 * rng.random() ** 1.5)
    squares = sorted(rng.choice(len(square_colours), count, replace=False).tolist())
    blank_indexes = set(rng.choice(count, int(rng.choice((0, 1, 1, 2, 2))), replace=False).tolist())
    start = int(rng.integers(count))
    last_play = range(start, start + int(rng.integers(2, 8))) if look.last_play_colour else range(0)
    for number, (square, letter) in enumerate(zip(squares, bag, strict=False)):
        face = look.last_play_colour if number in last_play else look.face(english.points(letter + 1))
        value = str(english.points(letter + 1))
        _draw_tile(
            canvas,
            look,
            canvas.corner_of(square),
            (LETTERS[letter], value, number in blank_indexes, face, square_colours[square]),
        )
    return PlayedBoard(
        degrade(canvas.picture, rng),
        canvas.frame,
        tuple(squares),
        tuple(bag[:count]),
        tuple(number in blank_indexes for number in range(count)),
    )


def _random_look(canvas: Canvas, base: Colour) -> _Look:
    rng = canvas.rng
    style = random_style(canvas, base)
    possible_styles = [
        style_name
        for style_name in _BLANK_STYLES
        if style_name not in {"valueless", "nought"} or style.value_font is not None
    ]
    # Most programs that show points on tiles omit them on blanks, so this style is preferred here, and often added below.
    main_style = (
        "valueless"
        if style.value_font is not None and rng.random() < 0.35
        else str(rng.choice(possible_styles))
    )
    blank_styles = {main_style}
    if rng.random() < 0.5:
        blank_styles.add(str(rng.choice(possible_styles)))
    if (
        {"ring", "frame", "ink", "face", "lower"} & blank_styles
        and style.value_font is not None
        and rng.random() < 0.7
    ):
        blank_styles.add("valueless")
    value_colours: tuple[Colour, ...] = ()
    if style.face is not None and rng.random() < 0.25:
        value_colours = tuple(
            mix(style.face, surface_colour(rng), 0.6) for _ in range(int(rng.integers(3, 6)))
        )
        if rng.random() < 0.6:
            blank_styles.add("face")
    background = style.face or base
    blank_face = background
    while sum(abs(a - b) for a, b in zip(blank_face, background, strict=True)) < 70:
        blank_face = (
            surface_colour(rng)
            if rng.random() < 0.6
            else ((255, 255, 255), (190, 190, 190))[int(rng.integers(2))]
        )
    face = blank_face if "face" in blank_styles else style.face
    ink = style.ink
    if "face" in blank_styles:
        ink = contrasting_colour(rng, blank_face, 60)
    if "ink" in blank_styles:
        while sum(abs(a - b) for a, b in zip(ink, style.ink, strict=True)) < 130:
            ink = contrasting_colour(rng, face or base, 35)
    last_play_colour = surface_colour(rng) if rng.random() < 0.5 else None
    return _Look(
        style,
        str(rng.choice(_TEXTURES)),
        frozenset(blank_styles),
        face,
        ink,
        rng.uniform(0.04, 0.16),
        contrasting_colour(rng, background, 30) if rng.random() < 0.4 else None,
        rng.uniform(0.15, 0.3),
        last_play_colour,
        value_colours,
    )


def _draw_tile(
    canvas: Canvas, look: _Look, corner: tuple[int, int], tile: tuple[str, str, bool, Colour | None, Colour]
) -> None:
    """Draw a tile. ``tile`` contains its letter, its points, whether it is a blank, and the colours of its face and its square."""
    text, value, is_blank, face, background = tile
    pen, style, side, (x, y) = canvas.pen, look.style, look.style.side, corner
    blank_styles = look.blank_styles if is_blank else frozenset()
    ink = style.ink if face == style.face or face is None else readable_ink(face, style.ink)
    if is_blank:
        face = look.blank_face if "face" in blank_styles else face
        ink = look.blank_ink if {"ink", "face"} & blank_styles else ink
    letter_background = face or background
    if (
        abs(brightness_of(ink) - brightness_of(letter_background)) < 30
        and sum(abs(a - b) for a, b in zip(ink, letter_background, strict=True)) < 140
    ):
        ink = (0, 0, 0) if brightness_of(letter_background) > 127 else (255, 255, 255)
    draw_face(pen, style, corner, face, background)
    if face is not None:
        _draw_texture(canvas, look, corner, face)
    has_outline = bool({"ring", "frame"} & blank_styles)
    if has_outline:
        gap = look.ring_gap * side
        width = max(1, round(gap / 3))
        box = (x + gap, y + gap, x + side - 1 - gap, y + side - 1 - gap)
        if "ring" in blank_styles:
            pen.ellipse(box, look.ring_fill, outline=ink, width=width)
            if look.ring_fill is not None:
                ink = readable_ink(look.ring_fill, ink)
        else:
            pen.rectangle(box, outline=ink, width=width)
    font = (
        style.letter_font.font_variant(size=max(6, round(style.letter_font.size * 0.8)))
        if has_outline
        else style.letter_font
    )
    mask = Image.new("L", (side, side))
    middle = (
        (side * (0.5 + style.letter_offset[0]), side * (0.5 + style.letter_offset[1]))
        if not has_outline
        else (side / 2, side / 2)
    )
    ImageDraw.Draw(mask).text(
        middle, text.lower() if "lower" in blank_styles else text, 255, font, anchor="mm"
    )
    if "italic" in blank_styles:
        slant = (1, look.slant, -look.slant * side / 2, 0, 1, 0)
        mask = mask.transform((side, side), Image.Transform.AFFINE, slant, Image.Resampling.BICUBIC)
    canvas.picture.paste(ink, corner, mask)
    if style.value_font is not None and "valueless" not in blank_styles:
        value_position = (x + style.value_position[0] * side, y + style.value_position[1] * side)
        value_ink = style.value_ink if face == style.face and not is_blank else ink
        written_value = "0" if "nought" in blank_styles else value
        pen.text(value_position, written_value, value_ink, style.value_font, anchor="mm")


def readable_ink(face: Colour, ink: Colour) -> Colour:
    if abs(brightness_of(ink) - brightness_of(face)) >= 60:
        return ink
    return (0, 0, 0) if brightness_of(face) > 127 else (255, 255, 255)


def _draw_texture(canvas: Canvas, look: _Look, corner: tuple[int, int], face: Colour) -> None:
    (x, y), side, pen = corner, look.style.side, canvas.pen
    inset = round(look.style.inset * side) + 1
    left, top, right, bottom = x + inset, y + inset, x + side - 2 - inset, y + side - 2 - inset
    if look.texture == "bevel":
        pen.line((left, bottom, left, top, right, top), mix(face, (255, 255, 255), 0.35), 1 + side // 24)
        pen.line((left, bottom, right, bottom, right, top), mix(face, (0, 0, 0), 0.3), 1 + side // 24)
    elif look.texture != "flat":
        edge = round(look.style.radius * side / 2)
        for row in range(top + edge, bottom - edge):
            share = (row - y) / side - 0.5 if look.texture == "gradient" else canvas.rng.uniform(-0.5, 0.5)
            colour = mix(face, (0, 0, 0) if share > 0 else (255, 255, 255), abs(share) * 0.22)
            pen.line((left + 1, row, right - 1, row), colour)
