"""The rules of a game: its tiles, its board, and numbers such as the bingo bonus.

Each tile is represented by a small number, its *machine letter*. The tiles of a distribution are numbered from 1.

======  =================================  =======================
number  on a board                         on a rack or in a bag
======  =================================  =======================
0       an empty square                    a blank
n       tile n                             tile n
-n      a blank that stands for tile n
======  =================================  =======================

The squares of a layout are written with the symbols that the site woogles and the engines macondo and MAGPIE use: ``'`` double
letter, ``"`` triple letter, ``^`` quadruple letter, ``-`` double word, ``=`` triple word, ``~`` quadruple word, ``.`` plain, ``#``
no square.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from functools import cache, lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

BLANK = 0
"""The machine letter of a blank on a rack or in a bag."""

BLANK_TEXT = "?"


@dataclass(frozen=True, slots=True)
class Letter:
    """A kind of tile."""

    text: str
    """The letters on the tile, such as ``A`` or ``CH``."""
    blank_text: str
    """The text of a blank that stands for this tile, such as ``a`` or ``ch``."""
    count: int
    points: int
    is_vowel: bool = False


@dataclass(frozen=True)
class LetterDistribution:
    """The tiles in a game. ``letters[0]`` is the blank."""

    name: str
    letters: tuple[Letter, ...]
    machine_letters: dict[str, int] = field(init=False, repr=False, compare=False)
    """The machine letter for each way to write a tile: ``A`` → 1, ``a`` (a blank) → -1, ``?`` → 0."""
    pattern: re.Pattern[str] = field(init=False, repr=False, compare=False)
    """Matches the longest tile at a given offset."""
    counts: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """Number of tiles in a full bag, by machine letter."""
    bracketed_texts: dict[int, str] = field(init=False, repr=False, compare=False)
    """The text of each tile, by machine letter, with multi-letter tiles in brackets."""
    total: int = field(init=False, compare=False)
    has_known_bag: bool = field(init=False, compare=False)
    """Whether every game starts with all these tiles."""
    _hash: int = field(init=False, repr=False, compare=False)
    """Stored because positions, which contain a distribution, are often cache keys."""

    def __post_init__(self) -> None:
        numbers: dict[str, int] = {}
        for number, letter in enumerate(self.letters):
            numbers[letter.text] = number
            numbers.setdefault(letter.blank_text, -number)
        for number, letter in enumerate(self.letters):
            # Some sets write blanks in brackets instead of lowercase, but players type lowercase letters anyway.
            lowercase = letter.text.lower()
            if lowercase != letter.text and len(lowercase) == len(letter.text):
                numbers.setdefault(lowercase, -number)
        longest_first = sorted(numbers, key=len, reverse=True)
        tiles = range(1 - len(self.letters), len(self.letters))
        fields = {
            "machine_letters": numbers,
            "pattern": re.compile("|".join(map(re.escape, longest_first))),
            "counts": tuple(letter.count for letter in self.letters),
            "bracketed_texts": {tile: bracket_tile(self.text(tile)) for tile in tiles},
            "total": sum(letter.count for letter in self.letters),
            "has_known_bag": self.name != "letter_league",
            "_hash": hash((self.name, self.letters)),
        }
        for name, value in fields.items():
            # Updating ``vars(self)`` instead would make each later access to an attribute five times as slow.
            object.__setattr__(self, name, value)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.name, self.letters)

    def points(self, machine_letter: int) -> int:
        """Return the points of a tile on the board. A blank that stands for a letter scores as a blank."""
        return self.letters[machine_letter if machine_letter > 0 else BLANK].points

    def text(self, machine_letter: int) -> str:
        letter = self.letters[abs(machine_letter)]
        return letter.text if machine_letter >= 0 else letter.blank_text


def bracket_tile(text: str) -> str:
    return text if len(text) == 1 or text.startswith("[") else f"[{text}]"


@cache
def _data_files(folder: str) -> dict[str, Traversable]:
    files = (resources.files("bot.domain.crossword") / "data" / folder).iterdir()
    return {file.name.partition(".")[0]: file for file in sorted(files, key=lambda file: file.name)}


def distribution_names() -> tuple[str, ...]:
    return tuple(_data_files("letter_distributions"))


@cache
def load_distribution(name: str) -> LetterDistribution:
    """Return the shipped distribution with this canonical name, or raise :exc:`KeyError`."""
    lines = _data_files("letter_distributions")[name].read_text(encoding="utf-8").splitlines()[1:]
    letters = [
        Letter(text, blank_text, int(count), int(points), vowel == "1")
        for text, blank_text, count, points, vowel in (line.split("\t") for line in lines)
    ]
    return LetterDistribution(name, tuple(sorted(letters, key=lambda letter: letter.text != BLANK_TEXT)))


@cache
def canonical_by_alias(kind: str) -> dict[str, str]:
    """Map lowercase aliases to canonical names. ``kind`` is a kind of row in ``data/aliases.tsv``."""
    path = resources.files("bot.domain.crossword") / "data" / "aliases.tsv"
    rows = (row.split("\t") for row in path.read_text(encoding="utf-8").splitlines()[1:])
    return {alias.lower(): canonical_name for row_kind, canonical_name, alias in rows if row_kind == kind}


@lru_cache(maxsize=256)
def find_distribution(name: str) -> LetterDistribution | None:
    """Return the distribution with this name or alias, ignoring case."""
    lowercase_name = name.lower()
    canonical_name = canonical_by_alias("ld").get(lowercase_name, lowercase_name)
    return load_distribution(canonical_name) if canonical_name in distribution_names() else None


@lru_cache(maxsize=256)
def distribution_of_lexicon(lexicon: str) -> LetterDistribution | None:
    """Return the distribution that a lexicon's name implies: ``OSPS49`` is Polish."""
    prefixes = canonical_by_alias("lexprefix")
    longest_prefix = max(filter(lexicon.lower().startswith, prefixes), key=len, default=None)
    return load_distribution(prefixes[longest_prefix]) if longest_prefix else None


