"""What is done for a play with a draw, on a thread: guess what it gains, decide who wins, prove the gain."""

from __future__ import annotations

from dataclasses import dataclass

from bot.engine.endgame.outcomes import Candidate, Table
from bot.engine.endgame.search import UNBOUNDED, Outcome, Searcher, Watch

LITTLE = 1_000
"""The nodes that are tried to decide who wins before it is guessed."""
_CLEARLY = 15
"""By so many points a play that is guessed to win is not expected to lose."""
_ITERATIONS = 4
"""What a gain is expected to be is found by so many iterations before it is proved."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Fills in the cells of a table, until its time is over."""

    table: Table
    watch: Watch

    def guess(self, searcher: Searcher, candidate: Candidate, draw: int) -> Outcome:
        """Follow the most promising plays after a play to the end of the game."""
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
        """Do the same, unless the play is expected to win with this draw, which excludes nothing."""
        outcome = self.guess(searcher, candidate, draw)
        cell = candidate.cells.get(draw)
        if outcome is not Outcome.DONE or cell is None or cell.guess + self.table.spread > _CLEARLY:
            return outcome
        return self.decide(searcher, candidate, draw, effort)

    def measure(self, searcher: Searcher, candidate: Candidate, draw: int) -> Outcome:
        """Search by how much a play gains until it is proved."""
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
                else:  # The value is as good as known; where it lies beyond the window, the window follows.
                    depth = searcher.deepest
                    low, high = value - width, value + width
                    width *= 8
        return Outcome.DONE
