"""The installed lexica: finds a lexicon by the name that users write, and keeps the lexica in use in memory."""

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
    OWN_GAMES,
    LetterDistribution,
    distribution_names,
    distribution_of_lexicon,
    load_distribution,
)
from bot.domain.reading.problems import DomainError
from bot.engine.lexicon.installed import (
    BUILT_IN,
    LEAVES,
    Installed,
    LexiconError,
    canonical,
    installed_in,
    nearest,
    unreadable,
)
from bot.engine.lexicon.spelling import letters_of

if TYPE_CHECKING:
    from bot.engine.lexicon.leaves import LeaveValues
    from bot.engine.lexicon.word_graph import WordGraph

DEFAULT_LEXICON = "SCOWL95"
"""The lexicon that ships with Kibitz, used unless another is chosen."""
LEAVES_LEXICON = "SCOWL80"
"""The lexicon whose leave values are used for every English lexicon without its own."""

MAX_OTHERS = 8
"""Maximum number of lexica that are searched for a word that the chosen lexicon lacks."""

_LANGUAGES = {
    "turn-url-en": "english",
    "turn-url-es": "spanish",
    "hong_kong_english": "english",
    **dict.fromkeys(OWN_GAMES, "english"),
}
_LIKE = 0.9


class UnknownLexiconError(DomainError):
    """A lexicon is not installed. ``values["nearest"]`` is the name of a similar installed lexicon, or None."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The lexicon against which words are checked."""

    lexicon: Installed
    fitting: tuple[Installed, ...]
    """All installed lexica for the language of the position."""
    missing: str = ""
    """The name of the requested lexicon if it is replaced by the nearest installed lexicon; otherwise empty."""


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """A lexicon in memory, for the tiles of ``distribution``. Compared by identity."""

    name: str
    distribution: LetterDistribution
    graph: WordGraph
    leaves: LeaveValues
    leaves_of: str
    """The lexicon or distribution from which the leave values come; empty without leave values."""
    words: int


class _Slot:
    """A slot for a lexicon. The thread that fills it holds the lock, so that the files are read only once."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.lexicon: Lexicon | None = None


class Lexica:
    """The lexica of a folder, and the built-in lexica. Safe to share between threads."""

    def __init__(
        self, folder: Path | None = None, *, max_loaded: int = 4, aliases: Mapping[str, str] | None = None
    ) -> None:
        """Search ``folder``, if given, and keep the ``max_loaded`` most recently used lexica in memory.

        ``aliases`` maps lexica that are not installed to their replacements: ``{"NWL18": "NWL23"}``.
        """
        self._aliases = tuple((aliases or {}).items())
        self._folders = (BUILT_IN,) if folder is None else (folder, BUILT_IN)
        self._slots: LRUCache[object, _Slot] = LRUCache(max_loaded)
        self._lock = threading.Lock()

    def installed(self) -> tuple[Installed, ...]:
        """Return the installed lexica, folder by folder, each in alphabetical order."""
        by_name: dict[str, Installed] = {}
        for folder in self._folders:
            for lexicon in installed_in(folder):
                by_name.setdefault(lexicon.name.casefold(), lexicon)
        return tuple(by_name.values())

    def find(self, name: str, distribution: LetterDistribution | None = None) -> Installed:
        """Return the lexicon for a ``name`` as users write it.

        Raises:
            UnknownLexiconError: it is not installed. The error names the nearest installed lexicon for the language
            of ``distribution``, or of the distribution that the name implies.

        """
        installed = self.installed()
        if (lexicon := _named(name, installed)) is not None:
            return lexicon
        implied = distribution_of_lexicon(name) or distribution
        raise _unknown(
            name,
            [lexicon for lexicon in installed if not implied or same_language(lexicon.distribution, implied)],
        )

    def choose(
        self,
        named: str,
        distribution: LetterDistribution,
        preferred: Sequence[str] = (),
        aliases: Sequence[tuple[str, str]] = (),
    ) -> Chosen:
        """Return the lexicon for a position: the named lexicon, or else the first preferred lexicon of its language.

        A missing lexicon is replaced by its alias, from ``aliases`` first, else by the nearest installed lexicon of
        the language. Without a named or preferred lexicon, the built-in lexicon is used if it has the language, or
        else any lexicon of the language.

        Raises:
            UnknownLexiconError: no lexicon of the language is installed.

        """
        installed = self.installed()
        fitting = _fitting(installed, distribution)
        if not fitting:
            raise UnknownLexiconError(
                "no-lexicon",
                "no lexicon for the {distribution} set is installed",
                distribution=distribution.name,
                nearest=None,
            )
        for name in (named.strip(), *preferred):
            if not name:
                continue
            known_as = (*aliases, *self._aliases)
            others = (other for alias, other in known_as if canonical(alias) == canonical(name))
            found = (_named(wanted, installed) for wanted in (name, *others))
            lexicon = next(filter(None, found), None)
            if lexicon is None:
                implied = distribution_of_lexicon(name)
                if name != named.strip() and implied and not same_language(implied, distribution):
                    continue
                near = nearest(name, [known.name for known in fitting])
                return Chosen(next(known for known in fitting if known.name == near), fitting, name)
            if name == named.strip() or same_language(lexicon.distribution, distribution):
                return Chosen(lexicon, fitting)
        return Chosen(fitting[0], fitting)

    def fitting(self, distribution: LetterDistribution) -> tuple[Installed, ...]:
        """Return the installed lexica for the language of ``distribution``, the built-in lexicon first."""
        return _fitting(self.installed(), distribution)

    def edition(self, lexicon: Installed) -> str:
        """Return an identifier of the current words and leave values of a lexicon: up to 49 plain characters.

        Raises:
            LexiconError: its files cannot be read.

        """
        leaves = self._leaves_path(lexicon)
        graph = lexicon.digest or _stamp(lexicon.graph)
        values = _stamp(leaves)[1] if leaves else 0
        mark = hashlib.sha256(f"{graph} {values}".encode()).hexdigest()
        return f"{lexicon.name[:32]}:{mark[:16]}"

    def having(self, words: Sequence[bytes], lexicon: Lexicon) -> dict[bytes, list[str]]:
        """Return, for each word, the other lexica that contain it, among the first few installed ones for the language."""
        found: dict[bytes, list[str]] = {word: [] for word in words}
        others = [known for known in self.fitting(lexicon.distribution) if known.name != lexicon.name]
        for other in others[:MAX_OTHERS]:
            with suppress(LexiconError):  # an unreadable lexicon is skipped
                graph = self.load(other, lexicon.distribution).graph
                for word in words:
                    if graph.accepts(word):
                        found[word].append(other.name)
        return found

    def load(self, lexicon: Installed, distribution: LetterDistribution | None = None) -> Lexicon:
        """Return a lexicon in memory, spelled with the tiles of ``distribution`` if they differ from its own.

        Loading takes a few milliseconds the first time. It takes a second if the file has changed since it was added
        and must be checked again, and several seconds if the words must be spelled with other tiles. A changed file
        is read again.

        Raises:
            LexiconError: its files cannot be read, or are not a lexicon.

        """
        wanted = distribution or lexicon.distribution
        leaves = self._leaves_path(lexicon)
        key = (lexicon.graph, _stamp(lexicon.graph), leaves, leaves and _stamp(leaves), letters_of(wanted))
        with self._lock:
            slot = self._slots.setdefault(key, _Slot())
        with slot.lock:
            if slot.lexicon is None:
                # Importing this takes a third of a second, which should not delay the start of the bot.
                from bot.engine.lexicon.folder import read_lexicon  # noqa: PLC0415

                try:
                    graph, values, words = read_lexicon(lexicon, leaves, wanted)
                except LexiconError:
                    with self._lock:
                        self._slots.pop(key, None)
                    raise
                source = leaves.stem if leaves else ""
                slot.lexicon = Lexicon(lexicon.name, wanted, graph, values, source, words)
            return slot.lexicon

    def _leaves_path(self, lexicon: Installed) -> Path | None:
        """Return the file of a lexicon's leaves: its own, its distribution's, or the built-in lexicon's."""
        if lexicon.leaves is not None:
            return lexicon.leaves
        places = [folder / lexicon.distribution.name for folder in self._folders]
        if letters_of(lexicon.distribution) == letters_of(load_distribution("english")):
            places.append(BUILT_IN / LEAVES_LEXICON)
        paths = (place.with_name(place.name + ending) for place in places for ending in LEAVES)
        return next((path for path in paths if path.is_file()), None)