SUPER_BOARD_SIZE = 21
"""Number of rows of the boards that use a language's larger set of tiles."""
SUPER_SUFFIX = "_super"
"""Suffix of the names of variants and tile sets for 21×21 boards."""


def super_distribution(distribution: LetterDistribution) -> LetterDistribution:
    """Return the tiles for a 21×21 board in the same language, or ``distribution`` if there are none."""
    name = distribution.name + SUPER_SUFFIX
    return load_distribution(name) if name in distribution_names() else distribution


def candidate_distributions() -> list[LetterDistribution]:
    """Return the distributions to try for a text that names none, the most common distributions first.

    Distributions that can't be recognized by their letters alone are left out: those for 21×21 boards, for Turn URLs,
    and for games with their own tiles.
    """
    names = [
        name
        for name in distribution_names()
        if name not in GAMES_WITH_OWN_TILES
        and not name.startswith("turn-url-")
        and not name.endswith(SUPER_SUFFIX)
    ]
    common_names = ("english", "spanish", "french", "german", "catalan", "polish", "norwegian", "swedish")
    return [load_distribution(name) for name in dict.fromkeys((*common_names, *names))]


MAX_SIDE = 50

PLAIN_SQUARE = "."
MISSING_SQUARE = "#"
LETTER_MULTIPLIER = {"'": 2, '"': 3, "^": 4}
WORD_MULTIPLIER = {"-": 2, "=": 3, "~": 4}
SQUARE_SYMBOLS = frozenset({PLAIN_SQUARE, MISSING_SQUARE, *LETTER_MULTIPLIER, *WORD_MULTIPLIER})


@dataclass(frozen=True, slots=True)
class BoardLayout:
    """The squares of an empty board, row by row. ``start`` is a (row, column) pair, counted from 0."""

    name: str
    """The name in files, such as ``CrosswordGame``; may be empty. In a CGP, the operand of ``bdn``."""
    rows: int
    columns: int
    squares: str
    start: tuple[int, int]

    def __post_init__(self) -> None:
        if not (1 <= self.rows <= MAX_SIDE and 1 <= self.columns <= MAX_SIDE):
            raise ValueError(
                f"a board has 1 to {MAX_SIDE} rows and columns, not {self.rows} × {self.columns}"
            )
        if len(self.squares) != self.rows * self.columns or not SQUARE_SYMBOLS.issuperset(self.squares):
            raise ValueError("a layout needs one known symbol for each of its squares")

    @property
    def symbol_rows(self) -> list[str]:
        return [self.squares[row * self.columns :][: self.columns] for row in range(self.rows)]


