"""Another play in a reviewed turn as a job: its request and its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.domain.crossword.game import Game
from bot.domain.crossword.play import Play
from bot.features.review.crossword.values import TurnReview
from bot.jobs.analysis import compile_all
from bot.jobs.queue import Control

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexica

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
    """Compare a play with the best; the rest is as for :func:`bot.features.review.crossword.attempt.judge_attempt`."""
    from bot.features.review.crossword.attempt import judge_attempt  # noqa: PLC0415 - compiled modules

    rules = request.game.rules
    chosen = lexica.choose(request.lexicon, rules.distribution, (), ())
    lexicon = lexica.load(chosen.lexicon, rules.distribution)
    compile_all()
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
