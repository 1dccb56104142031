"""Charts of values over turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from PIL import Image, ImageDraw

from render import shapes
from render.drawing import VISIBLE_COVERAGE_TABLE, Drawing, Pen, line_height, pen_of
from render.fonts import Font, ascent, cap_height, printable_text, shorten, text_width
from render.png import to_png
from render.scene import ChartScene, RenderedImage, Series
from render.theme import LINE_COLOURS, Colour

_MARK_STYLES = ((0, Colour.MUTED, 0.5), (2, Colour.WORD_3, 0.64), (3, Colour.INK, 0.8))
"""By kind of mark: the number of its shape (0 disc, 2 diamond, 3 triangle), its colour, and its size in ems."""
_MARK_RADIUS = 0.55
_HALO_RADIUS = 0.55 * 1.45
"""Radii of a mark and of the edge around it in the page's colour, as fractions of half the sprite's side."""
_BAR_HEIGHT_DIVISOR = 5
"""The plot's height divided by the height of the tallest bar."""
_BAR_COVERAGE = 110  # Of 255. Bars are paler than text.


@dataclass(frozen=True, slots=True)
class _Plot:
    """The area in which a chart's lines are drawn."""

    left: int
    top: int
    width: int
    height: int
    low: int
    high: int
    step: int
    """Difference between the values of two neighbouring grid lines."""
    last_turn: int

    def x(self, turn: float) -> float:
        return self.left + self.width * turn / max(1, self.last_turn)

    def y(self, value: float) -> float:
        return self.top + self.height * (self.high - value) / (self.high - self.low)


def _draw_shape(draw: ImageDraw.ImageDraw, position: tuple[float, float], radius: float, number: int) -> None:
    x, y = position
    shape = number % 4
    for size, fill in ((radius, 255), (radius * 0.5, 0 if number >= len(LINE_COLOURS) else 255)):
        square, pointed = size * 0.9, size * 1.2
        if shape == 0:
            draw.ellipse((x - size, y - size, x + size, y + size), fill=fill)
        elif shape == 1:
            draw.rectangle((x - square, y - square, x + square, y + square), fill=fill)
        elif shape == 2:
            draw.polygon([(x, y - pointed), (x + pointed, y), (x, y + pointed), (x - pointed, y)], fill=fill)
        else:
            draw.polygon([(x, y - pointed), (x + pointed, y + size), (x - pointed, y + size)], fill=fill)


def _star_sprite(pen: Pen, side: int) -> Image.Image:
    return shapes.star(side).point(pen.palette.ramps[Colour.PAGE, Colour.INK])


def _mark_sprite(pen: Pen, kind: int, side: int) -> Image.Image:
    number, colour, _ = _MARK_STYLES[kind]
    return _shape_mask(number, side, _MARK_RADIUS).point(pen.palette.ramps[Colour.PAGE, colour])


def _shape_mask(number: int, side: int, scale: float) -> Image.Image:
    middle = side * shapes.OVERSAMPLING / 2
    return shapes.draw_smooth(
        side, side, lambda draw: _draw_shape(draw, (middle, middle), middle * scale, number)
    )


