"""The play generator: Gordon's algorithm on a GADDAG, without recursion.

An *anchor* is where a play can touch what lies on the board: a run of tiles along a lane, or an empty square with
tiles only across the lane, which is treated as a run of no tiles to the right of the square. From an anchor tiles
are laid to the left, then, behind the separator, to the right. A play belongs to the first anchor of its lane that
it touches, so laying to the left ends before the anchor before, and no play is found twice.

The list a run leads to is known (``RUN``), so the first tile beside a run is one that fits it on either side; a tile
right before another run must be in its ``BEFORE``. Tiles not placed yet are the code of a part of the rack, see
:mod:`bot.engine.kernels.rack`.

With a bound on how many plays are wanted, the anchors are visited best first by an upper bound on the equity of
their plays (the *shadow*), for each number of tiles to the left and to the right; what cannot be kept any more is
not searched.

``work`` (int64) is scratch of :func:`work_length` numbers. ``control[0]`` is looked at every few thousand tiles: the
search ends when it is not 0.
"""

from __future__ import annotations

from bot.engine.compiled import bit_count, compiled, lowest_bit, wide
from bot.engine.kernels.board import (
    BEFORE,
    CROSS,
    CROSS_POINTS,
    G_BONUS,
    G_BOTH_WAYS,
    G_COLUMNS,
    G_LETTERS,
    G_OPENING,
    G_POINTS,
    G_RACK_SIZE,
    G_ROOT,
    G_ROWS,
    G_SIZE,
    G_START_COLUMN,
    G_START_ROW,
    G_VOWELS,
    LETTER_TIMES,
    NO_CROSS,
    OPENING_STRIDE,
    POINTS,
    RUN,
    WORD_TIMES,
    Masks,
    Numbers,
    Squares,
    square_of,
)
from bot.engine.kernels.graph import HEADER, LETTERS_ONLY, Graph, follow, letters_at
from bot.engine.kernels.keeping import (
    EXCHANGE,
    F_ALL,
    F_BY_SCORE,
    F_SPARE,
    F_STEPS,
    F_STOPPED,
    F_TOTAL,
    F_WIDTH,
    F_WORST,
    PASS,
    PLACEMENT,
    R_COLUMN,
    R_DIRECTION,
    R_KEPT,
    R_KIND,
    R_LAID,
    R_LENGTH,
    R_ROW,
    R_TILES,
    Records,
    keep_spare,
)
from bot.engine.kernels.rack import (
    K_BEST,
    K_CODES,
    K_HIGHEST,
    K_MOST,
    K_TILES,
    K_WEIGHT,
    NEVER,
)

PASS_EQUITY = -1_000_000
"""Millipoints of a pass: less than any play or exchange."""

# Sections of ``work``. _BOUND is a table by tiles to the left and to the right of the anchor.
_ROW = 32
_BOUND = 0
_FARTHER = _BOUND + _ROW * _ROW
_LEFT = _FARTHER + _ROW
_RIGHT = _LEFT + 8 * _ROW
_STRIP = _RIGHT + 8 * _ROW
_FRAMES = _STRIP + 64
_OPEN = _FRAMES + 128 * 10

# The numbers of one square of a shadow: word multiplier, points on restricted squares that the word multiplies,
# points of cross words, points of tiles played through, and how many free squares multiply a letter by 1, 2, 3, 4
# or more.
_S_TIMES, _S_MAIN, _S_CROSS, _S_THROUGH, _S_FREE = 0, 1, 2, 3, 4

# The numbers of an anchor.
_A_FIRST, _A_LAST, _A_LIMIT, _A_BOUND = 0, 1, 2, 3
_A_LENGTH = 4

