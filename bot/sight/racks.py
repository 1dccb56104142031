"""Finds the rack beside a board of a crossword game, and reads its tiles.

A rack is a row of boxes with letters. One rack is found as several rows of slightly different places and sizes, and many rows
are not racks. The row whose letters are the most certain is the rack. A tile without a letter is a blank. If most tiles have
a value, the few tiles without a value are blanks as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
from PIL import Image

from bot.sight.blanks import INK, MIN_VALUE_INK, NEARLY_ALL
from bot.sight.crossword import MIN_CONFIDENCE
from bot.sight.rows import TileRow, find_rows
from bot.sight.squares import SIDE, Floats, Grid, Pixels, cut, tile_features
from bot.sight.tiles import LETTERS, OTHER, letter_probabilities, ring_probabilities

MAX_RACK: Final = 7
"""Maximum number of tiles on a rack."""
BLANK: Final = "?"
"""A blank on a rack."""

_UNKNOWN: Final = "#"
"""A tile whose letter is not one of A to Z."""
_NO_TILE: Final = " "
"""A box without a tile."""
_MIN_LIKELY = 0.75
"""Minimum probability of a likely letter, and minimum mean probability of a rack's letters."""
_EVEN_ODDS = 0.5
_MAX_DIFFERENCE = 26.0
"""Maximum difference between the colours of a rack's tiles, from 0 to 255."""
_MAX_EMPTY_CONTRAST = 12.0
"""Maximum contrast of an empty box, from 0 to 255."""
_MIN_LINE_HEIGHT = 0.96
"""Minimum height, as a share of the box's height, of a line that cuts through a box."""
_MAX_FEW = 3
"""On a rack of at most this many tiles, a missing value is not evidence of a blank. This many missing values or more are not
evidence on any rack."""
_CERTAIN_BLANK = 0.8
"""Minimum probability of a certain blank."""
_CROP_OFFSETS = ((0.025, -0.02), (-0.02, 0.025))
"""Offsets of additional crops, in boxes. If the crops disagree, the rack is not certain."""


@dataclass(frozen=True, slots=True)
class RackSight:
    """A rack read from a picture."""

    tiles: str
    """The tiles of the rack in order: letters and :data:`BLANK`."""
    confident: bool
    """Whether the rack is certain enough to show without a warning."""


@dataclass(frozen=True, slots=True)
class _Boxes:
    """The boxes of a row, and the boxes before and after it."""

    row: TileRow
    squares: Pixels
    outer_ends: tuple[int, ...]
    """The last of :attr:`squares` are outside the row. For each of them: -1 if it is before the row, 1 if it is after it."""

    @classmethod
    def cut(cls, picture: Image.Image, row: TileRow) -> _Boxes:
        first, last = row.box(0), row.box(row.count - 1)
        step = row.step / row.width
        ends = {-1: first.moved(-step, 0), 1: last.moved(step, 0)}
        within = {end: box for end, box in ends.items() if box.left >= 0 and box.box[2] <= picture.width}
        boxes = chain(map(row.box, range(row.count)), within.values())
        return cls(row, np.concatenate([cut(picture, box) for box in boxes]), tuple(within))


@dataclass(frozen=True, slots=True)
class _Contents:
    """The contents of a row's boxes."""

    row: TileRow
    contents: str
    """Letters, :data:`BLANK`, :data:`_UNKNOWN` and :data:`_NO_TILE`, from the left."""
    min_probability: float
    """The probability of the least certain letter."""
    clear: bool
    """Whether it is certain which boxes in and beyond the row have tiles, and which of these are blanks."""
    score: float
    """A sum over the letters and blanks: the higher the sum, the more probably the row is a rack."""
    open_ends: tuple[int, ...]
    """The ends beyond which there may be another tile: -1 for the start, 1 for the end."""

    @property
    def is_whole(self) -> bool:
        """Whether the row has no gap."""
        return _NO_TILE not in self.contents.strip(_NO_TILE)

    def agrees(self, other: _Contents) -> bool:
        """Return whether ``other``, a row at the same place, contains this row's tiles, or is more than two boxes longer."""
        if not self.row.overlaps(other.row):
            return False
        return self.row.count < other.row.count - 2 or self.contents.strip(_NO_TILE) in other.contents


