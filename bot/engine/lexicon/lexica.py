"""The installed lexica: finds one by the name that people write, and keeps those in use in memory."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cachetools import LRUCache

from bot.domain.crossword.rules import (
    OWN_GAMES,
    LetterDistribution,
    distribution_names,
    distribution_of_lexicon,
    load_distribution,
)
from bot.domain.reading.problems import DomainError
from bot.engine.lexicon.builder import (
    build_word_graph,
    count_words,
    letters_of,
    respelled,
    words_of,
)
from bot.engine.lexicon.folder import LexiconError
from bot.engine.lexicon.installed import BUILT_IN, LEAVES, Installed, canonical, installed_in, nearest
from bot.engine.lexicon.leaves import NO_LEAVES, LeaveValues, LeaveValuesError, read_klv, relettered
from bot.engine.lexicon.word_graph import TILE_SHIFT, WordGraph, WordGraphError, read_kwg, trusted_kwg

DEFAULT_LEXICON = "SCOWL80"
"""The lexicon that ships with Kibitz and is used unless another is chosen."""

MAX_OTHERS = 8
"""Lexica that are looked into for a word which another lacks."""
MAX_GRAPH_BYTES = 1 << 24
MAX_LEAVES_BYTES = 1 << 26
MAX_WORDS = 1 << 23
"""More than any list in use has; a bound on graphs that hold more words than they have nodes."""

_LANGUAGES = {
    "turn-url-en": "english",
    "turn-url-es": "spanish",
    "hong_kong_english": "english",
    **dict.fromkeys(OWN_GAMES, "english"),
}
_LIKE = 0.9


class UnknownLexiconError(DomainError):
    """A lexicon is not installed. ``values["nearest"]`` names a similar one that is, or is None."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The lexicon that something goes by."""

    lexicon: Installed
    missing: str = ""
    """The one that was wanted and is not installed, so that this one, the nearest, is taken; empty when it is that one."""


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """A lexicon in memory, for the tiles of ``distribution``. Compared by identity."""

    name: str
    distribution: LetterDistribution
    graph: WordGraph
    leaves: LeaveValues
    leaves_of: str
    """The lexicon or distribution whose leave values these are; empty when there are none."""
    words: int


