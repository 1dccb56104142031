"""What a review says of a crossword game, as plain values.

Turns count as the viewer does: turn n is the n-th event of the game, from 1, challenges and the counting at the end
included. Probabilities go from 0 to 1, a tie being half a win; equities and losses are points.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from bot.domain.crossword.game import Course, Game
from bot.domain.crossword.play import ORDINARY, Play, TurnKind
from bot.domain.crossword.rules import OWN_GAMES
from bot.engine.plays.values import RatedPlay
from bot.features.review.values import Depth, PlayerGame, ReviewError


class Phase(StrEnum):
    """The part of the game a turn is in, by the tiles in the bag."""

    MIDDLEGAME = "middlegame"
    """More than seven: simulated."""
    EARLY_PRE_ENDGAME = "early-pre-endgame"
    """Two to seven: simulated farther."""
    PRE_ENDGAME = "pre-endgame"
    """One: every tile it may be is tried."""
    ENDGAME = "endgame"
    """None: solved."""


def phase_of(bag: int) -> Phase:
    """Return the phase with ``bag`` tiles in the bag."""
    if bag > 7:
        return Phase.MIDDLEGAME
    if bag > 1:
        return Phase.EARLY_PRE_ENDGAME
    return Phase.PRE_ENDGAME if bag else Phase.ENDGAME


class Size(StrEnum):
    """How much a turn lost: its class."""

    BEST = "best"
    """Nothing, or too little to tell from the best."""
    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"


class Reason(StrEnum):
    """Why a turn is not judged."""

    UNFINISHED = "unfinished"
    """The review was stopped, or time was up, before the turn was looked at."""
    RACK_UNKNOWN = "rack-unknown"
    RACK_PARTIAL = "rack-partial"
    """Only some of the tiles on the rack are known."""
    EXCHANGE_UNKNOWN = "exchange-unknown"
    """It is not known which tiles were exchanged."""
    PHONY_STOOD = "phony-stood"
    """The play formed a word that is not in the lexicon, and nobody took it off."""
    NOT_ALLOWED = "not-allowed"
    """The rules do not allow the play, or the rack does not have its tiles."""
    NOT_ANALYZED = "not-analyzed"
    """The position cannot be analyzed, as one that shows more tiles than the set has."""
    LEXICON = "lexicon"
    """So many words are not in the lexicon that it seems to be the wrong one."""
    GAME_OVER = "game-over"
    """The game was over; the pass only gave the time to challenge."""


class Flag(StrEnum):
    """What is remarkable about a turn."""

    BINGO = "bingo"
    EXCHANGE = "exchange"
    PASS = "pass"  # noqa: S105 - a turn, not a password
    PHONY_OFF = "phony-off"
    """The play was challenged off: a lost turn, judged as a pass."""
    PHONY_STOOD = "phony-stood"
    """The play formed a word that is not in the lexicon, and stayed."""
    MISSED_CHALLENGE = "missed-challenge"
    """The opponent's phony was left on the board."""
    MISSED_BINGO = "missed-bingo"
    """The best play was a bingo, and another was made that is worse."""
    BLOWN_ENDGAME = "blown-endgame"
    """With no tile in the bag a won game became a tie or a loss, or a tie a loss."""
    KNOWN_TILES = "known-tiles"
    """Tiles of the opponent were known from a phony that came off."""
    SIX_ZEROS = "six-zeros"
    """The scoreless turn that ended the game."""
    RESIGNED = "resigned"
    """The last turn before a player gave up."""
    TIME_PENALTY = "time-penalty"
    """The last turn of a player who lost points for overtime."""


class Method(StrEnum):
    """How a turn was judged."""

    EQUITY = "equity"
    """The play was ahead of all others by so much that nothing else was looked at."""
    SIMULATION = "simulation"
    PRE_ENDGAME = "pre-endgame"
    ENDGAME = "endgame"


class WhyKind(StrEnum):
    """What makes the best play better; the unit of the two numbers."""

    POINTS = "points"
    """Points that the play scores."""
    LEAVE = "leave"
    """Points that the tiles kept are worth."""
    REPLY = "reply"
    """Points of the opponent's next turn, on average."""
    REPLY_BINGO = "reply-bingo"
    """How often the opponent's next turn is a bingo, from 0 to 1."""
    NEXT_BINGO = "next-bingo"
    """How often the own next turn is a bingo, from 0 to 1."""
    TURNOVER = "turnover"
    """Tiles laid down or exchanged, each of them a new one."""
    OUT = "out"
    """1 for a play that goes out, 0 for another."""
    SPREAD = "spread"
    """Points won from here to the end when both go on as well as they can."""
    DRAWS = "draws"
    """Tiles that may be in the bag with which the game is won, a tie counting half."""
    OUTCOME = "outcome"
    """How the game ends: 1 won, 0.5 tied, 0 lost."""


