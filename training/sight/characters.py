"""The characters that may be written on a tile. Each is a class of the ``characters`` network."""

from __future__ import annotations

from typing import Final

from bot.sight.tiles import LETTERS

FOREIGN: Final = (*"ÄÖÜÅÆØÑÇÓĄĆĘŁŃŚŹŻČŠŽĞİŞ", "QU", "CH", "LL", "RR", "NY", "L·L")
"""Tiles with Latin letters that no English set has."""
DIGITS: Final = "0123456789"
QUESTION_MARK: Final = 2 * len(LETTERS) + len(FOREIGN)
OTHER_CHARACTER: Final = QUESTION_MARK + 1 + len(DIGITS)
"""The class of everything that is not in :data:`CHARACTERS`. :data:`QUESTION_MARK` is the class of ``?``."""
CHARACTERS: Final = (*LETTERS, *LETTERS.lower(), *FOREIGN, "?", *DIGITS)
"""The characters in the order of their classes. A tile with a lower-case foreign letter has the class of the capital."""

_CLASSES: Final = {character: number for number, character in enumerate(CHARACTERS)}


def class_of(character: str) -> int:
    """Return the class of a character. A foreign letter must be given as a capital."""
    return _CLASSES.get(character, OTHER_CHARACTER)
