"""Writes and removes lexica in a folder: for each, a word graph (``NAME.kwg``) and the files that belong to it.

``NAME.klv2`` or ``NAME.klv`` holds the leave values; ``NAME.json`` holds the distribution, the number of words and the
digest of the graph. Files from other programs are used as they are, and their distribution follows from the name. Every
file is written under a temporary name and then renamed, the graph last, so that a lexicon is never there in part.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path

from bot.domain.crossword.rules import (
    LetterDistribution,
)
from bot.domain.reading.problems import DomainError
from bot.engine.lexicon.builder import write_kwg
from bot.engine.lexicon.installed import ABOUT, GRAPH, LEAVES, NAME, Installed
from bot.engine.lexicon.leaves import LeaveValues, write_klv2
from bot.engine.lexicon.word_graph import WordGraph


class LexiconError(DomainError):
    """A lexicon cannot be used or changed."""


def write_lexicon(
    folder: Path,
    name: str,
    graph: WordGraph,
    distribution: LetterDistribution,
    *,
    words: int,
    leaves: LeaveValues | None = None,
) -> None:
    """Put a lexicon into a folder, in place of one of the same name; leaves that this one had stay unless replaced.

    Raises:
        LexiconError: the name cannot be used, or the files cannot be written.

    """
    if not NAME.fullmatch(name):
        raise LexiconError(
            "lexicon-name",
            "a lexicon's name has up to 32 letters, digits, dots, hyphens and underscores, not {name!r}",
            name=name[:40],
        )
    data = write_kwg(graph)
    about = {
        "distribution": distribution.name,
        "words": words,
        "digest": hashlib.sha256(data).hexdigest(),
    }
    contents = {ABOUT: json.dumps(about, indent=2).encode() + b"\n", GRAPH: data}
    if leaves is not None:
        contents = {LEAVES[0]: write_klv2(leaves)} | contents
    write_files(folder, {name + ending: content for ending, content in contents.items()})


def write_files(folder: Path, contents: dict[str, bytes]) -> None:
    """Write files so that none is ever there in part, in the order given.

    Raises:
        LexiconError: they cannot be written.

    """
    waiting: list[tuple[str, Path]] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            with tempfile.NamedTemporaryFile(dir=folder, prefix=".", suffix=".part", delete=False) as file:
                waiting.append((file.name, folder / name))
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(file.name).chmod(0o644)
        while waiting:
            temporary, path = waiting[0]
            Path(temporary).replace(path)
            waiting.pop(0)
    except OSError as error:
        raise LexiconError(
            "lexicon-not-written", "the lexicon cannot be written: {reason}", reason=error.strerror or "?"
        ) from None
    finally:
        for temporary, _ in waiting:
            Path(temporary).unlink(missing_ok=True)


def remove_lexicon(lexicon: Installed) -> None:
    """Remove a lexicon with everything that belongs to it, the graph first.

    Raises:
        LexiconError: it comes with the project, or its files cannot be removed.

    """
    if lexicon.built_in:
        raise LexiconError(
            "lexicon-built-in", "{name} comes with Kibitz and cannot be removed", name=lexicon.name
        )
    try:
        for ending in (GRAPH, ABOUT, *LEAVES):
            (lexicon.graph.parent / f"{lexicon.name}{ending}").unlink(missing_ok=True)
    except OSError as error:
        raise LexiconError(
            "lexicon-not-removed",
            "{name} cannot be removed: {reason}",
            name=lexicon.name,
            reason=error.strerror or "?",
        ) from None
