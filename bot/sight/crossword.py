"""Boards of crossword games in pictures, read and weighed: which letters, which of them blanks, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from bot.sight.grids import Lattice, find_grids
from bot.sight.network import Network
from bot.sight.squares import SIDE, Floats, Grid, cut, tile_features

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The letters that were learnt: the classes of the network between an empty square and any other letter."""
SURE = 0.7
"""No square of a clear board may be less probable."""
PLAIN = 0.9
"""Letters less probable than this are pointed out on a board that is not clear."""

_DATA = Path(__file__).parent / "data"
EMPTY: Final = "."
OTHER: Final = len(LETTERS) + 1
"""The class of tiles whose letters are none of these: they are told to be unknown, not taken for another."""
LOWER, MARKED = 1, 2
"""How a tile is written, classes that are summed: with a lower-case letter; in a ring or a frame."""
_MOST = 110
"""Tiles on a board of 225 squares, at most; a grid with more is another puzzle."""
_CERTAIN = 0.999
"""Squares that are empty so surely are looked at once."""
_ASIDE = ((0.03, -0.025), (-0.025, 0.03))
"""How far from its place a board is cut, in squares: what is read must not depend on it."""
_SPECIAL = 12.0
"""How far the colour of a bonus square is from that of others, of 255."""
_FEWEST_SPECIAL = 0.08
"""The share of bonus squares on a board."""
_OTHER_COLOUR = 24.0
"""How far apart two tiles' colours are at least, of 255."""
_BAR = 0.1
"""What is an I with at least this probability may be no L but a small one."""
_WORTH = 0.01
"""What is less probable is no second guess."""
_GUESSED = 0.1
"""The share of squares of a board that may be guesses."""
_NEARLY_ALL = 0.8
"""The share of the tiles that show their values in programs that write values on tiles."""
_INK, _LEAST_INK = 0.4, 0.06
"""How far from a tile's own colour ink is, of the greatest difference; and the share of a corner that a value fills."""
_GONE = 0.75
"""A tile that seems less surely without a value has one, unless something else tells of a blank."""
_CLEAR = 0.2
"""What is more probable than the rest of this is so."""
_BLANKS = 4
"""Blanks on a board, at most: more tiles that differ are no blanks but a move that is shown."""


@dataclass(frozen=True, slots=True)
class CrosswordSight:
    """A board of a crossword game as it was read from a picture."""

    rows: tuple[str, ...]
    """The squares as CGP writes them without counting: ``.`` for an empty one, lower-case letters for blanks."""
    confidences: tuple[float, ...]
    """How probable each square is, row by row."""
    clear: bool
    """Whether nothing in the picture speaks against it. It may be wrong all the same: blanks are drawn in many ways."""
    doubtful: tuple[int, ...]
    """Squares to check, row by row."""
    grid: Grid
    """Where the squares are in the picture."""
    guesses: tuple[tuple[int, tuple[tuple[str, float], ...]], ...] = ()
    """What may stand on doubtful squares, and how probable each is: the first guess and others."""

    @property
    def placement(self) -> str:
        """The first field of a CGP."""
        return "/".join(_counted(row) for row in self.rows)


def _counted(row: str) -> str:
    parts, empty = [], 0
    for sign in [*row, ""]:
        if sign == EMPTY:
            empty += 1
            continue
        parts += [str(empty) if empty else "", sign]
        empty = 0
    return "".join(parts)


def read_crossword(picture: Image.Image) -> list[CrosswordSight]:
    """Read the boards of crossword games on an RGB picture, the clearest first."""
    return [sight for lattice in find_grids(picture) if (sight := _read(picture, lattice)) is not None]


@cache
def _letters() -> Network:
    return Network.load(_DATA / "letters.npz")


@cache
def _tiles() -> Network:
    return Network.load(_DATA / "tiles.npz")


def _read(picture: Image.Image, lattice: Lattice) -> CrosswordSight | None:
    side = lattice.grid.columns
    grid, squares, shares, unclear = _seen(picture, lattice.grid)
    classes, confidences = shares.argmax(axis=1), shares.max(axis=1)
    # A sign on the first square of a game that nothing lies beside is not a tile.
    middle = len(classes) // 2
    if classes[middle] and not classes[[middle - side, middle - 1, middle + 1, middle + side]].any():
        classes[middle], confidences[middle], unclear[middle] = 0, 1.0, False
    # A letter that is none of those learnt is never sure: the next best is shown, to be put right.
    strange = classes == OTHER
    classes[strange] = shares[strange, 1:OTHER].argmax(axis=1) + 1
    confidences[strange] = 0
    occupied = np.flatnonzero(classes)
    if len(occupied) > _MOST * len(classes) / 225 or np.mean(confidences < 0.5) > _GUESSED:
        return None
    if not _has_squares_of_a_game(squares, (classes == 0).reshape(side, side)):
        return None
    small = np.zeros(len(classes), bool)
    if len(occupied):
        small[occupied], unclear_blanks = _blanks(squares[occupied])
        unclear[occupied] |= unclear_blanks
    signs = [_sign(number, is_small) for number, is_small in zip(classes, small, strict=True)]
    clear = bool(
        not unclear.any()
        and confidences.min() >= SURE
        and _is_connected((classes > 0).reshape(side, side))
        # Blanks are drawn in many ways. Where none is seen there may be one that is drawn in a way not known.
        and (small.any() or not len(occupied))
    )
    plain = np.where(classes == 0, SURE, PLAIN)
    doubtful = () if clear else tuple(np.flatnonzero((confidences < plain) | unclear).tolist())
    # Where nothing seems to lie, there may be a tile after all, and that may be a blank.
    if empty := [square for square in doubtful if not classes[square]]:
        small[empty] = marked(squares[empty]) > 0.5
    guesses = tuple((square, _guesses(shares[square], signs[square], small[square])) for square in doubtful)
    rows = tuple("".join(signs[start : start + side]) for start in range(0, len(signs), side))
    return CrosswordSight(rows, tuple(confidences.tolist()), clear, doubtful, grid, guesses)


