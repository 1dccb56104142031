"""The request and result of a crossword analysis, and their JSON form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, TypeAlias

from bot.chat.card import ReplyContext
from bot.chat.markdown import escape
from bot.domain.crossword.play import Play
from bot.domain.crossword.position import Board, Position
from bot.domain.crossword.rules import (
    BoardLayout,
    EndScoring,
    LetterDistribution,
    distribution_names,
    layout_names,
    load_distribution,
    load_layout,
)
from bot.domain.reading.problems import ReadWarning
from bot.engine.analysis import MAX_PLAYERS, AnalysisOptions
from bot.engine.endgame.draws import MAX_BAG_COUNT
from bot.engine.endgame.result import EndgameResult, PreEndgameResult
from bot.engine.lexicon.lexica import Lexica
from bot.engine.plays.values import RatedPlay
from bot.engine.simulation.result import Ending, SimulatedPlay, SimulationResult, SimulationState
from bot.engine.ucgi import Opinion
from bot.jobs.codec import Codec, Converter, require
from bot.jobs.kinds import JobKind, convert_value
from bot.jobs.queue import JobQueue
from bot.text import Translator

MAX_PLAYS = 100
"""Maximum number of plays to simulate. If all plays are requested, an endgame is searched as if this many were requested."""
MAX_SECONDS = 300.0
"""Maximum time for simulating or solving a position."""


class Method(StrEnum):
    """A way to compare plays."""

    EQUITY = "equity"
    """Plays are ranked by score and leave. This takes milliseconds."""
    SIMULATION = "simulation"
    """Plays are ranked by simulating the turns after each play many times."""
    SOLUTION = "solution"
    """Plays are ranked by their outcomes, or by proven bounds on outcomes. This is possible only if few tiles are in the
    bag."""


@dataclass(frozen=True, slots=True)
class Compiling:
    """The engine is being compiled."""

    share: float
    """From 0 to 1."""


PartialResult: TypeAlias = "SimulationResult | EndgameResult | PreEndgameResult"
"""A running job's result so far."""
Progress: TypeAlias = "PartialResult | Compiling"


@dataclass(frozen=True, slots=True)
class AnalysisRequest:
    """A position to analyze, and how to analyze it."""

    position: Position
    lexicon: str = ""
    """If empty, the position's lexicon or a preferred lexicon is used."""
    preferred_lexica: tuple[str, ...] = ()
    """Lexica for a position that names none. The first that fits the tiles is used."""
    method: Method = Method.EQUITY
    options: AnalysisOptions = field(default_factory=AnalysisOptions)
    made_play: Play | None = None
    """The play made in the game, or a play that a user is trying out."""
    aliases: tuple[tuple[str, str], ...] = ()
    """(lexicon, replacement) pairs, for lexica that aren't installed."""
    extra_plays: tuple[Play, ...] = ()
    """More plays to compare. Impossible plays are left out."""
    earlier_simulation: SimulationState | None = field(default=None, compare=False, repr=False)
    """An earlier simulation to continue."""

    def with_seconds(self, seconds: float) -> AnalysisRequest:
        return replace(self, options=replace(self.options, seconds=seconds))


@dataclass(frozen=True, slots=True)
class Phony:
    """A word that is not in the lexicon."""

    text: str
    squares: tuple[tuple[int, int], ...]
    """The (row, column) of each tile, counted from 0."""


CHALLENGE_BONUSES: Final[Mapping[str, int]] = {"5pt": 5, "10pt": 10}
"""Points that a player gains when another player's challenge fails, by challenge rule."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """The value of challenging the last play."""

    words: tuple[str, ...]
    """The last play's invalid words."""
    best_if_stays: SimulatedPlay
    best_if_off: SimulatedPlay
    """The best play after a successful challenge, with equity relative to the lead before the challenge."""
    board: Board
    """The board without the challenged play."""
    rules: tuple[tuple[str, float | None], ...]
    """(rule, break-even probability) for the game's challenge rule or, if it is unknown, for the usual rules.

    A challenge pays if the play is more likely than this to be a phony. None means that a challenge never pays.
    """


@dataclass(frozen=True, slots=True)
class Bluff:
    """The value of playing a phony."""

    if_unchallenged: SimulatedPlay
    if_challenged_off: SimulatedPlay
    best: SimulatedPlay
    min_chance: float | None
    """The phony pays if it is more likely than this to stay on the board. None if it never pays."""


