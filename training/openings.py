"""Builds the table of openings, ``bot/domain/chess/data/openings.tsv``, from a JSON file in the package named in ``openings.md``."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import chess
import chess.polyglot

from bot.domain.chess.eco import MAX_SEARCHED_TURNS


def table(source: Mapping[str, Mapping[str, object]]) -> str:
    """Return the table of openings. The source has a code, a name and moves for each position.

    Raises:
        ValueError: an entry is malformed or too long, a move is illegal, or two entries with different codes or names have the same key.

    """
    rows: dict[int, str] = {}
    for entry in source.values():
        eco, name, moves = entry.get("eco"), entry.get("name"), entry.get("uci")
        if (
            not isinstance(eco, str)
            or not isinstance(name, str)
            or not isinstance(moves, list)
            or "\t" in name
        ):
            raise ValueError(f"{entry!r} is not an opening")
        board = chess.Board()
        for move in moves:
            board.push_uci(move)
        if len(moves) > MAX_SEARCHED_TURNS:
            raise ValueError(f"{name} has more than {MAX_SEARCHED_TURNS} half-moves")
        key = chess.polyglot.zobrist_hash(board)
        row = f"{key:016x}\t{eco}\t{name}\n"
        if rows.setdefault(key, row) != row:
            raise ValueError(f"{rows[key]!r} and {row!r} have the same key")
    return "key\teco\tname\n" + "".join(rows[key] for key in sorted(rows))


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m training.openings opening-book.json", file=sys.stderr)
        return 2
    try:
        source = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
        sys.stdout.write(table(source["positions"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        print(f"{arguments[0]}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
