"""Scores plays and racks, and checks that plays are legal.

Each tile's points are multiplied by the letter multiplier under it, and their sum by all word multipliers under
the word. Multipliers count only under tiles that the play lays down. Cross words score the same way. A play that
uses a full rack gets the bingo bonus, and its main word counts ``bingo_multiplier`` times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.domain.crossword.game import tiles_used
from bot.domain.crossword.play import THROUGH, Coordinate, Direction, Exchange, Placement, Play
from bot.domain.crossword.position import EMPTY, Board, Position
from bot.domain.crossword.rules import (
    LETTER_MULTIPLIER,
    MISSING_SQUARE,
    WORD_MULTIPLIER,
    EndScoring,
    LetterDistribution,
    Rules,
)
from bot.domain.reading.problems import RuleError


@dataclass(frozen=True, slots=True)
class ScoredWord:
    """A word that a play makes, including tiles that were already on the board."""

    start: Coordinate
    tiles: tuple[int, ...]
    score: int

    @property
    def squares(self) -> tuple[tuple[int, int], ...]:
        return Placement(self.start, self.tiles).squares()


@dataclass(frozen=True, slots=True)
class PlacementScore:
    """The score of a placement and its parts."""

    score: int
    word: ScoredWord
    """The word in the direction of the placement. If it has only one tile, it scores 0."""
    cross_words: tuple[ScoredWord, ...]
    bonus: int
    """The points for a bingo, including those from ``bingo_multiplier``; otherwise 0."""

    @property
    def words(self) -> tuple[ScoredWord, ...]:
        """The words of two or more tiles, main word first."""
        return tuple(word for word in (self.word, *self.cross_words) if len(word.tiles) > 1)


def _word_through(
    board: Board, square: tuple[int, int], direction: Direction, length: int
) -> tuple[range, int, int]:
    """Return the line through ``square`` as square indexes, and the start and end (exclusive) of the word on that line.

    The word consists of ``length`` squares from ``square`` on, and the tiles right before and after them.
    """
    row, column = square
    if direction is Direction.ACROSS:
        line, word_start = range(row * board.columns, (row + 1) * board.columns), column
    else:
        line, word_start = range(column, len(board.squares), board.columns), row
    word_end = word_start + length
    while word_start and board.squares[line[word_start - 1]]:
        word_start -= 1
    while word_end < len(line) and board.squares[line[word_end]]:
        word_end += 1
    return line, word_start, word_end


def check_on_board(board: Board, placement: Placement) -> None:
    """Raise :class:`RuleError` with the code ``off-board`` if the placement leaves the board."""
    if not board.contains_placement(placement):
        raise RuleError(
            "off-board",
            "the play at {coordinate} runs off the {rows} × {columns} board",
            coordinate=str(placement.start),
            rows=board.rows,
            columns=board.columns,
        )


def extend_to_whole_word(board: Board, placement: Placement) -> Placement:
    """Extend the placement by the tiles on the board right before and after it.

    Raises:
        RuleError: the placement runs off the board.

    """
    check_on_board(board, placement)
    start, length = placement.start, len(placement.tiles)
    line, word_start, word_end = _word_through(board, (start.row, start.column), start.direction, length)
    if word_end - word_start == length:
        return placement
    count_before = (start.column if start.direction is Direction.ACROSS else start.row) - word_start
    start = Coordinate(*divmod(line[word_start], board.columns), start.direction)
    count_after = word_end - word_start - count_before - length
    return Placement(start, (THROUGH,) * count_before + placement.tiles + (THROUGH,) * count_after)


def score_placement(board: Board, placement: Placement, rules: Rules) -> PlacementScore:
    """Score a placement without checking that it is legal. ``board`` is the board before the play.

    Raises:
        RuleError: the placement runs off the board.

    """
    placement = extend_to_whole_word(board, placement)
    indexes = [row * board.columns + column for row, column in placement.squares()]
    laid_tiles = {
        index: tile for index, tile in zip(indexes, placement.tiles, strict=True) if tile != THROUGH
    }
    word = _score_word(board, placement.start, indexes, laid_tiles, rules)
    crossing = placement.start.direction.crossing
    cross_words = []
    for index, tile in laid_tiles.items():
        line, word_start, word_end = _word_through(board, divmod(index, board.columns), crossing, 1)
        if word_end - word_start > 1:
            cross_start = Coordinate(*divmod(line[word_start], board.columns), crossing)
            cross_words.append(
                _score_word(board, cross_start, line[word_start:word_end], {index: tile}, rules)
            )
    is_bingo = len(laid_tiles) == rules.rack_size
    bonus = rules.bingo_bonus + word.score * (rules.bingo_multiplier - 1) if is_bingo else 0
    score = word.score + sum(cross_word.score for cross_word in cross_words) + bonus
    return PlacementScore(score, word, tuple(cross_words), bonus)


def words_made(position: Position, play: Play) -> tuple[str, ...]:
    """Return the words of a play in capitals, valid or not."""
    if not isinstance(play, Placement):
        return ()
    letters = position.rules.distribution.letters
    words = score_placement(position.board, play, position.rules).words
    return tuple("".join(letters[abs(tile)].text for tile in word.tiles) for word in words)


def _score_word(
    board: Board, start: Coordinate, indexes: Sequence[int], laid_tiles: Mapping[int, int], rules: Rules
) -> ScoredWord:
    """Score the word on the squares ``indexes``. ``laid_tiles`` maps square indexes to the tiles of the play."""
    points, multiplier = 0, 1
    letters = rules.distribution.letters
    layout = rules.layout.squares
    tiles = []
    for index in indexes:
        tile_on_square = laid_tiles.get(index, board.squares[index])
        value = letters[max(tile_on_square, 0)].points if tile_on_square != EMPTY else 0
        if index in laid_tiles:
            value *= LETTER_MULTIPLIER.get(layout[index], 1)
            multiplier *= WORD_MULTIPLIER.get(layout[index], 1)
        points += value
        tiles.append(tile_on_square)
    return ScoredWord(start, tuple(tiles), points * multiplier if len(tiles) > 1 else 0)


def rack_points(tiles: Iterable[int], distribution: LetterDistribution) -> int:
    return sum(distribution.letters[tile].points for tile in tiles)


def end_adjustments(racks: tuple[tuple[int, ...], ...], rules: Rules) -> tuple[int, ...]:
    if rules.end_scoring is EndScoring.EQUAL_TURNS:
        return (0,) * len(racks)
    points = [rack_points(rack, rules.distribution) for rack in racks]
    seat_going_out = next((seat for seat, rack in enumerate(racks) if not rack), None)
    if seat_going_out is None:
        return tuple(-rack_total for rack_total in points)
    factor = 2 if rules.end_scoring is EndScoring.TWICE else 1
    factor_for_others = -1 if rules.end_scoring is EndScoring.EACH_WAY else 0
    return tuple(
        factor * sum(points) if seat == seat_going_out else factor_for_others * rack_total
        for seat, rack_total in enumerate(points)
    )


def check_placement(board: Board, placement: Placement, rules: Rules) -> None:
    """Check that a placement can be laid down. Its words are not looked up.

    Raises:
        RuleError: the code is ``off-board``, ``missing-square`` (a hole in the board), ``occupied``, ``gap``
            (an empty square in the word), ``no-tiles``, ``too-many-tiles-laid`` (more than a rack holds),
            ``single-tile`` (a first play of one tile makes no word), ``not-on-start`` or ``not-touching``.

    """
    check_on_board(board, placement)
    for square, tile in zip(placement.squares(), placement.tiles, strict=True):
        tile_on_square = board.at(*square)
        if rules.layout.squares[square[0] * rules.layout.columns + square[1]] == MISSING_SQUARE:
            raise RuleError("missing-square", "the board has no square {square}", square=square_name(*square))
        if tile == THROUGH and tile_on_square == EMPTY:
            raise RuleError(
                "gap", "there is no tile on {square} to play through", square=square_name(*square)
            )
        if tile != THROUGH and tile_on_square != EMPTY:
            raise RuleError(
                "occupied",
                "{square} already holds {on_board}; {tile} can't go there",
                square=square_name(*square),
                on_board=rules.distribution.text(tile_on_square),
                tile=rules.distribution.text(tile),
            )
    laid_count = sum(tile != THROUGH for tile in placement.tiles)
    if not laid_count:
        raise RuleError(
            "no-tiles", "the play at {coordinate} doesn't place any tiles", coordinate=str(placement.start)
        )
    if laid_count > rules.rack_size:
        raise RuleError(
            "too-many-tiles-laid",
            "the play lays down {tiles} tiles; a rack has {limit}",
            tiles=laid_count,
            limit=rules.rack_size,
        )
    if not any(board.squares):
        _check_first_play(placement, rules)
    elif THROUGH not in placement.tiles and not _touches(board, placement):
        raise RuleError(
            "not-touching",
            "the play at {coordinate} doesn't touch any tile on the board",
            coordinate=str(placement.start),
        )


def square_name(row: int, column: int) -> str:
    """Name a square, column letter first: ``D8``."""
    return str(Coordinate(row, column, Direction.DOWN))


def _check_first_play(placement: Placement, rules: Rules) -> None:
    if len(placement.tiles) == 1:
        raise RuleError("single-tile", "the first play is a single tile; a word needs at least two")
    if rules.layout.start not in placement.squares():
        raise RuleError(
            "not-on-start",
            "the first play, at {coordinate}, doesn't cover the start square {square}",
            coordinate=str(placement.start),
            square=square_name(*rules.layout.start),
        )


def _touches(board: Board, placement: Placement) -> bool:
    neighbours = (
        (row + down, column + right)
        for row, column in placement.squares()
        for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1))
    )
    return any(
        0 <= row < board.rows and 0 <= column < board.columns and board.at(row, column) != EMPTY
        for row, column in neighbours
    )


def check_on_rack(
    tiles: Iterable[int], rack: tuple[int, ...], distribution: LetterDistribution, *, unknown_count: int = 0
) -> None:
    """Check that a rack with the known tiles ``rack`` and ``unknown_count`` unknown tiles can hold ``tiles``.

    Raises:
        RuleError: the rack lacks a tile (code ``not-on-rack``).

    """
    missing_tiles = tuple((Counter(tiles) - Counter(rack)).elements())
    if len(missing_tiles) > unknown_count:
        raise RuleError(
            "not-on-rack",
            "{tiles} is not on the rack {rack}",
            tiles="".join(distribution.text(tile) for tile in missing_tiles[:20]),
            rack="".join(distribution.text(tile) for tile in rack[:20]),
        )


def check_exchange(exchange: Exchange, bag_count: int, rules: Rules) -> None:
    """Check that the rules allow an exchange while the bag holds ``bag_count`` tiles.

    Raises:
        RuleError: the bag holds too few tiles (code ``exchange-bag``), or more tiles are exchanged than a
            rack holds (``exchange-count``).

    """
    if exchange.size > rules.rack_size:
        raise RuleError(
            "exchange-count",
            "{tiles} tiles can't be exchanged; a rack has {limit}",
            tiles=exchange.size,
            limit=rules.rack_size,
        )
    needed_count = max(rules.min_bag_for_exchange, exchange.size)
    if bag_count < needed_count:
        raise RuleError(
            "exchange-bag",
            "the exchange needs {limit} tiles in the bag; it holds {bag}",
            limit=needed_count,
            bag=bag_count,
        )


def play_problems(position: Position, play: Play) -> tuple[RuleError, ...]:
    """Return the errors that make a play illegal, or impossible with the known rack."""
    problems = []
    try:
        if isinstance(play, Placement):
            check_placement(position.board, play, position.rules)
        elif isinstance(play, Exchange):
            check_exchange(play, position.bag_count, position.rules)
    except RuleError as error:
        problems.append(error)
    if rack := position.players[position.on_turn].rack:
        unknown_count = max(0, position.rules.rack_size - len(rack)) if position.bag_count else 0
        try:
            check_on_rack(tiles_used(play), rack, position.rules.distribution, unknown_count=unknown_count)
        except RuleError as error:
            problems.append(error)
    return tuple(problems)
