"""The results of solving an endgame or a pre-endgame."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.crossword.play import Play
from bot.engine.endgame.draws import Draw

CAUTION = 2
"""Number of standard errors that are subtracted from the share of wins when plays are ranked."""


@dataclass(frozen=True, slots=True)
class EndgameTurn:
    """A turn of a line, which is a sequence of best plays."""

    play: Play
    score: int


@dataclass(frozen=True, slots=True)
class RankedPlay:
    """The value of a play when both players continue optimally."""

    line: tuple[EndgameTurn, ...]
    """The play, and the best plays that follow."""
    value: int
    """Points that the player gains on the opponent from this play until the end of the game."""
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
    """The best play, and the turns of both players that follow. If the game ends with passes, the line has two or three of
    them, even if the rules require more."""
    exact: bool
    """Whether ``value`` is proved. If not, it is the value of the best line that was found."""
    depth: int
    """Number of turns for which all plays were searched. In later turns, only the most promising plays were."""
    nodes: int
    """Number of positions searched."""
    bound: int | None
    """The proved lower bound of the points that the player to move gains; None if none is proved."""
    ranking: tuple[RankedPlay, ...] = ()
    """The best plays, best first: the requested number, or fewer if time was short."""
    judged: RankedPlay | None = None
    """The required play with its value; None if no play was required, or its words are not in the lexicon."""


@dataclass(frozen=True, slots=True)
class DrawOutcome:
    """The outcome of a play after one of its draws."""

    draw: Draw
    gain: int
    """Points that the player to move gains on the opponent until the end of the game."""
    exact: bool
    """Whether the gain is proved."""
    decided: bool
    """Whether the winner is proved."""


@dataclass(frozen=True, slots=True)
class PreEndgamePlay:
    """A play, and the draws with which it wins, ties and loses. Numbers of draws are weights (:attr:`Draw.weight`)."""

    play: Play
    score: int
    wins: int
    """Examined draws with which the player to move wins the game, by the latest estimates. ``ties`` and ``losses`` are
    counted in the same way."""
    ties: int
    losses: int
    undecided: int
    """Draws whose winner is not proved, including draws that were not examined."""
    gain: float
    """Mean gain over the draws that were examined."""
    exact: bool
    """Whether all gains are proved."""
    draws: tuple[DrawOutcome, ...]
    """The draws that were examined. If there are many, only the best plays list them."""

    sure: tuple[int, int, int] = (0, 0, 0)
    """Draws that are proved to be won, tied and lost."""
    left: int = 0
    """Number of tiles that the play leaves in the bag. If it leaves any, the results assume that both players know these
    tiles and their order."""

    sampled: tuple[float, float] | None = None
    """The 99% confidence interval, from a random sample, of the share of draws that the play wins. A tie counts half. None
    unless the interval is narrower than :attr:`bounds`."""

    error: float = 0.0
    """The standard error of :attr:`points`; 0 when all draws were examined."""

    @property
    def cautious_share(self) -> float:
        """The share of draws that the play wins, minus :data:`CAUTION` times its error, but at least the share that is proved."""
        return max(self.bounds[0], self.points - CAUTION * self.error)

    @property
    def points(self) -> float:
        """The share of the examined draws that the play wins, by the latest estimates. A tie counts half."""
        return (self.wins + self.ties / 2) / (self.wins + self.ties + self.losses)

    @property
    def bounds(self) -> tuple[float, float]:
        """The proved minimum and maximum of the share of draws that the play wins. A tie counts half."""
        wins, ties, losses = self.sure
        total = wins + ties + losses + self.undecided
        return (wins + ties / 2) / total, (wins + ties / 2 + self.undecided) / total


@dataclass(frozen=True, slots=True)
class PreEndgameResult:
    """The results for all plays."""

    plays: tuple[PreEndgamePlay, ...]
    """The plays, best first: by the share of draws that they win, less an error if few draws were examined, and then by
    their mean gain. If time was short, plays with low scores are missing."""
    draws: int
    """The weight of all draws together. With one tile in the bag, this is the number of unseen tiles. With more, it is the
    number of orders in which the unseen tiles can be drawn, where identical tiles count as different."""
    complete: bool
    """Whether it is proved that no other play wins more draws than the first play."""
    nodes: int
    """Number of positions searched."""
    emptied: bool = False
    """Whether it is proved that the first play empties the bag, and that no other play that empties the bag wins more draws."""
    alone: bool = False
    """Whether it is proved that every other play wins fewer draws than the first play."""
    in_bag: int = 1
    """Number of tiles in the bag."""