def _seen(
    picture: Image.Image, grid: Grid
) -> tuple[Grid, npt.NDArray[np.uint8], Floats, npt.NDArray[np.bool_]]:
    """Return a board's place and squares, how probable each class is of each, and where cuts beside it do not agree."""
    squares = cut(picture, grid)
    shares = letter_shares(squares)
    beside = _beside_labels(shares, grid.columns)
    if beside != (0, 0):
        grid = grid.moved(*beside)
        squares = cut(picture, grid)
        shares = letter_shares(squares)
    near = np.flatnonzero(shares[:, 0] < _CERTAIN)
    seen = [letter_shares(cut(picture, grid.moved(*away))[near]) for away in _ASIDE]
    unclear = np.zeros(len(shares), bool)
    unclear[near] = np.any([one.argmax(axis=1) != shares[near].argmax(axis=1) for one in seen], axis=0)
    shares[near] = np.mean([shares[near], *seen], axis=0)
    return grid, squares, shares, unclear


def _sign(number: int, is_small: bool) -> str:  # noqa: FBT001 - a blank's letter is small
    """Return a square as CGP writes it, by its class."""
    if not number:
        return EMPTY
    letter = LETTERS[number - 1]
    return letter.lower() if is_small else letter


def _guesses(shares: Floats, first: str, is_small: bool) -> tuple[tuple[str, float], ...]:  # noqa: FBT001 - as above
    """Return what may stand on a square, of which a sign is the first guess; a blank's letters are small."""
    told = ((_sign(number, is_small), float(share)) for number, share in enumerate(shares[:OTHER]))
    return tuple((sign, share) for sign, share in told if share > _WORTH or sign == first)


def letter_shares(squares: npt.NDArray[np.uint8]) -> Floats:
    """Return the probability of each class for each square."""
    if not len(squares):
        return np.zeros((0, OTHER + 1), np.float32)
    shares = _letters().probabilities(tile_features(squares))
    # A bar may be a capital I or a small L; nearly all tiles have capitals.
    capital, small = LETTERS.index("I") + 1, LETTERS.index("L") + 1
    bar = shares[:, capital] > _BAR
    shares[bar, capital] += shares[bar, small]
    shares[bar, small] = 0
    return shares


def _beside_labels(shares: Floats, side: int) -> tuple[int, int]:
    """Return how many squares right and down a board is from where it was taken to be.

    Names of rows and columns in cells of their own look like squares with letters: a first or last line that is full
    of what is no word, or is the alphabet.
    """
    classes = shares.argmax(axis=1).reshape(side, side)
    sure = shares.max(axis=1).reshape(side, side)

    def is_named(line: npt.NDArray[np.int64], confidence: Floats) -> bool:
        full = np.count_nonzero(line) >= 0.85 * side
        alphabet = np.count_nonzero(line == np.arange(1, side + 1)) >= 0.5 * side
        strange = np.count_nonzero((line == OTHER) | (confidence < PLAIN)) >= 0.3 * side
        return bool(full and (alphabet or strange))

    down = is_named(classes[0], sure[0]) - is_named(classes[-1], sure[-1])
    right = is_named(classes[:, 0], sure[:, 0]) - is_named(classes[:, -1], sure[:, -1])
    return right, down


def marked(squares: npt.NDArray[np.uint8]) -> Floats:
    """Return how probable it is of each tile that it is in a ring or a frame."""
    shares = _tiles().probabilities(tile_features(squares))
    return np.asarray(shares[:, np.arange(shares.shape[1]) & MARKED > 0].sum(axis=1), np.float32)


