"""The puzzle library, and the choice of a user's next puzzle."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import TypeAlias

from bot.features.puzzles.chess import lichess
from bot.features.puzzles.crossword import document

LibraryPuzzle: TypeAlias = document.CrosswordPuzzle | lichess.ChessPuzzle

MAX_PUZZLES_PER_FILE = 300_000
_NEAREST_COUNT = 12
"""The next puzzle is chosen at random from this many puzzles nearest to the target rating."""


class PuzzleKind(StrEnum):
    """A kind of game for which there are puzzles."""

    CROSSWORD = "crossword"
    CHESS = "chess"


class PuzzleLevel(StrEnum):
    """The difficulty relative to the user's rating or, for dailies, to the other bundled puzzles."""

    EASY = "easy"
    NORMAL = "usual"  # the value in stored settings
    HARD = "hard"


_LEVEL_OFFSETS = {PuzzleLevel.EASY: -250, PuzzleLevel.NORMAL: 0, PuzzleLevel.HARD: 250}
"""The target rating minus the user's rating."""


@dataclass(frozen=True, slots=True)
class PuzzleRequest:
    """A request for a puzzle. Its options also apply to the next puzzle."""

    kind: PuzzleKind
    puzzle_id: str = ""
    """An id in the library, or a posted file's digest, a dot and an index. Empty until a puzzle is chosen."""
    theme: str = ""
    """Empty for any theme."""
    level: PuzzleLevel = PuzzleLevel.NORMAL

    @property
    def digest(self) -> str | None:
        """The posted file's digest, or None for a puzzle from the library."""
        digest, dot, _ = self.puzzle_id.partition(".")
        return digest if dot else None

    def for_posted_file(self, digest: str, index: int) -> PuzzleRequest:
        return replace(self, puzzle_id=f"{digest}.{index}")


def derived_id(text: str) -> str:
    """Return an id made from ``text``. It starts with ``~``, unlike the ids in the library."""
    return f"~{hashlib.sha256(text.encode()).hexdigest()[:15]}"


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """A puzzle in the library, parsed only when needed."""

    kind: PuzzleKind
    id: str
    rating: int
    themes: frozenset[str]
    row: str
    """The puzzle in JSON."""
    is_bundled: bool = False


@dataclass(slots=True)
class PuzzleLibrary:
    """The puzzles, by game and id."""

    entries: dict[tuple[PuzzleKind, str], LibraryEntry] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    """A sentence for each file that was not read completely."""

    def puzzle(self, kind: PuzzleKind, puzzle_id: str) -> LibraryPuzzle | None:
        entry = self.entries.get((kind, puzzle_id))
        if entry is None:
            return None
        try:
            row = json.loads(entry.row)
            return document.puzzle_of(row) if kind is PuzzleKind.CROSSWORD else lichess.puzzle_of(row)
        except (ValueError, KeyError, TypeError):
            return None  # an invalid puzzle in a host's own file

    def choose(
        self, request: PuzzleRequest, rating: float, seen_ids: Collection[str], rng: random.Random
    ) -> LibraryEntry | None:
        kind, theme, target = request.kind, request.theme, rating + _LEVEL_OFFSETS[request.level]
        candidates = [
            entry
            for entry in self.entries.values()
            if entry.kind is kind and entry.id not in seen_ids and (not theme or theme in entry.themes)
        ]
        candidates.sort(key=lambda entry: (abs(entry.rating - target), entry.id))
        return rng.choice(candidates[:_NEAREST_COUNT]) if candidates else None


def load(folder: Path | None = None) -> PuzzleLibrary:
    """Read the bundled puzzles and the host's folder: ``.csv`` files for chess, ``.json`` files for crossword games.

    Solutions are not verified again. After an error, the rest of the file is not read.
    """
    library = PuzzleLibrary()
    for file in sorted(
        files("bot.features.puzzles").joinpath("data").iterdir(), key=lambda entry: entry.name
    ):
        if file.name.endswith((".csv", ".json")):
            _add_file(library, file.name, file.read_text(encoding="utf-8").splitlines(), is_bundled=True)
    for path in sorted((*folder.glob("*.csv"), *folder.glob("*.json"))) if folder is not None else ():
        try:
            with lichess.open_csv(path) as lines:
                _add_file(library, path.name, lines)
        except (OSError, ValueError, KeyError, lichess.LichessFileError, document.PuzzleFileError) as error:
            library.faults.append(f"{path.name}: {error}")
    return library


def _add_file(library: PuzzleLibrary, name: str, lines: Iterable[str], *, is_bundled: bool = False) -> None:
    entries = (
        document.read_lines(lines, _crossword_entry) if name.endswith(".json") else _chess_entries(lines)
    )
    for number, entry in enumerate(entries):
        if number >= MAX_PUZZLES_PER_FILE:
            library.faults.append(f"{name}: only the first {MAX_PUZZLES_PER_FILE:,} puzzles are used")
            return
        library.entries.setdefault((entry.kind, entry.id), replace(entry, is_bundled=is_bundled))


def _crossword_entry(line: str) -> LibraryEntry:
    row = json.loads(line)
    themes = frozenset((str(row["family"]), *map(str, row["themes"])))
    return LibraryEntry(PuzzleKind.CROSSWORD, document.id_of(row), int(row["rating"]), themes, line)


def _chess_entries(lines: Iterable[str]) -> Iterator[LibraryEntry]:
    for number, row in enumerate(lichess.rows(lines), start=2):
        themes = frozenset(row.get("Themes", "").split())
        line = json.dumps({column: row.get(column, "") for column in lichess.COLUMNS})
        try:
            yield LibraryEntry(PuzzleKind.CHESS, lichess.id_of(row), int(row["Rating"]), themes, line)
        except (ValueError, KeyError):
            raise lichess.LichessFileError(f"line {number} is not a puzzle") from None
