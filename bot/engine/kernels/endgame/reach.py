"""The most that a player can still gain with the last tiles.

Let the other player pass from here on. That is one way to continue, so the most that the player on turn gains then bounds
the value of the node. Then only the player's own tiles are laid, from rack and bag, ``k`` in all.

A play makes a word along its lane and at most one across with each tile. A word is a row of squares without a gap. Tiles
on the present board count their points, and ``e`` other squares are filled with some of the ``k`` tiles, by this play or
by *older* plays. With what the present board has and any ``e`` of the ``k`` tiles, all
words are found (:func:`~.lasting_words.find_words`) that hold, for each tile that is laid beside tiles across, with a necessary condition
that no later play takes away: its letter stands beside that run of tiles in some word of the lexicon. Where it makes no word
across with that run alone, a further tile lies beside it across by then; as these squares are all different, a word needs
``e`` and so many more of the ``k``. Words that neither have nor join a tile of the present board are those of
:mod:`.free_rows`.

:func:`find_reach` takes from these words, for each set of tiles and each number of older ones, the most that a play of
this very set counts: along the lane with the multipliers of the squares that it covers, and across what each of its tiles
completes at most. Then ``total(R)``, the most that is gained with the set ``R`` left, is the greatest of ``best(S, k - |R|)
+ total(R - S)`` for all sets ``S`` in ``R``, and of what passes give: when ``R`` is left, ``k - |R|`` tiles are older. At
the end a player who goes out wins twice the other's tiles; otherwise both lose their own. No tile may have negative points.

Words that neither have nor join a tile of the present board, which the player's last tiles may still make.

Such a word is made of the player's own tiles alone, and needs one more of them, by which it is joined. Many sets of tiles
make words in many rows of squares; so of all rows of one length whose highest word multiplier is the same, only the best
of each counts: their multipliers in descending order, and what words across them count. The dearest tiles are taken to lie
on the best squares. See :mod:`.reach`.
"""

from __future__ import annotations

from bot.engine.compiler import bit_count, inlined, inner, lowest_bit, wide
from bot.engine.kernels.board import (
    CROSS,
    CROSS_POINTS,
    G_BINGO_TIMES,
    G_BONUS,
    G_COLUMNS,
    G_POINTS,
    G_RACK_SIZE,
    G_ROWS,
    G_SIZE,
    LETTER_TIMES,
    NO_CROSS,
    POINTS,
    WORD_TIMES,
    mirrored,
)
from bot.engine.kernels.endgame.last_tiles import (
    R_ACROSS,
    R_ALONE,
    R_BESIDE,
    R_BEST,
    R_COUNT,
    R_DEAREST,
    R_HAVE,
    R_KIND,
    R_KINDS,
    R_LETTERS,
    R_NUMBER,
    R_OTHERS,
    R_POINTS,
    R_RACK,
    R_ROOM,
    R_ROW,
    R_ROWS,
    R_SIZE,
    R_SPELLS,
    R_SQUARE,
    R_TILE,
    R_TIMES,
    R_TIMES_KINDS,
    R_TOTAL,
    R_WEIGHT,
    find_spelling_sets,
    find_words,
    insert,
    note_alone,
    sets_of,
    take_tiles,
)
from bot.engine.kernels.endgame.nodes import N_BAG, N_TOP, SearchOf
from bot.engine.kernels.endgame.plays import (
    E_END,
    E_FIRST,
    E_LAID,
    E_LENGTH,
    E_TILES,
    T_FIELD,
    T_UNIT,
    TILES_IN_NUMBER,
    holds,
)
from bot.engine.kernels.turn import BoardOf


@inner
def rate_sets(search: SearchOf) -> None:
    """Find what sets that make words count."""
    kit, work = search.kit, search.work
    sets = sets_of(search)
    for place in range(R_OTHERS, R_OTHERS + R_ROOM * sets):
        work[place] = -1
    for place in range(R_DEAREST, R_DEAREST + R_ROOM * work[R_KINDS]):
        work[place] = -1
    for word in range(1, sets):
        if not work[R_SPELLS + word]:
            continue
        e = work[R_SIZE + word]
        points = work[R_POINTS + word]
        for number in range(work[R_KINDS]):
            if work[R_RACK + word] & kit[T_FIELD + work[R_KIND + number]]:
                place = R_DEAREST + R_ROOM * number + e
                work[place] = max(work[place], points)
        for part in range(1, word + 1):
            if holds(kit, work[R_RACK + word], work[R_RACK + part]):
                place = R_OTHERS + R_ROOM * part + e
                work[place] = max(work[place], points - work[R_POINTS + part])


