"""Words of the lexica that come along, for what was read from a picture: a process that reads has no others."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.engine.lexicon.word_graph import WordGraph

_A = ord("A") - 1


def is_english(word: str) -> bool:
    """Tell whether capitals are a word of an English lexicon."""
    if not (word.isascii() and word.isalpha()):
        return False
    tiles = [ord(letter) - _A for letter in word]
    return any(graph.accepts(tiles) for graph in _graphs())


@cache
def _graphs() -> tuple[WordGraph, ...]:
    """Return the lexica that come along: six megabytes."""
    # Whoever looks at pictures has numpy; a process that reads text neither has it nor waits for it.
    from bot.engine.lexicon.word_graph import trusted_kwg  # noqa: PLC0415

    folder = files("bot.engine") / "data"
    return tuple(trusted_kwg(file.read_bytes()) for file in folder.iterdir() if file.name.endswith(".kwg"))
