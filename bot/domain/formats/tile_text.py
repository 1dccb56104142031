"""Tiles as people write them in a row: letters, small letters for blanks, brackets around long tiles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from bot.domain.distributions import BLANK, LetterDistribution
from bot.domain.errors import ParseError, Warnings, place

RUN, TILE, BRACKET, OTHER = "run", "tile", "bracket", "other"


@lru_cache(maxsize=64)
def token_pattern(distribution: LetterDistribution) -> re.Pattern[str]:
    """Return a pattern that splits a row of tiles into runs of digits, tiles, brackets and anything else."""
    return re.compile(
        rf"(?P<run>[0-9]+)|(?P<tile>{distribution.pattern.pattern})"
        r"|(?P<bracket>\[+[^\[\]/]*\]*)|(?P<other>.)",
        re.DOTALL,
    )


@lru_cache(maxsize=64)
def split_pattern(distribution: LetterDistribution) -> re.Pattern[str]:
    """Return a pattern without groups that splits a row in the same places."""
    return re.compile(re.sub(r"\?P<\w+>", "?:", token_pattern(distribution).pattern), re.DOTALL)


class UnknownTileError(ParseError):
    """Something is no tile of the distribution."""


def unknown_tile(text: str, offset: int, token: str, distribution: LetterDistribution) -> UnknownTileError:
    """Make the error for a token that is no tile of the distribution."""
    line, column = place(text, offset)
    return UnknownTileError(
        "unknown-tile",
        "{token!r} is no tile of the {distribution} set",
        line=line,
        column=column,
        token=token[:20],
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


def read_rack(
    text: str, start: int, end: int, distribution: LetterDistribution, warnings: Warnings
) -> tuple[int, ...]:
    """Read the tiles of a rack, ``text[start:end]``, as machine letters.

    Small letters are taken for the tiles themselves, ``.`` for a blank, and digits are passed over, each with a
    warning: all three are written.

    Raises:
        UnknownTileError: something in it is no tile of the distribution.

    """
    rack = []
    if any(character.isdigit() for character in text[start:end]):
        warnings.add("digit-on-rack", "digits on a rack are no tiles; passed over", start)
    for number, offset in scan_tiles(text, start, end, distribution, runs=True):
        if number < 0:
            warnings.add("small-letter-on-rack", "a tile on a rack is written in capitals", offset)
        elif number == BLANK and text[offset] == ".":
            warnings.add("dot-on-rack", "a blank on a rack is written ?", offset)
        rack.append(abs(number))
    return tuple(rack)


def scan_tiles(
    text: str, start: int, end: int, distribution: LetterDistribution, *, runs: bool = False
) -> Iterator[tuple[int, int]]:
    """Yield machine letter and offset of each tile in ``text[start:end]``.

    A ``.`` gives 0, which the caller takes as a blank or as a tile played through. Runs of digits are passed over
    when ``runs`` is set.

    Raises:
        UnknownTileError: something in it is no tile of the distribution.

    """
    numbers = distribution.numbers
    for match in token_pattern(distribution).finditer(text, start, end):
        token, group = match[0], match.lastgroup
        number: int | None = None
        if group == TILE:
            number = numbers[token]
        elif group == BRACKET:
            number = bracket_number(token, distribution)
        elif text[match.start()] == ".":
            number = BLANK
        elif group == RUN and runs:
            continue
        if number is None:
            raise unknown_tile(text, match.start(), token, distribution)
        yield number, match.start()


def bracketed(tile: str) -> str:
    """Return a written tile as CGP wants it: in brackets when it has more than one character."""
    return tile if len(tile) == 1 or tile.startswith("[") else f"[{tile}]"
