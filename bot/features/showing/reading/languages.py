"""The languages whose words resolve doubtful squares in a picture: English, and the languages of the host's lexica."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cachetools import LRUCache, cached

from bot.domain.crossword.rules import SUPER_SUFFIX, LetterDistribution, load_distribution, super_distribution
from bot.engine.lexicon.installed import BUILT_IN_FOLDER, InstalledLexicon, find_lexica_in

if TYPE_CHECKING:
    from bot.engine.lexicon.word_graph import WordGraph

MAX_LEXICA: Final = 12
_MAX_LEXICON_BYTES: Final = 1 << 24
_MAX_CACHED_BYTES: Final = 1 << 26
"""About twelve lexica."""
_STANDARD_ROW_COUNT: Final = 15
"""Larger boards are read with a larger letter distribution, because their games have more tiles."""
_LETTERS_WITHOUT_DIACRITIC: Final = {"Ł": "L", "Ø": "O", "Đ": "D"}


@dataclass(frozen=True, slots=True)
class Language:
    """A language's known words and letter distribution."""

    distribution: LetterDistribution
    graphs: tuple[WordGraph, ...]

    def has_word(self, word: str) -> bool:
        tiles = [self.distribution.machine_letters.get(letter, 0) for letter in word]
        return all(tiles) and any(graph.accepts(tiles) for graph in self.graphs)

    @property
    def letters_with_diacritics(self) -> dict[str, tuple[str, ...]]:
        """The letters with a diacritic, by plain letter, such as ``{"A": ("Ä",)}``."""
        letters_by_plain_letter: dict[str, tuple[str, ...]] = {}
        for letter in (letter.text for letter in self.distribution.letters if len(letter.text) == 1):
            plain = _LETTERS_WITHOUT_DIACRITIC.get(letter) or unicodedata.normalize("NFD", letter)[0]
            if plain != letter:
                letters_by_plain_letter[plain] = (*letters_by_plain_letter.get(plain, ()), letter)
        return letters_by_plain_letter

    @property
    def tile_counts(self) -> dict[str, int]:
        return {letter.text: letter.count for letter in self.distribution.letters}


def languages(folder: Path | None, row_count: int) -> Iterator[Language]:
    """Yield English, then the languages of the host's lexica in ``folder``. Unreadable lexica are left out.

    ``row_count`` is the number of rows on the board, which determines the letter distribution.
    """
    by_name = {"english": [*find_lexica_in(BUILT_IN_FOLDER)]}
    for lexicon in () if folder is None else find_lexica_in(folder)[:MAX_LEXICA]:
        by_name.setdefault(lexicon.distribution.name.removesuffix(SUPER_SUFFIX), []).append(lexicon)
    for name, lexica in by_name.items():
        if graphs := tuple(graph for lexicon in lexica if (graph := _graph_of(lexicon)) is not None):
            yield Language(distribution_for(name, row_count), graphs)


def distribution_for(name: str, row_count: int) -> LetterDistribution:
    distribution = load_distribution(name)
    return distribution if row_count <= _STANDARD_ROW_COUNT else super_distribution(distribution)


def _graph_of(lexicon: InstalledLexicon) -> WordGraph | None:
    """Return a lexicon's word graph, or None if it is unreadable or too large. Graphs are cached until their file changes."""
    try:
        status = lexicon.graph_path.stat()
        return _read_graph(lexicon, status.st_size, (status.st_mtime_ns, status.st_ino))
    except OSError:
        return None


_GRAPHS: Final[LRUCache[Hashable, WordGraph | None]] = LRUCache(
    _MAX_CACHED_BYTES, getsizeof=lambda graph: 1 if graph is None else graph.nodes.nbytes
)


@cached(_GRAPHS)
def _read_graph(lexicon: InstalledLexicon, size: int, _version: tuple[int, int]) -> WordGraph | None:
    """Read a word graph. Return None if it is broken or too large. An unchanged file of an installed lexicon is not validated.

    ``_version`` is only a cache key: it changes when the file changes.
    """
    if size > _MAX_LEXICON_BYTES:
        return None
    # Import numpy only here, because processes that read only text do not need it.
    from bot.engine.lexicon.word_graph import WordGraphError, read_kwg, read_trusted_kwg  # noqa: PLC0415

    data = lexicon.graph_path.read_bytes()
    is_unchanged = lexicon.is_built_in or hashlib.sha256(data).hexdigest() == lexicon.digest
    try:
        return read_trusted_kwg(data) if is_unchanged else read_kwg(data)
    except WordGraphError:
        return None
