"""What may be written on a tile, or in a panel beside a board: the classes of the networks that read tiles."""

from __future__ import annotations

from typing import Final

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The letters of English: the classes of the network that reads squares, between an empty one and any other letter."""
OTHER: Final = len(LETTERS) + 1
"""The class of tiles whose letters are none of these: they are told to be unknown, not taken for another."""
LOWER, MARKED = 1, 2
"""How a tile is written, classes that are summed: with a lower-case letter; in a ring or a frame."""

FOREIGN: Final = (*"ÄÖÜÅÆØÑÇÓĄĆĘŁŃŚŹŻČŠŽĞİŞ", "QU", "CH", "LL", "RR", "NY", "L·L")
"""Letters of the other languages that are played in Latin script."""
DIGITS: Final = "0123456789"
SMALL: Final = len(LETTERS)
"""How far a small letter's class is behind its capital's."""
QUESTION: Final = 2 * len(LETTERS) + len(FOREIGN)
REST: Final = QUESTION + 1 + len(DIGITS)
"""The class of signs that are none of these."""
SIGNS: Final = (*LETTERS, *LETTERS.lower(), *FOREIGN, "?", *DIGITS)
"""The signs by their classes; of letters of other languages capitals and small ones are one."""

_NUMBERS: Final = {sign: number for number, sign in enumerate(SIGNS)}


def number_of(sign: str) -> int:
    """Return a sign's class."""
    return _NUMBERS.get(sign, REST)
