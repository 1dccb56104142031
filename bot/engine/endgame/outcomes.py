"""What is known of each play for each tile that may be in the bag, while a pre-endgame is being searched."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.domain.crossword.play import Play
from bot.engine.endgame.search import UNBOUNDED


@dataclass(frozen=True, slots=True)
class DrawOutcome:
    """How a play turns out when a certain tile is in the bag."""

    tile: int
    """The tile in the bag."""
    weight: int
    """How many such tiles are unseen: what the case counts."""
    gain: int
    """By how many points the player on turn gains on the opponent until the end of the game."""
    exact: bool
    """Whether the gain is proved."""
    decided: bool
    """Whether the winner is proved."""


@dataclass(frozen=True, slots=True)
class PreEndgamePlay:
    """A play with how many of the draws it wins."""

    play: Play
    score: int
    wins: int
    """Weight of the draws with which the player on turn wins the game, as far as it is known."""
    ties: int
    losses: int
    undecided: int
    """Weight of those draws, among all, whose winner is not proved."""
    gain: float
    """Mean of the gains over the draws."""
    exact: bool
    """Whether all gains are proved."""
    draws: tuple[DrawOutcome, ...]

    sure: tuple[int, int, int] = (0, 0, 0)
    """Weight of the draws of which it is proved that they are won, tied, lost."""

    @property
    def points(self) -> float:
        """The share of the draws that is won, a tie counting half, as far as it is known."""
        return (self.wins + self.ties / 2) / (self.wins + self.ties + self.losses)

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest share of the draws that may be won, a tie counting half."""
        wins, ties, losses = self.sure
        total = wins + ties + losses + self.undecided
        return (wins + ties / 2) / total, (wins + ties / 2 + self.undecided) / total


@dataclass(slots=True)
class Cell:
    """A play and a draw."""

    gain: int = 0
    """The latest guess of the gain."""
    guess: int = 0
    """The latest guess, reliable only for which player wins."""
    depth: int = -1
    """How deep it was searched."""
    lower: int = -UNBOUNDED
    """What the gain is proved to be at least, and at most."""
    upper: int = UNBOUNDED
    no_room: bool = False

    def outcome(self, spread: int) -> int:
        """Return 1, 0 or -1 for a win, a tie or a loss from a lead of ``spread``, as far as it is known."""
        final = min(max(self.guess, self.lower), self.upper) + spread
        return (final > 0) - (final < 0)

    def is_decided(self, spread: int) -> bool:
        """Return whether the winner is proved."""
        return self.lower + spread > 0 or self.upper + spread < 0 or self.is_exact

    @property
    def is_exact(self) -> bool:
        """Whether the gain is proved."""
        return self.lower == self.upper

    def learn(self, value: int, low: int, high: int, *, final: bool) -> None:
        """Take what a search in a window found; see :attr:`bot.engine.endgame.search.Searcher.is_final`."""
        self.guess = value
        if low < value < high:
            self.gain = value
        if final and value > low:
            self.lower = max(self.lower, value)
        if final and value < high:
            self.upper = min(self.upper, value)
        self.gain = min(max(self.gain, self.lower), self.upper)


@dataclass(slots=True)
class Candidate:
    """A play under search."""

    slot: int
    play: Play
    score: int
    cells: list[Cell] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Table:
    """All plays with all draws."""

    candidates: list[Candidate]
    draws: tuple[tuple[int, int], ...]
    """Each tile that may be in the bag with its weight."""
    spread: int
    """The lead of the player on turn before the play."""

    def bounds(self, candidate: Candidate) -> tuple[int, int]:
        """Return twice the least and twice the greatest weight of the draws a play can win, ties counting half."""
        least = most = 0
        for cell, (_, weight) in zip(candidate.cells, self.draws, strict=True):
            if cell.is_decided(self.spread):
                least += weight * (1 + cell.outcome(self.spread))
                most += weight * (1 + cell.outcome(self.spread))
            else:
                most += 2 * weight
        return least, most

    def ranked(self) -> list[Candidate]:
        """Return the plays that were searched with all draws, best first."""

        def key(candidate: Candidate) -> tuple[int, int, int]:
            points = gain = 0
            for cell, (_, weight) in zip(candidate.cells, self.draws, strict=True):
                points += weight * (1 + cell.outcome(self.spread))
                gain += weight * cell.gain
            return -points, -gain, -candidate.score

        seen = [one for one in self.candidates if all(cell.depth >= 0 for cell in one.cells)]
        return sorted(seen, key=key)

    def is_complete(self) -> bool:
        """Return whether no play can win more than the first of the ranking, which is proved."""
        best = self.ranked()[0]
        least, most = self.bounds(best)
        return least == most and all(self.bounds(other)[1] <= least for other in self.candidates)

    def is_alone(self) -> bool:
        """Return whether every play but the first of the ranking is proved to win less than it."""
        best = self.ranked()[0]
        least = self.bounds(best)[0]
        return all(self.bounds(other)[1] < least for other in self.candidates if other is not best)

    def play(self, candidate: Candidate) -> PreEndgamePlay:
        """Return what is known of a play as a value."""
        draws = []
        counts = [0, 0, 0]
        sure = [0, 0, 0]
        undecided = 0
        for cell, (tile, weight) in zip(candidate.cells, self.draws, strict=True):
            decided = cell.is_decided(self.spread)
            draws.append(DrawOutcome(tile, weight, cell.gain, cell.is_exact, decided))
            counts[cell.outcome(self.spread) + 1] += weight
            if decided:
                sure[cell.outcome(self.spread) + 1] += weight
            else:
                undecided += weight
        total = sum(weight for _, weight in self.draws)
        return PreEndgamePlay(
            candidate.play,
            candidate.score,
            wins=counts[2],
            ties=counts[1],
            losses=counts[0],
            undecided=undecided,
            gain=sum(draw.gain * draw.weight for draw in draws) / total,
            exact=all(draw.exact for draw in draws),
            draws=tuple(draws),
            sure=(sure[2], sure[1], sure[0]),
        )
