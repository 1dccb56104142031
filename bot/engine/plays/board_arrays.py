"""Converts positions to the arrays of :mod:`bot.engine.kernels.board`."""

from __future__ import annotations

import threading
from functools import lru_cache
from math import prod
from weakref import WeakKeyDictionary

import numpy as np

from bot.domain.crossword.play import Direction
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import (
    LETTER_MULTIPLIER,
    MISSING_SQUARE,
    WORD_MULTIPLIER,
    BoardLayout,
    EndScoring,
    Rules,
)
from bot.engine.analysis import AnalysisError
from bot.engine.kernels import board as kernel
from bot.engine.kernels.graph import (
    FIRST_LIST_OFFSET,
    FULL_FILTER,
    MAP_OFFSET_INDEX,
    MARKS_OFFSET,
    STACK_LENGTH,
    Graph,
    assign_offsets,
    index_words,
    letter_hash,
    write_lists,
)
from bot.engine.kernels.rack import MAX_RACK
from bot.engine.kernels.turn import BoardArrays
from bot.engine.lexicon.word_graph import MAX_TILE, WordGraph

OPENING_PENALTY = 350
"""Penalty in millipoints for each double square next to a vowel of the first play. A triple square counts twice. MAGPIE uses
the same penalty.
"""

MAX_POINTS = 10_000
MAX_BONUS = 1_000_000
MAX_SCORE = 1 << 31
"""Maximum score in points. Plays are sorted by an integer with the score or the equity (in millipoints) in its high bits. This
maximum leaves 21 bits for the play's slot."""
MAX_KERNEL_GRAPH_LENGTH = 1 << 26
"""Maximum length in 32-bit numbers."""
MAX_MAP_LENGTH = 10_000_000
"""Maximum length in 32-bit numbers, which take 40 MB."""


_graphs: WeakKeyDictionary[WordGraph, tuple[Graph, bool]] = WeakKeyDictionary()
"""Maps each word graph to its GADDAG, and to whether the GADDAG has its index."""
_graphs_lock = threading.Lock()


def kernel_graph(graph: WordGraph, *, with_index: bool = True) -> Graph:
    """Return a word graph's GADDAG as a read-only array in the format of :mod:`bot.engine.kernels.graph`. Each GADDAG is created once.

    Without ``with_index``, the GADDAG may lack its index, which consists of the marks and the map. Only a search for the best plays
    needs the index, and creating it takes most of the time.

    Raises:
        AnalysisError: the graph has no GADDAG, or the GADDAG is too large.

    """
    with _graphs_lock:
        gaddag, has_index = _graphs.get(graph) or (_create_gaddag(graph), False)
        if with_index and not has_index:
            gaddag, has_index = _add_index(gaddag), True
        _graphs[graph] = gaddag, has_index
        # Only a view is made read-only, because ``_add_index`` may still write to the array. If the array itself were made read-only and
        # writable again, its type for numba would change, and a running search's kernel would be compiled again.
        shared = gaddag.view()
        shared.flags.writeable = False
        return shared


def _create_gaddag(graph: WordGraph) -> Graph:
    """Convert a word graph to a GADDAG without marks, with room for the map."""
    if not graph.gaddag_root:
        raise AnalysisError(
            "no-gaddag", "the lexicon's word graph has no GADDAG, which is needed to find plays"
        )
    offsets = np.zeros(len(graph.nodes), dtype=np.int32)
    length = assign_offsets(graph.nodes, graph.gaddag_root, offsets, np.empty_like(offsets))
    if length > MAX_KERNEL_GRAPH_LENGTH:
        raise AnalysisError("word-graph-too-large", "the lexicon's word graph is too large for finding plays")
    # Unused room costs nothing, because the system provides memory only for pages that are written to.
    gaddag = np.zeros(length + MAX_MAP_LENGTH, dtype=np.uint32)
    write_lists(graph.nodes, offsets, gaddag)
    return gaddag