class _Slot:
    """A place for a lexicon. The thread that fills it holds the lock, so that the files are read once."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.lexicon: Lexicon | None = None


class Lexica:
    """The lexica of a folder, and those that come with the project. Safe to share between threads."""

    def __init__(
        self, folder: Path | None = None, *, max_loaded: int = 4, aliases: Mapping[str, str] | None = None
    ) -> None:
        """Look in ``folder``, if given, and keep the ``max_loaded`` lexica used last in memory.

        ``aliases`` says which lexicon to take for another that is not installed: ``{"NWL18": "NWL23"}``.
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
        """Return the lexicon that people call ``name``.

        Raises:
            UnknownLexiconError: it is not installed; the error names the nearest that is and has the language of
                ``distribution``, or the one that the name implies.

        """
        installed = self.installed()
        for same in (str, str.casefold, canonical):
            for lexicon in installed:
                if same(lexicon.name) == same(name):
                    return lexicon
        implied = distribution_of_lexicon(name) or distribution
        raise _unknown(name, [lexicon for lexicon in installed if not implied or suits(lexicon, implied)])

    def choose(
        self,
        named: str,
        distribution: LetterDistribution,
        preferred: Sequence[str] = (),
        aliases: Sequence[tuple[str, str]] = (),
    ) -> Chosen:
        """Return the lexicon for a position: the one it names, else the first preferred one of its language.

        For one that is not installed its alias is taken, by ``aliases`` first, else the nearest that is installed and has
        the language. When nothing is named or preferred, it is the lexicon that comes with the project if that has the
        language, else any that has.

        Raises:
            UnknownLexiconError: none has the language.

        """
        fitting = self.fitting(distribution)
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
            lexicon = self._installed_as(name, (*aliases, *self._aliases))
            if lexicon is None:
                implied = distribution_of_lexicon(name)
                if name != named.strip() and implied and not same_language(implied, distribution):
                    continue
                near = nearest(name, [known.name for known in fitting])
                return Chosen(next(known for known in fitting if known.name == near), name)
            if name == named.strip() or suits(lexicon, distribution):
                return Chosen(lexicon)
        return Chosen(fitting[0])

    def fitting(self, distribution: LetterDistribution) -> tuple[Installed, ...]:
        """Return what is installed and has the language of ``distribution``, the one that comes with the project first."""
        fitting = [lexicon for lexicon in self.installed() if suits(lexicon, distribution)]
        return tuple(sorted(fitting, key=lambda lexicon: lexicon.name != DEFAULT_LEXICON))

    def _installed_as(self, name: str, aliases: Sequence[tuple[str, str]]) -> Installed | None:
        """Return the lexicon of a name, else the first installed one that its aliases name."""
        others = [other for alias, other in aliases if canonical(alias) == canonical(name)]
        for wanted in (name, *others):
            with suppress(UnknownLexiconError):
                return self.find(wanted)
        return None

    def edition(self, lexicon: Installed) -> str:
        """Return what names the words and leave values of a lexicon as they are now: up to 49 plain characters.

        Raises:
            LexiconError: its files cannot be read.

        """
        leaves = self._leaves_path(lexicon)
        graph = lexicon.digest or _stamp(lexicon.graph)
        values = _stamp(leaves)[1] if leaves else 0
        mark = hashlib.sha256(f"{graph} {values}".encode()).hexdigest()
        return f"{lexicon.name[:32]}:{mark[:16]}"

    def having(self, words: Sequence[bytes], lexicon: Lexicon) -> dict[bytes, list[str]]:
        """Return for words which other lexica have them, of the first few installed ones of a lexicon's language."""
        found: dict[bytes, list[str]] = {word: [] for word in words}
        others = [known for known in self.fitting(lexicon.distribution) if known.name != lexicon.name]
        for other in others[:MAX_OTHERS]:
            with suppress(LexiconError):  # one that cannot be read has nothing to say here
                graph = self.load(other, lexicon.distribution).graph
                for word in words:
                    if graph.accepts(word):
                        found[word].append(other.name)
        return found

    def load(self, lexicon: Installed, distribution: LetterDistribution | None = None) -> Lexicon:
        """Return a lexicon in memory, for the tiles of ``distribution`` if they are others than its own.

        Takes a few milliseconds the first time, a second when the file is not as it was added and so is checked again, and
        seconds when the words have to be spelled with other tiles; a file that has changed is read again.

        Raises:
            LexiconError: its files cannot be read, or are no lexicon.

        """
        wanted = distribution or lexicon.distribution
        leaves = self._leaves_path(lexicon)
        key = (lexicon.graph, _stamp(lexicon.graph), leaves, leaves and _stamp(leaves), letters_of(wanted))
        with self._lock:
            slot = self._slots.setdefault(key, _Slot())
        with slot.lock:
            if slot.lexicon is None:
                try:
                    slot.lexicon = read_lexicon(lexicon, leaves, wanted)
                except LexiconError:
                    with self._lock:
                        self._slots.pop(key, None)
                    raise
            return slot.lexicon

    def _leaves_path(self, lexicon: Installed) -> Path | None:
        """Return the file of a lexicon's leaves: its own, its distribution's, or of the lexicon that we bring."""
        if lexicon.leaves is not None:
            return lexicon.leaves
        places = [folder / lexicon.distribution.name for folder in self._folders]
        if letters_of(lexicon.distribution) == letters_of(load_distribution("english")):
            places.append(BUILT_IN / DEFAULT_LEXICON)
        paths = (place.with_name(place.name + ending) for place in places for ending in LEAVES)
        return next((path for path in paths if path.is_file()), None)


def _unknown(name: str, candidates: Sequence[Installed]) -> UnknownLexiconError:
    ordered = sorted(candidates, key=lambda lexicon: lexicon.name != DEFAULT_LEXICON)
    near = nearest(name, [lexicon.name for lexicon in ordered])
    if near is None:
        return UnknownLexiconError(
            "unknown-lexicon",
            "the lexicon {lexicon!r} is not installed, nor any other of its language",
            lexicon=name[:40],
            nearest=None,
        )
    return UnknownLexiconError(
        "unknown-lexicon",
        "the lexicon {lexicon!r} is not installed; the nearest that is: {nearest}",
        lexicon=name[:40],
        nearest=near,
    )


