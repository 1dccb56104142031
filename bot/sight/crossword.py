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
from bot.sight.tiles import CAPITAL_I, EMPTY, LETTERS, OTHER, SMALL_L, letter_shares, ringed

MIN_CONFIDENCE = 0.7
"""Minimum probability of each square of a clear board."""
DOUBT_THRESHOLD = 0.9
"""Letters below this probability are marked on a board that is not clear."""

_EMPTY = re.compile(r"\.+")
_MAX_TILES = 110
"""Maximum number of tiles on a board of 225 squares; a grid with more is another puzzle."""
_CERTAIN = 0.999
"""Squares that are empty with a higher probability are read only once."""
_CROP_OFFSETS = ((0.03, -0.025), (-0.025, 0.03))
"""Offsets of additional crops, in squares. The result must not depend on them."""
_MIN_BONUS_DIFFERENCE = 12.0
"""Minimum colour difference between a bonus square and other squares, from 0 to 255."""
_MIN_BONUS_SHARE = 0.08
"""Minimum share of bonus squares on a board."""
_MIN_GUESS = 0.01
"""Minimum probability of a second guess."""
_MAX_GUESSED = 0.1
"""Maximum share of squares of a board that are guesses."""
_FIRST_CROP_FACTOR = 1.5
"""Factor by which the limits of guesses and of isolated tiles are relaxed after one crop: other crops may read the
board better."""
_MAX_BARE_RANGE = 6
"""Maximum range of the pixel values of a square with nothing on it, from 0 to 255."""
_SAMPLE_STEP = 8
"""One in this number of squares with something on them is read first, as a sample."""
_PUZZLE_TILES, _PUZZLE_GUESSED = 0.78, 0.45
"""Shares of tiles and of guesses in the sample from which the grid is certainly another kind of puzzle."""
_MIDDLE_RADIUS = 1
"""Number of squares on each side of the middle square that are read first."""
_SURELY_EMPTY = 0.9
"""If all of these squares are empty with a higher probability, the board has no tiles."""
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
    seen = _classify(picture, lattice.grid)
    if seen is None:
        return None
    grid, squares, shares, unclear = seen
    bonus = bonus_squares(squares, shares)
    # A square that is equally likely a bonus square or a letter is doubtful.
    unclear[bonus] = shares[bonus, 1:OTHER].max(axis=1, initial=0) > 0.5
    shares[bonus] = np.eye(1, OTHER + 1, dtype=np.float32)
    classes, confidences = shares.argmax(axis=1), shares.max(axis=1)
    # A symbol on the middle square with nothing beside it is not a tile.
    middle = len(classes) // 2
    if classes[middle] and not classes[[middle - side, middle - 1, middle + 1, middle + side]].any():
        classes[middle], confidences[middle], unclear[middle] = 0, 1.0, False
    # A letter outside A to Z is never certain: the next best letter is shown, and players can correct it.
    strange = classes == OTHER
    classes[strange] = shares[strange, 1:OTHER].argmax(axis=1) + 1
    confidences[strange] = 0
    unclear |= _covered(squares) & (classes == 0)
    occupied = np.flatnonzero(classes)
    if _is_another_puzzle(classes > 0, confidences < 0.5, _MAX_GUESSED):
        return None
    board = (classes > 0).reshape(side, side)
    if not _may_be_of_a_game(_colours(squares), ~board) or _together(board) <= _MIN_ADJACENT:
        return None
    small = np.zeros(len(classes), bool)
    if len(occupied):
        small[occupied], unclear_blanks = blanks(squares[occupied], classes[occupied] - 1, _MAX_BLANKS[side])
        unclear[occupied] |= unclear_blanks
        # An I among the blanks may be a lower-case L; the words decide.
        bars = small & (classes == CAPITAL_I)
        unclear |= bars
        shares[bars, SMALL_L] = shares[bars, CAPITAL_I]
    contents = [_character(number, is_small) for number, is_small in zip(classes, small, strict=True)]
    clear = bool(
        not unclear.any()
        and confidences.min() >= MIN_CONFIDENCE
        and lattice.sides >= MIN_SIDES
        and _is_connected(board)
        # Blanks are drawn in many ways. A board without a visible blank may have a blank of an unknown style.
        and (small.any() or not len(occupied))
    )
    plain = np.where(classes == 0, MIN_CONFIDENCE, DOUBT_THRESHOLD)
    doubtful = () if clear else tuple(np.flatnonzero((confidences < plain) | unclear).tolist())
    # A square that seems empty may have a tile, even a blank.
    if empty := [square for square in doubtful if not classes[square]]:
        small[empty] = ringed(tile_features(squares[empty])) > 0.5
    guesses = tuple(
        (square, _guesses(shares[square], contents[square], small[square])) for square in doubtful
    )
    rows = tuple("".join(contents[start : start + side]) for start in range(0, len(contents), side))
    return CrosswordSight(rows, tuple(confidences.tolist()), clear, doubtful, grid, guesses)


