"""The results of solving an endgame or a pre-endgame."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.crossword.play import Play
from bot.engine.endgame.draws import Draw

CAUTION = 2
"""Standard errors subtracted from the share of wins when plays are ranked."""


@dataclass(frozen=True, slots=True)
class EndgameTurn:
    """A turn of a line."""

    play: Play
    score: int


@dataclass(frozen=True, slots=True)
class RankedPlay:
    """The value of a play when both players continue optimally."""

    line: tuple[EndgameTurn, ...]
    """The play and what follows."""
    value: int
    exact: bool
    """Whether the value is proved."""

    @property
    def play(self) -> Play:
        """The play itself."""
        return self.line[0].play

    @property
    def score(self) -> int:
        """The score of the play itself."""
        return self.line[0].score


@dataclass(frozen=True, slots=True)
class EndgameResult:
    """The best line that was found, and whether it is proved."""

    value: int
    """Points that the player to move gains on the opponent until the end of the game."""
    line: tuple[EndgameTurn, ...]
    """The best play and the turns of both players that follow. If the game ends with passes, the line has only two or
    three of them, even if the rules require more."""
    exact: bool
    """Whether the value is proved. If not, it is the value of the best line found."""
    depth: int
    """Number of turns searched with all their plays; later turns are searched with the most promising plays only."""
    nodes: int
    """Number of positions searched."""
    bound: int | None
    """The proved lower bound of the gain of the player to move; None without one."""
    ranking: tuple[RankedPlay, ...] = ()
    """The best plays, best first, up to the requested number and as time allowed."""
    judged: RankedPlay | None = None
    """The requested play with its value; None if none was requested or its words are not in the lexicon."""


@dataclass(frozen=True, slots=True)
class DrawOutcome:
    """The outcome of a play with a certain draw."""

    draw: Draw
    gain: int
    """Points that the player to move gains on the opponent until the end of the game."""
    exact: bool
    """Whether the gain is proved."""
    decided: bool
    """Whether the winner is proved."""


@dataclass(frozen=True, slots=True)
class PreEndgamePlay:
    """A play, with the number of draws that it wins."""

    play: Play
    score: int
    wins: int
    """Weight of the examined draws with which the player to move wins the game, by the latest estimates."""
    ties: int
    losses: int
    undecided: int
    """Weight of those draws, among all, whose winner is not proved."""
    gain: float
    """Mean gain over the draws that were examined."""
    exact: bool
    """Whether all gains are proved."""
    draws: tuple[DrawOutcome, ...]
    """The draws that were examined. If there are many, only the best plays have them."""

    sure: tuple[int, int, int] = (0, 0, 0)
    """Weight of the draws proved won, tied and lost."""
    left: int = 0
    """Number of tiles that the play leaves in the bag. If any, the wins assume that both players know the bag and its
    order."""

    sampled: tuple[float, float] | None = None
    """The 99% confidence interval, from a random sample, of the share of draws that the play wins, ties counting
    half; None unless it is narrower than :attr:`bounds`."""

    error: float = 0.0
    """The standard error of :attr:`points`; 0 when all draws were examined."""

    @property
    def cautious(self) -> float:
        """The share of the draws that is won minus twice its error, and at least the proved share."""
        return max(self.bounds[0], self.points - CAUTION * self.error)

    @property
    def points(self) -> float:
        """The share of the examined draws that is won, by the latest estimates; a tie counts half."""
        return (self.wins + self.ties / 2) / (self.wins + self.ties + self.losses)

    @property
    def bounds(self) -> tuple[float, float]:
        """The minimum and maximum share of the draws that can be won, a tie counting half."""
        wins, ties, losses = self.sure
        total = wins + ties + losses + self.undecided
        return (wins + ties / 2) / total, (wins + ties / 2 + self.undecided) / total


@dataclass(frozen=True, slots=True)
class PreEndgameResult:
    """The results for all plays."""

    plays: tuple[PreEndgamePlay, ...]
    """The plays by expected wins, minus an error if few draws were tried, and then by their mean gain. If time was
    short, plays that score little are missing."""
    draws: int
    """The total weight of all draws: with one tile in the bag, the number of unseen tiles; with more, the number of
    orders in which the unseen tiles, all distinct, can be drawn."""
    complete: bool
    """Whether it is proved that no placement and no pass wins more draws than the first play."""
    nodes: int
    """Number of positions searched."""
    emptied: bool = False
    """Whether the same is proved for the first play that empties the bag, among such plays."""
    alone: bool = False
    """Whether it is proved that every other play wins fewer draws than the first."""
    in_bag: int = 1
    """Number of tiles in the bag."""
