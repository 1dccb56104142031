"""Synthetic boards that look like boards of real games: the usual letters with their values, and at most two blanks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw

from bot.domain.crossword.rules import load_distribution
from bot.sight.tiles import LETTERS
from training.sight.canvas import Canvas, Frame, distant_colour, shade_of, soft_colour
from training.sight.crossword_boards import empty_board
from training.sight.spoiling import Colour, Random, mix, spoil
from training.sight.tiles import Style, draw_face, style_of

_BLANK_STYLES = ("lower", "ring", "frame", "valueless", "nought", "ink", "face", "italic")
"""Ways in which programs show that a tile is a blank. With "nought", the value is written as 0."""
_TEXTURES = ("flat", "flat", "bevel", "gradient", "grain")
_LAST_PLAY_HIGHLIGHT_SHARE = 0.5
_VALUE_COLOURED_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class PlayedBoard:
    """A picture of a board, and for each tile its square, its letter (from 0), and whether it is a blank."""

    picture: Image.Image
    frame: Frame
    squares: tuple[int, ...]
    letters: tuple[int, ...]
    blanks: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class _Program:
    style: Style
    texture: str
    blank_styles: frozenset[str]
    blank_face: Colour | None
    blank_ink: Colour
    ring: float
    """The distance of a ring or a frame from the edge, in squares. The line's width is a third of this distance, but at least one pixel."""
    filled: Colour | None
    """The colour inside a ring; None if it is not filled."""
    slant: float
    """The shift of an italic letter per unit of height."""
    last_play_colour: Colour | None
    value_colours: tuple[Colour, ...]
    """Empty if tiles have one colour."""

    def face(self, points: int) -> Colour | None:
        """Return the colour of a tile, given its value."""
        return (
            self.value_colours[min(points - 1, len(self.value_colours) - 1)]
            if self.value_colours
            else self.style.face
        )


def played_board(random: Random, files: Sequence[Path]) -> PlayedBoard:
    """Return a board with random letters, in the fonts of ``files``."""
    canvas, grounds, base = empty_board(random, files)
    program = _program(canvas, base)
    english = load_distribution("english")
    bag = [tile - 1 for tile, count in enumerate(english.counts) if tile for _ in range(count)]
    random.shuffle(bag)
    count = int(4 + 94 * random.random() ** 1.5)
    squares = sorted(random.choice(len(grounds), count, replace=False).tolist())
    blank_numbers = set(random.choice(count, int(random.choice((0, 1, 1, 2, 2))), replace=False).tolist())
    start = int(random.integers(count))
    last_play = range(start, start + int(random.integers(2, 8))) if program.last_play_colour else range(0)
    for number, (square, letter) in enumerate(zip(squares, bag, strict=False)):
        face = program.last_play_colour if number in last_play else program.face(english.points(letter + 1))
        value = str(english.points(letter + 1))
        _draw(
            canvas,
            program,
            canvas.at(square),
            (LETTERS[letter], value, number in blank_numbers, face, grounds[square]),
        )
    return PlayedBoard(
        spoil(canvas.picture, random),
        canvas.frame,
        tuple(squares),
        tuple(bag[:count]),
        tuple(number in blank_numbers for number in range(count)),
    )


def _program(canvas: Canvas, base: Colour) -> _Program:
    random = canvas.random
    style = style_of(canvas, base)
    possible = [
        style_name
        for style_name in _BLANK_STYLES
        if style_name not in {"valueless", "nought"} or style.value is not None
    ]
    # Most programs that write values leave out the value of a blank.
    first = (
        "valueless" if style.value is not None and random.random() < 0.35 else str(random.choice(possible))
    )
    blank_styles = {first}
    if random.random() < 0.5:
        blank_styles.add(str(random.choice(possible)))
    if (
        {"ring", "frame", "ink", "face", "lower"} & blank_styles
        and style.value is not None
        and random.random() < 0.7
    ):
        blank_styles.add("valueless")
    value_colours: tuple[Colour, ...] = ()
    if style.face is not None and random.random() < _VALUE_COLOURED_SHARE:
        value_colours = tuple(
            mix(style.face, soft_colour(random), 0.6) for _ in range(int(random.integers(3, 6)))
        )
        if random.random() < 0.6:
            blank_styles.add("face")
    ground = style.face or base
    blank_face = ground
    while sum(abs(a - b) for a, b in zip(blank_face, ground, strict=True)) < 70:
        blank_face = (
            soft_colour(random)
            if random.random() < 0.6
            else ((255, 255, 255), (190, 190, 190))[int(random.integers(2))]
        )
    face = blank_face if "face" in blank_styles else style.face
    ink = style.ink
    if "face" in blank_styles:
        ink = distant_colour(random, blank_face, 60)
    if "ink" in blank_styles:
        while sum(abs(a - b) for a, b in zip(ink, style.ink, strict=True)) < 130:
            ink = distant_colour(random, face or base, 35)
    last_play_colour = soft_colour(random) if random.random() < _LAST_PLAY_HIGHLIGHT_SHARE else None
    return _Program(
        style,
        str(random.choice(_TEXTURES)),
        frozenset(blank_styles),
        face,
        ink,
        random.uniform(0.04, 0.16),
        distant_colour(random, ground, 30) if random.random() < 0.4 else None,
        random.uniform(0.15, 0.3),
        last_play_colour,
        value_colours,
    )


