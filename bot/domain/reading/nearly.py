"""What is clearly meant as a notation though it may not be readable: at least four fifths of it are right.

Each notation tells by itself what its parts are and which of them are right (``nearly.py`` beside its reader). Somebody
is to be asked about such a text unasked, so in doubt it is none.
"""

from __future__ import annotations

from typing import Final

_OF: Final = 5
_RIGHT: Final = 4


def is_mostly(right: int, parts: int) -> bool:
    """Tell whether at least four fifths of some parts are right."""
    return right * _OF >= parts * _RIGHT