@dataclass(frozen=True, slots=True)
class AnalysisResult:
    """The result of an analysis."""

    request: AnalysisRequest
    lexicon: str
    missing_lexicon: str
    """The lexicon that the user requested or prefers, or that the position names, if neither it nor a replacement from the aliases
    is installed. Otherwise empty."""
    other_lexica: tuple[str, ...]
    """Other installed lexica for the position's language."""
    leaves_source: str
    """The lexicon or distribution whose leave values are used. Empty without leave values."""
    placement_count: int
    exchange_count: int
    plays: tuple[RatedPlay, ...]
    """Best first, by equity or, without a known bag, by score."""
    made_play: RatedPlay | None = None
    """The rated :attr:`AnalysisRequest.made_play`, even if it forms a phony. None if the rules or the rack do not allow the play."""
    phonies: tuple[Phony, ...] = ()
    is_made_play_phony: bool = False
    challenge: Challenge | None = None
    """None if the last play forms no phony or cannot be challenged, or if the position cannot be simulated."""
    bluff: Bluff | None = None
    """None if the play made is not a phony, cannot be simulated, or is the only play."""
    unsolved_reason: ReadWarning | None = None
    simulation: SimulationResult | None = None
    inferred_rack_count: int = 0
    """Number of opponent racks inferred from the last play."""
    endgame: EndgameResult | None = None
    pre_endgame: PreEndgameResult | None = None
    opinion: Opinion | None = None
    """The best play of the host's other engine, if any."""
    no_opinion_reason: ReadWarning | None = None
    """Why the other engine returned no play."""

    @property
    def is_settled(self) -> bool:
        """Whether more time cannot change the result."""
        if self.request.method is Method.EQUITY:
            return True
        if self.simulation is not None:
            return self.simulation.ending in {Ending.DECIDED, Ending.ITERATIONS}
        if self.endgame is not None:
            return self.endgame.exact and all(play.exact for play in self.endgame.ranking)
        return self.pre_endgame is not None and self.pre_endgame.is_best_proved


@dataclass(frozen=True, slots=True)
class AnalysisResources:
    """The job queue and lexica for analyzing crossword positions."""

    jobs: JobQueue[AnalysisRequest, Progress, AnalysisResult]
    lexica: Lexica
    default_lexicon: str

    def preferred_lexica(self, named_lexicon: str, context: ReplyContext) -> tuple[str, ...]:
        """Return the lexicon of the user or the server, if any, and the host's lexicon.

        If the request or the position names a lexicon (``named_lexicon``), return an empty tuple. Preferences are not needed then, and
        without them, all users share the cached results.
        """
        if named_lexicon.strip():
            return ()
        return (context.lexicon, self.default_lexicon) if context.lexicon else (self.default_lexicon,)


def can_be_solved(position: Position) -> bool:
    max_bag_count = 0 if position.rules.end_scoring is EndScoring.EQUAL_TURNS else MAX_BAG_COUNT
    return len(position.players) == 2 and can_be_simulated(position) and position.bag_count <= max_bag_count


def can_be_simulated(position: Position) -> bool:
    return 2 <= len(position.players) <= MAX_PLAYERS and position.rules.distribution.has_known_bag


def _converter_by_name(
    kind: type, names: Callable[[], tuple[str, ...]], load: Callable[[str], Any]
) -> Converter:
    """Return a converter that writes built-in values as names, and other values in full."""
    full_codec = Codec[Any](kind)

    def convert(value: Any, reading: bool) -> Any:  # noqa: ANN401, FBT001 - a Converter
        if not reading:
            is_built_in = value.name in names() and load(value.name) == value
            return value.name if is_built_in else [full_codec.write(value)]
        if isinstance(value, str):
            require(value in names())
            return load(value)
        require(isinstance(value, list) and len(value) == 1 and isinstance(value[0], str))
        return full_codec.read(value[0])

    return convert


SPECIAL_CONVERTERS: Final[Mapping[Any, Converter]] = {
    LetterDistribution: _converter_by_name(LetterDistribution, distribution_names, load_distribution),
    BoardLayout: _converter_by_name(BoardLayout, layout_names, load_layout),
    object: convert_value,
}

ANALYSIS: Final = JobKind(
    "analysis",
    Codec[AnalysisRequest](AnalysisRequest, SPECIAL_CONVERTERS),
    Codec[Progress](SimulationResult | EndgameResult | PreEndgameResult | Compiling, SPECIAL_CONVERTERS),
    Codec[AnalysisResult](AnalysisResult, SPECIAL_CONVERTERS),
)


def substitution_warning(missing_lexicon: str, lexicon: str, translate: Translator) -> str:
    return translate(
        "⚠ {missing} isn't installed, so this uses {lexicon}. Some words may differ.",
        missing=escape(missing_lexicon, 40),
        lexicon=escape(lexicon),
    )