def _classify(picture: Image.Image, grid: Grid) -> tuple[Grid, Pixels, Floats, Mask] | None:
    """Return a board's grid and squares, the probability of each class, and the squares on which three crops disagree.

    If the first crop shows that the grid is certainly not a board, it is not cropped again.
    """
    squares = cut(picture, grid)
    shares = _first_shares(squares)
    if shares is None:
        return None
    beside = _beside_labels(shares, grid.columns)
    if beside != (0, 0):
        grid = grid.moved(*beside)
        squares = cut(picture, grid)
        shares = letter_shares(squares)
    tiles, guessed = shares.argmax(axis=1) > 0, shares.max(axis=1) < 0.5
    if _is_surely_none(tiles, guessed):
        known = ~bonus_squares(squares, shares)
        if _is_surely_none(tiles & known, guessed & known):
            return None
    near = np.flatnonzero(shares[:, 0] < _CERTAIN)
    seen = [letter_shares(cut(picture, grid.moved(*away))[near]) for away in _CROP_OFFSETS]
    unclear = np.zeros(len(shares), bool)
    unclear[near] = np.any(
        [cut_shares.argmax(axis=1) != shares[near].argmax(axis=1) for cut_shares in seen], axis=0
    )
    shares[near] = np.mean([shares[near], *seen], axis=0)
    return grid, squares, shares, unclear


