"""The results of solving an endgame or a pre-endgame."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.crossword.play import Play

CAUTION = 2
"""Number of standard errors to subtract from a share of wins, for ranking."""


@dataclass(frozen=True, slots=True)
class EndgameTurn:
    """A turn of a line. A *line* is a sequence of best plays."""

    play: Play
    score: int


@dataclass(frozen=True, slots=True)
class RankedPlay:
    """The value of a play when both players continue optimally."""

    line: tuple[EndgameTurn, ...]
    """The play, and the best plays that follow."""
    value: int
    """Points that the player gains on the opponent by the end of the game."""
    exact: bool
    """Whether the value is proved."""

    @property
    def play(self) -> Play:
        """The play."""
        return self.line[0].play

    @property
    def score(self) -> int:
        """The score of the play."""
        return self.line[0].score


@dataclass(frozen=True, slots=True)
class EndgameResult:
    """The solution of an endgame."""

    value: int
    """Points that the player to move gains on the opponent by the end of the game."""
    line: tuple[EndgameTurn, ...]
    """The best line that was found. If the game ends with passes, the line has two or three passes, even if the rules require
    more."""
    exact: bool
    """Whether ``value`` is proved. If not, it is the value of ``line``."""
    depth: int
    """Number of turns in which all plays were searched, not just the most promising plays."""
    nodes: int
    """Number of positions searched."""
    bound: int | None
    """The proved lower bound of the value, if any."""
    ranking: tuple[RankedPlay, ...] = ()
    """As many plays as requested, best first; fewer if time was short."""
    judged: RankedPlay | None = None
    """The required play with its value. None if no play was required, or if one of its words is not in the lexicon."""


@dataclass(frozen=True, slots=True)
class PreEndgamePlay:
    """A play, and the number of draws from the bag after which it wins. Draws are counted by their weight. In shares of wins, a tie counts as half a win."""

    play: Play
    score: int
    wins: int
    """Number of examined draws that the player wins, according to the latest estimates. ``ties`` and ``losses`` are counted in the same way."""
    ties: int
    losses: int
    undecided: int
    """Number of draws whose winner is not proved, including draws that were not examined."""
    gain: float
    """Mean gain over the examined draws."""
    exact: bool
    """Whether all gains are proved."""

    proved: tuple[int, int, int] = (0, 0, 0)
    """Number of proved wins, ties and losses."""
    left_in_bag: int = 0
    """Number of tiles that the play leaves in the bag. The results assume that both players know these tiles and their order."""

    sampled_bounds: tuple[float, float] | None = None
    """The 99% confidence interval of the share of wins, from a random sample. None unless it is narrower than :attr:`bounds`."""

    error: float = 0.0
    """The standard error of :attr:`points`, or 0 when all draws were examined."""

    @property
    def cautious_share(self) -> float:
        """The share of wins, minus :data:`CAUTION` times its error, but at least the proved share."""
        return max(self.bounds[0], self.points - CAUTION * self.error)

    @property
    def points(self) -> float:
        """The share of wins among the examined draws, by the latest estimates."""
        return (self.wins + self.ties / 2) / (self.wins + self.ties + self.losses)

    @property
    def bounds(self) -> tuple[float, float]:
        """The proved minimum and maximum share of wins."""
        wins, ties, losses = self.proved
        total = wins + ties + losses + self.undecided
        return (wins + ties / 2) / total, (wins + ties / 2 + self.undecided) / total


@dataclass(frozen=True, slots=True)
class PreEndgameResult:
    """The results for all plays."""

    plays: tuple[PreEndgamePlay, ...]
    """The plays, best first: by the share of wins, minus an error if few draws were examined, then by mean gain. If time was
    short, plays with low scores are missing."""
    draws: int
    """The weight of all draws together. With one tile in the bag, this is the number of tiles that may be in the bag."""
    complete: bool
    """Whether it is proved that no other play wins more draws than the first play."""
    nodes: int
    """Number of positions searched."""
    is_best_emptying: bool = False
    """Whether the first play empties the bag, and is proved to win at least as many draws as any other such play."""
    is_only_best: bool = False
    """Whether it is proved that every other play wins fewer draws than the first play."""
    in_bag: int = 1
