"""Reads and writes puzzles in lichess' CSV format. Also reads files that are compressed with Zstandard."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path
from typing import TextIO, TypeAlias

from bot.domain.chess.notations import fen
from bot.domain.chess.solution import MoveLine, check_line

COLUMNS = ("PuzzleId", "FEN", "Moves", "Rating", "Themes", "GameUrl")
REQUIRED_COLUMNS = frozenset({"PuzzleId", "FEN", "Moves", "Rating"})
MAX_LINE_LENGTH = 4_000
"""Maximum length of a line in characters."""
MAX_ID_LENGTH = 16
MAX_RATING = 5_000
MAX_LINES = 20_000_000
MAX_WINDOW_BYTES = 1 << 27
"""Maximum size of the decompression window."""
BAND_WIDTH = 200
"""Width of a rating band in points."""


class LichessFileError(Exception):
    """The file is not a valid CSV file of lichess puzzles. The message names the line if possible."""


@dataclass(frozen=True, slots=True)
class ChessPuzzle:
    """A puzzle from lichess, with one line of moves."""

    id: str
    line: MoveLine
    rating: int
    themes: tuple[str, ...]
    """Lichess' theme names, such as ``mateIn2``."""
    game_url: str = ""

    @property
    def url(self) -> str:
        return f"https://lichess.org/training/{self.id}"


Bounds: TypeAlias = Mapping[str, tuple[int | None, int | None]]
"""Minimum and maximum, by column. None means no limit. Columns that a file lacks are ignored."""


@contextmanager
def open_csv(path: Path) -> Iterator[Iterator[str]]:
    """Open a CSV file to read its lines. A ``.zst`` file is decompressed.

    Raises:
        ModuleNotFoundError: ``zstandard`` is needed but not installed.
        OSError: the file cannot be read.
        LichessFileError: a ``.zst`` file is damaged, or not compressed with Zstandard.

    """
    if path.suffix != ".zst":
        with path.open(encoding="utf-8", newline="") as text:
            yield _read_lines(text)
        return
    with path.open("rb") as file:
        import zstandard  # noqa: PLC0415 - optional, because few hosts need it

        decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW_BYTES)
        try:
            with (
                decompressor.stream_reader(file, read_across_frames=True) as stream,
                io.TextIOWrapper(stream, encoding="utf-8", newline="") as text,
            ):
                yield _read_lines(text)
        except zstandard.ZstdError as error:
            raise LichessFileError(f"the file can't be decompressed: {error}") from None


def _read_lines(file: TextIO) -> Iterator[str]:
    """Yield lines. An overlong line is cut to one character more than the limit, so that callers notice it."""
    while line := file.readline(MAX_LINE_LENGTH + 1):
        yield line
        while len(line) > MAX_LINE_LENGTH and not line.endswith("\n"):
            line = file.readline(MAX_LINE_LENGTH + 1)


def read(
    lines: Iterable[str], report_skipped: Callable[[str], object], bounds: Bounds | None = None
) -> Iterator[ChessPuzzle]:
    """Yield the legal puzzles within the bounds, each id only once.

    For a row that is not a puzzle, call ``report_skipped`` with a sentence that names the line.

    Raises:
        LichessFileError: the file is not a file of puzzles, or has too many lines.

    """
    seen_ids: set[str] = set()
    for number, row in enumerate(rows(lines, report_skipped), start=2):
        try:
            if not row or not _is_within(row, bounds or {}):
                continue
            puzzle = puzzle_of(row)
        except (KeyError, ValueError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)[:200]
            report_skipped(f"line {number} is not a puzzle: {reason}")
            continue
        if puzzle.id not in seen_ids:
            seen_ids.add(puzzle.id)
            yield puzzle


def _is_within(row: dict[str, str], bounds: Bounds) -> bool:
    return all(
        (low is None or int(row[column]) >= low) and (high is None or int(row[column]) <= high)
        for column, (low, high) in bounds.items()
        if column in row
    )