@inner
def _rate_free_squares(board: BoardOf, search: SearchOf, first: int, last: int) -> None:
    """Rate what a tile completes alone in squares that join nothing yet."""
    game, squares, work = board.game, board.squares, search.work
    section = 2 * game[G_SIZE]
    for square in range(first, last + 1):
        letter_times = squares[LETTER_TIMES * section + square] - 1
        for number in range(work[R_KINDS]):
            more = letter_times * game[G_POINTS + work[R_KIND + number]]
            for e in range(2, min(last - first + 1, work[R_COUNT] - 1) + 1):
                points = work[R_DEAREST + R_ROOM * number + e]
                if points >= 0:
                    value = (points + more) * squares[WORD_TIMES * section + square]
                    older = e if square < game[G_SIZE] else e - 1
                    note_alone(search, section, number, older, square, value)


@inner
def _note_rows(board: BoardOf, search: SearchOf, first: int, last: int) -> None:
    """Note the multipliers of rows of squares that join nothing yet, and the words across them."""
    game, squares, work = board.game, board.squares, search.work
    section = 2 * game[G_SIZE]
    k = work[R_COUNT]
    for start in range(first, last):
        for place in range(R_ACROSS, R_ACROSS + R_ROOM * k):
            work[place] = 0
        for square in range(start, min(last, start + k - 2) + 1):
            e = square - start + 1
            insert(search, wide(R_LETTERS), e - 1, wide(squares[LETTER_TIMES * section + square]))
            insert(search, wide(R_TIMES), e - 1, wide(squares[WORD_TIMES * section + square]))
            other = mirrored(game, square)
            for number in range(work[R_KINDS]):
                at = R_ALONE + number * k * section + other
                if work[at + (k - 1) * section] <= 0:
                    continue
                for older in range(1, k - 1):
                    place = R_ACROSS + R_ROOM * older + number
                    work[place] = max(work[place], work[at + older * section])
            if e < 2:
                continue
            group = e * R_TIMES_KINDS + min(work[R_TIMES], wide(R_TIMES_KINDS - 1))
            row = R_ROWS + R_ROW * group
            work[row] = 1
            times = wide(1)
            for number in range(e):
                times *= work[R_TIMES + number]
                place = row + 1 + number
                work[place] = max(work[place], work[R_LETTERS + number])
                place += R_ROOM
                work[place] = max(work[place], times)
            place = row + 1 + 2 * R_ROOM
            for at in range(R_ROOM * (k - e + 1)):
                work[place + at] = max(work[place + at], work[R_ACROSS + at])


@inner
def rate_free(board: BoardOf, search: SearchOf, several: int) -> None:
    """Rate words in rows of squares that neither have nor join a tile yet."""
    game, squares, work = board.game, board.squares, search.work
    section = 2 * game[G_SIZE]
    crosses = CROSS_POINTS * section
    k = work[R_COUNT]
    if several:
        for place in range(R_ROWS + 2 * R_TIMES_KINDS * R_ROW, R_ROWS + k * R_TIMES_KINDS * R_ROW):
            work[place] = 0
    square = wide(1)
    while square < section - 1:
        if squares[square] != 0 or squares[crosses + square] != NO_CROSS or squares[square - 1] > 0:
            square += 1
            continue
        first = square
        while squares[square] == 0 and squares[crosses + square] == NO_CROSS:
            square += 1
        last = square - 2 if squares[square] > 0 else square - 1
        if last > first:
            if several:
                _note_rows(board, search, first, last)
            else:
                _rate_free_squares(board, search, first, last)
    if several:
        _rate_rows(board, search)


