"""The panel: players with scores and racks, and titled blocks of words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Concatenate

from PIL import Image

from render import shapes
from render.drawing import Drawing, P, Pen, cached_sprite, line_height
from render.fonts import Font, glyph, printable_text, shorten, text_width
from render.metrics import Metrics, TileSizes, tile_sizes
from render.scene import Mark, PlayerRow, Section, TileFace
from render.sprites import chess_square_sprite, tile_sprite
from render.theme import Colour

MAX_PLAYERS = 8
MAX_RACK_TILES = 40
MAX_WORDS = 600
_MAX_LARGE_CARDS = 3  # If there are more players, each gets one line.

_PAGE_COLOURS = (Colour.PAGE, Colour.INK, Colour.MUTED)
"""Background, ink of names and scores, and ink of notes, on most cards."""
_TURN_COLOURS = (Colour.TURN, Colour.TURN_INK, Colour.TURN_MUTED)
"""Background, ink of the name and the score, and ink of notes, on the card of the player to move."""


def _cached_block(draw: Callable[Concatenate[Pen, P], Drawing]) -> Callable[Concatenate[Pen, P], Drawing]:
    @wraps(draw)
    def cached(pen: Pen, /, *args: P.args, **options: P.kwargs) -> Drawing:
        return pen.blocks.get((draw, args, *options.values()), partial(draw, pen, *args, **options))

    return cached


@_cached_block
def _rack_drawing(
    pen: Pen, tiles: tuple[TileFace, ...], note: str, width: int, colours: tuple[Colour, Colour]
) -> Drawing:
    metrics = pen.metrics
    omitted_count = len(tiles) - MAX_RACK_TILES
    tiles = tiles[:MAX_RACK_TILES]
    if omitted_count > 0:
        note = f"+{omitted_count} {note}".rstrip()
    sizes, per_row = _fit_rack(metrics, len(tiles), width)
    step = sizes.side + metrics.rack_gap
    last_row, last_column = divmod(len(tiles) - 1, per_row)
    drawing = Drawing(min(len(tiles), per_row) * step - metrics.rack_gap, last_row * step + sizes.side)
    for number, face in enumerate(tiles):
        row, column = divmod(number, per_row)
        drawing.put(tile_sprite(pen, face, Mark.NONE, sizes, colours[0]), column * step, row * step)
    if printable_text(note):
        font = metrics.title_font
        x = (last_column + 1) * step + metrics.pad // 2
        if x + text_width(printable_text(note), font) <= width:
            y = last_row * step + (sizes.side - line_height(font)) // 2
        else:
            x, y = 0, drawing.height + metrics.rack_gap
            drawing.height = y + line_height(font)
        note_width = pen.draw_text(drawing, note, font, (x, y), colours, max_width=width)
        drawing.width = max(drawing.width, x + note_width)
    return drawing


def _captured_drawing(pen: Pen, player: PlayerRow, width: int, colours: tuple[Colour, Colour]) -> Drawing:
    metrics = pen.metrics
    font, note = metrics.title_font, player.rack_note
    pieces = player.captured[:MAX_RACK_TILES]
    full_side = round(metrics.unit * (1.15 if player.can_drop_captured else 0.62))
    note_width = (
        min(text_width(printable_text(note), font) + metrics.pad, width // 2) if printable_text(note) else 0
    )
    side = max(4, min(full_side, (width - note_width) // len(pieces)))
    drawing = Drawing(0, max(side, line_height(font)))
    for piece in pieces:
        sprite = chess_square_sprite(pen, piece, Colour.CHESS_LIGHT, side)
        drawing.put(sprite, drawing.width, (drawing.height - side) // 2)
        drawing.width += side
    if printable_text(note):
        drawing.width += metrics.pad // 2
        position = (drawing.width, (drawing.height - line_height(font)) // 2)
        drawing.width += pen.draw_text(
            drawing, note, font, position, colours, max_width=width - drawing.width
        )
    return drawing


def draw_rack_or_captured(
    pen: Pen, player: PlayerRow, width: int, colours: tuple[Colour, Colour]
) -> Drawing | None:
    if player.rack:
        return _rack_drawing(pen, player.rack, player.rack_note, width, colours)
    return _captured_drawing(pen, player, width, colours) if player.captured else None


def _fit_rack(metrics: Metrics, count: int, width: int) -> tuple[TileSizes, int]:
    """Return the tile sizes with which a rack fits, and the number of tiles per row."""
    gap, full_side = metrics.rack_gap, metrics.rack_tile_sizes.side
    per_row = (width + gap) // (full_side + gap)
    if count <= per_row:
        return metrics.rack_tile_sizes, per_row
    squeezed_side = (width + gap) // count - gap
    if squeezed_side >= full_side * 0.66:
        return tile_sizes(squeezed_side), count
    smaller_sizes = tile_sizes(round(full_side * 0.8))
    row_count = -(-count // ((width + gap) // (smaller_sizes.side + gap)))
    return smaller_sizes, -(-count // row_count)


@cached_sprite
def _card_background(pen: Pen, width: int, height: int) -> Image.Image:
    radius, bar = round(pen.metrics.unit * 0.14), pen.metrics.bar_width
    canvas = Image.new("L", (width, height), pen.palette.index_of(Colour.PAGE))
    pen.stamp(canvas, shapes.rounded_rectangle(width, height, radius), (0, 0), Colour.PAGE, Colour.TURN)
    bar_mask = shapes.rounded_rectangle(2 * radius + bar, height, radius).crop((0, 0, bar, height))
    pen.stamp(canvas, bar_mask, (0, 0), Colour.PAGE, Colour.TURN_BAR)
    return canvas


def _note_text(player: PlayerRow) -> str:
    notes = (player.note, "" if player.rack or player.captured else player.rack_note)
    return " · ".join(filter(None, map(printable_text, notes)))


@_cached_block
def _draw_head(
    pen: Pen, player: PlayerRow, width: int, *, one_line: bool, has_note_line: bool, score_beside_name: bool
) -> Drawing:
    """Draw a player's name, note and score.

    With ``has_note_line``, a player without a note also gets a line for it, so that the names of all players are level. With
    ``score_beside_name``, the score follows the name, because on cards side by side, a score at the right edge would seem to
    belong to the next player.
    """
    metrics = pen.metrics
    background, ink, muted = _TURN_COLOURS if player.to_move else _PAGE_COLOURS
    score_font = (
        metrics.score_font._replace(px=round(metrics.unit * 0.66)) if one_line else metrics.score_font
    )
    drawing = Drawing(width, line_height(score_font))
    name_height, note_height = line_height(metrics.name_font), line_height(metrics.title_font)
    note = _note_text(player)
    if has_note_line:
        drawing.height = max(drawing.height, name_height + note_height)
    score_top = (drawing.height - line_height(score_font)) // 2
    score_width = text_width(shorten(printable_text(player.score), score_font, width * 3 // 5), score_font)
    free_width = width - score_width - (metrics.pad if score_width else 0)
    name_top, note_width = (drawing.height - name_height) // 2, 0
    if note and one_line:
        # The note gets the space that the name leaves, but at least half of the line.
        name_space = text_width(printable_text(player.name), metrics.name_font) + metrics.pad
        note_space = max(0, free_width // 2, free_width - name_space)
        note_width = min(text_width(note, metrics.title_font), note_space)
        position = (free_width - note_width, (drawing.height - note_height) // 2)
        pen.draw_text(
            drawing, note, metrics.title_font, position, (background, muted), max_width=note_width, align=1
        )
        free_width -= note_width + metrics.pad
    elif has_note_line:
        name_top = (drawing.height - name_height - note_height) // 2
        position = (0, name_top + name_height)
        note_width = pen.draw_text(
            drawing, note, metrics.title_font, position, (background, muted), max_width=free_width
        )
    name_width = pen.draw_text(
        drawing, player.name, metrics.name_font, (0, name_top), (background, ink), max_width=free_width
    )
    score_follows = score_beside_name and not (note and one_line)
    x = max(name_width, note_width) + metrics.pad if score_follows else width - score_width
    position = (min(x, width - score_width), score_top)
    pen.draw_text(drawing, player.score, score_font, position, (background, ink), max_width=score_width)
    return drawing


def _draw_card(pen: Pen, player: PlayerRow, content: Drawing, width: int, height: int) -> Drawing:
    card = Drawing(width, height)
    if player.to_move:
        card.put(_card_background(pen, width, height), 0, 0)
    card.add(content, pen.metrics.inset, (height - content.height) // 2)
    return card


def cards_column(pen: Pen, players: Sequence[PlayerRow], width: int) -> Drawing:
    metrics = pen.metrics
    column = Drawing(width, 0)
    drawn_players = players[:MAX_PLAYERS]
    one_line = len(drawn_players) > _MAX_LARGE_CARDS
    inner_width = width - metrics.inset - metrics.pad
    has_note_line = not one_line and any(map(_note_text, drawn_players))
    padding = metrics.pad // 4 if one_line else metrics.pad * 2 // 3
    for number, player in enumerate(drawn_players):
        head = _draw_head(
            pen, player, inner_width, one_line=one_line, has_note_line=has_note_line, score_beside_name=False
        )
        content = Drawing(inner_width, head.height)
        content.add(head, 0, 0)
        colours = _TURN_COLOURS if player.to_move else _PAGE_COLOURS
        if rack := draw_rack_or_captured(pen, player, inner_width, (colours[0], colours[2])):
            content.add(rack, 0, content.height + padding // 2)
            content.height += rack.height + padding
        card = _draw_card(pen, player, content, width, content.height + 2 * padding)
        column.height += metrics.pad // 3 if number else 0
        column.add(card, 0, column.height)
        column.height += card.height
    if len(players) > MAX_PLAYERS:
        _add_omitted_count(pen, column, len(players) - MAX_PLAYERS)
    return column


def _add_omitted_count(pen: Pen, cards: Drawing, omitted_count: int) -> None:
    font, position = pen.metrics.title_font, (pen.metrics.inset, cards.height)
    pen.draw_text(cards, f"+{omitted_count}", font, position, (Colour.PAGE, Colour.MUTED))
    cards.height += line_height(font)


def cards_row(pen: Pen, players: Sequence[PlayerRow], width: int) -> Drawing:
    """Draw the players' names and scores side by side, in as many rows as needed."""
    metrics = pen.metrics
    block = Drawing(width, 0)
    drawn_players = players[:MAX_PLAYERS]
    if not drawn_players:
        return block
    max_per_row = max(1, width // (metrics.unit * (7 if len(drawn_players) <= 2 else 5)))
    row_count = -(-len(drawn_players) // min(max_per_row, 4))
    per_row = -(-len(drawn_players) // row_count)
    card_width = (width - (per_row - 1) * metrics.pad) // per_row
    inner_width = card_width - metrics.inset - metrics.pad
    one_line = row_count > 1
    has_note_line = not one_line and any(map(_note_text, drawn_players))
    heads = [
        _draw_head(
            pen, player, inner_width, one_line=one_line, has_note_line=has_note_line, score_beside_name=True
        )
        for player in drawn_players
    ]
    height = heads[0].height + metrics.pad // (4 if one_line else 2)
    for number, (player, head) in enumerate(zip(drawn_players, heads, strict=True)):
        row, column = divmod(number, per_row)
        card = _draw_card(pen, player, head, card_width, height)
        block.add(card, column * (card_width + metrics.pad), row * (height + metrics.pad // 3))
    block.height = row_count * height + (row_count - 1) * (metrics.pad // 3)
    if len(players) > MAX_PLAYERS:
        _add_omitted_count(pen, block, len(players) - MAX_PLAYERS)
    return block


def titled_block(pen: Pen, title: str, body: Drawing, width: int) -> Drawing:
    block = Drawing()
    font = pen.metrics.title_font
    title_width = pen.draw_text(block, title, font, (0, 0), (Colour.PAGE, Colour.MUTED), max_width=width)
    top = line_height(font) if title_width else 0
    block.add(body, 0, top)
    block.width, block.height = max(body.width, title_width), body.height + top
    return block


@_cached_block
def section_drawing(pen: Pen, section: Section, width: int, height: int) -> Drawing:
    """Draw a titled block of words. If words are left out, it ends with their number, such as ``+12``."""
    metrics = pen.metrics
    font = metrics.section_font if section.is_strong else metrics.muted_section_font
    colours = (Colour.PAGE, Colour.INK if section.is_strong else Colour.MUTED)
    body = Drawing()
    step = line_height(font)
    title_height = line_height(metrics.title_font) if printable_text(section.title) else 0
    max_lines = (height - title_height) // step
    if max_lines < 1:
        return Drawing()
    space = glyph(" ", font).advance
    for line in _wrap_words(section.words, font, width, max_lines):
        x = 0
        for word in line:
            x += pen.draw_text(body, word, font, (x, body.height), colours) + space
        body.width = max(body.width, x - space)
        body.height += step
    return titled_block(pen, section.title, body, width)


def _wrap_words(words: Sequence[str], font: Font, width: int, max_lines: int) -> list[list[str]]:
    space = glyph(" ", font).advance
    lines: list[list[str]] = []
    free_width = 0
    drawn_count = 0
    for word in words[:MAX_WORDS]:
        for part in _break_word(printable_text(word), font, width):
            part_width = text_width(part, font)
            if not lines or part_width > free_width:
                lines.append([])
                free_width = width
            lines[-1].append(part)
            free_width -= part_width + space
        if len(lines) > max_lines:
            break
        drawn_count += 1
    if drawn_count == len(words):
        return lines
    lines = lines[:max_lines]
    dropped_count = len(words) - drawn_count
    while (
        lines[-1]
        and sum(text_width(w, font) + space for w in (*lines[-1], f"+{dropped_count}")) > width + space
    ):
        lines[-1].pop()
        dropped_count += 1
    lines[-1].append(f"+{dropped_count}")
    return lines


def _break_word(word: str, font: Font, width: int) -> list[str]:
    if text_width(word, font) <= width:
        return [word] if word else []
    width -= font.px // 2  # The ink of a part may extend beyond the sum of its advances.
    parts, start, used_width = [], 0, 0
    for end, char in enumerate(word):
        advance = glyph(char, font).advance
        if used_width + advance > width and end > start:
            parts.append(word[start:end])
            start, used_width = end, 0
        used_width += advance
    parts.append(word[start:])
    return parts