def _blanks(squares: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return which tiles are blanks, and of which it is not clear.

    A blank is what few tiles are and the others are not: in a ring or a frame, lower-case, without a value, or in
    colours of its own. What more than a few tiles have is a move that is shown, or a program that writes so.
    """
    seen = tile_features(squares)
    shares = _tiles().probabilities(seen)
    ways = np.arange(shares.shape[1])
    ringed = shares[:, ways & MARKED > 0].sum(axis=1)
    lower = shares[:, ways & LOWER > 0].sum(axis=1)
    lacking = valueless(seen[:, :, :, 1])
    blank, unclear = _marks(ringed)
    sure = ringed > 1 - _CLEAR
    if lacking is not None:
        # A value that is nearly lost in a pressed picture is none that is missing: a ring or a frame says more.
        lacking = np.where(lacking < _GONE - ringed, np.minimum(lacking, np.float32(0.5)), lacking)
    for sign, doubt in ((lower, 0.6), (_apart(squares) if lacking is None else lacking, 0.4)):
        if np.count_nonzero(sign > 0.5) <= _BLANKS:
            blank |= sign > 0.5
            unclear |= (sign > doubt) & (sign < 1 - _CLEAR)
            sure |= sign > 1 - _CLEAR
    return blank, unclear & ~sure


def _marks(marked: Floats) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return which tiles are blanks by their rings or frames, and of which that is not clear.

    A program's marks are all alike, and what is not marked is far from all of them: so each tile is compared with
    that which is most like a marked one.
    """
    most = float(marked.max())
    strong = most > 1 - _CLEAR
    blank = marked > (0.6 if strong else 0.45) * most
    faint = not strong and most < max(0.15, 8 * float(np.quantile(marked, 0.9)))
    if faint or np.count_nonzero(blank) > _BLANKS:
        nothing = np.zeros(len(marked), bool)
        return nothing, nothing.copy()
    unclear = (marked > 0.42 * most) & ~blank if strong else marked > 0.2 * most
    return blank, unclear


def _apart(squares: npt.NDArray[np.uint8]) -> Floats:
    """Return which tiles may be blanks by colours that hardly another has; never surely, since a move is shown so, too."""
    inner = squares[:, 6:-6, 6:-6].reshape(len(squares), -1, 3).astype(np.float32)
    faces = np.median(inner, axis=1)
    alike = np.abs(faces[:, None] - faces[None]).max(axis=2) < _OTHER_COLOUR
    few = alike.sum(axis=1) <= 2
    return np.where(few & (len(squares) > 3 * _BLANKS), np.float32(0.45), np.float32(0))


def valueless(apart: Floats, edge: int = 3) -> Floats | None:
    """Return how surely each tile shows no value; None where the program does not write values on tiles.

    Values are small: what is looked for is ink near one corner that nearly all tiles have.
    """
    near, far = slice(edge, edge + 8), slice(SIDE - edge - 8, SIDE - edge)
    best: Floats | None = None
    most = 0.0
    for rows, columns in ((far, far), (far, near), (near, far), (near, near)):
        ink = (apart[:, rows, columns] > _INK).mean(axis=(1, 2))
        usual = float(np.median(ink))
        if usual > max(most, _LEAST_INK) and np.mean(ink > usual / 2) > _NEARLY_ALL:
            best, most = np.clip((0.4 * usual - ink) / (0.3 * usual), 0, 1).astype(np.float32), usual
    return best


def _is_connected(board: npt.NDArray[np.bool_]) -> bool:
    """Return whether the tiles are one piece, as those of every game are."""
    reached = np.zeros_like(board)
    reached.flat[int(board.argmax())] = True
    while True:
        wider = reached.copy()
        wider[1:] |= reached[:-1]
        wider[:-1] |= reached[1:]
        wider[:, 1:] |= reached[:, :-1]
        wider[:, :-1] |= reached[:, 1:]
        wider &= board
        if (wider == reached).all():
            return bool((reached == board).all())
        reached = wider


def _has_squares_of_a_game(squares: npt.NDArray[np.uint8], empty: npt.NDArray[np.bool_]) -> bool:
    """Return whether the empty squares' colours may be those of a board.

    On a board they are not light and dark in turn, and where no tile lies, a few are bonus squares, alike in all four
    quarters.
    """
    side = len(empty)
    inner = squares[:, 6:-6, 6:-6].reshape(len(squares), -1, 3)
    colours = np.median(inner, axis=1).reshape(side, side, 3)
    beside = empty[:, 1:] & empty[:, :-1]
    change = np.abs(colours[:, 1:] - colours[:, :-1]).max(axis=2) > _SPECIAL
    if beside.any() and change[beside].mean() > _NEARLY_ALL:
        return False
    if not empty.all():
        return True
    usual = np.median(colours.reshape(-1, 3), axis=0)
    special = np.abs(colours - usual).max(axis=2) > _SPECIAL
    turned = np.abs(colours - colours[::-1, ::-1]).max(axis=2)
    mirrored = np.abs(colours - colours[:, ::-1]).max(axis=2)
    alike = (turned < _SPECIAL) & (mirrored < _SPECIAL)
    return bool(_FEWEST_SPECIAL <= special.mean() <= 0.5 and alike.mean() > _NEARLY_ALL)
