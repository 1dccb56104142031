"""Defines crossword puzzles, reads and writes them as JSON Lines, and judges answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import Placement, Play, tiles_laid
from bot.domain.crossword.play_text import play_text, read_typed_play
from bot.domain.crossword.position import Position
from bot.engine.lexicon.installed import MAX_NAME_LENGTH
from bot.features.review.crossword.values import JudgedPlay, Reason, ReasonKind

ID_LENGTH = 8
"""Length of an id in hexadecimal digits."""
MIN_RATING, MAX_RATING = 600, 2600


class PuzzleFamily(StrEnum):
    """The kind of question. Each kind has its own way of proving the answer."""

    BEST_PLAY = "best-play"
    """The answer is far ahead by equity, and is also the best play by simulation."""
    STRATEGY = "strategy"
    """The answer is far ahead by simulation, but not by equity."""
    ONLY_BINGO = "only-bingo"
    """The answer is the only bingo."""
    ENDGAME = "endgame"
    """The bag is empty. Solving the endgame proves the answer."""
    PRE_ENDGAME = "pre-endgame"
    """One tile is in the bag. Solving the position for each possible tile proves the answer."""
    PHONY = "phony"
    """The answer is the only word on the board that isn't in the lexicon."""
    HOOK = "hook"
    """Exactly one letter can be added before or after the word on the board. The answer is the word with this letter."""


class PuzzleTheme(StrEnum):
    """A property of a puzzle's answer. Users can request puzzles by theme."""

    BINGO = "bingo"
    BLANK = "blank"
    POWER_TILE = "power-tile"
    """The play uses a tile worth eight points or more."""
    THROUGH = "through"
    """The word runs through tiles on the board."""
    PARALLEL = "parallel"
    """The play forms three words or more."""
    LONG = "long"
    """The word has nine letters or more."""
    SMALL = "small"
    """The play uses three tiles or fewer."""
    GOES_OUT = "goes-out"
    ONLY_WIN = "only-win"
    FRONT = "front"
    """The hook is in front of the word."""
    BACK = "back"


@dataclass(frozen=True, slots=True)
class CrosswordPuzzle:
    """A puzzle with its answers."""

    family: PuzzleFamily
    lexicon: str
    position: Position
    """Contains only the rack of the player to move or, in a puzzle about words, no racks."""
    answers: tuple[Play, ...]
    """Equally good plays; empty in a puzzle about words."""
    words: tuple[str, ...]
    """Empty in a puzzle about plays."""
    ranking: tuple[JudgedPlay, ...]
    """Best first; empty in a puzzle about words."""
    themes: tuple[PuzzleTheme, ...]
    rating: int
    """Estimated difficulty, on the Glicko-2 scale."""
    reasons: tuple[Reason, ...] = ()
    iterations: int = 0
    """Number of iterations in the simulation of the two best plays."""

    @property
    def id(self) -> str:
        text = f"{self.lexicon} {self.family} {cgp.write(self.position)}"
        return hashlib.sha256(text.encode()).hexdigest()[:ID_LENGTH]


def judge_play(puzzle: CrosswordPuzzle, play: Play) -> tuple[int | None, JudgedPlay | None]:
    """Return a valid play's rank and its entry in the ranking.

    For an answer, return 1 and None. For a play that is not in the ranking, return None and None.
    """
    if any(_are_same_play(puzzle, play, answer) for answer in puzzle.answers):
        return 1, None
    for rank, contender in enumerate(puzzle.ranking, start=1):
        if _are_same_play(puzzle, play, contender.play):
            return max(2, rank), contender
    return None, None


def judge_word(puzzle: CrosswordPuzzle, word: str) -> bool:
    return word.upper() in {answer.upper() for answer in puzzle.words}


def _are_same_play(puzzle: CrosswordPuzzle, play: Play, other: Play) -> bool:
    """Return whether two plays are the same. On an empty board, directions may differ, because the boards of all puzzles are symmetric."""
    if not isinstance(play, Placement):
        return play == other
    is_empty, laid = not puzzle.position.board.tile_count, tiles_laid(other)
    return tiles_laid(play) == laid or (
        is_empty and tiles_laid(Placement(play.start.transposed, play.tiles)) == laid
    )


FORMAT = "kibitz crossword puzzles"
MAX_PUZZLES = 100_000
MAX_LIST_LENGTH = 100
"""Maximum length of each list in a puzzle."""
MAX_REASONS = 12
"""Maximum number of a puzzle's reasons. The solution shows all of them."""
MAX_ABSOLUTE_VALUE = 1_000_000

Value = TypeVar("Value")


class PuzzleFileError(Exception):
    """A file does not contain valid crossword puzzles. The message names the line if possible."""


def write(puzzles: Sequence[CrosswordPuzzle], header: Mapping[str, object]) -> str:
    """Write JSON Lines. ``header`` has additional fields for the first line."""
    header_line = json.dumps({"format": FORMAT, "version": 1, **header}, ensure_ascii=False)
    return "\n".join(
        (header_line, *(json.dumps(_puzzle_json(puzzle), ensure_ascii=False) for puzzle in puzzles), "")
    )