# The numbers of a frame, which is a square to fill and the letters still to be tried there, from the rack and as a
# blank: the list of the GADDAG, the square, the code of what is left, the points of the word so far and those of the
# cross words, the word multiplier, and tiles to the left and to the right.
_NATURAL, _BLANK, _LIST, _SQUARE, _CODE, _WORD, _CROSSES, _TIMES, _TO_LEFT, _TO_RIGHT = range(10)
_FRAME = 10
_LEFTWARD = -1
"""Stands for the tiles to the right in a frame to the left of the anchor."""

_LOOK_UP = 4095
"""How many tiles are tried between two looks at the control, less one."""


@compiled
def work_length(rows: int, columns: int) -> int:
    """Return how many numbers the scratch needs for a board."""
    return _OPEN + 2 * (rows + 2) * (columns + 2) * (1 + _A_LENGTH)


@compiled
def find_plays(
    game: Numbers,
    squares: Squares,
    masks: Masks,
    graph: Graph,
    rack: Numbers,
    letters: Numbers,
    worth: Numbers,
    work: Numbers,
    found: Numbers,
    keys: Numbers,
    records: Records,
    heap: Records,
    control: Numbers,
    exchange: int,
) -> None:
    """Find the plays of a prepared rack and keep them as ``found`` says; begin with ``start_keeping``.

    Up to ``exchange`` tiles may be exchanged. With ``F_ALL`` every placement is counted in ``F_TOTAL``; otherwise only
    those that the shadow did not spare.
    """
    if rack[K_TILES]:
        _find_placements(
            game, squares, masks, graph, rack, letters, worth, work, found, keys, records, heap, control
        )
    _keep_others(rack, worth, found, keys, records, heap, exchange)


@compiled
def _find_placements(
    game: Numbers,
    squares: Squares,
    masks: Masks,
    graph: Graph,
    rack: Numbers,
    letters: Numbers,
    worth: Numbers,
    work: Numbers,
    found: Numbers,
    keys: Numbers,
    records: Records,
    heap: Records,
    control: Numbers,
) -> None:
    size = game[G_SIZE]
    for square in range(2 * size):
        work[_OPEN + square] = (
            masks[CROSS * 2 * size + square] & masks[BEFORE * 2 * size + square] & game[G_LETTERS]
        )
    anchors = _list_anchors(game, squares, work)
    opening = 0
    if anchors < 0:
        opening = 1
        anchors = _list_start(game, squares, work)
    first_anchor = _OPEN + 2 * size
    if found[F_ALL]:
        for entry in range(_LEFT):
            work[_BOUND + entry] = -NEVER
        for number in range(anchors):
            anchor = first_anchor + number * _A_LENGTH
            _search(
                game,
                squares,
                graph,
                rack,
                letters,
                worth,
                work,
                found,
                keys,
                records,
                heap,
                control,
                anchor,
                opening,
            )
            if found[F_STOPPED]:
                return
        return
    for number in range(anchors):
        anchor = first_anchor + number * _A_LENGTH
        work[anchor + _A_BOUND] = _shadow(game, squares, rack, letters, work, found, anchor)
    while True:
        best = first_anchor
        for number in range(1, anchors):
            anchor = first_anchor + number * _A_LENGTH
            if work[anchor + _A_BOUND] > work[best + _A_BOUND]:
                best = anchor
        if not anchors or work[best + _A_BOUND] == NEVER or work[best + _A_BOUND] < found[F_WORST]:
            return
        _shadow(game, squares, rack, letters, work, found, best)
        work[best + _A_BOUND] = NEVER
        _search(
            game,
            squares,
            graph,
            rack,
            letters,
            worth,
            work,
            found,
            keys,
            records,
            heap,
            control,
            best,
            opening,
        )
        if found[F_STOPPED]:
            return


