"""Names of lexica: which are allowed for files, which mean the same, and which comes nearest to another."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

MAX_NAME = 32
NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{MAX_NAME - 1}}}(?<!\.)")
"""A name that can be a file's on any system and an operand in any notation."""

# Two names of one North American list: by its publisher's count, and by its year.
_SAME = {
    "owl": "twl98",
    "otcwl": "twl98",
    "owl1": "twl98",
    "owl2": "twl06",
    "otcwl2": "twl06",
    "owl3": "twl14",
    "otcwl3": "twl14",
    "fise2": "fise16",
}
_FAMILY = {"otcwl": "twl", "owl": "twl", "collins": "csw"}
_YEAR = re.compile(r"(?<=[a-z])(?:19|20)([0-9]{2})$")
_BETWEEN = re.compile(r"[\s._-]+")
_PARTS = re.compile(r"([a-z]*)([0-9]*)")


def canonical(name: str) -> str:
    """Return what all names of a lexicon have in common: ``NWL2023`` and ``nwl-23`` both give ``nwl23``."""
    plain = _BETWEEN.sub("", name.casefold())
    plain = _YEAR.sub(r"\1", plain)
    if plain in _SAME:
        return _SAME[plain]
    family, number = _split(plain)
    return _FAMILY.get(family, family) + number + plain[len(family) + len(number) :]


def nearest(name: str, installed: Iterable[str]) -> str | None:
    """Return the installed lexicon whose name is most like ``name``: of the same family, then of a near year.

    ``installed`` is in order of preference, which decides where nothing else does; None when it is empty.
    """
    wanted = canonical(name)
    family, number = _split(wanted)

    def unlikeness(other: str) -> tuple[bool, int, float]:
        other_family, other_number = _split(canonical(other))
        same = family != "" and other_family == family
        apart = abs(int(number[:6] or 0) - int(other_number[:6] or 0)) if same else 0
        return not same, apart, -difflib.SequenceMatcher(None, wanted[:64], canonical(other)).ratio()

    return min(installed, key=unlikeness, default=None)


def _split(plain: str) -> tuple[str, str]:
    """Return the letters that a name begins with and the digits after them."""
    parts = _PARTS.match(plain)
    return (parts[1], parts[2]) if parts else ("", "")
