"""The order in which the characters of a line are seen, for lines with Hebrew or Arabic in them.

Unicode Standard Annex #9 without its explicit controls, which no printable text has, and without its rule N0 on
brackets: a bracket between two directions takes the line's own.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_FIRST_RIGHT_TO_LEFT = "\u0590"
_MIRRORED = str.maketrans("()[]{}<>«»‹›⟨⟩", ")(][}{><»«›‹⟩⟨")


@lru_cache(maxsize=1024)
def visual(text: str) -> str:
    """Return a line's characters from left to right as they are seen.

    The first letter with a direction decides where the line begins.
    """
    if not text or max(text) < _FIRST_RIGHT_TO_LEFT:
        return text
    kinds = [unicodedata.bidirectional(char) for char in text]
    strong = next((kind for kind in kinds if kind in {"L", "R", "AL"}), "L")
    base = 0 if strong == "L" else 1
    if base == 0 and not {"R", "AL", "AN"}.intersection(kinds):
        return text
    levels = _levels(_resolved(kinds, "L" if base == 0 else "R"), base)
    turned = [
        char.translate(_MIRRORED) if level % 2 else char for char, level in zip(text, levels, strict=True)
    ]
    return "".join(turned[place] for place in _order(levels))


def _resolved(kinds: list[str], base: str) -> list[str]:
    """Resolve weak and neutral kinds (rules W1 to N2) to L, R, EN and AN."""
    kinds = _without_marks(kinds, base)
    _resolve_numbers(kinds, base)
    _resolve_separators(kinds)
    last = base
    for place, kind in enumerate(kinds):  # W7
        if kind in {"L", "R"}:
            last = kind
        elif kind == "EN" and last == "L":
            kinds[place] = "L"
    _resolve_neutrals(kinds, base)
    return kinds


def _without_marks(kinds: Iterable[str], base: str) -> list[str]:
    """Give combining marks the kind of what they stand on (W1)."""
    found: list[str] = []
    for kind in kinds:
        found.append((found[-1] if found else base) if kind == "NSM" else kind)
    return found


def _resolve_numbers(kinds: list[str], base: str) -> None:
    """Tell Arabic from European numbers by the letter before (W2), then Arabic letters are like Hebrew ones (W3)."""
    last = base
    for place, kind in enumerate(kinds):
        if kind in {"L", "R", "AL"}:
            last = kind
        elif kind == "EN" and last == "AL":
            kinds[place] = "AN"
    kinds[:] = ["R" if kind == "AL" else kind for kind in kinds]


def _resolve_separators(kinds: list[str]) -> None:
    """Let separators and signs join the numbers they belong to (W4 and W5); all others are neutral (W6)."""
    for place in range(1, len(kinds) - 1):
        before, kind, after = kinds[place - 1 : place + 2]
        if before == after and (
            (kind in {"ES", "CS"} and before == "EN") or (kind == "CS" and before == "AN")
        ):
            kinds[place] = before
    for places in (range(len(kinds)), range(len(kinds) - 1, -1, -1)):
        last = ""
        for place in places:
            if kinds[place] == "ET" and last == "EN":
                kinds[place] = "EN"
            last = kinds[place]
    kinds[:] = [kind if kind in {"L", "R", "EN", "AN"} else "ON" for kind in kinds]


def _resolve_neutrals(kinds: list[str], base: str) -> None:
    """Give neutrals the direction on both their sides, or the line's (N1 and N2); numbers count as right to left."""
    place = 0
    while place < len(kinds):
        end = place
        while end < len(kinds) and kinds[end] == "ON":
            end += 1
        if end > place:
            before = kinds[place - 1] if place else base
            after = kinds[end] if end < len(kinds) else base
            sides = {"L" if kind == "L" else "R" for kind in (before, after)}
            kinds[place:end] = [sides.pop() if len(sides) == 1 else base] * (end - place)
        place = end + 1


def _levels(kinds: Iterable[str], base: int) -> list[int]:
    """Return the embedding levels (I1 and I2): odd ones run to the left."""
    above = {"L": base * 2, "R": 1, "EN": 2, "AN": 2}
    return [above[kind] for kind in kinds]


def _order(levels: list[int]) -> list[int]:
    """Return the places in the order they are seen (L2): from the highest level down, runs are reversed."""
    order = list(range(len(levels)))
    for level in range(max(levels), 0, -1):
        start = 0
        while start < len(levels):
            end = start
            while end < len(levels) and levels[end] >= level:
                end += 1
            order[start:end] = order[start:end][::-1]
            start = end + 1
    return order
