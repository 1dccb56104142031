"""A simple play generator that tries every word on every square."""

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Protocol

from bot.domain.crossword.play import THROUGH, Coordinate, Direction, Exchange, Pass, Placement, Play
from bot.domain.crossword.position import Board, Position, unseen_tiles
from bot.domain.crossword.rules import BLANK, EndScoring, Rules
from bot.domain.crossword.scoring import check_placement, score_placement
from bot.domain.reading.problems import RuleError
from bot.engine.plays.values import RatedPlay
from tests.domain.crossword.naive_scoring import letter_multiplier, word_multiplier


class LeaveMapping(Protocol):
    """A mapping from leaves to values in millipoints."""

    def get(self, leave: bytes, otherwise: int, /) -> int: ...


def naive_plays(position: Position, words: frozenset[bytes], leaves: LeaveMapping) -> set[RatedPlay]:
    rules, board = position.rules, position.board
    mover = position.players[position.on_turn]
    rack = Counter(mover.rack)
    bag = position.bag_count
    rated_plays = set()
    for placement in placements(board, rules, words, rack):
        scored = score_placement(board, placement, rules)
        if all(bytes(map(abs, cross.tiles)) in words for cross in scored.cross_words):
            used = Counter(max(tile, BLANK) for tile in placement.tiles if tile != THROUGH)
            rated_plays.add(rated_play(position, placement, scored.score, rack - used, leaves))
    choices = (
        product(*(range(count + 1) for count in rack.values())) if bag >= rules.min_bag_for_exchange else ()
    )
    for counts in choices:
        exchanged = Counter(dict(zip(rack, counts, strict=True)))
        if 0 < exchanged.total() <= min(bag, rules.rack_size):
            play = Exchange(tuple(sorted(exchanged.elements())))
            rated_plays.add(rated_play(position, play, 0, rack - exchanged, leaves))
    rated_plays.add(RatedPlay.of(Pass(), 0, tuple(sorted(mover.rack)), -1_000_000))
    return rated_plays


def placements(
    board: Board, rules: Rules, words: frozenset[bytes], rack: Counter[int]
) -> Iterator[Placement]:
    is_empty = not board.tile_count
    for direction in Direction:
        if is_empty and direction is Direction.DOWN and is_symmetric(rules):
            continue
        for row, column, word in product(range(board.rows), range(board.columns), words):
            start = Coordinate(row, column, direction)
            through = letters_on_board(board, start, word)
            if through is None:
                continue
            needed = Counter(letter for letter, on_board in zip(word, through, strict=True) if not on_board)
            lacking = needed - rack
            natural = tuple(
                THROUGH if on_board else letter for letter, on_board in zip(word, through, strict=True)
            )
            if lacking.total() > rack[BLANK] or not is_allowed(board, Placement(start, natural), rules):
                continue
            for blanks in product((False, True), repeat=needed.total()):
                choice = iter(blanks)
                tiles = tuple(
                    THROUGH if on_board else (-letter if next(choice) else letter)
                    for letter, on_board in zip(word, through, strict=True)
                )
                used = Counter(max(tile, BLANK) for tile in tiles if tile != THROUGH)
                if used <= rack:
                    yield Placement(start, tiles)


def letters_on_board(board: Board, start: Coordinate, word: bytes) -> list[bool] | None:
    """Return, for each letter, whether it is on the board. Return None if the word does not fit."""
    squares = Placement(start, tuple(word)).squares()
    (row, column), (last_row, last_column) = squares[0], squares[-1]
    down, right = (1, 0) if start.direction is Direction.DOWN else (0, 1)
    if tile_at(board, last_row, last_column) is None:
        return None
    if tile_at(board, row - down, column - right) or tile_at(board, last_row + down, last_column + right):
        return None
    through = []
    for square, letter in zip(squares, word, strict=True):
        on_board_tile = board.at(*square)
        if on_board_tile and abs(on_board_tile) != letter:
            return None
        through.append(on_board_tile != 0)
    return through


def tile_at(board: Board, row: int, column: int) -> int | None:
    if 0 <= row < board.rows and 0 <= column < board.columns:
        return board.at(row, column)
    return None


def is_allowed(board: Board, placement: Placement, rules: Rules) -> bool:
    try:
        check_placement(board, placement, rules)
    except RuleError:
        return False
    laid = [tile for tile in placement.tiles if tile != THROUGH]
    if len(laid) > 1 or placement.start.direction is Direction.ACROSS:
        return True
    # A single tile that forms cross words is also found as a play across.
    return not score_placement(board, placement, rules).cross_words


def is_symmetric(rules: Rules) -> bool:
    layout = rules.layout
    rows = [layout.squares[row * layout.columns :][: layout.columns] for row in range(layout.rows)]
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    return rows == columns and layout.start[0] == layout.start[1]


def rated_play(
    position: Position, play: Play, score: int, leave: Counter[int], leaves: LeaveMapping
) -> RatedPlay:
    rules = position.rules
    points = {letter: tile.points for letter, tile in enumerate(rules.distribution.letters)}
    equity = 1000 * score
    if position.bag_count:
        equity += leaves.get(bytes(sorted(leave.elements())), 0)
    elif rules.end_scoring is EndScoring.EQUAL_TURNS:
        pass
    elif leave:
        equity -= 2000 * sum(points[tile] for tile in leave.elements()) + 10_000
    else:
        own = position.players[position.on_turn].rack
        others = unseen_tiles(rules.distribution, position.board.squares, [own])
        equity += 2000 * sum(max(0, count) * points[tile] for tile, count in enumerate(others.counts))
    if isinstance(play, Placement) and not position.board.tile_count:
        equity -= opening_penalty(rules, play)
    return RatedPlay.of(play, score, tuple(sorted(leave.elements())), equity)


def opening_penalty(rules: Rules, play: Placement) -> int:
    layout = rules.layout
    penalty = 0
    for (row, column), tile in zip(play.squares(), play.tiles, strict=True):
        if rules.distribution.letters[abs(tile)].is_vowel:
            down, right = (0, 1) if play.start.direction is Direction.DOWN else (1, 0)
            for step in (-1, 1):
                neighbour = row + step * down, column + step * right
                if 0 <= neighbour[0] < layout.rows and 0 <= neighbour[1] < layout.columns:
                    penalty += 350 * (
                        letter_multiplier(layout, *neighbour) + word_multiplier(layout, *neighbour) - 2
                    )
    return penalty
