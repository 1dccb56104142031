"""The ``bag`` param in Turn URLs: the tiles in a game and their points."""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect
from collections import Counter
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, groupby
from typing import NamedTuple

from bot.domain.crossword.rules import BLANK, BLANK_TEXT, Letter, LetterDistribution, load_distribution
from bot.domain.reading.problems import ParseError, ReadWarning

MAX_TILES = 10_000

MAX_LETTERS = 300

MAX_LETTER_LENGTH = 30

# The count of each tile in a bag of 100, in hundredths of a tile, in alphabetical order with the blank last. sharewords computes the bag
# for a board of any size from these numbers (in game/bag_defaults.ts).
_FREQUENCIES = {
    "en": "721 187 360 363 1122 134 293 212 813 100 100 494 260 636 573 271 100 683 909 600 327 100 100 100 142 100 200",
    "es": "1245 158 449 397 1046 100 156 103 721 100 100 406 306 626 100 816 240 100 812 662 494 244 119 100 100 100 200",
}
LANGUAGES = tuple(_FREQUENCIES)
_SQUARES_FOR_100_TILES = 15 * 15

_SEGMENT = re.compile(r"(?P<letter>.*?)(?:-(?P<count>[0-9]*)(?:-(?P<points>[0-9]+))?)?", re.DOTALL)
"""A letter: ``A-7-1``, ``A--1``, ``A-7``, ``A-`` (the letter is removed) or ``A``. The letter may contain hyphens."""


class BagConvention(NamedTuple):
    """A way to read a bag where the specification and the program (sharewords) disagree."""

    is_scaled: bool
    """Whether the number of a language's tiles depends on the size of the board, as in the program. Otherwise, the number is
    always 100, as in the specification. On a board of 225 squares, both agree."""
    drops_bare_letters: bool
    """Whether a letter without numbers (``bag=en.A``) removes that letter, as in the program. Otherwise, it is one tile worth one
    point."""


SPECIFICATION = BagConvention(is_scaled=False, drops_bare_letters=False)
PROGRAM = BagConvention(is_scaled=True, drops_bare_letters=True)


@dataclass(frozen=True, slots=True)
class BagLetter:
    """A kind of tile in a bag. The blank's text is empty."""

    text: str
    count: int
    points: int


class BagContents(NamedTuple):
    """The contents of a ``bag`` param, in the order of the unshuffled bag."""

    letters: tuple[BagLetter, ...]
    warnings: tuple[ReadWarning, ...]


@lru_cache(maxsize=64)
def read_bag(text: str, square_count: int, convention: BagConvention = SPECIFICATION) -> BagContents:
    """Read a ``bag`` param for a board of ``square_count`` squares.

    Raises:
        ParseError: the bag names an unknown language, repeats a letter, has a letter or number that is too long, or has more than
            :data:`MAX_TILES` tiles or :data:`MAX_LETTERS` kinds of tiles.

    """
    reader = _BagReader(square_count, convention)
    for segment in text.split("."):
        reader.read_segment(segment)
    letters = tuple(
        BagLetter(letter, *count_and_points) for letter, count_and_points in reader.letters.items()
    )
    if sum(letter.count for letter in letters) > MAX_TILES:
        raise ParseError("too-many-tiles", "the bag has more than {limit} tiles", limit=MAX_TILES)
    return BagContents(letters, tuple(reader.warnings.values()))


