"""The anchors of a board, and their *shadow*: what their plays can be worth at most, before any word is looked for.

For anchors see :mod:`bot.engine.kernels.plays`. ``work`` is one array of numbers in sections, so that the kernels pass one array around.
"""

from __future__ import annotations

from bot.engine.compiler import inlined, inner, lowest_bit, wide
from bot.engine.kernels.best_plays import F_BY_SCORE
from bot.engine.kernels.board import (
    BEFORE,
    CROSS,
    CROSS_POINTS,
    G_BINGO_TIMES,
    G_BONUS,
    G_BOTH_WAYS,
    G_KINDS,
    G_LETTERS,
    G_POINTS,
    G_RACK_SIZE,
    G_SIZE,
    G_START_COLUMN,
    G_START_ROW,
    LETTER_TIMES,
    NO_CROSS,
    POINTS,
    WORD_TIMES,
    Masks,
    Numbers,
    Squares,
    square_of,
)
from bot.engine.kernels.graph import Graph, may_be_word, share_of
from bot.engine.kernels.rack import (
    K_ALONE,
    K_BEST,
    K_CODES,
    K_COUNTS,
    K_HIGHEST,
    K_MOST,
    K_TILES,
    MAX_RACK,
    NEVER,
)

(
    S_TIMES,  # Sums of a shadow for so many tiles on one side of an anchor: the word multiplier.
    S_MAIN,  # Points of tiles on squares that take only some letters, which the word multiplies.
    S_CROSS,  # Points of words across.
    S_THROUGH,  # Points of the tiles that are played through.
    # What these add to the sum of letters, see :mod:`bot.engine.kernels.graph`; 0 when there are none.
    S_SHARES,
    # How many squares that take any letter multiply it by 1 or more, 2 or more, 3 or more, 4 or more.
    S_FREE,
) = range(6)
S_LENGTH = 9

W_LEFT = 0
"""The sums for no tile, one tile and so on to the left of the anchor."""
W_RIGHT = W_LEFT + S_LENGTH * (MAX_RACK + 1)
"""The same for tiles to the right."""
W_STRIP = W_RIGHT + S_LENGTH * (MAX_RACK + 1)
"""The word as it is laid, by place on the lane."""
W_NOW = W_STRIP + 64
"""What holds for the anchor that is searched, by the ``N_`` constants."""
W_FRAMES = W_NOW + 8
"""The stack of the search."""
W_OPEN = W_FRAMES + 128 * 10
"""The letters that each square takes at all; behind them the anchors, by the ``A_`` constants, and their tables."""

(
    N_LANE,  # The square before the first of the lane: its wall.
    N_DIRECTION,
    N_OPENING,  # 1 when the board is empty.
) = range(3)

(
    A_FIRST,  # The first square of the run; of an empty square, the one after it.
    A_LAST,  # The last square of the run; of an empty square, the square itself.
    A_LIMIT,  # The leftmost square on which a tile may be laid from here.
    A_BOUND,  # What its plays reach at most.
    # Where its table of bounds is. With a row for each number of tiles to the left from 0 to ``K_MOST``, and
    # as many columns for tiles to the right: what a play with so many to the left, and so many or more to the
    # right, reaches at most. In the first column: with so many or more to the left.
    A_TABLE,
    A_LENGTH,
) = range(6)

TABLE_LENGTH = (MAX_RACK + 1) ** 2
"""Numbers in a table of bounds at most."""


@inner
def work_length(rows: int, columns: int) -> int:
    """Return how many numbers the scratch needs for a board."""
    return W_OPEN + 2 * (rows + 2) * (columns + 2) * (1 + A_LENGTH + TABLE_LENGTH)


@inner
def find_anchors(game: Numbers, squares: Squares, masks: Masks, work: Numbers) -> int:
    """Write the letters that squares take, and the anchors; return how many, of an empty board as a negative number."""
    size = game[G_SIZE]
    for square in range(2 * size):
        work[W_OPEN + square] = (
            masks[CROSS * 2 * size + square] & masks[BEFORE * 2 * size + square] & game[G_LETTERS]
        )
    anchors = _list_anchors(game, squares, work)
    return anchors if anchors >= 0 else -_list_start(game, squares, work)


