"""What an analysis is asked, and what it finds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from bot.domain.crossword.play import Placement, Play
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import EndCount
from bot.domain.reading.problems import ReadWarning
from bot.engine.analysis import MAX_PLAYERS, AnalysisOptions
from bot.engine.endgame.draws import MAX_IN_BAG
from bot.engine.plays.values import RatedPlay
from bot.engine.simulation.result import Ending, SimulationResult

if TYPE_CHECKING:
    from bot.engine.endgame.pre_endgame import PreEndgameResult
    from bot.engine.endgame.result import EndgameResult
    from bot.engine.simulation.result import SimulationState
    from bot.engine.ucgi import Opinion


MAX_PLAYS = 100
"""Plays in a ranking that is simulated or solved."""


MAX_SECONDS = 300.0
"""How long a job computes at most."""


class Method(StrEnum):
    """How plays are compared."""

    EQUITY = "equity"
    """By score and leave: at once."""
    SIMULATION = "simulation"
    """By playing on many times from each."""
    SOLUTION = "solution"
    """By their proved outcome, when at most a few tiles are in the bag; what is not proved is a range."""


Progress: TypeAlias = "SimulationResult | EndgameResult | PreEndgameResult"
"""What a long job reports while it is under way."""


@dataclass(frozen=True, slots=True)
class AnalysisRequest:
    """A position to analyze, and how. Everything in it is a plain value."""

    position: Position
    lexicon: str = ""
    """The requested lexicon; empty for the one the position names."""
    preferred: tuple[str, ...] = ()
    """Lexica for when neither names one: the first that suits the position's tiles is used."""
    method: Method = Method.EQUITY
    options: AnalysisOptions = field(default_factory=AnalysisOptions)
    made: Play | None = None
    """The play that was made in the game, rated beside the best."""
    aliases: tuple[tuple[str, str], ...] = ()
    """Names of lexica, each with the lexicon to use where it is not installed."""
    further: tuple[Play, ...] = ()
    """Plays to compare with the best, whether or not they are among them; those that cannot be made are left out."""
    before: SimulationState | None = field(default=None, compare=False, repr=False)
    """A simulation of the same request to go on from; no part of what names a result."""

    def with_seconds(self, seconds: float) -> AnalysisRequest:
        """Return the same request with another limit on time."""
        return replace(self, options=replace(self.options, seconds=seconds))


@dataclass(frozen=True, slots=True)
class Phony:
    """A word on the board that is not in the lexicon."""

    text: str
    squares: tuple[tuple[int, int], ...]
    """The row and column of each of its tiles, from 0."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a simulation says a position is worth to the player on turn."""

    win: float
    """Probability of winning, from 0 to 1."""
    win_error: float
    points: float
    """By how many points the lead over the best of the others grows."""
    points_error: float


FINES = {"5pt": 5, "10pt": 10}
"""Points that a challenge in vain gives to the player of the word, by the rule."""


@dataclass(frozen=True, slots=True)
class ChallengeRule:
    """What the rule on challenges in vain makes of a challenge."""

    rule: str
    """As in :class:`bot.domain.crossword.rules.Rules`."""
    least: float | None
    """From what probability of a phony on it pays to challenge; None when it never does."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """What it is worth to challenge the play that was just made."""

    play: Placement
    words: tuple[str, ...]
    """Its words that are not in the lexicon."""
    stays: Outcome
    """With the best reply, on the board as it is."""
    reply: RatedPlay
    off: Outcome
    """With the best play on the board without it, its player having lost the turn."""
    play_off: RatedPlay
    without: Position
    """The position with the play off the board."""
    rules: tuple[ChallengeRule, ...]
    """One for the rule of the game; several where none is named."""


@dataclass(frozen=True, slots=True)
class Bluff:
    """What it is worth to play a phony."""

    stands: Outcome
    off: Outcome
    """Challenged off: the turn is lost."""
    best: Outcome
    """With the best of the plays that are none."""
    best_play: RatedPlay
    least: float | None
    """How often it must stand to be as good as the best play; None when it never is."""


@dataclass(frozen=True, slots=True)
class AnalysisResult:
    """The result of an analysis."""

    request: AnalysisRequest
    lexicon: str
    """The lexicon that was used."""
    missing: str
    """The lexicon that was wanted and is not installed; empty when the wanted one was used."""
    others: tuple[str, ...]
    """Other installed lexica of the position's language."""
    leaves_of: str
    """The lexicon or distribution whose leave values were used; empty when there are none."""
    placements: int
    exchanges: int
    """How many plays there are in all, besides the pass."""
    plays: tuple[RatedPlay, ...]
    """The best by equity, best first."""
    made: RatedPlay | None = None
    """The play that was made, rated even if its words are not in the lexicon."""
    phonies: tuple[Phony, ...] = ()
    made_phony: bool = False
    """Whether the play that was made forms a word that is not in the lexicon."""
    challenge: Challenge | None = None
    """What it is worth to challenge the play before; None when all its words are in the lexicon."""
    bluff: Bluff | None = None
    """What the play that was made is worth as a phony; None when it is none."""
    unsolved: ReadWarning | None = None
    """Why a requested solution was impossible."""
    simulation: SimulationResult | None = None
    inferred: int = 0
    """How many racks that fit the opponent's last play the simulation drew from; 0 when it drew from all tiles."""
    endgame: EndgameResult | None = None
    pre_endgame: PreEndgameResult | None = None
    opinion: Opinion | None = None
    """What the host's other engine would play; None when there is none, or it was not asked."""
    unheard: ReadWarning | None = None
    """Why it was asked and did not answer."""

    @property
    def is_settled(self) -> bool:
        """Whether more time could not change the result."""
        if self.request.method is Method.EQUITY:
            return True
        if self.simulation is not None:
            return self.simulation.ending in {Ending.DECIDED, Ending.ITERATIONS}
        if self.endgame is not None:
            return self.endgame.exact and all(play.exact for play in self.endgame.ranking)
        return self.pre_endgame is not None and self.pre_endgame.complete


def can_be_solved(position: Position) -> bool:
    """Return whether a position is close enough to the end of the game for plays to be solved, or a part of their draws."""
    most = 0 if position.rules.end_count is EndCount.EQUAL_TURNS else MAX_IN_BAG
    return len(position.players) == 2 and can_be_simulated(position) and position.bag_count <= most


def can_be_simulated(position: Position) -> bool:
    """Return whether it is known what may be drawn, and by whom: two to four players, a bag that can be counted."""
    return 2 <= len(position.players) <= MAX_PLAYERS and position.rules.has_known_bag
