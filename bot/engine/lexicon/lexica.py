"""Finds installed lexica by the names that users type, and keeps recently used lexica in memory."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from cachetools import LRUCache

from bot.domain.crossword.rules import (
    GAMES_WITH_OWN_TILES,
    SUPER_SUFFIX,
    LetterDistribution,
    distribution_names,
    distribution_of_lexicon,
    load_distribution,
)
from bot.domain.reading.problems import DomainError
from bot.engine.lexicon.installed import (
    BUILT_IN_FOLDER,
    LEAVES_SUFFIXES,
    InstalledLexicon,
    LexiconError,
    canonical_name,
    find_lexica_in,
    find_nearest,
    unreadable_error,
)
from bot.engine.lexicon.spelling import letters_of

if TYPE_CHECKING:
    from bot.engine.lexicon.leaves import LeaveValues
    from bot.engine.lexicon.word_graph import WordGraph

DEFAULT_LEXICON = "SCOWL95"
LEAVES_LEXICON = "SCOWL80"
"""The lexicon whose leave values are used for English lexica that have none of their own."""

MAX_OTHER_LEXICA = 8

_LANGUAGES = {
    "turn-url-en": "english",
    "turn-url-es": "spanish",
    "hong_kong_english": "english",
    **dict.fromkeys(GAMES_WITH_OWN_TILES, "english"),
}
"""The language of each distribution that is not named after its language."""
_MIN_SHARED_FRACTION = 0.9
"""Two distributions are assumed to be for the same language if they share at least this fraction of their letters."""


class UnknownLexiconError(DomainError):
    """A lexicon is not installed. ``values["nearest"]`` is the name of the most similar installed lexicon, or None."""


@dataclass(frozen=True, slots=True)
class LexiconChoice:
    """The lexicon chosen for a position."""

    lexicon: InstalledLexicon
    available: tuple[InstalledLexicon, ...]
    """All installed lexica for the position's language."""
    missing_lexicon: str = ""
    """The name of the requested or preferred lexicon if neither it nor a replacement from the aliases is installed."""


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """A lexicon in memory. Compared by identity."""

    name: str
    distribution: LetterDistribution
    graph: WordGraph
    leaves: LeaveValues
    leaves_source: str
    """The name of the lexicon or distribution whose leave values are used, or empty."""
    word_count: int


class _Slot:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.lexicon: Lexicon | None = None


