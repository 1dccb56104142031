"""Drawings: sprites and rectangles with their positions.

The size of a picture depends on its content, so everything is laid out before anything is painted.
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
    printable_text,
    shorten,
    text_width,
    visual_order,
)
from render.metrics import Metrics
from render.theme import Colour, Palette, Scope, palette_of

P = ParamSpec("P")
V = TypeVar("V")

MAX_SPRITE_BYTES = 1_792 * 1024
"""Maximum total size in bytes of the sprites for one theme and board size."""
MAX_BLOCK_BYTES = 512 * 1024
"""Maximum total size in bytes of the blocks for one theme and board size, including the blocks' sprites. One picture needs up to
150,000 bytes."""


@lru_cache(maxsize=512)
def line_height(font: Font) -> int:
    return ascent(font) + descent(font)


class Drawing:
    """Sprites and plain rectangles with their positions."""

    __slots__ = ("height", "items", "width")

    def __init__(self, width: int = 0, height: int = 0) -> None:
        self.width = width
        self.height = height
        self.items: list[tuple[Image.Image | int, tuple[int, int, int, int]]] = []
        """Sprites or colour indexes, each with its box (left, top, right, bottom). Later items cover earlier ones."""

    def size_in_bytes(self) -> int:
        return sum(
            256 + (0 if isinstance(content, int) else content.width * content.height)
            for content, _ in self.items
        )

    def fill(self, colour_index: int, x: int, y: int, width: int, height: int) -> None:
        self.items.append((colour_index, (x, y, x + width, y + height)))

    def put(self, sprite: Image.Image, x: int, y: int) -> None:
        width, height = sprite.size
        self.items.append((sprite, (x, y, x + width, y + height)))

    def add(self, other: Drawing, x: int, y: int) -> None:
        self.items += [
            (content, (left + x, top + y, right + x, bottom + y))
            for content, (left, top, right, bottom) in other.items
        ]

    def paint(self, canvas: Image.Image, x: int, y: int) -> None:
        """Paint everything on a canvas of palette indexes, moved by (x, y)."""
        # Image.paste spends most of its time checking its arguments.
        paste = canvas.im.paste
        for content, (left, top, right, bottom) in self.items:
            paste(
                content if isinstance(content, int) else content.im,
                (left + x, top + y, right + x, bottom + y),
            )

    def paint_box(self, box: tuple[int, int, int, int], background: int) -> Image.Image:
        x, y, end_x, end_y = box
        canvas = Image.new("L", (end_x - x, end_y - y), background)
        items_inside = Drawing()
        items_inside.items = [
            item
            for item in self.items
            if item[1][0] < end_x and item[1][2] > x and item[1][1] < end_y and item[1][3] > y
        ]
        items_inside.paint(canvas, -x, -y)
        return canvas


class BoundedCache(Generic[V]):
    """A thread-safe cache whose values take at most ``max_bytes`` bytes, as measured by ``size_of``.

    A requested value moves to the young generation, where a hit needs no lock. When the young generation is full, it replaces the old.
    """

    __slots__ = ("_generation_bytes", "_lock", "_old", "_size_of", "_young", "_young_bytes")

    def __init__(self, max_bytes: int, size_of: Callable[[V], int]) -> None:
        self._generation_bytes = max_bytes // 2
        self._size_of = size_of
        self._young: dict[Hashable, V] = {}
        self._old: dict[Hashable, V] = {}
        self._young_bytes = 0
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """Return the value for a key, made by ``make`` if missing. Two threads may make the same value at the same time."""
        if (value := self._young.get(key)) is not None:
            return value
        if (value := self._old.get(key)) is None:
            value = make()
        size = self._size_of(value)
        with self._lock:
            # A huge value would displace everything else.
            if size <= self._generation_bytes and key not in self._young:
                if self._young_bytes + size > self._generation_bytes:
                    self._old, self._young, self._young_bytes = self._young, {}, 0
                self._young[key] = value
                self._young_bytes += size
        return value


class Pen:
    """Draws text and shapes in one theme's palette, and caches them."""

    __slots__ = ("blocks", "last_board", "metrics", "palette", "sprites")

    def __init__(self, palette: Palette, metrics: Metrics) -> None:
        self.metrics = metrics
        self.palette = palette
        self.last_board: tuple[tuple[object, ...], Image.Image] | None = None
        """The squares and labels of the last empty board drawn, and its picture."""
        self.sprites: BoundedCache[Image.Image] = BoundedCache(
            MAX_SPRITE_BYTES, lambda image: image.width * image.height + 256
        )
        self.blocks: BoundedCache[Drawing] = BoundedCache(MAX_BLOCK_BYTES, Drawing.size_in_bytes)
        """Finished parts of panels, never modified."""

    def stamp(
        self,
        canvas: Image.Image,
        mask: Image.Image,
        position: tuple[int, int],
        background: Colour,
        ink: Colour,
    ) -> None:
        """Paint a coverage mask in the colour ``ink``. At the mask's edges, the canvas must already have the colour ``background``."""
        coloured = mask.point(self.palette.ramps[background, ink])
        canvas.paste(coloured, position, mask.point(VISIBLE_COVERAGE_TABLE))

    def text_sprite(self, text: str, font: Font, background: Colour, ink: Colour) -> Image.Image:
        return self.sprites.get(
            (text, font, background, ink),
            lambda: text_mask(text, font).point(self.palette.ramps[background, ink]),
        )

    def draw_text(
        self,
        drawing: Drawing,
        text: str,
        font: Font,
        position: tuple[int, int],
        colours: tuple[Colour, Colour],
        *,
        max_width: int | None = None,
        align: float = 0.0,
    ) -> int:
        """Draw a line of text. Return its width in pixels.

        ``position`` is the left end and the top of the line. ``colours`` are the background and the ink. ``align`` places a narrower
        text within ``max_width`` pixels: 0 at the left, 1 at the right.
        """
        drawn_text = printable_text(text)
        if max_width is not None:
            drawn_text = shorten(drawn_text, font, max_width)
        if not drawn_text:
            return 0
        sprite = self.text_sprite(drawn_text, font, *colours)
        spare_width = 0 if max_width is None else max_width - sprite.width
        drawing.put(sprite, position[0] + round(spare_width * align), position[1])
        return sprite.width