@compiled
def _list_anchors(game: Numbers, squares: Squares, work: Numbers) -> int:
    """Write the anchors of both directions; return how many there are, or -1 for an empty board."""
    size = game[G_SIZE]
    section = 2 * size
    at = _OPEN + section
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
            work[at + _A_FIRST] = first
            work[at + _A_LAST] = square
            work[at + _A_LIMIT] = limit
            at += _A_LENGTH
            anchors += 1
            tiles += 1
            limit = square + 2
        elif (
            squares[CROSS_POINTS * section + square] != NO_CROSS
            and squares[square - 1] <= 0
            and squares[square + 1] <= 0
        ):
            work[at + _A_FIRST] = square + 1
            work[at + _A_LAST] = square
            work[at + _A_LIMIT] = limit
            at += _A_LENGTH
            anchors += 1
            limit = square + 1
        square += 1
    return anchors if tiles else -1


@compiled
def _list_start(game: Numbers, squares: Squares, work: Numbers) -> int:
    """Write the anchors of an empty board: the start square, down only when that makes a difference."""
    at = _OPEN + 2 * game[G_SIZE]
    anchors = 0
    for direction in range(1 + game[G_BOTH_WAYS]):
        square = square_of(game, direction, game[G_START_ROW], game[G_START_COLUMN])
        if squares[square] != 0:
            continue
        limit = square
        while squares[limit - 1] == 0:
            limit -= 1
        work[at + _A_FIRST] = square + 1
        work[at + _A_LAST] = square
        work[at + _A_LIMIT] = limit
        at += _A_LENGTH
        anchors += 1
    return anchors


@compiled
def _most_points(game: Numbers, fitting: int) -> int:
    """Return the points of the best tile among ``fitting``, bit 0 the blank."""
    most = NEVER
    while fitting:
        most = max(most, game[G_POINTS + lowest_bit(fitting)])
        fitting &= fitting - 1
    return most


@compiled
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
    """Add a square to the sums of those ``before``; tell whether any tile of the rack fits it."""
    section = 2 * game[G_SIZE]
    have = letters[rack[K_CODES] - 1]
    open_to = work[_OPEN + square]
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


@compiled
def _shadow_left(
    game: Numbers, squares: Squares, rack: Numbers, letters: Numbers, work: Numbers, anchor: int
) -> int:
    """Fill the sums for tiles to the left of an anchor; return how many fit there."""
    for field in range(8):
        work[_LEFT + field] = 0
    work[_LEFT + _S_TIMES] = 1
    tiles = 0
    square = work[anchor + _A_FIRST] - 1
    while (
        tiles < rack[K_MOST]
        and square >= work[anchor + _A_LIMIT]
        and squares[square] == 0
        and _shadow_square(
            game, squares, rack, letters, work, _LEFT + 8 * tiles, _LEFT + 8 * tiles + 8, square
        )
    ):
        tiles += 1
        square -= 1
    return tiles


@compiled
def _shadow_right(
    game: Numbers, squares: Squares, rack: Numbers, letters: Numbers, work: Numbers, anchor: int
) -> int:
    """Fill the sums for tiles to the right of an anchor, its own run included; return how many fit there."""
    points_at = POINTS * 2 * game[G_SIZE]
    for field in range(8):
        work[_RIGHT + field] = 0
    work[_RIGHT + _S_TIMES] = 1
    for square in range(work[anchor + _A_FIRST], work[anchor + _A_LAST] + 1):
        work[_RIGHT + _S_THROUGH] += squares[points_at + square]
    tiles = 0
    square = work[anchor + _A_LAST] + 1
    while (
        tiles < rack[K_MOST]
        and squares[square] == 0
        and _shadow_square(
            game, squares, rack, letters, work, _RIGHT + 8 * tiles, _RIGHT + 8 * tiles + 8, square
        )
    ):
        tiles += 1
        square += 1
        while squares[square] > 0:
            work[_RIGHT + 8 * tiles + _S_THROUGH] += squares[points_at + square]
            square += 1
    return tiles


