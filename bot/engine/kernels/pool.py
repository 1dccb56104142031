"""The highest score of each set of unseen tiles.

The search is that of :mod:`bot.engine.kernels.search` with all unseen tiles as a rack, without bounds and blanks. Scores
are a hash table: ``scores[2 * slot]`` is the key of a set of tiles, which is the sum of their shares (see
:mod:`bot.engine.kernels.graph`), or 0; the millipoints follow. The last number counts the sets. Sets without room, and
plays with blanks, are missing.
"""

from __future__ import annotations

from bot.engine.compiler import compiled, inlined, inner, lowest_bit, wide
from bot.engine.kernels.anchors import (
    A_FIRST,
    A_LAST,
    A_LENGTH,
    A_LIMIT,
    N_DIRECTION,
    N_OPENING,
    W_FRAMES,
    W_NOW,
    W_OPEN,
    find_anchors,
    start_lane,
)
from bot.engine.kernels.board import (
    CROSS_POINTS,
    G_BINGO_TIMES,
    G_BONUS,
    G_KINDS,
    G_OPENING,
    G_POINTS,
    G_RACK_SIZE,
    G_ROOT,
    G_SHARES,
    G_SIZE,
    G_VOWELS,
    LETTER_TIMES,
    NO_CROSS,
    OPENING_STRIDE,
    POINTS,
    RUN,
    WORD_TIMES,
    Numbers,
)
from bot.engine.kernels.graph import LETTERS_ONLY, entry_of, follow, letters_at
from bot.engine.kernels.turn import BoardOf

SLOTS = 1 << 18
SCORES_LENGTH = 2 * SLOTS + 1
_MOST_SETS = SLOTS - (SLOTS >> 3)

_MAX_STEPS = 4_000_000
"""Tiles tried at most: a third of a second."""

# The numbers of a frame: the letters still to be tried on a square, the letter that lies there, the list of the GADDAG,
# the square, the key of the tiles laid before it, the points of the word so far, millipoints of the cross words less
# what vowels cost the first play, the word multiplier, and tiles to the left and to the right.
_FITTING, _LAID, _LIST, _SQUARE, _KEY, _WORD, _CROSSES, _TIMES, _TO_LEFT, _TO_RIGHT = range(10)
_FRAME = 10
_LEFTWARD = -1
"""Stands for the tiles to the right in a frame to the left of the anchor."""


@inlined
def slot_of(scores: Numbers, key: int) -> int:
    """Return the place of a set of tiles; for a new set the key there is 0."""
    at = 2 * (key >> 40 & (SLOTS - 1))
    while scores[at] != key and scores[at]:
        at = (at + 2) & (2 * SLOTS - 1)
    return at


@inner
def _offer(scores: Numbers, key: int, millipoints: int) -> None:
    """Record the score of a play if it is the best of its tiles."""
    at = slot_of(scores, key)
    if scores[at]:
        scores[at + 1] = max(scores[at + 1], millipoints)
    elif scores[2 * SLOTS] < _MOST_SETS:
        scores[2 * SLOTS] += 1
        scores[at] = key
        scores[at + 1] = millipoints


@inlined
def _push(
    work: Numbers,
    depth: int,
    have: int,
    place: int,
    fitting: int,
    square: int,
    key: int,
    word: int,
    crosses: int,
    times: int,
    to_left: int,
    to_right: int,
) -> int:
    """Add a frame for a square that takes ``fitting`` letters, when there are any; return the new depth."""
    fitting &= work[W_OPEN + square] & LETTERS_ONLY & have
    if not fitting:
        return depth
    frame = W_FRAMES + depth * _FRAME
    work[frame + _FITTING] = fitting
    work[frame + _LAID] = 0
    work[frame + _LIST] = place
    work[frame + _SQUARE] = square
    work[frame + _KEY] = key
    work[frame + _WORD] = word
    work[frame + _CROSSES] = crosses
    work[frame + _TIMES] = times
    work[frame + _TO_LEFT] = to_left
    work[frame + _TO_RIGHT] = to_right
    return depth + 1


