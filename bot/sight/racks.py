"""The rack beside a board of a crossword game: which row of tiles it is, and what lies on it.

A rack is a row of boxes with letters. One rack gives rows at several places and sizes, and many rows are not racks. The
row with the most certain letters is the rack. A tile without a letter, or the only one without a value, is a blank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
from PIL import Image

from bot.sight.blanks import INK, MIN_INK
from bot.sight.crossword import MIN_CONFIDENCE
from bot.sight.rows import TileRow, find_rows
from bot.sight.squares import SIDE, Floats, Grid, Pixels, cut, tile_features
from bot.sight.tiles import LETTERS, OTHER, letter_shares, ringed

LARGEST: Final = 7
"""Tiles on a rack."""
BLANK: Final = "?"

_UNKNOWN: Final = "#"
"""A tile whose letter is none of A to Z."""
_NOTHING: Final = " "
"""A box without a tile."""
_LIKELY = 0.75
"""Minimum mean probability of a rack's letters."""
_EVEN_ODDS = 0.5
_ALIKE = 26.0
"""Maximum difference between the colours of a rack's tiles, from 0 to 255."""
_BARE = 12.0
"""Maximum contrast of a box with nothing on it, from 0 to 255."""
_THROUGH = 0.96
"""The share of a box's height of a line right through it."""
_FEW = 3
"""Number of tiles up to which a missing value is no evidence."""
_EVIDENT = 0.8
"""A blank that is more probable is certain."""
_CROP_OFFSETS = ((0.025, -0.02), (-0.02, 0.025))
"""Offsets of the other cuts, in boxes: the result must not depend on them."""


@dataclass(frozen=True, slots=True)
class RackSight:
    """A rack as it was read from a picture."""

    tiles: str
    """The tiles of the rack in order: letters and :data:`BLANK`."""
    confident: bool
    """Whether it may be stated as fact."""


@dataclass(frozen=True, slots=True)
class _Boxes:
    """The boxes of a row, and those before and after it."""

    row: TileRow
    squares: Pixels
    beyond: tuple[int, ...]
    """Which of :attr:`squares` are beyond the row: -1 before it, 1 after it."""

    @classmethod
    def cut(cls, picture: Image.Image, row: TileRow) -> _Boxes:
        first, last = row.box(0), row.box(row.count - 1)
        step = row.step / row.width
        ends = {-1: first.moved(-step, 0), 1: last.moved(step, 0)}
        within = {end: box for end, box in ends.items() if box.left >= 0 and box.box[2] <= picture.width}
        boxes = chain(map(row.box, range(row.count)), within.values())
        return cls(row, np.concatenate([cut(picture, box) for box in boxes]), tuple(within))


@dataclass(frozen=True, slots=True)
class _Seen:
    """The contents of a row's boxes."""

    row: TileRow
    signs: str
    """Letters, :data:`BLANK`, :data:`_UNKNOWN` and :data:`_NOTHING`, from the left."""
    sure: float
    """The probability of the least certain letter."""
    clear: bool
    """Whether it is certain which boxes, and those beyond, have tiles, and which of these are blanks."""
    worth: float
    """The sum of its certain letters."""
    more: tuple[int, ...]
    """The ends that may have another tile: -1 and 1."""

    @property
    def is_whole(self) -> bool:
        """Whether it has no gap."""
        return _NOTHING not in self.signs.strip(_NOTHING)

    def agrees(self, other: _Seen) -> bool:
        """Return whether it reads the same as a row with at least its number of boxes, or is too short to matter."""
        if not self.row.overlaps(other.row):
            return False
        return self.row.count < other.row.count - 2 or self.signs.strip(_NOTHING) in other.signs


def read_rack(picture: Image.Image, board: Grid) -> RackSight | None:
    """Return the rack beside a board on an RGB picture, if it shows one."""
    seen = _read(picture, find_rows(picture, board))
    if not seen:
        return None
    best = max(seen, key=lambda rack: rack.worth)
    while best.more and best.row.count < LARGEST:
        longer = _read(picture, [best.row.longer(best.more)])
        if not longer or longer[0].worth <= best.worth:
            break
        best = longer[0]
    beside = [seen for away in _CROP_OFFSETS for seen in _read(picture, [best.row.moved(*away)])]
    tiles = best.signs.replace(_NOTHING, "").replace(_UNKNOWN, "")
    if len(beside) < len(_CROP_OFFSETS) or len(tiles) > LARGEST:
        return None
    # Other rows of certain letters may be the rack: the opponent's, or another board's.
    others = [
        rack
        for rack in seen
        if rack is not best and rack.sure >= MIN_CONFIDENCE and rack.clear and rack.is_whole
    ]
    confident = (
        best.clear
        and best.sure >= MIN_CONFIDENCE
        and all(rack.signs == best.signs for rack in beside)
        and all(rack.agrees(best) for rack in others)
    )
    return RackSight(tiles, confident)