def _puzzle_json(puzzle: CrosswordPuzzle) -> dict[str, object]:
    distribution = puzzle.position.rules.distribution
    return {
        "id": puzzle.id,
        "family": puzzle.family.value,
        "lexicon": puzzle.lexicon,
        "position": cgp.write(puzzle.position),
        "answers": [*(play_text(play, distribution) for play in puzzle.answers), *puzzle.words],
        "rating": puzzle.rating,
        "themes": [theme.value for theme in puzzle.themes],
        "iterations": puzzle.iterations,
        "ranking": [
            [
                play_text(contender.play, distribution),
                contender.score,
                round(contender.win, 4),
                round(contender.equity, 2),
            ]
            for contender in puzzle.ranking
        ],
        "why": [
            [
                reason.kind.value,
                round(reason.best_value, 4),
                round(reason.played_value, 4),
                round(reason.error, 4),
                reason.draw_count,
            ]
            for reason in puzzle.reasons
        ],
    }


def read(text: str) -> tuple[CrosswordPuzzle, ...]:
    """Read the puzzles that :func:`write` wrote.

    Raises:
        PuzzleFileError: the first line is not the header of a file of puzzles, another line is not a puzzle, or there are too many
            puzzles.

    """
    lines = text.splitlines()
    if len(lines) - 1 > MAX_PUZZLES:
        raise PuzzleFileError(f"there are more than {MAX_PUZZLES:,} puzzles")
    return tuple(read_lines(lines, lambda line: puzzle_of(json.loads(line))))


def read_lines(lines: Iterable[str], read_line: Callable[[str], Value]) -> Iterator[Value]:
    """Yield what ``read_line`` returns for each line after the first.

    Raises:
        PuzzleFileError: the first line is not the header of a file of puzzles, or ``read_line`` fails on another line.

    """
    rows = iter(lines)
    if not is_header(next(rows, "")):
        raise PuzzleFileError("line 1 is not the header of a file of crossword puzzles")
    for number, line in enumerate(rows, start=2):
        try:
            yield read_line(line)
        except (ValueError, KeyError, TypeError, IndexError, RecursionError):
            raise PuzzleFileError(f"line {number} is not a puzzle") from None


def is_header(line: str) -> bool:
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(header, dict) and header.get("format") == FORMAT and header.get("version") == 1


def id_of(row: dict[str, object]) -> str:
    """Return a row's id.

    Raises:
        KeyError, ValueError: the row has no id, or an invalid id.

    """
    id_ = str(row["id"])
    if len(id_) != ID_LENGTH or not id_.isalnum() or not id_.isascii():
        raise ValueError
    return id_


def puzzle_of(row: dict[str, object]) -> CrosswordPuzzle:
    """Return the puzzle in a row.

    Raises:
        ValueError, KeyError, TypeError: the row is not a puzzle.

    """
    position = cgp.read(_text(row["position"])).value
    family = PuzzleFamily(_text(row["family"]))
    answers = [_text(answer) for answer in _list(row["answers"])]
    is_about_words = family in {PuzzleFamily.PHONY, PuzzleFamily.HOOK}
    ranking = tuple(_read_contender(_list(item), position) for item in _list(row["ranking"]))
    lexicon, reasons = _text(row["lexicon"]), _list(row["why"])
    is_too_long = len(lexicon) > MAX_NAME_LENGTH or len(reasons) > MAX_REASONS
    if not all(answers) or not answers or is_about_words == bool(ranking) or is_too_long:
        raise ValueError
    return CrosswordPuzzle(
        family,
        lexicon,
        position,
        () if is_about_words else tuple(read_typed_play(answer, position) for answer in answers),
        tuple(answers) if is_about_words else (),
        ranking,
        tuple(PuzzleTheme(_text(theme)) for theme in _list(row["themes"])),
        int(_number(row["rating"])),
        tuple(_read_reason(_list(item)) for item in reasons),
        int(_number(row["iterations"])),
    )


def _read_contender(row: list[object], position: Position) -> JudgedPlay:
    play, score, win, equity = row
    return JudgedPlay(
        read_typed_play(_text(play), position), int(_number(score)), _number(win), _number(equity)
    )


def _read_reason(row: list[object]) -> Reason:
    kind, best_value, played_value, error, draw_count = row
    return Reason(
        ReasonKind(_text(kind)),
        _number(best_value),
        _number(played_value),
        _number(error),
        int(_number(draw_count)),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: object) -> float:
    # Not ``abs(value) > MAX_ABSOLUTE_VALUE``, which would accept NaN.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MAX_ABSOLUTE_VALUE:
        raise ValueError
    return float(value)


def _list(value: object) -> list[object]:
    if not isinstance(value, list) or len(value) > MAX_LIST_LENGTH:
        raise ValueError
    return value
