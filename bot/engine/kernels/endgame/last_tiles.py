"""The last tiles of a player, all sets of them, and the words that may still be made with them, by this play or a later one.

A word is a row of squares without a gap. It may be made at any time from now on only if each of its letters that is laid
beside a run of tiles on the present board stands there, beside that run, in some word of the lexicon. No later play takes
that away: a run only grows, and stays a part of what it grows to.

The places of ``work`` are the ``R_`` constants.
"""

from __future__ import annotations

from itertools import accumulate

from bot.engine.compiler import inlined, inner, lowest_bit, wide
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
    WORK_LENGTH,
    lane_plays,
)
from bot.engine.kernels.graph import LETTERS_ONLY, entry_of, follow, letters_at
from bot.engine.kernels.turn import BoardOf

MAX_REACH = 7
"""With so many tiles at most it is looked at what they can score."""
R_ROOM = MAX_REACH + 1
R_SETS = 1 << MAX_REACH
"""So many sets of them there are at most. Each has a number, to which a tile of the n-th kind adds its weight."""
R_ROW = 1 + 2 * R_ROOM + R_ROOM * R_ROOM
R_TIMES_KINDS = 5
"""Word multipliers from here on count as one."""
(
    R_COUNT,  # Where ``work`` has how many tiles there are;
    R_ALL,  # the tiles as a rack;
    R_HAVE,  # the letters that they can be;
    R_KINDS,  # how many kinds of tiles there are,
    R_KIND,  # and these, dearest first;
    R_NUMBER,  # which of them a kind is;
    R_WEIGHT,  # what a tile of a kind adds to the number of a set;
    R_RACK,  # for each set: the rack,
    R_SIZE,  # how many tiles,
    R_POINTS,  # what they count,
    R_SPELLS,  # whether the set makes a word,
    R_TOTAL,  # and what the player can still gain with the set, when the others have been laid;
    R_BEST,  # what a play of the set can score, by older tiles; -1 where there is none;
    R_OTHERS,  # what the other tiles of a word count that has all of the set, by the word's tiles; -1 without one;
    R_DEAREST,  # what a word of so many tiles counts that has one of a kind, by kind; -1 without one;
    R_SQUARE,  # of the word that is looked at, for each tile: its square,
    R_TILE,  # which kind it is,
    R_BESIDE,  # and whether another must lie beside it;
    R_LETTERS,  # the letter multipliers of the row that is looked at, highest first,
    R_TIMES,  # and the word multipliers;
    # what words across that row count that a tile completes alone, by number of older tiles and kind;
    R_ACROSS,
    R_FRAMES,  # a stack;
    R_ROWS,  # the same for all rows of a length and highest word multiplier, the first number whether there are any;
    # and what a word along the lane counts that a tile completes alone, by kind, older tiles and square; -1 without one.
    R_ALONE,
) = accumulate(
    (
        *(WORK_LENGTH, 1, 1, 1, 1, R_ROOM, 64, 64),
        *[R_SETS] * 5,
        *[R_ROOM * R_SETS] * 2,
        *(R_ROOM * R_ROOM, *[R_ROOM] * 5, R_ROOM * R_ROOM, 6 * R_ROOM, R_ROOM * R_TIMES_KINDS * R_ROW),
    )
)
"""The length of each is the distance to the next."""


def reach_work(size: int) -> int:
    """Return how much room ``work`` needs on a board with so many squares in one direction."""
    return R_ALONE + 2 * size * (MAX_REACH * MAX_REACH + MASK_SECTIONS)


@inlined
def insert(search: SearchOf, at: int, count: int, number: int) -> None:
    """Add a number to a descending list of ``count``."""
    work = search.work
    place = at + count
    while place > at and work[place - 1] < number:
        work[place] = work[place - 1]
        place -= 1
    work[place] = number


@inlined
def note_alone(search: SearchOf, section: int, kind: int, older: int, square: int, value: int) -> None:
    """Note what a word counts that a tile of a kind completes alone."""
    work = search.work
    place = R_ALONE + (kind * work[R_COUNT] + older) * section + square
    work[place] = max(work[place], value)


@inner
def take_tiles(board: BoardOf, search: SearchOf, node: int) -> bool:
    """Write down the tiles that the player on turn can still lay, and their sets; return whether these are not too many."""
    game, frames, kit, work = board.game, search.frames, search.kit, search.work
    tiles = frames[node + N_RACK]
    bag = frames[node + N_BAG]
    while bag:
        tiles += kit[T_UNIT + (bag & IN_BAG) - 1]
        bag >>= BAG_BITS
    work[R_ALL] = tiles
    count = kinds = letters = wide(0)
    for number in range(kit[T_KINDS]):
        kind = kit[T_LIST + number]
        many = (tiles & kit[T_FIELD + kind]) // kit[T_UNIT + kind]
        if not many:
            continue
        count += many
        if count > MAX_REACH:
            return False
        place = R_KIND + kinds
        while place > R_KIND and game[G_POINTS + work[place - 1]] < game[G_POINTS + kind]:
            work[place] = work[place - 1]
            place -= 1
        work[place] = kind
        kinds += 1
        letters |= wide(1) << kind
    work[R_COUNT] = count
    work[R_KINDS] = kinds
    work[R_HAVE] = game[G_LETTERS] if letters & 1 else letters
    _list_sets(board, search)
    return True


