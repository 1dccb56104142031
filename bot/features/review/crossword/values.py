"""The review of a crossword game.

Turn n is the game's n-th event, including challenges and the final count. Win chances and their losses are probabilities from
0 to 1, and a tie counts as half a win. Equities are in points, except in a :class:`RatedPlay`, where they
are in millipoints.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from bot.domain.crossword.game import Game, ReplayState
from bot.domain.crossword.play import ORDINARY_KINDS, Play, TurnKind
from bot.domain.crossword.rules import GAMES_WITH_OWN_TILES
from bot.engine.plays.values import RatedPlay
from bot.features.analysis.crossword.request import SPECIAL_CONVERTERS
from bot.features.review.values import Depth, PlayerReview, ReviewError
from bot.jobs.codec import Codec
from bot.jobs.kinds import JobKind


class Phase(StrEnum):
    """The part of the game, by the number of tiles in the bag. Turns that cannot be solved in time are simulated."""

    MIDDLEGAME = "middlegame"
    """More than seven tiles. Turns are simulated."""
    EARLY_PRE_ENDGAME = "early-pre-endgame"
    """Two to seven tiles. Turns are simulated with more plies."""
    PRE_ENDGAME = "pre-endgame"
    """One tile. Plays are tried with every possible tile."""
    ENDGAME = "endgame"
    """No tiles. Turns are solved."""


def phase_of(bag_count: int) -> Phase:
    if bag_count > 7:
        return Phase.MIDDLEGAME
    if bag_count > 1:
        return Phase.EARLY_PRE_ENDGAME
    return Phase.PRE_ENDGAME if bag_count else Phase.ENDGAME


class MistakeSize(StrEnum):
    """The size of the mistake in a turn."""

    NONE = "best"
    """Includes losses too small to count as a mistake."""
    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"

    @property
    def mistake_level(self) -> int:
        return tuple(MistakeSize).index(self)


class UnjudgedReason(StrEnum):
    """The reason why a turn is not judged."""

    UNFINISHED = "unfinished"
    """Not judged yet, or not judged before the review ended."""
    RACK_UNKNOWN = "rack-unknown"
    RACK_PARTIAL = "rack-partial"
    EXCHANGE_UNKNOWN = "exchange-unknown"
    PHONY_STOOD = "phony-stood"
    """The play formed an invalid word and stayed on the board."""
    NOT_ALLOWED = "not-allowed"
    """The rules forbid the play, or the rack lacks its tiles."""
    NOT_ANALYZED = "not-analyzed"
    """The engine rejects the position, or does not rank its plays in time."""
    LEXICON = "lexicon"
    """The lexicon is probably wrong."""
    GAME_OVER = "game-over"
    """The turn is a pass that accepts the last play."""


class Flag(StrEnum):
    """A fact worth noting about a turn."""

    BINGO = "bingo"
    EXCHANGE = "exchange"
    PASS = "pass"  # noqa: S105 - a turn, not a password
    PHONY_OFF = "phony-off"
    """The play was challenged off. The turn is judged as a pass."""
    PHONY_STOOD = "phony-stood"
    MISSED_CHALLENGE = "missed-challenge"
    """The player left the opponent's phony on the board."""
    MISSED_BINGO = "missed-bingo"
    """The best play was a bingo, and the play made was worse and not a bingo."""
    BLOWN_ENDGAME = "blown-endgame"
    """A win became a tie or a loss, or a tie became a loss, while the bag was empty."""
    KNOWN_TILES = "known-tiles"
    """A withdrawn phony had shown some of the opponent's tiles."""
    SIX_ZEROS = "six-zeros"
    """The scoreless turn that ended the game."""
    RESIGNED = "resigned"
    """The last turn before a player resigned or lost on time."""
    TIME_PENALTY = "time-penalty"
    """The last turn of a player who lost points for overtime."""


class JudgingMethod(StrEnum):
    """The method that judged a turn."""

    EQUITY = "equity"
    """Only the play made was simulated, usually because its lead in equity was large."""
    SIMULATION = "simulation"
    PRE_ENDGAME = "pre-endgame"
    ENDGAME = "endgame"