def read_rack(picture: Image.Image, board: Grid) -> RackSight | None:
    """Return the rack beside a board on an RGB picture, if it shows one."""
    candidates = _read(picture, find_rows(picture, board))
    if not candidates:
        return None
    best = max(candidates, key=lambda rack: rack.score)
    while best.open_ends and best.row.count < MAX_RACK:
        extended = _read(picture, [best.row.extended(best.open_ends)])
        if not extended or extended[0].score <= best.score:
            break
        best = extended[0]
    crops = [
        candidates for offset in _CROP_OFFSETS for candidates in _read(picture, [best.row.moved(*offset)])
    ]
    tiles = best.contents.replace(_NO_TILE, "").replace(_UNKNOWN, "")
    if len(crops) < len(_CROP_OFFSETS) or len(tiles) > MAX_RACK:
        return None
    # Another row with certain letters may be the rack, or belong to the opponent or another board.
    others = [
        rack
        for rack in candidates
        if rack is not best and rack.min_probability >= MIN_CONFIDENCE and rack.clear and rack.is_whole
    ]
    confident = (
        best.clear
        and best.min_probability >= MIN_CONFIDENCE
        and all(rack.contents == best.contents for rack in crops)
        and all(rack.agrees(best) for rack in others)
    )
    return RackSight(tiles, confident)


def _read(picture: Image.Image, rows: Sequence[TileRow]) -> list[_Contents]:
    """Return the rows that may be a rack."""
    boxes = [
        cut_row
        for row in rows
        if not _has_lines_across((cut_row := _Boxes.cut(picture, row)).squares[: row.count])
    ]
    if not boxes:
        return []
    probabilities = letter_probabilities(np.concatenate([row.squares for row in boxes]))
    parts = np.split(probabilities, np.cumsum([len(row.squares) for row in boxes])[:-1])
    return [
        contents
        for row, part in zip(boxes, parts, strict=True)
        if (contents := _rack_contents(row, part)) is not None
    ]


def _has_lines_across(squares: Pixels) -> bool:
    """Return whether lines cut through the boxes, which are then parts of other boxes."""
    values = squares.astype(np.int16)
    for axes in (values, values.swapaxes(1, 2)):
        change = np.abs(np.diff(axes, axis=2)).max(axis=3) > _MAX_EMPTY_CONTRAST
        widened = change.copy()
        widened[:, :, 1:] |= change[:, :, :-1]
        widened[:, :, :-1] |= change[:, :, 1:]
        if (widened[:, 2:-2, 7:-7].mean(axis=1) > _MIN_LINE_HEIGHT).any():
            return True
    return False


