"""What a player can still score at most: who cannot reach what is asked for need not be searched on.

Let the other player pass from here on. That is one way to play on, so what the player on turn gains then, at most, bounds
what the node is worth. All that is laid are the player's own tiles then, those of the rack and of the bag, ``k`` in all,
and at the end at most twice the other's tiles count.

A play of ``m`` tiles makes a word along its lane and at most one across with each tile. A word is a row of squares without a
gap; those that have tiles on the present board count what they count, and ``e`` others are filled with some of the ``k``, by
this play or by *older* ones, which lie there by then. With what the present board has and any ``e`` of the ``k`` tiles, all
words are found (:func:`~.lasting_words.find_words`) that hold, for each tile that is laid beside tiles across, with a necessary condition
that no later play takes away: its letter stands beside that run of tiles in some word of the lexicon. Where it makes no word
across with that run alone, a further tile lies beside it across by then; as these squares are all different, a word needs
``e`` and so many more of the ``k``. A row of squares that neither has nor joins a tile of the present board is taken to be
a word whatever is laid there; it needs one tile more, by which it is joined.

:func:`find_reach` takes from these words, for each number of older tiles, the most that a play of ``m`` tiles counts: along
the lane a word with ``m`` new tiles on the best of its squares, and across what each of these counts at most. Then
``total(j)``, the most that is scored with the last ``j`` tiles, is the greatest of ``best(m, k - j) + total(j - m)``: when
``j`` tiles are left, ``k - j`` are older.
"""

from __future__ import annotations

from bot.engine.compiler import bit_count, compiled, lowest_bit, wide
from bot.engine.kernels.board import (
    CROSS,
    CROSS_POINTS,
    G_BINGO_TIMES,
    G_BONUS,
    G_POINTS,
    G_RACK_SIZE,
    G_SIZE,
    LETTER_TIMES,
    NO_CROSS,
    POINTS,
    WORD_TIMES,
    mirrored,
)
from bot.engine.kernels.endgame.lasting_words import (
    R_ACROSS,
    R_ALONE,
    R_BESIDE,
    R_BEST,
    R_COUNT,
    R_HAVE,
    R_NATURAL,
    R_ROOM,
    R_SQUARE,
    R_TILES,
    R_TIMES,
    R_TOTAL,
    R_WORTH,
    find_words,
    insert,
    take_tiles,
)
from bot.engine.kernels.endgame.nodes import (
    BAG_BITS,
    IN_BAG,
    N_ALPHA,
    N_BAG,
    N_BEST,
    N_BEST_HASH,
    N_COUNT,
    N_DUE_COLUMNS,
    N_DUE_ROWS,
    N_FINAL,
    N_LIST,
    N_NEXT,
    N_OTHER_POINTS,
    N_RACK,
    N_TOP,
    NO_PLAY,
    PASS_HASH,
    SearchOf,
)
from bot.engine.kernels.endgame.plays import (
    E_END,
    E_FIRST,
    E_HASH,
    E_LAID,
    E_LENGTH,
    E_SCORE,
    E_TILES,
    T_FIELD,
    T_KINDS,
    T_LIST,
    T_UNIT,
)
from bot.engine.kernels.turn import BoardOf

_PATIENCE = 1
"""As many nodes as it takes to look at what no tile can score; each tile doubles it, a blank three times."""


@compiled
def _rate_alone(board: BoardOf, search: SearchOf) -> None:
    """Write what words with one empty square count: those are known."""
    game, squares, masks, work = board.game, board.squares, board.masks, search.work
    section = 2 * game[G_SIZE]
    for square in range(section * work[R_COUNT]):
        work[R_ALONE + square] = 0
    for square in range(1, section - 1):
        other = mirrored(game, square)
        along = wide(squares[CROSS_POINTS * section + other])
        letters = work[R_HAVE] & masks[CROSS * section + other]
        if squares[square] != 0 or along == NO_CROSS or not letters:
            continue
        letters &= work[R_NATURAL]
        points = wide(0)
        while letters:
            points = max(points, game[G_POINTS + lowest_bit(letters)])
            letters &= letters - 1
        along += points * squares[LETTER_TIMES * section + square]
        work[R_ALONE + square] = along * squares[WORD_TIMES * section + square]


