"""The words that may still be made with some tiles, by this play or a later one.

A word is a row of squares without a gap. It may be made at any time from now on only if each of its letters that is laid
beside a run of tiles on the present board stands there, beside that run, in some word of the lexicon. No later play takes
that away: a run only grows, and stays a part of what it grows to.
"""

from __future__ import annotations

from bot.engine.compiler import compiled, lowest_bit, wide
from bot.engine.kernels.board import (
    BEFORE,
    CROSS,
    G_COLUMNS,
    G_LETTERS,
    G_POINTS,
    G_ROOT,
    G_ROWS,
    G_SIZE,
    MASK_SECTIONS,
    mirrored,
)
from bot.engine.kernels.endgame.nodes import BAG_BITS, IN_BAG, N_BAG, N_RACK, N_TOP, S_ROOM, SearchOf
from bot.engine.kernels.endgame.plays import (
    COLUMN_LANES,
    T_FIELD,
    T_KINDS,
    T_LIST,
    T_MOST,
    T_UNIT,
    lane_plays,
)
from bot.engine.kernels.endgame.refutations import SWEEP_WORK
from bot.engine.kernels.graph import LETTERS_ONLY, entry_of, follow, letters_at
from bot.engine.kernels.turn import BoardOf

MAX_REACH = 7
"""With so many tiles at most it is looked at what they can score."""
R_ROOM = MAX_REACH + 1
R_COUNT = SWEEP_WORK
"""Places in ``work``: how many tiles there are."""
R_ALL = R_COUNT + 1
"""The tiles as a rack."""
R_NATURAL = R_ALL + 1
"""The letters that they are, and those that they can be."""
R_HAVE = R_NATURAL + 1
R_TILES = R_HAVE + 1
"""Their points, dearest first."""
R_TOTAL = R_TILES + R_ROOM
"""What the last 0, 1, ... of them can score together."""
R_BEST = R_TOTAL + R_ROOM
"""What a play can score, ``R_ROOM`` numbers by older tiles for each number of tiles that it lays."""
R_SQUARE = R_BEST + R_ROOM * R_ROOM
"""Of the word that is looked at, for each tile: its square, its points, whether another must lie beside it."""
R_WORTH = R_SQUARE + R_ROOM
R_BESIDE = R_WORTH + R_ROOM
R_TIMES = R_BESIDE + R_ROOM
"""The word multipliers of these squares, highest first."""
R_ACROSS = R_TIMES + R_ROOM
"""What the words across them count, highest first, ``R_ROOM`` numbers for each number of older tiles."""
R_ALONE = R_ACROSS + R_ROOM * R_ROOM
"""What a word along the lane counts that a tile completes alone, by older tiles and by square."""


@compiled
def reach_work(size: int) -> int:
    """Return how much room ``work`` needs on a board with so many squares in one direction."""
    return wide(R_ALONE + 2 * size * (MAX_REACH + MASK_SECTIONS))


@compiled
def insert(search: SearchOf, at: int, count: int, number: int) -> None:
    """Add a number to a descending list of ``count``."""
    work = search.work
    place = at + count
    while place > at and work[place - 1] < number:
        work[place] = work[place - 1]
        place -= 1
    work[place] = number


@compiled
def _take_tile(board: BoardOf, search: SearchOf, kind: int) -> None:
    game, work = board.game, search.work
    work[R_ALL] += search.kit[T_UNIT + kind]
    work[R_NATURAL] |= wide(1) << kind
    insert(search, wide(R_TILES), work[R_COUNT], game[G_POINTS + kind])
    work[R_COUNT] += 1


@compiled
def take_tiles(board: BoardOf, search: SearchOf, node: int) -> bool:
    """Write down the tiles that the player on turn can still lay; return whether these are not too many."""
    frames, kit, work = search.frames, search.kit, search.work
    work[R_COUNT] = work[R_ALL] = work[R_NATURAL] = 0
    rack = frames[node + N_RACK]
    bag = frames[node + N_BAG]
    for number in range(kit[T_KINDS]):
        kind = kit[T_LIST + number]
        field = rack & kit[T_FIELD + kind]
        while field:
            if work[R_COUNT] == MAX_REACH:
                return False
            _take_tile(board, search, kind)
            field -= kit[T_UNIT + kind]
    while bag:
        if work[R_COUNT] == MAX_REACH:
            return False
        _take_tile(board, search, (bag & IN_BAG) - 1)
        bag >>= BAG_BITS
    every = board.game[G_LETTERS]
    work[R_HAVE] = every if work[R_NATURAL] & 1 else work[R_NATURAL]
    work[R_NATURAL] &= every
    return True


@compiled
def _may_follow(board: BoardOf, square: int, letters: int) -> int:
    """Return which of some letters stand in any word after the run that ends before a square."""
    game, squares, graph = board.game, board.squares, board.graph
    place = game[G_ROOT]
    known = letters_at(graph, place)
    letters &= known & LETTERS_ONLY
    found = wide(0)
    while letters:
        letter = lowest_bit(letters)
        letters &= letters - 1
        entry = entry_of(graph, place, known, letter)
        at = square - 1
        while squares[at] > 0 and entry:
            entry = follow(graph, entry >> 1, wide(squares[at]))
            at -= 1
        if entry:
            found |= wide(1) << letter
    return found


@compiled
def find_words(board: BoardOf, search: SearchOf, node: int) -> int:
    """Write all words that may be made to ``pool`` behind the plays of a node; return their end, -1 without room."""
    game, squares, masks, work = board.game, board.squares, board.masks, search.work
    section = 2 * game[G_SIZE]
    at = R_ALONE + MAX_REACH * section
    for square in range(1, section - 1):
        work[at + BEFORE * section + square] = masks[BEFORE * section + square]
        if squares[square] == 0:
            letters = work[R_HAVE] & masks[BEFORE * section + square]
            if squares[square - 1] > 0:
                letters = _may_follow(board, square, letters)
            work[at + CROSS * section + mirrored(game, square)] = letters
    lasting = BoardOf(game, squares, work[at : at + MASK_SECTIONS * section], board.log, board.graph)
    top = search.frames[node + N_TOP]
    most = search.kit[T_MOST]
    search.kit[T_MOST] = work[R_COUNT]
    for lane in range(COLUMN_LANES + game[G_COLUMNS]):
        if top >= 0 and (lane < game[G_ROWS] or lane >= COLUMN_LANES):
            top = lane_plays(
                lasting, search.kit, work, search.pool, top, search.state[S_ROOM], lane, work[R_ALL]
            )
    search.kit[T_MOST] = most
    return top