@inner
def _list_sets(board: BoardOf, search: SearchOf) -> None:
    """Write down all sets of the tiles; that of none is 0."""
    game, kit, work = board.game, search.kit, search.work
    work[R_RACK] = work[R_SIZE] = work[R_POINTS] = 0
    sets = wide(1)
    for number in range(work[R_KINDS]):
        kind = work[R_KIND + number]
        work[R_NUMBER + kind] = number
        work[R_WEIGHT + kind] = sets
        many = (work[R_ALL] & kit[T_FIELD + kind]) // kit[T_UNIT + kind]
        for tile_set in range(sets, sets * (many + 1)):
            work[R_RACK + tile_set] = work[R_RACK + tile_set - sets] + kit[T_UNIT + kind]
            work[R_SIZE + tile_set] = work[R_SIZE + tile_set - sets] + 1
            work[R_POINTS + tile_set] = work[R_POINTS + tile_set - sets] + game[G_POINTS + kind]
        sets *= many + 1


@inlined
def sets_of(search: SearchOf) -> int:
    """Return how many sets there are."""
    return set_of(search, search.work[R_ALL]) + 1


@inlined
def set_of(search: SearchOf, rack: int) -> int:
    """Return the number of the set that a rack is."""
    kit, work = search.kit, search.work
    number = wide(0)
    for at in range(R_KIND, R_KIND + work[R_KINDS]):
        kind = work[at]
        number += (rack & kit[T_FIELD + kind]) // kit[T_UNIT + kind] * work[R_WEIGHT + kind]
    return number


_NATURAL, _BLANK, _LIST, _RACK, _LEFT, _SET = range(6)
_FRAME = 6


@inlined
def _push(board: BoardOf, search: SearchOf, depth: int, place: int, rack: int, have: int, made: int) -> None:
    work = search.work
    fitting = letters_at(board.graph, place) & LETTERS_ONLY & board.game[G_LETTERS]
    frame = R_FRAMES + depth * _FRAME
    work[frame + _NATURAL] = fitting & have
    work[frame + _BLANK] = fitting if have & 1 else 0
    work[frame + _LIST] = place
    work[frame + _RACK] = rack
    work[frame + _LEFT] = have
    work[frame + _SET] = made


@inner
def find_spelling_sets(board: BoardOf, search: SearchOf) -> None:
    """Find which sets, all tiles excepted, make a word without any tile of the board: with the last letter first."""
    graph, kit, work = board.graph, search.kit, search.work
    for number in range(sets_of(search)):
        work[R_SPELLS + number] = 0
    have = wide(0)
    for number in range(work[R_KINDS]):
        have |= wide(1) << work[R_KIND + number]
    depth = wide(0)
    _push(board, search, depth, wide(board.game[G_ROOT]), work[R_ALL], have, wide(0))
    while depth >= 0:
        frame = R_FRAMES + depth * _FRAME
        bits = work[frame + _NATURAL]
        kind = wide(0)
        if bits:
            work[frame + _NATURAL] = bits & (bits - 1)
            letter = lowest_bit(bits)
            kind = letter
        else:
            bits = work[frame + _BLANK]
            if not bits:
                depth -= 1
                continue
            work[frame + _BLANK] = bits & (bits - 1)
            letter = lowest_bit(bits)
        place = work[frame + _LIST]
        entry = entry_of(graph, place, letters_at(graph, place), letter)
        made = work[frame + _SET] + work[R_WEIGHT + kind]
        if entry & 1:
            work[R_SPELLS + made] = 1
        if work[R_SIZE + made] + 1 < work[R_COUNT]:
            rack = work[frame + _RACK] - kit[T_UNIT + kind]
            have = work[frame + _LEFT]
            if not rack & kit[T_FIELD + kind]:
                have &= ~(wide(1) << kind)
            depth += 1
            _push(board, search, depth, entry >> 1, rack, have, made)


@inner
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


@inner
def find_words(board: BoardOf, search: SearchOf, node: int) -> int:
    """Write all words that may be made to ``pool`` behind the plays of a node; return their end, -1 without room."""
    game, squares, masks, work = board.game, board.squares, board.masks, search.work
    section = 2 * game[G_SIZE]
    at = R_ALONE + MAX_REACH * MAX_REACH * section
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