class _BagReader:
    def __init__(self, square_count: int, convention: BagConvention) -> None:
        self.letters: dict[str, tuple[int, int]] = {}
        """The count and points of each letter."""
        self.warnings: dict[str, ReadWarning] = {}
        self._square_count = square_count
        self._convention = convention
        self._segment_letters: set[str] = set()
        self._languages: set[str] = set()

    def _warn(self, code: str, template: str, **values: object) -> None:
        self.warnings.setdefault(code, ReadWarning(code, template, values=tuple(values.items())))

    def read_segment(self, segment: str) -> None:
        if "a" <= segment[:1] <= "z":
            self._add_language(segment)
            return
        match = _SEGMENT.fullmatch(segment) if len(segment) <= MAX_LETTER_LENGTH + 20 else None
        if match is None or len(match["letter"]) > MAX_LETTER_LENGTH:
            raise ParseError(
                "letter-too-long",
                "a letter in the bag can have at most {limit} characters: {segment!r}…",
                limit=MAX_LETTER_LENGTH,
                segment=segment[:20],
            )
        letter, count, points = match.groups()
        if letter in self._segment_letters:
            raise ParseError("duplicate-letter", "the bag lists the letter {letter!r} twice", letter=letter)
        self._segment_letters.add(letter)
        if count == "" and points is None:
            self.letters.pop(letter, None)
        elif count is None:
            self._warn(
                "bare-letter",
                "the letter {letter!r} in the bag has no count; by the specification, that is one tile worth 1 "
                "point, but sharewords drops the letter",
                letter=letter,
            )
            self.letters[letter] = (1, 1)
            if self._convention.drops_bare_letters:
                del self.letters[letter]
        else:
            usual_count, usual_points = self.letters.get(letter, (1, 1))
            self.letters[letter] = (
                self._read_number(count, usual_count),
                self._read_number(points, usual_points),
            )
        if len(self.letters) > MAX_LETTERS:
            raise ParseError(
                "too-many-letters", "the bag has more than {limit} kinds of tiles", limit=MAX_LETTERS
            )

    def _read_number(self, digits: str | None, default: int) -> int:
        if not digits:
            return default
        digits = digits.lstrip("0") or "0"
        if len(digits) > 6:
            raise ParseError(
                "number-too-large",
                "{number} is too large for a tile's count or value",
                number=digits[:12] + ("…" if len(digits) > 12 else ""),
            )
        return int(digits)

    def _add_language(self, language: str) -> None:
        if language not in LANGUAGES:
            raise ParseError(
                "unknown-language",
                "the bag names the language {language!r}; use en or es",
                language=language[:20],
            )
        if language in self._languages:
            self._warn("duplicate-language", "the bag names {language!r} twice", language=language)
        self._languages.add(language)
        counts_by_letter = scaled_counts(language, self._square_count)
        listed_tiles = listed_letters(language)
        if counts_by_letter != {letter.text: letter.count for letter in listed_tiles}:
            self._warn(
                "scaled-bag",
                "the format lists {listed} tiles for {language!r}; sharewords uses {scaled} on a board "
                "of {squares} squares",
                listed=sum(letter.count for letter in listed_tiles),
                language=language,
                scaled=sum(counts_by_letter.values()),
                squares=self._square_count,
            )
        for letter in listed_tiles:
            count = counts_by_letter[letter.text] if self._convention.is_scaled else letter.count
            self.letters[letter.text] = (count, letter.points)


@lru_cache(maxsize=8)
def listed_letters(language: str) -> tuple[BagLetter, ...]:
    """Return the tiles that the specification lists for a language, in the specification's order, but with the blank last."""
    blank, *letters = load_distribution(f"turn-url-{language}").letters
    listed_tiles = (BagLetter(letter.text, letter.count, letter.points) for letter in letters)
    return (*listed_tiles, BagLetter("", blank.count, blank.points))


@lru_cache(maxsize=32)
def scaled_counts(language: str, square_count: int) -> dict[str, int]:
    """Return the count of each letter in sharewords' bag. The number of tiles is proportional to ``square_count``: 100 for 225.

    The range from 0 to 1 is divided into a section for each letter, in the order of the letters' code points and in proportion to
    their frequencies. The tiles are spread evenly over this range. Each tile becomes the letter whose section contains it.
    """
    letters = [letter.text for letter in listed_letters(language)]
    frequencies = dict(zip(letters, map(int, _FREQUENCIES[language].split()), strict=True))
    total = sum(frequencies.values())
    tile_count = math.floor(square_count / _SQUARES_FOR_100_TILES * 100 + 0.5)
    ordered_letters = sorted(letters)
    ends = list(accumulate(frequencies[letter] / total for letter in ordered_letters[:-1]))
    counts = Counter(ordered_letters[bisect(ends, (tile + 0.5) / tile_count)] for tile in range(tile_count))
    return {letter: counts[letter] for letter in letters}


@lru_cache(maxsize=64)
def canonical_bag(text: str, square_count: int) -> str:
    """Return the canonical form of a ``bag`` param: all letters, or a language and the differences from its bag if that is shorter.

    A param that leaves no letters, or that the specification and the program interpret differently, is left unchanged.
    """
    letters = read_bag(text, square_count, SPECIFICATION).letters
    if read_bag(text, square_count, PROGRAM).letters != letters:
        return text
    canonical_form = ".".join(f"{letter.text}-{letter.count}-{letter.points}" for letter in letters)
    for language in LANGUAGES:
        candidate = ".".join([language, *sorted(_differences(listed_letters(language), letters))])
        if len(candidate) < len(canonical_form) and all(
            read_bag(candidate, square_count, convention).letters == letters
            for convention in (SPECIFICATION, PROGRAM)
        ):
            canonical_form = candidate
    return canonical_form if letters else text


