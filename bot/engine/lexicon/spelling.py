"""Spells typed words with the tiles of a distribution, and reads word lists.

A spelled word is a string of machine letters, one for each tile. In Spanish, ``LLAMA`` has four: LL, A, M and A.

A word list is plain text with a word at the start of each line. The rest of the line, such as a definition, is ignored. Lines
that start with ``#`` are comments.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from bot.domain.crossword.rules import MAX_SIDE, LetterDistribution
from bot.domain.reading.problems import ParseError

_HANGUL_CONSONANT = re.compile("HANGUL (?:CHOSEONG|JONGSEONG) ")
_MIDDLE_DOT = "·"
_DOTS = "•‧∙⋅・"
"""Dots that users type for the middle dot in the Catalan tile L·L."""


@lru_cache(maxsize=64)
def letters_of(distribution: LetterDistribution) -> tuple[str, ...]:
    """Return the letters of all tiles except the blank. Distributions with the same letters spell words identically."""
    return tuple(letter.text for letter in distribution.letters[1:])


class Speller:
    """Spells words with the tiles of one distribution. Use :func:`speller`, which caches the spellers."""

    def __init__(self, distribution: LetterDistribution) -> None:
        self.distribution = distribution
        tile_texts = [(letter.text, number) for number, letter in enumerate(distribution.letters) if number]
        number_by_form = dict(tile_texts)
        # In Turkish, i is the lower-case form of İ, not of I, so the distribution's own forms come first.
        for number, letter in enumerate(distribution.letters):
            if number and not letter.blank_text.startswith("["):
                number_by_form.setdefault(letter.blank_text, number)
        for text, number in tile_texts:
            for form in (text.lower(), text.upper(), text.capitalize()):
                number_by_form.setdefault(form, number)
        tiles = "|".join(re.escape(form) for form in sorted(number_by_form, key=len, reverse=True))
        self.number_by_form = number_by_form
        """The machine letter of each typed form, such as ``LL``, ``ll`` and ``Ll``."""
        self._pattern = re.compile(rf"\[({tiles})\]|({tiles})")
        self._characters = frozenset("".join(number_by_form)) | frozenset("[]")
        self._character_by_name = {_name_of(character): character for character in self._characters}
        self._has_only_single_characters = max(map(len, number_by_form)) == 1

    def spell(self, word: str, *, strict: bool = False, line: int = 1, column: int = 1) -> bytes:
        """Return the machine letters of a word, one byte each.

        If several tiles match, the longest is used; ``[LL]`` selects a tile explicitly. Case does not matter. Unless
        ``strict``, an accent that no tile has is dropped.

        Raises:
            ParseError: a part of the word is not a tile. The error's line is ``line``, and its column is counted from
                ``column``.

        """
        number_by_form = self.number_by_form
        has_only_known_characters = self._characters.issuperset(word)
        if has_only_known_characters and self._has_only_single_characters and word.isalpha():
            # Word lists have hundreds of thousands of words, so this must be fast.
            return bytes(map(number_by_form.__getitem__, word))
        text = word
        if not has_only_known_characters:
            composed_word = unicodedata.normalize("NFC", word)
            text = "".join(
                [self._intended_characters(character, strict=strict) for character in composed_word]
            )
        tiles = bytearray()
        index = 0
        match_tile = self._pattern.match
        while index < len(text):
            match = match_tile(text, index)
            if match is None:
                error_index = index if text is word else self._first_unknown_index(word, strict=strict)
                raise ParseError(
                    "unknown-tile",
                    "{character!r} in {word!r} is not a tile of the {distribution!r} set",
                    (line, column + error_index),
                    character=word[error_index],
                    word=word[:30],
                    distribution=self.distribution.name,
                )
            tiles.append(number_by_form[match[1] or match[2]])
            index = match.end()
        return bytes(tiles)

    def text_of(self, tiles: Sequence[int]) -> str:
        """Return a word's text. Negative tiles are blanks that stand for a letter."""
        return "".join(map(self.distribution.text, tiles))

    def _first_unknown_index(self, word: str, *, strict: bool) -> int:
        unknown_indexes = (
            index
            for index, character in enumerate(word)
            if not unicodedata.combining(character)
            and not self._characters.issuperset(self._intended_characters(character, strict=strict))
        )
        return next(unknown_indexes, 0)

    def _intended_characters(self, character: str, *, strict: bool) -> str:
        """Return the tile characters that a typed character stands for, or the typed character itself if there are none."""
        characters = self._characters
        if character in characters:
            return character
        if character in _DOTS and _MIDDLE_DOT in characters:
            return _MIDDLE_DOT
        # ß stands for two capitals, 강 for three letters, Ŀ for a letter and a dot, and É for a letter without its accent.
        parts = unicodedata.normalize("NFKD", character)
        base = "".join([part for part in parts if not unicodedata.combining(part)])
        meanings: tuple[str, ...] = (
            character.upper(),
            parts,
            "".join(
                [
                    part if part in characters else self._character_by_name.get(_name_of(part), part)
                    for part in parts
                ]
            ),
            *(() if strict else (base, base.upper())),
        )
        return next(
            (meaning for meaning in meanings if meaning and characters.issuperset(meaning)), character
        )


