"""Tiles as people write them in a row: letters, small letters for blanks, brackets around long tiles."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from bot.domain.crossword.rules import BLANK, DEFAULT_RACK_SIZE, LetterDistribution
from bot.domain.reading.problems import ParseError, Piece, Warnings

_GROUP = re.compile(r"\?P<\w+>")
RUN, TILE, MIXED, BRACKET, OTHER = "run", "tile", "mixed", "bracket", "other"


@lru_cache(maxsize=64)
def splits(distribution: LetterDistribution) -> frozenset[str]:
    """Return the long tiles that can also be spelled with other tiles of the set, such as ``LL`` in Spanish.

    Written without brackets they are two tiles or one. Programs always write brackets around the one, people do not.
    """
    numbers = distribution.numbers
    return frozenset(text for text in numbers if len(text) > 1 and all(sign in numbers for sign in text))


@lru_cache(maxsize=64)
def token_pattern(distribution: LetterDistribution, *, apart: bool = False) -> re.Pattern[str]:
    """Return a pattern that splits a row of tiles into runs of digits, tiles, brackets and anything else.

    A tile is the longest that fits; with ``apart``, long tiles that can be spelled with others need their brackets.
    """
    numbers = distribution.numbers
    tiles = distribution.pattern.pattern
    if apart and (ambiguous := splits(distribution)):
        tiles = "|".join(
            re.escape(text) for text in sorted(numbers, key=len, reverse=True) if text not in ambiguous
        )
    # Long tiles in mixed case, where they cannot be read as other tiles.
    mixed = "|".join(
        re.escape(text.capitalize())
        for text, number in numbers.items()
        if number > 0 and len(text) > 1 and not all(sign in numbers for sign in text.capitalize())
        if text.capitalize() not in numbers
    )
    return re.compile(
        rf"(?P<run>[0-9]+)|{f'(?P<mixed>{mixed})|' if mixed else ''}(?P<tile>{tiles})"
        r"|(?P<bracket>\[++[^\[\]/]*+\]*+)|(?P<other>.)",
        re.DOTALL,
    )


@lru_cache(maxsize=64)
def split_pattern(distribution: LetterDistribution, *, apart: bool = False) -> re.Pattern[str]:
    """Return a pattern without groups that splits a row in the same places."""
    return re.compile(_GROUP.sub("?:", token_pattern(distribution, apart=apart).pattern), re.DOTALL)


class UnknownTileError(ParseError):
    """Something is no tile of the distribution."""


def unknown_tile(token: Piece, distribution: LetterDistribution) -> UnknownTileError:
    """Make the error for a token that is no tile of the distribution."""
    line, column = token.place
    return UnknownTileError(
        "unknown-tile",
        "{token!r} is no tile of the {distribution} set",
        line=line,
        column=column,
        token=token.text[:20],
        distribution=distribution.name,
    )


def bracket_number(token: str, distribution: LetterDistribution) -> int | None:
    """Return the machine letter of a bracketed tile (``[CH]``, also ``[[CH]]``), or None when it is none."""
    inner = token.strip("[]")
    number = distribution.numbers.get(inner)
    return number if number is not None else mixed_case_number(inner, distribution)


def mixed_case_number(token: str, distribution: LetterDistribution) -> int | None:
    """Return the machine letter of a long tile in mixed case: ``Qu`` is a blank that stands for QU."""
    number = distribution.numbers.get(token.upper()) if len(token) > 1 else None
    return -number if number else None


def read_rack(rack: Piece, distribution: LetterDistribution, warnings: Warnings) -> tuple[int, ...]:
    """Read the tiles of a rack as machine letters.

    Small letters are taken for the tiles themselves, ``.`` for a blank, and digits are passed over, each with a
    warning: all three are written. ``LL`` without brackets is two tiles, unless the rack would be too long so.

    Raises:
        UnknownTileError: something in it is no tile of the distribution.

    """
    tiles = distribution.pattern.findall(rack.text)
    strict = list(map(distribution.numbers.__getitem__, tiles))
    if len(tiles) == len(rack.text) and min(strict, default=0) >= 0:  # all of one character
        return tuple(strict)
    if any(character.isdigit() for character in rack.text):
        rack.warn(warnings, "digit-on-rack", "digits on a rack are no tiles; passed over")
    scanned = list(scan_tiles(rack, distribution, runs=True, apart=True))
    if len(scanned) > DEFAULT_RACK_SIZE and splits(distribution) and "[" not in rack.text:
        scanned = list(scan_tiles(rack, distribution, runs=True))
    found = []
    for number, offset in scanned:
        if number < 0:
            warnings.add("small-letter-on-rack", "a tile on a rack is written in capitals", offset)
        elif number == BLANK and rack.whole[offset] == ".":
            warnings.add("dot-on-rack", "a blank on a rack is written ?", offset)
        found.append(abs(number))
    return tuple(found)


def scan_tiles(
    row: Piece, distribution: LetterDistribution, *, runs: bool = False, apart: bool = False
) -> Iterator[tuple[int, int]]:
    """Yield machine letter and offset, in the whole text, of each tile in a row.

    A ``.`` gives 0, which the caller takes as a blank or as a tile played through. Runs of digits are passed over
    when ``runs`` is set. ``apart`` as in :func:`token_pattern`.

    Raises:
        UnknownTileError: something in it is no tile of the distribution.

    """
    numbers = distribution.numbers
    for match in token_pattern(distribution, apart=apart).finditer(row.text):
        written, group = match[0], match.lastgroup
        number: int | None = None
        if group == TILE:
            number = numbers[written]
        elif group == MIXED:
            number = mixed_case_number(written, distribution)
        elif group == BRACKET:
            number = bracket_number(written, distribution)
        elif written == ".":
            number = BLANK
        elif group == RUN and runs:
            continue
        if number is None:
            raise unknown_tile(row.part(*match.span()), distribution)
        yield number, row.offset + match.start()


def bracketed(tile: str) -> str:
    """Return a written tile as CGP wants it: in brackets when it has more than one character."""
    return tile if len(tile) == 1 or tile.startswith("[") else f"[{tile}]"


def display_width(text: str) -> int:
    """Return how many columns a text takes where each character has the same width, wide ones two."""
    if text.isascii():
        return len(text)
    return sum(
        2 if unicodedata.east_asian_width(sign) in "WF" else 0 if unicodedata.combining(sign) else 1
        for sign in text
    )