def layout_of_rows(rows: tuple[str, ...], *, name: str = "") -> BoardLayout:
    """Make a layout from its rows. The start square is in the middle, or in the later of two middle rows or columns.

    Raises:
        ValueError: the rows differ in length, a symbol is unknown, a side is over :data:`MAX_SIDE`, or there
            are no rows.

    """
    columns = len(rows[0]) if rows else 0
    if any(len(row) != columns for row in rows):
        raise ValueError("all rows of a layout must have the same length")
    return BoardLayout(name, len(rows), columns, "".join(rows), (len(rows) // 2, columns // 2))


def layout_names() -> tuple[str, ...]:
    return tuple(_data_files("board_layouts"))


@cache
def load_layout(name: str) -> BoardLayout:
    """Return the shipped layout with this canonical name, or raise :exc:`KeyError`."""
    return layout_of_rows(
        tuple(_data_files("board_layouts")[name].read_text(encoding="utf-8").split()), name=name
    )


@lru_cache(maxsize=256)
def find_layout(name: str) -> BoardLayout | None:
    by_name = {layout_name.lower(): layout_name for layout_name in layout_names()} | canonical_by_alias("bdn")
    canonical_name = by_name.get(name.lower())
    return load_layout(canonical_name) if canonical_name else None


@lru_cache(maxsize=64)
def layout_of_size(rows: int, columns: int) -> BoardLayout:
    """Return the usual layout of this size. Only 15×15 and 21×21 have bonus squares."""
    if (rows, columns) == (15, 15):
        return load_layout("CrosswordGame")
    if (rows, columns) == (21, 21):
        return load_layout("SuperCrosswordGame")
    return layout_of_rows((PLAIN_SQUARE * columns,) * rows)


DEFAULT_RACK_SIZE = 7
CLASSIC_VARIANT = "classic"


class EndScoring(Enum):
    """A way to score the tiles left on racks at the end of a game.

    A player goes out by playing the last tile on their rack while the bag is empty. If no player goes out,
    each player loses the points of their own tiles, except with ``EQUAL_TURNS``.
    """

    TWICE = "twice"
    """The player who goes out gains twice the points of the other players' tiles."""
    EACH_WAY = "each-way"
    """The other players lose the points of their own tiles, and the player who goes out gains the sum
    (international rules, and the site sharewords).
    """
    EQUAL_TURNS = "equal-turns"
    """No tiles are counted. Every player has one more turn after the bag is empty (Crossplay)."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a game."""

    distribution: LetterDistribution
    layout: BoardLayout
    lexicon: str = ""
    """The name as written, or empty if unknown."""
    variant: str = CLASSIC_VARIANT
    rack_size: int = DEFAULT_RACK_SIZE
    bingo_bonus: int = 50
    """Points for laying down a full rack."""
    bingo_multiplier: int = 1
    """Multiplier for the main word of a bingo."""
    min_bag_for_exchange: int = 7
    """Minimum number of tiles in the bag for an exchange."""
    scoreless_limit: int = 6
    """Number of consecutive scoreless turns that end the game."""
    end_scoring: EndScoring = EndScoring.TWICE
    challenge_rule: str = ""
    """One of ``void``, ``single``, ``double``, ``5pt``, ``10pt`` and ``triple``, or empty if unknown."""
    increment_ms: int | None = None
    """Milliseconds added to a clock after each turn."""
    max_overtime_ms: int | None = None
    """The game ends after this many milliseconds of overtime."""


_USUAL_RULES: dict[str, dict[str, Any]] = {
    "crossplay": {"bingo_bonus": 40, "scoreless_limit": 4, "end_scoring": EndScoring.EQUAL_TURNS},
    "hong_kong_english": {"rack_size": 9, "min_bag_for_exchange": 9},
    "letter_league": {"bingo_bonus": 0, "bingo_multiplier": 2},
    "spanish": {"min_bag_for_exchange": 1},
    "wordfeud": {"bingo_bonus": 40, "scoreless_limit": 3, "end_scoring": EndScoring.EACH_WAY},
    "words_with_friends": {
        "bingo_bonus": 35,
        "min_bag_for_exchange": 1,
        "scoreless_limit": 3,
        "end_scoring": EndScoring.EACH_WAY,
    },
}
"""Fields of :class:`Rules` that differ from the defaults, by distribution name. ``data/README.md``
lists the sources for :data:`GAMES_WITH_OWN_TILES`.
"""
_LAYOUT_OF_DISTRIBUTION = {
    "crossplay": "Crossplay",
    "letter_league": "LetterLeague",
    "wordfeud": "Wordfeud",
    "words_with_friends": "WordsWithFriends",
}
GAMES_WITH_OWN_TILES = {
    "crossplay": "Crossplay",
    "letter_league": "Letter League",
    "wordfeud": "Wordfeud",
    "words_with_friends": "Words With Friends",
}
"""Games with their own tiles and board, by distribution name."""


@lru_cache(maxsize=256)
def default_rules(distribution: LetterDistribution, layout: BoardLayout) -> Rules:
    return Rules(distribution, layout, **_USUAL_RULES.get(distribution.name, {}))


@lru_cache(maxsize=256)
def default_layout(distribution: LetterDistribution, rows: int, columns: int) -> BoardLayout:
    """Return the layout of this size that goes with these tiles, or else the usual layout of this size."""
    layout_name = _LAYOUT_OF_DISTRIBUTION.get(distribution.name)
    if layout_name and ((layout := load_layout(layout_name)).rows, layout.columns) == (rows, columns):
        return layout
    return layout_of_size(rows, columns)


@lru_cache(maxsize=256)
def distribution_of_layout(layout: BoardLayout) -> LetterDistribution | None:
    """Return the set of tiles that a layout implies, or None. Only the boards of :data:`GAMES_WITH_OWN_TILES` imply a set."""
    name = next(
        (name for name, layout_name in _LAYOUT_OF_DISTRIBUTION.items() if layout_name == layout.name), None
    )
    return load_distribution(name) if name else None


def distribution_of_game(name: str) -> LetterDistribution | None:
    """Return the set of tiles for a game such as ``Crossplay``."""
    set_name = canonical_by_alias("game").get(name.lower())
    return load_distribution(set_name) if set_name else None


def canonical_variant(name: str) -> str | None:
    """Return the name that files use for a variant, or None if it is unknown.

    The name of a game with its own tiles becomes ``classic``.
    """
    return (
        CLASSIC_VARIANT
        if name.lower() in canonical_by_alias("game")
        else canonical_by_alias("var").get(name.lower())
    )
