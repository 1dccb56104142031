"""The words that may still be made with some tiles, by this play or a later one.

A word is a row of squares without a gap. It may be made at any time from now on only if each of its letters that is laid
beside a run of tiles on the present board stands there, beside that run, in some word of the lexicon. No later play takes
that away: a run only grows, and stays a part of what it grows to.
"""

from __future__ import annotations

from bot.engine.compiler import inlined, inner, lowest_bit, wide
from bot.engine.kernels.board import (
    BEFORE,
    CROSS,
    G_COLUMNS,
    G_LETTERS,
    G_ROOT,
    G_ROWS,
    G_SIZE,
    MASK_SECTIONS,
    mirrored,
)
from bot.engine.kernels.endgame.last_tiles import (
    MAX_REACH,
    R_ALL,
    R_ALONE,
    R_COUNT,
    R_FRAMES,
    R_HAVE,
    R_KIND,
    R_KINDS,
    R_SIZE,
    R_SPELLS,
    R_WEIGHT,
    sets_of,
)
from bot.engine.kernels.endgame.nodes import N_TOP, S_ROOM, SearchOf
from bot.engine.kernels.endgame.plays import COLUMN_LANES, T_FIELD, T_MOST, T_UNIT, lane_plays
from bot.engine.kernels.graph import LETTERS_ONLY, entry_of, follow, letters_at
from bot.engine.kernels.turn import BoardOf

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