def _paste_on_line(
    canvas: Image.Image,
    points: Sequence[tuple[float, float]],
    turn: int,
    sprite: Image.Image,
    mask: Image.Image,
) -> None:
    if 0 <= turn < len(points):
        x, y = (round(value) - sprite.width // 2 for value in points[turn])
        canvas.paste(sprite, (x, y), mask.point(VISIBLE_COVERAGE_TABLE))


def _add_bars(pen: Pen, canvas: Image.Image, plot: _Plot, scene: ChartScene) -> None:
    maximum = max(scene.bars, default=0)
    if not maximum or not plot.last_turn:
        return
    width = max(2, round(plot.width / plot.last_turn * 0.5))
    ink = pen.palette.ramps[Colour.PAGE, Colour.MUTED][_BAR_COVERAGE]
    for turn, value in enumerate(scene.bars[: plot.last_turn], start=1):
        height = round(plot.height / _BAR_HEIGHT_DIVISOR * value / maximum)
        if height:
            x = round(plot.x(turn) - width / 2)
            canvas.paste(ink, (x, plot.top + plot.height - height, x + width, plot.top + plot.height))


def _add_divider(pen: Pen, canvas: Image.Image, plot: _Plot, scene: ChartScene, em: int) -> None:
    if scene.divider is None or not 0 <= scene.divider[0] <= plot.last_turn:
        return
    turn, name = scene.divider
    x, dash = round(plot.x(turn)), max(3, em // 5)
    ink = pen.palette.index_of(Colour.MUTED)
    for y in range(plot.top, plot.top + plot.height, 2 * dash):
        canvas.paste(ink, (x, y, x + 2, min(y + dash, plot.top + plot.height)))
    font = Font(round(em * 0.45), bold=False)
    if name := printable_text(name):
        sprite = pen.text_sprite(name, font, Colour.PAGE, Colour.MUTED)
        label_left = x - sprite.width - dash if turn * 2 > plot.last_turn else x + dash
        label_bottom = plot.top + plot.height - plot.height // _BAR_HEIGHT_DIVISOR
        canvas.paste(sprite, (max(0, label_left), label_bottom - sprite.height))


MAX_SERIES = 8
MAX_VALUES_PER_SERIES = 400
MAX_ABSOLUTE_VALUE = 10**9
_MAX_UNIT_LENGTH = 12
"""Maximum length of a unit in characters."""
MIN_CHART_WIDTH, MIN_CHART_HEIGHT = 240, 160
"""Minimum size of a chart in pixels."""
_AREA_COVERAGE = 85
_TICK_COUNT = 5  # Approximate number of grid lines.


def draw_chart(scene: ChartScene) -> RenderedImage:
    """Draw a chart as a PNG file.

    Raises:
        ValueError: there is no such theme.

    """
    pen = pen_of(scene.theme)
    return to_png(lay_out_chart(pen, scene), pen)


def tick_step(span: int, max_ticks: int) -> int:
    """Return the smallest step among 1, 2, 5, 10, 20, 50 … that divides a span into at most ``max_ticks`` parts."""
    steps: Iterator[int] = (factor * 10**power for power in count() for factor in (1, 2, 5))
    return next(step for step in steps if span <= step * max_ticks)


def lay_out_chart(pen: Pen, scene: ChartScene) -> Drawing:
    em = max(20, min(scene.width // 20, scene.height // 8, 48))
    font, title_font = Font(round(em * 0.5), bold=False), Font(round(em * 0.56))
    drawing = Drawing(scene.width, scene.height)
    top = margin = em // 2
    if printable_text(scene.title) or scene.stars or scene.side_names or scene.marks:
        colours, max_width = (Colour.PAGE, Colour.INK), scene.width - 2 * margin
        width = pen.draw_text(drawing, scene.title, title_font, (margin, top), colours, max_width=max_width)
        top = _add_legend(pen, drawing, scene, font, x=margin + width + (em if width else 0), y=top)
        top += line_height(title_font) + em // 2
    if printable_text(scene.axis_names[0]):
        colours = (Colour.PAGE, Colour.MUTED)
        pen.draw_text(
            drawing, scene.axis_names[0], font, (margin, top), colours, max_width=scene.width - 2 * margin
        )
        top += line_height(font) + em // 2
    end_labels = [_end_label(series, scene, title_font) for series in scene.series]
    plot = _plot_area(scene, font, top, max(text_width(label, title_font) for label in end_labels), em)
    _add_grid(pen, drawing, plot, font, scene)
    _add_lines(pen, drawing, plot, scene, em)
    _add_end_labels(pen, drawing, plot, scene, labels=end_labels, font=title_font, em=em)
    return drawing


def _add_legend(pen: Pen, drawing: Drawing, scene: ChartScene, font: Font, *, x: int, y: int) -> int:
    line_px, colours = line_height(font), (Colour.PAGE, Colour.MUTED)
    left, right_edge = line_px * 2 // 3, scene.width - line_px // 2
    entries = [
        (Image.new("L", (line_px * 2 // 3,) * 2, _area_colour_index(pen, colour)), name)
        for name, colour in zip(scene.side_names or (), LINE_COLOURS, strict=False)
    ]
    if scene.stars and printable_text(scene.star_name):
        entries.append((_star_sprite(pen, line_px * 4 // 5), scene.star_name))
    entries += [
        (_mark_sprite(pen, kind, line_px * 4 // 5), name)
        for kind, name in enumerate(scene.mark_names)
        if any(mark == kind for _, mark in scene.marks)
    ]
    for symbol, name in entries:
        if x > left and x + line_px + text_width(printable_text(name), font) > right_edge:
            x, y = left, y + line_px * 5 // 4
        drawing.put(symbol, x, y + (line_px - symbol.height) // 2)
        x += line_px
        x += pen.draw_text(drawing, name, font, (x, y), colours, max_width=right_edge - x) + line_px * 2 // 3
    return y


def _area_colour_index(pen: Pen, colour: Colour) -> int:
    return pen.palette.ramps[Colour.PAGE, colour][_AREA_COVERAGE]


def _format_value(value: int, scene: ChartScene) -> str:
    sign = "+" if scene.side_names and not scene.base and value > 0 else "−" if value < 0 else ""
    return printable_text(f"{sign}{abs(value)}{scene.unit[:_MAX_UNIT_LENGTH]}")


def _end_label(series: Series, scene: ChartScene, font: Font) -> str:
    width, value = scene.width // 4, _format_value(series.values[-1], scene)
    name = shorten(printable_text(series.name), font, width - text_width(f" {value}", font))
    return f"{name} {value}".strip()


def _plot_area(scene: ChartScene, font: Font, top: int, end_label_width: int, em: int) -> _Plot:
    low, high, step = axis_range(scene)
    margin = em // 2
    widest = max(text_width(_format_value(value, scene), font) for value in (low, high))
    left = margin + widest + em // 4
    width = scene.width - left - end_label_width - em - em // 4 - margin
    height = scene.height - top - line_height(font) - margin - em // 4
    last_turn = max(len(series.values) for series in scene.series) - 1
    return _Plot(left, top, max(width, em), max(height, em), low, high, step, last_turn)


def axis_range(scene: ChartScene) -> tuple[int, int, int]:
    """Return the axis's lowest and highest value, and the distance between its grid lines.

    Every grid line is a multiple of this distance away from the base.
    """
    values = [value for series in scene.series for value in series.values]
    low, high = scene.span or (scene.base, scene.base + 1)
    low, high = min(low, *values), max(high, *values)
    step = tick_step(high - low, _TICK_COUNT)
    # A step is multiplied by 5/4 (20 becomes 25, and 100 becomes 125) if it stays whole and this puts a grid line at ``low``,
    # where the axis should begin.
    if (
        (low - scene.base) % step
        and scene.span
        and step * 5 % 4 == 0
        and not (low - scene.base) % (step * 5 // 4)
    ):
        step = step * 5 // 4
    first = scene.base + (low - scene.base) // step * step
    return first, first - (first - high) // step * step, step


def _add_grid(pen: Pen, drawing: Drawing, plot: _Plot, font: Font, scene: ChartScene) -> None:
    colours = (Colour.PAGE, Colour.MUTED)
    half_line = line_height(font) // 2
    for value in range(plot.low, plot.high + 1, plot.step):
        y = round(plot.y(value))
        is_base = value == scene.base
        colour = pen.palette.ramps[colours][255 if is_base else 64]
        drawing.fill(colour, plot.left, y, plot.width, 2 if is_base else 1)
        text = _format_value(value, scene)
        pen.draw_text(
            drawing, text, font, (plot.left - text_width(text, font) - font.px // 2, y - half_line), colours
        )
    y = plot.top + plot.height + font.px // 3
    label_width = text_width(str(plot.last_turn + scene.first_number), font) + font.px
    step = tick_step(plot.last_turn, max(1, plot.width // label_width)) if plot.last_turn else 1
    name_left = _draw_axis_name(pen, drawing, plot, scene, font, y=y, label_width=label_width)
    for turn in range(0, plot.last_turn + 1, step):
        x = round(plot.x(turn))
        drawing.fill(pen.palette.index_of(Colour.MUTED), x, plot.top + plot.height, 1, font.px // 4)
        label = str(turn + scene.first_number)
        if x + text_width(label, font) // 2 < name_left:
            position = (x - label_width // 2, y)
            pen.draw_text(drawing, label, font, position, colours, max_width=label_width, align=0.5)


def _draw_axis_name(
    pen: Pen, drawing: Drawing, plot: _Plot, scene: ChartScene, font: Font, *, y: int, label_width: int
) -> int:
    """Draw the name of the horizontal axis, in place of the last numbers if space is short. Return its left edge."""
    name, right_edge = printable_text(scene.axis_names[1]), scene.width - font.px // 2
    start = plot.left + plot.width + label_width // 2
    if name and start + text_width(name, font) > right_edge:
        start = max(plot.left, right_edge - text_width(name, font))
    pen.draw_text(drawing, name, font, (start, y), (Colour.PAGE, Colour.MUTED), max_width=right_edge - start)
    return start if name else scene.width


def _add_lines(pen: Pen, drawing: Drawing, plot: _Plot, scene: ChartScene, em: int) -> None:
    # The first line is on top.
    series = scene.series
    pad = em // 2
    size = (plot.width + 2 * pad, plot.height + 2 * pad)
    corner = (plot.left - pad, plot.top - pad)
    canvas = drawing.paint_box(
        (*corner, corner[0] + size[0], corner[1] + size[1]), pen.palette.index_of(Colour.PAGE)
    )
    lines = [
        [(plot.x(turn) - corner[0], plot.y(value) - corner[1]) for turn, value in enumerate(line.values)]
        for line in series
    ]
    first_line = lines[0]
    if scene.side_names:
        _fill_sides(pen, canvas, first_line, plot.y(scene.base) - corner[1])
    inner_plot = replace(plot, left=pad, top=pad)
    _add_bars(pen, canvas, inner_plot, scene)
    _add_divider(pen, canvas, inner_plot, scene, em)
    for number in reversed(range(len(series))):
        mask = _line_mask(lines[number], size, max(2, em // 13), max(4, em // 7), number)
        pen.stamp(canvas, mask, (0, 0), Colour.PAGE, LINE_COLOURS[number % len(LINE_COLOURS)])
    star = _star_sprite(pen, max(9, em * 3 // 4))
    for turn in scene.stars:
        _paste_on_line(canvas, first_line, turn, star, shapes.star(star.width))
    for turn, kind in sorted(scene.marks, key=lambda mark: mark[1]):
        number, _, size_in_ems = _MARK_STYLES[kind]
        side = max(11, round(em * size_in_ems)) | 1
        halo = _shape_mask(number, side, _HALO_RADIUS)
        _paste_on_line(canvas, first_line, turn, _mark_sprite(pen, kind, side), halo)
    drawing.put(canvas, *corner)


def _fill_sides(pen: Pen, canvas: Image.Image, points: Sequence[tuple[float, float]], base: float) -> None:
    mask = Image.new("1", canvas.size)
    if len(points) > 1:
        ImageDraw.Draw(mask).polygon([*points, (points[-1][0], base), (points[0][0], base)], fill=1)
    middle = max(0, min(round(base), canvas.height))
    for colour, box in zip(
        LINE_COLOURS, ((0, 0, canvas.width, middle), (0, middle, canvas.width, canvas.height)), strict=False
    ):
        canvas.paste(_area_colour_index(pen, colour), box[:2], mask.crop(box))


def _line_mask(
    points: Sequence[tuple[float, float]], size: tuple[int, int], thickness: int, radius: int, number: int
) -> Image.Image:
    # If turns are close together, some of their shapes are left out.
    large_mask = Image.new("L", (size[0] * shapes.OVERSAMPLING, size[1] * shapes.OVERSAMPLING))
    draw = ImageDraw.Draw(large_mask)
    scaled_points = [(x * shapes.OVERSAMPLING, y * shapes.OVERSAMPLING) for x, y in points]
    if len(scaled_points) > 1:
        draw.line(scaled_points, fill=255, width=thickness * shapes.OVERSAMPLING, joint="curve")
    distance = (scaled_points[-1][0] - scaled_points[0][0]) / max(1, len(scaled_points) - 1)
    radius *= shapes.OVERSAMPLING
    stride = max(1, -(-3 * radius // max(1, round(distance))))
    for index in {*range(0, len(scaled_points), stride), len(scaled_points) - 1}:
        _draw_shape(draw, scaled_points[index], radius, number)
    return large_mask.reduce(shapes.OVERSAMPLING)


def _add_end_labels(
    pen: Pen, drawing: Drawing, plot: _Plot, scene: ChartScene, *, labels: list[str], font: Font, em: int
) -> None:
    # In a small chart with many lines, the labels are cropped to the height of their capitals.
    height = max(min(line_height(font), plot.height // max(1, len(labels) - 1)), cap_height(font))
    ends = [plot.y(series.values[-1]) for series in scene.series]
    order = sorted(range(len(labels)), key=ends.__getitem__)
    positions = spread_apart(
        [round(ends[number]) for number in order], height, plot.top, plot.top + plot.height
    )
    x, side = plot.left + plot.width + em // 2, cap_height(font) + em // 5
    for number, y in zip(order, positions, strict=True):
        ramp = pen.palette.ramps[Colour.PAGE, LINE_COLOURS[number % len(LINE_COLOURS)]]
        drawing.put(_shape_mask(number, side, 0.66).point(ramp), x - em // 5, y - side // 2)
        sprite = pen.text_sprite(labels[number], font, Colour.PAGE, Colour.INK)
        top = max(0, ascent(font) - cap_height(font) // 2 - height // 2)
        cropped_sprite = sprite.crop((0, top, sprite.width, min(sprite.height, top + height)))
        left = x - em // 5 + side + em // 8
        drawing.put(cropped_sprite, left, y - (ascent(font) - cap_height(font) // 2 - top))


def spread_apart(positions: Sequence[int], distance: int, lowest: int, highest: int) -> list[int]:
    """Spread sorted positions at least ``distance`` apart. Keep them within the bounds if possible."""
    spread_positions: list[int] = []
    for position in positions:
        spread_positions.append(
            max(position, spread_positions[-1] + distance if spread_positions else lowest)
        )
    max_position = max(highest, lowest + distance * (len(spread_positions) - 1))
    for number in reversed(range(len(spread_positions))):
        spread_positions[number] = min(spread_positions[number], max_position)
        max_position = spread_positions[number] - distance
    return spread_positions
