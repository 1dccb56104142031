"""Drawings: sprites and rectangles with their positions, before they become pixels.

The size of a picture depends on its content, so everything is laid out first and painted once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache, partial, wraps
from threading import Lock
from typing import Concatenate, Generic, ParamSpec, TypeVar

from PIL import Image

from render.fonts import (
    Font,
    ascent,
    cap_height,
    descent,
    glyph,
    is_raised,
    overhang,
    printable,
    shorten,
    text_width,
    visual,
)
from render.metrics import Metrics
from render.theme import Colour, Palette, Scope, palette_of

P = ParamSpec("P")
V = TypeVar("V")

SPRITE_BYTES = 1_792 * 1024
"""Maximum size of the cached sprites for one theme and size, in bytes."""
BLOCK_BYTES = 512 * 1024
"""Bytes of whole blocks of the panel, with their sprites, kept for one theme and size. A picture with a full bag has 150,000."""


@lru_cache(maxsize=512)
def line_height(font: Font) -> int:
    """Return the height of a line of text in pixels, with its white space."""
    return ascent(font) + descent(font)


class Drawing:
    """Sprites and plain rectangles with their positions, and the total size."""

    __slots__ = ("height", "items", "width")

    def __init__(self, width: int = 0, height: int = 0) -> None:
        self.width = width
        self.height = height
        self.items: list[tuple[Image.Image | int, tuple[int, int, int, int]]] = []
        """Sprites or indexes of colours, each with its box (left, top, right, bottom); later over earlier."""

    def cost(self) -> int:
        """Return the size of the drawing in bytes, including its sprites."""
        return sum(256 + (0 if isinstance(what, int) else what.width * what.height) for what, _ in self.items)

    def fill(self, index: int, x: int, y: int, width: int, height: int) -> None:
        """Fill a rectangle with one colour."""
        self.items.append((index, (x, y, x + width, y + height)))

    def put(self, sprite: Image.Image, x: int, y: int) -> None:
        """Place a sprite with its top left corner at (x, y)."""
        width, height = sprite.size
        self.items.append((sprite, (x, y, x + width, y + height)))

    def add(self, other: Drawing, x: int, y: int) -> None:
        """Put another drawing's items, moved by (x, y)."""
        self.items += [
            (what, (left + x, top + y, right + x, bottom + y))
            for what, (left, top, right, bottom) in other.items
        ]

    def paint(self, canvas: Image.Image, x: int, y: int) -> None:
        """Paint everything on a canvas of palette indexes, moved by (x, y)."""
        # Image.paste spends most of its time on the kind of its argument; here, all are pixels of one mode.
        paste = canvas.im.paste
        for what, (left, top, right, bottom) in self.items:
            paste(what if isinstance(what, int) else what.im, (left + x, top + y, right + x, bottom + y))

    def part(self, box: tuple[int, int, int, int], ground: int) -> Image.Image:
        """Return the part within a box (left, top, right, bottom), painted on a ground of one colour."""
        x, y, end, bottom_end = box
        canvas = Image.new("L", (end - x, bottom_end - y), ground)
        reached = Drawing()
        reached.items = [
            item
            for item in self.items
            if item[1][0] < end and item[1][2] > x and item[1][1] < bottom_end and item[1][3] > y
        ]
        reached.paint(canvas, -x, -y)
        return canvas


class BoundedCache(Generic[V]):
    """Values by key, at most ``max_cost`` bytes of them as ``cost`` counts; quick, and safe to share between threads.

    Values live in two generations of half the bytes each. A requested value moves to the young generation. When that
    is full it becomes the old one, and values not requested since are dropped. Unlike an exact order of use, this makes
    a hit one look-up in a dictionary, without a lock.
    """

    __slots__ = ("_cost", "_lock", "_old", "_share", "_young", "_young_bytes")

    def __init__(self, max_cost: int, cost: Callable[[V], int]) -> None:
        self._share = max_cost // 2
        self._cost = cost
        self._young: dict[Hashable, V] = {}
        self._old: dict[Hashable, V] = {}
        self._young_bytes = 0
        self._lock = Lock()

    @property
    def total_bytes(self) -> int:
        """Bytes of all values."""
        with self._lock:
            return sum(map(self._cost, (self._old | self._young).values()))

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """Return the value of a key, and create it if it is missing.

        Two threads may create the same value at once; one of the two equal values is kept.
        """
        if (value := self._young.get(key)) is not None:
            return value
        if (value := self._old.get(key)) is None:
            value = make()
        cost = self._cost(value)
        with self._lock:
            # One huge value would push out everything else.
            if cost <= self._share and key not in self._young:
                if self._young_bytes + cost > self._share:
                    self._old, self._young, self._young_bytes = self._young, {}, 0
                self._young[key] = value
                self._young_bytes += cost
        return value


