"""Charts of scores over turns, in the boards' colours and letters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from PIL import Image, ImageDraw

from render import shapes
from render.drawing import VISIBLE_COVERAGE, Drawing, Pen, line_height, pen_of
from render.fonts import Font, ascent, cap_height, printable, shorten, text_width
from render.png import to_png
from render.scene import ChartScene, RenderedImage, Series
from render.theme import LINES, Colour

MARKS = 3
"""Number of kinds of marks. Each has its own shape, size and colour."""
_SHAPES = ((0, Colour.QUIET, 0.5), (2, Colour.WORD_3, 0.64), (3, Colour.INK, 0.8))
"""The marker, its colour, and its size in units: disc, diamond, triangle."""
_MARK_RADIUS = 0.55
_HALO_RADIUS = 0.55 * 1.45
"""A mark's radius, and that of its light edge, as shares of half its sprite."""
_BARS = 5
"""The part of the height that bars take, as a divisor: a fifth."""
_BAR_PALE = 110


@dataclass(frozen=True, slots=True)
class Plot:
    """The area of a chart's lines, and its span of values."""

    left: int
    top: int
    width: int
    height: int
    low: int
    high: int
    step: int
    """Distance between two lines of the axis."""
    last: int
    """Number of the last turn."""
    base: int
    """The value with the thicker line."""

    def x(self, turn: float) -> float:
        """Return the place of a turn."""
        return self.left + self.width * turn / max(1, self.last)

    def y(self, value: float) -> float:
        """Return the place of a value; larger ones are higher up."""
        return self.top + self.height * (self.high - value) / (self.high - self.low)


def draw_marker(draw: ImageDraw.ImageDraw, at: tuple[float, float], radius: float, number: int) -> None:
    """Draw the marker of a line: disc, square, diamond, triangle; with a hole from the fifth line on."""
    x, y = at
    shape = number % 4
    for reach, fill in ((radius, 255), (radius * 0.5, 0 if number >= len(LINES) else 255)):
        square, wide = reach * 0.9, reach * 1.2
        if shape == 0:
            draw.ellipse((x - reach, y - reach, x + reach, y + reach), fill=fill)
        elif shape == 1:
            draw.rectangle((x - square, y - square, x + square, y + square), fill=fill)
        elif shape == 2:
            draw.polygon([(x, y - wide), (x + wide, y), (x, y + wide), (x - wide, y)], fill=fill)
        else:
            draw.polygon([(x, y - wide), (x + wide, y + reach), (x - wide, y + reach)], fill=fill)


def star_sprite(pen: Pen, side: int) -> Image.Image:
    """Return the marker of a marked turn, such as a bingo."""
    return shapes.star(side).point(pen.palette.ramps[Colour.PAGE, Colour.INK])


def mark_sprite(pen: Pen, kind: int, side: int) -> Image.Image:
    """Return the marker of a kind of mark on the page."""
    number, colour, _ = _SHAPES[kind]
    return _mask(number, side, _MARK_RADIUS).point(pen.palette.ramps[Colour.PAGE, colour])


def _mask(number: int, side: int, scale: float) -> Image.Image:
    """Return the mask of a marker whose radius is a share of half its side."""
    middle = side * shapes.OVERSAMPLING / 2
    return shapes.smooth(side, side, lambda draw: draw_marker(draw, (middle, middle), middle * scale, number))


