"""Reads, writes and removes the lexica in a folder.

A lexicon has up to three files. ``NAME.kwg`` contains the word graph. ``NAME.klv2`` or ``NAME.klv`` contains the leave values.
``NAME.json`` contains the distribution, the word count and the digest of the word graph. Only the word graph is required.
Without a ``NAME.json``, the name implies the distribution.

Files are written under temporary names and then renamed, the word graph last, so no program sees a new word graph without its other
files.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path

from bot.domain.crossword.rules import LetterDistribution
from bot.engine.lexicon.builder import build_word_graph, count_words, kwg_bytes, respell, words_of
from bot.engine.lexicon.installed import (
    GRAPH_SUFFIX,
    LEAVES_SUFFIXES,
    NAME,
    PROPERTIES_SUFFIX,
    InstalledLexicon,
    LexiconError,
    unreadable_error,
)
from bot.engine.lexicon.leaves import (
    NO_LEAVES,
    LeaveValues,
    LeaveValuesError,
    convert_leaves,
    klv2_bytes,
    read_klv,
)
from bot.engine.lexicon.spelling import letters_of
from bot.engine.lexicon.word_graph import TILE_SHIFT, WordGraph, WordGraphError, read_kwg, read_trusted_kwg

MAX_GRAPH_BYTES = 1 << 24
MAX_LEAVES_BYTES = 1 << 26
MAX_WORDS = 1 << 23
"""Maximum number of words, which is more than any real lexicon has. Even a small file can encode far more."""


def write_lexicon(
    folder: Path,
    name: str,
    graph: WordGraph,
    distribution: LetterDistribution,
    *,
    word_count: int,
    leaves: LeaveValues | None = None,
) -> None:
    """Write a lexicon, or replace it. If ``leaves`` is None, existing leave values are kept.

    Raises:
        LexiconError: the name is not allowed, or the files cannot be written.

    """
    if not NAME.fullmatch(name):
        raise LexiconError(
            "lexicon-name",
            "{name!r} can't be used: a lexicon's name has up to 32 letters from A to Z, digits, dots, hyphens and "
            "underscores, starts with a letter or digit, and doesn't end with a dot",
            name=name[:40],
        )
    graph_bytes = kwg_bytes(graph)
    properties = {
        "distribution": distribution.name,
        "words": word_count,
        "digest": hashlib.sha256(graph_bytes).hexdigest(),
    }
    contents = {
        PROPERTIES_SUFFIX: json.dumps(properties, indent=2).encode() + b"\n",
        GRAPH_SUFFIX: graph_bytes,
    }
    if leaves is not None:
        contents = {LEAVES_SUFFIXES[0]: klv2_bytes(leaves)} | contents
    write_files(folder, {name + suffix: content for suffix, content in contents.items()})


def write_files(folder: Path, contents: dict[str, bytes]) -> None:
    """Write files, each atomically, in the given order.

    Raises:
        LexiconError: a file cannot be written.

    """
    temporary_files: list[tuple[str, Path]] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            with tempfile.NamedTemporaryFile(dir=folder, prefix=".", suffix=".part", delete=False) as file:
                temporary_files.append((file.name, folder / name))
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(file.name).chmod(0o644)
        for temporary_path, path in temporary_files:
            Path(temporary_path).replace(path)
    except OSError as error:
        raise LexiconError(
            "lexicon-not-written", "the lexicon can't be written: {reason}", reason=error.strerror or "?"
        ) from None
    finally:
        for temporary_path, _ in temporary_files:
            Path(temporary_path).unlink(missing_ok=True)


def remove_lexicon(lexicon: InstalledLexicon) -> None:
    """Remove all files of a lexicon.

    Raises:
        LexiconError: the lexicon ships with Kibitz, or a file cannot be removed.

    """
    if lexicon.is_built_in:
        raise LexiconError(
            "lexicon-built-in", "{name} ships with Kibitz and can't be removed", name=lexicon.name
        )
    try:
        for suffix in (GRAPH_SUFFIX, PROPERTIES_SUFFIX, *LEAVES_SUFFIXES):
            (lexicon.graph_path.parent / f"{lexicon.name}{suffix}").unlink(missing_ok=True)
    except OSError as error:
        raise LexiconError(
            "lexicon-not-removed",
            "{name} can't be removed: {reason}",
            name=lexicon.name,
            reason=error.strerror or "?",
        ) from None


def _read(path: Path, max_bytes: int) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except OSError as error:
        raise unreadable_error(path.name, error.strerror or "?") from None
    if len(data) > max_bytes:
        raise unreadable_error(path.name, f"it is larger than {max_bytes:,} bytes")
    return data


def read_lexicon(
    lexicon: InstalledLexicon, leaves_path: Path | None, distribution: LetterDistribution
) -> tuple[WordGraph, LeaveValues, int]:
    """Return a lexicon's word graph, leave values and word count for the tiles of ``distribution``.

    Raises:
        LexiconError: the files cannot be read, or do not fit the lexicon's distribution.

    """
    graph, word_count = _read_lexicon_graph(lexicon)
    leaves = NO_LEAVES if leaves_path is None else read_leaves(leaves_path)
    if letters_of(distribution) != letters_of(lexicon.distribution):
        try:
            graph = respell(graph, lexicon.distribution, distribution)
            leaves = convert_leaves(leaves, lexicon.distribution, distribution)
        except ValueError as error:
            raise unreadable_error(lexicon.name, error) from None
        word_count = count_words(graph.nodes, graph.dawg_root)
    return graph, leaves, word_count


def _read_lexicon_graph(lexicon: InstalledLexicon) -> tuple[WordGraph, int]:
    """Return the graph and the word count. If the file has not changed since the lexicon was added, check only its tiles."""
    data, file_name = _read(lexicon.graph_path, MAX_GRAPH_BYTES), lexicon.graph_path.name
    if lexicon.word_count and hashlib.sha256(data).hexdigest() == lexicon.digest:
        graph = read_trusted_kwg(data)
        _check_tiles(graph, file_name, lexicon.distribution)
        if graph.gaddag_root:
            return graph, lexicon.word_count
    return read_checked_graph(data, file_name, lexicon.distribution)


def read_graph(path: Path, distribution: LetterDistribution) -> tuple[WordGraph, int]:
    return read_checked_graph(_read(path, MAX_GRAPH_BYTES), path.name, distribution)


def read_checked_graph(
    data: bytes, file_name: str, distribution: LetterDistribution
) -> tuple[WordGraph, int]:
    """Read the bytes of a word graph. Return the graph, with a GADDAG, and the word count.

    Raises:
        LexiconError: the bytes are not a usable word graph for the distribution.

    """
    try:
        graph = read_kwg(data)
    except WordGraphError as error:
        raise unreadable_error(file_name, error) from None
    _check_tiles(graph, file_name, distribution)
    word_count = count_words(graph.nodes, graph.dawg_root)
    if not 0 < word_count <= MAX_WORDS:
        raise unreadable_error(
            file_name, "it has no words" if not word_count else "it has more words than any language"
        )
    try:
        return graph if graph.gaddag_root else build_word_graph(list(words_of(graph))), word_count
    except ValueError as error:
        raise unreadable_error(file_name, error) from None


def _check_tiles(graph: WordGraph, file_name: str, distribution: LetterDistribution) -> None:
    max_tile = int(graph.nodes.max()) >> TILE_SHIFT
    if max_tile >= len(distribution.letters):
        raise unreadable_error(
            file_name,
            f"it has tile number {max_tile}, but the {distribution.name!r} set only has numbers up to {len(distribution.letters) - 1}",
        )


def read_leaves(path: Path) -> LeaveValues:
    """Read a file of leave values.

    Raises:
        LexiconError: the file cannot be read, or is not valid.

    """
    try:
        return read_klv(_read(path, MAX_LEAVES_BYTES))
    except LeaveValuesError as error:
        raise unreadable_error(path.name, error) from None
