"""Finds the rack beside a crossword board, and reads its tiles.

The search for rows (:mod:`~bot.sight.rows`) usually finds the rack several times, and also finds other rows. The row with the highest
score counts as the rack. The score is high if a row has many letters, and they are read with high probabilities. If most tiles have
points, the few tiles without points are blanks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
from PIL import Image

from bot.sight.blanks import MIN_INK_DISTANCE, points_corner
from bot.sight.crossword import MIN_CONFIDENCE
from bot.sight.rows import TileRow, find_rows
from bot.sight.squares import Floats, Grid, Pixels, cut_squares, middle_colours, tile_features
from bot.sight.tiles import LETTERS, OTHER_LETTER, letter_probabilities, ring_probabilities

MAX_RACK_SIZE: Final = 7
BLANK: Final = "?"

_UNKNOWN: Final = "#"
"""A tile whose letter is not one of A to Z."""
_NO_TILE: Final = " "
_MIN_LIKELY_PROBABILITY = 0.75
"""Minimum mean probability of a rack's letters. Letters beyond the end of a row count only above this probability."""
_EVEN_ODDS = 0.5
_MAX_COLOUR_DIFFERENCE = 26.0
"""Maximum difference between the colours of the tiles on a rack, from 0 to 255."""
_MAX_EMPTY_CONTRAST = 12.0
"""Maximum contrast within a box that has nothing on it, from 0 to 255."""
_MIN_LINE_SHARE = 0.96
"""A line that cuts through a box covers more than this share of the box's height or width."""
_FEW_TILES = 3
"""Tiles without points count as blanks only if there are fewer than this many, and the rack has more than this many tiles."""
_CERTAIN_BLANK_PROBABILITY = 0.8
"""A tile is doubtful if its probability of being a blank is between 1 - ``_CERTAIN_BLANK_PROBABILITY`` and ``_CERTAIN_BLANK_PROBABILITY``."""
_CROP_OFFSETS = ((0.025, -0.02), (-0.02, 0.025))
"""Shifts of the second and third crops to the right and down, in boxes."""


@dataclass(frozen=True, slots=True)
class RecognizedRack:
    """A rack read from a picture."""

    tiles: str
    """Letters from A to Z and :data:`BLANK`, from left to right. Tiles with other letters are left out."""
    is_confident: bool
    """Whether the rack needs no warning."""


@dataclass(frozen=True, slots=True)
class _Boxes:
    """The boxes of a row, and one more box beyond each end, where the row may continue."""

    row: TileRow
    box_pixels: Pixels
    """The row's boxes, then the extra box beyond each end if it is within the picture."""
    outer_ends: tuple[int, ...]
    """The ends with an extra box: -1 is the left end, 1 the right end."""

    @classmethod
    def cut(cls, picture: Image.Image, row: TileRow) -> _Boxes:
        first, last = row.box(0), row.box(row.box_count - 1)
        step = row.step / row.width
        ends = {-1: first.moved(-step, 0), 1: last.moved(step, 0)}
        boxes_in_picture = {
            end: box for end, box in ends.items() if box.left >= 0 and box.box[2] <= picture.width
        }
        boxes = chain(map(row.box, range(row.box_count)), boxes_in_picture.values())
        return cls(row, np.concatenate([cut_squares(picture, box) for box in boxes]), tuple(boxes_in_picture))


@dataclass(frozen=True, slots=True)
class _Contents:
    """The contents of a row's boxes, as read from one crop."""

    row: TileRow
    contents: str
    """One character per box: a letter, :data:`BLANK`, :data:`_UNKNOWN` or :data:`_NO_TILE`."""
    min_probability: float
    """The probability of the least certain letter."""
    is_certain: bool
    """Whether it is certain which boxes have tiles, which tiles are blanks, and that the row does not continue."""
    score: float
    """More probable racks score higher."""
    open_ends: tuple[int, ...]
    """The ends where there may be another tile, as in :attr:`_Boxes.outer_ends`."""

    def agrees_with(self, other: _Contents) -> bool:
        """Return whether this row may be another reading of the rack ``other``.

        The rows must overlap. The rack must also contain this row's tiles, one after another, or be more than two boxes longer.
        """
        return self.row.overlaps(other.row) and (
            self.row.box_count < other.row.box_count - 2 or self.contents.strip(_NO_TILE) in other.contents
        )


