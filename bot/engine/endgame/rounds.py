"""The order in which a pre-endgame's plays and draws are searched.

First, all plays are compared by estimates on a few draws, and the better plays on more draws. Then the most promising
play is decided, draw by draw, until another play promises more: the figures of the best play matter most to the user.
Once its wins are known, the other plays are excluded draw by draw. The draws that most plays lose come first, and a
play is finished as soon as it cannot win more than the best.

Draws are decided in the order of a random sample. The sample begins with the draws that are estimated last, so it is
independent of the estimates by which plays were chosen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Protocol, TypeAlias

from bot.domain.crossword.play import Exchange
from bot.engine.endgame.draws import MAX_DRAWS, Draws
from bot.engine.endgame.outcomes import Candidate, Table
from bot.engine.endgame.search import UNBOUNDED, Outcome, Searcher, Watch

FIRST_EFFORT = 1_000
"""Number of nodes that are searched to decide the winner before it is estimated."""
_CLEAR_MARGIN = 15
"""A play that is estimated to win by this number of points is not expected to lose."""
_ITERATIONS = 4
"""Number of iterations that estimate a gain before it is proved."""


class Cells:
    """Fills in the cells of a table until its time is up."""

    def __init__(self, table: Table, watch: Watch) -> None:
        self.table = table
        self.watch = watch

    def guess(self, searcher: Searcher, candidate: Candidate, draw: int) -> Outcome:
        """Estimate a cell: follow the most promising plays to the end of the game."""
        cell = self.table.cell(candidate, draw)
        if cell is None or cell.is_guessed:
            return Outcome.DONE
        window = -UNBOUNDED, UNBOUNDED
        outcome = searcher.search_play(candidate.slot, 0, *window, self.watch)
        if outcome is Outcome.DONE:
            self.table.learn(candidate, draw, searcher.value, window, final=searcher.is_final)
        if outcome is not Outcome.STOPPED:
            cell.is_guessed = True
        return outcome

    def decide(self, searcher: Searcher, candidate: Candidate, draw: int, effort: int) -> Outcome:
        """Search for the winner with up to ``effort`` nodes, unless the play can no longer be the best."""
        outcome = self.guess(searcher, candidate, draw)
        while outcome is Outcome.DONE and self.table.is_open(candidate, draw):
            cell = candidate.cells.get(draw)
            if cell is None or cell.effort >= effort:
                break
            window = cell.question(self.table.spread)
            outcome = searcher.ask(candidate.slot, window[1], self.watch, effort)
            cell.no_room = outcome is Outcome.NO_ROOM
            if outcome is Outcome.DONE:
                self.table.learn(candidate, draw, searcher.value, window, final=searcher.is_final)
            elif outcome is Outcome.TIRED:
                cell.effort = effort
        return outcome

    def exclude(self, searcher: Searcher, candidate: Candidate, draw: int, effort: int) -> Outcome:
        """Do the same as :meth:`decide`, unless the play is expected to win with this draw, which would not exclude it."""
        outcome = self.guess(searcher, candidate, draw)
        cell = candidate.cells.get(draw)
        if outcome is not Outcome.DONE or cell is None or cell.guess + self.table.spread > _CLEAR_MARGIN:
            return outcome
        return self.decide(searcher, candidate, draw, effort)

    def measure(self, searcher: Searcher, candidate: Candidate, draw: int) -> Outcome:
        """Search until the gain of a play is proved."""
        cell = self.table.cell(candidate, draw)
        low, high = -UNBOUNDED, UNBOUNDED
        depth = width = 1
        while cell is not None and not cell.is_exact and not cell.no_room:
            outcome = searcher.search_play(candidate.slot, depth, low, high, self.watch)
            if outcome is Outcome.STOPPED:
                return outcome
            cell.no_room = outcome is Outcome.NO_ROOM
            cell.is_guessed = True
            if outcome is Outcome.DONE:
                value = searcher.value
                self.table.learn(candidate, draw, value, (low, high), final=searcher.is_final)
                if depth < min(_ITERATIONS, searcher.deepest):
                    depth += 1
                else:  # The value is almost known; if it is outside the window, the window is moved.
                    depth = searcher.deepest
                    low, high = value - width, value + width
                    width *= 8
        return Outcome.DONE


_ESTIMATED_AT_ONCE = 64
"""Number of plays estimated between two reports, highest scores first."""
_FIRST_DRAWS = 8
"""Number of draws on which all plays are estimated."""
_MAX_ESTIMATED = 1_000
"""Number of plays, those with the highest scores, that are estimated before any is decided."""
_FEW_DRAWS = 2
"""Number of draws per play if there are more plays."""
_MIN_COMPARED = 4
"""Minimum number of plays compared by estimates on more draws."""
_MAX_DRAWS = 64
"""Maximum number of draws for estimates."""
_STEP, _LONG_STEP = 8, 4
"""Number of draws of a play that are decided before the leader is chosen again, with few nodes and with many."""
_EFFORT_GROWTH = 4
"""Factor by which the number of nodes grows from round to round."""
_LEADER_FACTOR = 16
"""Number of nodes for the most promising play, as a multiple of the number for the others."""
_FIRST_RIVALS = 16
"""Number of plays examined for exclusion while the wins of the best are unknown. It grows with the number of
nodes."""
_LAST_EFFORT = 1 << 40
"""The effort of the last rounds, in nodes: unlimited."""
_PROVED_GAINS = 5
"""Number of plays whose gains are also proved once the best play is known."""

Job: TypeAlias = tuple[Candidate, int]
"""A play, and the index of one of its draws."""
Task: TypeAlias = Callable[[Searcher, Candidate, int], Outcome]


class Fill(Protocol):
    """Runs a task for plays with draws; returns whether there is time left."""

    def __call__(self, task: Task, jobs: Iterable[Job], *, report: bool = True) -> bool:
        """Run the task; then report the results if ``report`` is set."""


class Rounds:
    """Fills the cells of a table in the order described above."""

    def __init__(self, table: Table, draws: Draws, in_bag: int, cells: Cells, fill: Fill) -> None:
        self._table = table
        self._draws = draws
        self._in_bag = in_bag
        self._cells = cells
        self._fill = fill

    def run(self) -> None:
        """Fill the table until time is up."""
        if not self._guess_all():
            return
        table, effort = self._table, FIRST_EFFORT
        while not table.is_complete():
            for leading in (effort, _LEADER_FACTOR * effort):
                if not table.is_best_decided() and not self._lead(leading):
                    return
            if table.is_complete() or effort > _LAST_EFFORT:
                break
            if not self._exclude(effort):
                return
            effort *= _EFFORT_GROWTH
        self._fill(self._cells.measure, self._jobs(table.ranked[:_PROVED_GAINS], MAX_DRAWS))

    def _guess_all(self) -> bool:
        """Estimate the values of plays, of the better plays on more draws; return whether there is time left."""
        table, guess = self._table, self._cells.guess
        plays = table.candidates[:_MAX_ESTIMATED]
        draws = _FIRST_DRAWS if self._in_bag == 1 or len(table.candidates) <= _MAX_ESTIMATED else _FEW_DRAWS
        for first in range(0, len(plays), _ESTIMATED_AT_ONCE):
            if not self._fill(guess, self._jobs(plays[first : first + _ESTIMATED_AT_ONCE], draws)):
                return False
        while draws < min(_MAX_DRAWS, len(self._draws.after(self._in_bag))):
            draws *= 2
            plays = sorted(plays, key=table.promise, reverse=True)[: max(_MIN_COMPARED, len(plays) // 4)]
            if not self._fill(guess, self._jobs(plays, draws)):
                return False
        return True

    def _lead(self, effort: int) -> bool:
        """Decide the most promising play, with up to ``effort`` nodes for each draw; return whether time is left.

        Once another play promises more, that play is next. The first play of the ranking is also decided, since its
        figures are reported.
        """
        table = self._table
        task = partial(self._cells.decide, effort=effort)
        step = _STEP if effort == FIRST_EFFORT else _LONG_STEP
        promises = {play: table.promise(play) for play in table.candidates if play.seen}
        while promises:
            leader = max(promises, key=promises.__getitem__)
            jobs = list(islice(self._open(leader, effort), step))
            if not jobs:
                if table.bounds(leader)[0] >= table.sure or table.may_be_best(leader):
                    break
                del promises[leader]  # Another play is proved to win as much.
                continue
            if not self._fill(task, jobs, report=False):
                return False
            leader.count_seen()
            promises[leader] = table.promise(leader)
        going_on = self._fill(task, ())
        while going_on and (jobs := list(islice(self._open(table.ranked[0], effort), step))):
            going_on = self._fill(task, jobs)
        return going_on

    def _open(self, candidate: Candidate, effort: int) -> Iterator[Job]:
        """Yield a play with each draw that this effort may decide."""
        self._begin(candidate)
        for draw in candidate.order:
            cell = candidate.cells.get(draw)
            if (cell is None or cell.effort < effort) and self._table.is_open(candidate, draw):
                yield candidate, draw

    def _exclude(self, effort: int) -> bool:
        """Search for draws that plays lose, with up to ``effort`` nodes each; return whether time is left."""
        table = self._table
        plays = sorted(table.candidates, key=table.promise, reverse=True)
        if not table.is_best_decided():
            del plays[_FIRST_RIVALS * effort // FIRST_EFFORT :]
        for play in plays:
            self._begin(play)
        task = partial(self._cells.exclude if effort == FIRST_EFFORT else self._cells.decide, effort=effort)
        return self._fill(task, self._by_losses(plays))

    def _by_losses(self, plays: Sequence[Candidate]) -> Iterator[Job]:
        """Yield plays with their open draws, draw by draw; the draws that most of the plays lose come first."""
        table = self._table
        placements = [play for play in plays if not isinstance(play.play, Exchange)]
        orders: dict[int, Sequence[int]] = {play.left: play.order for play in placements}
        saved: dict[int, Counter[int]] = {left: Counter() for left in orders}
        for play in placements:
            for draw, cell in play.cells.items():
                if cell.is_decided(table.spread):
                    saved[play.left][draw] += cell.outcome(table.spread) - 1
        for left, order in orders.items():
            orders[left] = sorted(order, key=saved[left].__getitem__)
        for place in range(max(len(play.draws) for play in plays)):
            plays = [play for play in plays if place < len(play.order) and table.may_be_best(play)]
            for play in plays:
                draw = (play.order if isinstance(play.play, Exchange) else orders[play.left])[place]
                if table.is_open(play, draw):
                    yield play, draw

    def _jobs(self, plays: Sequence[Candidate], draws: int) -> Iterator[Job]:
        """Yield plays with each of their first draws, draw by draw."""
        for candidate in plays:
            self._begin(candidate)
        for draw in range(min(draws, max(len(candidate.draws) for candidate in plays))):
            for candidate in plays:
                if draw < len(candidate.draws):
                    yield candidate, draw

    def _begin(self, candidate: Candidate) -> None:
        """Find the draws of a play, unless they are known."""
        if candidate.draws:
            return
        if isinstance(candidate.play, Exchange):
            candidate.draws = self._draws.after_exchange(candidate.play.tiles)
            candidate.order = range(len(candidate.draws))[::-1]
        else:
            count = self._in_bag - candidate.left
            candidate.draws = self._draws.after(count)
            candidate.sample = self._draws.sample(count)
            candidate.order = self._draws.order(count)