class Pen:
    """Draws text and shapes in one theme's palette, and keeps up to :data:`SPRITE_BYTES` of them."""

    __slots__ = ("blocks", "last_board", "metrics", "palette", "sprites")

    def __init__(self, palette: Palette, metrics: Metrics) -> None:
        self.metrics = metrics
        self.palette = palette
        self.last_board: tuple[tuple[object, ...], Image.Image] | None = None
        """The last empty board drawn, with its squares and labels."""
        self.sprites: BoundedCache[Image.Image] = BoundedCache(
            SPRITE_BYTES, lambda image: image.width * image.height + 256
        )
        self.blocks: BoundedCache[Drawing] = BoundedCache(BLOCK_BYTES, Drawing.cost)
        """Finished parts of panels, which are never changed. Most stay from one turn to the next."""

    def stamp(
        self, canvas: Image.Image, mask: Image.Image, at: tuple[int, int], ground: Colour, ink: Colour
    ) -> None:
        """Colour a coverage mask on a canvas that has the background colour below the mask's edge."""
        coloured = mask.point(self.palette.ramps[ground, ink])
        covered = mask.point(VISIBLE_COVERAGE)
        canvas.paste(coloured, (at[0], at[1], at[0] + mask.width, at[1] + mask.height), covered)

    def line(self, text: str, font: Font, ground: Colour, ink: Colour) -> Image.Image:
        """Return the sprite of a printable text: :func:`line_height` tall, as wide as its advances."""
        return self.sprites.get(
            (text, font, ground, ink), lambda: coverage_of(text, font).point(self.palette.ramps[ground, ink])
        )

    def text(
        self,
        drawing: Drawing,
        text: str,
        font: Font,
        at: tuple[int, int],
        inks: tuple[Colour, Colour],
        *,
        room: int | None = None,
        align: float = 0.0,
    ) -> int:
        """Draw a line of text; return its width in pixels.

        ``at`` is the left end and the top of the line. With ``room``, the text is shortened to that many
        pixels and is at the share ``align`` of what is left over: 0 left, 0.5 in the middle, 1 right.
        """
        drawn = printable(text)
        if room is not None:
            drawn = shorten(drawn, font, room)
        if not drawn:
            return 0
        sprite = self.line(drawn, font, *inks)
        left_over = 0 if room is None else room - sprite.width
        drawing.put(sprite, at[0] + round(left_over * align), at[1])
        return sprite.width


def cached_sprite(
    draw: Callable[Concatenate[Pen, P], Image.Image],
) -> Callable[Concatenate[Pen, P], Image.Image]:
    """Decorate a function that draws with a pen: the pen keeps the picture for the other arguments."""

    @wraps(draw)
    def cached(pen: Pen, /, *args: P.args, **options: P.kwargs) -> Image.Image:
        return pen.sprites.get((draw, args, *options.values()), partial(draw, pen, *args, **options))

    return cached


@lru_cache(maxsize=40)
def pen_of(theme: str, cell: int = 50, unit: int = 50, scope: Scope = Scope.BOARD) -> Pen:
    """Return the pen of a theme, a pitch of squares and a scale of panels, with the sprites it has drawn so far.

    Each size has a pen of its own, so that one size's sprites do not push out another's. Pictures without squares have the
    default sizes.
    """
    return Pen(palette_of(theme, scope), Metrics(cell, unit))


VISIBLE_COVERAGE = tuple(255 if coverage >= 32 else 0 for coverage in range(256))


def coverage_of(text: str, font: Font) -> Image.Image:
    """Return the coverage mask of a line of printable text."""
    mask = Image.new("L", (max(1, text_width(text, font)), line_height(font)))
    _set(mask, text, font, overhang(text, font)[0], ascent(font))
    return mask


def _set(mask: Image.Image, text: str, font: Font, x: int, baseline: int) -> None:
    """Add the glyphs of a text to a mask."""
    seen = visual(text)
    for index, char in enumerate(seen):
        drawn = glyph(char, font)
        if drawn.mask is not None:
            left, top = x + drawn.left, baseline + drawn.top
            if is_raised(seen, index):
                top -= round(font.px * 0.21)
            box = (left, top, left + drawn.mask.width, top + drawn.mask.height)
            mask.paste(255, box, drawn.mask)
        x += drawn.advance


def ink_mask(text: str, font: Font) -> tuple[Image.Image, int]:
    """Return the mask of a printable text cut to its ink from left to right, and the row of its baseline."""
    pad = font.px
    mask = Image.new("L", (text_width(text, font) + 2 * pad, line_height(font) + pad))
    baseline = ascent(font) + pad // 2
    _set(mask, text, font, pad, baseline)
    box = mask.getbbox()
    if box is None:
        return mask.crop((0, 0, 1, 1)), 0
    return mask.crop(box), baseline - box[1]


def middle_baseline(top: int, height: int, font: Font) -> int:
    """Return the baseline that puts capitals in the middle of a height."""
    return top + (height + cap_height(font)) // 2