def suits(lexicon: Installed, distribution: LetterDistribution) -> bool:
    """Return whether a lexicon has the language of a distribution."""
    return same_language(lexicon.distribution, distribution)


def same_language(one: LetterDistribution, other: LetterDistribution) -> bool:
    """Return whether two distributions are of one language; for sets of people's own, whether the letters are alike."""
    languages = _language(one), _language(other)
    if all(languages):
        return languages[0] == languages[1]
    letters, others = (set("".join(letters_of(each)).upper()) for each in (one, other))
    return len(letters & others) >= _LIKE * len(letters | others)


def _language(distribution: LetterDistribution) -> str:
    name = distribution.name.removesuffix("_super")
    return _LANGUAGES.get(name, name if name in distribution_names() else "")


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError as error:
        raise _unreadable(path.name, error.strerror or "?") from None
    return status.st_mtime_ns, status.st_size


def _unreadable(file: str, reason: object) -> LexiconError:
    return LexiconError(
        "lexicon-unreadable", "{file} cannot be read: {reason}", file=file, reason=str(reason)
    )


def _read(path: Path, most: int) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise _unreadable(path.name, error.strerror or "?") from None
    if len(data) > most:
        raise _unreadable(path.name, f"it is larger than {most:,} bytes")
    return data


def read_lexicon(lexicon: Installed, leaves: Path | None, distribution: LetterDistribution) -> Lexicon:
    """Read a lexicon from its files.

    Raises:
        LexiconError: they cannot be read, or are no lexicon of the distribution.

    """
    graph, words = _graph_of(lexicon)
    values = NO_LEAVES if leaves is None else read_leaves(leaves)
    if letters_of(distribution) != letters_of(lexicon.distribution):
        graph = respelled(graph, lexicon.distribution, distribution)
        values = relettered(values, lexicon.distribution, distribution)
        words = count_words(graph.nodes, graph.dawg_root)
    return Lexicon(lexicon.name, distribution, graph, values, leaves.stem if leaves else "", words)


def _graph_of(lexicon: Installed) -> tuple[WordGraph, int]:
    """Read the graph of a lexicon. One that is as it was when it was added was checked then, and is not again."""
    data, file = _read(lexicon.graph, MAX_GRAPH_BYTES), lexicon.graph.name
    if lexicon.words and hashlib.sha256(data).hexdigest() == lexicon.digest:
        graph = trusted_kwg(data)
        _check_tiles(graph, file, lexicon.distribution)
        if graph.gaddag_root:
            return graph, lexicon.words
    return checked_graph(data, file, lexicon.distribution)


def read_graph(path: Path, distribution: LetterDistribution) -> tuple[WordGraph, int]:
    """Read a file with a word graph; as :func:`checked_graph`."""
    return checked_graph(_read(path, MAX_GRAPH_BYTES), path.name, distribution)


def checked_graph(data: bytes, file: str, distribution: LetterDistribution) -> tuple[WordGraph, int]:
    """Read the bytes of a word graph, add the GADDAG if it has none, and return it with the number of its words.

    Raises:
        LexiconError: they are no word graph, have no words, or tiles that the distribution lacks.

    """
    try:
        graph = read_kwg(data)
    except WordGraphError as error:
        raise _unreadable(file, error) from None
    _check_tiles(graph, file, distribution)
    words = count_words(graph.nodes, graph.dawg_root)
    if not 0 < words <= MAX_WORDS:
        raise _unreadable(file, "it holds no word" if not words else "it holds more words than any language")
    return graph if graph.gaddag_root else build_word_graph(list(words_of(graph))), words


def _check_tiles(graph: WordGraph, file: str, distribution: LetterDistribution) -> None:
    highest = int(graph.nodes.max()) >> TILE_SHIFT
    if highest >= len(distribution.letters):
        raise _unreadable(
            file,
            f"it has tile {highest}, and the {distribution.name} set has {len(distribution.letters) - 1}",
        )


def read_leaves(path: Path) -> LeaveValues:
    """Read leave values.

    Raises:
        LexiconError: they cannot be read.

    """
    try:
        return read_klv(_read(path, MAX_LEAVES_BYTES))
    except LeaveValuesError as error:
        raise _unreadable(path.name, error) from None