def _named(name: str, installed: Sequence[Installed]) -> Installed | None:
    """Return the lexicon for a ``name`` as users write it, or None if it is not installed."""
    for same in (str, str.casefold, canonical):
        for lexicon in installed:
            if same(lexicon.name) == same(name):
                return lexicon
    return None


def _fitting(installed: Sequence[Installed], distribution: LetterDistribution) -> tuple[Installed, ...]:
    fitting = [lexicon for lexicon in installed if same_language(lexicon.distribution, distribution)]
    return tuple(sorted(fitting, key=lambda lexicon: lexicon.name != DEFAULT_LEXICON))


def _unknown(name: str, candidates: Sequence[Installed]) -> UnknownLexiconError:
    ordered = sorted(candidates, key=lambda lexicon: lexicon.name != DEFAULT_LEXICON)
    near = nearest(name, [lexicon.name for lexicon in ordered])
    if near is None:
        return UnknownLexiconError(
            "unknown-lexicon",
            "the lexicon {lexicon!r} is not installed, and neither is any other lexicon for its language",
            lexicon=name[:40],
            nearest=None,
        )
    return UnknownLexiconError(
        "unknown-lexicon",
        "the lexicon {lexicon!r} is not installed; the closest installed lexicon is {nearest}",
        lexicon=name[:40],
        nearest=near,
    )


@lru_cache(maxsize=256)
def same_language(first: LetterDistribution, second: LetterDistribution) -> bool:
    """Return whether two distributions have the same language; for custom sets, whether their letters are the same."""
    languages = _language(first), _language(second)
    if all(languages):
        return languages[0] == languages[1]
    letters, others = (set("".join(letters_of(each)).upper()) for each in (first, second))
    return len(letters & others) >= _LIKE * len(letters | others)


def _language(distribution: LetterDistribution) -> str:
    name = distribution.name.removesuffix("_super")
    return _LANGUAGES.get(name, name if name in distribution_names() else "")


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError as error:
        raise unreadable(path.name, error.strerror or "?") from None
    return status.st_mtime_ns, status.st_size