class ReasonKind(StrEnum):
    """A way in which the best play is better. Each docstring describes ``Reason.best_value`` and ``Reason.played_value``."""

    POINTS = "points"
    """The score."""
    LEAVE = "leave"
    """The value of the leave in points."""
    REPLY = "reply"
    """The opponent's mean score in the next turn."""
    REPLY_BINGO = "reply-bingo"
    """The probability that the opponent's next play is a bingo."""
    NEXT_BINGO = "next-bingo"
    """The probability that the player's next play is a bingo."""
    TURNOVER = "turnover"
    """Number of tiles laid or exchanged."""
    OUT = "out"
    """1 for a play that goes out, otherwise 0."""
    SPREAD = "spread"
    """Points gained on the opponent by the end of the game if both make the best plays."""
    DRAWS = "draws"
    """Number of possible tile draws with which the play wins. A tie counts half."""
    OUTCOME = "outcome"
    """1 for a win, 0.5 for a tie, 0 for a loss."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason why the best play is better than the play made."""

    kind: ReasonKind
    best_value: float
    played_value: float
    error: float = 0.0
    """The standard error of the difference, or 0 if the difference is exact or its error is unknown."""
    draw_count: int = 0
    """The total number of draws for :attr:`ReasonKind.DRAWS`, otherwise 0."""


@dataclass(frozen=True, slots=True)
class StaticPlays:
    """The best play by equity, and the play made."""

    best: RatedPlay
    played: RatedPlay
    """The play made, or a pass for a withdrawn phony."""


@dataclass(frozen=True, slots=True)
class JudgedPlay:
    """A play with its value."""

    play: Play
    score: int
    win: float
    """The win chance. In a solved pre-endgame, the share of winning tile draws. In a solved endgame, 1, 0.5 or 0."""
    equity: float
    """The spread gained by the end of the game or simulation, including the value of the leave."""


@dataclass(frozen=True, slots=True)
class TurnReview:
    """A reviewed turn."""

    turn: int
    seat: int
    rack: tuple[int, ...]
    """The known tiles."""
    rack_unknown_count: int
    play: Play
    """The play made, even if it was taken back."""
    score: int
    """0 for a withdrawn phony."""
    phase: Phase
    bag_count: int
    """Number of tiles in the bag before the turn."""
    unjudged_reason: UnjudgedReason | None = None
    """None for a judged turn."""
    static_plays: StaticPlays | None = None
    best: JudgedPlay | None = None
    played: JudgedPlay | None = None
    win_chance_lost: float = 0.0
    """At least 0."""
    win_chance_lost_error: float = 0.0
    """The standard error of the loss, or 0 if the loss is exact or its error is unknown."""
    points_lost: float = 0.0
    """At least 0."""
    mistake_size: MistakeSize | None = None
    """None if not judged."""
    may_be_larger: bool = False
    """Whether the mistake may be larger than ``mistake_size``."""
    is_judged_by_points: bool = False
    """Whether points decide ``mistake_size``, because the play does not change who wins."""
    flags: tuple[Flag, ...] = ()
    luck: float | None = None
    """Points by which the draw before the turn beat the average. None if the draw is unknown or was not measured."""
    accuracy: float | None = None
    """From 0 to 100, or None if not judged."""
    method: JudgingMethod | None = None
    certain_lead: float = 0.0
    """If the play made is the best: the lower 95% confidence bound on its lead, as a win probability."""
    iterations: int = 0
    reasons: tuple[Reason, ...] = ()
    """At most three reasons, or none if no loss is certain."""

    @property
    def is_judged(self) -> bool:
        return self.mistake_size is not None

    @property
    def mistake_level(self) -> int:
        return self.mistake_size.mistake_level if self.mistake_size else 0

    @property
    def is_certain_mistake(self) -> bool:
        return self.mistake_size not in (None, MistakeSize.NONE)


@dataclass(frozen=True, slots=True)
class LexiconMismatch:
    """The evidence that the lexicon is wrong."""

    unknown_word_count: int
    """Number of words formed that are not in the lexicon."""
    word_count: int


@dataclass(frozen=True, slots=True)
class Review:
    """The review of a game."""

    lexicon: str
    depth: Depth
    players: tuple[PlayerReview, ...]
    turns: tuple[TurnReview, ...]
    curve: tuple[float, ...]
    """The first player's win chance at the start and after each turn."""
    scores: tuple[int, ...]
    bag_empty_turn: int | None = None
    """The number of the turn that emptied the bag, if any."""
    lexicon_mismatch: LexiconMismatch | None = None
    """If set, no turn is judged."""
    is_complete: bool = False
    """Whether the review finished all the work for its depth."""
    seconds: float = 0.0
    """CPU seconds used."""
    key_turns: tuple[int, ...] = ()
    """Most important first."""
    missing_lexicon: str = ""
    """The lexicon that the user requested or prefers, or that the game names, if neither it nor a replacement from the aliases is
    installed. Otherwise empty."""


Z_95 = 1.959964
"""The half-width of a 95% confidence interval, in standard errors."""

