"""The review of a crossword game, and another play in one of its turns, as jobs: their requests and results."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.domain.crossword.game import Game
from bot.domain.crossword.play import Play
from bot.engine.installed import compile_first
from bot.features.review.crossword.values import Review, TurnReview, check_game
from bot.features.review.values import Depth
from bot.jobs.queue import Control

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexica

USUAL_SECONDS = {Depth.QUICK: 20.0, Depth.DEEP: 170.0}
"""Seconds of a processor that a review takes."""


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """A finished game, and how thoroughly to look at it. Everything in it is a plain value."""

    game: Game
    lexicon: str = ""
    """The requested lexicon; empty for the one the game names."""
    preferred: tuple[str, ...] = ()
    """Lexica for when neither names one: the first that suits the game's tiles is used."""
    depth: Depth = Depth.QUICK
    seconds: float | None = None
    """Seconds of a processor; None for what the depth usually takes, :data:`USUAL_SECONDS`."""
    aliases: tuple[tuple[str, str], ...] = ()
    seed: int = field(default=0)


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """The result of a review."""

    request: ReviewRequest
    review: Review
    missing: str
    """The lexicon that was wanted and is not installed; empty when the wanted one was used."""


def usual_seconds(request: ReviewRequest) -> float:
    """Return how many seconds of a processor a review may take."""
    return USUAL_SECONDS[request.depth] if request.seconds is None else request.seconds


def review(request: ReviewRequest, lexica: Lexica, control: Control[ReviewResult]) -> ReviewResult:
    """Review a game. This can take minutes: never call it on an event loop.

    Progress is the review so far, the first by equity at once. A job that is stopped returns what it has.

    Raises:
        DomainError: the lexicon is not installed, or the game is one that is not reviewed.

    """
    # Compiled modules are imported where they are used: processes that only pass results on need none of them.
    from bot.features.review.crossword.judging import effort_of  # noqa: PLC0415
    from bot.features.review.crossword.review import review_game  # noqa: PLC0415

    check_game(request.game)
    rules = request.game.rules
    chosen = lexica.choose(
        request.lexicon or rules.lexicon, rules.distribution, request.preferred, request.aliases
    )
    lexicon = lexica.load(chosen.lexicon, rules.distribution)
    compile_first()

    def result(found: Review) -> ReviewResult:
        return ReviewResult(request, found, chosen.missing)

    return result(
        review_game(
            request.game,
            lexicon,
            effort_of(request.depth, usual_seconds(request), seed=request.seed),
            progress=lambda found: control.report(result(found)),
            cancelled=lambda: control.is_stopped,
        )
    )


SECONDS = 6.0
"""Seconds of a processor that a comparison takes at most; most are decided after one."""


@dataclass(frozen=True, slots=True)
class AttemptRequest:
    """A play to be compared with the best of a turn. Everything in it is a plain value."""

    game: Game
    turn: int
    play: Play
    best: Play
    lexicon: str
    """The lexicon of the review."""
    seconds: float = SECONDS


def compare(request: AttemptRequest, lexica: Lexica, control: Control[float]) -> TurnReview:
    """Compare a play with the best; the rest is as for :func:`bot.features.review.crossword.review.judge_attempt`."""
    from bot.features.review.crossword.review import judge_attempt  # noqa: PLC0415 - compiled modules

    rules = request.game.rules
    chosen = lexica.choose(request.lexicon, rules.distribution, (), ())
    lexicon = lexica.load(chosen.lexicon, rules.distribution)
    compile_first()
    return judge_attempt(
        request.game,
        request.turn,
        request.play,
        request.best,
        lexicon,
        seconds=request.seconds,
        progress=control.report,
        cancelled=lambda: control.is_stopped,
    )
