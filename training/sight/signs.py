"""The signs that may be written on a tile (letters, digits and the question mark). Each is a class of the ``signs`` network."""

from __future__ import annotations

from typing import Final

from bot.sight.tiles import LETTERS

FOREIGN: Final = (*"ÄÖÜÅÆØÑÇÓĄĆĘŁŃŚŹŻČŠŽĞİŞ", "QU", "CH", "LL", "RR", "NY", "L·L")
"""Latin letters and digraphs that English does not have."""
DIGITS: Final = "0123456789"
QUESTION_MARK: Final = 2 * len(LETTERS) + len(FOREIGN)
"""The class of the question mark."""
OTHER_SIGN: Final = QUESTION_MARK + 1 + len(DIGITS)
"""The class of all other signs."""
SIGNS: Final = (*LETTERS, *LETTERS.lower(), *FOREIGN, "?", *DIGITS)
"""The signs in the order of their classes. A letter of another language has the same class in capitals and in lower case."""

_CLASSES: Final = {sign: number for number, sign in enumerate(SIGNS)}


def class_of(sign: str) -> int:
    """Return a sign's class."""
    return _CLASSES.get(sign, OTHER_SIGN)
