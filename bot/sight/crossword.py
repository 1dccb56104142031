"""Reads boards of crossword games in pictures: the letters, which of them are blanks, and the confidence of each square."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from PIL import Image

from bot.sight.blanks import blanks
from bot.sight.bonus import bonus_squares
from bot.sight.grids import MIN_SIDES, Lattice, find_grids
from bot.sight.squares import SIDE, Doubles, Floats, Grid, Integers, Mask, Pixels, cut, tile_features
from bot.sight.tiles import (
    CAPITAL_I,
    EMPTY,
    LETTERS,
    OTHER,
    SMALL_L,
    letter_probabilities,
    ring_probabilities,
)

MIN_CONFIDENCE = 0.7
"""Minimum probability of each square of a clear board."""
DOUBT_THRESHOLD = 0.9
"""Letters below this probability are marked on a board that is not clear."""

_EMPTY = re.compile(r"\.+")
_MAX_TILES = 110
"""Maximum number of tiles on a board of 225 squares; a grid with more is another puzzle."""
_CERTAINLY_EMPTY = 0.999
"""Squares that are empty with a higher probability are read only once."""
_CROP_OFFSETS = ((0.03, -0.025), (-0.025, 0.03))
"""Offsets of additional crops, in squares. Squares on which the crops disagree are doubtful."""
_MIN_BONUS_DIFFERENCE = 12.0
"""Minimum colour difference between a bonus square and other squares, from 0 to 255."""
_MIN_BONUS_SHARE = 0.08
"""Minimum share of bonus squares on a board."""
_MIN_GUESS_PROBABILITY = 0.01
"""Minimum probability of a second guess."""
_MAX_GUESSED = 0.1
"""Maximum share of squares of a board that are guesses, with a probability below 0.5."""
_FIRST_CROP_FACTOR = 1.5
"""Factor by which the limits for guesses and for isolated tiles are relaxed after the first crop. The other crops may be
easier to read."""
_MAX_BARE_RANGE = 6
"""Maximum range of the pixel values of a square with nothing on it, from 0 to 255."""
_SAMPLE_STEP = 8
"""One in this number of squares with something on them is read first, as a sample."""
_PUZZLE_TILES, _PUZZLE_GUESSED = 0.78, 0.45
"""Shares of tiles and of guesses in the sample above which the grid is certainly another kind of puzzle."""
_MIDDLE_RADIUS = 1
"""Number of squares on each side of the middle square that are read first."""
_NEARLY_CERTAINLY_EMPTY = 0.9
"""If every square in the middle is empty with a higher probability, the board has no tiles."""
_MIN_CONNECTED = 10
"""Minimum number of tiles for checking that they are connected. With fewer, labels of bonus squares may pass for
tiles."""
_MIN_ADJACENT = 0.7
"""Minimum share of tiles that are next to other tiles."""
_MAX_BLANKS = {15: 2, 21: 4}
"""Maximum number of blanks for each side length of the board."""
_NEARLY_ALL = 0.8
"""Share of squares that counts as nearly all."""


@dataclass(frozen=True, slots=True)
class CrosswordSight:
    """A board of a crossword game, read from a picture."""

    rows: tuple[str, ...]
    """The rows, one character for each square: ``.`` for an empty square, lower-case letters for blanks."""
    confidences: tuple[float, ...]
    """The probability of each square, row by row."""
    clear: bool
    """Whether no square is in doubt. The board may still be wrong: blanks are drawn in many ways."""
    doubtful: tuple[int, ...]
    """Numbers of the squares to check, counted row by row."""
    grid: Grid
    """The grid of the squares in the picture."""
    guesses: tuple[tuple[int, tuple[tuple[str, float], ...]], ...] = ()
    """Possible contents of doubtful squares with their probabilities, the first guess included."""

    @property
    def placement(self) -> str:
        """The first field of a CGP."""
        return _EMPTY.sub(lambda run: str(len(run[0])), "/".join(self.rows))


def read_crossword(picture: Image.Image) -> list[CrosswordSight]:
    """Read the boards of crossword games on an RGB picture, the clearest first."""
    return [sight for lattice in find_grids(picture) if (sight := _read(picture, lattice)) is not None]


def _read(picture: Image.Image, lattice: Lattice) -> CrosswordSight | None:
    side = lattice.grid.columns
    classified = _classify(picture, lattice.grid)
    if classified is None:
        return None
    grid, squares, probabilities, unclear = classified
    bonus = bonus_squares(squares, probabilities)
    # A bonus square that may equally be a letter is doubtful.
    unclear[bonus] = probabilities[bonus, 1:OTHER].max(axis=1, initial=0) > 0.5
    probabilities[bonus] = np.eye(1, OTHER + 1, dtype=np.float32)
    classes, confidences = probabilities.argmax(axis=1), probabilities.max(axis=1)
    # A symbol on the middle square with nothing beside it is not a tile.
    centre = len(classes) // 2
    if classes[centre] and not classes[[centre - side, centre - 1, centre + 1, centre + side]].any():
        classes[centre], confidences[centre], unclear[centre] = 0, 1.0, False
    # A letter outside A to Z is never certain: the next best letter is shown, and players can correct it.
    is_other = classes == OTHER
    classes[is_other] = probabilities[is_other, 1:OTHER].argmax(axis=1) + 1
    confidences[is_other] = 0
    unclear |= _may_be_covered(squares) & (classes == 0)
    occupied = np.flatnonzero(classes)
    if _is_another_puzzle(classes > 0, confidences < 0.5, _MAX_GUESSED):
        return None
    board = (classes > 0).reshape(side, side)
    if not _may_be_game_board(_colours(squares), ~board) or _adjacent_share(board) <= _MIN_ADJACENT:
        return None
    is_blank = np.zeros(len(classes), bool)
    if len(occupied):
        is_blank[occupied], unclear_blanks = blanks(
            squares[occupied], classes[occupied] - 1, _MAX_BLANKS[side]
        )
        unclear[occupied] |= unclear_blanks
        # An I among the blanks may be a lower-case L; the words decide.
        blank_i = is_blank & (classes == CAPITAL_I)
        unclear |= blank_i
        probabilities[blank_i, SMALL_L] = probabilities[blank_i, CAPITAL_I]
    contents = [_character(number, blank) for number, blank in zip(classes, is_blank, strict=True)]
    clear = bool(
        not unclear.any()
        and confidences.min() >= MIN_CONFIDENCE
        and lattice.sides >= MIN_SIDES
        and _is_connected(board)
        # Blanks are drawn in many ways. A board without a visible blank may have a blank of an unknown style.
        and (is_blank.any() or not len(occupied))
    )
    thresholds = np.where(classes == 0, MIN_CONFIDENCE, DOUBT_THRESHOLD)
    doubtful = () if clear else tuple(np.flatnonzero((confidences < thresholds) | unclear).tolist())
    # A square that seems empty may have a tile, even a blank.
    if empty := [square for square in doubtful if not classes[square]]:
        is_blank[empty] = ring_probabilities(tile_features(squares[empty])) > 0.5
    guesses = tuple(
        (square, _guesses(probabilities[square], contents[square], is_blank[square])) for square in doubtful
    )
    rows = tuple("".join(contents[start : start + side]) for start in range(0, len(contents), side))
    return CrosswordSight(rows, tuple(confidences.tolist()), clear, doubtful, grid, guesses)


def _classify(picture: Image.Image, grid: Grid) -> tuple[Grid, Pixels, Floats, Mask] | None:
    """Return a board's grid and squares, the probability of each class, and the squares on which three crops disagree.

    If the first crop shows that the grid is certainly not a board, return None without cropping it again.
    """
    squares = cut(picture, grid)
    probabilities = _first_probabilities(squares)
    if probabilities is None:
        return None
    offset = _label_offset(probabilities, grid.columns)
    if offset != (0, 0):
        grid = grid.moved(*offset)
        squares = cut(picture, grid)
        probabilities = letter_probabilities(squares)
    tiles, guessed = probabilities.argmax(axis=1) > 0, probabilities.max(axis=1) < 0.5
    if _is_certainly_no_board(tiles, guessed):
        not_bonus = ~bonus_squares(squares, probabilities)
        if _is_certainly_no_board(tiles & not_bonus, guessed & not_bonus):
            return None
    uncertain = np.flatnonzero(probabilities[:, 0] < _CERTAINLY_EMPTY)
    crops = [letter_probabilities(cut(picture, grid.moved(*shift))[uncertain]) for shift in _CROP_OFFSETS]
    unclear = np.zeros(len(probabilities), bool)
    unclear[uncertain] = np.any(
        [
            crop_probabilities.argmax(axis=1) != probabilities[uncertain].argmax(axis=1)
            for crop_probabilities in crops
        ],
        axis=0,
    )
    probabilities[uncertain] = np.mean([probabilities[uncertain], *crops], axis=0)
    return grid, squares, probabilities, unclear


def _first_probabilities(squares: Pixels) -> Floats | None:
    """Return the probability of each class for each square of a grid. Return None if a sample shows that it is not a board.

    Squares of one colour count as empty without being read.
    """
    # NumPy takes twelve times as long for both axes at once.
    highest, lowest = squares[:, 3:-3].max(axis=1)[:, 3:-3], squares[:, 3:-3].min(axis=1)[:, 3:-3]
    written = (highest.max(axis=1) - lowest.min(axis=1) > _MAX_BARE_RANGE).any(axis=1)
    side = round(len(squares) ** 0.5)
    bare = ~written.reshape(side, side)
    # On a bare square, all pixels are nearly the same.
    colours = squares[:, SIDE // 2, SIDE // 2].reshape(side, side, 3).astype(np.float64)
    if bare.mean() > _NEARLY_ALL and not _may_be_game_board(colours, bare):
        return None
    probabilities = np.zeros((len(squares), OTHER + 1), np.float32)
    probabilities[:, 0] = 1
    # Every game begins in the middle: without a tile there, the board is empty.
    around = np.arange(side // 2 - _MIDDLE_RADIUS, side // 2 + _MIDDLE_RADIUS + 1)
    middle = np.add.outer(side * around, around).ravel()
    middle = middle[written[middle]]
    probabilities[middle] = letter_probabilities(squares[middle])
    if (probabilities[middle, 0] > _NEARLY_CERTAINLY_EMPTY).all() and not _has_bonus_pattern(
        _colours(squares)
    ):
        return None
    indices = np.setdiff1d(np.flatnonzero(written), middle, assume_unique=True)
    sample = indices[::_SAMPLE_STEP]
    probabilities[sample] = letter_probabilities(squares[sample])
    if len(sample):
        written_share = len(indices) / len(squares)
        tiles, guessed = probabilities[sample].argmax(axis=1) > 0, probabilities[sample].max(axis=1) < 0.5
        if written_share * tiles.mean() > _PUZZLE_TILES or written_share * guessed.mean() > _PUZZLE_GUESSED:
            return None
    rest = np.setdiff1d(indices, sample, assume_unique=True)
    probabilities[rest] = letter_probabilities(squares[rest])
    return probabilities


def _may_be_covered(squares: Pixels) -> Mask:
    """Return which squares may be covered, for example by a notification: they lack the edges that nearly all others show."""
    # One axis after the other is faster, as above.
    contrast = squares.max(axis=1).max(axis=1) - squares.min(axis=1).min(axis=1)
    bare = contrast.max(axis=1) <= _MAX_BARE_RANGE
    return np.asarray(bare & (bare.mean() < 1 - _NEARLY_ALL), bool)


def _is_certainly_no_board(tiles: Mask, guessed: Mask) -> bool:
    """Return whether the first crop of a grid proves that the grid is not a board."""
    side = round(len(tiles) ** 0.5)
    is_scattered = (
        _adjacent_share(tiles.reshape(side, side)) < _MIN_ADJACENT / _FIRST_CROP_FACTOR
        and np.count_nonzero(tiles) >= _MIN_CONNECTED
    )
    return _is_another_puzzle(tiles, guessed, _FIRST_CROP_FACTOR * _MAX_GUESSED) or bool(is_scattered)


def _is_another_puzzle(tiles: Mask, guessed: Mask, max_share: float) -> bool:
    """Return whether a grid has too many tiles or too many guesses for a board."""
    return bool(np.count_nonzero(tiles) > _MAX_TILES * len(tiles) / 225 or guessed.mean() > max_share)


def _character(number: int, is_blank: bool) -> str:  # noqa: FBT001 - a blank's letter is small
    """Return a square as CGP writes it, by its class."""
    letter = LETTERS[number - 1] if number else EMPTY
    return letter.lower() if is_blank else letter


def _guesses(probabilities: Floats, first: str, is_blank: bool) -> tuple[tuple[str, float], ...]:  # noqa: FBT001 - as above
    """Return the possible contents of a square with their probabilities; letters of a blank are lower-case."""
    candidates = (
        (_character(number, is_blank), float(probability))
        for number, probability in enumerate(probabilities[:OTHER])
    )
    return tuple(
        (content, probability)
        for content, probability in candidates
        if probability > _MIN_GUESS_PROBABILITY or content == first
    )


def _label_offset(probabilities: Floats, side: int) -> tuple[int, int]:
    """Return by how many squares, to the right and down, a board is offset from its grid.

    Coordinates in cells of their own look like squares with letters: the first or last line is full but not a word,
    or is the alphabet.
    """
    classes = probabilities.argmax(axis=1).reshape(side, side)
    confidences = probabilities.max(axis=1).reshape(side, side)

    def is_label_line(line: Integers, confidence: Floats) -> bool:
        full = np.count_nonzero(line) >= 0.85 * side
        alphabet = np.count_nonzero(line == np.arange(1, side + 1)) >= 0.5 * side
        unreadable = np.count_nonzero((line == OTHER) | (confidence < DOUBT_THRESHOLD)) >= 0.3 * side
        return bool(full and (alphabet or unreadable))

    down = is_label_line(classes[0], confidences[0]) - is_label_line(classes[-1], confidences[-1])
    right = is_label_line(classes[:, 0], confidences[:, 0]) - is_label_line(
        classes[:, -1], confidences[:, -1]
    )
    return right, down


def _has_neighbour(board: Mask) -> Mask:
    """Return which squares have a tile beside them."""
    around = np.pad(board, 1)
    return np.asarray(around[2:, 1:-1] | around[:-2, 1:-1] | around[1:-1, 2:] | around[1:-1, :-2])


def _adjacent_share(board: Mask) -> float:
    """Return the share of the tiles that are next to other tiles, as in words. Marks in other puzzles are isolated."""
    return float(_has_neighbour(board)[board].mean()) if board.any() else 1.0


def _is_connected(board: Mask) -> bool:
    """Return whether the tiles are connected, as in every game."""
    reached = np.zeros_like(board)
    reached.flat[int(board.argmax())] = True
    while not ((grown := board & (reached | _has_neighbour(reached))) == reached).all():
        reached = grown
    return bool((reached == board).all())


def _colours(squares: Pixels) -> Doubles:
    """Return the usual colour of each square of a board: rows × columns × 3."""
    side = round(len(squares) ** 0.5)
    inner = squares[:, 6:-6, 6:-6].reshape(len(squares), -1, 3)
    return np.asarray(np.median(inner, axis=1).reshape(side, side, 3), np.float64)


def _may_be_game_board(colours: Doubles, empty: Mask) -> bool:
    """Return whether the empty squares' colours may be those of a board.

    They must not alternate as on a chessboard. On a board without tiles, a few squares must be bonus squares, mirrored in all
    four quarters.
    """
    both_empty = empty[:, 1:] & empty[:, :-1]
    differs = np.abs(colours[:, 1:] - colours[:, :-1]).max(axis=2) > _MIN_BONUS_DIFFERENCE
    if both_empty.any() and differs[both_empty].mean() > _NEARLY_ALL:
        return False
    return not empty.all() or _has_bonus_pattern(colours)


def _has_bonus_pattern(colours: Doubles) -> bool:
    """Return whether a few squares differ in colour from most, mirrored in all four quarters, as bonus squares do."""
    usual = np.median(colours.reshape(-1, 3), axis=0)
    special = np.abs(colours - usual).max(axis=2) > _MIN_BONUS_DIFFERENCE
    # Where colours differ by chance, unusual squares have no unusual mirror images.
    paired = special & special[::-1, ::-1] & special[:, ::-1]
    turned = np.abs(colours - colours[::-1, ::-1]).max(axis=2)
    mirrored = np.abs(colours - colours[:, ::-1]).max(axis=2)
    alike = (turned < _MIN_BONUS_DIFFERENCE) & (mirrored < _MIN_BONUS_DIFFERENCE)
    return bool(
        _MIN_BONUS_SHARE <= special.mean() <= 0.5
        and alike.mean() > _NEARLY_ALL
        and paired.sum() > _NEARLY_ALL * special.sum()
    )
