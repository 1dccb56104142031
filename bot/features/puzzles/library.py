"""The puzzles that there are, and the choice of the next one."""

from __future__ import annotations

import csv
import hashlib
import json
import random
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import TypeAlias

from bot.domain.reading.problems import DomainError
from bot.features.puzzles.chess import lichess
from bot.features.puzzles.chess.lichess import ChessPuzzle
from bot.features.puzzles.crossword import document
from bot.features.puzzles.crossword.document import CrosswordPuzzle
from bot.features.puzzles.wanted import Kind, Level, Wanted

Puzzle: TypeAlias = CrosswordPuzzle | ChessPuzzle

MAX_OWN = 300_000
"""Puzzles read from a host's own files."""
_NEAREST = 12
"""Among so many puzzles of the wanted rating chance chooses."""


_AIM = {Level.EASY: -250, Level.USUAL: 0, Level.HARD: 250}


def stand_in(text: str) -> str:
    """Return what is kept in place of a text that names a puzzle of no library; no puzzle of a library is called so."""
    return f"~{hashlib.sha256(text.encode()).hexdigest()[:15]}"


@dataclass(frozen=True, slots=True)
class Entry:
    """A puzzle that is read once it is wanted."""

    kind: Kind
    id: str
    rating: int
    themes: frozenset[str]
    row: str
    """Its line of the file."""
    comes_along: bool = False
    """Whether it is not of a host's own files."""


@dataclass(slots=True)
class Library:
    """Puzzles by game and id."""

    entries: dict[tuple[Kind, str], Entry] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    """What could not be read of a host's own files, a sentence each."""

    def puzzle(self, kind: Kind, name: str) -> Puzzle | None:
        """Return a puzzle; None when there is none of this id any more."""
        entry = self.entries.get((kind, name))
        if entry is None:
            return None
        try:
            if kind is Kind.CROSSWORD:
                return document.puzzle_of(json.loads(entry.row))
            cells = next(csv.reader([entry.row]))
            return lichess.puzzle_of(dict(zip(lichess.COLUMNS, cells, strict=True)))
        except (ValueError, KeyError, TypeError, DomainError):
            return None  # a line of a host's own file that is no puzzle

    def choose(
        self, wanted: Wanted, rating: float, seen: Collection[str], source: random.Random
    ) -> Entry | None:
        """Return a puzzle of about somebody's rating that the person has not seen; None when there is none left."""
        kind, theme, aim = wanted.kind, wanted.theme, rating + _AIM[wanted.level]
        left = [
            entry
            for entry in self.entries.values()
            if entry.kind is kind and entry.id not in seen and (not theme or theme in entry.themes)
        ]
        left.sort(key=lambda entry: (abs(entry.rating - aim), entry.id))
        return source.choice(left[:_NEAREST]) if left else None


def load(folder: Path | None = None) -> Library:
    """Read the puzzles that come along, and those in a host's folder: ``.csv`` of chess, ``.json`` of crossword games.

    What comes along is not proved again. A file of the folder that cannot be read is left out and told in ``faults``.
    """
    library = Library()
    data = files("bot.features.puzzles") / "data"
    for one in sorted(data.iterdir(), key=lambda entry: entry.name):
        if one.name.endswith((".csv", ".json")):
            _add(library, one.name, one.read_text(encoding="utf-8").splitlines(), comes_along=True)
    for path in sorted(folder.glob("*")) if folder is not None and folder.is_dir() else ():
        if path.suffix in {".csv", ".json"}:
            try:
                with lichess.opened(path) as lines:
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


def _add(library: Library, name: str, lines: Iterable[str], *, comes_along: bool = False) -> None:
    entries = _crossword(lines) if name.endswith(".json") else _chess(lines)
    for number, entry in enumerate(entries):
        if number >= MAX_OWN:
            library.faults.append(f"{name}: only the first {MAX_OWN:,} puzzles are used")
            return
        library.entries.setdefault((entry.kind, entry.id), replace(entry, comes_along=comes_along))


def _crossword(lines: Iterable[str]) -> Iterator[Entry]:
    rows = iter(lines)
    document.check_head(next(rows, ""))
    for number, line in enumerate(rows, start=2):
        try:
            row = json.loads(line)
            themes = frozenset((str(row["family"]), *map(str, row["themes"])))
            yield Entry(Kind.CROSSWORD, document.id_of(row), int(row["rating"]), themes, line)
        except (ValueError, KeyError, TypeError, RecursionError, DomainError):
            raise document.PuzzleFileError(f"line {number} is no puzzle") from None


def _chess(lines: Iterable[str]) -> Iterator[Entry]:
    for row in lichess.rows(lines):
        themes = frozenset(row.get("Themes", "").split())
        line = lichess.cells_text([row.get(column, "") for column in lichess.COLUMNS])
        yield Entry(Kind.CHESS, lichess.id_of(row), int(row["Rating"]), themes, line)