def _first_shares(squares: Pixels) -> Floats | None:
    """Return the probability of each class for each square of a grid, or None if a sample shows that it is not a board.

    Squares of one colour count as empty without being read.
    """
    # One axis after the other: both at once take twelve times as long.
    highest, lowest = squares[:, 3:-3].max(axis=1)[:, 3:-3], squares[:, 3:-3].min(axis=1)[:, 3:-3]
    written = (highest.max(axis=1) - lowest.min(axis=1) > _MAX_BARE_RANGE).any(axis=1)
    side = round(len(squares) ** 0.5)
    bare = ~written.reshape(side, side)
    # On a bare square, all pixels are nearly the same.
    colours = squares[:, SIDE // 2, SIDE // 2].reshape(side, side, 3).astype(np.float64)
    if bare.mean() > _NEARLY_ALL and not _may_be_of_a_game(colours, bare):
        return None
    shares = np.zeros((len(squares), OTHER + 1), np.float32)
    shares[:, 0] = 1
    # Every game begins in the middle: without a tile there, the board is empty.
    around = np.arange(side // 2 - _MIDDLE_RADIUS, side // 2 + _MIDDLE_RADIUS + 1)
    middle = np.add.outer(side * around, around).ravel()
    middle = middle[written[middle]]
    shares[middle] = letter_shares(squares[middle])
    if (shares[middle, 0] > _SURELY_EMPTY).all() and not _is_bare_board(_colours(squares)):
        return None
    indices = np.setdiff1d(np.flatnonzero(written), middle, assume_unique=True)
    sample = indices[::_SAMPLE_STEP]
    shares[sample] = letter_shares(squares[sample])
    if len(sample):
        written_share = len(indices) / len(squares)
        tiles, guessed = shares[sample].argmax(axis=1) > 0, shares[sample].max(axis=1) < 0.5
        if written_share * tiles.mean() > _PUZZLE_TILES or written_share * guessed.mean() > _PUZZLE_GUESSED:
            return None
    rest = np.setdiff1d(indices, sample, assume_unique=True)
    shares[rest] = letter_shares(squares[rest])
    return shares


def _covered(squares: Pixels) -> Mask:
    """Return which squares may be covered, for example by a notification: they lack the edges that nearly all others show."""
    # One axis after the other, as above.
    contrast = squares.max(axis=1).max(axis=1) - squares.min(axis=1).min(axis=1)
    bare = contrast.max(axis=1) <= _MAX_BARE_RANGE
    return np.asarray(bare & (bare.mean() < 1 - _NEARLY_ALL), bool)


def _is_surely_none(tiles: Mask, guessed: Mask) -> bool:
    """Return whether the first crop of a grid proves that it is not a board."""
    side = round(len(tiles) ** 0.5)
    apart = (
        _together(tiles.reshape(side, side)) < _MIN_ADJACENT / _FIRST_CROP_FACTOR
        and np.count_nonzero(tiles) >= _MIN_CONNECTED
    )
    return _is_another_puzzle(tiles, guessed, _FIRST_CROP_FACTOR * _MAX_GUESSED) or bool(apart)


def _is_another_puzzle(tiles: Mask, guessed: Mask, max_share: float) -> bool:
    """Return whether a grid has too many tiles or too many guesses for a board."""
    return bool(np.count_nonzero(tiles) > _MAX_TILES * len(tiles) / 225 or guessed.mean() > max_share)


def _character(number: int, is_small: bool) -> str:  # noqa: FBT001 - a blank's letter is small
    """Return a square as CGP writes it, by its class."""
    letter = LETTERS[number - 1] if number else EMPTY
    return letter.lower() if is_small else letter


def _guesses(shares: Floats, first: str, is_small: bool) -> tuple[tuple[str, float], ...]:  # noqa: FBT001 - as above
    """Return the possible contents of a square with their probabilities; letters of a blank are lower-case."""
    written_share = (
        (_character(number, is_small), float(share)) for number, share in enumerate(shares[:OTHER])
    )
    return tuple(
        (content, share) for content, share in written_share if share > _MIN_GUESS or content == first
    )


def _beside_labels(shares: Floats, side: int) -> tuple[int, int]:
    """Return by how many squares, to the right and down, a board is offset from its grid.

    Coordinates in cells of their own look like squares with letters: the first or last line is full but not a word,
    or is the alphabet.
    """
    classes = shares.argmax(axis=1).reshape(side, side)
    sure = shares.max(axis=1).reshape(side, side)

    def is_named(line: Integers, confidence: Floats) -> bool:
        full = np.count_nonzero(line) >= 0.85 * side
        alphabet = np.count_nonzero(line == np.arange(1, side + 1)) >= 0.5 * side
        strange = np.count_nonzero((line == OTHER) | (confidence < DOUBT_THRESHOLD)) >= 0.3 * side
        return bool(full and (alphabet or strange))

    down = is_named(classes[0], sure[0]) - is_named(classes[-1], sure[-1])
    right = is_named(classes[:, 0], sure[:, 0]) - is_named(classes[:, -1], sure[:, -1])
    return right, down


def _beside(board: Mask) -> Mask:
    """Return which squares have a tile beside them."""
    around = np.pad(board, 1)
    return np.asarray(around[2:, 1:-1] | around[:-2, 1:-1] | around[1:-1, 2:] | around[1:-1, :-2])


def _together(board: Mask) -> float:
    """Return the share of the tiles that are next to other tiles, as in words; marks in other puzzles are isolated."""
    return float(_beside(board)[board].mean()) if board.any() else 1.0


def _is_connected(board: Mask) -> bool:
    """Return whether the tiles are connected, as in every game."""
    reached = np.zeros_like(board)
    reached.flat[int(board.argmax())] = True
    while not ((wider := board & (reached | _beside(reached))) == reached).all():
        reached = wider
    return bool((reached == board).all())


def _colours(squares: Pixels) -> Doubles:
    """Return the usual colour of each square of a board: rows × columns × 3."""
    side = round(len(squares) ** 0.5)
    inner = squares[:, 6:-6, 6:-6].reshape(len(squares), -1, 3)
    return np.asarray(np.median(inner, axis=1).reshape(side, side, 3), np.float64)


def _may_be_of_a_game(colours: Doubles, empty: Mask) -> bool:
    """Return whether the empty squares' colours may be those of a board.

    They do not alternate as on a chessboard. On a board without tiles, a few are bonus squares, mirrored in all four
    quarters.
    """
    beside = empty[:, 1:] & empty[:, :-1]
    change = np.abs(colours[:, 1:] - colours[:, :-1]).max(axis=2) > _MIN_BONUS_DIFFERENCE
    if beside.any() and change[beside].mean() > _NEARLY_ALL:
        return False
    return not empty.all() or _is_bare_board(colours)


def _is_bare_board(colours: Doubles) -> bool:
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