@compiled
def score_pool(board: BoardOf, work: Numbers, counts: Numbers, scores: Numbers) -> None:
    """Write the scores of the sets of tiles with such ``counts``, 64 numbers, into ``scores``, all zeros before."""
    game = board.game
    squares = board.squares
    graph = board.graph
    anchors = find_anchors(game, squares, board.masks, work)
    section = 2 * game[G_SIZE]
    most = game[G_RACK_SIZE]
    have = wide(0)
    for kind in range(1, game[G_KINDS]):
        if counts[kind]:
            have |= 1 << kind
    none, once, leftward = wide(0), wide(1), wide(_LEFTWARD)
    steps = wide(_MAX_STEPS)
    for number in range(anchors):
        anchor = W_OPEN + section + number * A_LENGTH
        first = work[anchor + A_FIRST]
        last = work[anchor + A_LAST]
        after = last + 1
        limit = work[anchor + A_LIMIT]
        lane = start_lane(game, work, anchor)
        penalties = G_OPENING + work[W_NOW + N_DIRECTION] * OPENING_STRIDE - lane
        depth = none
        place = game[G_ROOT]
        word = none
        if first <= last:
            place = wide(squares[RUN * section + last])
            for square in range(first, after):
                word += squares[POINTS * section + square]
        fitting = letters_at(graph, place)
        if first - 1 >= limit and squares[first - 1] == 0:
            depth = _push(
                work, depth, have, place, fitting, first - 1, none, word, none, once, none, leftward
            )
        if fitting & 1 and squares[after] == 0:
            place = entry_of(graph, place, fitting, none) >> 1
            fitting = letters_at(graph, place)
            depth = _push(work, depth, have, place, fitting, after, none, word, none, once, none, none)
        while depth:
            frame = W_FRAMES + (depth - 1) * _FRAME
            letter = work[frame + _LAID]
            if letter:
                counts[letter] += 1
                have |= 1 << letter
                work[frame + _LAID] = 0
            bits = work[frame + _FITTING]
            if not bits:
                depth -= 1
                continue
            if not steps:
                return
            steps -= 1
            letter = lowest_bit(bits)
            work[frame + _FITTING] = bits & (bits - 1)
            work[frame + _LAID] = letter
            counts[letter] -= 1
            if not counts[letter]:
                have &= ~(1 << letter)
            square = work[frame + _SQUARE]
            place = work[frame + _LIST]
            entry = entry_of(graph, place, letters_at(graph, place), letter)
            key = work[frame + _KEY] + game[G_SHARES + letter]
            points = game[G_POINTS + letter] * squares[LETTER_TIMES * section + square]
            word_times = wide(squares[WORD_TIMES * section + square])
            word = work[frame + _WORD] + points
            times = work[frame + _TIMES] * word_times
            crosses = work[frame + _CROSSES]
            cross = wide(squares[CROSS_POINTS * section + square])
            if cross != NO_CROSS:
                crosses += 1000 * (cross + points) * word_times
            if work[W_NOW + N_OPENING] and game[G_VOWELS] >> letter & 1:
                crosses -= game[penalties + square]
            to_left = work[frame + _TO_LEFT]
            to_right = work[frame + _TO_RIGHT]
            if to_right == _LEFTWARD:
                to_left += 1
                laid = to_left
                ends = entry & 1 and (to_left > 1 or first <= last)
            else:
                to_right += 1
                laid = to_left + to_right
                square += 1
                while squares[square] > 0 and entry:
                    word += squares[POINTS * section + square]
                    entry = follow(graph, entry >> 1, wide(squares[square]))
                    square += 1
                ends = entry & 1
            if ends:
                score = word * times
                if laid == most:
                    score = score * game[G_BINGO_TIMES] + game[G_BONUS]
                _offer(scores, key, score * 1000 + crosses)
            place = entry >> 1
            if laid == most or not place:
                continue
            fitting = letters_at(graph, place)
            if to_right != _LEFTWARD:
                if squares[square] == 0:
                    depth = _push(
                        work,
                        depth,
                        have,
                        place,
                        fitting,
                        square,
                        key,
                        word,
                        crosses,
                        times,
                        to_left,
                        to_right,
                    )
                continue
            if square > limit and squares[square - 1] == 0:
                depth = _push(
                    work,
                    depth,
                    have,
                    place,
                    fitting,
                    square - 1,
                    key,
                    word,
                    crosses,
                    times,
                    to_left,
                    leftward,
                )
            if fitting & 1 and squares[after] == 0:
                place = entry_of(graph, place, fitting, none) >> 1
                fitting = letters_at(graph, place)
                depth = _push(
                    work, depth, have, place, fitting, after, key, word, crosses, times, to_left, none
                )
