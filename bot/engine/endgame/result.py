"""What solving an endgame or a pre-endgame finds."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.crossword.play import Play
from bot.engine.endgame.draws import Draw

CAUTION = 2
"""How many times the error of few draws is taken off where plays are ranked."""


@dataclass(frozen=True, slots=True)
class EndgameTurn:
    """A turn of a line."""

    play: Play
    score: int


@dataclass(frozen=True, slots=True)
class RankedPlay:
    """What a play is worth when both players go on as well as they can."""

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
        """What the play itself scores."""
        return self.line[0].score


@dataclass(frozen=True, slots=True)
class EndgameResult:
    """The best line that was found, and how sure it is."""

    value: int
    """By how many points the player on turn gains on the opponent until the end of the game."""
    line: tuple[EndgameTurn, ...]
    """The best play and what follows, both players' turns in order. A game that ends by passes ends here with two
    or three, even where the rules ask for more."""
    exact: bool
    """Whether the value is proved. If not, it is that of the best line found."""
    depth: int
    """How many turns were searched with all their plays; after that only the most promising ones."""
    nodes: int
    """How many positions were searched."""
    bound: int | None
    """What the player on turn is proved to gain at least; None when nothing is proved."""
    ranking: tuple[RankedPlay, ...] = ()
    """The best plays, best first, as many as were requested and time allowed."""
    judged: RankedPlay | None = None
    """The play that was to be judged; None when there was none, or it is none of those that the words allow."""


@dataclass(frozen=True, slots=True)
class DrawOutcome:
    """How a play turns out with a certain draw."""

    draw: Draw
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
    """Weight of the draws looked at with which the player on turn wins the game, by the latest guesses."""
    ties: int
    losses: int
    undecided: int
    """Weight of those draws, among all, whose winner is not proved."""
    gain: float
    """Mean of the gains over the draws that were looked at."""
    exact: bool
    """Whether all gains are proved."""
    draws: tuple[DrawOutcome, ...]
    """The draws that were looked at; left out after the best plays when there are many."""

    sure: tuple[int, int, int] = (0, 0, 0)
    """Weight of the draws of which it is proved that they are won, tied, lost."""
    left: int = 0
    """How many tiles it leaves in the bag. If any, wins are those of players who know the bag and its order."""

    sampled: tuple[float, float] | None = None
    """Between which shares of the draws it wins, a tie counting half, by a random sample of them, with a confidence of 99 %;
    None when that tells no more than :attr:`bounds`."""

    error: float = 0.0
    """The standard error of :attr:`points`; 0 when all draws were looked at."""

    @property
    def cautious(self) -> float:
        """The share of the draws that is won, less twice its error, and at least what is proved."""
        return max(self.bounds[0], self.points - CAUTION * self.error)

    @property
    def points(self) -> float:
        """The share of the draws looked at that is won, by the latest guesses; a tie counts half."""
        return (self.wins + self.ties / 2) / (self.wins + self.ties + self.losses)

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest share of the draws that may be won, a tie counting half."""
        wins, ties, losses = self.sure
        total = wins + ties + losses + self.undecided
        return (wins + ties / 2) / total, (wins + ties / 2 + self.undecided) / total


@dataclass(frozen=True, slots=True)
class PreEndgameResult:
    """What is known of the plays."""

    plays: tuple[PreEndgamePlay, ...]
    """The plays that are expected to win most first, less an error where few draws were looked at; then those that gain
    most. When time was short, plays that score little are missing."""
    draws: int
    """The weight of all draws together. With one tile in the bag, how many unseen tiles may be it; with more, in how many
    orders the unseen tiles may be drawn, each told from its like."""
    complete: bool
    """Whether it is proved that no placement and no pass wins more draws than the first play."""
    nodes: int
    """How many positions were searched."""
    emptied: bool = False
    """Whether that is proved of the first play among those that leave nothing in the bag."""
    alone: bool = False
    """Whether it is proved that every other play wins less draws than the first."""
    in_bag: int = 1
    """How many tiles are in the bag."""
