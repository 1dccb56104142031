"""Word lists: plain text with a word on each line, as they are passed around.

A word may be followed by anything that is not part of it (a definition, points, the word's hooks), and lines that
start with ``#`` are comments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.domain.crossword.distributions import LetterDistribution
from bot.domain.reading.problems import ParseError
from bot.engine.lexicon.builder import MAX_LENGTH
from bot.engine.lexicon.spelling import speller

MAX_BYTES = 64 * 2**20
"""The largest list that is read; the longest in use has some three million words."""

_WORD = re.compile(r"[\s\"']*([^\s,;:=\"/|]+)")


@dataclass(frozen=True, slots=True)
class WordList:
    """What a word list holds."""

    words: tuple[bytes, ...]
    """Each word once, as machine letters, in the order of the list."""
    duplicates: int = 0
    """Lines with a word that was there before."""
    too_short: int = 0
    """Lines with a word of one tile, which cannot be played."""


def read_word_list(data: bytes, distribution: LetterDistribution) -> WordList:
    """Read a word list in UTF-8 (or UTF-16 with its mark), with any line ends, in either case.

    Accents belong to the word: a list with accents that no tile has is one for another distribution.

    Raises:
        ParseError: it is too large or no text, or a word cannot be spelled with the tiles or on any board; with
            the line.

    """
    spell = speller(distribution).spell
    words: dict[bytes, None] = {}
    duplicates = too_short = 0
    for line, text in enumerate(_decoded(data).splitlines(), start=1):
        found = _WORD.match(text)
        if found is None or found[1].startswith("#"):
            continue
        word = spell(found[1], strict=True, line=line, column=found.start(1) + 1)
        if len(word) > MAX_LENGTH:
            raise ParseError(
                "word-too-long",
                "{word!r} is longer than the {most} squares that a board has at most",
                line=line,
                column=found.start(1) + 1,
                word=found[1][:30],
                most=MAX_LENGTH,
            )
        if len(word) == 1:
            too_short += 1
        elif word in words:
            duplicates += 1
        else:
            words[word] = None
    if not words:
        raise ParseError("no-words", "the word list holds no word")
    return WordList(tuple(words), duplicates, too_short)


def _decoded(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise ParseError("word-list-too-large", "the word list is larger than {most:,} bytes", most=MAX_BYTES)
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ParseError(
            "not-utf-8",
            "the word list is not text in UTF-8",
            line=data.count(b"\n", 0, error.start) + 1,
            column=error.start - data.rfind(b"\n", 0, error.start),
        ) from None