@inner
def _list_anchors(game: Numbers, squares: Squares, work: Numbers) -> int:
    """Write the anchors of both directions; return how many there are, or -1 for an empty board."""
    size = game[G_SIZE]
    section = 2 * size
    at = W_OPEN + section
    anchors = 0
    tiles = 0
    limit = 0
    square = 0
    while square < section:
        letter = squares[square]
        if letter == -1:
            limit = square + 1
        elif letter > 0:
            first = square
            while squares[square + 1] > 0:
                square += 1
            work[at + A_FIRST] = first
            work[at + A_LAST] = square
            work[at + A_LIMIT] = limit
            at += A_LENGTH
            anchors += 1
            tiles += 1
            limit = square + 2
        elif (
            squares[CROSS_POINTS * section + square] != NO_CROSS
            and squares[square - 1] <= 0
            and squares[square + 1] <= 0
        ):
            work[at + A_FIRST] = square + 1
            work[at + A_LAST] = square
            work[at + A_LIMIT] = limit
            at += A_LENGTH
            anchors += 1
            limit = square + 1
        square += 1
    return anchors if tiles else -1


@inner
def _list_start(game: Numbers, squares: Squares, work: Numbers) -> int:
    """Write the anchors of an empty board: the start square, down only when that makes a difference."""
    at = W_OPEN + 2 * game[G_SIZE]
    anchors = 0
    for direction in range(1 + game[G_BOTH_WAYS]):
        square = square_of(game, direction, game[G_START_ROW], game[G_START_COLUMN])
        if squares[square] != 0:
            continue
        limit = square
        while squares[limit - 1] == 0:
            limit -= 1
        work[at + A_FIRST] = square + 1
        work[at + A_LAST] = square
        work[at + A_LIMIT] = limit
        at += A_LENGTH
        anchors += 1
    return anchors


_MANY_PARTS = 4096
"""Of a rack with more parts it is not looked at each whether it may make a word."""


@inlined
def _most_points(game: Numbers, fitting: int) -> int:
    """Return the points of the best tile among ``fitting``, bit 0 the blank."""
    most = NEVER
    while fitting:
        most = max(most, game[G_POINTS + lowest_bit(fitting)])
        fitting &= fitting - 1
    return most


@inner
def _add_up(
    game: Numbers,
    squares: Squares,
    rack: Numbers,
    letters: Numbers,
    work: Numbers,
    sums: int,
    square: int,
    step: int,
    limit: int,
) -> int:
    """Write the sums for 0, 1, ... tiles on a side of an anchor from ``sums`` on; return how many tiles fit there.

    ``square`` is the first that may take a tile, ``limit`` the last to the left. Sums of 0 tiles are there already.
    """
    section = 2 * game[G_SIZE]
    have = letters[rack[K_CODES] - 1]
    every = game[G_LETTERS]
    times = wide(1)
    main = crossing = wide(0)
    through = work[sums + S_THROUGH]
    shares = work[sums + S_SHARES]
    single = double = triple = more = wide(0)
    most = rack[K_MOST]
    tiles = wide(0)
    while tiles < most and square >= limit and squares[square] == 0:
        takes = work[W_OPEN + square]
        fitting = takes & have
        if have & 1 and takes:
            fitting |= 1
        if not fitting:
            break
        letter_times = wide(squares[LETTER_TIMES * section + square])
        word_times = wide(squares[WORD_TIMES * section + square])
        cross = wide(squares[CROSS_POINTS * section + square])
        times *= word_times
        if takes == every and cross == NO_CROSS:
            single += 1
            double += letter_times > 1
            triple += letter_times > 2
            more += letter_times > 3
        else:
            points = letter_times * _most_points(game, fitting)
            main += points
            if cross != NO_CROSS:
                crossing += (points + cross) * word_times
        tiles += 1
        square += step
        if step > 0:
            while squares[square] > 0:
                through += squares[POINTS * section + square]
                shares += share_of(wide(squares[square]))
                square += 1
        sums += S_LENGTH
        work[sums + S_TIMES] = times
        work[sums + S_MAIN] = main
        work[sums + S_CROSS] = crossing
        work[sums + S_THROUGH] = through
        work[sums + S_SHARES] = shares
        work[sums + S_FREE] = single
        work[sums + S_FREE + 1] = double
        work[sums + S_FREE + 2] = triple
        work[sums + S_FREE + 3] = more
    return tiles