def read_rack(picture: Image.Image, board: Grid) -> RecognizedRack | None:
    candidates = _read_rows(picture, find_rows(picture, board))
    if not candidates:
        return None
    best = max(candidates, key=lambda rack: rack.score)
    while best.open_ends and best.row.box_count < MAX_RACK_SIZE:
        extended_rows = _read_rows(picture, [best.row.extended(best.open_ends)])
        if not extended_rows or extended_rows[0].score <= best.score:
            break
        best = extended_rows[0]
    crops = [crop for offset in _CROP_OFFSETS for crop in _read_rows(picture, [best.row.moved(*offset)])]
    tiles = best.contents.replace(_NO_TILE, "").replace(_UNKNOWN, "")
    if len(crops) < len(_CROP_OFFSETS) or len(tiles) > MAX_RACK_SIZE:
        return None
    # Another confident row may be the player's rack, while ``best`` belongs to the opponent or to another board.
    other_racks = [
        rack
        for rack in candidates
        if rack is not best
        and rack.min_probability >= MIN_CONFIDENCE
        and rack.is_certain
        and _NO_TILE not in rack.contents.strip(_NO_TILE)
    ]
    is_confident = (
        best.is_certain
        and best.min_probability >= MIN_CONFIDENCE
        and all(rack.contents == best.contents for rack in crops)
        and all(rack.agrees_with(best) for rack in other_racks)
    )
    return RecognizedRack(tiles, is_confident)


def _read_rows(picture: Image.Image, rows: Sequence[TileRow]) -> list[_Contents]:
    boxes_by_row = [
        boxes
        for row in rows
        if not _has_lines_across((boxes := _Boxes.cut(picture, row)).box_pixels[: row.box_count])
    ]
    if not boxes_by_row:
        return []
    probabilities = letter_probabilities(np.concatenate([boxes.box_pixels for boxes in boxes_by_row]))
    by_row = np.split(probabilities, np.cumsum([len(boxes.box_pixels) for boxes in boxes_by_row])[:-1])
    return [
        contents
        for row_boxes, row_probabilities in zip(boxes_by_row, by_row, strict=True)
        if (contents := _rack_contents(row_boxes, row_probabilities)) is not None
    ]


def _has_lines_across(box_pixels: Pixels) -> bool:
    # Boxes with a line through them are parts of other boxes, not tiles.
    values = box_pixels.astype(np.int16)
    for oriented_values in (values, values.swapaxes(1, 2)):
        change = np.abs(np.diff(oriented_values, axis=2)).max(axis=3) > _MAX_EMPTY_CONTRAST
        widened = change.copy()
        widened[:, :, 1:] |= change[:, :, :-1]
        widened[:, :, :-1] |= change[:, :, 1:]
        if (widened[:, 2:-2, 7:-7].mean(axis=1) > _MIN_LINE_SHARE).any():
            return True
    return False