def add_marks(
    pen: Pen, canvas: Image.Image, points: Sequence[tuple[float, float]], scene: ChartScene, unit: int
) -> None:
    """Draw the marks on the first line, the last kind over the others, each with a light edge."""
    for turn, kind in sorted(scene.marks, key=lambda mark: mark[1]):
        if not 0 <= turn < len(points):
            continue
        number, _, size = _SHAPES[kind]
        side = max(11, round(unit * size)) | 1
        x, y = (round(value) - side // 2 for value in points[turn])
        canvas.paste(
            mark_sprite(pen, kind, side), (x, y), _mask(number, side, _HALO_RADIUS).point(VISIBLE_COVERAGE)
        )


def add_bars(pen: Pen, canvas: Image.Image, plot: Plot, scene: ChartScene) -> None:
    """Draw a bar for each turn at the bottom of the chart. The highest bar is a fifth of its height."""
    maximum = max(scene.bars, default=0)
    if not maximum or not plot.last:
        return
    width = max(2, round(plot.width / plot.last * 0.5))
    ink = pen.palette.ramps[Colour.PAGE, Colour.QUIET][_BAR_PALE]
    for turn, value in enumerate(scene.bars[: plot.last], start=1):
        height = round(plot.height / _BARS * value / maximum)
        if height:
            x = round(plot.x(turn) - width / 2)
            canvas.paste(ink, (x, plot.top + plot.height - height, x + width, plot.top + plot.height))


def add_bound(pen: Pen, canvas: Image.Image, plot: Plot, scene: ChartScene, unit: int) -> None:
    """Draw a dashed line from top to bottom at a turn, with its name beside it."""
    if scene.bound is None or not 0 <= scene.bound[0] <= plot.last:
        return
    turn, name = scene.bound
    x, dash = round(plot.x(turn)), max(3, unit // 5)
    ink = pen.palette.solid(Colour.QUIET)
    for y in range(plot.top, plot.top + plot.height, 2 * dash):
        canvas.paste(ink, (x, y, x + 2, min(y + dash, plot.top + plot.height)))
    font = Font(round(unit * 0.45), strong=False)
    if printable(name):
        sprite = pen.line(name, font, Colour.PAGE, Colour.QUIET)
        beside = x - text_width(name, font) - dash if turn * 2 > plot.last else x + dash
        foot = plot.top + plot.height - plot.height // _BARS
        canvas.paste(sprite, (max(0, beside), foot - sprite.height))


MAX_SERIES = 8
MAX_VALUES = 400
MAX_VALUE = 10**9
_MAX_UNIT = 12
MIN_WIDTH, MIN_HEIGHT = 240, 160
_AREA_COVERAGE = 85  # Coverage of a line's colour in a filled area.
_TICK_COUNT = 5  # Lines across the plot, about.


def draw_chart(scene: ChartScene) -> RenderedImage:
    """Draw lines over turns as a PNG file, each with its own marker, and its name at its end.

    Raises:
        UnknownThemeError: there is no such theme.

    """
    pen = pen_of(scene.theme)
    return to_png(lay_out_chart(pen, scene), pen)


def tick_step(span: int, max_ticks: int) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, 50 … that cuts a span into at most ``max_ticks`` parts."""
    steps: Iterator[int] = (factor * 10**power for power in count() for factor in (1, 2, 5))
    return next(step for step in steps if span <= step * max_ticks)


def lay_out_chart(pen: Pen, scene: ChartScene) -> Drawing:
    """Return a chart as a drawing."""
    unit = max(20, min(scene.width // 20, scene.height // 8, 48))
    small, strong = Font(round(unit * 0.5), strong=False), Font(round(unit * 0.56))
    drawing = Drawing(scene.width, scene.height)
    margin = unit // 2
    top = margin
    if printable(scene.title) or scene.stars or scene.sides or scene.marks:
        room = scene.width - 2 * margin
        width = pen.text(drawing, scene.title, strong, (margin, top), (Colour.PAGE, Colour.INK), room=room)
        top = _add_legend(pen, drawing, scene, (small, margin + width + (unit if width else 0), top))
        top += line_height(strong) + unit // 2
    if printable(scene.axes[0]):
        inks = (Colour.PAGE, Colour.QUIET)
        pen.text(drawing, scene.axes[0], small, (margin, top), inks, room=scene.width - 2 * margin)
        top += line_height(small) + unit // 2
    names = [_end_label(series, scene, strong) for series in scene.series]
    plot = _plot_area(scene, small, top, max(text_width(name, strong) for name in names), unit)
    _add_grid(pen, drawing, plot, small, scene)
    _add_lines(pen, drawing, plot, scene, unit)
    _add_names(pen, drawing, plot, scene, (names, strong, unit))
    return drawing


def _add_legend(pen: Pen, drawing: Drawing, scene: ChartScene, start: tuple[Font, int, int]) -> int:
    """Write the legend of filled areas, stars and marks to the right of the title, and on further lines.

    Return the top of the last line.
    """
    font, x, y = start
    side, inks = line_height(font), (Colour.PAGE, Colour.QUIET)
    left, edge = side * 2 // 3, scene.width - side // 2
    entries = [
        (Image.new("L", (side * 2 // 3,) * 2, _pale(pen, colour)), name)
        for name, colour in zip(scene.sides or (), LINES, strict=False)
    ]
    if scene.stars and printable(scene.star):
        entries.append((star_sprite(pen, side * 4 // 5), scene.star))
    entries += [
        (mark_sprite(pen, kind, side * 4 // 5), name)
        for kind, name in enumerate(scene.mark_names)
        if any(mark == kind for _, mark in scene.marks)
    ]
    for marker, name in entries:
        if x > left and x + side + text_width(printable(name), font) > edge:
            x, y = left, y + side * 5 // 4
        drawing.put(marker, x, y + (side - marker.height) // 2)
        x += side
        x += pen.text(drawing, name, font, (x, y), inks, room=max(0, edge - x)) + side * 2 // 3
    return y


def _pale(pen: Pen, colour: Colour) -> int:
    """Return the index of the colour with which a line fills an area."""
    return pen.palette.ramps[Colour.PAGE, colour][_AREA_COVERAGE]


def _value(value: int, scene: ChartScene) -> str:
    """Write a value with its unit; with its plus or minus sign where areas have names."""
    sign = "+" if scene.sides and not scene.base and value > 0 else "−" if value < 0 else ""
    return printable(f"{sign}{abs(value)}{scene.unit[:_MAX_UNIT]}")


def _end_label(series: Series, scene: ChartScene, font: Font) -> str:
    width, value = scene.width // 4, _value(series.values[-1], scene)
    name = shorten(printable(series.name), font, max(0, width - text_width(f" {value}", font)))
    return f"{name} {value}".strip()


def _plot_area(scene: ChartScene, font: Font, top: int, names: int, unit: int) -> Plot:
    """Choose the range of values, in whole ticks, and leave room for the texts around the plot."""
    low, high, step = axis(scene)
    margin = unit // 2
    widest = max(text_width(_value(value, scene), font) for value in (low, high))
    left = margin + widest + unit // 4
    width = scene.width - left - names - unit - unit // 4 - margin
    height = scene.height - top - line_height(font) - margin - unit // 4
    last = max(len(series.values) for series in scene.series) - 1
    return Plot(left, top, max(width, unit), max(height, unit), low, high, step, last, scene.base)


def axis(scene: ChartScene) -> tuple[int, int, int]:
    """Return the lowest and the highest value of the axis, and the distance of its lines.

    The base has a line of its own, so with a span of 0 to 100 around 50 the lines are 25 apart.
    """
    values = [value for series in scene.series for value in series.values]
    low, high = scene.span or (scene.base, scene.base + 1)
    low, high = min(low, *values), max(high, *values)
    step = tick_step(high - low, _TICK_COUNT)
    if (
        (low - scene.base) % step
        and scene.span
        and step * 5 % 4 == 0
        and not (low - scene.base) % (step * 5 // 4)
    ):
        step = step * 5 // 4
    first = scene.base + (low - scene.base) // step * step
    return first, first - (first - high) // step * step, step


def _add_grid(pen: Pen, drawing: Drawing, plot: Plot, font: Font, scene: ChartScene) -> None:
    """Draw the lines across with their values, and the turns below."""
    inks = (Colour.PAGE, Colour.QUIET)
    half = line_height(font) // 2
    for value in range(plot.low, plot.high + 1, plot.step):
        y = round(plot.y(value))
        thick = value == plot.base
        colour = pen.palette.ramps[inks][255 if thick else 64]
        drawing.fill(colour, plot.left, y, plot.width, 2 if thick else 1)
        text = _value(value, scene)
        room = text_width(text, font)
        pen.text(drawing, text, font, (plot.left - room - font.px // 2, y - half), inks)
    y = plot.top + plot.height + font.px // 3
    room = text_width(str(plot.last + scene.first), font) + font.px
    step = tick_step(plot.last, max(1, plot.width // room)) if plot.last else 1
    edge = _name_turns(pen, drawing, plot, scene, (font, y, room))
    for turn in range(0, plot.last + 1, step):
        x = round(plot.x(turn))
        drawing.fill(pen.palette.solid(Colour.QUIET), x, plot.top + plot.height, 1, font.px // 4)
        if x + text_width(str(turn + scene.first), font) // 2 < edge:
            pen.text(drawing, str(turn + scene.first), font, (x - room // 2, y), inks, room=room, align=0.5)


def _name_turns(pen: Pen, drawing: Drawing, plot: Plot, scene: ChartScene, at: tuple[Font, int, int]) -> int:
    """Write the axis' name right of the last number, or in its place where there is no room; return its left edge."""
    font, y, label = at
    name, edge = printable(scene.axes[1]), scene.width - font.px // 2
    start = plot.left + plot.width + label // 2
    if name and start + text_width(name, font) > edge:
        start = max(plot.left, edge - text_width(name, font))
    pen.text(drawing, name, font, (start, y), (Colour.PAGE, Colour.QUIET), room=max(0, edge - start))
    return start if name else scene.width


def _add_lines(pen: Pen, drawing: Drawing, plot: Plot, scene: ChartScene, unit: int) -> None:
    """Draw the lines, the first one on top, with its filled areas, stars and marks."""
    series = scene.series
    pad = unit // 2
    size = (plot.width + 2 * pad, plot.height + 2 * pad)
    canvas = Image.new("L", size, pen.palette.solid(Colour.PAGE))
    corner = (plot.left - pad, plot.top - pad)
    background = Drawing()
    background.add(drawing, -corner[0], -corner[1])
    background.paint(canvas, 0, 0)
    lines = [
        [(plot.x(turn) - corner[0], plot.y(value) - corner[1]) for turn, value in enumerate(line.values)]
        for line in series
    ]
    first = lines[0]
    if scene.sides:
        _fill_sides(pen, canvas, first, plot.y(plot.base) - corner[1])
    inner = replace(plot, left=pad, top=pad)
    add_bars(pen, canvas, inner, scene)
    add_bound(pen, canvas, inner, scene, unit)
    for number in reversed(range(len(series))):
        mask = _line_mask(lines[number], size, max(2, unit // 13), max(4, unit // 7), number)
        pen.stamp(canvas, mask, (0, 0), Colour.PAGE, LINES[number % len(LINES)])
    star = star_sprite(pen, max(9, unit * 3 // 4))
    half = star.width // 2
    for turn in scene.stars:
        if 0 <= turn < len(first):
            x, y = first[turn]
            mask = shapes.star(star.width).point(VISIBLE_COVERAGE)
            canvas.paste(star, (round(x) - half, round(y) - half), mask)
    add_marks(pen, canvas, first, scene, unit)
    drawing.put(canvas, *corner)


def _fill_sides(pen: Pen, canvas: Image.Image, points: Sequence[tuple[float, float]], base: float) -> None:
    """Fill the area between a line and the base, in one colour above it and another below."""
    mask = Image.new("1", canvas.size)
    outline = [*points, (points[-1][0], base), (points[0][0], base)]
    if len(points) > 1:
        ImageDraw.Draw(mask).polygon(outline, fill=1)
    middle = max(0, min(round(base), canvas.height))
    for colour, box in zip(
        LINES, ((0, 0, canvas.width, middle), (0, middle, canvas.width, canvas.height)), strict=False
    ):
        canvas.paste(_pale(pen, colour), box[:2], mask.crop(box))


def _line_mask(
    points: Sequence[tuple[float, float]], size: tuple[int, int], thickness: int, sign: int, number: int
) -> Image.Image:
    """Return the mask of a line with its marker at every point, or at fewer points where markers would touch."""
    large = Image.new("L", (size[0] * shapes.OVERSAMPLING, size[1] * shapes.OVERSAMPLING))
    draw = ImageDraw.Draw(large)
    scaled = [(x * shapes.OVERSAMPLING, y * shapes.OVERSAMPLING) for x, y in points]
    if len(scaled) > 1:
        draw.line(scaled, fill=255, width=thickness * shapes.OVERSAMPLING, joint="curve")
    apart = (scaled[-1][0] - scaled[0][0]) / max(1, len(scaled) - 1)
    radius = sign * shapes.OVERSAMPLING
    every = max(1, -(-3 * radius // max(1, round(apart))))
    for index in {*range(0, len(scaled), every), len(scaled) - 1}:
        draw_marker(draw, scaled[index], radius, number)
    return large.reduce(shapes.OVERSAMPLING)


def _add_names(
    pen: Pen, drawing: Drawing, plot: Plot, scene: ChartScene, texts: tuple[list[str], Font, int]
) -> None:
    """Write each line's name and last value beside its end, moved apart where they would overlap."""
    names, font, unit = texts
    low, high = plot.top, plot.top + plot.height
    # A line of text each, or less: small letters are cut when eight names crowd a small chart.
    height = max(min(line_height(font), (high - low) // max(1, len(names) - 1)), cap_height(font))
    order = sorted(range(len(names)), key=lambda number: plot.y(scene.series[number].values[-1]))
    positions = spread_apart(
        [round(plot.y(scene.series[number].values[-1])) for number in order],
        height,
        low,
        high,
    )
    x, side = plot.left + plot.width + unit // 2, cap_height(font) + unit // 5
    for number, y in zip(order, positions, strict=True):
        ramp = pen.palette.ramps[Colour.PAGE, LINES[number % len(LINES)]]
        drawing.put(_mask(number, side, 0.66).point(ramp), x - unit // 5, y - side // 2)
        sprite = pen.line(names[number], font, Colour.PAGE, Colour.INK)
        # Capitals are level with the middle of the marker; the cut is even around them.
        top = max(0, ascent(font) - cap_height(font) // 2 - height // 2)
        cut = sprite.crop((0, top, sprite.width, min(sprite.height, top + height)))
        left = x - unit // 5 + side + unit // 8
        drawing.put(cut, left, y - (ascent(font) - cap_height(font) // 2 - top))


def spread_apart(positions: Sequence[int], apart: int, low: int, high: int) -> list[int]:
    """Move sorted places so that neighbours are ``apart`` pixels apart and, if there is room, within bounds."""
    moved: list[int] = []
    for position in positions:
        moved.append(max(position, moved[-1] + apart if moved else low))
    limit = max(high, low + apart * (len(moved) - 1))
    for number in reversed(range(len(moved))):
        moved[number] = min(moved[number], limit)
        limit = moved[number] - apart
    return moved
