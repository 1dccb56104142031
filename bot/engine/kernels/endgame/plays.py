"""Finds plays lane by lane for the endgame search, because a play changes only a few lanes.

The plays of a lane depend only on its squares (:mod:`bot.engine.kernels.board`) and on the rack. So the endgame search keeps a
play in an unchanged lane if its tiles are still on the rack. The algorithm is the same as in :mod:`bot.engine.kernels.plays`.

A rack is one number: a bit field for the count of each kind of tile, and above each field a guard bit, which is 0.
``rack_fields`` (int64) is indexed by the ``T_`` constants. A play is a record of ``E_LENGTH`` numbers in ``pool`` (int64).
``work`` (int64) is scratch space.
"""

from __future__ import annotations

from bot.engine.compiler import inlined, inner_kernel, lowest_bit, to_int64
from bot.engine.kernels.board import (
    BEFORE,
    CROSS,
    CROSS_POINTS,
    G_BINGO_MULTIPLIER,
    G_BONUS,
    G_COLUMNS,
    G_LETTER_MASK,
    G_POINTS,
    G_RACK_SIZE,
    G_ROOT,
    G_ROWS,
    G_SIZE,
    LETTER_MULTIPLIER,
    NO_CROSS,
    POINTS,
    RUN,
    WALL,
    WORD_MULTIPLIER,
    Numbers,
)
from bot.engine.kernels.graph import HEADER_LENGTH, LETTERS_ONLY, entry_of, follow, letters_at
from bot.engine.kernels.turn import BoardArrays

(
    T_GUARDS,  # The guard bits of all fields.
    T_KIND_COUNT,  # Number of kinds in the racks and the bag.
) = range(2)
T_KIND_LIST = 16
"""64 numbers: the kinds of tiles in the racks and the bag, in ascending order."""
T_UNIT = 80
"""64 numbers: a rack with one tile of a kind; 0 if neither the racks nor the bag have such a tile."""
T_FIELD = 144
"""64 numbers: the bits that count a kind of tile."""
RACK_FIELDS_LENGTH = 208

(
    E_SCORE,
    E_USED_TILES,  # The tiles that the play takes from the rack, as a rack.
    E_USED_POINTS,  # The points of ``E_USED_TILES``.
    E_HASH,  # In practice never 0. Equal for plays that lead to the same board.
    E_FIRST,  # The first square of the word, in the play's direction.
    E_END,  # The square after the word.
    E_LAID_MASK,  # Bit n is set if a tile is laid on the n-th square of the word.
    E_LANE,  # Rows from 0, columns from ``COLUMN_LANES``.
    E_TILES,  # Three numbers with nine tiles each. A tile has 7 bits: its letter, plus 64 for a blank.
) = range(9)
E_LENGTH = 11
COLUMN_LANES = 64
TILES_IN_NUMBER = 9

# ``work`` begins with the word on the lane, indexed by the distance from ``_START``: 0 for a tile on the board, otherwise the
# letter, plus 64 for a blank. Then come the fields below, and the frames. A frame is a square to fill, with its untried letters.
(
    _LANE,
    _START,  # The wall before the lane.
    _FIRST_OF_RUN,
    _LAST_OF_RUN,
    _LEFTMOST,  # The leftmost square on which a tile may be laid from this anchor.
    _RECORD_COUNT,  # Number of used records in ``pool``; -1 if there is no room.
    _ROOM,
    _DEPTH,
    _ENTRY,  # The GADDAG entry of the last laid tile.
) = range(64, 73)
_FRAMES = 80
_FRAME_LENGTH = 12
_MAX_FRAMES = 64
MAX_OUTS = 8
"""Maximum number of *outs*: plays that end the game with an empty rack."""
OUTS = _FRAMES + (_MAX_FRAMES + 1) * _FRAME_LENGTH
"""The score and the lane of each out, highest score first."""
WORK_LENGTH = OUTS + 2 * MAX_OUTS
(
    _NATURAL_LETTERS,
    _BLANK_LETTERS,
    _LIST,
    _SQUARE,
    _RACK,
    _RACK_KINDS,
    _WORD_POINTS,
    _CROSS_POINTS,
    _MULTIPLIER,
    _LEFT_COUNT,
    _RIGHT_COUNT,
) = range(11)
"""The fields of a frame, as in :mod:`bot.engine.kernels.search`, but with the rack and the mask of its tile kinds
instead of a rack code."""
_LEFTWARD = -1
"""The value of ``_RIGHT_COUNT`` in a frame whose square is to the left of the anchor."""
_AFTER_TILE = _FRAMES + _MAX_FRAMES * _FRAME_LENGTH
"""An extra frame, whose fields from ``_RACK`` to ``_MULTIPLIER`` hold the values after the last laid tile."""

