"""Posted crossword puzzles: the file that ``puzzles make`` writes, in which nothing is taken on trust."""

from __future__ import annotations

import json
from collections.abc import Iterator

from bot.domain.crossword.legality import play_problems
from bot.domain.reading.problems import DomainError, ParseError
from bot.features.puzzles.crossword import document
from bot.features.puzzles.posted.values import Row

MAX_LINE = 20_000
"""Characters of a line."""


def is_one(text: str) -> bool:
    """Tell whether a file says that it holds puzzles of crossword games."""
    if not text.startswith("{"):
        return False
    try:
        document.check_head(text[:MAX_LINE].split("\n", 1)[0])
    except document.PuzzleFileError:
        return False
    return True


def rows(text: str) -> Iterator[Row]:
    """Yield each puzzle of such a file; every play that it names can be made."""
    for number, line in enumerate(text.split("\n")[1:], start=2):
        if not line.strip():
            continue
        try:
            yield _row(line)
        except DomainError as error:
            yield error.at(number, 1)
        except (ValueError, KeyError, TypeError, IndexError, RecursionError):
            yield ParseError("puzzle-row", "this line is no puzzle", line=number)


def _row(line: str) -> str:
    if len(line) > MAX_LINE:
        raise ValueError
    row = json.loads(line)
    puzzle = document.puzzle_of(row)
    position = puzzle.position
    if not puzzle.words and not position.players[position.on_turn].rack:
        raise ParseError("puzzle-rack", "the puzzle has no rack")
    for play in (*puzzle.answers, *(one.play for one in puzzle.ranking)):
        for problem in play_problems(position, play):
            raise problem
    return json.dumps(row)
