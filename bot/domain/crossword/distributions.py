"""Letter distributions: which tiles a game has, how many of each, and what they are worth.

A tile is handled as a small number, the *machine letter* of the field:

====================  =======================================
on a board            0 empty square, n the tile n, -n a blank that stands for tile n
on a rack, in a bag   0 the blank, n the tile n
====================  =======================================

n counts from 1 in the order of the distribution.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import resources

BLANK = 0
"""The machine letter of an unassigned blank on a rack or in a bag."""

BLANK_TEXT = "?"


@dataclass(frozen=True, slots=True)
class Letter:
    """One kind of tile."""

    text: str
    """How the tile is written, such as ``A`` or ``CH``."""
    blank_text: str
    """How a blank that stands for this tile is written, such as ``a`` or ``ch``."""
    count: int
    points: int
    vowel: bool = False


@dataclass(frozen=True)
class LetterDistribution:
    """The tiles of a game. ``letters[0]`` is the blank; its text is ``?``."""

    name: str
    letters: tuple[Letter, ...]
    numbers: dict[str, int] = field(init=False, repr=False, compare=False)
    """Machine letter by written tile: ``A`` → 1, ``a`` (a blank) → -1, and ``?`` → 0."""
    pattern: re.Pattern[str] = field(init=False, repr=False, compare=False)
    """Matches the longest written tile at a place."""
    counts: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """Tiles in a full bag by machine letter, the blank first."""
    total: int = field(init=False, compare=False)
    """How many tiles a full bag holds."""
    _hash: int = field(init=False, repr=False, compare=False)
    """Kept, since a position is a key of caches and has its set in it."""

    def __post_init__(self) -> None:
        numbers: dict[str, int] = {}
        for number, letter in enumerate(self.letters):
            numbers[letter.text] = number
            numbers.setdefault(letter.blank_text, -number)
        for number, letter in enumerate(self.letters):
            # Where the blank's form is bracketed (alphabets tabulated without small letters), people still
            # type the small letter.
            small = letter.text.lower()
            if small != letter.text and len(small) == len(letter.text):
                numbers.setdefault(small, -number)
        longest_first = sorted(numbers, key=len, reverse=True)
        object.__setattr__(self, "numbers", numbers)
        object.__setattr__(self, "pattern", re.compile("|".join(map(re.escape, longest_first))))
        object.__setattr__(self, "_hash", hash((self.name, self.letters)))
        object.__setattr__(self, "counts", tuple(letter.count for letter in self.letters))
        object.__setattr__(self, "total", sum(self.counts))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.name, self.letters)

    def points(self, machine_letter: int) -> int:
        """Return what a tile on the board is worth; a blank is worth what the blank tile is worth (usually 0)."""
        return self.letters[machine_letter if machine_letter > 0 else BLANK].points

    def text(self, machine_letter: int) -> str:
        """Write one tile as it stands on a board; 0 gives the blank's ``?``."""
        if machine_letter >= 0:
            return self.letters[machine_letter].text
        return self.letters[-machine_letter].blank_text


@cache
def distribution_names() -> tuple[str, ...]:
    """Return the names of the distributions that come with the project, in alphabetical order."""
    folder = resources.files("bot.domain.crossword") / "data" / "letter_distributions"
    return tuple(sorted(entry.name.removesuffix(".tsv") for entry in folder.iterdir()))


@cache
def load_distribution(name: str) -> LetterDistribution:
    """Return a distribution that comes with the project, by its canonical name.

    Raises:
        KeyError: no distribution has this name.

    """
    if name not in distribution_names():
        raise KeyError(name)
    path = resources.files("bot.domain.crossword") / "data" / "letter_distributions" / f"{name}.tsv"
    blank = Letter(BLANK_TEXT, BLANK_TEXT, 0, 0)
    letters: list[Letter] = []
    for row in path.read_text(encoding="utf-8").splitlines()[1:]:
        text, blank_text, count, points, vowel = row.split("\t")
        letter = Letter(text, blank_text, int(count), int(points), vowel == "1")
        if text == BLANK_TEXT:
            blank = letter
        else:
            letters.append(letter)
    return LetterDistribution(name, (blank, *letters))


@cache
def aliases(kind: str) -> dict[str, str]:
    """Return canonical names by other names in use, all in lower case, for a kind of ``data/aliases.tsv``."""
    path = resources.files("bot.domain.crossword") / "data" / "aliases.tsv"
    rows = (row.split("\t") for row in path.read_text(encoding="utf-8").splitlines()[1:])
    return {alias.lower(): canonical for row_kind, canonical, alias in rows if row_kind == kind}


@lru_cache(maxsize=256)
def find_distribution(name: str) -> LetterDistribution | None:
    """Return the distribution that people call ``name``, in any case, or None."""
    lower = name.lower()
    canonical = aliases("ld").get(lower, lower)
    return load_distribution(canonical) if canonical in distribution_names() else None


@lru_cache(maxsize=256)
def distribution_of_lexicon(lexicon: str) -> LetterDistribution | None:
    """Return the distribution that a lexicon's name implies (``OSPS49`` → Polish), or None."""
    lower = lexicon.lower()
    prefixes = aliases("lexprefix")
    for prefix in sorted(prefixes, key=len, reverse=True):
        if lower.startswith(prefix):
            return load_distribution(prefixes[prefix])
    return None


def super_distribution(distribution: LetterDistribution) -> LetterDistribution:
    """Return the set of the same language for a 21×21 board, or the same set when the language has no other."""
    name = f"{distribution.name}_super"
    return load_distribution(name) if name in distribution_names() else distribution