_MIX = -7046029254386353131
_SECOND_MIX = -4658895280553007687


@inlined
def mix(number: int) -> int:
    """Return a hash in which each bit depends on many bits of the number."""
    number *= _MIX
    number = (number ^ (number >> 32)) * _SECOND_MIX
    return number ^ (number >> 29)


@inlined
def holds(rack_fields: Numbers, rack: int, used: int) -> bool:
    """Return whether a rack has all tiles of ``used``. If so, the subtraction does not borrow from a guard bit."""
    guards = rack_fields[T_GUARDS]
    return ((rack | guards) - used) & guards == guards


@inner_kernel
def find_lane_plays(
    board: BoardArrays,
    rack_fields: Numbers,
    work: Numbers,
    pool: Numbers,
    record_count: int,
    room: int,
    lane: int,
    rack: int,
) -> int:
    """Append the plays of a lane to the ``record_count`` records in ``pool``, which has room for ``room`` records.

    Return the new number of records, or -1 if there is no room.
    """
    game = board.game
    squares = board.squares
    cross_points_section = CROSS_POINTS * 2 * game[G_SIZE]
    rack_kinds = to_int64(0)
    for number in range(rack_fields[T_KIND_COUNT]):
        kind = rack_fields[T_KIND_LIST + number]
        if rack & rack_fields[T_FIELD + kind]:
            rack_kinds |= to_int64(1) << kind
    if lane >= COLUMN_LANES:
        width = game[G_ROWS] + 2
        start = game[G_SIZE] + (lane - COLUMN_LANES + 1) * width
    else:
        width = game[G_COLUMNS] + 2
        start = (lane + 1) * width
    work[_LANE] = lane
    work[_START] = start
    work[_LEFTMOST] = start + 1
    work[_RECORD_COUNT] = record_count
    work[_ROOM] = room
    square = start + 1
    end = start + width - 1
    while square < end:
        letter = squares[square]
        if letter == WALL:
            work[_LEFTMOST] = square + 1
        elif letter > 0 or (
            squares[cross_points_section + square] != NO_CROSS
            and squares[square - 1] <= 0
            and squares[square + 1] <= 0
        ):
            has_tile = letter > 0
            first = square if has_tile else square + 1
            while has_tile and squares[square + 1] > 0:
                square += 1
            _find_anchor_plays(board, rack_fields, work, pool, first, square, rack, rack_kinds)
            work[_LEFTMOST] = square + 1 + has_tile
        if work[_RECORD_COUNT] < 0:
            break
        square += 1
    return work[_RECORD_COUNT]


@inner_kernel
def _find_anchor_plays(
    board: BoardArrays,
    rack_fields: Numbers,
    work: Numbers,
    pool: Numbers,
    first: int,
    last: int,
    rack: int,
    rack_kinds: int,
) -> None:
    """Write the plays of the run from ``first`` to ``last``, or of the empty square ``last``."""
    game, squares, graph = board.game, board.squares, board.graph
    section_length = 2 * game[G_SIZE]
    offset = game[G_ROOT]
    word_points = to_int64(0)
    if first <= last:
        offset = to_int64(squares[RUN * section_length + last])
        for square in range(first, last + 1):
            word_points += squares[POINTS * section_length + square]
            work[square - work[_START]] = 0
    work[_FIRST_OF_RUN] = first
    work[_LAST_OF_RUN] = last
    work[_DEPTH] = 0
    zero, unit, leftward = to_int64(0), to_int64(1), to_int64(_LEFTWARD)
    work[_AFTER_TILE + _RACK] = rack
    work[_AFTER_TILE + _RACK_KINDS] = rack_kinds
    work[_AFTER_TILE + _WORD_POINTS] = word_points
    work[_AFTER_TILE + _CROSS_POINTS] = zero
    work[_AFTER_TILE + _MULTIPLIER] = unit
    if first - 1 >= work[_LEFTMOST] and squares[first - 1] == 0:
        _push(board, work, offset, first - 1, zero, leftward)
    if graph[offset] & 1 and squares[last + 1] == 0:
        _push(board, work, to_int64(graph[offset + HEADER_LENGTH]) >> 1, last + 1, zero, zero)
    while work[_DEPTH]:
        frame = _FRAMES + (work[_DEPTH] - 1) * _FRAME_LENGTH
        if not _lay_next(board, rack_fields, work, frame):
            work[_DEPTH] -= 1
        elif work[frame + _RIGHT_COUNT] == _LEFTWARD:
            _go_left(board, rack_fields, work, pool, frame)
        else:
            _go_right(board, rack_fields, work, pool, frame)
        if work[_RECORD_COUNT] < 0:
            return