@inner
def _rate_rows(board: BoardOf, search: SearchOf) -> None:
    """Rate the rows that were noted, the dearest tiles on the best squares."""
    game, kit, work = board.game, search.kit, search.work
    k = work[R_COUNT]
    sets = sets_of(search)
    for group in range(2 * R_TIMES_KINDS, k * R_TIMES_KINDS):
        row = R_ROWS + R_ROW * group
        if not work[row]:
            continue
        e = group // R_TIMES_KINDS
        for part in range(1, sets):
            m = work[R_SIZE + part]
            score = work[R_OTHERS + R_ROOM * part + e]
            if m < 2 or m > game[G_RACK_SIZE] or score < 0:
                continue
            at = row + 1
            for number in range(work[R_KINDS]):
                kind = work[R_KIND + number]
                for _ in range((work[R_RACK + part] & kit[T_FIELD + kind]) // kit[T_UNIT + kind]):
                    score += work[at] * game[G_POINTS + kind]
                    at += 1
            score *= work[row + R_ROOM + m]
            if m == game[G_RACK_SIZE]:
                score = score * game[G_BINGO_TIMES] + game[G_BONUS]
            for older in range(e + 1 - m, k - m + 1):
                total = score
                at = row + 1 + 2 * R_ROOM + R_ROOM * (older - e + m)
                for number in range(work[R_KINDS]):
                    kind = work[R_KIND + number]
                    many = (work[R_RACK + part] & kit[T_FIELD + kind]) // kit[T_UNIT + kind]
                    total += many * work[at + number]
                place = R_BEST + R_ROOM * part + older
                work[place] = max(work[place], total)


@inner
def _rate_alone(board: BoardOf, search: SearchOf) -> None:
    """Write what words with one empty square count: those are known."""
    game, squares, work = board.game, board.squares, search.work
    section = 2 * game[G_SIZE]
    for place in range(R_ALONE, R_ALONE + section * work[R_COUNT] * work[R_KINDS]):
        work[place] = -1
    width, height = game[G_COLUMNS] + 2, game[G_ROWS] + 2
    for row in range(1, height - 1):
        for column in range(1, width - 1):
            square = row * width + column
            if squares[square] != 0:
                continue
            other = game[G_SIZE] + column * height + row
            _rate_square(board, search, square, other)
            _rate_square(board, search, other, square)


@inlined
def _rate_square(board: BoardOf, search: SearchOf, square: int, other: int) -> None:
    """Write what words count that an empty square completes; ``other`` is the same square in the other direction."""
    game, squares, masks, work = board.game, board.squares, board.masks, search.work
    section = 2 * game[G_SIZE]
    along = wide(squares[CROSS_POINTS * section + other])
    letters = work[R_HAVE] & masks[CROSS * section + other]
    if along == NO_CROSS or not letters:
        return
    for number in range(work[R_KINDS]):
        kind = work[R_KIND + number]
        if letters >> kind & 1 or not kind:
            value = along + game[G_POINTS + kind] * squares[LETTER_TIMES * section + square]
            value *= squares[WORD_TIMES * section + square]
            note_alone(search, section, number, wide(0), square, value)


@inner
def _rate(board: BoardOf, search: SearchOf, points: int, e: int, need: int) -> None:
    """Rate a word of ``e`` tiles that is written down: completed by any two or more of them."""
    game, squares, work = board.game, board.squares, search.work
    section = 2 * game[G_SIZE]
    k = work[R_COUNT]
    for chosen in range(3, wide(1) << e):
        m = bit_count(chosen)
        if m == 1 or m > game[G_RACK_SIZE]:
            continue
        score = points
        times = wide(1)
        made = wide(0)
        left = chosen
        while left:
            number = lowest_bit(left)
            left &= left - 1
            square = work[R_SQUARE + number]
            kind = work[R_KIND + work[R_TILE + number]]
            score += (squares[LETTER_TIMES * section + square] - 1) * game[G_POINTS + kind]
            times *= squares[WORD_TIMES * section + square]
            made += work[R_WEIGHT + kind]
        score *= times
        if m == game[G_RACK_SIZE]:
            score = score * game[G_BINGO_TIMES] + game[G_BONUS]
        for older in range(max(wide(0), need - m), k - m + 1):
            total = score
            left = chosen
            while left:
                number = lowest_bit(left)
                left &= left - 1
                at = R_ALONE + (work[R_TILE + number] * k + older - e + m) * section
                total += max(wide(0), work[at + mirrored(game, work[R_SQUARE + number])])
            place = R_BEST + R_ROOM * made + older
            work[place] = max(work[place], total)


@inner
def _rate_words(board: BoardOf, search: SearchOf, first: int, end: int, several: int) -> None:
    """Rate the words that were found: completed by each tile alone, or by ``several``."""
    game, squares, masks, work, pool = board.game, board.squares, board.masks, search.work, search.pool
    section = 2 * game[G_SIZE]
    for record in range(first * E_LENGTH, end * E_LENGTH, E_LENGTH):
        start = pool[record + E_FIRST]
        laid = pool[record + E_LAID]
        e = need = points = wide(0)
        for square in range(start, pool[record + E_END]):
            if not laid >> (square - start) & 1:
                points += squares[POINTS * section + square]
                continue
            tile = pool[record + E_TILES + e // TILES_IN_NUMBER] >> (7 * (e % TILES_IN_NUMBER)) & 127
            kind = wide(0) if tile & 64 else tile
            beside = 1 - (masks[CROSS * section + square] >> (tile & 63) & 1)
            work[R_SQUARE + e] = square
            work[R_TILE + e] = work[R_NUMBER + kind]
            work[R_BESIDE + e] = beside
            points += game[G_POINTS + kind]
            need += 1 + beside
            e += 1
        if need > work[R_COUNT]:
            continue
        if several:
            _rate(board, search, points, e, need)
            continue
        for number in range(e):
            square = work[R_SQUARE + number]
            # Only along the rows: a tile that lies beside a word along and one across would be counted twice.
            older = need - 1 - work[R_BESIDE + number] if square < game[G_SIZE] else e - 1
            kind = work[R_KIND + work[R_TILE + number]]
            value = points + (squares[LETTER_TIMES * section + square] - 1) * game[G_POINTS + kind]
            value *= squares[WORD_TIMES * section + square]
            note_alone(search, section, work[R_TILE + number], older, square, value)


@inner
def _rate_single(board: BoardOf, search: SearchOf) -> None:
    """Find what plays of one tile count: along and across, the older tiles shared out."""
    game, squares, work = board.game, board.squares, search.work
    section = 2 * game[G_SIZE]
    k = work[R_COUNT]
    for number in range(work[R_KINDS]):
        alone = R_ALONE + number * k * section
        for place in range(alone + section, alone + k * section):
            work[place] = max(work[place], work[place - section])
    width, height = game[G_COLUMNS] + 2, game[G_ROWS] + 2
    for row in range(1, height - 1):
        for column in range(1, width - 1):
            square = row * width + column
            if squares[square] == 0:
                other = game[G_SIZE] + column * height + row
                for number in range(work[R_KINDS]):
                    _rate_tile(search, section, number, square, other)
    if game[G_RACK_SIZE] == 1:
        for number in range(work[R_KINDS]):
            best = R_BEST + R_ROOM * work[R_WEIGHT + work[R_KIND + number]]
            for place in range(best, best + k):
                if work[place] >= 0:
                    work[place] = work[place] * game[G_BINGO_TIMES] + game[G_BONUS]


@inlined
def _rate_tile(search: SearchOf, section: int, number: int, square: int, other: int) -> None:
    """Find what plays of a tile of a kind on a square count."""
    work = search.work
    k = work[R_COUNT]
    alone = R_ALONE + number * k * section
    most = alone + (k - 1) * section
    best = R_BEST + R_ROOM * work[R_WEIGHT + work[R_KIND + number]]
    if max(wide(0), work[most + square]) + max(wide(0), work[most + other]) <= work[best]:
        return
    for older in range(k):
        for among in range(older + 1):
            along = work[alone + among * section + square]
            across = work[alone + (older - among) * section + other]
            if max(along, across) >= 0:
                value = max(wide(0), along) + max(wide(0), across)
                work[best + older] = max(work[best + older], value)


@inner
def find_reach(board: BoardOf, search: SearchOf, node: int, others: int) -> bool:
    """Find what the player on turn can still gain at most with each set of the last tiles; return whether that was possible."""
    frames, kit, work = search.frames, search.kit, search.work
    if not take_tiles(board, search, node):
        return False
    k = work[R_COUNT]
    sets = sets_of(search)
    for place in range(R_BEST, R_BEST + R_ROOM * sets):
        work[place] = -1
    _rate_alone(board, search)
    first = end = frames[node + N_TOP]
    if k > 1:
        end = find_words(board, search, node)
        if end < 0:
            return False
    _rate_words(board, search, first, end, wide(0))
    if k > 2:
        find_spelling_sets(board, search)
        rate_sets(search)
        rate_free(board, search, wide(0))
    _rate_single(board, search)
    _rate_words(board, search, first, end, wide(1))
    if k > 2:
        rate_free(board, search, wide(1))
    work[R_TOTAL] = 2 * others
    for left in range(1, sets):
        total = others if frames[node + N_BAG] else others - work[R_POINTS + left]
        older = k - work[R_SIZE + left]
        for part in range(1, left + 1):
            score = work[R_BEST + R_ROOM * part + older]
            if score >= 0 and holds(kit, work[R_RACK + left], work[R_RACK + part]):
                total = max(total, score + work[R_TOTAL + left - part])
        work[R_TOTAL + left] = total
    return True