def _name_of(character: str) -> str:
    """Return the character's Unicode name. The initial and the final form of a Hangul consonant get the same name, and share a tile."""
    return _HANGUL_CONSONANT.sub("", unicodedata.name(character, character))


speller = lru_cache(maxsize=64)(Speller)


MAX_WORD_LIST_BYTES = 64 * 2**20

_WORD = re.compile(r"[\s\"']*([^\s,;:=\"/|]+)")


@dataclass(frozen=True, slots=True)
class WordList:
    """The contents of a word list."""

    words: tuple[bytes, ...]
    """Distinct, in the order of the list."""
    duplicate_count: int = 0
    """Number of lines that repeat a word."""
    too_short_count: int = 0
    """Number of lines with a word of one tile. Such words cannot be played."""


def read_word_list(data: bytes, distribution: LetterDistribution) -> WordList:
    """Read a word list in UTF-8, or in UTF-16 with a byte order mark.

    An accent that no tile has is an error, because it shows that the list is for a different distribution.

    Raises:
        ParseError: the list is too large or not text, has no words of at least two tiles, or a word is too long or cannot
            be spelled.

    """
    spell = speller(distribution).spell
    words: dict[bytes, None] = {}
    duplicate_count = too_short_count = 0
    for line_number, line in enumerate(_decode(data).splitlines(), start=1):
        match = _WORD.match(line)
        if match is None or match[1].startswith("#"):
            continue
        word = spell(match[1], strict=True, line=line_number, column=match.start(1) + 1)
        if len(word) > MAX_SIDE:
            raise ParseError(
                "word-too-long",
                "{word!r} has more than {limit} tiles, so it doesn't fit on any board",
                (line_number, match.start(1) + 1),
                word=match[1][:30],
                limit=MAX_SIDE,
            )
        if len(word) == 1:
            too_short_count += 1
        elif word in words:
            duplicate_count += 1
        else:
            words[word] = None
    if not words:
        raise ParseError("no-words", "the word list has no words of at least two tiles")
    return WordList(tuple(words), duplicate_count, too_short_count)


def _decode(data: bytes) -> str:
    if len(data) > MAX_WORD_LIST_BYTES:
        raise ParseError(
            "word-list-too-large", "the word list is larger than {limit:,} bytes", limit=MAX_WORD_LIST_BYTES
        )
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        lines = (error.object[: error.start].decode(encoding) + "?").splitlines()
        raise ParseError(
            "not-utf-8",
            "the word list is neither UTF-8 nor UTF-16 with a byte order mark",
            (len(lines), len(lines[-1])),
        ) from None
