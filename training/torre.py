"""Builds ``bot/features/puzzles/data/lichess.csv`` from the Python package torre. See the ``README.md`` in that folder."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from bot.domain.chess.notations import fen
from bot.domain.chess.solution import MoveLine, check_line
from bot.features.puzzles.chess.lichess import ChessPuzzle, choose_evenly, write

PUZZLE_COUNT = 2_400


def read_puzzles(folder: Path) -> Iterator[ChessPuzzle]:
    """Yield each puzzle of the package once, with the themes from all files.

    Raises:
        DomainError: a puzzle has an illegal move.

    """
    rows: dict[str, dict[str, object]] = {}
    themes: dict[str, set[str]] = {}
    for path in sorted(folder.glob("*.json")):
        for row in json.loads(path.read_text(encoding="utf-8"))["puzzles"]:
            rows.setdefault(row["id"], row)
            themes.setdefault(row["id"], set()).update(row["themes"])
    for puzzle_id, row in rows.items():
        moves = row["moves"]
        assert isinstance(moves, list)
        line = MoveLine(fen.read(str(row["fen"])).value, tuple(moves))
        check_line(line)
        yield ChessPuzzle(
            puzzle_id, line, int(str(row["rating"])), tuple(sorted(themes[puzzle_id])), str(row["game"])
        )


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m training.torre FOLDER", file=sys.stderr)
        return 2
    sys.stdout.write(write(choose_evenly(read_puzzles(Path(arguments[0])), PUZZLE_COUNT)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
