"""Files of crossword puzzles: JSON, a puzzle to a line, so that two of them can be compared."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from bot.domain.crossword.notation_text import play_text
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import Play
from bot.domain.crossword.position import Position
from bot.domain.crossword.typed_play import read_typed_play
from bot.domain.reading.problems import DomainError
from bot.engine.lexicon.installed import MAX_NAME
from bot.features.puzzles.crossword.values import ID_LENGTH, Contender, CrosswordPuzzle, Family, Theme
from bot.features.review.crossword.values import Why, WhyKind

FORMAT = "kibitz crossword puzzles"
MAX_PUZZLES = 100_000
MAX_LISTED = 100
"""Answers, themes and plays of a puzzle, of each."""
MAX_REASONS = 12
"""Why an answer is the answer: a solution tells all of it."""
MAX_NUMBER = 1_000_000
"""No score, rating or number of iterations is larger."""


class PuzzleFileError(Exception):
    """A file holds no puzzles; the message is one sentence with the place."""


def write(puzzles: Sequence[CrosswordPuzzle], head: Mapping[str, object]) -> str:
    """Write puzzles; ``head`` tells how they were made."""
    first = json.dumps({"format": FORMAT, "version": 1, **head}, ensure_ascii=False)
    return "\n".join((first, *(json.dumps(_row(one), ensure_ascii=False) for one in puzzles), ""))


def _row(puzzle: CrosswordPuzzle) -> dict[str, object]:
    distribution = puzzle.position.rules.distribution

    def text(play: Play) -> str:
        return play_text(play, distribution)

    return {
        "id": puzzle.id,
        "family": puzzle.family.value,
        "lexicon": puzzle.lexicon,
        "position": cgp.write(puzzle.position),
        "answers": [*map(text, puzzle.answers), *puzzle.words],
        "rating": puzzle.rating,
        "themes": [theme.value for theme in puzzle.themes],
        "iterations": puzzle.iterations,
        "ranking": [
            [text(one.play), one.score, round(one.win, 4), round(one.points, 2)] for one in puzzle.ranking
        ],
        "why": [
            [why.kind.value, round(why.best, 4), round(why.played, 4), round(why.error, 4), why.of]
            for why in puzzle.why
        ],
    }


def read(text: str) -> tuple[CrosswordPuzzle, ...]:
    """Read puzzles.

    Raises:
        PuzzleFileError: the text is no such file, or a line of it is no puzzle.

    """
    lines = text.splitlines()
    check_head(lines[0] if lines else "")
    if len(lines) - 1 > MAX_PUZZLES:
        raise PuzzleFileError(f"there are more than {MAX_PUZZLES:,} puzzles")
    puzzles = []
    for number, line in enumerate(lines[1:], start=2):
        try:
            puzzles.append(puzzle_of(json.loads(line)))
        except (ValueError, KeyError, TypeError, IndexError, RecursionError, DomainError):
            raise PuzzleFileError(f"line {number} is no puzzle") from None
    return tuple(puzzles)


def check_head(line: str) -> None:
    """Check the first line of a file.

    Raises:
        PuzzleFileError: it does not say that puzzles follow.

    """
    try:
        head = json.loads(line)
    except (ValueError, RecursionError):
        head = None
    if not isinstance(head, dict) or head.get("format") != FORMAT or head.get("version") != 1:
        raise PuzzleFileError("line 1 does not say that this is a file of crossword puzzles")


def id_of(row: dict[str, object]) -> str:
    """Return the id that a line of a file states.

    Raises:
        ValueError: it is no id.

    """
    name = str(row["id"])
    if len(name) != ID_LENGTH or not name.isalnum() or not name.isascii():
        raise ValueError
    return name


def puzzle_of(row: dict[str, object]) -> CrosswordPuzzle:
    """Return the puzzle of a line.

    Raises:
        ValueError, KeyError, TypeError, DomainError: it is none.

    """
    reading = cgp.read(_text(row["position"]))
    position = reading.value
    if position is None:
        raise ValueError
    family = Family(_text(row["family"]))
    answers = [_text(answer) for answer in _list(row["answers"])]
    about_words = family in {Family.PHONY, Family.HOOK}
    ranking = tuple(_contender(_list(one), position) for one in _list(row["ranking"]))
    lexicon, why = _text(row["lexicon"]), _list(row["why"])
    if not all(answers) or not answers or about_words == bool(ranking):
        raise ValueError
    if len(lexicon) > MAX_NAME or len(why) > MAX_REASONS:
        raise ValueError
    return CrosswordPuzzle(
        family,
        lexicon,
        position,
        () if about_words else tuple(_play(answer, position) for answer in answers),
        tuple(answers) if about_words else (),
        ranking,
        tuple(Theme(_text(theme)) for theme in _list(row["themes"])),
        int(_number(row["rating"])),
        tuple(_why(_list(one)) for one in why),
        int(_number(row["iterations"])),
    )


def _play(value: object, position: Position) -> Play:
    return read_typed_play(_text(value), position)


def _contender(row: list[object], position: Position) -> Contender:
    play, score, win, points = row
    return Contender(_play(play, position), int(_number(score)), _number(win), _number(points))


def _why(row: list[object]) -> Why:
    kind, best, played, error, of = row
    return Why(WhyKind(_text(kind)), _number(best), _number(played), _number(error), int(_number(of)))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    if not abs(value) <= MAX_NUMBER:  # nor what is no number at all
        raise ValueError
    return float(value)


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError
    if len(value) > MAX_LISTED:
        raise ValueError
    return value