class Lexica:
    """The lexica in a folder, and the built-in lexica. Safe to share between threads."""

    def __init__(
        self, folder: Path | None = None, *, max_loaded: int = 4, aliases: Mapping[str, str] | None = None
    ) -> None:
        """Keep the ``max_loaded`` most recently used lexica in memory.

        ``aliases`` maps lexica that are not installed to their replacements.
        """
        self._aliases = tuple((aliases or {}).items())
        self._folders = (BUILT_IN_FOLDER,) if folder is None else (folder, BUILT_IN_FOLDER)
        self._slots: LRUCache[object, _Slot] = LRUCache(max_loaded)
        self._lock = threading.Lock()

    def installed(self) -> tuple[InstalledLexicon, ...]:
        """Return the installed lexica, sorted by folder and then alphabetically."""
        by_name: dict[str, InstalledLexicon] = {}
        for folder in self._folders:
            for lexicon in find_lexica_in(folder):
                by_name.setdefault(lexicon.name.casefold(), lexicon)
        return tuple(by_name.values())

    def find(self, name: str, distribution: LetterDistribution | None = None) -> InstalledLexicon:
        """Return the installed lexicon that a user means by ``name``.

        Raises:
            UnknownLexiconError: the lexicon is not installed. The error names the most similar lexicon for the language that
                the name implies, or else for the language of ``distribution``.

        """
        lexica = self.installed()
        if (lexicon := _find_by_name(name, lexica)) is not None:
            return lexicon
        candidates = _filter_by_language(lexica, distribution_of_lexicon(name) or distribution)
        nearest_name = find_nearest(name, [candidate.name for candidate in candidates])
        if nearest_name is None:
            raise UnknownLexiconError(
                "unknown-lexicon",
                "the lexicon {lexicon!r} is not installed, and neither is any other lexicon for its language",
                lexicon=name[:40],
                nearest=None,
            )
        raise UnknownLexiconError(
            "unknown-lexicon",
            "the lexicon {lexicon!r} is not installed; the closest installed lexicon is {nearest}",
            lexicon=name[:40],
            nearest=nearest_name,
        )

    def choose(
        self,
        requested: str,
        distribution: LetterDistribution,
        preferred: Sequence[str] = (),
        aliases: Sequence[tuple[str, str]] = (),
    ) -> LexiconChoice:
        """Choose the lexicon for a position.

        The first choice is the requested lexicon. The next choices, which must be for the position's language, are the first
        preferred lexicon, the default lexicon, and any other lexicon. A requested or preferred lexicon that is not installed is
        replaced: according to ``aliases``, according to the aliases of the constructor, or by the most similar installed
        lexicon for the language.

        Raises:
            UnknownLexiconError: no lexicon for the language is installed.

        """
        lexica = self.installed()
        available = _filter_by_language(lexica, distribution)
        if not available:
            raise UnknownLexiconError(
                "no-lexicon",
                "no lexicon for the {distribution!r} set is installed",
                distribution=distribution.name,
                nearest=None,
            )
        requested = requested.strip()
        for name in filter(None, (requested, *preferred)):
            replacements = (
                other
                for alias, other in (*aliases, *self._aliases)
                if canonical_name(alias) == canonical_name(name)
            )
            matches = (_find_by_name(candidate, lexica) for candidate in (name, *replacements))
            lexicon = next(filter(None, matches), None)
            if lexicon is None:
                implied_distribution = distribution_of_lexicon(name)
                if (
                    name != requested
                    and implied_distribution
                    and not same_language(implied_distribution, distribution)
                ):
                    continue
                nearest_name = find_nearest(name, [candidate.name for candidate in available])
                return LexiconChoice(
                    next(candidate for candidate in available if candidate.name == nearest_name),
                    available,
                    name,
                )
            if name == requested or same_language(lexicon.distribution, distribution):
                return LexiconChoice(lexicon, available)
        return LexiconChoice(available[0], available)

    def for_language(self, distribution: LetterDistribution) -> tuple[InstalledLexicon, ...]:
        """Return the installed lexica for the language of ``distribution``, the default lexicon first."""
        return _filter_by_language(self.installed(), distribution)

    def edition(self, lexicon: InstalledLexicon) -> str:
        """Return an identifier of a lexicon's words and leave values, in up to 49 ASCII characters.

        The same files have the same identifier on all machines.

        Raises:
            LexiconError: the files cannot be read.

        """
        files = filter(None, (lexicon.graph_path, self._leaves_path(lexicon)))
        digests = " ".join(_digest(file, _stamp(file)) for file in files)
        return f"{lexicon.name[:32]}:{hashlib.sha256(digests.encode()).hexdigest()[:16]}"

    def other_lexica_with(self, words: Sequence[bytes], lexicon: Lexicon) -> dict[bytes, list[str]]:
        """For each word, return the names of other lexica for the language that contain the word.

        Only the first :data:`MAX_OTHER_LEXICA` are searched. Unreadable lexica are left out.
        """
        names_by_word: dict[bytes, list[str]] = {word: [] for word in words}
        others = [
            candidate
            for candidate in self.for_language(lexicon.distribution)
            if candidate.name != lexicon.name
        ]
        for other in others[:MAX_OTHER_LEXICA]:
            with suppress(LexiconError):
                graph = self.load(other, lexicon.distribution).graph
                for word in filter(graph.accepts, words):
                    names_by_word[word].append(other.name)
        return names_by_word

    def load(self, lexicon: InstalledLexicon, distribution: LetterDistribution | None = None) -> Lexicon:
        """Return a lexicon, spelled with the tiles of ``distribution``. Read files that are not in memory or have changed.

        Reading takes a few milliseconds. Checking a changed word graph takes about a second, and spelling the words with
        different tiles takes several seconds.

        Raises:
            LexiconError: the files cannot be read, or are not a lexicon.

        """
        distribution = distribution or lexicon.distribution
        leaves_path = self._leaves_path(lexicon)
        key = (
            letters_of(distribution),
            lexicon.graph_path,
            _stamp(lexicon.graph_path),
            leaves_path,
            leaves_path and _stamp(leaves_path),
        )
        with self._lock:
            slot = self._slots.setdefault(key, _Slot())
        with slot.lock:
            if slot.lexicon is None:
                # The import takes a third of a second, which would delay the start of the bot.
                from bot.engine.lexicon.folder import read_lexicon  # noqa: PLC0415

                try:
                    graph, leaves, word_count = read_lexicon(lexicon, leaves_path, distribution)
                except LexiconError:
                    with self._lock:
                        self._slots.pop(key, None)
                    raise
                slot.lexicon = Lexicon(
                    lexicon.name,
                    distribution,
                    graph,
                    leaves,
                    leaves_path.stem if leaves_path else "",
                    word_count,
                )
            return slot.lexicon

    def _leaves_path(self, lexicon: InstalledLexicon) -> Path | None:
        """Return the file of leave values: the lexicon's own, its distribution's or, for English letters, :data:`LEAVES_LEXICON`'s.

        Return None if no such file exists.
        """
        if lexicon.leaves_path is not None:
            return lexicon.leaves_path
        stem_paths = [folder / lexicon.distribution.name for folder in self._folders]
        if letters_of(lexicon.distribution) == letters_of(load_distribution("english")):
            stem_paths.append(BUILT_IN_FOLDER / LEAVES_LEXICON)
        paths = (
            stem_path.with_name(stem_path.name + suffix)
            for stem_path in stem_paths
            for suffix in LEAVES_SUFFIXES
        )
        return next((path for path in paths if path.is_file()), None)