def _rack_contents(boxes: _Boxes, probabilities: Floats) -> _Contents | None:
    """Return the contents of a row, or None if it is not a rack."""
    count = boxes.row.count
    squares, row_probabilities = boxes.squares[:count], probabilities[:count]
    colours, contrast = _faces(boxes.squares), _contrast(squares)
    has_letter = (row_probabilities.argmax(axis=1) > 0) & (contrast > 2 * _MAX_EMPTY_CONTRAST)
    if not has_letter.any():
        return None
    face = np.median(colours[:count][has_letter], axis=0)
    has_tile_colour = np.abs(colours - face).max(axis=1) < _MAX_DIFFERENCE
    has_letter &= has_tile_colour[:count]
    if not has_letter.any() or row_probabilities[has_letter].max(axis=1).mean() < _MIN_LIKELY:
        return None
    features = tile_features(squares)
    blank = ring_probabilities(features)
    # Rings on other colours do not count, nor do rings around most letters.
    blank[~has_tile_colour[:count] | (np.median(blank[has_letter]) > 1 - _MIN_LIKELY)] = 0
    blank[has_letter] = np.maximum(blank[has_letter], _missing_values(features[has_letter, :, :, 1]))
    contents, min_probability, score = "", 1.0, 0.0
    empty = ~has_tile_colour[:count] | (contrast < _MAX_EMPTY_CONTRAST)
    clear = not ((blank > 1 - _CERTAIN_BLANK) & (blank < _CERTAIN_BLANK)).any() and bool(
        (has_letter | empty | (blank > _CERTAIN_BLANK)).all()
    )
    for number, best in enumerate(row_probabilities[:, 1:].argmax(axis=1) + 1):
        if blank[number] > _EVEN_ODDS or (empty[number] and has_tile_colour[number]):
            contents += BLANK
        elif not has_letter[number]:
            contents += _NO_TILE
        else:
            probability = float(row_probabilities[number, best])
            contents += _UNKNOWN if best == OTHER else LETTERS[best - 1]
            min_probability = min(min_probability, 0.0 if best == OTHER else probability)
            score += probability - _EVEN_ODDS
    score += 0.3 * contents.count(BLANK)
    end_indices = {end: count + number for number, end in enumerate(boxes.outer_ends)}
    open_ends = tuple(end for end, index in end_indices.items() if probabilities[index, 0] < _EVEN_ODDS)
    tile_outside = any(
        probabilities[index, 1:].max() > _MIN_LIKELY and has_tile_colour[index]
        for index in end_indices.values()
    )
    return _Contents(
        boxes.row,
        contents,
        min_probability,
        clear and (count == MAX_RACK or not tile_outside),
        score,
        open_ends,
    )


def _missing_values(ink_distance: Floats) -> Floats:
    """Return the certainty that each tile lacks a value. ``ink_distance`` is the distance of a tile's pixels from its own colour."""
    estimates = [
        estimate for edge in (1, 3) if (estimate := _missing_values_at(ink_distance, edge)) is not None
    ]
    missing = (
        np.mean(estimates, axis=0)
        if estimates and len(ink_distance) > _MAX_FEW
        else np.zeros(len(ink_distance))
    )
    return np.asarray(missing * (np.count_nonzero(missing > _EVEN_ODDS) < _MAX_FEW), np.float32)


def _missing_values_at(ink_distance: Floats, edge: int) -> Floats | None:
    """Return the certainty that each tile shows no value. Return None if the program does not write values on tiles."""
    start, end = slice(edge, edge + 8), slice(SIDE - edge - 8, SIDE - edge)
    missing: Floats | None = None
    most_ink = 0.0
    for rows, columns in ((end, end), (end, start), (start, end), (start, start)):
        ink = (ink_distance[:, rows, columns] > INK).mean(axis=(1, 2))
        median_ink = float(np.median(ink))
        if median_ink > max(most_ink, MIN_VALUE_INK) and np.mean(ink > median_ink / 2) > NEARLY_ALL:
            missing, most_ink = (
                np.clip((0.4 * median_ink - ink) / (0.3 * median_ink), 0, 1).astype(np.float32),
                median_ink,
            )
    return missing


def _faces(squares: Pixels) -> Floats:
    """Return the usual colour of each box."""
    inner = squares[:, 5:-5, 5:-5].reshape(len(squares), -1, 3)
    return np.asarray(np.median(inner, axis=1), np.float32)


def _contrast(squares: Pixels) -> Floats:
    """Return the contrast between each box's ink and its own colour, from 0 to 255."""
    distance = np.abs(squares.astype(np.float32) - _faces(squares)[:, None, None]).max(axis=3)
    return np.asarray(
        np.percentile(distance[:, 5:-5, 5:-5].reshape(len(squares), -1), 96, axis=1), np.float32
    )
