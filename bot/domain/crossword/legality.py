"""Which plays the rules allow. Whether a word is in the lexicon is not asked here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from bot.domain.crossword.board import EMPTY, Board
from bot.domain.crossword.course import tiles_used
from bot.domain.crossword.distributions import LetterDistribution
from bot.domain.crossword.play import THROUGH, Coordinate, Direction, Exchange, Placement, Play
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import Rules
from bot.domain.crossword.scoring import require_on_board
from bot.domain.reading.problems import RuleError


def check_placement(board: Board, placement: Placement, rules: Rules) -> None:
    """Check that a placement can be laid down on the board.

    Raises:
        RuleError: with code ``off-board``, ``missing-square`` (the board has a hole there), ``occupied``, ``gap`` (a
            tile is played through that is not there), ``no-tiles``, ``too-many-tiles-laid`` (more than a rack
            holds), ``single-tile`` (a first play of one tile makes no word), ``not-on-start`` or ``not-touching``.

    """
    require_on_board(board, placement)
    for (row, column), tile in zip(placement.squares(), placement.tiles, strict=True):
        _check_square(board, (row, column), tile, rules)
    laid = sum(tile != THROUGH for tile in placement.tiles)
    if not laid:
        raise RuleError(
            "no-tiles", "the play at {coordinate} lays down no tile", coordinate=str(placement.start)
        )
    if laid > rules.rack_size:
        raise RuleError(
            "too-many-tiles-laid",
            "the play lays down {tiles} tiles; a rack has {limit}",
            tiles=laid,
            limit=rules.rack_size,
        )
    if not any(board.squares):
        _check_first_play(placement, rules)
    elif THROUGH not in placement.tiles and not _touches(board, placement):
        raise RuleError(
            "not-touching",
            "the play at {coordinate} touches no tile on the board",
            coordinate=str(placement.start),
        )


def _square_name(row: int, column: int) -> str:
    return str(Coordinate(row, column, Direction.DOWN))


def _check_square(board: Board, at: tuple[int, int], tile: int, rules: Rules) -> None:
    row, column = at
    lying = board.at(row, column)
    if not rules.layout.is_square(row, column):
        raise RuleError(
            "missing-square", "the board has no square {square}", square=_square_name(row, column)
        )
    if tile == THROUGH and lying == EMPTY:
        raise RuleError(
            "gap", "there is no tile on {square} to play through", square=_square_name(row, column)
        )
    if tile != THROUGH and lying != EMPTY:
        raise RuleError(
            "occupied",
            "{square} holds {lying} already; {tile} cannot be laid there",
            square=_square_name(row, column),
            lying=rules.distribution.text(lying),
            tile=rules.distribution.text(tile),
        )


def _check_first_play(placement: Placement, rules: Rules) -> None:
    if len(placement.tiles) == 1:
        raise RuleError("single-tile", "the first play is one tile; a word has at least two")
    if rules.layout.start not in placement.squares():
        raise RuleError(
            "not-on-start",
            "the first play, at {coordinate}, does not cover the start square {square}",
            coordinate=str(placement.start),
            square=_square_name(*rules.layout.start),
        )


def _touches(board: Board, placement: Placement) -> bool:
    for row, column in placement.squares():
        for near_row, near_column in (
            (row - 1, column),
            (row + 1, column),
            (row, column - 1),
            (row, column + 1),
        ):
            if (
                0 <= near_row < board.rows
                and 0 <= near_column < board.columns
                and board.at(near_row, near_column) != EMPTY
            ):
                return True
    return False


def check_on_rack(
    tiles: Iterable[int], rack: tuple[int, ...], distribution: LetterDistribution, *, unknown: int = 0
) -> None:
    """Check that tiles, blanks as the blank, are on a rack of which ``unknown`` tiles are not known.

    Raises:
        RuleError: with code ``not-on-rack``.

    """
    missing = Counter(tiles)
    missing.subtract(rack)
    lacking = tuple(tile for tile, count in missing.items() if count > 0 for _ in range(count))
    if len(lacking) > unknown:
        raise RuleError(
            "not-on-rack",
            "{tiles} is not on the rack {rack}",
            tiles="".join(distribution.text(tile) for tile in lacking[:20]),
            rack="".join(distribution.text(tile) for tile in rack[:20]),
        )


def check_exchange(exchange: Exchange, bag: int, rules: Rules) -> None:
    """Check that so many tiles may be exchanged while the bag holds ``bag`` tiles.

    Raises:
        RuleError: with code ``exchange-bag`` (the bag holds too few) or ``exchange-count`` (more than a rack).

    """
    if exchange.count > rules.rack_size:
        raise RuleError(
            "exchange-count",
            "{tiles} tiles are exchanged; a rack has {limit}",
            tiles=exchange.count,
            limit=rules.rack_size,
        )
    needed = max(rules.exchange_limit, exchange.count)
    if bag < needed:
        raise RuleError(
            "exchange-bag",
            "the exchange needs {limit} tiles in the bag; it holds {bag}",
            limit=needed,
            bag=bag,
        )


def play_problems(position: Position, play: Play) -> tuple[RuleError, ...]:
    """Return why a play cannot be made from the rack or on the board, as far as the rack is known."""
    found = []
    rack = position.players[position.on_turn].rack
    unknown = max(0, position.rules.rack_size - len(rack)) if position.bag_count else 0
    tiles: tuple[int, ...] = ()
    try:
        if isinstance(play, Placement):
            tiles = tiles_used(play)
            check_placement(position.board, play, position.rules)
        elif isinstance(play, Exchange):
            tiles = play.tiles
            check_exchange(play, position.bag_count, position.rules)
    except RuleError as error:
        found.append(error)
    if rack:
        try:
            check_on_rack(tiles, rack, position.rules.distribution, unknown=unknown)
        except RuleError as error:
            found.append(error)
    return tuple(found)