@compiled
def _rate(
    board: BoardOf, search: SearchOf, through: int, e: int, need: int, several: int, is_free: int
) -> None:
    """Rate a word that is written down: completed by each tile alone, or by ``several``. One that is free may be any."""
    game, squares, work = board.game, board.squares, search.work
    section = 2 * game[G_SIZE]
    k = work[R_COUNT]
    main = through
    if not several:
        for number in range(e):
            main += work[R_WORTH + number]
        for number in range(e if is_free else 0):
            work[R_WORTH + number] = work[R_TILES]
        for number in range(e):
            square = work[R_SQUARE + number]
            # Only along the rows: a tile that lies beside a word along and one across would be counted twice.
            older = need - 1 - work[R_BESIDE + number] if square < game[G_SIZE] else e - 1
            place = R_ALONE + older * section + square
            value = main + (squares[LETTER_TIMES * section + square] - 1) * work[R_WORTH + number]
            work[place] = max(work[place], value * squares[WORD_TIMES * section + square])
        return
    for number in range(e):
        square = work[R_SQUARE + number]
        other = mirrored(game, square)
        main += squares[LETTER_TIMES * section + square] * work[R_WORTH + number]
        insert(search, wide(R_TIMES), number, wide(squares[WORD_TIMES * section + square]))
        for older in range(k - 1):
            insert(search, R_ACROSS + R_ROOM * older, number, work[R_ALONE + older * section + other])
    times = work[R_TIMES]
    for m in range(2, min(e, game[G_RACK_SIZE]) + 1):
        times *= work[R_TIMES + m - 1]
        score = main * times
        if m == game[G_RACK_SIZE]:
            score = score * game[G_BINGO_TIMES] + game[G_BONUS]
        for older in range(max(wide(0), need - m), k - m + 1):
            total = score
            for number in range(m):
                total += work[R_ACROSS + R_ROOM * (older - e + m) + number]
            work[R_BEST + R_ROOM * m + older] = max(work[R_BEST + R_ROOM * m + older], total)


@compiled
def _rate_words(board: BoardOf, search: SearchOf, first: int, end: int, several: int) -> None:
    """Rate the words that were found."""
    game, squares, masks, work, pool = board.game, board.squares, board.masks, search.work, search.pool
    section = 2 * game[G_SIZE]
    for record in range(first * E_LENGTH, end * E_LENGTH, E_LENGTH):
        start = pool[record + E_FIRST]
        laid = pool[record + E_LAID]
        e = need = through = wide(0)
        for square in range(start, pool[record + E_END]):
            if not laid >> (square - start) & 1:
                through += squares[POINTS * section + square]
                continue
            tile = pool[record + E_TILES] >> (7 * e) & 127
            beside = 1 - (masks[CROSS * section + square] >> (tile & 63) & 1)
            work[R_SQUARE + e] = square
            work[R_WORTH + e] = game[G_POINTS] if tile & 64 else game[G_POINTS + tile]
            work[R_BESIDE + e] = beside
            need += 1 + beside
            e += 1
        if need <= work[R_COUNT] and e > several:
            _rate(board, search, through, e, need, several, wide(0))


@compiled
def _rate_free(board: BoardOf, search: SearchOf, several: int) -> None:
    """Rate whatever is laid where nothing is joined yet."""
    game, squares, work = board.game, board.squares, search.work
    section = 2 * game[G_SIZE]
    crosses = CROSS_POINTS * section
    for first in range(1, section - 1):
        if squares[first] != 0 or squares[first - 1] > 0:
            continue
        square = first
        e = wide(0)
        while squares[square] == 0 and squares[crosses + square] == NO_CROSS and e + 1 < work[R_COUNT]:
            for number in range(e + 1):
                work[R_SQUARE + number] = first + number
                work[R_WORTH + number] = work[R_TILES + number]
                work[R_BESIDE + number] = 0
            e += 1
            square += 1
            if e > 1 and squares[square] <= 0:
                if several:
                    _spread(board, search, e)
                _rate(board, search, wide(0), e, e + 1, several, wide(1))


@compiled
def _spread(board: BoardOf, search: SearchOf, e: int) -> None:
    """Lay the dearest tiles on the best squares."""
    squares, work = board.squares, search.work
    times = LETTER_TIMES * 2 * board.game[G_SIZE]
    for number in range(1, e):
        square = work[R_SQUARE + number]
        place = number
        while place and squares[times + work[R_SQUARE + place - 1]] < squares[times + square]:
            work[R_SQUARE + place] = work[R_SQUARE + place - 1]
            place -= 1
        work[R_SQUARE + place] = square