def _read(picture: Image.Image, rows: Sequence[TileRow]) -> list[_Seen]:
    """Return those rows that may be a rack."""
    boxes = [
        cut_row for row in rows if not _is_cut((cut_row := _Boxes.cut(picture, row)).squares[: row.count])
    ]
    if not boxes:
        return []
    shares = letter_shares(np.concatenate([row.squares for row in boxes]))
    parts = np.split(shares, np.cumsum([len(row.squares) for row in boxes])[:-1])
    return [seen for row, part in zip(boxes, parts, strict=True) if (seen := _weighed(row, part)) is not None]


def _is_cut(squares: Pixels) -> bool:
    """Return whether lines go right through boxes: then they are parts of others."""
    values = squares.astype(np.int16)
    for turned in (values, values.swapaxes(1, 2)):
        change = np.abs(np.diff(turned, axis=2)).max(axis=3) > _BARE
        wide = change.copy()
        wide[:, :, 1:] |= change[:, :, :-1]
        wide[:, :, :-1] |= change[:, :, 1:]
        if (wide[:, 2:-2, 7:-7].mean(axis=1) > _THROUGH).any():
            return True
    return False


def _weighed(boxes: _Boxes, shares: Floats) -> _Seen | None:
    """Return the contents of a row, or None if it is not a rack."""
    count = boxes.row.count
    squares, own = boxes.squares[:count], shares[:count]
    colours, contrast = _faces(boxes.squares), _contrast(squares)
    written = (own.argmax(axis=1) > 0) & (contrast > 2 * _BARE)
    if not written.any():
        return None
    face = np.median(colours[:count][written], axis=0)
    alike = np.abs(colours - face).max(axis=1) < _ALIKE
    written &= alike[:count]
    if not written.any() or own[written].max(axis=1).mean() < _LIKELY:
        return None
    features = tile_features(squares)
    blank = ringed(features)
    # Rings do not count on other colours, nor where most letters have one.
    blank[~alike[:count] | (np.median(blank[written]) > 1 - _LIKELY)] = 0
    blank[written] = np.maximum(blank[written], _lacking(features[written, :, :, 1]))
    signs, sure, worth = "", 1.0, 0.0
    empty = ~alike[:count] | (contrast < _BARE)
    clear = not ((blank > 1 - _EVIDENT) & (blank < _EVIDENT)).any() and bool(
        (written | empty | (blank > _EVIDENT)).all()
    )
    for number, best in enumerate(own[:, 1:].argmax(axis=1) + 1):
        if blank[number] > _EVEN_ODDS or (empty[number] and alike[number]):
            signs += BLANK
        elif not written[number]:
            signs += _NOTHING
        else:
            share = float(own[number, best])
            signs += _UNKNOWN if best == OTHER else LETTERS[best - 1]
            sure = min(sure, 0.0 if best == OTHER else share)
            worth += share - _EVEN_ODDS
    worth += 0.3 * signs.count(BLANK)
    ends_at = {end: count + number for number, end in enumerate(boxes.beyond)}
    more = tuple(end for end, at in ends_at.items() if shares[at, 0] < _EVEN_ODDS)
    beyond = any(shares[at, 1:].max() > _LIKELY and alike[at] for at in ends_at.values())
    return _Seen(boxes.row, signs, sure, clear and (count == LARGEST or not beyond), worth, more)


def _lacking(apart: Floats) -> Floats:
    """Return how surely tiles lack a value that the others have, by how far their pixels are from their own colours."""
    marks = [mark for edge in (1, 3) if (mark := _valueless(apart, edge)) is not None]
    lacking = np.mean(marks, axis=0) if marks and len(apart) > _FEW else np.zeros(len(apart))
    return np.asarray(lacking * (np.count_nonzero(lacking > _EVEN_ODDS) < _FEW), np.float32)


def _valueless(apart: Floats, edge: int) -> Floats | None:
    """Return how surely each tile shows no value; None where the program does not write values on tiles."""
    near, far = slice(edge, edge + 8), slice(SIDE - edge - 8, SIDE - edge)
    best: Floats | None = None
    most = 0.0
    for rows, columns in ((far, far), (far, near), (near, far), (near, near)):
        ink = (apart[:, rows, columns] > INK).mean(axis=(1, 2))
        usual = float(np.median(ink))
        if usual > max(most, MIN_INK) and np.mean(ink > usual / 2) > _EVIDENT:
            best, most = np.clip((0.4 * usual - ink) / (0.3 * usual), 0, 1).astype(np.float32), usual
    return best


def _faces(squares: Pixels) -> Floats:
    """Return the usual colour of each box."""
    inner = squares[:, 5:-5, 5:-5].reshape(len(squares), -1, 3)
    return np.asarray(np.median(inner, axis=1), np.float32)


def _contrast(squares: Pixels) -> Floats:
    """Return how far the ink of each box is from its own colour, from 0 to 255."""
    away = np.abs(squares.astype(np.float32) - _faces(squares)[:, None, None]).max(axis=3)
    return np.asarray(np.percentile(away[:, 5:-5, 5:-5].reshape(len(squares), -1), 96, axis=1), np.float32)
