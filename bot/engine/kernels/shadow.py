"""The shadow: what the plays of an anchor can be worth at most, before any word is looked for."""

from __future__ import annotations

from bot.engine.compiler import inner, lowest_bit, wide
from bot.engine.kernels.best_plays import F_BY_SCORE
from bot.engine.kernels.board import (
    CROSS_POINTS,
    G_BINGO_TIMES,
    G_BONUS,
    G_LETTERS,
    G_POINTS,
    G_RACK_SIZE,
    G_SIZE,
    LETTER_TIMES,
    NO_CROSS,
    POINTS,
    WORD_TIMES,
    Numbers,
    Squares,
)
from bot.engine.kernels.rack import K_BEST, K_CODES, K_HIGHEST, K_MOST, NEVER
from bot.engine.kernels.work import (
    A_FIRST,
    A_LAST,
    A_LIMIT,
    W_BOUND,
    W_FARTHER,
    W_LEFT,
    W_OPEN,
    W_RIGHT,
    W_ROW,
)

# The numbers of one square of a shadow: word multiplier, points on restricted squares that the word multiplies,
# points of cross words, points of tiles played through, and how many free squares multiply a letter by 1, 2, 3, 4
# or more.
_S_TIMES, _S_MAIN, _S_CROSS, _S_THROUGH, _S_FREE = 0, 1, 2, 3, 4


@inner
def _most_points(game: Numbers, fitting: int) -> int:
    """Return the points of the best tile among ``fitting``, bit 0 the blank."""
    most = NEVER
    while fitting:
        most = max(most, game[G_POINTS + lowest_bit(fitting)])
        fitting &= fitting - 1
    return most


@inner
def _shadow_square(
    game: Numbers,
    squares: Squares,
    rack: Numbers,
    letters: Numbers,
    work: Numbers,
    before: int,
    here: int,
    square: int,
) -> bool:
    """Add a square to the sums of those ``before``; return whether any tile of the rack fits it."""
    section = 2 * game[G_SIZE]
    have = letters[rack[K_CODES] - 1]
    open_to = work[W_OPEN + square]
    fitting = open_to & have
    if have & 1 and open_to:
        fitting |= 1
    if not fitting:
        return False
    for field in range(8):
        work[here + field] = work[before + field]
    letter_times = wide(squares[LETTER_TIMES * section + square])
    word_times = wide(squares[WORD_TIMES * section + square])
    work[here + _S_TIMES] *= word_times
    if open_to == game[G_LETTERS] and squares[CROSS_POINTS * section + square] == NO_CROSS:
        for times in range(letter_times):
            work[here + _S_FREE + times] += 1
        return True
    points = letter_times * _most_points(game, fitting)
    work[here + _S_MAIN] += points
    cross = squares[CROSS_POINTS * section + square]
    if cross != NO_CROSS:
        work[here + _S_CROSS] += (points + cross) * word_times
    return True


@inner
def _shadow_left(
    game: Numbers, squares: Squares, rack: Numbers, letters: Numbers, work: Numbers, anchor: int
) -> int:
    """Fill the sums for tiles to the left of an anchor; return how many fit there."""
    for field in range(8):
        work[W_LEFT + field] = 0
    work[W_LEFT + _S_TIMES] = 1
    tiles = 0
    square = work[anchor + A_FIRST] - 1
    while (
        tiles < rack[K_MOST]
        and square >= work[anchor + A_LIMIT]
        and squares[square] == 0
        and _shadow_square(
            game, squares, rack, letters, work, W_LEFT + 8 * tiles, W_LEFT + 8 * tiles + 8, square
        )
    ):
        tiles += 1
        square -= 1
    return tiles


@inner
def _shadow_right(
    game: Numbers, squares: Squares, rack: Numbers, letters: Numbers, work: Numbers, anchor: int
) -> int:
    """Fill the sums for tiles to the right of an anchor, its own run included; return how many fit there."""
    points_at = POINTS * 2 * game[G_SIZE]
    for field in range(8):
        work[W_RIGHT + field] = 0
    work[W_RIGHT + _S_TIMES] = 1
    for square in range(work[anchor + A_FIRST], work[anchor + A_LAST] + 1):
        work[W_RIGHT + _S_THROUGH] += squares[points_at + square]
    tiles = 0
    square = work[anchor + A_LAST] + 1
    while (
        tiles < rack[K_MOST]
        and squares[square] == 0
        and _shadow_square(
            game, squares, rack, letters, work, W_RIGHT + 8 * tiles, W_RIGHT + 8 * tiles + 8, square
        )
    ):
        tiles += 1
        square += 1
        while squares[square] > 0:
            work[W_RIGHT + 8 * tiles + _S_THROUGH] += squares[points_at + square]
            square += 1
    return tiles


@inner
def shadow(
    game: Numbers,
    squares: Squares,
    rack: Numbers,
    letters: Numbers,
    work: Numbers,
    found: Numbers,
    anchor: int,
) -> int:
    """Fill the table of bounds for an anchor and return the highest.

    An entry is what a play with so many tiles to the left, and so many or more to the right, can reach at most. On
    squares that take only some letters each tile is as good as any that fits; on the others the best tiles of the
    rack lie on the best multipliers; the leave is the best of its length.
    """
    to_left = _shadow_left(game, squares, rack, letters, work, anchor)
    to_right = _shadow_right(game, squares, rack, letters, work, anchor)
    most = rack[K_MOST]
    by_score = found[F_BY_SCORE]
    best_left = NEVER
    for left in range(to_left, -1, -1):
        one = W_LEFT + 8 * left
        best = NEVER
        for right in range(most, -1, -1):
            laid = left + right
            if right <= to_right and 0 < laid <= most:
                other = W_RIGHT + 8 * right
                main = work[one + _S_MAIN] + work[other + _S_MAIN] + work[other + _S_THROUGH]
                for times in range(4):
                    main += rack[K_HIGHEST + work[one + _S_FREE + times] + work[other + _S_FREE + times]]
                score = main * work[one + _S_TIMES] * work[other + _S_TIMES]
                if laid == game[G_RACK_SIZE]:
                    score = score * game[G_BINGO_TIMES] + game[G_BONUS]
                score += work[one + _S_CROSS] + work[other + _S_CROSS]
                best = max(best, score if by_score else score * 1000 + rack[K_BEST + laid])
            work[W_BOUND + left * W_ROW + right] = best
        best_left = max(best_left, best)
        work[W_FARTHER + left] = best_left
    work[W_FARTHER + to_left + 1] = NEVER
    return best_left