def _find_by_name(name: str, lexica: Sequence[InstalledLexicon]) -> InstalledLexicon | None:
    matches = (
        lexicon
        for normalize in (str, str.casefold, canonical_name)
        for lexicon in lexica
        if normalize(lexicon.name) == normalize(name)
    )
    return next(matches, None)


def _filter_by_language(
    lexica: Sequence[InstalledLexicon], distribution: LetterDistribution | None
) -> tuple[InstalledLexicon, ...]:
    available = [
        lexicon
        for lexicon in lexica
        if distribution is None or same_language(lexicon.distribution, distribution)
    ]
    return tuple(sorted(available, key=lambda lexicon: lexicon.name != DEFAULT_LEXICON))


@lru_cache(maxsize=256)
def same_language(first: LetterDistribution, second: LetterDistribution) -> bool:
    """Return whether two distributions are for the same language. For custom sets, compare the letters."""
    languages = _language(first), _language(second)
    if all(languages):
        return languages[0] == languages[1]
    letters, other_letters = (
        set("".join(letters_of(distribution)).upper()) for distribution in (first, second)
    )
    return len(letters & other_letters) >= _MIN_SHARED_FRACTION * len(letters | other_letters)


def _language(distribution: LetterDistribution) -> str:
    name = distribution.name.removesuffix(SUPER_SUFFIX)
    return _LANGUAGES.get(name, name if name in distribution_names() else "")


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError as error:
        raise unreadable_error(path.name, error.strerror or "?") from None
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=64)
def _digest(path: Path, stamp: tuple[int, int]) -> str:  # noqa: ARG001 - a changed file has a different stamp
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise unreadable_error(path.name, error.strerror or "?") from None
