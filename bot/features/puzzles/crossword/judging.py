"""What an answer to a crossword puzzle is worth."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.crossword.play import Coordinate, Direction, Placement, Play, tiles_laid
from bot.features.puzzles.crossword.values import Contender, CrosswordPuzzle


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was found out about a play."""

    right: bool
    rank: int | None = None
    """Its place among the best, from 1; None when it is not among them."""
    contender: Contender | None = None
    """What it is worth; None when it is not among the best."""


def judge_play(puzzle: CrosswordPuzzle, play: Play) -> Judgement:
    """Judge a play that the rules and the words allow.

    A first play is as good down as across on a board that is the same both ways, as the puzzles' are.
    """
    if any(_is_same(puzzle, play, answer) for answer in puzzle.answers):
        return Judgement(right=True, rank=1)
    for number, one in enumerate(puzzle.ranking, start=1):
        if _is_same(puzzle, play, one.play):
            return Judgement(right=False, rank=max(2, number), contender=one)
    return Judgement(right=False)


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