def cached_sprite(
    draw: Callable[Concatenate[Pen, P], Image.Image],
) -> Callable[Concatenate[Pen, P], Image.Image]:
    """Cache the pictures that a function draws with a pen."""

    @wraps(draw)
    def cached(pen: Pen, /, *args: P.args, **options: P.kwargs) -> Image.Image:
        return pen.sprites.get((draw, args, *options.values()), partial(draw, pen, *args, **options))

    return cached


@lru_cache(maxsize=40)
def pen_of(theme: str, cell_size: int = 50, unit: int = 50, scope: Scope = Scope.BOARD) -> Pen:
    return Pen(palette_of(theme, scope), Metrics(cell_size, unit))


VISIBLE_COVERAGE_TABLE = tuple(255 if coverage >= 32 else 0 for coverage in range(256))
"""Maps coverage to 255 if ink is visible, otherwise to 0."""


def text_mask(text: str, font: Font) -> Image.Image:
    mask = Image.new("L", (max(1, text_width(text, font)), line_height(font)))
    _add_glyphs(mask, text, font, overhang(text, font)[0], ascent(font))
    return mask


def _add_glyphs(mask: Image.Image, text: str, font: Font, x: int, baseline: int) -> None:
    characters = visual_order(text)
    for index, char in enumerate(characters):
        picture = glyph(char, font)
        if picture.mask is not None:
            left, top = x + picture.left, baseline + picture.top
            if is_raised(characters, index):
                top -= round(font.px * 0.21)
            box = (left, top, left + picture.mask.width, top + picture.mask.height)
            mask.paste(255, box, picture.mask)
        x += picture.advance


def ink_mask(text: str, font: Font) -> tuple[Image.Image, int]:
    """Return the mask of a printable string, cropped to its ink, and the row of its baseline."""
    pad = font.px
    mask = Image.new("L", (text_width(text, font) + 2 * pad, line_height(font) + pad))
    baseline = ascent(font) + pad // 2
    _add_glyphs(mask, text, font, pad, baseline)
    box = mask.getbbox()
    if box is None:
        return mask.crop((0, 0, 1, 1)), 0
    return mask.crop(box), baseline - box[1]


def centred_baseline(top: int, height: int, font: Font) -> int:
    return top + (height + cap_height(font)) // 2