@inlined
def _push(
    board: BoardArrays, work: Numbers, offset: int, square: int, left_count: int, right_count: int
) -> None:
    masks = board.masks
    section_length = 2 * board.game[G_SIZE]
    fitting = letters_at(board.graph, offset) & LETTERS_ONLY & board.game[G_LETTER_MASK]
    fitting &= masks[CROSS * section_length + square] & masks[BEFORE * section_length + square]
    rack_kinds = work[_AFTER_TILE + _RACK_KINDS]
    natural = fitting & rack_kinds
    blank = fitting if rack_kinds & 1 else 0
    if not natural | blank:
        return
    frame = _FRAMES + work[_DEPTH] * _FRAME_LENGTH
    work[frame + _NATURAL_LETTERS] = natural
    work[frame + _BLANK_LETTERS] = blank
    work[frame + _LIST] = offset
    work[frame + _SQUARE] = square
    for field in range(_RACK, _LEFT_COUNT):
        work[frame + field] = work[_AFTER_TILE + field]
    work[frame + _LEFT_COUNT] = left_count
    work[frame + _RIGHT_COUNT] = right_count
    work[_DEPTH] += 1


@inlined
def _lay_next(board: BoardArrays, rack_fields: Numbers, work: Numbers, frame: int) -> bool:
    """Lay the next tile on the square of a frame. Return False if no untried tile is left."""
    game, squares, graph = board.game, board.squares, board.graph
    section_length = 2 * game[G_SIZE]
    square = work[frame + _SQUARE]
    untried_letters = work[frame + _NATURAL_LETTERS]
    if untried_letters:
        letter = lowest_bit(untried_letters)
        work[frame + _NATURAL_LETTERS] = untried_letters & (untried_letters - 1)
        kind = letter
        work[square - work[_START]] = letter
    else:
        untried_letters = work[frame + _BLANK_LETTERS]
        if not untried_letters:
            return False
        letter = lowest_bit(untried_letters)
        work[frame + _BLANK_LETTERS] = untried_letters & (untried_letters - 1)
        kind = to_int64(0)
        work[square - work[_START]] = letter + 64
    offset = work[frame + _LIST]
    work[_ENTRY] = entry_of(graph, offset, letters_at(graph, offset), letter)
    rack = work[frame + _RACK] - rack_fields[T_UNIT + kind]
    rack_kinds = work[frame + _RACK_KINDS]
    if not rack & rack_fields[T_FIELD + kind]:
        rack_kinds &= ~(to_int64(1) << kind)
    points = game[G_POINTS + kind] * squares[LETTER_MULTIPLIER * section_length + square]
    word_multiplier = to_int64(squares[WORD_MULTIPLIER * section_length + square])
    cross = to_int64(squares[CROSS_POINTS * section_length + square])
    work[_AFTER_TILE + _RACK] = rack
    work[_AFTER_TILE + _RACK_KINDS] = rack_kinds
    work[_AFTER_TILE + _WORD_POINTS] = work[frame + _WORD_POINTS] + points
    work[_AFTER_TILE + _MULTIPLIER] = work[frame + _MULTIPLIER] * word_multiplier
    cross_points = work[frame + _CROSS_POINTS]
    work[_AFTER_TILE + _CROSS_POINTS] = (
        cross_points if cross == NO_CROSS else cross_points + (cross + points) * word_multiplier
    )
    return True