@dataclass(frozen=True, slots=True)
class Why:
    """One thing in which the best play and the play that was made differ."""

    kind: WhyKind
    best: float
    played: float
    error: float = 0.0
    """Standard error of the difference; 0 when it is exact."""
    of: int = 0
    """Of how many, where the numbers are counted out of a total."""


@dataclass(frozen=True, slots=True)
class Static:
    """The plays by equity, exactly."""

    best: RatedPlay
    played: RatedPlay
    """The pass in place of a phony that came off."""


@dataclass(frozen=True, slots=True)
class JudgedPlay:
    """A play and what it is worth as far as it was found out."""

    play: Play
    score: int
    win: float
    equity: float
    """Points won from the turn to the end or, where a simulation ends before, with what the tiles left are worth."""


@dataclass(frozen=True, slots=True)
class TurnReview:
    """A turn and what was found out about it."""

    turn: int
    seat: int
    rack: tuple[int, ...]
    """The known tiles."""
    rack_unknown: int
    """How many more there were."""
    play: Play
    """What was done, also when it was taken back."""
    score: int
    """Points that stayed; 0 for a phony that came off."""
    phase: Phase
    bag: int
    """Tiles in the bag."""
    reason: Reason | None = None
    """Why it is not judged; None when it is."""
    static: Static | None = None
    best: JudgedPlay | None = None
    played: JudgedPlay | None = None
    loss_win: float = 0.0
    """Probability of winning that the play lost against the best; by paired draws where it was simulated."""
    loss_win_error: float = 0.0
    """Its standard error; 0 when it is proved."""
    loss_points: float = 0.0
    """Points that the play lost, never below 0."""
    size: Size | None = None
    """The class; None when it is not judged."""
    approximate: bool = False
    """Whether the loss may as well be of a higher class."""
    by_points: bool = False
    """Whether points decide the class, since the play does not change who wins."""
    flags: tuple[Flag, ...] = ()
    luck: float | None = None
    """Points that the tiles drawn were better than average; None when the draw is not known."""
    accuracy: float | None = None
    """From 0 to 100; None when it is not judged."""
    method: Method | None = None
    ahead: float = 0.0
    """Of the best play: by how much of a win it is established to be ahead of all others."""
    iterations: int = 0
    """How often the best and the made play were played on."""
    why: tuple[Why, ...] = ()
    """At most three; none when nothing was lost, or when it is not established that it was."""

    @property
    def judged(self) -> bool:
        """Whether it has a class."""
        return self.size is not None

    @property
    def established(self) -> bool:
        """Whether something was lost beyond what the error allows for."""
        return self.size not in (None, Size.BEST)


@dataclass(frozen=True, slots=True)
class PlayerReview:
    """A player's turns together."""

    name: str
    turns: int
    """Plays, exchanges and passes."""
    judged: int
    accuracy: float | None
    """Mean of the turns; None when too few are judged."""
    mistake_index: float | None
    """0.2 for a small, 0.5 for a medium, 1 for a large mistake; None when too few turns are judged."""
    small: int
    medium: int
    large: int
    luck: float | None
    """Points that the tiles drawn were better than average, an estimate; None when too few draws are known."""
    bingos: int
    missed_bingos: int
    points_lost: float = 0.0
    """The losses of all turns together."""
    elo: tuple[int, int] | None = None
    """The rating that the player played like in this game, as a range; only of deep reviews in English."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The words on the board that show that the lexicon is not the game's."""

    unknown: int
    """Words that the lexicon does not have."""
    words: int


@dataclass(frozen=True, slots=True)
class Review:
    """A game reviewed."""

    lexicon: str
    depth: Depth
    players: tuple[PlayerReview, ...]
    turns: tuple[TurnReview, ...]
    curve: tuple[float, ...]
    """The first player's chance to win at the start and after each event of the game."""
    scores: tuple[int, ...]
    bag_empty: int | None = None
    """After how many events the bag was empty; None when it never was."""
    mismatch: Mismatch | None = None
    """Why nothing is graded; None when the lexicon fits."""
    complete: bool = False
    """Whether everything was looked at that the depth asks for."""
    seconds: float = 0.0
    key_turns: tuple[int, ...] = ()
    """The turns most worth a look: great losses first, then best plays that were hard to find."""
    missing: str = ""
    """The wanted lexicon if it is not installed; empty when it was used."""

    @property
    def net_skill(self) -> float:
        """By how many points the first of two players played better."""
        return self.players[1].points_lost - self.players[0].points_lost

    @property
    def net_luck(self) -> float | None:
        """By how many points the first of two players drew better tiles, an estimate; None when it is not known."""
        first, second = self.players[0].luck, self.players[1].luck
        return None if first is None or second is None else first - second


Z_95 = 1.959964
"""Standard errors on either side of a mean that hold the truth 95 times in 100."""

