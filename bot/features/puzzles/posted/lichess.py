"""Posted rows of lichess' data set, whose columns are found by their names."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator

from bot.domain.reading.problems import DomainError, ParseError
from bot.features.puzzles.chess import lichess
from bot.features.puzzles.posted.values import Row

_NEEDED = frozenset({"PuzzleId", "FEN", "Moves", "Rating"})


def is_one(text: str) -> bool:
    """Tell whether the first line of a file names the columns of lichess' puzzles."""
    line = text[: lichess.MAX_LINE].split("\n", 1)[0]
    return "PuzzleId" in line and set(_cells(line)) >= _NEEDED


def rows(text: str) -> Iterator[Row]:
    """Yield each puzzle of such a file; every line of moves is played."""
    first, *lines = text.split("\n")
    header = _cells(first)
    for number, line in enumerate(lines, start=2):
        if not line.strip():
            continue
        try:
            yield _row(header, line)
        except DomainError as error:
            yield error.at(number, 1)
        except (ValueError, KeyError):
            yield ParseError("puzzle-row", "this line is no puzzle", line=number)


def _row(header: list[str], line: str) -> str:
    if len(line) > lichess.MAX_LINE:
        raise ValueError
    row = dict(zip(header, _cells(line), strict=False))
    lichess.puzzle_of(row)
    return json.dumps({name: row.get(name, "") for name in lichess.COLUMNS})


def _cells(line: str) -> list[str]:
    """Return the cells of a line; none when it is no CSV."""
    try:
        return next(csv.reader([line.strip("\r\ufeff")]), [])
    except csv.Error:
        return []
