"""Words that neither have nor join a tile of the present board, which the player's last tiles may still make.

Such a word is made of the player's own tiles alone, and needs one more of them, by which it is joined. Many sets of tiles
make words in many rows of squares; so of all rows of one length whose highest word multiplier is the same, only the best
of each counts: their multipliers in descending order, and what words across them count. The dearest tiles are taken to lie
on the best squares. See :mod:`.reach`.
"""

from __future__ import annotations

from bot.engine.compiler import inner, wide
from bot.engine.kernels.board import (
    CROSS_POINTS,
    G_BINGO_TIMES,
    G_BONUS,
    G_POINTS,
    G_RACK_SIZE,
    G_SIZE,
    LETTER_TIMES,
    NO_CROSS,
    WORD_TIMES,
    mirrored,
)
from bot.engine.kernels.endgame.last_tiles import (
    R_ACROSS,
    R_ALONE,
    R_BEST,
    R_COUNT,
    R_DEAREST,
    R_KIND,
    R_KINDS,
    R_LETTERS,
    R_OTHERS,
    R_POINTS,
    R_RACK,
    R_ROOM,
    R_ROW,
    R_ROWS,
    R_SIZE,
    R_SPELLS,
    R_TIMES,
    R_TIMES_KINDS,
    insert,
    note_alone,
    sets_of,
)
from bot.engine.kernels.endgame.nodes import SearchOf
from bot.engine.kernels.endgame.plays import T_FIELD, T_UNIT, holds
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
        for one in range(1, word + 1):
            if holds(kit, work[R_RACK + word], work[R_RACK + one]):
                place = R_OTHERS + R_ROOM * one + e
                work[place] = max(work[place], points - work[R_POINTS + one])


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
        for one in range(1, sets):
            m = work[R_SIZE + one]
            score = work[R_OTHERS + R_ROOM * one + e]
            if m < 2 or m > game[G_RACK_SIZE] or score < 0:
                continue
            at = row + 1
            for number in range(work[R_KINDS]):
                kind = work[R_KIND + number]
                for _ in range((work[R_RACK + one] & kit[T_FIELD + kind]) // kit[T_UNIT + kind]):
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
                    many = (work[R_RACK + one] & kit[T_FIELD + kind]) // kit[T_UNIT + kind]
                    total += many * work[at + number]
                place = R_BEST + R_ROOM * one + older
                work[place] = max(work[place], total)