BY_WIN = (0.5, 3.0, 7.0)
"""Percent of a win lost from which a loss is small, and above which it is medium and large."""


USUAL_SECONDS: Final = {Depth.QUICK: 20.0, Depth.DEEP: 170.0}
"""CPU seconds of a review."""


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """A finished game to review. All its members are plain values."""

    game: Game
    lexicon: str = ""
    """The requested lexicon; empty for the game's own."""
    preferred: tuple[str, ...] = ()
    """Lexica for a game that names none: the first that suits its tiles is used."""
    depth: Depth = Depth.QUICK
    seconds: float | None = None
    """CPU seconds; None for the usual time of the depth."""
    aliases: tuple[tuple[str, str], ...] = ()
    """Names of lexica and what they stand for."""
    seed: int = 0


def usual_seconds(request: ReviewRequest) -> float:
    """Return the CPU seconds that a review may take."""
    return USUAL_SECONDS[request.depth] if request.seconds is None else request.seconds


@dataclass(frozen=True, slots=True)
class AttemptRequest:
    """A play to compare with the best of a turn. All its members are plain values."""

    game: Game
    turn: int
    play: Play
    best: Play
    lexicon: str
    """The lexicon of the review."""
    seconds: float = 6.0
    """CPU seconds at most; most comparisons need one."""


PLAYERS = 2
"""How many players a game has that is reviewed."""

_GAVE_UP = (
    "resign", "forfeit", "gave up", "gives up", "concede", "lost on time", "ran out of time", "timed out",
    "aufgegeben", "gibt auf", "gab auf", "abandonne", "abandona", "abandonó", "se rinde", "se rindió",
    "poddał", "poddaje",
)  # fmt: skip
"""What stands in a note when a player gave up or lost on time: no format has a turn for it."""
_COUNTED = frozenset({TurnKind.END_RACK_POINTS, TurnKind.END_RACK_PENALTY, TurnKind.TIME_PENALTY})


def check_game(game: Game) -> None:
    """Check that a game can be reviewed.

    Raises:
        ReviewError: it has not two players, no turns, or a bag that nobody knows, or it is not over: who reviews a game that is going on helps
            one of its players.

    """
    if len(game.names) != PLAYERS:
        raise ReviewError(
            "review-players",
            "only games between two players can be reviewed; this one has {players}",
            players=len(game.names),
        )
    if not game.rules.has_known_bag:
        raise ReviewError(
            "review-bag",
            "{game} fills its bag anew for every game, so nobody knows what may be drawn",
            game=OWN_GAMES[game.rules.distribution.name],
        )
    if not any(turn.kind in ORDINARY for turn in game.turns):
        raise ReviewError("review-empty", "the game has no turns to review")
    if not is_finished(game):
        raise ReviewError("review-running", "the game isn't over, and only finished games can be reviewed")


def is_finished(game: Game) -> bool:
    """Return whether a game is over: played out, ended by turns without points, counted, or given up."""
    course = Course(game.rules, len(game.names))
    for turn in game.turns:
        course.follow(turn)
    return course.is_over or any(turn.kind in _COUNTED for turn in game.turns) or gave_up(game)


def gave_up(game: Game) -> bool:
    """Return whether a remark on the end of a game says that a player gave up."""
    said = [game.description, game.note]
    if game.turns:
        last = game.turns[-1]
        said += [last.note, *(comment.text for comment in last.comments)]
    return any(sign in text.lower() for text in said for sign in _GAVE_UP)


def is_reviewed(game: Game) -> bool:
    """Return whether a game is one that :func:`check_game` lets pass."""
    return (
        len(game.names) == PLAYERS
        and game.rules.has_known_bag
        and is_finished(game)
        and any(turn.kind in ORDINARY for turn in game.turns)
    )


def is_as_good(turn: TurnReview) -> bool:
    """Return whether a play is as good as the best: it loses less than half a percent of a win, or than its error."""
    allowed = max(BY_WIN[0], 100 * Z_95 * turn.loss_win_error)
    return turn.size is Size.BEST and 100 * turn.loss_win < allowed


def weight(turn: TurnReview) -> tuple[float, ...]:
    """Return the weight of a turn's loss, to compare turns."""
    return (turn.size is Size.LARGE, turn.loss_win, turn.loss_points)


def player_games(review: Review) -> tuple[PlayerGame, ...]:
    """Return the players of a reviewed game, by seat."""
    best = max(review.scores)
    shared = review.scores.count(best)
    return tuple(
        PlayerGame(
            player.name,
            won=1 / shared if score == best else 0.0,
            accuracy=player.accuracy,
            mistake_index=player.mistake_index,
            bingos=player.bingos,
            missed_bingos=player.missed_bingos,
            luck=player.luck,
            points=score,
        )
        for player, score in zip(review.players, review.scores, strict=True)
    )
