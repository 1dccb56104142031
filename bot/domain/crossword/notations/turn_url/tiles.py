"""The tiles of a Turn URL's bag as a letter distribution, and back to the letters that the URL writes."""

from __future__ import annotations

import unicodedata
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache

from bot.domain.crossword.distributions import BLANK, BLANK_TEXT, Letter, LetterDistribution
from bot.domain.crossword.notations.turn_url.bag import LANGUAGES, BagLetter, listed_letters

LOST = "."
"""Written by sharewords for a blank in a word with long tiles: it takes ``bt`` for places among the characters, and
finds the dot that separates two tiles where the letter of the blank was to be."""


@dataclass(frozen=True, slots=True)
class TileSet:
    """The tiles of a bag as a letter distribution, and the bag's own way to write them."""

    distribution: LetterDistribution
    bag: tuple[int, ...]
    """The machine letters of all tiles in the order they go into the bag."""
    numbers: dict[str, int] = field(compare=False)
    """Machine letter by letter as the bag writes it; the blank, written as nothing, is 0."""

    def split_word(self, word: str) -> tuple[str, ...]:
        """Return the letters of a Word Played: between its dots, or each character when there are none.

        A word without dots whose characters are no letters of the bag, but which is one itself (``Qu``), is that
        one tile. A letter that is :data:`LOST` is sharewords' way to write a blank whose letter it has lost.
        """
        if "." not in word:
            whole = self._is_letter(word) and not all(map(self._is_letter, word))
            return (word,) if whole else tuple(word)
        parts = word.split(".")
        if not all(map(self._is_letter, parts)):
            for repaired in (_with_lost_letters(parts), list(word)):
                if all(letter == LOST or self._is_letter(letter) for letter in repaired):
                    return tuple(repaired)
        return tuple(parts)

    def _is_letter(self, text: str) -> bool:
        return bool(text) and text in self.numbers


def _with_lost_letters(parts: list[str]) -> list[str]:
    """Take each two empty parts in a row for a dot that stood between dots: ``O...Qu`` is O, dot, Qu."""
    repaired: list[str] = []
    waiting = False
    for part in parts:
        if part:
            repaired += ["", part] if waiting else [part]
            waiting = False
        elif waiting:
            repaired.append(LOST)
            waiting = False
        else:
            waiting = True
    return [*repaired, ""] if waiting else repaired


@lru_cache(maxsize=64)
def tile_set(letters: tuple[BagLetter, ...], unlisted: tuple[str, ...] = ()) -> TileSet:
    """Return the tiles of a bag. ``unlisted`` are letters it lacks that blanks stand for: no tiles, no points."""
    blank = Letter(BLANK_TEXT, BLANK_TEXT, 0, 0)
    numbers: dict[str, int] = {"": BLANK}
    made: list[Letter] = []
    every = [*letters, *(BagLetter(text, 0, 0) for text in unlisted)]
    reserved = {BLANK_TEXT, *(letter.text for letter in every)}
    for letter in every:
        text = letter.text
        if not text:
            blank = Letter(BLANK_TEXT, BLANK_TEXT, letter.count, letter.points)
            continue
        shown = _free(text, reserved) if text == BLANK_TEXT else text
        reserved.add(shown)
        small = text.lower()
        blank_text = small if small not in reserved else _free(text, reserved)
        reserved.add(blank_text)
        made.append(Letter(shown, blank_text, letter.count, letter.points, vowel=_is_vowel(text)))
        numbers[text] = len(made)
    bag = tuple(numbers[letter.text] for letter in letters for _ in range(letter.count))
    return TileSet(LetterDistribution(_name(letters), (blank, *made)), bag, numbers)


def _name(letters: tuple[BagLetter, ...]) -> str:
    """Name the distribution after the language when the bag is exactly the one that the format lists."""
    language = next((language for language in LANGUAGES if listed_letters(language) == letters), "custom")
    return f"turn-url-{language}"


def _free(text: str, reserved: AbstractSet[str]) -> str:
    """Return the text in as many brackets as make it unlike all others."""
    bracketed = f"[{text}]"
    while bracketed in reserved:
        bracketed = f"[{bracketed}]"
    return bracketed


def _is_vowel(letter: str) -> bool:
    return unicodedata.normalize("NFD", letter)[:1] in tuple("AEIOU")