def _add_index(gaddag: Graph) -> Graph:
    """Add the marks, and the map unless it would be too large. Return the part of the array in use."""
    # Meanwhile, other threads may be using the GADDAG, but they do not read the index.
    stack = np.zeros(STACK_LENGTH, dtype=np.int64)
    map_offset = len(gaddag) - MAX_MAP_LENGTH
    if not index_words(gaddag, stack):
        gaddag[MARKS_OFFSET:FIRST_LIST_OFFSET] = FULL_FILTER
        return gaddag[:map_offset]
    buckets = gaddag[MARKS_OFFSET + 1 : FIRST_LIST_OFFSET : 2]
    map_length = int(buckets.sum())
    if map_length > MAX_MAP_LENGTH:
        return gaddag[:map_offset]
    buckets[:] = map_offset + buckets.cumsum()
    gaddag[MAP_OFFSET_INDEX] = map_offset
    index_words(gaddag, stack)
    return gaddag[: map_offset + map_length]


@lru_cache(maxsize=32)
def _rules_arrays(rules: Rules) -> tuple[kernel.Numbers, kernel.Squares]:
    """Return ``game`` and the ``squares`` of the empty board."""
    letters = rules.distribution.letters
    layout = rules.layout
    if len(letters) - 1 > MAX_TILE:
        raise AnalysisError(
            "too-many-letters",
            "an alphabet of {letters} letters is too large to analyze; the limit is {limit}",
            letters=len(letters) - 1,
            limit=MAX_TILE,
        )
    if "wordsmog" in rules.variant.lower():
        raise AnalysisError("wordsmog", "WordSmog, where words are jumbled, isn't analyzed")
    _check_limits(rules)
    game = np.zeros(kernel.GAME_LENGTH, dtype=np.int64)
    row, column = layout.start
    for field, value in (
        (kernel.G_ROWS, layout.rows),
        (kernel.G_COLUMNS, layout.columns),
        (kernel.G_SIZE, (layout.rows + 2) * (layout.columns + 2)),
        (kernel.G_ROOT, FIRST_LIST_OFFSET),
        (kernel.G_RACK_SIZE, rules.rack_size),
        (kernel.G_BONUS, rules.bingo_bonus),
        (kernel.G_BINGO_MULTIPLIER, rules.bingo_multiplier),
        (kernel.G_MIN_BAG_FOR_EXCHANGE, rules.min_bag_for_exchange),
        (kernel.G_START_ROW, row),
        (kernel.G_START_COLUMN, column),
        (kernel.G_SCORELESS_LIMIT, rules.scoreless_limit),
        (kernel.G_EQUAL_TURNS, rules.end_scoring is EndScoring.EQUAL_TURNS),
        (kernel.G_KIND_COUNT, len(letters)),
        (
            kernel.G_VOWEL_MASK,
            sum(1 << number for number, letter in enumerate(letters) if letter.is_vowel and number),
        ),
        (kernel.G_LETTER_MASK, sum(1 << number for number in range(1, len(letters)))),
        (kernel.G_BOTH_WAYS, not is_symmetric(layout)),
    ):
        game[field] = value
    across_penalties = [
        vowel_penalty(layout, row, place, Direction.ACROSS) for place in range(layout.columns)
    ]
    down_penalties = [vowel_penalty(layout, place, column, Direction.DOWN) for place in range(layout.rows)]
    for direction, penalties in enumerate((across_penalties, down_penalties)):
        start = kernel.G_OPENING_PENALTIES + direction * kernel.OPENING_STRIDE + 1
        game[start : start + len(penalties)] = penalties
    game[kernel.G_POINTS : kernel.G_POINTS + len(letters)] = [letter.points for letter in letters]
    hashes = np.array([0] + [letter_hash(letter) % (1 << 64) for letter in range(1, 64)], dtype=np.uint64)
    game[kernel.G_HASHES : kernel.G_HASHES + 64] = hashes.view(np.int64)
    squares = _empty_board(layout)
    game.flags.writeable = squares.flags.writeable = False
    return game, squares


def check_rack_size(tile_count: int) -> None:
    if tile_count > MAX_RACK:
        raise AnalysisError(
            "rack-too-long",
            "a rack of {tiles} tiles is too large to analyze; the limit is {limit}",
            tiles=tile_count,
            limit=MAX_RACK,
        )


