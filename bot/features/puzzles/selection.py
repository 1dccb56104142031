"""The library of puzzles, and the choice of the next puzzle."""

from __future__ import annotations

import csv
import hashlib
import json
import random
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import TypeAlias

from bot.domain.reading.problems import DomainError
from bot.features.puzzles.chess import lichess
from bot.features.puzzles.chess.lichess import ChessPuzzle
from bot.features.puzzles.crossword import document
from bot.features.puzzles.crossword.document import CrosswordPuzzle

LibraryPuzzle: TypeAlias = CrosswordPuzzle | ChessPuzzle

MAX_OWN = 300_000
"""Maximum number of puzzles read from a host's own files."""
_NEAREST_COUNT = 12
"""Number of puzzles near the wanted rating from which the next one is chosen at random."""


class Kind(StrEnum):
    """The game of a puzzle."""

    CROSSWORD = "crossword"
    CHESS = "chess"


class Level(StrEnum):
    """The difficulty of a puzzle relative to the user's rating."""

    EASY = "easy"
    USUAL = "usual"
    HARD = "hard"


_AIM = {Level.EASY: -250, Level.USUAL: 0, Level.HARD: 250}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A puzzle, and the options it was asked for with: the next one is chosen with the same options."""

    kind: Kind
    name: str = ""
    """The puzzle's id, or its place in a posted file; empty where none is chosen yet."""
    theme: str = ""
    """Empty for any."""
    level: Level = Level.USUAL

    @property
    def source(self) -> tuple[str, int] | None:
        """The digest of the posted file and the index in it; None for a puzzle of the library."""
        digest, dot, index = self.name.partition(".")
        return (digest, int(index)) if dot else None

    def at(self, digest: str, index: int) -> Wanted:
        """Return a puzzle of a posted file. No puzzle of the library has such a name."""
        return replace(self, name=f"{digest}.{index}")


def stand_in(text: str) -> str:
    """Return the name under which answers to a puzzle outside the library are stored; no puzzle of the library has it."""
    return f"~{hashlib.sha256(text.encode()).hexdigest()[:15]}"


@dataclass(frozen=True, slots=True)
class Entry:
    """A puzzle that is read when it is needed."""

    kind: Kind
    id: str
    rating: int
    themes: frozenset[str]
    row: str
    """The puzzle's line of the file."""
    is_bundled: bool = False
    """False for a host's own files."""


@dataclass(slots=True)
class Library:
    """Puzzles by game and id."""

    entries: dict[tuple[Kind, str], Entry] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    """One sentence for each of a host's own files that could not be read, or not completely."""

    def puzzle(self, kind: Kind, name: str) -> LibraryPuzzle | None:
        """Return a puzzle; None when no puzzle has this id."""
        entry = self.entries.get((kind, name))
        if entry is None:
            return None
        try:
            if kind is Kind.CROSSWORD:
                return document.puzzle_of(json.loads(entry.row))
            cells = next(csv.reader([entry.row]))
            return lichess.puzzle_of(dict(zip(lichess.COLUMNS, cells, strict=True)))
        except (ValueError, KeyError, TypeError, DomainError):
            return None  # a broken line of a host's own file

    def choose(
        self, wanted: Wanted, rating: float, seen: Collection[str], source: random.Random
    ) -> Entry | None:
        """Return a puzzle near a user's rating that the user has not seen; None when none is left."""
        kind, theme, aim = wanted.kind, wanted.theme, rating + _AIM[wanted.level]
        left = [
            entry
            for entry in self.entries.values()
            if entry.kind is kind and entry.id not in seen and (not theme or theme in entry.themes)
        ]
        left.sort(key=lambda entry: (abs(entry.rating - aim), entry.id))
        return source.choice(left[:_NEAREST_COUNT]) if left else None


def load(folder: Path | None = None) -> Library:
    """Read the bundled puzzles and those in a host's folder: ``.csv`` for chess, ``.json`` for crossword games.

    The answers are not proved again. A file of the folder that cannot be read is skipped and listed in ``faults``.
    """
    library = Library()
    data = files("bot.features.puzzles") / "data"
    for file in sorted(data.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith((".csv", ".json")):
            _add(library, file.name, file.read_text(encoding="utf-8").splitlines(), is_bundled=True)
    for path in sorted(folder.glob("*")) if folder is not None and folder.is_dir() else ():
        if path.suffix in {".csv", ".json"}:
            try:
                with lichess.open_csv(path) as lines:
                    _add(library, path.name, lines)
            except (
                OSError,
                ValueError,
                KeyError,
                lichess.PuzzleFileError,
                document.PuzzleFileError,
            ) as error:
                library.faults.append(f"{path.name}: {error}")
    return library


def _add(library: Library, name: str, lines: Iterable[str], *, is_bundled: bool = False) -> None:
    entries = _crossword(lines) if name.endswith(".json") else _chess(lines)
    for number, entry in enumerate(entries):
        if number >= MAX_OWN:
            library.faults.append(f"{name}: only the first {MAX_OWN:,} puzzles are used")
            return
        library.entries.setdefault((entry.kind, entry.id), replace(entry, is_bundled=is_bundled))


def _crossword(lines: Iterable[str]) -> Iterator[Entry]:
    rows = iter(lines)
    document.check_head(next(rows, ""))
    for number, line in enumerate(rows, start=2):
        try:
            row = json.loads(line)
            themes = frozenset((str(row["family"]), *map(str, row["themes"])))
            yield Entry(Kind.CROSSWORD, document.id_of(row), int(row["rating"]), themes, line)
        except (ValueError, KeyError, TypeError, RecursionError, DomainError):
            raise document.PuzzleFileError(f"line {number} is not a puzzle") from None


def _chess(lines: Iterable[str]) -> Iterator[Entry]:
    for row in lichess.rows(lines):
        themes = frozenset(row.get("Themes", "").split())
        line = lichess.cells_text([row.get(column, "") for column in lichess.COLUMNS])
        yield Entry(Kind.CHESS, lichess.id_of(row), int(row["Rating"]), themes, line)