WIN_THRESHOLDS = (0.5, 3.0, 7.0)
"""Losses of win chance, in percentage points.

A small mistake loses at least the first number, a medium mistake more than the second, and a large mistake more than the third.
"""

USUAL_SECONDS: Final = {Depth.QUICK: 20.0, Depth.DEEP: 170.0}
"""Usual CPU seconds for a review of each depth."""


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """A finished game to review."""

    game: Game
    lexicon: str = ""
    """If empty, the game's lexicon or a preferred lexicon is used."""
    preferred_lexica: tuple[str, ...] = ()
    """Lexica for a game that names no lexicon. The first that fits the tiles is used."""
    depth: Depth = Depth.QUICK
    seconds: float | None = None
    """CPU seconds, or None for the usual time at this depth."""
    aliases: tuple[tuple[str, str], ...] = ()
    """(lexicon, replacement) pairs, for lexica that aren't installed."""
    seed: int = 0


def seconds_limit(request: ReviewRequest) -> float:
    return USUAL_SECONDS[request.depth] if request.seconds is None else request.seconds


@dataclass(frozen=True, slots=True)
class PlayComparisonRequest:
    """A play to compare with a turn's best play."""

    game: Game
    turn: int
    play: Play
    best: Play
    lexicon: str
    seconds: float = 6.0
    """Maximum CPU seconds. Most comparisons need one second."""


_RESIGNATION_PHRASES = (
    "resign", "forfeit", "gave up", "gives up", "concede", "lost on time", "ran out of time", "timed out",
    "aufgegeben", "gibt auf", "gab auf", "abandonne", "abandona", "abandonó", "se rinde", "se rindió",
    "poddał", "poddaje",
)  # fmt: skip
"""Phrases in notes that mean a resignation or a loss on time. No notation has a turn type for these endings."""
_END_SCORING_KINDS = frozenset({TurnKind.END_RACK_POINTS, TurnKind.END_RACK_PENALTY, TurnKind.TIME_PENALTY})


def check_game(game: Game) -> None:
    """Check that a game can be reviewed. An unfinished game is refused, because a review would help one of its players.

    Raises:
        ReviewError: the game is not over, has no turns, has an unknown bag, or does not have exactly two players.
    """
    if len(game.names) != 2:
        raise ReviewError(
            "review-players",
            "only games between two players can be reviewed; this one has {players}",
            players=len(game.names),
        )
    if not game.rules.distribution.has_known_bag:
        raise ReviewError(
            "review-bag",
            "{game} has different tiles in every game, so the remaining tiles are unknown",
            game=GAMES_WITH_OWN_TILES[game.rules.distribution.name],
        )
    if not any(turn.kind in ORDINARY_KINDS for turn in game.turns):
        raise ReviewError("review-empty", "the game has no turns to review")
    if not is_finished(game):
        raise ReviewError("review-running", "the game isn't over, and only finished games can be reviewed")


def is_finished(game: Game) -> bool:
    state = ReplayState(game.rules, len(game.names))
    for turn in game.turns:
        state.apply(turn)
    return (
        state.is_over
        or any(turn.kind in _END_SCORING_KINDS for turn in game.turns)
        or has_resignation_note(game)
    )


def has_resignation_note(game: Game) -> bool:
    notes = [game.description, game.note]
    if game.turns:
        last_turn = game.turns[-1]
        notes += [last_turn.note, *(comment.text for comment in last_turn.comments)]
    return any(phrase in text.lower() for text in notes for phrase in _RESIGNATION_PHRASES)


def is_as_good_as_best(turn: TurnReview) -> bool:
    """Return whether no mistake is certain, and the loss of win chance is below 0.5 percentage points or within its margin of error.

    The result is False for a turn that is not judged.
    """
    max_loss = max(WIN_THRESHOLDS[0], 100 * Z_95 * turn.win_chance_lost_error)
    return turn.mistake_size is MistakeSize.NONE and 100 * turn.win_chance_lost < max_loss


def severity(turn: TurnReview) -> tuple[float, ...]:
    return (turn.mistake_size is MistakeSize.LARGE, turn.win_chance_lost, turn.points_lost)


REVIEW: Final = JobKind(
    "review",
    Codec[ReviewRequest](ReviewRequest, converters=SPECIAL_CONVERTERS),
    Codec[Review](Review, converters=SPECIAL_CONVERTERS),
    Codec[Review](Review, converters=SPECIAL_CONVERTERS),
)
PLAY_COMPARISON: Final = JobKind(
    "attempt",
    Codec[PlayComparisonRequest](PlayComparisonRequest, converters=SPECIAL_CONVERTERS),
    Codec[float](float),
    Codec[TurnReview](TurnReview, converters=SPECIAL_CONVERTERS),
)