def rows(
    lines: Iterable[str], report_skipped: Callable[[str], object] | None = None
) -> Iterator[dict[str, str]]:
    """Yield each row as a dict from column name to cell.

    For a line that is too long, yield an empty row, and call ``report_skipped`` with a sentence that names the line.

    Raises:
        LichessFileError: the file is not a file of puzzles or has too many lines, or a line is too long and ``report_skipped``
            is None.

    """
    reader = csv.reader(_bounded_lines(lines, report_skipped))
    header = next(reader, None)
    if header is None or not set(header) >= REQUIRED_COLUMNS:
        raise LichessFileError("line 1 doesn't name the columns PuzzleId, FEN, Moves and Rating")
    try:
        for cells in reader:
            yield dict(zip(header, cells, strict=False))
    except csv.Error as error:
        raise LichessFileError(f"the file is not valid CSV: {error}") from None


def _bounded_lines(lines: Iterable[str], report_skipped: Callable[[str], object] | None) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        if number > MAX_LINES:
            raise LichessFileError(f"there are more than {MAX_LINES:,} lines")
        if len(line) <= MAX_LINE_LENGTH:
            yield line
        elif report_skipped is None:
            raise LichessFileError(f"line {number} is too long")
        else:
            report_skipped(f"line {number} is too long")
            yield "\n"


def id_of(row: dict[str, str]) -> str:
    """Return a row's id.

    Raises:
        KeyError, ValueError: the row has no id, or an invalid id.

    """
    puzzle_id = row["PuzzleId"]
    if not (puzzle_id.isascii() and puzzle_id.isalnum() and len(puzzle_id) <= MAX_ID_LENGTH):
        raise ValueError(f"{puzzle_id[:20]!r} is not an id")
    return puzzle_id


def puzzle_of(row: dict[str, str]) -> ChessPuzzle:
    """Read a row, and check that its moves are legal.

    Raises:
        KeyError, ValueError: the row is not a puzzle.

    """
    puzzle_id = id_of(row)
    line = MoveLine(fen.read(row["FEN"]).value, tuple(row["Moves"].split()))
    check_line(line)
    rating, game_url = int(row["Rating"]), row.get("GameUrl", "")
    if not 0 <= rating <= MAX_RATING:
        raise ValueError(f"{rating} is not a rating")
    return ChessPuzzle(
        puzzle_id,
        line,
        rating,
        tuple(theme for theme in row.get("Themes", "").split() if theme.isalnum() and len(theme) <= 32),
        game_url if game_url.startswith("https://lichess.org/") else "",
    )


def choose_evenly(puzzles: Iterable[ChessPuzzle], limit: int) -> list[ChessPuzzle]:
    """Choose at most ``limit`` puzzles, evenly from all rating bands, and sort them by rating.

    Within a band, puzzles are chosen by the digests of their ids, so the choice is always the same.
    """
    bands: dict[int, list[tuple[str, ChessPuzzle]]] = {}
    for puzzle in puzzles:
        band = bands.setdefault(puzzle.rating // BAND_WIDTH, [])
        band.append((hashlib.sha256(puzzle.id.encode()).hexdigest(), puzzle))
        if len(band) > 2 * limit:
            band.sort(key=lambda entry: entry[0])
            del band[limit:]
    rounds = zip_longest(*(sorted(band, key=lambda entry: entry[0]) for band in bands.values()))
    chosen_puzzles = islice((entry[1] for entries in rounds for entry in entries if entry is not None), limit)
    return sorted(chosen_puzzles, key=lambda puzzle: (puzzle.rating, puzzle.id))


def write(puzzles: Iterable[ChessPuzzle]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(
        (
            puzzle.id,
            puzzle.line.start.fen,
            " ".join(puzzle.line.moves),
            puzzle.rating,
            " ".join(puzzle.themes),
            puzzle.game_url,
        )
        for puzzle in puzzles
    )
    return buffer.getvalue()
