"""What the opponent's last play reveals about the tiles that were kept.

Racks are drawn at random from the tiles nobody has shown, together with the tiles of the play. A rack is taken for
possible when the play was within a margin of the best static play with it (MAGPIE's rule); what it kept is then one
of the leaves that :func:`bot.engine.simulation.simulate.simulate` draws from. Since racks are drawn as often as the bag makes
them likely, so are the leaves. How most racks are ruled out without a search: :mod:`bot.engine.kernels.inference`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bot.domain.crossword.bag import unseen_tiles
from bot.domain.crossword.course import board_before, tiles_used
from bot.domain.crossword.play import Exchange, Pass, Placement
from bot.domain.crossword.position import LastPlay, Position
from bot.domain.crossword.scoring import score_placement
from bot.engine.kernels import inference as kernel
from bot.engine.kernels.board import Numbers
from bot.engine.kernels.turn import RACK_STRIDE, start_chance
from bot.engine.lexicon.leaves.values import LeaveValues
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.plays.board_arrays import board_arrays
from bot.engine.plays.equity import opening_penalty
from bot.engine.simulation.arrays import leaves_of, workspace
from bot.engine.stop import Stop
from bot.engine.units import MILLIPOINTS

DEFAULT_SAMPLES = 400_000
"""Racks that are drawn at most; of an exchange one in a hundred may be possible, or fewer."""
DEFAULT_WANTED = 1_500
"""Leaves that are enough, the same one as often as it was found."""
DEFAULT_MARGIN = 5 * MILLIPOINTS
"""How much worse than the best, in millipoints, a play is thought possible."""
_BATCH = 100
"""Racks that are drawn between two looks at the clock: 20 ms at most."""


@dataclass(frozen=True, slots=True)
class Inference:
    """Leaves the opponent may have, one for each rack that fits, as often as they are likely."""

    leaves: tuple[tuple[int, ...], ...]
    """Each in ascending order. Empty when the last play reveals nothing."""
    drawn: int
    """How many racks were drawn."""


NOTHING = Inference((), 0)


def infer(
    position: Position,
    graph: WordGraph,
    leaves: LeaveValues,
    *,
    samples: int = DEFAULT_SAMPLES,
    wanted: int = DEFAULT_WANTED,
    margin: int = DEFAULT_MARGIN,
    seconds: float | None = None,
    seed: int = 0,
    cancelled: Callable[[], bool] | None = None,
) -> Inference:
    """Infer from the position's last play what the opponent kept, in a game of two.

    Nothing is inferred when the opponent's rack is shown, when the last play is not known, was a pass or an exchange of all
    tiles, or when the bag was empty. A play that was challenged off shows its tiles, which are then all there is.

    Args:
        position: The position after the play, the other player on turn.
        graph: The words both players know.
        leaves: What the opponent thinks of leaves.
        samples: How many racks are drawn at most.
        wanted: After how many leaves it ends.
        margin: By how many millipoints the play may have been worse than the best.
        seconds: How long it may take; None for as long as it takes.
        seed: What the random numbers begin with; what is found follows from it, but for the time.
        cancelled: Is asked every 20 ms or so; once true, what was found is returned.

    Raises:
        AnalysisError: the game is one that is not analyzed.

    """
    last = position.last_play
    if last is None or len(position.players) != 2 or isinstance(last.play, Pass):
        return NOTHING
    opponent = position.players[1 - position.on_turn]
    if opponent.rack and not position.opponent_rack_unknown:
        return NOTHING
    if last.withdrawn:
        shown = tuple(sorted(tiles_used(last.play))) if isinstance(last.play, Placement) else ()
        return Inference((shown,), 0) if shown and _are_unseen(position, shown) else NOTHING
    before = _before(position, last)
    if before is None:
        return NOTHING
    return _sample(before, last, graph, leaves, _Effort(samples, wanted, margin, seconds, seed, cancelled))


@dataclass(frozen=True, slots=True)
class _Effort:
    samples: int
    wanted: int
    margin: int
    seconds: float | None
    seed: int
    cancelled: Callable[[], bool] | None


def _pool(position: Position) -> tuple[int, ...]:
    """Return how many of each tile are neither on the board nor on the rack of the player on turn."""
    own = position.players[position.on_turn].rack
    return unseen_tiles(position.rules.distribution, position.board.squares, [own]).counts


def _are_unseen(position: Position, tiles: tuple[int, ...]) -> bool:
    pool = _pool(position)
    return all(tiles.count(tile) <= pool[tile] for tile in tiles)


def _before(position: Position, last: LastPlay) -> Position | None:
    """Return the position before the last play, the same player on turn; None when it does not fit the board."""
    if not isinstance(last.play, Placement):
        return position
    board = board_before(position.board, last.play)
    return None if board is None else replace(position, board=board)


def _sample(
    before: Position, last: LastPlay, graph: WordGraph, leaves: LeaveValues, effort: _Effort
) -> Inference:
    rules = before.rules
    played = tiles_used(last.play) if isinstance(last.play, Placement) else ()
    given = last.play if isinstance(last.play, Exchange) else Exchange()
    case = np.zeros(kernel.CASE_LENGTH, dtype=np.int64)
    pool = np.array(_pool(before), dtype=np.int64)
    total = int(pool.sum())
    pool -= np.bincount(played, minlength=len(pool))
    bag = total - rules.rack_size
    kept = rules.rack_size - len(played)
    if bag <= 0 or kept <= 0 or (pool < 0).any() or len(played) > rules.rack_size:
        return NOTHING
    if isinstance(last.play, Exchange) and not 0 < given.count < rules.rack_size:
        return NOTHING  # who exchanges all tiles keeps none
    case[kernel.I_KEPT] = kept
    case[kernel.I_EXCHANGED] = given.count
    case[kernel.I_MARGIN] = max(0, effort.margin)
    case[kernel.I_BAG] = bag
    case[kernel.I_POOL : kernel.I_POOL + len(pool)] = pool
    case[kernel.I_PLAYED : kernel.I_PLAYED + len(pool)] = np.bincount(played, minlength=len(pool))
    if isinstance(last.play, Placement):
        case[kernel.I_WORTH] = MILLIPOINTS * score_placement(before.board, last.play, rules).score
        if not before.board.tile_count:
            case[kernel.I_WORTH] -= opening_penalty(before, last.play)
    return _draw(before, graph, leaves, case, effort)


def _draw(
    before: Position,
    graph: WordGraph,
    leaves: LeaveValues,
    case: Numbers,
    effort: _Effort,
) -> Inference:
    """Draw racks in batches until there are enough or time is up."""
    arrays = board_arrays(before, graph)
    space = workspace(
        arrays, rack_size=before.rules.rack_size, tiles=0, plies=0, stop=Stop(), kept=kernel.CHOICES
    )
    racks = np.zeros(2 * RACK_STRIDE, dtype=np.int64)
    tiles = np.zeros(int(case[kernel.I_POOL : kernel.I_PLAYED].sum()), dtype=np.int64)
    chance = np.zeros(1, dtype=np.int64)
    start_chance(chance, effort.seed & 0x7FFFFFFFFFFFFFFF, 0)
    kept = np.zeros(_BATCH * RACK_STRIDE, dtype=np.int32)
    known = np.zeros(kernel.MAX_WITNESSES * kernel.WITNESS, dtype=np.int64)
    answers = np.zeros(2 * kernel.RACKS, dtype=np.int64)
    until = None if effort.seconds is None else time.perf_counter() + effort.seconds
    found: list[tuple[int, ...]] = []
    drawn = 0
    while drawn < effort.samples and len(found) < effort.wanted:
        if until is not None and time.perf_counter() >= until:
            break
        if effort.cancelled is not None and effort.cancelled():
            break
        case[kernel.I_SAMPLES] = min(_BATCH, effort.samples - drawn)
        rows = kernel.sample_leaves(
            space.board, space.search, leaves_of(leaves), case, tiles, racks, chance, kept, known, answers
        )
        drawn += int(case[kernel.I_DRAWN])
        found.extend(
            tuple(tile for tile, count in enumerate(counts) for _ in range(count))
            for counts in kept[: rows * RACK_STRIDE].reshape(-1, RACK_STRIDE).tolist()
        )
    return Inference(tuple(found), drawn)
