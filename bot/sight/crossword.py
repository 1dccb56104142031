"""Reads crossword boards in pictures: the letters, which of them are blanks, and the squares' confidences.

Each square that may have a tile is classified from three crops at slightly different positions. Its confidence is usually the mean
probability of its class, but 0 for a tile with a letter outside A to Z.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from PIL import Image

from bot.sight.blanks import find_blanks
from bot.sight.bonus import bonus_square_mask
from bot.sight.grids import MIN_VISIBLE_SHARE, Lattice, find_lattices
from bot.sight.squares import (
    SIDE,
    Floats,
    Grid,
    Integers,
    Mask,
    Pixels,
    cut_squares,
    middle_colours,
    tile_features,
)
from bot.sight.tiles import (
    CAPITAL_I,
    EMPTY,
    LETTER_L,
    LETTERS,
    OTHER_LETTER,
    letter_probabilities,
    ring_probabilities,
)

MIN_CONFIDENCE = 0.7
"""Minimum confidence of every square in a confident reading."""
DOUBT_THRESHOLD = 0.9
"""If a reading is not confident, every tile whose confidence is below this is doubtful."""

_EMPTY_RUN = re.compile(r"\.+")
_MAX_TILES = 110
"""Maximum number of tiles on a board of 225 squares. A grid with more is another kind of puzzle."""
_CERTAIN_EMPTY_PROBABILITY = 0.999
"""If the first crop of a square is empty with at least this probability, its other crops are not classified."""
_CROP_OFFSETS = ((0.03, -0.025), (-0.025, 0.03))
"""Shifts of the second and third crops to the right and down, in squares."""
_MIN_BONUS_DIFFERENCE = 12.0
"""Minimum difference between the colours of a bonus square and of squares without a bonus, from 0 to 255."""
_MIN_BONUS_SHARE = 0.08
_MIN_GUESS_PROBABILITY = 0.01
"""Possible contents of a doubtful square are listed only if they are at least this probable. The most probable contents are always listed."""
_LOW_CONFIDENCE, _MAX_LOW_SHARE = 0.5, 0.1
"""The grid is not a board if the confidence of more than ``_MAX_LOW_SHARE`` of the squares is below ``_LOW_CONFIDENCE``."""
_FIRST_CROP_FACTOR = 1.5
"""Relaxes limits after the first crop, because the other crops may be easier to read."""
_MAX_BARE_RANGE = 6
"""A square is bare (nothing is written or drawn on it) if its pixel values, from 0 to 255, vary by at most this."""
_SAMPLE_STEP = 8
"""Once the middle is classified, a sample is classified: one in this many of the other squares. Bare squares do not count."""
_MAX_SAMPLE_TILE_SHARE, _MAX_SAMPLE_LOW_SHARE = 0.78, 0.45
"""Maximum shares of squares with a tile, and of squares with low confidence. Both are estimated from the sample. A grid with more is
another kind of puzzle."""
_MIDDLE_RADIUS = 1
"""Squares within this distance of the middle are classified before the sample."""
_LIKELY_EMPTY_PROBABILITY = 0.9
"""If every square near the middle is empty with a probability above this, the board has no tiles."""
_MIN_TILES_TO_REJECT = 10
"""After the first crop, isolated tiles rule out a grid only if it has at least this many tiles. Fewer may be labels of bonus squares."""
_MIN_ADJACENT_SHARE = 0.7
"""More than this share of the tiles on a board are beside another tile."""
_MAX_BLANKS_BY_SIDE = {15: 2, 21: 4}
"""Maximum number of blanks, by the side of the board. Nearly all languages have this many."""
_NEARLY_ALL_SHARE = 0.8
"""A share above this counts as nearly all."""


@dataclass(frozen=True, slots=True)
class RecognizedCrossword:
    """A crossword board read from a picture."""

    rows: tuple[str, ...]
    """One character per square: ``.`` for an empty square, lower-case letters for blanks."""
    confidences: tuple[float, ...]
    is_confident: bool
    """Whether the board has passed all checks. It may still contain an error that no check notices."""
    doubtful_squares: tuple[int, ...]
    """Indexes of the squares to check, row by row."""
    grid: Grid
    guesses: tuple[tuple[int, tuple[tuple[str, float], ...]], ...] = ()
    """For each doubtful square: possible contents with their probabilities, including the contents in :attr:`rows`."""

    @property
    def placement(self) -> str:
        """The first field of a CGP."""
        return _EMPTY_RUN.sub(lambda run: str(len(run[0])), "/".join(self.rows))


def read_crossword(picture: Image.Image) -> list[RecognizedCrossword]:
    """Return the crossword boards in an RGB picture, clearest first."""
    return [
        recognized
        for lattice in find_lattices(picture)
        if (recognized := _read(picture, lattice)) is not None
    ]


def _read(picture: Image.Image, lattice: Lattice) -> RecognizedCrossword | None:
    side = lattice.grid.columns
    classified = _classify(picture, lattice.grid)
    if classified is None:
        return None
    grid, squares, probabilities, needs_check = classified
    is_bonus = bonus_square_mask(squares, probabilities)
    needs_check[is_bonus] = probabilities[is_bonus, 1:OTHER_LETTER].max(axis=1, initial=0) > 0.5
    probabilities[is_bonus] = np.eye(1, OTHER_LETTER + 1, dtype=np.float32)
    classes, confidences = probabilities.argmax(axis=1), probabilities.max(axis=1)
    # Words have at least two letters, so a lone symbol on the middle square is not a tile.
    centre = len(classes) // 2
    if classes[centre] and not classes[[centre - side, centre - 1, centre + 1, centre + side]].any():
        classes[centre], confidences[centre], needs_check[centre] = 0, 1.0, False
    # The network cannot tell letters outside A to Z apart.
    is_other = classes == OTHER_LETTER
    classes[is_other] = probabilities[is_other, 1:OTHER_LETTER].argmax(axis=1) + 1
    confidences[is_other] = 0
    needs_check |= _may_be_covered(squares) & (classes == 0)
    occupied_squares = np.flatnonzero(classes)
    if _is_another_puzzle(classes > 0, confidences < _LOW_CONFIDENCE, _MAX_LOW_SHARE):
        return None
    has_tile = (classes > 0).reshape(side, side)
    if (
        not _may_be_crossword_board(_colours(squares), ~has_tile)
        or _adjacent_share(has_tile) <= _MIN_ADJACENT_SHARE
    ):
        return None
    is_blank = np.zeros(len(classes), bool)
    if len(occupied_squares):
        is_blank[occupied_squares], is_doubtful_blank = find_blanks(
            squares[occupied_squares], classes[occupied_squares] - 1, _MAX_BLANKS_BY_SIDE[side]
        )
        needs_check[occupied_squares] |= is_doubtful_blank
        # A blank that looks like a capital I may be a lower-case L. Make both equally probable, so that the words on the board decide.
        is_blank_i = is_blank & (classes == CAPITAL_I)
        needs_check |= is_blank_i
        probabilities[is_blank_i, LETTER_L] = probabilities[is_blank_i, CAPITAL_I]
    contents = [_character(index, blank) for index, blank in zip(classes, is_blank, strict=True)]
    is_confident = bool(
        not needs_check.any()
        and confidences.min() >= MIN_CONFIDENCE
        and lattice.visible_share >= MIN_VISIBLE_SHARE
        and _is_connected(has_tile)
        # If no blank was found, a blank in an unknown style may have been missed.
        and (is_blank.any() or not len(occupied_squares))
    )
    needs_check |= confidences < np.where(classes == 0, MIN_CONFIDENCE, DOUBT_THRESHOLD)
    doubtful_squares = () if is_confident else tuple(np.flatnonzero(needs_check).tolist())
    # A doubtful square that looks empty may have a tile. If it has a ring, the tile is a blank.
    if empty_squares := [square for square in doubtful_squares if not classes[square]]:
        is_blank[empty_squares] = ring_probabilities(tile_features(squares[empty_squares])) > 0.5
    guesses = tuple(
        (square, _guesses(probabilities[square], contents[square], is_blank[square]))
        for square in doubtful_squares
    )
    rows = tuple("".join(contents[start : start + side]) for start in range(0, len(contents), side))
    return RecognizedCrossword(
        rows, tuple(confidences.tolist()), is_confident, doubtful_squares, grid, guesses
    )


def _classify(picture: Image.Image, grid: Grid) -> tuple[Grid, Pixels, Floats, Mask] | None:
    """Return a board's grid, its squares, their probabilities, and a mask of the squares on which the crops disagree.

    The returned grid excludes the board's coordinates. Return None if the first crop is certainly not a board.
    """
    squares = cut_squares(picture, grid)
    probabilities = _first_crop_probabilities(squares)
    if probabilities is None:
        return None
    offset = _coordinate_offset(probabilities, grid.columns)
    if offset != (0, 0):
        grid = grid.moved(*offset)
        squares = cut_squares(picture, grid)
        probabilities = letter_probabilities(squares)
    has_tile, has_low_confidence = (
        probabilities.argmax(axis=1) > 0,
        probabilities.max(axis=1) < _LOW_CONFIDENCE,
    )
    if _is_certainly_not_a_board(has_tile, has_low_confidence):
        not_bonus = ~bonus_square_mask(squares, probabilities)
        if _is_certainly_not_a_board(has_tile & not_bonus, has_low_confidence & not_bonus):
            return None
    maybe_occupied_squares = np.flatnonzero(probabilities[:, 0] < _CERTAIN_EMPTY_PROBABILITY)
    crops = [
        letter_probabilities(cut_squares(picture, grid.moved(*shift))[maybe_occupied_squares])
        for shift in _CROP_OFFSETS
    ]
    crops_disagree = np.zeros(len(probabilities), bool)
    crops_disagree[maybe_occupied_squares] = np.any(
        [
            crop_probabilities.argmax(axis=1) != probabilities[maybe_occupied_squares].argmax(axis=1)
            for crop_probabilities in crops
        ],
        axis=0,
    )
    probabilities[maybe_occupied_squares] = np.mean([probabilities[maybe_occupied_squares], *crops], axis=0)
    return grid, squares, probabilities, crops_disagree


def _first_crop_probabilities(squares: Pixels) -> Floats | None:
    # NumPy takes twelve times as long for both axes at once.
    highest, lowest = squares[:, 3:-3].max(axis=1)[:, 3:-3], squares[:, 3:-3].min(axis=1)[:, 3:-3]
    has_content = (highest.max(axis=1) - lowest.min(axis=1) > _MAX_BARE_RANGE).any(axis=1)
    side = round(len(squares) ** 0.5)
    is_bare = ~has_content.reshape(side, side)
    colours = squares[:, SIDE // 2, SIDE // 2].reshape(side, side, 3).astype(np.float32)
    if is_bare.mean() > _NEARLY_ALL_SHARE and not _may_be_crossword_board(colours, is_bare):
        return None
    probabilities = np.zeros((len(squares), OTHER_LETTER + 1), np.float32)
    probabilities[:, 0] = 1
    # Every game begins in the middle. An empty grid without bonus squares is not a board.
    middle_lines = np.arange(side // 2 - _MIDDLE_RADIUS, side // 2 + _MIDDLE_RADIUS + 1)
    middle_squares = np.add.outer(side * middle_lines, middle_lines).ravel()
    middle_squares = middle_squares[has_content[middle_squares]]
    probabilities[middle_squares] = letter_probabilities(squares[middle_squares])
    if (probabilities[middle_squares, 0] > _LIKELY_EMPTY_PROBABILITY).all() and not _has_bonus_pattern(
        _colours(squares)
    ):
        return None
    outer_squares = np.setdiff1d(np.flatnonzero(has_content), middle_squares, assume_unique=True)
    sample_squares = outer_squares[::_SAMPLE_STEP]
    probabilities[sample_squares] = letter_probabilities(squares[sample_squares])
    if len(sample_squares):
        content_share = len(outer_squares) / len(squares)
        has_tile, confidences = (
            probabilities[sample_squares].argmax(axis=1) > 0,
            probabilities[sample_squares].max(axis=1),
        )
        if (
            content_share * has_tile.mean() > _MAX_SAMPLE_TILE_SHARE
            or content_share * (confidences < _LOW_CONFIDENCE).mean() > _MAX_SAMPLE_LOW_SHARE
        ):
            return None
    remaining_squares = np.setdiff1d(outer_squares, sample_squares, assume_unique=True)
    probabilities[remaining_squares] = letter_probabilities(squares[remaining_squares])
    return probabilities


def _may_be_covered(squares: Pixels) -> Mask:
    # If few squares are bare, a bare square may be covered, for example by a notification.
    contrast = squares.max(axis=1).max(axis=1) - squares.min(axis=1).min(axis=1)
    is_bare = contrast.max(axis=1) <= _MAX_BARE_RANGE
    return np.asarray(is_bare & (is_bare.mean() < 1 - _NEARLY_ALL_SHARE), bool)


def _is_certainly_not_a_board(has_tile: Mask, has_low_confidence: Mask) -> bool:
    side = round(len(has_tile) ** 0.5)
    return _is_another_puzzle(has_tile, has_low_confidence, _FIRST_CROP_FACTOR * _MAX_LOW_SHARE) or bool(
        np.count_nonzero(has_tile) >= _MIN_TILES_TO_REJECT
        and _adjacent_share(has_tile.reshape(side, side)) < _MIN_ADJACENT_SHARE / _FIRST_CROP_FACTOR
    )


def _is_another_puzzle(has_tile: Mask, has_low_confidence: Mask, max_low_share: float) -> bool:
    return bool(
        np.count_nonzero(has_tile) > _MAX_TILES * len(has_tile) / 225
        or has_low_confidence.mean() > max_low_share
    )


def _character(class_index: int, is_blank: bool) -> str:  # noqa: FBT001 - a blank's letter is lower-case
    letter = LETTERS[class_index - 1] if class_index else EMPTY
    return letter.lower() if is_blank else letter


def _guesses(probabilities: Floats, chosen: str, is_blank: bool) -> tuple[tuple[str, float], ...]:  # noqa: FBT001 - as above
    candidates = (
        (_character(class_index, is_blank), float(probability))
        for class_index, probability in enumerate(probabilities[:OTHER_LETTER])
    )
    return tuple(
        (content, probability)
        for content, probability in candidates
        if probability > _MIN_GUESS_PROBABILITY or content == chosen
    )


def _coordinate_offset(probabilities: Floats, side: int) -> tuple[int, int]:
    """Return how many squares a grid must be moved to the right and down to exclude the board's coordinates.

    On a line of coordinates, nearly all squares have a symbol. The symbols are the alphabet in order, or many of them cannot be read.
    """
    classes = probabilities.argmax(axis=1).reshape(side, side)
    confidences = probabilities.max(axis=1).reshape(side, side)

    def is_coordinate_line(line: Integers, line_confidences: Floats) -> bool:
        is_full = np.count_nonzero(line) >= 0.85 * side
        is_alphabet = np.count_nonzero(line == np.arange(1, side + 1)) >= 0.5 * side
        is_unreadable = (
            np.count_nonzero((line == OTHER_LETTER) | (line_confidences < DOUBT_THRESHOLD)) >= 0.3 * side
        )
        return bool(is_full and (is_alphabet or is_unreadable))

    down = is_coordinate_line(classes[0], confidences[0]) - is_coordinate_line(classes[-1], confidences[-1])
    right = is_coordinate_line(classes[:, 0], confidences[:, 0]) - is_coordinate_line(
        classes[:, -1], confidences[:, -1]
    )
    return right, down


def _has_neighbour(has_tile: Mask) -> Mask:
    padded = np.pad(has_tile, 1)
    return np.asarray(padded[2:, 1:-1] | padded[:-2, 1:-1] | padded[1:-1, 2:] | padded[1:-1, :-2])


def _adjacent_share(has_tile: Mask) -> float:
    # A low share rules out a crossword board: the marks that look like tiles in other puzzles have no neighbours.
    return float(_has_neighbour(has_tile)[has_tile].mean()) if has_tile.any() else 1.0


def _is_connected(has_tile: Mask) -> bool:
    reached = np.zeros_like(has_tile)
    reached.flat[int(has_tile.argmax())] = True
    while not ((grown := has_tile & (reached | _has_neighbour(reached))) == reached).all():
        reached = grown
    return bool((reached == has_tile).all())


def _colours(squares: Pixels) -> Floats:
    side = round(len(squares) ** 0.5)
    return middle_colours(squares, 6).reshape(side, side, 3)


def _may_be_crossword_board(colours: Floats, is_empty: Mask) -> bool:
    # The empty squares of a chequered board alternate between two colours. Those of a crossword board do not.
    both_empty = is_empty[:, 1:] & is_empty[:, :-1]
    differs = np.abs(colours[:, 1:] - colours[:, :-1]).max(axis=2) > _MIN_BONUS_DIFFERENCE
    if both_empty.any() and differs[both_empty].mean() > _NEARLY_ALL_SHARE:
        return False
    return not is_empty.all() or _has_bonus_pattern(colours)


def _has_bonus_pattern(colours: Floats) -> bool:
    # Bonus squares are at mirrored positions in all four quarters.
    usual = np.median(colours.reshape(-1, 3), axis=0)
    is_unusual = np.abs(colours - usual).max(axis=2) > _MIN_BONUS_DIFFERENCE
    # Random differences in colour are not symmetric.
    paired = is_unusual & is_unusual[::-1, ::-1] & is_unusual[:, ::-1]
    turned_difference = np.abs(colours - colours[::-1, ::-1]).max(axis=2)
    mirrored_difference = np.abs(colours - colours[:, ::-1]).max(axis=2)
    is_symmetric = (turned_difference < _MIN_BONUS_DIFFERENCE) & (mirrored_difference < _MIN_BONUS_DIFFERENCE)
    return bool(
        _MIN_BONUS_SHARE <= is_unusual.mean() <= 0.5
        and is_symmetric.mean() > _NEARLY_ALL_SHARE
        and paired.sum() > _NEARLY_ALL_SHARE * is_unusual.sum()
    )
