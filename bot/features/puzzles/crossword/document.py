"""Crossword puzzles: their values, their JSON documents, and the judging of answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import Coordinate, Direction, Placement, Play, tiles_laid
from bot.domain.crossword.play_text import play_text, read_typed_play
from bot.domain.crossword.position import Position
from bot.domain.reading.problems import DomainError
from bot.engine.lexicon.installed import MAX_NAME
from bot.features.review.crossword.values import Why, WhyKind

ID_LENGTH = 8


class Family(StrEnum):
    """The question, and the proof of its answer."""

    BEST_PLAY = "best-play"
    """Best by equity by far, and best by simulation."""
    STRATEGY = "strategy"
    """Best by simulation by far, though not by equity."""
    ONLY_BINGO = "only-bingo"
    """The only play that lays down a full rack."""
    ENDGAME = "endgame"
    """Solved: no tile is in the bag."""
    PRE_ENDGAME = "pre-endgame"
    """Solved with each tile that may be the one in the bag."""
    PHONY = "phony"
    """The one word on the board that is not in the lexicon."""
    HOOK = "hook"
    """The one letter that makes another word of the word on the board."""


class Theme(StrEnum):
    """The features of an answer, for people who practise them."""

    BINGO = "bingo"
    BLANK = "blank"
    """It lays down a blank."""
    POWER_TILE = "power-tile"
    """It lays down a tile worth eight points or more."""
    THROUGH = "through"
    """Its word runs through tiles on the board."""
    PARALLEL = "parallel"
    """It makes three words or more."""
    LONG = "long"
    """Its word has nine letters or more."""
    SMALL = "small"
    """It lays down three tiles or fewer."""
    GOES_OUT = "goes-out"
    ONLY_WIN = "only-win"
    """No other play wins the game."""
    FRONT = "front"
    BACK = "back"


@dataclass(frozen=True, slots=True)
class Contender:
    """A play and what it was found to be worth."""

    play: Play
    score: int
    win: float
    """Probability of winning by simulation, or the share of the draws that are won; 1, 0.5 or 0 once it is solved."""
    points: float
    """Equity by simulation, or points won from here to the end."""


@dataclass(frozen=True, slots=True)
class CrosswordPuzzle:
    """A puzzle with its answers."""

    family: Family
    lexicon: str
    position: Position
    """The rack of the player on turn is shown, no other; in a puzzle about words, none is."""
    answers: tuple[Play, ...]
    """Plays that are all right; empty in a puzzle about words."""
    words: tuple[str, ...]
    """The words that are right, in a puzzle about words."""
    ranking: tuple[Contender, ...]
    """The best plays, best first; empty in a puzzle about words."""
    themes: tuple[Theme, ...]
    rating: int
    """Its estimated difficulty, on the scale of Glicko-2."""
    why: tuple[Why, ...] = ()
    """In what the answer is better than the play next to it."""
    iterations: int = 0
    """Iterations of the simulation of the answer and of the second-best play; 0 for a proof without chance."""

    @property
    def id(self) -> str:
        """A digest of the question, so that equal puzzles have equal ids."""
        text = f"{self.lexicon} {self.family} {cgp.write(self.position)}"
        return hashlib.sha256(text.encode()).hexdigest()[:ID_LENGTH]


def judge_play(puzzle: CrosswordPuzzle, play: Play) -> tuple[int | None, Contender | None]:
    """Judge a play that the rules and the words allow: return its rank and its worth, None below the best plays.

    A right play has rank 1.
    A first play is as good down as across on a board that is the same both ways, as the puzzles' are.
    """
    if any(_is_same(puzzle, play, answer) for answer in puzzle.answers):
        return 1, None
    for number, contender in enumerate(puzzle.ranking, start=1):
        if _is_same(puzzle, play, contender.play):
            return max(2, number), contender
    return None, None


def judge_word(puzzle: CrosswordPuzzle, word: str) -> bool:
    """Return whether a word, as the puzzle's tiles write it, is the answer."""
    return word.upper() in {answer.upper() for answer in puzzle.words}


def _is_same(puzzle: CrosswordPuzzle, play: Play, other: Play) -> bool:
    if play == other:
        return True
    laid = tiles_laid(play)
    if not laid or not isinstance(play, Placement):
        return False
    if laid == tiles_laid(other):
        return True
    return not puzzle.position.board.tile_count and tiles_laid(_turned(play)) == tiles_laid(other)


def _turned(play: Placement) -> Placement:
    """Return a play mirrored at the long diagonal."""
    start = play.start
    down = start.direction is Direction.ACROSS
    turned = Direction.DOWN if down else Direction.ACROSS
    return Placement(Coordinate(start.column, start.row, turned), play.tiles)


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
    """Write puzzles; ``head`` describes their making."""
    first = json.dumps({"format": FORMAT, "version": 1, **head}, ensure_ascii=False)
    return "\n".join((first, *(json.dumps(_row(puzzle), ensure_ascii=False) for puzzle in puzzles), ""))


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
            [text(contender.play), contender.score, round(contender.win, 4), round(contender.points, 2)]
            for contender in puzzle.ranking
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
    ranking = tuple(_contender(_list(item), position) for item in _list(row["ranking"]))
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
        tuple(_why(_list(item)) for item in why),
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
    if not abs(value) <= MAX_NUMBER:  # NaN fails as well
        raise ValueError
    return float(value)


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError
    if len(value) > MAX_LISTED:
        raise ValueError
    return value
