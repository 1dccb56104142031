"""Infers from the opponent's last play which tiles they kept.

A rack counts as possible when the play was within a margin of the best static play with it (MAGPIE's rule); what it kept
is then one of the leaves that :func:`bot.engine.simulation.simulate.simulate` draws from. Racks are drawn at random from the
tiles nobody has shown, together with the tiles of the play, so leaves are found as often as they are likely. Where it
would take too many draws, all racks that may be possible are listed, and draws are made from the list: racks that are
left out are those that a draw would have ruled out. How that is known without a search: :mod:`bot.engine.kernels.inference`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bot.domain.crossword.game import board_before, tiles_used
from bot.domain.crossword.play import Exchange, Pass, Placement
from bot.domain.crossword.position import LastPlay, Position, unseen_tiles
from bot.domain.crossword.scoring import score_placement
from bot.engine.analysis import MILLIPOINTS, Stop
from bot.engine.kernels import pool, rack_listing, racks
from bot.engine.kernels.board import G_EXCHANGE, Numbers
from bot.engine.kernels.turn import RACK_STRIDE, start_chance
from bot.engine.lexicon.leaves import LeaveValues
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.plays.board_arrays import board_arrays
from bot.engine.plays.equity import opening_penalty
from bot.engine.simulation.arrays import leaves_of, workspace

DEFAULT_SAMPLES = 400_000
"""Racks that are drawn at most, beside those that are listed."""
DEFAULT_WANTED = 1_500
"""Leaves that are enough, the same one as often as it was found."""
DEFAULT_MARGIN = 5 * MILLIPOINTS
"""How much worse than the best, in millipoints, a play is thought possible."""
_BATCH = 50
"""Racks of seven tiles that are drawn or looked at between two looks at the clock: some 20 ms."""
_KINDS = np.arange(RACK_STRIDE)
_SEEDS = 0x7FFFFFFFFFFFFFFF
_FIRST_DRAWN, _NEXT_DRAWN = 200, 2_000
"""So many racks are drawn before it is asked how rare those are that explain the play, and again."""
_MOST_LISTED = 1 << 19
"""Racks in a list at most: where more may be possible, draws find some soon."""
_MOST_RACKS = 4_000_000
"""Racks that are gone through for a list at most; with English tiles there are 3,199,724."""
_RACKS_A_DRAW = 16
"""To go through so many racks takes about as long as to draw one, which may have to be searched."""
_MOST_TRIED = 4_000_000
"""Tiles that are tried to find what the unseen tiles score, at most: a third of a second."""
_TRIED, _STEPS = 250_000, 5_000
"""Tiles that are tried, and steps of listing, between two looks at the clock: some 20 ms each."""


@dataclass(frozen=True, slots=True)
class Inference:
    """Leaves the opponent may have, one for each rack that fits, as often as they are likely."""

    leaves: tuple[tuple[int, ...], ...]
    """Each in ascending order. Empty when the last play reveals nothing."""
    drawn: int
    """How many racks were drawn, from all or from a list."""


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
    case = None if before is None else _case(before, last)
    if before is None or case is None:
        return NOTHING
    case[racks.I_MARGIN] = max(0, margin)
    found = _Racks(before, graph, leaves, case, samples=samples, wanted=wanted, seed=seed & _SEEDS)
    until = math.inf if seconds is None else time.perf_counter() + seconds
    return found.look(until, cancelled)


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


def _case(before: Position, last: LastPlay) -> Numbers | None:
    """Return the numbers of a play for the kernels, or None when it reveals nothing."""
    rules = before.rules
    played = tiles_used(last.play) if isinstance(last.play, Placement) else ()
    given = last.play if isinstance(last.play, Exchange) else Exchange()
    case = np.zeros(racks.CASE_LENGTH, dtype=np.int64)
    left = np.array(_pool(before), dtype=np.int64)
    total = int(left.sum())
    laid = np.bincount(played, minlength=len(left))
    left -= laid
    bag = total - rules.rack_size
    kept = rules.rack_size - len(played)
    if bag <= 0 or kept <= 0 or (left < 0).any() or len(played) > rules.rack_size:
        return None
    if isinstance(last.play, Exchange) and not 0 < given.count < rules.rack_size:
        return None  # who exchanges all tiles keeps none
    case[racks.I_KEPT] = kept
    case[racks.I_EXCHANGED] = given.count
    case[racks.I_BAG] = bag
    case[racks.I_POOL : racks.I_POOL + len(left)] = left
    case[racks.I_PLAYED : racks.I_PLAYED + len(left)] = laid
    if isinstance(last.play, Placement):
        case[racks.I_WORTH] = MILLIPOINTS * score_placement(before.board, last.play, rules).score
        if not before.board.tile_count:
            case[racks.I_WORTH] -= opening_penalty(before, last.play)
    return case


class _Racks:
    """The racks that the opponent may have had, and what was found so far."""

    def __init__(
        self,
        before: Position,
        graph: WordGraph,
        leaves: LeaveValues,
        case: Numbers,
        *,
        samples: int,
        wanted: int,
        seed: int,
    ) -> None:
        arrays = board_arrays(before, graph)
        size = before.rules.rack_size
        if case[racks.I_BAG] >= arrays.game[G_EXCHANGE]:
            case[racks.I_EXCHANGE] = min(size, int(case[racks.I_BAG]))
        self._board, search, _ = workspace(arrays, rack_size=size, tiles=0, plies=0, stop=Stop())
        self._work = search.work
        self._leaves = leaves_of(leaves)
        self._case = case
        self._scores = np.zeros(pool.SCORES_LENGTH, dtype=np.int64)
        self._parts = np.zeros(racks.PART << size, dtype=np.int64)
        self._chance = np.zeros(1, dtype=np.int64)
        start_chance(self._chance, seed, 0)
        self._means = (
            self._board,
            search,
            self._leaves,
            case,
            self._scores,
            self._parts,
            np.zeros(2 * racks.ANSWERS, dtype=np.int64),
            np.zeros(2 * RACK_STRIDE, dtype=np.int64),
        )
        self._batch = max(1, min(_BATCH, (_BATCH << 7) >> size))
        self._samples, self._wanted, self._seed = samples, wanted, seed
        self._until = math.inf
        self._cancelled: Callable[[], bool] | None = None
        self._found: list[tuple[int, ...]] = []
        self._drawn = 0

    def look(self, until: float, cancelled: Callable[[], bool] | None) -> Inference:
        """Find leaves until there are enough or time is up."""
        self._until, self._cancelled = until, cancelled
        listed = None
        if self._draw(_FIRST_DRAWN) and 2 * len(self._found) < self._drawn and self._score():
            rare = self._is_rare() or (self._draw(_NEXT_DRAWN) and self._is_rare())
            listed = self._list() if rare else None
        if listed is None:
            self._draw(self._samples)
        else:
            self._choose(*listed)
        return Inference(tuple(self._found), self._drawn)

    def _has_ended(self) -> bool:
        return (
            len(self._found) >= self._wanted
            or self._drawn >= self._samples
            or time.perf_counter() >= self._until
            or (self._cancelled is not None and self._cancelled())
        )

    def _score(self) -> bool:
        """Find what the unseen tiles score; return whether there is time left."""
        unseen = np.zeros(pool.POOL_LENGTH, dtype=np.int64)
        counts = unseen[pool.POOL_COUNTS :]
        counts += self._case[racks.I_POOL : racks.I_POOL + RACK_STRIDE]
        counts += self._case[racks.I_PLAYED : racks.I_PLAYED + RACK_STRIDE]
        for _ in range(_MOST_TRIED // _TRIED):
            if self._has_ended():
                return False
            if pool.score_pool(self._board, self._work, unseen, self._scores, _TRIED):
                break
        return True

    def _draw(self, samples: int) -> bool:
        """Draw until so many racks were drawn; return whether more are wanted, and there is time left."""
        counts = self._case[racks.I_POOL : racks.I_POOL + RACK_STRIDE]
        tiles = np.repeat(_KINDS, counts)
        while not self._has_ended():
            if self._drawn >= samples:
                return True
            number = min(self._batch, self._samples - self._drawn)
            drawn = np.zeros(number * RACK_STRIDE, dtype=np.int64)
            racks.draw_racks(tiles, self._chance, self._case[racks.I_KEPT], drawn)
            self._drawn += number
            self._found.extend(leave for leave in self._leaves_of(drawn) if leave is not None)
        return False

    def _leaves_of(self, drawn: Numbers) -> list[tuple[int, ...] | None]:
        """Return what was kept of each row of tiles drawn, None of those that do not explain the play."""
        fits = np.zeros(len(drawn) // RACK_STRIDE, dtype=np.int64)
        kept = np.zeros(len(drawn), dtype=np.int32)
        racks.explain(*self._means, drawn, kept, fits)
        return [
            tuple(np.repeat(_KINDS, counts).tolist()) if fit else None
            for counts, fit in zip(kept.reshape(-1, RACK_STRIDE), fits.tolist(), strict=True)
        ]

    def _count(self) -> float:
        """Return how many different racks there are."""
        kept = int(self._case[racks.I_KEPT])
        racks_of = np.eye(1, kept + 1)[0]  # by how many tiles they have, of the kinds so far
        for count in self._case[racks.I_POOL : racks.I_POOL + RACK_STRIDE].tolist():
            racks_of = np.convolve(racks_of, np.ones(min(count, kept) + 1))[: kept + 1]
        return float(racks_of[kept])

    def _is_rare(self) -> bool:
        """Return whether to draw until there are enough racks takes longer than to go through all."""
        left = self._samples - self._drawn
        if self._found:
            left = min(left, (self._wanted - len(self._found)) * self._drawn // len(self._found))
        possible = self._case[racks.I_KEPT] <= rack_listing.MOST_TILES
        return bool(possible) and self._count() <= min(_MOST_RACKS, _RACKS_A_DRAW * left)

    def _choose(self, listed: Numbers, chances: rack_listing.Chances) -> None:
        """Draw from a list of racks until there are enough, or none is left that explains the play."""
        leaves: dict[int, tuple[int, ...] | None] = {}
        kept = int(self._case[racks.I_KEPT])
        random = np.random.default_rng(self._seed)
        while chances.any() and not self._has_ended():
            upto = np.cumsum(chances)
            number = min(self._batch, self._samples - self._drawn)
            places = np.searchsorted(upto[:-1], upto[-1] * random.random(number), side="right").tolist()
            asked = [place for place in dict.fromkeys(places) if place not in leaves]
            leaves.update(zip(asked, self._leaves_of(_rows(listed[asked], kept)), strict=True))
            chances[[place for place in asked if leaves[place] is None]] = 0
            self._drawn += number
            self._found.extend(leave for place in places if (leave := leaves[place]) is not None)

    def _list(self) -> tuple[Numbers, rack_listing.Chances] | None:
        """List all racks that no known play speaks against, with the ways in which each is drawn.

        Return None when there is no room or no time for that.
        """
        listed = np.zeros(_MOST_LISTED, dtype=np.int64)
        chances = np.zeros(_MOST_LISTED)
        state = np.zeros(rack_listing.LIST_LENGTH, dtype=np.int64)
        ways = np.ones(rack_listing.MOST_TILES)
        hopes = np.zeros(len(self._parts) // racks.PART, dtype=np.int64)
        began = time.perf_counter()
        while not self._has_ended():
            ended = rack_listing.list_racks(
                self._leaves,
                self._case,
                self._scores,
                self._parts,
                state,
                ways,
                hopes,
                listed,
                chances,
                _STEPS,
            )
            number = int(state[rack_listing.L_LISTED])
            if ended:
                return (listed[:number], chances[:number]) if number <= _MOST_LISTED else None
            now = time.perf_counter()
            if (now - began) * self._count() > (self._until - began) * state[rack_listing.L_SEEN]:
                break  # it would take too long
        return None


def _rows(listed: Numbers, kept: int) -> Numbers:
    """Return racks of a list, each of so many tiles, as rows of 64 counts."""
    tiles = listed[:, np.newaxis] >> rack_listing.BITS * np.arange(kept) & (1 << rack_listing.BITS) - 1
    places = tiles + RACK_STRIDE * np.arange(len(listed))[:, np.newaxis]
    return np.bincount(places.ravel(), minlength=RACK_STRIDE * len(listed))