def _differences(listed_tiles: tuple[BagLetter, ...], letters: tuple[BagLetter, ...]) -> list[str]:
    listed_by_text = {letter.text: letter for letter in listed_tiles}
    letter_by_text = {letter.text: letter for letter in letters}
    parts = [f"{text}-" for text in listed_by_text if text not in letter_by_text]
    for text, letter in letter_by_text.items():
        listed_letter = listed_by_text.get(text)
        count = letter.count if listed_letter is None or listed_letter.count != letter.count else ""
        points = f"-{letter.points}" if listed_letter is None or listed_letter.points != letter.points else ""
        if listed_letter != letter:
            parts.append(f"{text}-{count}{points}")
    return parts


LOST_BLANK = "."
"""The character that sharewords writes for a blank in a word with multi-letter tiles.

sharewords counts the positions of blanks (``bt``) in characters, so it takes the dot between two tiles for the blank's letter.
"""


@dataclass(frozen=True, slots=True)
class TileSet:
    """The tiles in a bag, both as a letter distribution and in the notation of the bag param."""

    distribution: LetterDistribution
    bag: tuple[int, ...]
    """The tiles in the order of the unshuffled bag."""
    machine_letters: dict[str, int] = field(compare=False)
    """The machine letter of each text in the bag param. The blank's text is empty."""

    def split_word(self, word: str) -> tuple[str, ...]:
        """Return the letters in a played word: the parts between its dots or, without dots, its characters.

        A word without dots that is itself a letter of the bag (``Qu``) is one tile, unless each of its characters is also a
        letter of the bag. In the result, :data:`LOST_BLANK` stands for a blank whose letter sharewords has lost.
        """
        if "." not in word:
            is_one_tile = self._is_letter(word) and not all(map(self._is_letter, word))
            return (word,) if is_one_tile else tuple(word)
        parts = word.split(".")
        if not all(map(self._is_letter, parts)):
            for repaired_letters in (_with_lost_letters(parts), list(word)):
                if all(letter == LOST_BLANK or self._is_letter(letter) for letter in repaired_letters):
                    return tuple(repaired_letters)
        return tuple(parts)

    def _is_letter(self, text: str) -> bool:
        return bool(text) and text in self.machine_letters


def _with_lost_letters(parts: list[str]) -> list[str]:
    """Restore the dots that stand for lost letters. Splitting leaves two empty parts for each of these dots: ``O...Qu`` is O, dot, Qu."""
    repaired_letters: list[str] = []
    for part, run in groupby(parts):
        count = len(list(run))
        repaired_letters += [part] * count if part else [LOST_BLANK] * (count // 2) + [""] * (count % 2)
    return repaired_letters


@lru_cache(maxsize=64)
def tile_set(letters: tuple[BagLetter, ...], unlisted_letters: tuple[str, ...] = ()) -> TileSet:
    """Return the tiles in a bag. The bag has no tile for the letters in ``unlisted_letters``, but a blank can stand for them."""
    blank = Letter(BLANK_TEXT, BLANK_TEXT, 0, 0)
    numbers: dict[str, int] = {"": BLANK}
    new_letters: list[Letter] = []
    all_letters = [*letters, *(BagLetter(text, 0, 0) for text in unlisted_letters)]
    reserved_texts = {BLANK_TEXT, *(letter.text for letter in all_letters)}
    for letter in all_letters:
        text = letter.text
        if not text:
            blank = Letter(BLANK_TEXT, BLANK_TEXT, letter.count, letter.points)
            continue
        written_text = _bracket_uniquely(text, reserved_texts) if text == BLANK_TEXT else text
        reserved_texts.add(written_text)
        lowercase = text.lower()
        blank_text = lowercase if lowercase not in reserved_texts else _bracket_uniquely(text, reserved_texts)
        reserved_texts.add(blank_text)
        new_letters.append(
            Letter(
                written_text,
                blank_text,
                letter.count,
                letter.points,
                is_vowel=unicodedata.normalize("NFD", text)[:1] in tuple("AEIOU"),
            )
        )
        numbers[text] = len(new_letters)
    bag = tuple(numbers[letter.text] for letter in letters for _ in range(letter.count))
    language = next((language for language in LANGUAGES if listed_letters(language) == letters), "custom")
    return TileSet(LetterDistribution(f"turn-url-{language}", (blank, *new_letters)), bag, numbers)


def _bracket_uniquely(text: str, reserved_texts: AbstractSet[str]) -> str:
    bracketed_text = f"[{text}]"
    while bracketed_text in reserved_texts:
        bracketed_text = f"[{bracketed_text}]"
    return bracketed_text