@inlined
def _go_left(board: BoardArrays, rack_fields: Numbers, work: Numbers, pool: Numbers, frame: int) -> None:
    squares, graph = board.squares, board.graph
    first = work[_FIRST_OF_RUN]
    after_run = work[_LAST_OF_RUN] + 1
    square = work[frame + _SQUARE]
    left_count = work[frame + _LEFT_COUNT] + 1
    entry = work[_ENTRY]
    if entry & 1 and (left_count > 1 or first < after_run):
        _record_play(board, rack_fields, work, pool, square, after_run, left_count)
    if left_count == board.game[G_RACK_SIZE] or not work[_AFTER_TILE + _RACK_KINDS]:
        return
    offset = entry >> 1
    if square > work[_LEFTMOST] and squares[square - 1] == 0:
        _push(board, work, offset, square - 1, left_count, to_int64(_LEFTWARD))
    if graph[offset] & 1 and squares[after_run] == 0:
        _push(board, work, to_int64(graph[offset + HEADER_LENGTH]) >> 1, after_run, left_count, to_int64(0))


@inlined
def _go_right(board: BoardArrays, rack_fields: Numbers, work: Numbers, pool: Numbers, frame: int) -> None:
    squares = board.squares
    points_section = POINTS * 2 * board.game[G_SIZE]
    square = work[frame + _SQUARE] + 1
    left_count = work[frame + _LEFT_COUNT]
    right_count = work[frame + _RIGHT_COUNT] + 1
    entry = work[_ENTRY]
    while squares[square] > 0 and entry:
        work[_AFTER_TILE + _WORD_POINTS] += squares[points_section + square]
        work[square - work[_START]] = 0
        entry = follow(board.graph, entry >> 1, to_int64(squares[square]))
        square += 1
    if entry & 1:
        _record_play(
            board, rack_fields, work, pool, work[_FIRST_OF_RUN] - left_count, square, left_count + right_count
        )
    if (
        left_count + right_count < board.game[G_RACK_SIZE]
        and work[_AFTER_TILE + _RACK_KINDS]
        and squares[square] == 0
    ):
        _push(board, work, entry >> 1, square, left_count, right_count)


@inlined
def _record_play(
    board: BoardArrays,
    rack_fields: Numbers,
    work: Numbers,
    pool: Numbers,
    first: int,
    end: int,
    laid_count: int,
) -> None:
    game = board.game
    lane = work[_LANE]
    start = work[_START]
    if laid_count == 1 and lane >= COLUMN_LANES:
        cross_points_section = CROSS_POINTS * 2 * game[G_SIZE]
        for square in range(first, end):
            if work[square - start] and board.squares[cross_points_section + square] != NO_CROSS:
                return  # a one-tile play that makes words in both directions counts as a play across
    if work[_RECORD_COUNT] >= work[_ROOM]:
        work[_RECORD_COUNT] = -1
        return
    record = work[_RECORD_COUNT] * E_LENGTH
    work[_RECORD_COUNT] += 1
    score = work[_AFTER_TILE + _WORD_POINTS] * work[_AFTER_TILE + _MULTIPLIER]
    if laid_count == game[G_RACK_SIZE]:
        score = score * game[G_BINGO_MULTIPLIER] + game[G_BONUS]
    pool[record + E_SCORE] = score + work[_AFTER_TILE + _CROSS_POINTS]
    for field in range(E_USED_TILES, E_LENGTH):
        pool[record + field] = 0
    tile_count = 0
    for square in range(first, end):
        tile = work[square - start]
        if tile:
            kind = 0 if tile & 64 else tile
            pool[record + E_USED_TILES] += rack_fields[T_UNIT + kind]
            pool[record + E_USED_POINTS] += game[G_POINTS + kind]
            pool[record + E_LAID_MASK] |= to_int64(1) << (square - first)
            pool[record + E_TILES + tile_count // TILES_IN_NUMBER] |= tile << (
                7 * (tile_count % TILES_IN_NUMBER)
            )
            offset = square - start
            column = lane - COLUMN_LANES + 1
            square_number = offset << 6 | column if lane >= COLUMN_LANES else (lane + 1) << 6 | offset
            pool[record + E_HASH] ^= mix(square_number << 7 | tile)
            tile_count += 1
    pool[record + E_FIRST] = first
    pool[record + E_END] = end
    pool[record + E_LANE] = lane
