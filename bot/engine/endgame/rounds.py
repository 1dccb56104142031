"""The order in which the plays and draws of a pre-endgame are searched.

A *cell* is a play together with one of its draws (:mod:`bot.engine.endgame.draws`). *Estimating* a cell follows the most
promising plays to the end of the game. *Deciding* a cell proves who wins. The *gain* of a cell is the number of points that the
player gains on the opponent by the end of the game.

1. All plays, or the 1,000 with the highest scores, are estimated on a few draws. The better plays are estimated on more draws.
2. The most promising play is decided draw by draw, until another play looks more promising.
3. The other plays are searched draw by draw, until none of them can exceed the best play's number of wins. Draws
   after which most plays lose are searched first.

Steps 2 and 3 make up a *round*. Each round raises the limit on search nodes per cell.

In step 2, the draws are searched in random order, but those with an estimate come last. A play is chosen for its good estimates, so
its results after these draws are probably better than after the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Protocol, TypeAlias

from bot.domain.crossword.play import Exchange
from bot.engine.analysis import Deadline
from bot.engine.endgame.draws import MAX_DRAWS, Draws
from bot.engine.endgame.outcomes import Candidate, Table
from bot.engine.endgame.search import UNBOUNDED, Searcher, SearchStatus

FIRST_MAX_NODES = 1_000
"""Maximum number of nodes for deciding a cell in the first round, except for the most promising play."""
_CLEAR_MARGIN = 15
"""A play whose estimated margin exceeds this number of points is expected to win."""
_ITERATION_COUNT = 4
"""Number of searches that estimate a gain before it is proved. The first is one ply deep, and each later search is one ply
deeper."""
_PLAYS_PER_REPORT = 64
_FIRST_DRAW_COUNT = 8
"""Number of draws on which each play is first estimated."""
_MAX_ESTIMATED_PLAYS = 1_000
"""Maximum number of plays that are estimated before any play is decided."""
_REDUCED_DRAW_COUNT = 2
"""Replaces :data:`_FIRST_DRAW_COUNT` if the bag has several tiles and there are more than :data:`_MAX_ESTIMATED_PLAYS` plays."""
_MIN_COMPARED_PLAYS = 4
"""Minimum number of plays that are estimated on more draws."""
_MAX_ESTIMATED_DRAWS = 64
"""Maximum number of draws on which a play is estimated."""
_SHORT_SEARCH_BATCH_SIZE, _LONG_SEARCH_BATCH_SIZE = 8, 4
"""Maximum numbers of draws that are searched before the plays are compared again. The first applies to searches of up
to :data:`FIRST_MAX_NODES`, and the second to longer searches."""
_MAX_NODES_GROWTH = 4
"""Factor by which the node limit grows after each round."""
_LEADER_MAX_NODES_FACTOR = 16
"""Multiplier of the node limit for the most promising play."""
_FIRST_RIVAL_COUNT = 16
"""While the best play has undecided draws, step 3 searches only the most promising plays: this many in the first round, and more in
each later round."""
_LAST_MAX_NODES = 1 << 40
"""The search ends once the node limit exceeds this number, even if the best play has not been proved."""
_PROVED_GAIN_COUNT = 5
"""Number of top plays whose gains are proved at the end."""

CellKey: TypeAlias = tuple[Candidate, int]
"""Identifies a cell: a play, and the index of one of its draws."""
Task: TypeAlias = Callable[[Searcher, Candidate, int], SearchStatus]


class TaskRunner(Protocol):
    """Runs a task on each cell."""

    def __call__(self, task: Task, cell_keys: Iterable[CellKey], *, report: bool = True) -> bool:
        """Run the task on each cell. If ``report``, update and report the ranking at the end. Return whether there is time left."""


class Rounds:
    """Searches the cells of a table, round after round."""

    def __init__(self, table: Table, draws: Draws, deadline: Deadline, run_task: TaskRunner) -> None:
        self._table = table
        self._draws = draws
        self._deadline = deadline
        self._run_task = run_task

    def run(self) -> None:
        if not self._estimate_plays():
            return
        table, max_nodes = self._table, FIRST_MAX_NODES
        while not table.is_best_proved():
            for leader_max_nodes in (max_nodes, _LEADER_MAX_NODES_FACTOR * max_nodes):
                if not table.is_best_decided() and not self._decide_leader(leader_max_nodes):
                    return
            if table.is_best_proved() or max_nodes > _LAST_MAX_NODES:
                break
            if not self._exclude_rivals(max_nodes):
                return
            max_nodes *= _MAX_NODES_GROWTH
        self._run_task(self._prove_gain, self._first_cells(table.ranked[:_PROVED_GAIN_COUNT], MAX_DRAWS))

    def _estimate_plays(self) -> bool:
        """Estimate the plays. Return whether there is time left."""
        table = self._table
        plays = table.candidates[:_MAX_ESTIMATED_PLAYS]
        draw_count = (
            _FIRST_DRAW_COUNT
            if self._draws.bag_count == 1 or len(table.candidates) <= _MAX_ESTIMATED_PLAYS
            else _REDUCED_DRAW_COUNT
        )
        for first in range(0, len(plays), _PLAYS_PER_REPORT):
            if not self._run_task(
                self._estimate_cell, self._first_cells(plays[first : first + _PLAYS_PER_REPORT], draw_count)
            ):
                return False
        while draw_count < min(_MAX_ESTIMATED_DRAWS, len(self._draws.draws_for_play(self._draws.bag_count))):
            draw_count *= 2
            plays = sorted(plays, key=table.priority, reverse=True)[
                : max(_MIN_COMPARED_PLAYS, len(plays) // 4)
            ]
            if not self._run_task(self._estimate_cell, self._first_cells(plays, draw_count)):
                return False
        return True

    def _decide_leader(self, max_nodes: int) -> bool:
        """Decide the cells of the most promising play, with up to ``max_nodes`` nodes for each. Return whether there is time left.

        If another play becomes more promising, continue with that play. Finally, do the same for the play that is ranked first.
        """
        table = self._table
        task = partial(self._decide_cell, max_nodes=max_nodes)
        batch_size = _SHORT_SEARCH_BATCH_SIZE if max_nodes == FIRST_MAX_NODES else _LONG_SEARCH_BATCH_SIZE
        priorities = {play: table.priority(play) for play in table.candidates if play.estimated_count}
        while priorities:
            leader = max(priorities, key=priorities.__getitem__)
            cell_keys = list(islice(self._open_cells(leader, max_nodes), batch_size))
            if not cell_keys:
                if table.bounds(leader)[0] >= table.max_half_wins or table.can_exceed_proved_wins(leader):
                    break
                del priorities[leader]
                continue
            if not self._run_task(task, cell_keys, report=False):
                return False
            leader.update_estimated_count()
            priorities[leader] = table.priority(leader)
        has_time = self._run_task(task, ())  # without cells, it only updates and reports the ranking
        while has_time and (
            cell_keys := list(islice(self._open_cells(table.ranked[0], max_nodes), batch_size))
        ):
            has_time = self._run_task(task, cell_keys)
        return has_time

    def _open_cells(self, candidate: Candidate, max_nodes: int) -> Iterator[CellKey]:
        """Yield a play's open cells that no search with this node limit has tried."""
        self._set_draws(candidate)
        for index in candidate.order:
            cell = candidate.cells.get(index)
            if (cell is None or cell.tried_max_nodes < max_nodes) and self._table.is_open(candidate, index):
                yield candidate, index

    def _exclude_rivals(self, max_nodes: int) -> bool:
        """Search the other plays, with up to ``max_nodes`` nodes for each cell. Return whether there is time left.

        A play is excluded once it can no longer exceed the best play's number of wins.
        """
        table = self._table
        plays = sorted(table.candidates, key=table.priority, reverse=True)
        if not table.is_best_decided():
            del plays[_FIRST_RIVAL_COUNT * max_nodes // FIRST_MAX_NODES :]
        for play in plays:
            self._set_draws(play)
        task = partial(
            self._exclude_cell if max_nodes == FIRST_MAX_NODES else self._decide_cell, max_nodes=max_nodes
        )
        return self._run_task(task, self._cells_by_losses(plays))

    def _cells_by_losses(self, plays: Sequence[Candidate]) -> Iterator[CellKey]:
        """Yield the open cells. Draws after which most plays lose come first."""
        table = self._table
        placements = [play for play in plays if not isinstance(play.play, Exchange)]
        orders: dict[int, Sequence[int]] = {play.left_in_bag: play.order for play in placements}
        balances: dict[int, Counter[int]] = {left_in_bag: Counter() for left_in_bag in orders}
        for play in placements:
            for index, cell in play.cells.items():
                if cell.is_decided(table.spread):
                    balances[play.left_in_bag][index] += cell.outcome(table.spread) - 1
        for left_in_bag, order in orders.items():
            orders[left_in_bag] = sorted(order, key=balances[left_in_bag].__getitem__)
        for place in range(max(len(play.draws) for play in plays)):
            plays = [play for play in plays if place < len(play.order) and table.can_exceed_proved_wins(play)]
            for play in plays:
                index = (play.order if isinstance(play.play, Exchange) else orders[play.left_in_bag])[place]
                if table.is_open(play, index):
                    yield play, index

    def _first_cells(self, plays: Sequence[Candidate], draw_count: int) -> Iterator[CellKey]:
        for candidate in plays:
            self._set_draws(candidate)
        for index in range(min(draw_count, max(len(candidate.draws) for candidate in plays))):
            for candidate in plays:
                if index < len(candidate.draws):
                    yield candidate, index

    def _set_draws(self, candidate: Candidate) -> None:
        if candidate.draws:
            return
        if isinstance(candidate.play, Exchange):
            candidate.draws = self._draws.draws_for_exchange(candidate.play.tiles)
            candidate.order = range(len(candidate.draws))[::-1]
        else:
            count = self._draws.bag_count - candidate.left_in_bag
            candidate.draws = self._draws.draws_for_play(count)
            candidate.sample = self._draws.sample(count)
            candidate.order = self._draws.draw_order(count)

    def _estimate_cell(self, searcher: Searcher, candidate: Candidate, index: int) -> SearchStatus:
        cell = self._table.find_or_create_cell(candidate, index)
        if cell is None or cell.is_estimated:
            return SearchStatus.DONE
        window = -UNBOUNDED, UNBOUNDED
        status = searcher.search(0, window, self._deadline, slot=candidate.slot)
        if status is SearchStatus.DONE:
            self._table.store_result(candidate, index, searcher.value, window, final=searcher.is_final)
        if status is not SearchStatus.STOPPED:
            cell.is_estimated = True
        return status

    def _decide_cell(
        self, searcher: Searcher, candidate: Candidate, index: int, max_nodes: int
    ) -> SearchStatus:
        status = self._estimate_cell(searcher, candidate, index)
        while status is SearchStatus.DONE and self._table.is_open(candidate, index):
            cell = candidate.cells.get(index)
            if cell is None or cell.tried_max_nodes >= max_nodes:
                break
            window = cell.window(self._table.spread)
            status = searcher.prove_at_least(candidate.slot, window[1], self._deadline, max_nodes)
            cell.ran_out_of_room = status is SearchStatus.NO_ROOM
            if status is SearchStatus.DONE:
                self._table.store_result(candidate, index, searcher.value, window, final=searcher.is_final)
            elif status is SearchStatus.OUT_OF_NODES:
                cell.tried_max_nodes = max_nodes
        return status

    def _exclude_cell(
        self, searcher: Searcher, candidate: Candidate, index: int, max_nodes: int
    ) -> SearchStatus:
        """Decide a cell, unless the play is expected to win, because a win does not exclude a play."""
        status = self._estimate_cell(searcher, candidate, index)
        cell = candidate.cells.get(index)
        if (
            status is not SearchStatus.DONE
            or cell is None
            or cell.estimate + self._table.spread > _CLEAR_MARGIN
        ):
            return status
        return self._decide_cell(searcher, candidate, index, max_nodes)

    def _prove_gain(self, searcher: Searcher, candidate: Candidate, index: int) -> SearchStatus:
        cell = self._table.find_or_create_cell(candidate, index)
        low, high = -UNBOUNDED, UNBOUNDED
        depth = width = 1
        while cell is not None and not cell.is_exact and not cell.ran_out_of_room:
            status = searcher.search(depth, (low, high), self._deadline, slot=candidate.slot)
            if status is SearchStatus.STOPPED:
                return status
            cell.ran_out_of_room = status is SearchStatus.NO_ROOM
            cell.is_estimated = True
            if status is SearchStatus.DONE:
                value = searcher.value
                self._table.store_result(candidate, index, value, (low, high), final=searcher.is_final)
                if depth < min(_ITERATION_COUNT, searcher.max_depth):
                    depth += 1
                else:  # the value is almost certain, so a narrow window will probably contain it
                    depth = searcher.max_depth
                    low, high = value - width, value + width
                    width *= 8
        return SearchStatus.DONE
