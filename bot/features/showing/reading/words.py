"""Words of the installed lexica, for what was read from a picture, and the letters of their languages."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from bot.domain.crossword.rules import LetterDistribution, load_distribution, super_distribution
from bot.engine.lexicon.installed import BUILT_IN, Installed, installed_in

if TYPE_CHECKING:
    from bot.engine.lexicon.word_graph import WordGraph

MAX_LEXICA = 12
"""Lexica of a folder that are looked into."""

_MAX_BYTES: Final = 1 << 24
"""Bytes of a lexicon that is looked into."""
_MAX_KEPT_BYTES: Final = 1 << 26
"""Bytes of lexica that a process keeps, for further boards: some twelve of them."""
_USUAL_SIDE: Final = 15
"""Rows of the board that is played on with the usual tiles."""
_BARE: Final = {"Ł": "L", "Ø": "O", "Đ": "D"}
"""Letters that Unicode does not take apart into one without a mark and the mark."""


_Version: TypeAlias = "tuple[int, int, int, str]"
"""What changes with a lexicon: when its file was written, how many bytes it has, which it is, and its digest."""
_KEPT: Final[dict[Path, tuple[_Version, WordGraph | None]]] = {}
"""Lexica that were read, by their files; None where one is broken."""


@dataclass(frozen=True, slots=True)
class Language:
    """What words are known, and with what tiles they are played."""

    distribution: LetterDistribution
    graphs: tuple[WordGraph, ...]

    def has(self, word: str) -> bool:
        """Return whether capitals are a word of one of the lexica."""
        tiles = [self.distribution.numbers.get(letter, 0) for letter in word]
        return all(tiles) and any(graph.accepts(tiles) for graph in self.graphs)

    @property
    def marked(self) -> dict[str, tuple[str, ...]]:
        """What letters with a mark there are, by those without: ``{"A": ("Ä",)}``."""
        found: dict[str, tuple[str, ...]] = {}
        for letter in (letter.text for letter in self.distribution.letters if len(letter.text) == 1):
            bare = _BARE.get(letter) or unicodedata.normalize("NFD", letter)[0]
            if bare != letter:
                found[bare] = (*found.get(bare, ()), letter)
        return found

    @property
    def counts(self) -> dict[str, int]:
        """Return how many tiles there are of each letter, and blanks."""
        return {letter.text: letter.count for letter in self.distribution.letters}


def languages(folder: Path | None, side: int) -> Iterator[Language]:
    """Yield English, then the languages of a folder's lexica; ``side`` are a board's rows.

    A lexicon that cannot be read is left out.
    """
    by_name: dict[str, list[Installed]] = {"english": []}
    for lexicon in () if folder is None else installed_in(folder)[:MAX_LEXICA]:
        by_name.setdefault(lexicon.distribution.name.removesuffix("_super"), []).append(lexicon)
    for name, lexica in by_name.items():
        graphs = tuple(graph for lexicon in lexica if (graph := _graph_of(lexicon)) is not None)
        if name == "english":
            yield Language(english_tiles(side), (*_built_in(), *graphs))
        elif graphs:
            yield Language(tiles_of(name, side), graphs)


def english_tiles(side: int) -> LetterDistribution:
    """Return the tiles that English is played with on a board of so many rows."""
    return tiles_of("english", side)


def tiles_of(name: str, side: int) -> LetterDistribution:
    """Return the tiles that a language is played with on a board of so many rows."""
    usual = load_distribution(name)
    return usual if side <= _USUAL_SIDE else super_distribution(usual)


def _graph_of(lexicon: Installed) -> WordGraph | None:
    """Return the words of a lexicon, as they were read before if its file is still the same; None if they cannot be read."""
    try:
        told = lexicon.graph.stat()
        version = told.st_mtime_ns, told.st_size, told.st_ino, lexicon.digest
        if lexicon.graph not in _KEPT or _KEPT[lexicon.graph][0] != version:
            graph = _read(lexicon) if told.st_size <= _MAX_BYTES else None
            _KEPT.pop(lexicon.graph, None)
            if sum(one[0][1] for one in _KEPT.values()) + told.st_size > _MAX_KEPT_BYTES:
                return graph
            _KEPT[lexicon.graph] = version, graph
        return _KEPT[lexicon.graph][1]
    except OSError:
        return None


def _read(lexicon: Installed) -> WordGraph | None:
    """Read the words of a lexicon; one that is as it was when it was added is not checked again.

    Raises:
        OSError: the file cannot be read.

    """
    # Whoever looks at pictures has numpy; a process that reads text neither has it nor waits for it.
    from bot.engine.lexicon.word_graph import WordGraphError, read_kwg, trusted_kwg  # noqa: PLC0415

    data = lexicon.graph.read_bytes()
    is_known = lexicon.built_in or hashlib.sha256(data).hexdigest() == lexicon.digest
    try:
        return trusted_kwg(data) if is_known else read_kwg(data)
    except WordGraphError:
        return None


@cache
def _built_in() -> tuple[WordGraph, ...]:
    """Return the lexica that come along: six megabytes."""
    return tuple(graph for lexicon in installed_in(BUILT_IN) if (graph := _graph_of(lexicon)) is not None)