def _draw(
    canvas: Canvas, program: _Program, at: tuple[int, int], tile: tuple[str, str, bool, Colour | None, Colour]
) -> None:
    """Draw a tile, given its letter, its value, whether it is a blank, the colour of its face, and the colour of the square."""
    text, value, is_blank, face, ground = tile
    pen, style, side = canvas.pen, program.style, program.style.side
    blank_styles = program.blank_styles if is_blank else frozenset()
    ink = style.ink if face == style.face or face is None else readable(face, style.ink)
    if is_blank:
        face = program.blank_face if "face" in blank_styles else face
        ink = program.blank_ink if {"ink", "face"} & blank_styles else ink
    below = face or ground
    if (
        abs(shade_of(ink) - shade_of(below)) < 30
        and sum(abs(a - b) for a, b in zip(ink, below, strict=True)) < 140
    ):
        ink = (0, 0, 0) if shade_of(below) > 127 else (255, 255, 255)
    draw_face(pen, style, at, face, ground)
    if face is not None:
        _texture(canvas, program, at, face)
    around = bool({"ring", "frame"} & blank_styles)
    if around:
        gap = program.ring * side
        box = (at[0] + gap, at[1] + gap, at[0] + side - 1 - gap, at[1] + side - 1 - gap)
        width = max(1, round(gap / 3))
        if "ring" in blank_styles:
            pen.ellipse(box, program.filled, outline=ink, width=width)
            if program.filled is not None:
                ink = readable(program.filled, ink)
        else:
            pen.rectangle(box, outline=ink, width=width)
    font = style.letter.font_variant(size=max(6, round(style.letter.size * 0.8))) if around else style.letter
    mask = Image.new("L", (side, side))
    middle = (
        (side * (0.5 + style.lift[0]), side * (0.5 + style.lift[1])) if not around else (side / 2, side / 2)
    )
    ImageDraw.Draw(mask).text(
        middle, text.lower() if "lower" in blank_styles else text, 255, font, anchor="mm"
    )
    if "italic" in blank_styles:
        slant = (1, program.slant, -program.slant * side / 2, 0, 1, 0)
        mask = mask.transform((side, side), Image.Transform.AFFINE, slant, Image.Resampling.BICUBIC)
    canvas.picture.paste(ink, at, mask)
    if style.value is not None and "valueless" not in blank_styles:
        at_value = (at[0] + style.value_at[0] * side, at[1] + style.value_at[1] * side)
        shade = style.value_ink if face == style.face and not is_blank else ink
        pen.text(at_value, "0" if "nought" in blank_styles else value, shade, style.value, anchor="mm")


def readable(face: Colour, ink: Colour) -> Colour:
    """Return an ink that can be read on a face: the given ink, or black or white."""
    if abs(shade_of(ink) - shade_of(face)) >= 60:
        return ink
    return (0, 0, 0) if shade_of(face) > 127 else (255, 255, 255)


def _texture(canvas: Canvas, program: _Program, at: tuple[int, int], face: Colour) -> None:
    (x, y), side, pen = at, program.style.side, canvas.pen
    inset = round(program.style.inset * side) + 1
    left, top, right, bottom = x + inset, y + inset, x + side - 2 - inset, y + side - 2 - inset
    if program.texture == "bevel":
        pen.line((left, bottom, left, top, right, top), mix(face, (255, 255, 255), 0.35), 1 + side // 24)
        pen.line((left, bottom, right, bottom, right, top), mix(face, (0, 0, 0), 0.3), 1 + side // 24)
    elif program.texture != "flat":
        edge = round(program.style.radius * side / 2)
        for row in range(top + edge, bottom - edge):
            share = (
                (row - y) / side - 0.5 if program.texture == "gradient" else canvas.random.uniform(-0.5, 0.5)
            )
            shade = mix(face, (0, 0, 0) if share > 0 else (255, 255, 255), abs(share) * 0.22)
            pen.line((left + 1, row, right - 1, row), shade)
