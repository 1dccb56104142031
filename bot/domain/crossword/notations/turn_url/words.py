"""From a Word Played in a Turn URL to a placement on the board."""

from __future__ import annotations

from bot.domain.crossword.board import EMPTY, Board
from bot.domain.crossword.distributions import BLANK
from bot.domain.crossword.notations.turn_url.tiles import LOST, TileSet
from bot.domain.crossword.notations.turn_url.values import WordTurn
from bot.domain.crossword.play import THROUGH, Coordinate, Direction, Placement
from bot.domain.crossword.scoring import require_on_board
from bot.domain.reading.problems import RuleError


def place_word(turn: WordTurn, board: Board, tiles: TileSet) -> Placement:
    """Return the placement that a word makes on the board before it.

    Raises:
        RuleError: it runs off the board, has letters that are not in the bag or not those on the board, or ``bt``
            tells places outside the word or of tiles that lay there before.

    """
    letters = tiles.split_word(turn.word)
    start = Coordinate(turn.row, turn.column, turn.direction)
    if any(place >= len(letters) for place in turn.blanks):
        raise RuleError(
            "blank-outside-word",
            "bt={blank} is outside the word, which has {length} tiles",
            blank=max(turn.blanks),
            length=len(letters),
        )
    outline = Placement(start, (THROUGH,) * len(letters))
    require_on_board(board, outline)
    laid = tuple(
        _tile(letter, board.at(*square), square, tiles, blank=place in turn.blanks)
        for place, (letter, square) in enumerate(zip(letters, outline.squares(), strict=True))
    )
    return Placement(start, laid)


def _tile(letter: str, lying: int, square: tuple[int, int], tiles: TileSet, *, blank: bool) -> int:
    """Return the tile that one letter of a word lays on its square."""
    if letter == LOST:
        return _lost_blank(lying, square)
    number = tiles.numbers.get(letter, BLANK)
    if number == BLANK:
        raise RuleError("unknown-letter", "the bag has no letter {letter!r}", letter=letter[:20])
    if lying == EMPTY:
        return -number if blank else number
    name = str(Coordinate(*square, Direction.DOWN))
    if abs(lying) != number:
        raise RuleError(
            "letter-differs",
            "the word has {letter} on {square}, where {lying} lies",
            letter=letter,
            square=name,
            lying=tiles.distribution.text(lying),
        )
    if blank:
        raise RuleError("blank-on-board", "bt tells a tile that lay on {square} before", square=name)
    return THROUGH


def _lost_blank(lying: int, square: tuple[int, int]) -> int:
    """Play through a blank whose letter the word does not name."""
    if lying < EMPTY:
        return THROUGH
    raise RuleError(
        "lost-letter",
        "the word does not tell what the blank on {square} stands for: sharewords lost its letter",
        square=str(Coordinate(*square, Direction.DOWN)),
    )
