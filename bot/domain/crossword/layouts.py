"""Board layouts: where the bonus squares are and where the first play must go.

A square is one of the symbols that woogles, macondo and MAGPIE use in their layout files: ``'`` double letter,
``"`` triple letter, ``^`` quadruple letter, ``-`` double word, ``=`` triple word, ``~`` quadruple word, ``.``
plain, ``#`` no square at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

from bot.domain.crossword.distributions import aliases

MAX_SIDE = 50
"""The longest side of a board that Kibitz reads."""

PLAIN = "."
MISSING = "#"
LETTER_MULTIPLIER = {"'": 2, '"': 3, "^": 4}
WORD_MULTIPLIER = {"-": 2, "=": 3, "~": 4}
SYMBOLS = frozenset({PLAIN, MISSING, *LETTER_MULTIPLIER, *WORD_MULTIPLIER})


@dataclass(frozen=True, slots=True)
class BoardLayout:
    """The squares of an empty board, row by row. ``start`` is the row and column, from 0, of the start square."""

    name: str
    """The name as in the ``bdn`` opcode; empty when the layout has none."""
    rows: int
    columns: int
    squares: str
    start: tuple[int, int]

    def __post_init__(self) -> None:
        if not (1 <= self.rows <= MAX_SIDE and 1 <= self.columns <= MAX_SIDE):
            raise ValueError(
                f"a board has 1 to {MAX_SIDE} rows and columns, not {self.rows} × {self.columns}"
            )
        if len(self.squares) != self.rows * self.columns or not SYMBOLS.issuperset(self.squares):
            raise ValueError("a layout needs one known symbol for each of its squares")

    def letter_multiplier(self, row: int, column: int) -> int:
        """Return by how much the square multiplies a tile laid on it."""
        return LETTER_MULTIPLIER.get(self.squares[row * self.columns + column], 1)

    def word_multiplier(self, row: int, column: int) -> int:
        """Return by how much the square multiplies a word that gets a tile on it."""
        return WORD_MULTIPLIER.get(self.squares[row * self.columns + column], 1)

    def is_square(self, row: int, column: int) -> bool:
        """Tell whether there is a square at all."""
        return self.squares[row * self.columns + column] != MISSING


def layout_of_rows(rows: tuple[str, ...], *, name: str = "") -> BoardLayout:
    """Make a layout from its rows; the start is the centre (of an even side, the later of the two middles).

    Raises:
        ValueError: rows of different lengths, an unknown symbol, a side over :data:`MAX_SIDE`, or no rows.

    """
    columns = len(rows[0]) if rows else 0
    if any(len(row) != columns for row in rows):
        raise ValueError("all rows of a layout have the same length")
    return BoardLayout(name, len(rows), columns, "".join(rows), (len(rows) // 2, columns // 2))


@cache
def layout_names() -> tuple[str, ...]:
    """Return the names of the layouts that come with the project."""
    folder = resources.files("bot.domain.crossword") / "data" / "board_layouts"
    return tuple(sorted(entry.name.removesuffix(".txt") for entry in folder.iterdir()))


@cache
def load_layout(name: str) -> BoardLayout:
    """Return a layout that comes with the project, by its canonical name.

    Raises:
        KeyError: no layout has this name.

    """
    if name not in layout_names():
        raise KeyError(name)
    path = resources.files("bot.domain.crossword") / "data" / "board_layouts" / f"{name}.txt"
    return layout_of_rows(tuple(path.read_text(encoding="utf-8").split()), name=name)


@lru_cache(maxsize=256)
def find_layout(name: str) -> BoardLayout | None:
    """Return the layout that people call ``name``, in any case, or None."""
    lower = name.lower()
    by_name = {known.lower(): known for known in layout_names()} | aliases("bdn")
    canonical = by_name.get(lower)
    return load_layout(canonical) if canonical else None


@lru_cache(maxsize=64)
def layout_of_size(rows: int, columns: int) -> BoardLayout:
    """Return the usual layout of a board of this size: 15×15, 21×21, or one without bonus squares."""
    if (rows, columns) == (15, 15):
        return load_layout("CrosswordGame")
    if (rows, columns) == (21, 21):
        return load_layout("SuperCrosswordGame")
    return layout_of_rows((PLAIN * columns,) * rows)
