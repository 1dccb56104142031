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
    """The best line that was found, and how sure it is."""

    value: int
    """Points that the player to move gains on the opponent until the end of the game."""
    line: tuple[EndgameTurn, ...]
    """The best play and what follows, both players' turns in order. A game that ends by passes ends here with two
    or three, even where the rules ask for more."""
    exact: bool
    """Whether the value is proved. If not, it belongs to the best line found."""
    depth: int
    """Turns searched with all their plays; later turns with the most promising plays only."""
    nodes: int
    """Number of positions searched."""
    bound: int | None
    """The proved lower bound of the gain of the player to move; None without one."""
    ranking: tuple[RankedPlay, ...] = ()
    """The best plays, best first, up to the requested number and as time allowed."""
    judged: RankedPlay | None = None
    """The requested play with its value; None if none was requested or the words do not allow it."""


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
    """A play with how many of the draws it wins."""

    play: Play
    score: int
    wins: int
    """Weight of the examined draws with which the player to move wins the game, by the latest guesses."""
    ties: int
    losses: int
    undecided: int
    """Weight of those draws, among all, whose winner is not proved."""
    gain: float
    """Mean of the gains over the draws that were examined."""
    exact: bool
    """Whether all gains are proved."""
    draws: tuple[DrawOutcome, ...]
    """The draws that were examined; left out after the best plays when there are many."""

    sure: tuple[int, int, int] = (0, 0, 0)
    """Weight of the draws proved won, tied and lost."""
    left: int = 0
    """Tiles it leaves in the bag. If any, the wins assume players who know the bag and its order."""

    sampled: tuple[float, float] | None = None
    """Between which shares of the draws it wins, a tie counting half, by a random sample of them, with a confidence of 99 %;
    None when that tells no more than :attr:`bounds`."""

    error: float = 0.0
    """The standard error of :attr:`points`; 0 when all draws were examined."""

    @property
    def cautious(self) -> float:
        """The share of the draws that is won, less twice its error, and at least what is proved."""
        return max(self.bounds[0], self.points - CAUTION * self.error)

    @property
    def points(self) -> float:
        """The share of the examined draws that is won, by the latest guesses; a tie counts half."""
        return (self.wins + self.ties / 2) / (self.wins + self.ties + self.losses)

    @property
    def bounds(self) -> tuple[float, float]:
        """Minimum and maximum share of the draws that may be won, a tie counting half."""
        wins, ties, losses = self.sure
        total = wins + ties + losses + self.undecided
        return (wins + ties / 2) / total, (wins + ties / 2 + self.undecided) / total


@dataclass(frozen=True, slots=True)
class PreEndgameResult:
    """The results for all plays."""

    plays: tuple[PreEndgamePlay, ...]
    """The plays by expected wins, less an error where few draws were tried; then by the points they gain
    on average. When time was short, plays that score little are missing."""
    draws: int
    """The weight of all draws together. With one tile in the bag, the number of unseen tiles; with more, the number of
    orders in which the unseen tiles, all distinct, can be drawn."""
    complete: bool
    """Whether it is proved that no placement and no pass wins more draws than the first play."""
    nodes: int
    """Number of positions searched."""
    emptied: bool = False
    """Whether that is proved of the first play that empties the bag."""
    alone: bool = False
    """Whether it is proved that every other play wins less draws than the first."""
    in_bag: int = 1
    """Number of tiles in the bag."""
