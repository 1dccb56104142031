"""The results of solving an endgame or a pre-endgame."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.crossword.play import Play

CAUTION_FACTOR = 2
"""Number of standard errors subtracted from a share of wins that is estimated from only some draws."""


@dataclass(frozen=True, slots=True)
class EndgameTurn:
    """A turn of a *line*, which is a sequence of best plays."""

    play: Play
    score: int


@dataclass(frozen=True, slots=True)
class RankedPlay:
    """A play, and its value if both players continue optimally."""

    line: tuple[EndgameTurn, ...]
    value: int
    """Points that the player gains on the opponent by the end of the game."""
    exact: bool
    """Whether the value is proven."""

    @property
    def play(self) -> Play:
        return self.line[0].play

    @property
    def score(self) -> int:
        return self.line[0].score


@dataclass(frozen=True, slots=True)
class EndgameResult:
    """The solution of an endgame."""

    value: int
    """Points that the player to move gains on the opponent by the end of the game."""
    line: tuple[EndgameTurn, ...]
    """The best line found. If the game ends with passes, the line has at most three of them, even if the rules require more."""
    exact: bool
    """Whether ``value`` is proven. If not, ``line`` still gains ``value``, but may not be the best line."""
    depth: int
    """Number of turns for which all plays were searched, not only the most promising."""
    nodes: int
    """Number of positions searched."""
    lower_bound: int | None
    """The proven lower bound of the value, if any."""
    ranking: tuple[RankedPlay, ...] = ()
    """Best first; fewer plays than requested if time was short."""
    requested_play: RankedPlay | None = None
    """None if no play was requested, or if the requested play is illegal, forms a word that is not in the lexicon, or was not
    searched in time."""


@dataclass(frozen=True, slots=True)
class PreEndgamePlay:
    """The results of a play: weighted sums over the examined draws. In win shares, a tie counts as half a win.

    A draw is a possible way to draw tiles from the bag (:mod:`bot.engine.endgame.draws`). A game without a winner is a tie.
    """

    play: Play
    score: int
    wins: int
    """Weight of the examined draws after which the player wins, according to the latest estimates."""
    ties: int
    losses: int
    undecided_weight: int
    """Weight of the draws after which the winner is not proven, including draws that were not examined."""
    gain: float
    """Mean gain over the examined draws."""
    exact: bool
    """Whether all gains are proven."""

    proved_weights: tuple[int, int, int] = (0, 0, 0)
    """Weights of the proven wins, ties and losses."""
    left_in_bag: int = 0
    """Number of tiles that the play leaves in the bag."""

    sampled_bounds: tuple[float, float] | None = None
    """The 99% confidence interval of the share of wins, from a random sample. None unless it is narrower than :attr:`bounds`."""

    win_share_error: float = 0.0
    """The standard error of :attr:`win_share`; 0 if all draws were examined."""

    @property
    def cautious_share(self) -> float:
        return max(self.bounds[0], self.win_share - CAUTION_FACTOR * self.win_share_error)

    @property
    def win_share(self) -> float:
        return (self.wins + self.ties / 2) / (self.wins + self.ties + self.losses)

    @property
    def bounds(self) -> tuple[float, float]:
        """The proven minimum and maximum share of wins."""
        wins, ties, losses = self.proved_weights
        total = wins + ties + losses + self.undecided_weight
        return (wins + ties / 2) / total, (wins + ties / 2 + self.undecided_weight) / total


@dataclass(frozen=True, slots=True)
class PreEndgameResult:
    """The results for all plays."""

    plays: tuple[PreEndgamePlay, ...]
    """Best first: by share of wins (less a multiple of its error if only some draws were examined), then by proven wins, then by
    mean gain. If time was short, plays with low scores are missing.
    """
    total_weight: int
    """The total weight of the draws."""
    is_best_proved: bool
    """Whether the first play is proven to win after at least as many draws as any other play."""
    nodes: int
    """Number of positions searched."""
    is_best_emptying_play: bool = False
    """Whether the first play empties the bag, and is proven to be the best play that empties it."""
    has_only_one_best: bool = False
    """Whether every other play is proven to win after fewer draws than the first play."""
    bag_count: int = 1
    """Number of tiles in the bag before the play."""