def _rack_contents(boxes: _Boxes, probabilities: Floats) -> _Contents | None:
    """Return a row's contents, or None if the row is not a rack. The shape of ``probabilities`` is boxes × classes."""
    count = boxes.row.box_count
    box_pixels, row_probabilities = boxes.box_pixels[:count], probabilities[:count]
    colours, contrast = middle_colours(boxes.box_pixels, 5), _contrast(box_pixels)
    has_letter = (row_probabilities.argmax(axis=1) > 0) & (contrast > 2 * _MAX_EMPTY_CONTRAST)
    if not has_letter.any():
        return None
    face = np.median(colours[:count][has_letter], axis=0)
    has_tile_colour = np.abs(colours - face).max(axis=1) < _MAX_COLOUR_DIFFERENCE
    has_letter &= has_tile_colour[:count]
    if not has_letter.any() or row_probabilities[has_letter].max(axis=1).mean() < _MIN_LIKELY_PROBABILITY:
        return None
    features = tile_features(box_pixels)
    blank_probabilities = ring_probabilities(features)
    # A ring in a box of another colour does not mark a blank. If most letters seem to have a ring, all tiles are drawn this way.
    blank_probabilities[
        ~has_tile_colour[:count] | (np.median(blank_probabilities[has_letter]) > 1 - _MIN_LIKELY_PROBABILITY)
    ] = 0
    blank_probabilities[has_letter] = np.maximum(
        blank_probabilities[has_letter], _missing_points_certainty(features[has_letter, :, :, 1])
    )
    contents, min_probability, score = "", 1.0, 0.0
    is_empty = ~has_tile_colour[:count] | (contrast < _MAX_EMPTY_CONTRAST)
    is_certain = not (
        (blank_probabilities > 1 - _CERTAIN_BLANK_PROBABILITY)
        & (blank_probabilities < _CERTAIN_BLANK_PROBABILITY)
    ).any() and bool((has_letter | is_empty | (blank_probabilities > _CERTAIN_BLANK_PROBABILITY)).all())
    for index, best in enumerate(row_probabilities[:, 1:].argmax(axis=1) + 1):
        if blank_probabilities[index] > _EVEN_ODDS or (is_empty[index] and has_tile_colour[index]):
            contents += BLANK
        elif not has_letter[index]:
            contents += _NO_TILE
        else:
            probability = float(row_probabilities[index, best])
            contents += _UNKNOWN if best == OTHER_LETTER else LETTERS[best - 1]
            min_probability = min(min_probability, 0.0 if best == OTHER_LETTER else probability)
            score += probability - _EVEN_ODDS
    score += 0.3 * contents.count(BLANK)
    end_indexes = {end: count + offset for offset, end in enumerate(boxes.outer_ends)}
    open_ends = tuple(end for end, index in end_indexes.items() if probabilities[index, 0] < _EVEN_ODDS)
    has_tile_outside = any(
        probabilities[index, 1:].max() > _MIN_LIKELY_PROBABILITY and has_tile_colour[index]
        for index in end_indexes.values()
    )
    return _Contents(
        boxes.row,
        contents,
        min_probability,
        is_certain and (count == MAX_RACK_SIZE or not has_tile_outside),
        score,
        open_ends,
    )


def _missing_points_certainty(pixel_distances: Floats) -> Floats:
    """Return how certain it is, from 0 to 1, that each tile lacks points, although most tiles have them."""
    estimates: list[Floats] = []
    for margin in (1, 3):
        corner = points_corner(pixel_distances > MIN_INK_DISTANCE, margin, divisor=2)
        if corner is not None:
            ink = corner[0].astype(np.float64)
            median_ink = float(np.median(ink))
            certainty = np.clip((0.4 * median_ink - ink) / (0.3 * median_ink), 0, 1)
            estimates.append(certainty.astype(np.float32))
    mean_certainty = (
        np.mean(estimates, axis=0)
        if estimates and len(pixel_distances) > _FEW_TILES
        else np.zeros(len(pixel_distances))
    )
    return np.asarray(
        mean_certainty * (np.count_nonzero(mean_certainty > _EVEN_ODDS) < _FEW_TILES), np.float32
    )


def _contrast(box_pixels: Pixels) -> Floats:
    # The contrast is measured between the ink and the background of each box, from 0 to 255.
    distance = np.abs(box_pixels.astype(np.float32) - middle_colours(box_pixels, 5)[:, None, None]).max(
        axis=3
    )
    return np.asarray(
        np.percentile(distance[:, 5:-5, 5:-5].reshape(len(box_pixels), -1), 96, axis=1), np.float32
    )