@compiled
def _shadow(
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
        one = _LEFT + 8 * left
        best = NEVER
        for right in range(most, -1, -1):
            laid = left + right
            if right <= to_right and 0 < laid <= most:
                other = _RIGHT + 8 * right
                main = work[one + _S_MAIN] + work[other + _S_MAIN] + work[other + _S_THROUGH]
                for times in range(4):
                    main += rack[K_HIGHEST + work[one + _S_FREE + times] + work[other + _S_FREE + times]]
                score = main * work[one + _S_TIMES] * work[other + _S_TIMES]
                score += work[one + _S_CROSS] + work[other + _S_CROSS]
                if laid == game[G_RACK_SIZE]:
                    score += game[G_BONUS]
                best = max(best, score if by_score else score * 1000 + rack[K_BEST + laid])
            work[_BOUND + left * _ROW + right] = best
        best_left = max(best_left, best)
        work[_FARTHER + left] = best_left
    work[_FARTHER + to_left + 1] = NEVER
    return best_left


@compiled
def _push(
    letters: Numbers,
    work: Numbers,
    depth: int,
    frame_list: int,
    fitting: int,
    square: int,
    code: int,
    word: int,
    crosses: int,
    times: int,
    to_left: int,
    to_right: int,
) -> int:
    """Add a frame for a square that takes ``fitting`` letters, when the rack has any; return the new depth."""
    have = letters[code]
    fitting &= work[_OPEN + square] & LETTERS_ONLY
    natural = fitting & have
    blank = fitting if have & 1 else 0
    if not natural | blank:
        return depth
    frame = _FRAMES + depth * _FRAME
    work[frame + _NATURAL] = natural
    work[frame + _BLANK] = blank
    work[frame + _LIST] = frame_list
    work[frame + _SQUARE] = square
    work[frame + _CODE] = code
    work[frame + _WORD] = word
    work[frame + _CROSSES] = crosses
    work[frame + _TIMES] = times
    work[frame + _TO_LEFT] = to_left
    work[frame + _TO_RIGHT] = to_right
    return depth + 1


@compiled
def _search(
    game: Numbers,
    squares: Squares,
    graph: Graph,
    rack: Numbers,
    letters: Numbers,
    worth: Numbers,
    work: Numbers,
    found: Numbers,
    keys: Numbers,
    records: Records,
    heap: Records,
    control: Numbers,
    anchor: int,
    opening: int,
) -> None:
    """Find the plays of one anchor. The table of bounds must be that of the anchor, or all infinite."""
    section = 2 * game[G_SIZE]
    points_at = POINTS * section
    first = work[anchor + _A_FIRST]
    last = work[anchor + _A_LAST]
    limit = work[anchor + _A_LIMIT]
    direction = 1 if last >= game[G_SIZE] else 0
    width = game[G_ROWS] + 2 if direction else game[G_COLUMNS] + 2
    start_of_lane = last - (last - direction * game[G_SIZE]) % width
    most = rack[K_MOST]
    full = rack[K_CODES] - 1
    place = game[G_ROOT]
    word = wide(0)
    if first <= last:
        place = wide(squares[RUN * section + last])
        for square in range(first, last + 1):
            word += squares[points_at + square]
            work[_STRIP + square - start_of_lane] = 0
    after = last + 1
    fitting = letters_at(graph, place)
    # As variables, since numba compiles a callee anew for every combination of constants.
    none, once, leftward = wide(0), wide(1), wide(_LEFTWARD)
    depth = none
    if first - 1 >= limit and squares[first - 1] == 0 and work[_FARTHER + 1] >= found[F_WORST]:
        depth = _push(letters, work, depth, place, fitting, first - 1, full, word, none, once, none, leftward)
    if fitting & 1 and squares[after] == 0 and work[_BOUND + 1] >= found[F_WORST]:
        place = wide(graph[place + HEADER]) >> 1
        depth = _push(
            letters, work, depth, place, letters_at(graph, place), after, full, word, none, once, none, none
        )
    while depth:
        frame = _FRAMES + (depth - 1) * _FRAME
        square = work[frame + _SQUARE]
        code = work[frame + _CODE]
        place = work[frame + _LIST]
        bits = work[frame + _NATURAL]
        if bits:
            letter = lowest_bit(bits)
            work[frame + _NATURAL] = bits & (bits - 1)
            work[_STRIP + square - start_of_lane] = letter
            points = game[G_POINTS + letter]
            code -= rack[K_WEIGHT + letter]
        else:
            bits = work[frame + _BLANK]
            if not bits:
                depth -= 1
                continue
            letter = lowest_bit(bits)
            work[frame + _BLANK] = bits & (bits - 1)
            work[_STRIP + square - start_of_lane] = -letter
            points = game[G_POINTS]
            code -= rack[K_WEIGHT]
        found[F_STEPS] += 1
        if not found[F_STEPS] & _LOOK_UP and control[0]:
            found[F_STOPPED] = 1
            return
        below = (1 << letter) - 1
        entry = wide(graph[place + HEADER + bit_count(letters_at(graph, place) & below)])
        points *= squares[LETTER_TIMES * section + square]
        word_times = wide(squares[WORD_TIMES * section + square])
        word = work[frame + _WORD] + points
        times = work[frame + _TIMES] * word_times
        crosses = work[frame + _CROSSES]
        cross = wide(squares[CROSS_POINTS * section + square])
        if cross != NO_CROSS:
            crosses += (cross + points) * word_times
        to_left = work[frame + _TO_LEFT]
        to_right = work[frame + _TO_RIGHT]
        if to_right == _LEFTWARD:
            to_left += 1
            if entry & 1 and (to_left > 1 or first <= last):
                _offer(
                    game,
                    worth,
                    work,
                    found,
                    keys,
                    records,
                    heap,
                    code,
                    word,
                    crosses,
                    times,
                    to_left,
                    first - to_left,
                    last,
                    direction,
                    start_of_lane,
                    cross,
                    opening,
                )
            if to_left == most:
                continue
            place = entry >> 1
            fitting = letters_at(graph, place)
            if square > limit and squares[square - 1] == 0 and work[_FARTHER + to_left + 1] >= found[F_WORST]:
                depth = _push(
                    letters,
                    work,
                    depth,
                    place,
                    fitting,
                    square - 1,
                    code,
                    word,
                    crosses,
                    times,
                    to_left,
                    leftward,
                )
            if fitting & 1 and squares[after] == 0 and work[_BOUND + to_left * _ROW + 1] >= found[F_WORST]:
                place = wide(graph[place + HEADER]) >> 1
                depth = _push(
                    letters,
                    work,
                    depth,
                    place,
                    letters_at(graph, place),
                    after,
                    code,
                    word,
                    crosses,
                    times,
                    to_left,
                    none,
                )
            continue
        to_right += 1
        square += 1
        while squares[square] > 0 and entry:
            word += squares[points_at + square]
            work[_STRIP + square - start_of_lane] = 0
            entry = follow(graph, entry >> 1, wide(squares[square]))
            square += 1
        if entry & 1:
            _offer(
                game,
                worth,
                work,
                found,
                keys,
                records,
                heap,
                code,
                word,
                crosses,
                times,
                to_left + to_right,
                first - to_left,
                square - 1,
                direction,
                start_of_lane,
                cross,
                opening,
            )
        if (
            to_left + to_right < most
            and squares[square] == 0
            and work[_BOUND + to_left * _ROW + to_right + 1] >= found[F_WORST]
        ):
            place = entry >> 1
            depth = _push(
                letters,
                work,
                depth,
                place,
                letters_at(graph, place),
                square,
                code,
                word,
                crosses,
                times,
                to_left,
                to_right,
            )


@compiled
def _offer(
    game: Numbers,
    worth: Numbers,
    work: Numbers,
    found: Numbers,
    keys: Numbers,
    records: Records,
    heap: Records,
    code: int,
    word: int,
    crosses: int,
    times: int,
    laid: int,
    first: int,
    last: int,
    direction: int,
    start_of_lane: int,
    cross: int,
    opening: int,
) -> None:
    """Count a placement and keep it when it is good enough."""
    if laid == 1 and direction and cross != NO_CROSS:
        return  # one tile that makes words both ways: found across
    found[F_TOTAL] += 1
    score = word * times + crosses
    if laid == game[G_RACK_SIZE]:
        score += game[G_BONUS]
    equity = score * 1000 + worth[code]
    if opening:
        equity -= _opening_penalty(game, work, first, last, direction, start_of_lane)
    by_score = found[F_BY_SCORE]
    key = score if by_score else equity
    if key < found[F_WORST]:
        return
    slot = found[F_SPARE]
    keys[2 * slot] = key
    keys[2 * slot + 1] = equity if by_score else score
    record = slot * found[F_WIDTH]
    lane = start_of_lane // (game[G_COLUMNS] + 2) - 1
    if direction:
        lane = (start_of_lane - game[G_SIZE]) // (game[G_ROWS] + 2) - 1
    place = first - start_of_lane - 1
    records[record + R_KIND] = PLACEMENT
    records[record + R_ROW] = place if direction else lane
    records[record + R_COLUMN] = lane if direction else place
    records[record + R_DIRECTION] = direction
    records[record + R_LENGTH] = last - first + 1
    records[record + R_LAID] = laid
    records[record + R_KEPT] = code
    record += R_TILES - first
    for square in range(first, last + 1):
        records[record + square] = work[_STRIP + square - start_of_lane]
    keep_spare(found, keys, records, heap)


@compiled
def _opening_penalty(
    game: Numbers, work: Numbers, first: int, last: int, direction: int, start_of_lane: int
) -> int:
    """Return the millipoints that vowels next to bonus squares cost the first play."""
    penalty = 0
    for square in range(first, last + 1):
        place = square - start_of_lane
        if game[G_VOWELS] >> abs(work[_STRIP + place]) & 1:
            penalty += game[G_OPENING + direction * OPENING_STRIDE + place]
    return penalty


@compiled
def _keep_others(
    rack: Numbers,
    worth: Numbers,
    found: Numbers,
    keys: Numbers,
    records: Records,
    heap: Records,
    exchange: int,
) -> None:
    """Offer the pass and the exchanges of up to ``exchange`` tiles."""
    by_score = found[F_BY_SCORE]
    full = rack[K_CODES] - 1
    for kept in range(full + 1):
        equity = worth[kept]
        kind = EXCHANGE
        if kept == full:
            equity = PASS_EQUITY
            kind = PASS
        elif not exchange:
            continue
        if (0 if by_score else equity) < found[F_WORST]:
            continue
        slot = found[F_SPARE]
        record = slot * found[F_WIDTH]
        given = full - kept
        tiles = 0
        # The weights of the kinds ascend: the last digit is the highest.
        for kind_of_tile in range(63, -1, -1):
            weight = rack[K_WEIGHT + kind_of_tile]
            if weight:
                tiles += given // weight
                given %= weight
        if tiles > exchange:
            continue
        given = full - kept
        at = record + R_TILES + tiles
        for kind_of_tile in range(63, -1, -1):
            weight = rack[K_WEIGHT + kind_of_tile]
            if weight:
                for _ in range(given // weight):
                    at -= 1
                    records[at] = kind_of_tile
                given %= weight
        keys[2 * slot] = 0 if by_score else equity
        keys[2 * slot + 1] = equity if by_score else 0
        records[record + R_KIND] = kind
        for field in (R_ROW, R_COLUMN, R_DIRECTION):
            records[record + field] = 0
        records[record + R_LENGTH] = tiles
        records[record + R_LAID] = tiles
        records[record + R_KEPT] = kept
        keep_spare(found, keys, records, heap)