def _check_limits(rules: Rules) -> None:
    max_points = max(abs(letter.points) for letter in rules.distribution.letters)
    if rules.rack_size > MAX_RACK or rules.rack_size < 1:
        raise AnalysisError(
            "rack-size",
            "racks of {tiles} tiles can't be analyzed, only racks of 1 to {limit}",
            tiles=rules.rack_size,
            limit=MAX_RACK,
        )
    layout = rules.layout
    rows = [layout.squares[row * layout.columns :][: layout.columns] for row in range(layout.rows)]
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    max_score = 0  # for tiles of one point
    for lane in (*rows, *columns):
        multipliers = sorted((WORD_MULTIPLIER.get(square, 1) for square in lane), reverse=True)[
            : rules.rack_size
        ]
        product = rules.bingo_multiplier * prod(multipliers)
        # The word, and a cross word for each tile of the rack.
        max_score = max(max_score, product * (len(lane) + 3 * rules.rack_size) + 4 * rules.rack_size * 60)
    if max_points > MAX_POINTS or abs(rules.bingo_bonus) > MAX_BONUS or max_score * max_points > MAX_SCORE:
        raise AnalysisError("scores-too-high", "the scores of this game can be too high to analyze")


def is_symmetric(layout: BoardLayout) -> bool:
    """Return whether the layout is the same with rows and columns swapped, so that a first play scores the same in both directions."""
    if layout.rows != layout.columns or layout.start[0] != layout.start[1]:
        return False
    side = layout.rows
    return layout.squares == "".join(layout.squares[row::side] for row in range(side))


def vowel_penalty(layout: BoardLayout, row: int, column: int, direction: Direction) -> int:
    """Return the penalty, in millipoints, if the first play has a vowel on this square."""
    bonus_steps = 0
    for step in (-1, 1):
        neighbour = (row + step, column) if direction is Direction.ACROSS else (row, column + step)
        if 0 <= neighbour[0] < layout.rows and 0 <= neighbour[1] < layout.columns:
            square = layout.squares[neighbour[0] * layout.columns + neighbour[1]]
            bonus_steps += LETTER_MULTIPLIER.get(square, 1) + WORD_MULTIPLIER.get(square, 1) - 2
    return OPENING_PENALTY * bonus_steps


def _empty_board(layout: BoardLayout) -> kernel.Squares:
    rows, columns = layout.rows, layout.columns
    squares = np.zeros((kernel.SECTIONS, 2 * (rows + 2) * (columns + 2)), dtype=np.int32)
    for section, value_of, border in (
        (kernel.LETTER, lambda square: kernel.WALL if square == MISSING_SQUARE else 0, kernel.WALL),
        (kernel.LETTER_MULTIPLIER, lambda square: LETTER_MULTIPLIER.get(square, 1), 1),
        (kernel.WORD_MULTIPLIER, lambda square: WORD_MULTIPLIER.get(square, 1), 1),
    ):
        inner_values = np.array(list(map(value_of, layout.squares)), dtype=np.int32).reshape(rows, columns)
        across = np.pad(inner_values, 1, constant_values=border)
        squares[section] = np.concatenate((across.reshape(-1), across.T.reshape(-1)))
    return squares.reshape(-1)


def board_arrays(position: Position, graph: WordGraph, *, with_index: bool = True) -> BoardArrays:
    """Return the arrays of a position's board. ``with_index`` is as in :func:`kernel_graph`.

    Raises:
        AnalysisError: the engine does not analyze games of this kind, or :func:`kernel_graph` rejects the word graph.

    """
    rules = position.rules
    game, empty_squares = _rules_arrays(rules)
    gaddag = kernel_graph(graph, with_index=with_index)
    squares = np.empty_like(empty_squares)
    masks = np.empty(kernel.MASK_SECTIONS * 2 * int(game[kernel.G_SIZE]), dtype=np.int64)
    undo_log = np.zeros(
        1 + kernel.MAX_UNDO_LOG_PER_PLAY + kernel.MAX_UNDO_LOG_PER_TILE * MAX_RACK, dtype=np.int64
    )
    tiles = np.array(position.board.squares, dtype=np.int32).reshape(rules.layout.rows * rules.layout.columns)
    kernel.set_up_board(game, empty_squares, tiles, squares, masks, gaddag, undo_log)
    return BoardArrays(game, squares, masks, undo_log, gaddag)


def copy_for_thread(board: BoardArrays, *, tile_count: int, play_count: int) -> BoardArrays:
    """Copy a board, with room in ``undo_log`` for ``play_count`` plays of ``tile_count`` tiles in total."""
    undo_log = np.zeros(
        1 + kernel.MAX_UNDO_LOG_PER_PLAY * (play_count + 1) + kernel.MAX_UNDO_LOG_PER_TILE * (tile_count + 1),
        dtype=np.int64,
    )
    return board._replace(squares=board.squares.copy(), masks=board.masks.copy(), undo_log=undo_log)