@compiled
def _rate_single(board: BoardOf, search: SearchOf) -> None:
    """Find what plays of one tile count: along and across, the older tiles shared out."""
    game, squares, work = board.game, board.squares, search.work
    section = 2 * game[G_SIZE]
    k = work[R_COUNT]
    for place in range(R_ALONE + section, R_ALONE + k * section):
        work[place] = max(work[place], work[place - section])
    for square in range(game[G_SIZE]):
        if squares[square] != 0:
            continue
        other = mirrored(game, square)
        for older in range(k):
            for along in range(older + 1):
                value = work[R_ALONE + along * section + square]
                value += work[R_ALONE + (older - along) * section + other]
                work[R_BEST + R_ROOM + older] = max(work[R_BEST + R_ROOM + older], value)
    if game[G_RACK_SIZE] == 1:
        for older in range(k):
            work[R_BEST + R_ROOM + older] = (
                work[R_BEST + R_ROOM + older] * game[G_BINGO_TIMES] + game[G_BONUS]
            )


@compiled
def find_reach(board: BoardOf, search: SearchOf, node: int) -> bool:
    """Find what the player on turn can still score at most with the last tiles; return whether that was possible."""
    work = search.work
    if not take_tiles(board, search, node):
        return False
    for place in range(R_BEST, R_SQUARE):
        work[place] = 0
    _rate_alone(board, search)
    k = work[R_COUNT]
    first = search.frames[node + N_TOP]
    end = find_words(board, search, node) if k > 1 else first
    if end < 0:
        return False
    _rate_words(board, search, first, end, wide(0))
    _rate_free(board, search, wide(0))
    _rate_single(board, search)
    _rate_words(board, search, first, end, wide(1))
    _rate_free(board, search, wide(1))
    work[R_TOTAL] = 0
    for j in range(1, k + 1):
        work[R_TOTAL + j] = 0
        for m in range(1, j + 1):
            total = work[R_BEST + R_ROOM * m + k - j] + work[R_TOTAL + j - m]
            work[R_TOTAL + j] = max(work[R_TOTAL + j], total)
    return True


@compiled
def patience(search: SearchOf, node: int) -> int:
    """Return how many nodes are searched about a node before it is looked at: as many as take as long as looking."""
    kit = search.kit
    rack = search.frames[node + N_RACK]
    tiles = wide(0)
    for number in range(kit[T_KINDS]):
        kind = kit[T_LIST + number]
        field = rack & kit[T_FIELD + kind]
        while field:
            field -= kit[T_UNIT + kind]
            tiles += 1 if kind else 3
    bag = search.frames[node + N_BAG]
    while bag:
        tiles += 1 if bag & IN_BAG > 1 else 3
        bag >>= BAG_BITS
    return wide(_PATIENCE) << tiles


@compiled
def leave_out(board: BoardOf, search: SearchOf, node: int) -> None:
    """Count the plays of a node as tried after which the player cannot reach what is asked for."""
    frames, lists, order, pool, work = search.frames, search.lists, search.order, search.pool, search.work
    if not find_reach(board, search, node):
        return
    alpha = frames[node + N_ALPHA]
    most = 2 * frames[node + N_OTHER_POINTS]
    k = work[R_COUNT]
    if most + work[R_TOTAL + k] <= alpha:  # whatever is played
        frames[node + N_BEST] = most + work[R_TOTAL + k]
        frames[node + N_FINAL] = 1
        frames[node + N_NEXT] = frames[node + N_COUNT]
        frames[node + N_DUE_ROWS] = frames[node + N_DUE_COLUMNS] = 0
        return
    begin = frames[node + N_LIST]
    at = begin + frames[node + N_NEXT]
    for number in range(at, begin + frames[node + N_COUNT]):
        slot = wide(lists[number])
        if slot == NO_PLAY:
            value = most + work[R_TOTAL + k]
            hashed = wide(PASS_HASH)
        else:
            record = slot * E_LENGTH
            value = most + pool[record + E_SCORE] + work[R_TOTAL + k - bit_count(pool[record + E_LAID])]
            hashed = pool[record + E_HASH]
        if value > alpha:
            continue
        if value > frames[node + N_BEST]:
            frames[node + N_BEST] = value
            frames[node + N_BEST_HASH] = hashed
        lists[number] = lists[at]
        order[number] = order[at]
        lists[at] = slot
        at += 1
    frames[node + N_NEXT] = at - begin