@inlined
def _begin(work: Numbers, sums: int) -> None:
    """Write the sums of no tile."""
    for field in range(S_LENGTH):
        work[sums + field] = 0
    work[sums + S_TIMES] = 1


@inner
def _may_be_words(game: Numbers, graph: Graph, blanks: int, shares: int) -> bool:
    """Return whether letters with this sum and so many blanks may make a word."""
    if blanks > 1:
        return True
    if not blanks:
        return may_be_word(graph, shares)
    letter = wide(1)
    while letter < game[G_KINDS] and not may_be_word(graph, shares + share_of(letter)):
        letter += 1
    return letter < game[G_KINDS]


@inner
def look_at_parts(
    game: Numbers, graph: Graph, rack: Numbers, letters: Numbers, worth: Numbers, paths: Numbers
) -> None:
    """Fill in ``K_ALONE`` for a prepared rack."""
    codes = rack[K_CODES]
    tiles = rack[K_TILES]
    many = codes > _MANY_PARTS or rack[K_COUNTS] > 1
    for laid in range(tiles + 1):
        rack[K_ALONE + laid] = rack[K_BEST + laid] if many else NEVER
    if many:
        return
    for code in range(1, codes):
        alone = K_ALONE + paths[3 * code + 2]
        kept = worth[codes - 1 - code]
        if kept > rack[alone] and _may_be_words(game, graph, letters[code] & 1, letters[codes + code]):
            rack[alone] = kept


@inner
def shadow(
    game: Numbers,
    squares: Squares,
    graph: Graph,
    rack: Numbers,
    letters: Numbers,
    work: Numbers,
    found: Numbers,
    anchor: int,
) -> int:
    """Fill the table of bounds of an anchor and return the highest.

    On squares that take only some letters each tile is as good as any that fits; on the others the best tiles of the
    rack lie on the best multipliers; the leave is the best of its length. A whole rack is laid only where its letters,
    with those of the tiles that are played through, make a word in some order; and where nothing is played through, the
    leave is the best of its length that leaves such letters to lay.
    """
    first = work[anchor + A_FIRST]
    last = work[anchor + A_LAST]
    points_at = POINTS * 2 * game[G_SIZE]
    whole = letters[2 * rack[K_CODES] - 1]
    _begin(work, wide(W_LEFT))
    _begin(work, wide(W_RIGHT))
    for square in range(first, last + 1):
        work[W_RIGHT + S_THROUGH] += squares[points_at + square]
        work[W_RIGHT + S_SHARES] += share_of(wide(squares[square]))
    limit = work[anchor + A_LIMIT]
    to_left = _add_up(game, squares, rack, letters, work, wide(W_LEFT), first - 1, wide(-1), limit)
    to_right = _add_up(game, squares, rack, letters, work, wide(W_RIGHT), last + 1, wide(1), limit)
    most = rack[K_MOST]
    by_score = found[F_BY_SCORE]
    table = work[anchor + A_TABLE]
    best_left = wide(NEVER)
    if to_left < most:
        work[table + (to_left + 1) * (most + 1)] = NEVER
    for left in range(to_left, -1, -1):
        row = table + left * (most + 1)
        one = W_LEFT + S_LENGTH * left
        best = wide(NEVER)
        farthest = min(to_right, most - left)
        for right in range(farthest + 1, most + 1):
            work[row + right] = NEVER
        for right in range(farthest, -1, -1):
            laid = left + right
            other = W_RIGHT + S_LENGTH * right
            through = work[other + S_SHARES]
            if laid and (laid < rack[K_TILES] or _may_be_words(game, graph, rack[K_COUNTS], whole + through)):
                kept = rack[(K_BEST if through else K_ALONE) + laid]
                if kept > NEVER:
                    main = work[one + S_MAIN] + work[other + S_MAIN] + work[other + S_THROUGH]
                    for times in range(S_FREE, S_FREE + 4):
                        main += rack[K_HIGHEST + work[one + times] + work[other + times]]
                    score = main * work[one + S_TIMES] * work[other + S_TIMES]
                    if laid == game[G_RACK_SIZE]:
                        score = score * game[G_BINGO_TIMES] + game[G_BONUS]
                    score += work[one + S_CROSS] + work[other + S_CROSS]
                    best = max(best, score if by_score else score * 1000 + kept)
            if right:
                work[row + right] = best
        best_left = max(best_left, best)
        work[row] = best_left
    return best_left
