"""Words that no puzzle asks for: coarse ones and slurs.

The list is that of the Python package better-profanity 0.7.0 (MIT licence, beside it), less what is no single word.
It says nothing of what is a word: it only keeps such words out of answers.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files

_STEM = 4
"""Letters that a word of the list needs to keep out all words that begin with it."""


@cache
def _listed() -> frozenset[str]:
    text = (files("bot.features.puzzles") / "data" / "coarse.txt").read_text(encoding="ascii")
    return frozenset(text.upper().split())


def is_coarse(word: str) -> bool:
    """Return whether a word is on the list, the plural of such a word, or begins with a longer one of them."""
    word = word.upper()
    listed = _listed()
    if word in listed or word.removesuffix("S") in listed:
        return True
    return any(word[:end] in listed for end in range(_STEM, len(word)))


def any_coarse(words: Iterable[str]) -> bool:
    """Return whether any of some words is coarse."""
    return any(is_coarse(word) for word in words)
